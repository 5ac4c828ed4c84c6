"""Confidence intervals for a probability, from the number of successes: Wilson's, and Clopper and Pearson's."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from randvar.arguments import real
from randvar.errors import RandvarError, one_line
from randvar.estimators.intervals import CentredInterval, SumInterval, WithLevel, WithNormalQuantile, a_level, tail_of
from randvar.law_arguments import exact_number

__all__ = ["ClopperPearsonInterval", "WilsonInterval", "clopper_pearson_interval", "wilson_interval"]


class CountInterval(SumInterval):
    """An interval for a probability, from the number of successes among n draws that are 0 or 1."""

    def of(self, draw: Any) -> tuple[Any, ...]:
        """The draw itself, 0 or 1: what is added up over a sample.

        >>> wilson_interval.of(True)
        (1,)

        Raises RandvarError for another draw, TypeError for no number.
        """
        number = real(self.name, "a draw", draw)
        if number not in (0, 1):
            raise RandvarError(
                f"{self.name} takes draws that are 0 or 1, got {one_line(draw)}; x.op(predicate) makes such draws"
            )
        return (int(number),)

    def successes(self, n: int, k: Any) -> int:
        """k as a whole number from 0 to n.

        >>> wilson_interval.successes(4, 2.0)
        2

        Raises RandvarError where it is none. Cost: O(1).
        """
        k = exact_number(self.name, "the number of successes", k)
        if k != int(k) or not 0 <= k <= n:
            raise RandvarError(f"{self.name}: the number of successes is a whole number from 0 to {n}, got {k}")
        return int(k)


class WilsonInterval(WithNormalQuantile, CountInterval):
    """All p with |k/n - p| <= z sqrt(p (1 - p)/n), k successes of n and z = 1.96: the score test turned around.

    >>> low, high = wilson_interval([0, 0, 0, 0, 0])
    >>> round(low, 6), round(high, 6)
    (0.0, 0.434491)

    A function of a sample, as `wald_interval` is, of draws that are 0 or 1. Its centre is (k + z^2/2)/(n + z^2). Raises
    RandvarError for draws that are not 0 or 1, or none.
    Source: Wilson 1927; Brown, Cai & DasGupta 2001, (4).
    """

    name = "wilson_interval"

    def from_sums(self, n: int, *sums: Any) -> CentredInterval:
        """The interval of n draws from the number of successes among them, the only one of the `sums`.

        >>> wilson_interval.from_sums(4, 2).centre
        Fraction(1, 2)

        Raises RandvarError where that is no whole number from 0 to n. Cost: O(1).
        """
        k = self.successes(n, *sums)
        z2 = self.squared_z()
        return CentredInterval((k + z2 / 2) / (n + z2), z2 * (Fraction(k * (n - k), n) + z2 / 4) / (n + z2) ** 2)


@dataclass(frozen=True)
class ClopperPearson:
    """All p for which neither P(K <= k) nor P(K >= k), K ~ binomial(n, p), is below `tail`."""

    n: int
    k: int
    tail: Fraction

    def __iter__(self) -> Iterator[float]:
        from scipy.special import betaincinv

        n, k, tail = self.n, self.k, float(self.tail)
        low = float(betaincinv(k, n - k + 1, tail)) if k else 0.0
        return iter((low, float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0))

    def __contains__(self, number: Any) -> bool:
        p = Fraction(exact_number("an interval", "the target", number))
        if not 0 <= p <= 1:
            return False
        ways = _binomial_ways(self.n, p)
        least = self.tail * ways[-1]
        return bool(ways[self.k + 1] >= least and ways[-1] - ways[self.k] >= least)


@functools.lru_cache(maxsize=1)
def _binomial_ways(n: int, p: Fraction) -> Sequence[int]:
    """d^n P(K < k) for k = 0, ..., n + 1, K ~ binomial(n, p) and p = a/d: integers.

    Kept for the next k, as `coverage` asks; they are n numbers of n digits, so no others are.
    """
    a, b = p.numerator, p.denominator - p.numerator
    ways = [0]
    for k in range(n + 1):
        ways.append(ways[-1] + math.comb(n, k) * a**k * b ** (n - k))
    return ways


class ClopperPearsonInterval(WithLevel, CountInterval):
    """The interval for a probability that covers it at least as often as it says, at level 0.95.

    >>> low, high = clopper_pearson_interval([0, 0, 0, 0, 0])
    >>> round(low, 6), round(high, 6)
    (0.0, 0.521824)

    A function of a sample, as `wald_interval` is, of draws that are 0 or 1. p is in it when neither tail of
    binomial(n, p) beyond k has less than (1 - level)/2, which is decided in O(n) integers. Raises as `wilson_interval`
    does.
    Source: Clopper & Pearson 1934; Brown, Cai & DasGupta 2001, section 4.2.1.
    """

    name = "clopper_pearson_interval"

    def from_sums(self, n: int, *sums: Any) -> ClopperPearson:
        """The interval of n draws from the number of successes among them, the only one of the `sums`.

        >>> low, high = clopper_pearson_interval.from_sums(5, 0)
        >>> low, round(high, 6)    # (1 - high)^5 = 0.025
        (0.0, 0.521824)

        Raises RandvarError where that is no whole number from 0 to n. Cost: O(1), and O(n) integers for each number
        that is looked for in it.
        """
        return ClopperPearson(n, self.successes(n, *sums), tail_of(a_level(self.name, "level", self.level)))


wilson_interval = WilsonInterval()
clopper_pearson_interval = ClopperPearsonInterval()
