"""How far a statistic rounds: the same on samples of finer numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from randvar.calls.finer import FunctionRounding, function_rounding
from randvar.estimators.statistic import Statistic
from randvar.numbers.arrays import is_numeric
from randvar.sums.multisets import expand, multiset_parts, tuple_parts

__all__ = ["statistic_rounding"]

_MOST_SAMPLES = 2**14  # that are run again, in a second or so; of more nothing is said


def statistic_rounding(task: Statistic, n: int, by_multisets: bool) -> FunctionRounding:
    """As `function_rounding`, over all samples of n numbers that were run.

    A sample is an array of finer numbers, objects to numpy, whose sums, means and variances take them.
    """
    parts = list((multiset_parts if by_multisets else tuple_parts)(task.weights, n))
    if sum(map(len, parts)) > _MOST_SAMPLES or not all(map(is_numeric, task.columns)):
        return FunctionRounding(0.0, False)
    indices, masses = (np.concatenate(column) for column in zip(*map(expand, parts), strict=True))
    rows = [tuple(map(tuple, np.stack([c[i] for c in task.columns], axis=-1).tolist())) for i in indices]
    draws = np.empty(len(rows), dtype=object)
    draws[:] = rows
    return function_rounding(_on_rows(task), [draws], masses)


def _on_rows(task: Statistic) -> Callable[[Any], Any]:
    """The statistic as a function of a tuple of draws, each a tuple of its coordinates."""

    def statistic(rows: Any) -> Any:
        sample = np.array(rows)
        sample = sample if task.rows else sample[:, 0]
        return task.function(sample[None])[0] if task.vectorized else task.function(sample)

    return statistic
