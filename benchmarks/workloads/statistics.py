"""A symmetric statistic of several draws: the standard deviation, of 6 and of 30 draws of an eight-outcome policy."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.exact import deviation_law
from benchmarks.judges import Law, as_law, whole_law
from benchmarks.workload import Contender, Workload
from benchmarks.workloads.peers import from_dyce, from_icepool, from_lea, lea_law

__all__ = ["WORKLOADS"]

Preparation = Callable[[], Callable[[], Any]]

_OUTCOMES = [1, 2, 3, 4, 5, 6, 7, 8]
_WEIGHTS = [1, 3, 1, 3, 1, 3, 1, 3]


def _randvar(n: int) -> Preparation:
    def prepare() -> Callable[[], Law]:
        from randvar import from_weights, sampling_distribution, settings

        x = from_weights(_OUTCOMES, _WEIGHTS)

        def work() -> Law:
            with settings(max_atoms=11_000_000):
                law = sampling_distribution(_deviations, x, n, symmetric=True, vectorized=True)
            return law.values, law.probs

        return work

    return prepare


def _deviations(samples: np.ndarray) -> np.ndarray:
    deviations: np.ndarray = samples.std(axis=1)
    return deviations


def _deviation(n: int, total: int, squares: int) -> float:
    return math.sqrt(n * squares - total * total) / n


def _icepool(n: int) -> Preparation:
    """An own subclass of MultisetEvaluator, "for better performance" (docstring of multiset_function).

    Its state is the sum and the sum of squares, so that multisets with the same are one.
    """

    def prepare() -> Callable[[], Any]:
        from icepool import Die, MultisetEvaluator

        class Deviation(MultisetEvaluator):
            def next_state(self, state: Any, order: Any, outcome: int, count: int) -> tuple[int, int]:
                total, squares = state or (0, 0)
                return total + count * outcome, squares + count * outcome * outcome

            def final_outcome(self, state: Any, order: Any, outcomes: Any, *sizes: Any, **kwargs: Any) -> float:
                return _deviation(n, *state)

        die, evaluator = Die(dict(zip(_OUTCOMES, _WEIGHTS, strict=True))), Deviation()
        return lambda: evaluator.evaluate(die.pool(n))

    return prepare


def _dyce(n: int) -> Preparation:
    """P.survey: "equivalent partial rolls that reach the same state are merged" (its docstring)."""

    def prepare() -> Callable[[], Any]:
        from dyce import H, P
        from dyce.p import survey_outcome_order_ascending

        warnings.simplefilter("ignore")  # survey says that it is experimental
        pool = n @ P(H(dict(zip(_OUTCOMES, _WEIGHTS, strict=True))))

        def accumulate(state: Any, outcome: int, count: int) -> tuple[int, int]:
            total, squares = state or (0, 0)
            return total + count * outcome, squares + count * outcome * outcome

        return lambda: pool.survey(
            accumulate=accumulate,
            order=survey_outcome_order_ascending,
            settle=lambda state: _deviation(n, *state),
        )

    return prepare


def _lea(n: int) -> Preparation:
    """`times` with an own operation: it adds the outcome and its square, and a map at the end takes the root."""

    def prepare() -> Callable[[], Any]:
        x = lea_law([(a, a * a) for a in _OUTCOMES], _WEIGHTS)
        return lambda: x.times(n, _added).map(lambda state: _deviation(n, *state)).calc()

    return prepare


def _added(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] + b[0], a[1] + b[1]


def _sympy(n: int) -> Preparation:
    """No function of several variables is symmetric to it: the density runs over all ordered draws."""

    def prepare() -> Callable[[], Any]:
        from sympy import Add, Integer, Rational, sqrt
        from sympy.core.cache import clear_cache
        from sympy.stats import FiniteRV, density

        clear_cache()
        law = {Integer(a): Rational(w, 16) for a, w in zip(_OUTCOMES, _WEIGHTS, strict=True)}
        draws = [FiniteRV(f"X{i}", law) for i in range(n)]
        spread = sqrt(n * Add(*(x**2 for x in draws)) - Add(*draws) ** 2) / n
        return lambda: density(spread)

    return prepare


@functools.cache
def _truth(n: int) -> Law:
    return as_law((math.sqrt(v) / n, p) for v, p in deviation_law(_OUTCOMES, _WEIGHTS, n).items())


def _contenders(n: int) -> tuple[Contender, ...]:
    return (
        Contender("randvar", _randvar(n)),
        Contender("icepool, own evaluator", _icepool(n), from_icepool, "icepool"),
        Contender("dyce, own survey", _dyce(n), from_dyce, "dyce"),
        Contender("lea, own operation", _lea(n), from_lea, "lea"),
        Contender("sympy.stats", _sympy(n), lambda law: as_law((v, float(p)) for v, p in law.items()), "sympy"),
    )


WORKLOADS = [
    Workload(
        key="std-6",
        title="Standard deviation of 6 draws of 8 outcomes",
        goal="2 ms, 122 outcomes, faster than icepool's evaluator",
        contenders=_contenders(6),
        judge=whole_law(lambda: _truth(6)),
        support=lambda: len(_truth(6)[0]),
    ),
    Workload(
        key="std-30",
        title="Standard deviation of 30 draws of 8 outcomes, run on 10,295,472 multisets",
        goal="below 0.5 GB; the others are given a state that merges multisets, randvar any function",
        contenders=_contenders(30),
        judge=whole_law(lambda: _truth(30)),
        support=lambda: len(_truth(30)[0]),
        harder_than=("std-6",),
    ),
]
