"""Where a law comes from that is not listed until someone reads it: moments in closed form, atoms on request."""

from __future__ import annotations

from typing import Any, Protocol

from randvar.engine.atoms import Array
from randvar.engine.kinds import Kind, mass_where
from randvar.engine.rows import Axes, Codes

__all__ = ["RowSource", "Source"]


class Source(Protocol):
    """Where a law comes from that is computed when it is first read (a sum of many draws, say)."""

    @property
    def kind(self) -> Kind:
        """What its probabilities will be made of."""

    def atoms(self) -> tuple[Array, Array, float | None]:
        """Canonical values and probabilities, and the relative accuracy of the probabilities (None: to rounding)."""

    def cumulants(self, order: int = 4) -> tuple[Any, ...]:
        """Mean, variance, third and fourth cumulant in closed form; of order 2, the first two are enough."""

    def affine(self, scale: Any, shift: Any) -> Source:
        """The source of scale * X + shift."""

    def cdf(self, value: Any) -> Any:
        """P(X <= value) of a law that is too large to list: without another way to it, the list is refused again."""
        values, probs, _ = self.atoms()
        return mass_where(values <= value, probs)

    def log_prob(self, value: Any) -> float:
        """log P(X = value) of an outcome whose probability underflows; -inf when it is none."""


class RowSource(Protocol):
    """Where a joint law comes from that is computed when it is first read."""

    @property
    def kind(self) -> Kind:
        """What its probabilities will be made of."""

    def rows(self) -> tuple[Axes, Codes, Array]:
        """Canonical axes, codes and weights."""

    def mean(self) -> Array:
        """E of each coordinate, in closed form."""

    def covariance(self) -> Array:
        """The covariance matrix, in closed form."""
