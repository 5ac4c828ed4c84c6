"""A table of numbers as an article states them and as they are computed here."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

__all__ = ["Article", "Asserted", "Mistaken", "Printed", "Row", "Sampled", "render"]

_STANDARD_ERRORS = 2.0  # how far from the truth a sampled number may lie


@dataclass(frozen=True)
class Row(ABC):
    """A number that an article states, and the function that computes it."""

    section: str
    what: str
    stated: str
    compute: Callable[[], float]

    def computed(self) -> float:
        """The number as computed here."""
        return float(self.compute())

    @abstractmethod
    def holds(self) -> bool:
        """Whether the computed number stands to the stated one as this kind of row says."""

    def verdict(self) -> str:
        """In a word or two, for the table."""
        return "yes" if self.holds() else "NO"


@dataclass(frozen=True)
class Printed(Row):
    """A number that an article prints; it agrees when the computed one rounds to it.

    >>> row = Printed("Polling", "Var(ordinary poll)", "0.671", lambda: 1207 / 1800)
    >>> row.digits, row.computed(), row.holds()
    (3, 0.6705555555555556, True)
    >>> Printed("Polling", "Var(ordinary poll)", "0.670", lambda: 1207 / 1800).holds()
    False
    """

    @property
    def digits(self) -> int:
        """How many decimals were printed."""
        return len(self.stated.partition(".")[2])

    @property
    def number(self) -> float:
        """The number that was printed."""
        return float(self.stated)

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed decimal (a tie may have been rounded either way)."""
        return 0.5 * 10.0**-self.digits * (1 + 1e-9)

    def rounds(self) -> bool:
        """Whether the computed number rounds to the printed one."""
        return abs(self.computed() - self.number) <= self.half_unit

    def holds(self) -> bool:
        """True within half a unit of the last printed decimal."""
        return self.rounds()


@dataclass(frozen=True)
class Sampled(Printed):
    """A number that an article found by sampling: it should lie within two standard errors of the computed truth.

    `deviation(v)` says how many standard errors (of the article's own sample) the number v lies above the truth. What
    was cut off by printing counts for the article.

    >>> row = Sampled("A.1", "coverage", "0.946", lambda: 0.944, lambda v: (v - 0.944) / 0.0023)
    >>> row.holds(), row.verdict()
    (True, '+0.7 s.e.')
    >>> Sampled("A.1", "coverage", "0.956", lambda: 0.944, lambda v: (v - 0.944) / 0.0023).holds()
    False
    """

    deviation: Callable[[float], float]

    def distance(self) -> float:
        """The least deviation among all numbers that would have been printed so."""
        if self.rounds():
            return 0.0
        low, high = (self.deviation(self.number + side * self.half_unit) for side in (-1, 1))
        return low if low > 0 else high

    def holds(self) -> bool:
        """True within two standard errors."""
        return abs(self.distance()) <= _STANDARD_ERRORS

    def verdict(self) -> str:
        """ "yes" where the digits agree, else the distance in standard errors."""
        return f"{round(self.distance(), 1) + 0.0:+} s.e." if self.holds() and not self.rounds() else super().verdict()


@dataclass(frozen=True)
class Mistaken(Printed):
    """A number that is not as the article says: the sample misleads, or a condition is missing; `why` says it shortly.

    The row holds when two computations of the truth agree with each other, and not with the article.

    >>> row = Mistaken("A.4", "std(w), T = 1000", "18.737", lambda: 148.41, lambda: 148.41, "sample misleads")
    >>> row.holds(), row.verdict()
    (True, 'sample misleads')
    """

    other: Callable[[], float]
    why: str

    def holds(self) -> bool:
        """True where the two computations are equal up to rounding and the article's number is another."""
        return _equal(self.computed(), float(self.other())) and not self.rounds()

    def verdict(self) -> str:
        """Why the article's number is another."""
        return self.why if self.holds() else "NO"


@dataclass(frozen=True)
class Asserted(Row):
    """An equality that an article asserts: `compute` against a second computation of the same number.

    >>> Asserted("Joints", "Cov(X, X)", "= Var(X)", lambda: 35 / 12, lambda: 2.9166666666666665).holds()
    True
    """

    other: Callable[[], float]

    def holds(self) -> bool:
        """True where the two sides are equal up to rounding."""
        return _equal(self.computed(), float(self.other()))


def _equal(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


@dataclass(frozen=True)
class Article:
    """An article's title and the numbers it states, in its order."""

    title: str
    rows: Sequence[Row]


def render(article: Article) -> str:
    """The table as text, by section, with a count at its end.

    >>> print(render(Article("Dice", [Printed("One die", "E[X]", "3.5", lambda: 3.5)])))
    Dice
    <BLANKLINE>
    One die    stated  computed  agrees
      E[X]        3.5  3.5       yes
    <BLANKLINE>
    1 of 1 numbers agree
    """
    cells = [(row.stated, f"{row.computed():.12g}", row.verdict()) for row in article.rows]
    names = [*(row.section for row in article.rows), *("  " + row.what for row in article.rows)]
    wide = max(map(len, names)) + 2
    stated = max(len("stated"), *(len(cell[0]) for cell in cells))
    computed = max(len("computed"), *(len(cell[1]) for cell in cells))

    def line(name: str, *columns: str) -> str:
        return f"{name:{wide}}  {columns[0]:>{stated}}  {columns[1]:{computed}}  {columns[2]}"

    lines = [article.title]
    for section, rows in groupby(zip(article.rows, cells, strict=True), key=lambda pair: pair[0].section):
        lines += ["", line(section, "stated", "computed", "agrees")]
        lines += [line("  " + row.what, *columns) for row, columns in rows]
    return "\n".join([*lines, "", _count(article.rows)])


def _count(rows: Sequence[Row]) -> str:
    """How many numbers agree, how many within the error of a sample, and how often, and why, the truth is another."""
    holding = [row for row in rows if row.holds()]
    mistaken = Counter(row.why for row in holding if isinstance(row, Mistaken))
    near = sum(isinstance(row, Sampled) and not row.rounds() for row in holding)
    count = f"{len(holding) - mistaken.total()} of {len(rows)} numbers agree"
    if near:
        count += f", {near} of them within {_STANDARD_ERRORS:.0f} standard errors (s.e.) of the article's sample"
    why = ", ".join(f"{reason} ({number})" for reason, number in mistaken.items())
    return count + (f"; {mistaken.total()} do not: {why}" if mistaken else "")
