"""Laws that are computed when they are first read: moments at once, atoms on request."""

from __future__ import annotations

import abc
import math
from dataclasses import replace
from typing import Any

from randvar.context import at_least, current
from randvar.errors import RandvarError
from randvar.law import Law
from randvar.numbers.arrays import Array
from randvar.numbers.base import Numbers
from randvar.numbers.overflow import within_floats
from randvar.warrant import Warrant

__all__ = ["Lazy", "no_log_probability"]


class Lazy(abc.ABC):
    """A source (`randvar.law.Source`) that lists its law once, under the settings under which it was made."""

    numbers: Numbers
    field: Numbers
    dim = 1

    def __init__(self) -> None:
        self.made_under = current()

    def law(self) -> Law:
        """The law, listed when it is first asked for."""
        found = self.__dict__.get("_law")
        if found is None:
            with within_floats("a sum of these outcomes"), at_least(self.made_under):
                listed = self.listed()
                if self.underflows():
                    listed = listed.warranted(replace(listed.warrant, underflow=True))
            found = self.__dict__.setdefault("_law", listed)  # of threads that list it at once, the first one's stays
        return found  # type: ignore[no-any-return]

    @property
    def warrant(self) -> Warrant:
        """That of the law, once it is listed; until then that of what it is made of."""
        found = self.__dict__.get("_law")
        return self.stated() if found is None else found.warrant

    def cumulants(self, order: int = 4) -> tuple[Any, ...]:
        """Mean, variance, third and fourth cumulant; of order 2, the first two are enough. Kept once found."""
        known = self.__dict__.setdefault("_known", {})
        if order not in known:
            with within_floats("a moment of this law"):
                known[order] = self.closed_form(order)[:order]
        return known[order]  # type: ignore[no-any-return]

    @abc.abstractmethod
    def closed_form(self, order: int) -> tuple[Any, ...]:
        """The cumulants in closed form, up to this order or beyond it."""

    def mean_vector(self) -> Array:
        """E of each coordinate."""
        return self.field.array([self.cumulants(2)[0]])

    def covariance_matrix(self) -> Array:
        """Cov of each pair of coordinates."""
        return self.field.array([[self.cumulants(2)[1]]])

    @abc.abstractmethod
    def listed(self) -> Law:
        """The law. Raises SupportTooLarge past the budget."""

    @abc.abstractmethod
    def stated(self) -> Warrant:
        """The warrants of what the law is made of."""

    def underflows(self) -> bool:
        """Whether the law may miss outcomes that its parts have, as products of their probabilities underflow."""
        return False

    def log_prob(self, value: Any, slack: float = 0.0) -> float:
        """log P(X = value) of an outcome whose probability underflows; -inf when it is none.

        A value that was itself computed may be off by `slack`. Raises RandvarError where it cannot be told.
        """
        if self.law().warrant.underflow:
            raise no_log_probability(value, "what an outcome is made of is not kept")
        return -math.inf

    def cdf(self, value: Any) -> Any:
        """P(X <= value) of a law that is too large to list: without another way to it, the list is refused again."""
        law = self.law()
        return law.probability(law.axes[0].values <= value)

    def __copy__(self) -> Lazy:
        return self


def no_log_probability(value: Any, why: str) -> RandvarError:
    """What log_prob raises for a value that is not listed and may only have underflowed."""
    return RandvarError(
        f"log_prob({value!r:.60}) cannot be told: {why}, and probabilities below the smallest float, 5e-324,"
        " underflow; use Fractions (x.rational()) for the law"
    )
