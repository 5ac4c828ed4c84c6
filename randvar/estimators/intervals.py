"""What confidence intervals are made of: objects that know exactly whether they contain a number.

The ends of the textbook intervals are roots, and a float decides wrongly where one falls on the number asked for. Each
interval here is returned as an object: it unpacks into two floats, `low, high = wald_interval(sample)`, while
`number in interval` is decided in rational arithmetic.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from randvar.arguments import listed, real
from randvar.errors import RandvarError, one_line
from randvar.law_arguments import exact_number
from randvar.numbers.overflow import within_floats

__all__ = ["CentredInterval", "SumInterval", "WithLevel", "WithNormalQuantile", "a_level", "tail_of"]


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


@dataclass(frozen=True)
class WithNormalQuantile:
    """An interval whose width is a multiple of z, the quantile of a normal law; 1.96 means 49/25."""

    z: Any = Fraction(49, 25)
    name = ""

    def at(self, level: float) -> Self:
        """The interval at another nominal level, with z the normal quantile of (1 + level)/2.

        >>> from randvar.estimators.mean_intervals import wald_interval
        >>> round(wald_interval.at(0.9).z, 6)
        1.644854

        Raises RandvarError for a level outside (0, 1).
        """
        from statistics import NormalDist  # with decimal and random, too much for `import randvar`

        return replace(self, z=NormalDist().inv_cdf((1 + float(a_level(self.name, "level", level))) / 2))

    def squared_z(self) -> Fraction:
        """z^2, exactly; z is read as the simplest fraction, where it is one.

        >>> from randvar.estimators.mean_intervals import wald_interval
        >>> wald_interval.squared_z()
        Fraction(2401, 625)

        Raises TypeError where z is no number.
        """
        return Fraction(exact_number(self.name, "z", self.z)) ** 2


@dataclass(frozen=True)
class WithLevel:
    """An interval of a nominal level, 0.95 unless told."""

    level: float = 0.95
    name = ""

    def at(self, level: float) -> Self:
        """The interval at another nominal level.

        >>> from randvar.estimators.mean_intervals import t_interval
        >>> t_interval.at(0.9).level
        0.9

        Raises RandvarError for a level outside (0, 1).
        """
        return replace(self, level=a_level(self.name, "level", level))


def a_level(name: str, argument: str, level: Any) -> float:
    """A probability between 0 and 1."""
    share: float = real(name, argument, level)
    if not 0 < share < 1:
        raise RandvarError(f"{name}: a level is a probability between 0 and 1, such as 0.95, got {one_line(level)}")
    return share


def tail_of(level: float) -> Fraction:
    """(1 - level)/2, exactly: 0.95 means 19/20."""
    return (1 - Fraction(exact_number("an interval", "level", level))) / 2
