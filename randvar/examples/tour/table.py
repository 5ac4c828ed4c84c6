"""A table of numbers as an article states them and as they are computed here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

__all__ = ["Article", "Asserted", "Printed", "Row", "render"]


@dataclass(frozen=True)
class Printed:
    """A number that an article prints; it agrees when the computed one rounds to it.

    >>> row = Printed("Polling", "Var(ordinary poll)", "0.671", lambda: 1207 / 1800)
    >>> row.digits, row.computed(), row.agrees()
    (3, 0.6705555555555556, True)
    >>> Printed("Polling", "Var(ordinary poll)", "0.670", lambda: 1207 / 1800).agrees()
    False
    """

    section: str
    what: str
    stated: str
    compute: Callable[[], float]

    @property
    def digits(self) -> int:
        """How many decimals were printed."""
        return len(self.stated.partition(".")[2])

    def computed(self) -> float:
        """The number as computed here."""
        return float(self.compute())

    def agrees(self) -> bool:
        """True within half a unit of the last printed decimal (a tie may have been rounded either way)."""
        return abs(self.computed() - float(self.stated)) <= 0.5 * 10.0**-self.digits * (1 + 1e-9)


@dataclass(frozen=True)
class Asserted:
    """An equality that an article asserts: `compute` against a second computation of the same number.

    >>> Asserted("Joints", "Cov(X, X)", "= Var(X)", lambda: 35 / 12, lambda: 2.9166666666666665).agrees()
    True
    """

    section: str
    what: str
    stated: str
    compute: Callable[[], float]
    other: Callable[[], float]

    def computed(self) -> float:
        """The left side of the equality."""
        return float(self.compute())

    def agrees(self) -> bool:
        """True where the two sides are equal up to rounding."""
        return math.isclose(self.computed(), float(self.other()), rel_tol=1e-12, abs_tol=1e-12)


Row = Printed | Asserted


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
    cells = [(row.stated, f"{row.computed():.12g}", "yes" if row.agrees() else "NO") for row in article.rows]
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
    agree = sum(cell[2] == "yes" for cell in cells)
    return "\n".join([*lines, "", f"{agree} of {len(cells)} numbers agree"])
