"""Sums of many dice as float laws, and what is asked of them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.exact import dice_probability, dice_reach, dice_ways
from benchmarks.judges import Law, at_some_values, number, whole_law
from benchmarks.workload import Contender, Workload
from benchmarks.workloads.peers import (
    from_dyce,
    from_icepool,
    from_lea,
    from_sympy,
    icepool_sum,
    lea_law,
    sympy_sum,
)

__all__ = ["WORKLOADS", "dyce_dice", "icepool_dice", "randvar_dice", "randvar_variance", "sympy_dice"]

_FACES = [1, 2, 3, 4, 5, 6]
_TAIL = 4500
_MANY, _FEW = 10**6, 10**2


def randvar_dice(n: int) -> Callable[[], Callable[[], Law]]:
    def prepare() -> Callable[[], Law]:
        from randvar import total, uniform

        die = uniform(1, 7)

        def work() -> Law:
            law = total(die, n)
            return law.values, law.probs

        return work

    return prepare


def _full_fft(n: int) -> Callable[[], Callable[[], Law]]:
    """The n-th power of one transform, padded to a size that transforms quickly."""

    def prepare() -> Callable[[], Law]:
        from scipy.fft import irfft, next_fast_len, rfft

        die = np.full(6, 1 / 6)

        def work() -> Law:
            size = next_fast_len(5 * n + 1, real=True)
            return np.arange(n, 6 * n + 1), irfft(rfft(die, size) ** n, size)[: 5 * n + 1]

        return work

    return prepare


def _lea(n: int) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        die = lea_law(_FACES, [1] * 6)
        return lambda: die.times(n)

    return prepare


def dyce_dice(n: int) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        from dyce import H

        return lambda: n @ H(6)

    return prepare


def icepool_dice(n: int) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        from icepool import Die

        die = Die(_FACES)
        return lambda: icepool_sum(die, n)

    return prepare


def sympy_dice(n: int) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        from sympy import Integer, Rational
        from sympy.core.cache import clear_cache

        clear_cache()
        die = {Integer(face): Rational(1, 6) for face in _FACES}
        return lambda: sympy_sum(die, n)

    return prepare


def _contenders(n: int) -> tuple[Contender, ...]:
    return (
        Contender("randvar", randvar_dice(n)),
        Contender("scipy, full FFT", _full_fft(n)),
        Contender("lea", _lea(n), from_lea, "lea"),
        Contender("dyce", dyce_dice(n), from_dyce, "dyce"),
        Contender("icepool", icepool_dice(n), from_icepool, "icepool"),
        Contender("sympy.stats", sympy_dice(n), from_sympy, "sympy"),
    )


@functools.cache
def _all_atoms(n: int) -> Law:
    ways = dice_ways(n, range(n, 6 * n + 1))
    return np.arange(n, 6 * n + 1.0), np.array([w / 6**n for w in ways])


@functools.cache
def _some_atoms(n: int) -> dict[int, Any]:
    """A dozen totals from the first above 1e-300 to the middle, and their mirror images, to 50 digits."""
    totals = [int(t) for t in np.linspace(dice_reach(n), 7 * n // 2, 12)]
    probs = [dice_probability(n, t) for t in totals]
    return dict(
        sorted([*zip(totals, probs, strict=True), *((7 * n - t, p) for t, p in zip(totals, probs, strict=True))])
    )


def _reached(n: int) -> int:
    """How many totals have a probability above 1e-300."""
    return 5 * n + 1 - 2 * (next(iter(_some_atoms(n))) - n)


def _tail_of(ask: Callable[[Any], Any], make: Callable[[], Callable[[], Any]]) -> Callable[[], Callable[[], Any]]:
    """The work of `make`, and then a question to what it returned."""

    def prepare() -> Callable[[], Any]:
        work = make()
        return lambda: ask(work())

    return prepare


def _randvar_tail() -> Callable[[], float]:
    from randvar import total, uniform

    die = uniform(1, 7)
    return lambda: total(die, 1000).prob(lambda s: s >= _TAIL)


def _lea_tail(law: Any) -> float:
    from lea import P

    return P(law >= _TAIL)


def _exact_tail() -> Fraction:
    return Fraction(sum(dice_ways(1000, range(_TAIL, 6001))), 6**1000)


def randvar_variance(n: int) -> Callable[[], Callable[[], float]]:
    def prepare() -> Callable[[], float]:
        from randvar import monte_carlo, uniform, variance

        die = uniform(1, 7)
        return lambda: variance(monte_carlo(die, n))

    return prepare


def _sympy_variance(n: int) -> Callable[[], Callable[[], Any]]:
    """Variance(...).expand() gives variances and covariances, each with its evaluate_integral() (their docstrings)."""

    def prepare() -> Callable[[], Any]:
        from sympy import Add
        from sympy.core.cache import clear_cache
        from sympy.stats import Covariance, Die, Variance

        clear_cache()

        def work() -> Any:
            mean = Add(*(Die(f"X{i}", 6) for i in range(n))) / n
            parts = Variance(mean).expand()
            return parts.xreplace({part: part.evaluate_integral() for part in parts.atoms(Variance, Covariance)})

        return work

    return prepare


def _variance(n: int, key: str, easier: tuple[str, ...] = ()) -> Workload:
    means = [
        Contender("lea", _tail_of(lambda law: law.var() / n**2, _lea(n)), distribution="lea"),
        Contender("dyce", _tail_of(lambda law: law.variance() / n**2, dyce_dice(n)), distribution="dyce"),
        Contender("icepool", _tail_of(lambda law: law.variance() / n**2, icepool_dice(n)), distribution="icepool"),
        Contender("sympy.stats", _sympy_variance(n), lambda v: Fraction(int(v.p), int(v.q)), "sympy"),
    ]
    return Workload(
        key=key,
        title=f"Variance of the mean of {n:,} dice",
        goal="0.05 ms, and no more for 1,000,000 than for 100",
        contenders=(Contender("randvar", randvar_variance(n)), *means),
        judge=number(lambda: Fraction(35, 12 * n)),
        harder_than=easier,
    )


WORKLOADS = [
    Workload(
        key="dice-1000",
        title="Sum of 1000 dice, float law",
        goal="2 ms, all atoms above 1e-300 right, 300 times faster than the best of the others",
        contenders=_contenders(1000),
        judge=whole_law(lambda: _all_atoms(1000)),
        support=lambda: int(np.count_nonzero(_all_atoms(1000)[1] > 1e-300)),
    ),
    *(
        Workload(
            key=f"dice-{n}",
            title=f"Sum of {n:,} dice, float law",
            goal=goal,
            contenders=_contenders(n),
            judge=at_some_values(functools.partial(_some_atoms, n)),
            support=functools.partial(_reached, n),
            harder_than=easier,
        )
        for n, easier, goal in (
            (10**4, ("dice-1000",), "8 ms"),
            (10**5, ("dice-10000",), "15 ms"),
            (10**6, ("dice-100000",), "50 ms, 20 times faster than a full FFT"),
        )
    ),
    Workload(
        key="tail",
        title="P(sum of 1000 dice >= 4500) = 1.1118e-79",
        goal="right to 1e-12",
        contenders=(
            Contender("randvar", _randvar_tail),
            Contender("scipy, full FFT", _tail_of(lambda law: law[1][_TAIL - 1000 :].sum(), _full_fft(1000))),
            Contender("lea", _tail_of(_lea_tail, _lea(1000)), distribution="lea"),
            Contender("dyce", _tail_of(lambda h: Fraction(h.ge(_TAIL)[True], h.total), dyce_dice(1000)), float, "dyce"),
            Contender(
                "icepool",
                _tail_of(operator.methodcaller("probability", ">=", _TAIL), icepool_dice(1000)),
                float,
                "icepool",
            ),
        ),
        judge=number(_exact_tail),
        accuracy=1e-12,
        harder_than=("dice-1000",),
    ),
    _variance(_FEW, "variance-100"),
    _variance(_MANY, "variance-1000000", ("variance-100", "dice-10000")),
]
