"""The multinomial law, factor by factor, without overflow, underflow or cancellation at any n.

P(c) = n!/(c_1!...c_k!) p_1^c_1 ... p_k^c_k is the mass of the counts c of n draws out of k outcomes.  Neither n! nor
p^c fits a float when n is large.  But multinomial counts are independent Poisson(n p_j) counts, given that they sum to
n, so that

    P(c) = scale * T_1(c_1) * ... * T_k(c_k),     T_j(c) = P(Poisson(n p_j) = c | at most n),     scale ~ sqrt(2 pi n).

Every T_j is at most 1, so a product of them underflows only where P(c) itself does (within sqrt(2 pi n)).
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from randvar.numbers.arrays import EPS, Array

__all__ = ["CountFactors", "count_factors", "in_words", "multiset_count", "rounding_of_masses"]

_EXACT_DIGITS, _MOST_DIGITS = 1000, 100_000  # of a number that only a message shows


def multiset_count(k: int, n: int) -> int:
    """The number of multisets of n draws out of k outcomes, C(n + k - 1, n); past 10^1000, a power of ten near it.

    >>> multiset_count(6, 20)
    53130
    """
    if not k:
        return int(n == 0)
    with suppress(OverflowError):  # n itself has hundreds of digits
        digits = (math.lgamma(n + k) - math.lgamma(n + 1) - math.lgamma(k)) / math.log(10)
        return math.comb(n + k - 1, n) if digits < _EXACT_DIGITS else 10 ** min(round(digits), _MOST_DIGITS)
    return 10**_MOST_DIGITS if k > 1 else 1


def in_words(count: int) -> str:
    """A number of samples or atoms for a message, however many digits it has.

    >>> in_words(3162510), in_words(multiset_count(1000, 10**6))
    ('3,162,510', 'about 10^3430')
    """
    return f"{count:,}" if count < 10**12 else f"about 10^{math.log10(count):.0f}"


@dataclass(frozen=True)
class CountFactors:
    """P(c) = scale * prod_j tables[j, c_j], for counts c that sum to n."""

    scale: float
    tables: Array


def count_factors(probs: Array, n: int) -> CountFactors:
    """The factors of the multinomial law of n draws from p / sum(p), each within a few roundings.  O(k n).

    >>> law = count_factors(np.array([0.5, 0.5]), 4)
    >>> round(float(law.scale * law.tables[0, 1] * law.tables[1, 3]), 15)
    0.25
    """
    exact = [Fraction(p) for p in probs.tolist()]
    total = sum(exact, Fraction(0))
    tables = np.empty((len(exact), n + 1))
    scale, exponents = _stirling_ratio(n), []
    for j, p in enumerate(exact):
        rate = n * p / total
        mode = math.floor(rate)
        relative = _relative_to_mode(rate, mode, n)
        mass = math.fsum(relative)
        tables[j] = relative / mass
        # n!/n^n prod rate^mode/mode!, with every power taken against e^mode so that nothing large is left
        scale *= mass / _stirling_ratio(mode)
        above = float(rate - mode)
        exponents.append(mode * math.log1p(above / mode) - above if mode else -above)
    return CountFactors(scale * math.exp(math.fsum(exponents)), tables)


def _stirling_ratio(r: int) -> float:
    """r! e^r / r^r, which is sqrt(2 pi r) exp(1/(12 r) - 1/(360 r^3) + ...)."""
    if r <= 100:
        return float(math.factorial(r) / r**r) * math.exp(r)
    return math.sqrt(2 * math.pi * r) * math.exp(1 / (12 * r) - 1 / (360 * r**3) + 1 / (1260 * r**5))


def _relative_to_mode(rate: Fraction, mode: int, n: int) -> Array:
    """rate^(c - mode) mode!/c! for c = 0..n, multiplied out from c = mode in both directions, in wide floats."""
    nearest = np.longdouble(float(rate))
    counts = np.arange(1, n + 1, dtype=np.longdouble)
    table = np.ones(n + 1, dtype=np.longdouble)
    np.cumprod(nearest / counts[mode:], out=table[mode + 1 :])
    table[:mode] = np.cumprod(counts[:mode][::-1] / nearest)[::-1]
    if nearest:  # the rate was rounded once, but is raised to the power c - mode: put that back, to first order
        table *= 1 + float(rate / Fraction(float(rate)) - 1) * (np.arange(n + 1) - mode)
    return table


def rounding_of_masses(probs: Array, n: int, *, ordered: bool = False) -> float:
    """A bound on the relative error of the mass of a sample: a few roundings for each factor; none of exact ones."""
    factors = n if ordered else 4 * min(len(probs), n)
    return 0.0 if probs.dtype == object else (factors + 4) * EPS
