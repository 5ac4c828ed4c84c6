"""Confidence intervals for a mean: Wald's and Student's."""

from __future__ import annotations

import functools
from abc import abstractmethod
from fractions import Fraction
from typing import Any

from randvar.errors import RandvarError
from randvar.estimators.intervals import CentredInterval, SumInterval, WithLevel, WithNormalQuantile
from randvar.law_arguments import exact_number

__all__ = ["TInterval", "WaldInterval", "t_interval", "wald_interval"]


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


class WaldInterval(WithNormalQuantile, MeanInterval):
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

    name = "wald_interval"

    def squared_multiple(self, n: int) -> Fraction:
        """z^2, the same for every number n of draws.

        >>> wald_interval.squared_multiple(10)
        Fraction(2401, 625)

        Raises TypeError where z is no number. Cost: O(1).
        """
        return self.squared_z()


class TInterval(WithLevel, MeanInterval):
    """Mean +- t s/sqrt(n), t the quantile of Student's law with n - 1 degrees of freedom; level 0.95.

    >>> low, high = t_interval([1, 2, 3])
    >>> round(low, 6), round(high, 6)
    (-0.484138, 4.484138)

    A function of a sample, as `wald_interval` is. Exact for normal draws, at every n. `t_interval.at(0.9)` is the same
    at another level. Raises as `wald_interval` does. Source: "Student" 1908, "The Probable Error of a Mean".
    """

    name = "t_interval"

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


wald_interval = WaldInterval()
t_interval = TInterval()
