"""Where a law comes from that is not listed until someone reads it, and what a law leaves out.

A source knows the moments in closed form and the atoms on request; `Caveats` go with a law wherever it goes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from randvar.atoms.rows import Axes, Codes
from randvar.numbers.arrays import Array
from randvar.numbers.kinds import Kind, mass_where

__all__ = ["NOTHING", "Caveats", "RowSource", "Source"]


@dataclass(frozen=True)
class Caveats:
    """What the numbers of a law leave out. A law that is made of others carries theirs.

    `accuracy` bounds the relative error of each probability (None: right to rounding), `lost_mass` is the mass that the
    law was not given, and `underflow` says that possible outcomes may be missing, less likely than the smallest float.

    * A function of outcomes (op, vector, combine, marginal, X + Y of a Joint) or another form of the law: the same.
    * Independent laws, or a draw and a further one (`then`, `times`): relative errors add up, to first order, and
      1 - lost is the product of the 1 - lost_i, as if each cut had gone on to be drawn from.
    * A mixture (`average`, then the law that chooses): the worst accuracy, the lost masses weighted as the laws are.
    * Given an event (`given`): P(a) and P(event) may both be off, and all that was lost may lie in the event, so that
      lost / (lost + (1 - lost) P(event)) bounds what is missing.
    """

    accuracy: float | None = None
    lost_mass: Any = 0.0
    underflow: bool = False

    def then(self, other: Caveats) -> Caveats:
        """Of a law made of two independent ones."""
        lost, more = self.lost_mass, other.lost_mass
        return Caveats(
            _added(self.accuracy, other.accuracy), lost + more - lost * more, self.underflow or other.underflow
        )

    def times(self, copies: int) -> Caveats:
        """Of `copies` independent draws."""
        if self == NOTHING or not copies:
            return NOTHING
        lost = self.lost_mass
        if isinstance(lost, float) and lost < 1:
            lost = -math.expm1(copies * math.log1p(-lost))
        elif lost != 1:
            lost = 1 - (1 - lost) ** copies
        return Caveats(None if self.accuracy is None else copies * self.accuracy, lost, self.underflow)

    def given(self, mass: Any) -> Caveats:
        """Of the law given an event of this probability."""
        lost = self.lost_mass and self.lost_mass / (self.lost_mass + (1 - self.lost_mass) * mass)
        return Caveats(_added(self.accuracy, self.accuracy), lost, self.underflow)

    @staticmethod
    def together(parts: Iterable[Caveats]) -> Caveats:
        """Of independent laws."""
        return functools.reduce(Caveats.then, parts, NOTHING)

    @staticmethod
    def average(parts: Sequence[Caveats], shares: Array) -> Caveats:
        """Of a draw from one of these laws, chosen with these probabilities."""
        if all(part is NOTHING for part in parts):
            return NOTHING
        known = [part.accuracy for part in parts if part.accuracy is not None]
        lost = sum(p * part.lost_mass for p, part in zip(shares.tolist(), parts, strict=True) if part.lost_mass)
        return Caveats(max(known, default=None), lost or 0.0, any(part.underflow for part in parts))


NOTHING = Caveats()


def _added(a: float | None, b: float | None) -> float | None:
    return b if a is None else a if b is None else a + b


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

    def caveats(self) -> Caveats:
        """What the laws leave out that it is made of: the lost mass at once, the rest when the atoms have been read."""
        return NOTHING

    def underflows(self) -> bool:
        """Whether outcomes may be missing among the atoms, as their probability is below the smallest float."""
        return False


class RowSource(Protocol):
    """Where a joint law comes from that is computed when it is first read."""

    @property
    def dim(self) -> int:
        """The number of coordinates."""

    @property
    def kind(self) -> Kind:
        """What its probabilities will be made of."""

    def caveats(self) -> Caveats:
        """As of a `Source`."""

    def rows(self) -> tuple[Axes, Codes, Array]:
        """Canonical axes, codes and weights."""

    def mean(self) -> Array:
        """E of each coordinate, in closed form."""

    def covariance(self) -> Array:
        """The covariance matrix, in closed form."""
