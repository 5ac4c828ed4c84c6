"""Confidence intervals, as functions of a sample that know exactly whether they contain a number.

The ends of the textbook intervals are roots, and a float decides wrongly where one falls on the number asked for. Each
interval here is returned as an object: it unpacks into two floats, `low, high = wald_interval(sample)`, while
`number in interval` is decided in rational arithmetic.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np

from randvar.engine.arguments import function, listed, real
from randvar.engine.magnitude import within_floats
from randvar.errors import RandvarError, one_line
from randvar.estimators.arguments import exact_number
from randvar.estimators.sampling_distribution import sampling_distribution
from randvar.families import empirical

__all__ = [
    "CentredInterval",
    "SumInterval",
    "bootstrap_interval",
    "clopper_pearson_interval",
    "t_interval",
    "wald_interval",
    "wilson_interval",
]


@dataclass(frozen=True)
class CentredInterval:
    """[centre - sqrt(squared), centre + sqrt(squared)]: it contains t exactly when (t - centre)^2 <= squared.

    >>> low, high = CentredInterval(Fraction(1, 2), Fraction(1, 16))
    >>> low, high, Fraction(3, 4) in CentredInterval(Fraction(1, 2), Fraction(1, 16))
    (0.25, 0.75, True)

    A function that returns one, with Fractions, is an interval of your own whose coverage is decided without rounding.
    Raises RandvarError for a negative square.
    """

    centre: Any
    squared: Any

    def __post_init__(self) -> None:
        real("CentredInterval", "centre", self.centre)
        if real("CentredInterval", "squared", self.squared) < 0:
            raise RandvarError(f"the square of half the width of an interval cannot be negative, got {self.squared}")

    def __iter__(self) -> Iterator[float]:
        with within_floats("an end of this interval"):
            half = math.sqrt(self.squared)
            return iter((float(self.centre) - half, float(self.centre) + half))

    def __contains__(self, number: Any) -> bool:
        t, centre, squared = (exact_number("an interval", "a number", x) for x in (number, self.centre, self.squared))
        return bool((t - centre) ** 2 <= squared)


class SumInterval(ABC):
    """An interval that depends on the sample only through its size and the sums of a few functions of each draw."""

    name: str

    @abstractmethod
    def of(self, draw: Any) -> tuple[Any, ...]:
        """The numbers that are added up over the draws."""

    @abstractmethod
    def from_sums(self, n: int, *sums: Any) -> Any:
        """The interval of a sample of n draws with these sums."""

    def __call__(self, sample: Iterable[Any]) -> Any:
        columns = list(zip(*map(self.of, listed(f"{self.name}: the sample", sample)), strict=True))
        if not columns:
            raise RandvarError(f"{self.name} needs a sample, got none")
        return self.from_sums(len(columns[0]), *map(sum, columns))


class MeanInterval(SumInterval):
    """Mean +- z s/sqrt(n), s^2 = sum (x - mean)^2 / (n - 1), with a multiple z that each kind chooses."""

    def of(self, draw: Any) -> tuple[Any, ...]:
        """(x, x^2) of a draw x: the numbers that are added up over a sample.

        >>> wald_interval.of(3)
        (3, 9)

        A float `draw` is read as the simplest fraction: 0.3 means 3/10. Raises TypeError for no number.
        """
        x = exact_number(self.name, "a draw", draw)
        return x, x * x

    @abstractmethod
    def squared_multiple(self, n: int) -> Fraction:
        """z^2, for n draws."""

    def from_sums(self, n: int, *sums: Any) -> CentredInterval:
        """The interval of n draws from their sum and the sum of their squares, `sums` = (sum x, sum x^2).

        >>> list(wald_interval.from_sums(2, 1, 1))    # of the sample (0, 1): 1/2 +- 1.96 sqrt(1/2) / sqrt(2)
        [-0.48, 1.48]

        Raises RandvarError for fewer than two draws. Cost: O(1).
        """
        if n < 2:
            raise RandvarError(f"{self.name} needs at least 2 draws to see how they spread, got {n}")
        first, second = (Fraction(exact_number(self.name, "a sum", s)) for s in sums)
        squares = self.squared_multiple(n) * (n * second - first * first)  # n^2 (n - 1) times half the width, squared
        return CentredInterval(first / n, squares / (n * n * (n - 1)))


@dataclass(frozen=True)
class WaldInterval(MeanInterval):
    """Mean +- z s/sqrt(n), z = 1.96: the interval of the central limit theorem.

    >>> low, high = wald_interval([0, 1, 1, 1, 0, 1])
    >>> round(low, 6), round(high, 6)
    (0.253462, 1.079871)

    A function of a sample, a sequence of numbers. What it returns unpacks into two floats, and `number in
    wald_interval(sample)` is decided without rounding: so `coverage` takes it. 1.96 means 49/25. It has no width when
    all draws are equal, and covers too little where n is small or a probability near 0 or 1
    (Brown, Cai & DasGupta 2001). `wald_interval.at(0.99)` is the same at another level, and
    `wald_interval.from_sums(n, sum_x, sum_x2)` takes what is known of a sample that is not at hand. Raises RandvarError
    for fewer than two draws, or a level outside (0, 1). Source: Wasserman, All of Statistics, section 6.3.2.
    """

    z: Any = Fraction(49, 25)
    name = "wald_interval"

    def at(self, level: float) -> WaldInterval:
        """The interval at another nominal level, with z the normal quantile of (1 + level)/2.

        >>> round(wald_interval.at(0.9).z, 6)
        1.644854

        Raises RandvarError for a level outside (0, 1).
        """
        return replace(self, z=_normal_quantile(self.name, level))

    def squared_multiple(self, n: int) -> Fraction:
        """z^2, the same for every number n of draws.

        >>> wald_interval.squared_multiple(10)
        Fraction(2401, 625)

        Raises TypeError where z is no number. Cost: O(1).
        """
        return Fraction(exact_number(self.name, "z", self.z)) ** 2


@dataclass(frozen=True)
class TInterval(MeanInterval):
    """Mean +- t s/sqrt(n), t the quantile of Student's law with n - 1 degrees of freedom; level 0.95.

    >>> low, high = t_interval([1, 2, 3])
    >>> round(low, 6), round(high, 6)
    (-0.484138, 4.484138)

    A function of a sample, as `wald_interval` is. Exact for normal draws, at every n. `t_interval.at(0.9)` is the same
    at another level. Raises as `wald_interval` does. Source: "Student" 1908, "The Probable Error of a Mean".
    """

    level: float = 0.95
    name = "t_interval"

    def at(self, level: float) -> TInterval:
        """The interval at another nominal level.

        >>> t_interval.at(0.9).level
        0.9

        Raises RandvarError for a level outside (0, 1).
        """
        return replace(self, level=_a_level(self.name, level))

    def squared_multiple(self, n: int) -> Fraction:
        """The square of Student's quantile with n - 1 degrees of freedom, a float that is read as it is.

        >>> round(float(t_interval.squared_multiple(2)), 4)    # 12.7062 squared
        161.4476

        Cost: O(1); quantiles are kept.
        """
        return _squared_quantile(n - 1, float(self.level))


@functools.lru_cache(maxsize=64)
def _squared_quantile(freedom: int, level: float) -> Fraction:
    from scipy.special import stdtrit

    return Fraction(float(stdtrit(freedom, (1 + level) / 2))) ** 2


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


@dataclass(frozen=True)
class WilsonInterval(CountInterval):
    """All p with |k/n - p| <= z sqrt(p (1 - p)/n), k successes of n and z = 1.96: the score test turned around.

    >>> low, high = wilson_interval([0, 0, 0, 0, 0])
    >>> round(low, 6), round(high, 6)
    (0.0, 0.434491)

    A function of a sample, as `wald_interval` is, of draws that are 0 or 1. Its centre is (k + z^2/2)/(n + z^2). Raises
    RandvarError for draws that are not 0 or 1, or none.
    Source: Wilson 1927; Brown, Cai & DasGupta 2001, (4).
    """

    z: Any = Fraction(49, 25)
    name = "wilson_interval"

    def at(self, level: float) -> WilsonInterval:
        """The interval at another nominal level, with z the normal quantile of (1 + level)/2.

        >>> round(wilson_interval.at(0.9).z, 6)
        1.644854

        Raises RandvarError for a level outside (0, 1).
        """
        return replace(self, z=_normal_quantile(self.name, level))

    def from_sums(self, n: int, *sums: Any) -> CentredInterval:
        """The interval of n draws from the number of successes among them, the only one of the `sums`.

        >>> wilson_interval.from_sums(4, 2).centre
        Fraction(1, 2)

        Raises RandvarError where that is no whole number from 0 to n. Cost: O(1).
        """
        k = self.successes(n, *sums)
        z2 = Fraction(exact_number(self.name, "z", self.z)) ** 2
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


@functools.lru_cache(maxsize=4)
def _binomial_ways(n: int, p: Fraction) -> Sequence[int]:
    """d^n P(K < k) for k = 0, ..., n + 1, K ~ binomial(n, p) and p = a/d: integers."""
    a, b = p.numerator, p.denominator - p.numerator
    ways = [0]
    for k in range(n + 1):
        ways.append(ways[-1] + math.comb(n, k) * a**k * b ** (n - k))
    return ways


@dataclass(frozen=True)
class ClopperPearsonInterval(CountInterval):
    """The interval for a probability that covers it at least as often as it says, at level 0.95.

    >>> low, high = clopper_pearson_interval([0, 0, 0, 0, 0])
    >>> round(low, 6), round(high, 6)
    (0.0, 0.521824)

    A function of a sample, as `wald_interval` is, of draws that are 0 or 1. p is in it when neither tail of
    binomial(n, p) beyond k has less than (1 - level)/2, which is decided in O(n) integers. Raises as `wilson_interval`
    does.
    Source: Clopper & Pearson 1934; Brown, Cai & DasGupta 2001, section 4.2.1.
    """

    level: float = 0.95
    name = "clopper_pearson_interval"

    def at(self, level: float) -> ClopperPearsonInterval:
        """The interval at another nominal level.

        >>> clopper_pearson_interval.at(0.9).level
        0.9

        Raises RandvarError for a level outside (0, 1).
        """
        return replace(self, level=_a_level(self.name, level))

    def from_sums(self, n: int, *sums: Any) -> ClopperPearson:
        """The interval of n draws from the number of successes among them, the only one of the `sums`.

        >>> low, high = clopper_pearson_interval.from_sums(5, 0)
        >>> low, round(high, 6)    # (1 - high)^5 = 0.025
        (0.0, 0.521824)

        Raises RandvarError where that is no whole number from 0 to n. Cost: O(1), and O(n) integers for each number
        that is looked for in it.
        """
        return ClopperPearson(
            n, self.successes(n, *sums), (1 - Fraction(exact_number(self.name, "level", self.level))) / 2
        )


wald_interval = WaldInterval()
t_interval = TInterval()
wilson_interval = WilsonInterval()
clopper_pearson_interval = ClopperPearsonInterval()


def bootstrap_interval(
    statistic: Callable[[Any], Any] = np.mean, level: float = 0.95
) -> Callable[[Sequence[Any]], tuple[Any, Any]]:
    """The percentile interval: quantiles of the statistic over all resamples of the sample, none of them drawn.

    >>> bootstrap_interval(np.median, level=0.9)([1, 2, 4, 8, 16])
    (1.0, 16.0)

    A function of a sample, for `coverage` or for data. Each sample of n costs C(2n - 1, n) calls of the statistic: 126
    for n = 5, 92,378 for n = 10. Raises RandvarError for a level outside (0, 1), SupportTooLarge for a sample too long.
    Source: Efron & Tibshirani, An Introduction to the Bootstrap, section 13.3.
    """
    function("bootstrap_interval", "statistic", statistic)
    tail = (1 - Fraction(exact_number("bootstrap_interval", "level", _a_level("bootstrap_interval", level)))) / 2

    def percentile_interval(sample: Sequence[Any]) -> tuple[Any, Any]:
        draws = listed("bootstrap_interval: the sample", sample)
        resampled = sampling_distribution(statistic, empirical(draws), len(draws), progress=False)
        return resampled.quantile(tail), resampled.quantile(1 - tail)

    return percentile_interval


def _a_level(name: str, level: float) -> float:
    share: float = real(name, "level", level)
    if not 0 < share < 1:
        raise RandvarError(f"{name}: a level is a probability between 0 and 1, such as 0.95, got {one_line(level)}")
    return share


def _normal_quantile(name: str, level: float) -> float:
    return NormalDist().inv_cdf((1 + float(_a_level(name, level))) / 2)
