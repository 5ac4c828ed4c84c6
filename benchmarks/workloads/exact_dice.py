"""Sums of dice in exact rational numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from benchmarks.exact import dice_ways
from benchmarks.workload import Contender, Finding, Workload
from benchmarks.workloads.dice import dyce_dice, icepool_dice, sympy_dice

__all__ = ["WORKLOADS", "randvar_exact"]


def randvar_exact(n: int) -> Callable[[], Callable[[], list[Fraction]]]:
    def prepare() -> Callable[[], list[Fraction]]:
        from randvar import Var, total

        die = Var(range(1, 7), [Fraction(1, 6)] * 6)
        return lambda: total(die, n).probs.tolist()

    return prepare


def _flint(n: int) -> Callable[[], Callable[[], list[int]]]:
    """The n-th power of a polynomial over the integers, and its coefficients as Python's."""

    def prepare() -> Callable[[], list[int]]:
        from flint import fmpz_poly

        return lambda: [int(c) for c in (fmpz_poly([1] * 6) ** n).coeffs()]

    return prepare


def _lea(n: int) -> Callable[[], Callable[[], Any]]:
    """Probabilities of type "r" are fractions."""

    def prepare() -> Callable[[], Any]:
        import lea

        die = lea.vals(1, 2, 3, 4, 5, 6, prob_type="r")
        return lambda: die.times(n)

    return prepare


def _over(n: int, counts: Iterable[int]) -> list[Fraction]:
    return [Fraction(int(c), 6**n) for c in counts]


def _judge(n: int, step: int) -> Callable[[list[Fraction]], Finding]:
    """Every step-th probability, exactly."""

    def judge(found: list[Fraction]) -> Finding:
        ways = dice_ways(n, range(n, 6 * n + 1, step))
        pairs = zip(found[::step], ways, strict=True)
        return Finding(len(found), float(max(abs(p * 6**n / w - 1) for p, w in pairs)))

    return judge


def _workload(n: int, goal: str, step: int, *easier: str) -> Workload:
    return Workload(
        key=f"exact-{n}",
        title=f"Sum of {n} dice, exact rationals",
        goal=goal,
        contenders=(
            Contender("randvar", randvar_exact(n)),
            Contender("python-flint", _flint(n), lambda counts: _over(n, counts), "python-flint"),
            Contender("dyce", dyce_dice(n), lambda h: _over(n, h.counts()), "dyce"),
            Contender("icepool", icepool_dice(n), lambda die: _over(n, die.quantities()), "icepool"),
            Contender("lea", _lea(n), lambda x: [Fraction(p) for _, p in x.pmf_tuple()], "lea"),
            Contender(
                "sympy.stats", sympy_dice(n), lambda d: [Fraction(int(d[t].p), int(d[t].q)) for t in sorted(d)], "sympy"
            ),
        ),
        judge=_judge(n, step),
        support=lambda: 5 * n + 1,
        accuracy=0,
        harder_than=easier,
    )


WORKLOADS = [
    _workload(1000, "15 ms, 300 times faster than dyce and icepool, within 4 times python-flint", 10, "dice-1000"),
    _workload(5000, "250 ms", 500, "exact-1000"),
]
