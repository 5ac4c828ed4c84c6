"""The group average of policy gradients, with rewards standardised in the group: 8 outcomes, groups of 8."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.exact import multisets
from benchmarks.judges import Law, as_law, whole_law
from benchmarks.workload import Contender, Workload
from benchmarks.workloads.peers import from_icepool

__all__ = ["WORKLOADS"]

_SIZE = 8
_WEIGHTS = [1, 3, 1, 3, 1, 3, 1, 3]
_REWARDS = [0, 1, 0, 2, 1, 3, 0, 5]
_SCORES = [15, -1, -1, -1, -1, -1, -1, -1]  # of the first logit, times 16
_CHUNK = 2**18


def _estimates(rewards: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """mean((R - mean R) S) / std R along the rows, 0 where all rewards are equal."""
    advantages = rewards - rewards.mean(axis=1, keepdims=True)
    spread = rewards.std(axis=1)
    return (advantages * scores).mean(axis=1) / np.where(spread > 0, spread, 1)


def _randvar() -> Callable[[], Law]:
    from randvar import from_weights, sampling_distribution, shared

    pair = shared(from_weights(range(_SIZE), _WEIGHTS)).op(_REWARDS.__getitem__, _SCORES.__getitem__)

    def work() -> Law:
        law = sampling_distribution(
            lambda rows: _estimates(rows[:, :, 0], rows[:, :, 1]), pair, _SIZE, symmetric=True, vectorized=True
        )
        return law.values, law.probs

    return work


def _numpy() -> Callable[[], Law]:
    """All 8^8 ordered draws, a chunk at a time; rounding is merged at 12 decimals."""
    rewards, scores, probs = np.array(_REWARDS), np.array(_SCORES), np.array(_WEIGHTS) / 16

    def work() -> Law:
        law: dict[float, float] = {}
        for start in range(0, 8**_SIZE, _CHUNK):
            draws = np.stack(np.unravel_index(np.arange(start, start + _CHUNK), (8,) * _SIZE), axis=1)
            values, at = np.unique(_estimates(rewards[draws], scores[draws]).round(12), return_inverse=True)
            masses = np.bincount(at, probs[draws].prod(axis=1))
            for value, mass in zip(values.tolist(), masses.tolist(), strict=True):
                law[value] = law.get(value, 0.0) + mass
        return as_law(law.items())

    return work


def _icepool() -> Callable[[], Any]:
    """An own evaluator with the four sums that the estimate needs as its state (see `statistics.py`)."""
    from icepool import Die, MultisetEvaluator

    class Estimate(MultisetEvaluator):
        def next_state(self, state: Any, order: Any, outcome: int, count: int) -> tuple[int, ...]:
            r, s = _REWARDS[outcome], _SCORES[outcome]
            sums = state or (0, 0, 0, 0)
            return tuple(a + count * b for a, b in zip(sums, (r, s, r * s, r * r), strict=True))

        def final_outcome(self, state: Any, order: Any, outcomes: Any, *sizes: Any, **kwargs: Any) -> float:
            sign, square = _signed_square(state)
            return sign * math.sqrt(square)

    die, evaluator = Die(dict(enumerate(_WEIGHTS))), Estimate()
    return lambda: evaluator.evaluate(die.pool(_SIZE))


def _signed_square(sums: tuple[int, ...]) -> tuple[int, Fraction]:
    """Sign and square of the estimate from sum R, sum S, sum RS, sum R^2: the square is rational."""
    r, s, rs, rr = sums
    covariance, spread = _SIZE * rs - r * s, _SIZE * rr - r * r
    if not spread or not covariance:
        return 0, Fraction(0)
    return int(math.copysign(1, covariance)), Fraction(covariance**2, _SIZE**2 * spread)


@functools.cache
def _truth() -> Law:
    columns = [_REWARDS, _SCORES, [r * s for r, s in zip(_REWARDS, _SCORES, strict=True)], [r * r for r in _REWARDS]]
    law: dict[tuple[int, Fraction], int] = {}
    for counts, ways in multisets(_WEIGHTS, _SIZE):
        sums = tuple(sum(map(int.__mul__, counts, column)) for column in columns)
        key = _signed_square(sums)
        law[key] = law.get(key, 0) + ways
    return as_law((sign * math.sqrt(square), ways / 16**_SIZE) for (sign, square), ways in law.items())


WORKLOADS = [
    Workload(
        key="group",
        title="Group gradient with standardised rewards, 8 outcomes, groups of 8 (6435 multisets)",
        goal="right; numpy runs 16,777,216 ordered draws",
        contenders=(
            Contender("randvar", _randvar),
            Contender("numpy, ordered draws", _numpy),
            Contender("icepool, own evaluator", _icepool, from_icepool, "icepool"),
        ),
        judge=whole_law(_truth),
        support=lambda: len(_truth()[0]),
    ),
]
