"""The table of an atlas: for each claim its estimators, whether they are unbiased, their bias and their variance."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from randvar.display import short
from randvar.verdict import Comparison, Report

__all__ = ["Atlas", "Page", "page"]

_COLUMNS = ("estimator", "unbiased?", "bias", "variance")
_LONGEST = 12  # characters of a fraction; a longer one is shown as a decimal number


@dataclass(frozen=True)
class Page:
    """A claim, what was found about each of its estimators, and which of them are unbiased for all models at once."""

    claim: str
    reports: Mapping[str, Report]
    always: frozenset[str] = frozenset()

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """A line of the table for each estimator."""
        for name, found in self.reports.items():
            bias = "0" if found.unbiased else _number(found.bias)
            yield name, self._unbiased(name, found), bias, _number(found.variance)

    def _unbiased(self, name: str, found: Report) -> str:
        if name in self.always:
            return "always"
        return ("yes" if found.proof == "proved" else "yes, to rounding") if found.unbiased else "no"


def page(claim: str, *comparisons: Comparison, always: Iterable[str] = ()) -> Page:
    """The page of a claim; estimators of different targets come in several comparisons.

    >>> from randvar import compare, uniform
    >>> list(page("A die shows 3.5 on average", compare({"one die": uniform(1, 7).rational()}, Fraction(7, 2))).rows())
    [('one die', 'yes', '0', '35/12')]
    """
    reports = {name: report for comparison in comparisons for name, report in comparison.reports.items()}
    return Page(claim, reports, frozenset(always))


@dataclass(frozen=True)
class Atlas:
    """Pages, numbered from 1. Shown as a table: estimator, unbiased?, bias, variance, page."""

    pages: Sequence[Page]

    def __getitem__(self, number: int) -> Page:
        return self.pages[number - 1]

    def agrees(self, number: int, *comparisons: Comparison) -> bool:
        """Whether the page of this number says exactly what these comparisons say."""
        return page("", *comparisons).reports == self[number].reports

    def __repr__(self) -> str:
        lines = [(*_COLUMNS, "page")]
        for number, entry in enumerate(self.pages, start=1):
            lines += [(*row, f"{number}. {entry.claim}") for row in entry.rows()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        """A heading for each page, which links to it, over the rows of its estimators."""
        body = "".join(_line("th", _COLUMNS))
        for number, entry in enumerate(self.pages, start=1):
            link = f'<a href="#page-{number}">{number}. {html.escape(entry.claim)}</a>'
            body += f'<tr><th colspan="4" style="text-align:left;padding-top:1em">{link}</th></tr>'
            body += "".join(_line("td", row) for row in entry.rows())
        return f'<table style="font-variant-numeric:tabular-nums">{body}</table>'


def _line(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f'<{tag} style="text-align:left">{html.escape(c)}</{tag}>' for c in cells) + "</tr>"


def _number(number: Any) -> str:
    if isinstance(number, float) and math.isclose(number, 0, abs_tol=1e-15):
        return "0"
    return short(float(number)) if isinstance(number, Fraction) and len(str(number)) > _LONGEST else short(number)
