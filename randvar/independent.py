"""Independent variables side by side: their rows are listed when first read, their sums and moments need none."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from randvar.law import Law, Source, numbers_of
from randvar.lazy import Lazy
from randvar.numbers.arrays import Array
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import meet
from randvar.warrant import Warrant

__all__ = ["Independent"]


class Independent(Lazy):
    """The source of (X_1, ..., X_d), each X_i on a draw of its own."""

    def __init__(self, sources: Sequence[Source]) -> None:
        super().__init__()
        self.sources = tuple(sources)
        self.dim = len(self.sources)

    @functools.cached_property
    def numbers(self) -> Numbers:  # type: ignore[override]
        """That in which their probabilities meet; refused where there is none."""
        return numbers_of(self.sources)

    @functools.cached_property
    def field(self) -> Numbers:  # type: ignore[override]
        """That in which all their moments meet."""
        return meet(*(x.field for x in self.sources))

    def stated(self) -> Warrant:
        """Those of all."""
        return Warrant.together(x.warrant for x in self.sources)

    def listed(self) -> Law:
        """Every combination of rows."""
        first, *others = (x.law() for x in self.sources)
        return first.times(*others)

    def mean_vector(self) -> Array:
        """Of each on its own."""
        return self.field.array([x.mean_vector()[0] for x in self.sources])

    def covariance_matrix(self) -> Array:
        """The variances; 0 between two of them."""
        variances = [x.covariance_matrix()[0, 0] for x in self.sources]
        return self.field.array([[v if i == k else 0 * v for k in range(self.dim)] for i, v in enumerate(variances)])

    def closed_form(self, order: int) -> tuple[Any, ...]:
        """Of one variable."""
        (x,) = self.sources
        return x.cumulants(order)
