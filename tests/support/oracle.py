"""Naive enumeration in exact fractions: the second route to every number. It shares no code with the package.

A law is a dictionary from outcome to probability (a Fraction). Everything is a sum over `itertools.product`,
so it is slow and obviously right; keep the laws small.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import mpmath

Law = dict[Hashable, Fraction]


def law(values: Iterable[Hashable], weights: Iterable[int | Fraction]) -> Law:
    """The law with these weights, divided by their sum; repeated values are added up, impossible ones dropped."""
    pairs = list(zip(values, weights, strict=True))
    whole = sum(Fraction(weight) for _, weight in pairs)
    return _added_up((value, Fraction(weight) / whole) for value, weight in pairs)


def uniform(values: Sequence[Hashable]) -> Law:
    """Equal probabilities."""
    return law(values, [1] * len(values))


def law_of(f: Callable[..., Hashable], *laws: Law) -> Law:
    """The law of f(X1, ..., Xk), the Xi independent."""
    return _added_up(
        (f(*(value for value, _ in atoms)), math.prod(p for _, p in atoms))
        for atoms in itertools.product(*(each.items() for each in laws))
    )


def law_of_draws(statistic: Callable[[Sequence[Any]], Hashable], x: Law, n: int) -> Law:
    """The law of statistic((X1, ..., Xn)), the Xi independent copies of X."""
    return law_of(lambda *sample: statistic(sample), *[x] * n)


def fold(f: Callable[[Any, Any], Hashable], x: Law, n: int) -> Law:
    """The law of f(...f(f(X1, X2), X3)..., Xn): sums or products of n draws with few distinct values."""
    return reduce(lambda total, draw: law_of(f, total, draw), [x] * n)


def total(x: Law, n: int) -> Law:
    """The law of X1 + ... + Xn."""
    return fold(lambda a, b: a + b, x, n)


def mixture(x: Law, kernel: Callable[[Any], Law]) -> Law:
    """The law of Y, drawn from kernel(X) after X was seen."""
    return _added_up((b, p * q) for a, p in x.items() for b, q in kernel(a).items())


def dependent(x: Law, kernel: Callable[[Any], Law]) -> Law:
    """The law of the pair (X, Y), Y drawn from kernel(X)."""
    return mixture(x, lambda a: {(a, b): q for b, q in kernel(a).items()})


def given(x: Law, event: Callable[[Any], bool]) -> Law:
    """The law of X given that the event holds."""
    mass = probability(x, event)
    return {value: p / mass for value, p in x.items() if event(value)}


def probability(x: Law, event: Callable[[Any], bool]) -> Fraction:
    """P(event(X))."""
    return sum((p for value, p in x.items() if event(value)), Fraction(0))


def mean(x: Law, f: Callable[[Any], Any] = lambda value: value) -> Any:
    """E[f(X)]."""
    return sum(p * f(value) for value, p in x.items())


def variance(x: Law, f: Callable[[Any], Any] = lambda value: value) -> Any:
    """E[(f(X) - E[f(X)])^2]."""
    return central_moment(x, 2, f)


def central_moment(x: Law, k: int, f: Callable[[Any], Any] = lambda value: value) -> Any:
    """E[(f(X) - E[f(X)])^k]."""
    centre = mean(x, f)
    return mean(x, lambda value: (f(value) - centre) ** k)


def covariance(pair: Law) -> Any:
    """E[(A - E[A]) (B - E[B])] of a law of pairs (A, B)."""
    first, second = mean(pair, lambda ab: ab[0]), mean(pair, lambda ab: ab[1])
    return mean(pair, lambda ab: (ab[0] - first) * (ab[1] - second))


def log(ratio: Fraction) -> mpmath.mpf:
    """The natural logarithm of a positive fraction, to the working precision of mpmath."""
    return mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)


def kl(p: Law, q: Law) -> mpmath.mpf:
    """sum p log(p/q), q positive wherever p is."""
    with mpmath.workdps(40):
        return mpmath.fsum(weight * log(p[value] / q[value]) for value, weight in mp_items(p))


def entropy(p: Law) -> mpmath.mpf:
    """-sum p log p."""
    with mpmath.workdps(40):
        return -mpmath.fsum(weight * log(p[value]) for value, weight in mp_items(p))


def mp_items(x: Law) -> list[tuple[Any, mpmath.mpf]]:
    """The atoms with probabilities as mpmath numbers, for sums that leave the rationals."""
    return [(value, mpmath.mpf(p.numerator) / p.denominator) for value, p in x.items()]


def dice_tail(n: int, at_least: int, faces: int = 6) -> Fraction:
    """P(sum of n dice >= at_least) by inclusion and exclusion over the dice that overflow.

    With Y = faces*n - sum, a sum of n numbers in 0..faces-1: #{Y <= m} = sum_j (-1)^j C(n, j) C(m - faces*j + n, n).
    """
    m = faces * n - at_least
    count = sum((-1) ** j * math.comb(n, j) * math.comb(m - faces * j + n, n) for j in range(m // faces + 1))
    return Fraction(count, faces**n)


def _added_up(atoms: Iterable[tuple[Hashable, Fraction]]) -> Law:
    summed: Law = {}
    for value, p in atoms:
        if p:
            summed[value] = summed.get(value, Fraction(0)) + p
    return summed
