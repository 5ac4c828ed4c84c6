"""A person's statistic, run on samples: what it is handed, and what counts as undefined."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from randvar.engine.atoms import Array, canonical, is_numeric, object_array, outcome_array, scalar
from randvar.engine.functions import numbers
from randvar.engine.kinds import total
from randvar.engine.multisets import Chunk, expand, multiset_count
from randvar.errors import UndefinedOutcome
from randvar.var import Var

__all__ = ["Found", "Statistic", "is_symmetric", "same_result"]

_RUNS, _RUN_LENGTH = 10, 10  # samples, in runs spread over all multisets, whose permutations are compared
_NOTHING = object()  # stands for a result that is undefined


@dataclass(frozen=True)
class Found:
    """The atoms of one chunk (weights sum to the chunk's mass), and what was undefined in it."""

    values: Array
    weights: Array
    undefined: str | None = None
    mass: Any = 0


@dataclass(frozen=True)
class Statistic:
    """The statistic with the outcomes it draws from; picklable if the function is."""

    function: Callable[[Any], Any]
    columns: tuple[Array, ...]
    rows: bool
    vectorized: bool
    exact: bool

    @property
    def width(self) -> int:
        """Numbers in one draw."""
        return len(self.columns)

    def run(self, part: Chunk) -> Found:
        """Its atoms on the samples of a chunk."""
        indices, weights = expand(part)
        results, reason = self.results(indices)
        if isinstance(results, np.ndarray):
            return Found(*_atoms(results, weights))  # all defined
        bad = np.fromiter((r is _NOTHING for r in results), bool, len(results))
        if not bad.any():
            return Found(*_atoms(results, weights))
        first = int(np.flatnonzero(bad)[0])
        why = f"{reason or 'NaN'} on the sample {self._shown(indices[first])}"
        kept = [r for r in results if r is not _NOTHING]
        values, masses = _atoms(kept, weights[~bad]) if kept else (np.empty(0), weights[:0])
        return Found(values, masses, why, total(weights[bad]))

    def results(self, indices: Array) -> tuple[list[Any] | Array, str | None]:
        """What it returns on the samples with these indices of outcomes, and why the first undefined one is."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # 0/0 in numpy: found below, as NaN
            return self._whole(indices) if self.vectorized else self._each(indices)

    def _each(self, indices: Array) -> tuple[list[Any], str | None]:
        results: list[Any] = []
        reason = None
        for at, sample in enumerate(self.samples(indices)):
            try:
                result = scalar(_called(self.function, sample))
            except (ArithmeticError, ValueError) as error:
                result, reason = _NOTHING, reason or f"{type(error).__name__}: {error}"
            except Exception as error:
                raise UndefinedOutcome(
                    f"the statistic raised {type(error).__name__}: {error} on the sample {self._shown(indices[at])}"
                ) from error
            results.append(_or_nothing(result))
        return results, reason

    def _whole(self, indices: Array) -> tuple[list[Any] | Array, str | None]:
        try:
            results = np.asarray(_called(self.function, self._array(indices)))
        except FloatingPointError:
            return self._one_by_one(indices)
        except Exception as error:
            raise UndefinedOutcome(
                f"the vectorized statistic raised {type(error).__name__}: {error} on an array of {len(indices)} samples"
            ) from error
        if results.shape != (len(indices),):
            raise UndefinedOutcome(
                f"a vectorized statistic returns one outcome a sample, shape ({len(indices)},); got {results.shape}"
            )
        if results.dtype.kind != "f" or not np.isnan(results).any():
            return results, None
        return [_NOTHING if r != r else r for r in results.tolist()], None

    def _one_by_one(self, indices: Array) -> tuple[list[Any], str | None]:
        """A vectorized statistic that divides by 0 somewhere: find out where."""
        results: list[Any] = []
        for row in indices:
            try:
                result = scalar(np.asarray(_called(self.function, self._array(row[None])))[0])
            except FloatingPointError:
                result = _NOTHING
            results.append(_or_nothing(result))
        return results, "FloatingPointError: divide by zero"

    def samples(self, indices: Array) -> Iterator[Any]:
        """Each sample as the statistic is handed it."""
        if self._plain():
            return iter(self._array(indices))
        draws = list(zip(*(c.tolist() for c in self.columns), strict=True)) if self.rows else self.columns[0].tolist()
        tuples = (tuple(draws[i] for i in row) for row in indices.tolist())
        return map(object_array, tuples) if self.exact and not self.rows else tuples

    def _plain(self) -> bool:
        return not self.exact and all(is_numeric(c) for c in self.columns)

    def _array(self, indices: Array) -> Array:
        columns = [numbers(c) for c in self.columns]
        if not self.rows:
            return columns[0][indices]
        dtype = np.result_type(*columns) if all(map(is_numeric, columns)) else object
        return np.stack([c.astype(dtype)[indices] for c in columns], axis=-1)

    def _shown(self, row: Array) -> str:
        picked = [c[row].tolist() for c in self.columns]
        return repr(tuple(zip(*picked, strict=True)) if self.rows else tuple(picked[0]))


def _or_nothing(result: Any) -> Any:
    return _NOTHING if isinstance(result, float) and math.isnan(result) else result


def _called(function: Callable[[Any], Any], sample: Any) -> Any:
    """function(sample), where dividing by 0 is as undefined in numpy as it is in Python; log(0) is -inf."""
    try:
        with np.errstate(divide="raise"):
            return function(sample)
    except FloatingPointError as error:
        if "log" in str(error):
            return function(sample)
        raise


def _atoms(results: Any, weights: Array) -> tuple[Array, Array]:
    if isinstance(results, list) and Var in set(map(type, results)):
        mixed = Var._returned(results, weights)
        return mixed.values, mixed.probs
    return canonical(outcome_array(results), weights, rounded=True)


def is_symmetric(task: Statistic, weights: Array, n: int) -> bool:
    """Whether the statistic agrees on permutations of up to a hundred samples, spread over all multisets."""
    if n < 2:
        return True
    size = multiset_count(len(weights), n)
    starts = sorted({max(0, size - _RUN_LENGTH) * i // (_RUNS - 1) for i in range(_RUNS)})
    parts = [Chunk(weights, n, start, min(start + _RUN_LENGTH, size), False) for start in starts]
    rows = np.concatenate([expand(part)[0] for part in parts])
    orders = [rows[:, ::-1], np.roll(rows, 1, axis=1), rows[:, [1, 0, *range(2, n)]], rows[:, _riffle(n)]]
    given, _ = task.results(rows)
    others = (task.results(order)[0] for order in orders)  # one at a time: the first that differs ends it
    parts_of_results = [v for r in given for v in (r if isinstance(r, tuple) else (r,)) if isinstance(v, (int, float))]
    largest = max((abs(v) for v in parts_of_results if math.isfinite(v)), default=0.0)
    tolerance = 1e-12 * largest  # what the order of summation may change
    return all(same_result(a, b, tolerance) for other in others for a, b in zip(given, other, strict=True))


def _riffle(n: int) -> list[int]:
    """A perfect shuffle: with the swap of two neighbours and the rotation, it moves every place."""
    return [*range(0, n, 2), *range(1, n, 2)]


def same_result(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two results of a statistic are one, up to the rounding of floats, of Vars and of tuples."""
    if isinstance(a, Var) and isinstance(b, Var):
        pairs = zip(a.values.tolist(), b.values.tolist(), strict=False)
        return len(a) == len(b) and all(same_result(v, w, tolerance) for v, w in pairs)
    if isinstance(a, (float, np.floating)) and isinstance(b, (float, np.floating)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=tolerance)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same_result(v, w, tolerance) for v, w in zip(a, b, strict=True))
    return bool(a is b or a == b)
