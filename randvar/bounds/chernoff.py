"""Sums of independent draws, held exactly, and Chernoff bounds on their tails that survive floating point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from randvar.errors import InvalidLaw
from randvar.numbers.arrays import Array, scalar

__all__ = ["UNIT_ROUNDOFF", "IndependentSum", "CentredDraws", "UpperTail", "upper_tail"]

UNIT_ROUNDOFF = 2.0**-53
_MOST_COPIES = 2**50  # so that N*u < 1/8, and the first-order error bounds hold


@dataclass(frozen=True, eq=False)
class CentredDraws:
    """`copies` independent draws of one law.

    `offsets` are the exact values minus `centre`; `probs` the probabilities p / sum(p), each correctly rounded from
    the exact quotient, so that it is right within a factor 1 +- UNIT_ROUNDOFF. Outcomes of probability 0 are gone.
    """

    offsets: tuple[Fraction, ...]
    centre: Fraction
    probs: Array
    copies: int


@dataclass(frozen=True, eq=False)
class IndependentSum:
    """S = sum of all draws of all terms, with S - centre = sum of their offsets exactly.

    `unit` is the largest absolute offset (1 where all are 0), so that offset / unit lies in [-1, 1].
    """

    terms: tuple[CentredDraws, ...]
    unit: Fraction

    @classmethod
    def of(cls, terms: Iterable[tuple[Any, Any, int]]) -> IndependentSum:
        """The exact sum described by (values, probs, copies) triples.

        Values and probabilities are taken for exactly the numbers they are (int, float or Fraction), and a law is that
        of p / sum(p). Raises InvalidLaw for what is no law. Cost: O(outcomes) operations on Fractions.
        """
        exact = tuple(_exact_term(values, probs, copies) for values, probs, copies in terms)
        if not exact:
            raise InvalidLaw("a sum needs at least one (values, probs, copies) term, got none")
        copies = sum(term.copies for term in exact)
        if copies > _MOST_COPIES:
            raise InvalidLaw(f"{copies} draws are more than floating point can bound; at most 2^50 in all")
        largest = max(abs(offset) for term in exact for offset in term.offsets)
        return cls(exact, largest or Fraction(1))

    @cached_property
    def copies(self) -> int:
        """The number of draws in all."""
        return sum(term.copies for term in self.terms)

    @cached_property
    def centre(self) -> Fraction:
        """Sum of the centres of all draws: near E[S], but exact only as the zero of the offsets."""
        return sum((term.copies * term.centre for term in self.terms), Fraction(0))

    @cached_property
    def lowest(self) -> Fraction:
        """The smallest outcome of S."""
        return self.centre + sum(term.copies * min(term.offsets) for term in self.terms)

    @cached_property
    def highest(self) -> Fraction:
        """The largest outcome of S."""
        return self.centre + sum(term.copies * max(term.offsets) for term in self.terms)

    def multiples_of(self, step: Fraction) -> list[list[int]]:
        """For each term the integers nearest to offset / step."""
        return [[round(offset / step) for offset in term.offsets] for term in self.terms]

    def deviation(self) -> float:
        """Standard deviation of S / unit, as a float: it sets scales, and no bound depends on its accuracy."""
        variance = 0.0
        for term in self.terms:
            values = np.array([float(offset / self.unit) for offset in term.offsets])
            variance += term.copies * float(term.probs @ (values - term.probs @ values) ** 2)
        return math.sqrt(variance)

    def window(self, mass: float) -> tuple[Fraction, Fraction]:
        """(low, high) with P(S - centre < low) <= mass and P(S - centre > high) <= mass."""
        scaled = [[offset / self.unit for offset in term.offsets] for term in self.terms]
        high = self.upper_tail(scaled).quantile(mass)
        low = self.upper_tail([[-value for value in values] for values in scaled]).quantile(mass)
        return -Fraction(low) * self.unit, Fraction(high) * self.unit

    def upper_tail(self, values: Sequence[Sequence[Fraction | int]]) -> UpperTail:
        """The tail of the same draws when they pay `values` (one list a term) instead of their offsets."""
        probs = [term.probs for term in self.terms]
        floats = [np.array([float(value) for value in row]) for row in values]
        return upper_tail(floats, probs, [term.copies for term in self.terms])


def _exact_term(values: Any, probs: Any, copies: int) -> CentredDraws:
    numbers, weights = _fractions(values, "value"), _fractions(probs, "probability")
    if len(numbers) != len(weights):
        raise InvalidLaw(f"{len(numbers)} values but {len(weights)} probabilities; give one for each")
    if copies < 1 or copies != int(copies):
        raise InvalidLaw(f"the number of copies must be a positive integer, got {copies!r}")
    if any(weight < 0 for weight in weights):
        raise InvalidLaw(f"a probability is negative: {float(min(weights))!r}")
    total = sum(weights, Fraction(0))
    if total == 0:
        raise InvalidLaw("the probabilities add up to 0; at least one must be positive")
    support = [(number, weight) for number, weight in zip(numbers, weights, strict=True) if weight]
    mean = sum((number * weight for number, weight in support), Fraction(0)) / total
    centre = Fraction(float(mean))  # a float keeps the denominators of the offsets short; any centre is valid
    shares = np.array([float(weight / total) for _, weight in support])
    return CentredDraws(tuple(number - centre for number, _ in support), centre, shares, int(copies))


def _fractions(items: Any, what: str) -> list[Fraction]:
    try:
        return [Fraction(scalar(item)) for item in items]
    except (ValueError, OverflowError, TypeError) as error:
        raise InvalidLaw(f"each {what} must be a finite number: {error}") from None


@dataclass(frozen=True, eq=False)
class UpperTail:
    """What Chernoff's inequality says of Y = sum of independent draws: P(Y >= w) <= exp(log_moment - theta*w).

    `log_moment[i]` is an upper bound on log E exp(theta[i] * Y / scale), rounding included, and `top` on Y itself.
    Values below the smallest normal float may have lost their digits, which moves Y by at most `blur`.
    """

    theta: Array
    log_moment: Array
    scale: float
    top: float
    blur: float

    def quantile(self, mass: float) -> float:
        """Some w with P(Y > w) <= mass: the smallest of (log E exp(theta*Y) - log mass) / theta, and max Y."""
        best = self.scale * float(np.min((self.log_moment - math.log(mass)) / self.theta))
        # four roundings since log_moment, whose own slack covers all that came before
        return min(best + 8 * UNIT_ROUNDOFF * abs(best) + self.blur, self.top)

    def probability(self, w: float) -> float:
        """An upper bound on P(Y > w)."""
        if w >= self.top:
            return 0.0
        shift = self.theta * ((w - self.blur) / self.scale)
        shift = np.minimum(shift * (1 - 8 * UNIT_ROUNDOFF), shift * (1 + 8 * UNIT_ROUNDOFF))
        return math.exp(min(0.0, float(np.min(self.log_moment - shift))))


def upper_tail(values: Sequence[Array], probs: Sequence[Array], copies: Sequence[int]) -> UpperTail:
    """Chernoff's bound for Y = sum over terms j of copies[j] independent draws of (values[j], probs[j]).

    log E exp(theta*Y) = sum_j n_j log sum_i q_ji exp(theta*v_ji) at some 160 values of theta. Any theta > 0 gives a
    valid bound, so nothing hangs on the choice but sharpness. Two scales are tried: the standard deviation (a Gaussian
    tail) and max|v| (a Poisson tail: rare large outcomes). Boucheron, Lugosi, Massart 2013, section 2.2.

    Rounding. Let u = 2^-53, values and probs be within a relative 2u of the truth, and v be scaled to max|v| = 1. The
    exponent theta*(v - max v) is then off by at most 16*u*theta; exp (8u), the weight (2u) and the sum of k positive
    terms (k*u) add a relative (k + 10)*u; underflow is absolute and below the smallest normal number, which is added;
    the log, of size at most 745, is good to 8u of itself; adding J terms costs J*u of their sizes theta + 745 a draw.
    In all less than u * sum_j n_j * (J + 16) * (theta + k_j + 1024), which is added.
    """
    draws = list(zip(values, probs, copies, strict=True))
    blur = sum(copies) * float(np.finfo(float).tiny)
    scale = max(float(np.max(np.abs(v))) for v in values)
    if scale == 0:
        return UpperTail(np.ones(1), np.zeros(1), 1.0, blur, blur)
    draws = [(v / scale, q, n) for v, q, n in draws]
    theta = np.geomspace(0.1, 1e3, 80)
    deviation = math.sqrt(sum(n * float(q @ (v - q @ v) ** 2) for v, q, n in draws))
    if deviation > 0:
        theta = np.concatenate((theta, np.geomspace(0.1, 1e2, 80) / deviation))
    log_moment, top = np.zeros(len(theta)), 0.0
    for v, q, n in draws:
        largest = float(v.max())
        moment = np.array([np.exp(s * (v - largest)) @ q for s in theta]) + np.finfo(float).tiny
        slack = UNIT_ROUNDOFF * (len(draws) + 16) * (theta + len(v) + 1024)
        log_moment += n * (theta * largest + np.log(moment) + slack)
        top += n * (largest + (len(draws) + 8) * UNIT_ROUNDOFF)
    return UpperTail(theta, log_moment, scale, top * scale + blur, blur)
