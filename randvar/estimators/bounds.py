"""Laws past the budget: moments in closed form, and an envelope that provably contains the CDF."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from randvar.arguments import all_of, checked, floating, listed
from randvar.display import short
from randvar.draws import Sum
from randvar.errors import RandvarError
from randvar.estimators.products import Product
from randvar.estimators.sampling import monte_carlo
from randvar.law import Source
from randvar.law_arguments import a_var, numeric
from randvar.moments import expect, kurtosis, skewness, std, variance
from randvar.numbers.arrays import EPS, WIDE_EPS, Array, scalar
from randvar.numbers.checks import check_numbers
from randvar.numbers.kinds import kind_of, meet
from randvar.numbers.overflow import within_floats
from randvar.var import Var, check_events
from randvar.warrant import Warrant

if TYPE_CHECKING:
    from randvar.bounds.envelope import Envelope

__all__ = ["LawBounds", "law_bounds"]

_PAD = 1e-15  # of sums of floats, and the handful of roundings after them
_SPREAD = 4.0  # standard deviations on either side of the mean that the default points reach
_POINTS = 81


@checked(x=all_of(a_var, numeric), width=partial(floating, above=0))
def law_bounds(
    x: Var, steps: int | None = None, points: Iterable[float] | None = None, *, width: float = 1e-6
) -> LawBounds:
    """What is certain of a law without listing it: its moments, and an envelope of its CDF.

    >>> rough = Var([0.0, 0.5**0.5, 2.0, 3.0**0.5, 7.0**0.5], [0.2] * 5)
    >>> bounds = law_bounds(rough, steps=1000)
    >>> low, high = bounds.cdf(bounds.mean)
    >>> low < high, high - low < 1e-3
    (True, True)

    `x` is a sum, mean, stratified mean or difference (anything from `monte_carlo`, `total`, `stratified`, ...), or with
    `steps` the law of one draw, whose mean of `steps` draws is bounded. Another law is listed: its bounds are its CDF,
    as far apart as its `accuracy` and the rounding of its outcomes make them. `points`: where the CDF is wanted
    (default: 81, from 4 standard deviations below the mean to 4 above). `width`: what to aim at; where it cannot be
    reached (few draws, an atom at the point) the envelope is wider, and still true.

    Raises RandvarError for a width that is not positive or symbols in the law, UndefinedOutcome for infinite outcomes,
    SupportTooLarge for a law past the budget that is no sum. Cost: about a second for 50 outcomes.
    Sources: Prawitz 1972; Vaaler 1985 (methods and proofs: `randvar.bounds.smoothing`); Chernoff 1952.
    """
    check_events("law_bounds", x.source.warrant)
    check_numbers("law_bounds", meet(x.source.numbers, kind_of([variance(x)])).kind)
    law = x if steps is None else monte_carlo(x, steps)
    return LawBounds(law, points, width)


class LawBounds:
    """Moments and CDF envelope of a law that is too large to list (see `law_bounds`).

    >>> bounds = law_bounds(Var([0, 1], [0.5, 0.5]), 3, points=[0.2, 0.8])
    >>> bounds.lower.round(5), bounds.upper.round(5)    # P(no heads in three) = 1/8, P(at most two) = 7/8
    (array([0.125, 0.875]), array([0.125, 0.875]))

    `lower[i] <= P(X < points[i]) <= P(X <= points[i]) <= upper[i]`, three arrays of shape (points,), and `width` is the
    largest upper - lower. `method` says how they were found. `law_plot` draws the band. Made by `law_bounds`, which
    says what it raises.
    """

    def __init__(self, law: Var, points: Iterable[float] | None, width: float) -> None:
        self.law = law
        with within_floats("law_bounds: an outcome"):
            self._envelope = _of_a_sum(law.source, width) if _is_sum(law.source) else _of_outcomes(law.source)
        if points is None:
            points = float(self.mean) + float(self.std) * np.linspace(-_SPREAD, _SPREAD, _POINTS)
        self.points: Array = np.array([floating("law_bounds", "a point", p) for p in listed("points", points)])
        envelope = self._envelope(self.points)
        self.lower, self.upper, self.method = envelope.lower, envelope.upper, envelope.method

    @property
    def mean(self) -> Any:
        """E[X], in closed form.

        >>> law_bounds(Var([0, 1], [0.5, 0.5]), 3, points=[]).mean
        0.5
        """
        return expect(self.law)

    @property
    def variance(self) -> Any:
        """Var(X), in closed form.

        >>> law_bounds(Var([0, 3], [0.5, 0.5]), 3, points=[]).variance
        0.75
        """
        return variance(self.law)

    @property
    def std(self) -> Any:
        """sqrt(Var(X)), in closed form.

        >>> law_bounds(Var([0, 4], [0.5, 0.5]), 4, points=[]).std
        1.0
        """
        return std(self.law)

    @property
    def skewness(self) -> Any:
        """E[(X - mean)^3] / std^3, in closed form.

        >>> law_bounds(Var([0, 1], [0.5, 0.5]), 3, points=[]).skewness
        0.0

        Raises UndefinedOutcome for a law without spread.
        """
        return float(skewness(self.law))

    @property
    def kurtosis(self) -> Any:
        """The excess kurtosis E[(X - mean)^4] / Var^2 - 3, in closed form.

        >>> law_bounds(Var([0, 1], [0.5, 0.5]), 4, points=[]).kurtosis    # that of a coin is -2, of a mean of four -2/4
        -0.5

        Raises UndefinedOutcome for a law without spread.
        """
        return kurtosis(self.law)

    @property
    def width(self) -> float:
        """The largest upper - lower over the points; 0 where there are none.

        >>> law_bounds(Var([0, 1], [0.5, 0.5]), 3, points=[0.2, 0.8]).width < 1e-6
        True
        """
        return float(np.max(self.upper - self.lower, initial=0.0))

    @checked(v=floating)
    def cdf(self, v: float) -> tuple[float, float]:
        """(low, high) with low <= P(X <= v) <= high.

        >>> law_bounds(Var([0, 1], [0.5, 0.5]), 3).cdf(1/3)    # an outcome: P(X < 1/3) = 1/8, P(X <= 1/3) = 1/2
        (0.1249..., 0.5000...)

        Raises RandvarError for a v that is not finite, TypeError for no number. Cost: as of one point of `law_bounds`.
        """
        envelope = self._envelope(np.array([v]))
        return float(envelope.lower[0]), float(envelope.upper[0])

    def __repr__(self) -> str:
        return (
            f"LawBounds: mean {short(self.mean)}, std {short(self.std)}; CDF at {len(self.points)} points"
            f" within {self.width:.2g} (by {self.method})"
        )


def _is_sum(source: Source) -> bool:
    """Whether it is a sum of several draws, and not one of them scaled."""
    return isinstance(source, Sum) and sum(d.copies for d in source.draws) > 1


def _of_a_sum(source: Any, width: float) -> Callable[[Array], Envelope]:
    """The envelope at points that may each stand for any float within the rounding of the sum."""
    terms, rounding = _terms(source)
    accuracy = Warrant.of_draws((d.source.law().warrant, d.copies) for d in source.draws).accuracy

    def envelope(points: Array) -> Envelope:
        from randvar.bounds.envelope import Envelope, cdf_envelope  # a large room, for when a CDF is asked for

        below, above = (points - rounding).tolist(), (points + rounding).tolist()
        both = cdf_envelope(terms, [*below, *above], width=width)
        n = len(points)
        return Envelope(points, *_widened(both.lower[:n], both.upper[n:], accuracy, source.warrant.cut), both.method)

    return envelope


def _of_outcomes(source: Source) -> Callable[[Array], Envelope]:
    """The envelope of a law that is listed: its own CDF at outcomes that may be off by their rounding."""
    law = source.law()
    values, near = law.axes[0].values.astype(float), _roundings(source)
    # the bounds of the outcomes ascend as the outcomes do, where one's rounding does not reach past the next
    lowest = np.minimum.accumulate((values - near)[::-1])[::-1]
    highest = np.maximum.accumulate(values + near)
    sums = np.append(0, np.cumsum(law.probs.astype(np.longdouble)))
    cdf = (sums / sums[-1]).astype(float)
    pad = _PAD + len(values) * WIDE_EPS  # nothing is less likely than 0, or likelier than 1

    def envelope(points: Array) -> Envelope:
        from randvar.bounds.envelope import Envelope

        below, upto = np.searchsorted(highest, points, side="left"), np.searchsorted(lowest, points, side="right")
        nothing = (upto == 0) & (not law.warrant.underflow)
        lower, upper = np.where(below == len(values), 1, cdf[below] - pad), np.where(nothing, 0, cdf[upto] + pad)
        return Envelope(points, *_widened(lower, upper, law.warrant.accuracy, source.warrant.cut), "its outcomes")

    return envelope


def _roundings(source: Source) -> Array:
    """How far each outcome may be off: 4 ulp; of a product what its factors leave; of scale * X + shift its terms."""
    if isinstance(source, Sum):
        (d,) = source.draws
        near = abs(float(d.scale)) * _roundings(d.source)
        values = d.source.law().axes[0].values.astype(float)
        near += 4 * EPS * (np.abs(values * float(d.scale)) + 2 * abs(float(source.shift)))
        return near if d.scale > 0 else near[::-1]
    relative = source.rounding_of_outcomes() if isinstance(source, Product) else 4 * EPS
    return np.asarray(relative * np.abs(source.law().axes[0].values.astype(float)))


def _widened(lower: Array, upper: Array, accuracy: float, cut: float) -> tuple[Array, Array]:
    """Bounds on the CDF that are true if each probability, that of a tail too, may be off by this much of itself.

    The mass that was cut off may lie on either side.
    """
    off = min(accuracy, 1.0)
    if off == 1:
        return np.zeros(len(lower)), np.ones(len(upper))
    low = np.maximum(lower * (1 - off), 1 - (1 - lower) * (1 + off))
    high = np.minimum(upper * (1 + off), 1 - (1 - upper) * (1 - off))
    return (1 - cut) * np.clip(low, 0, 1), cut + (1 - cut) * np.clip(high, 0, 1)


def _terms(source: Sum) -> tuple[list[tuple[list[Fraction], Array, int]], float]:
    """The draws with exact scaled values, and how far summing them in floats could move an outcome."""
    drawn = [d for d in source.draws if d.copies]
    values = [_fractions(d.source.law().axes[0].values, d.scale) for d in drawn]
    terms = [(v, d.source.law().probs, d.copies) for v, d in zip(values, drawn, strict=True)]
    shift = Fraction(scalar(source.shift))
    reach = abs(shift) + sum(n * max(map(abs, v)) for v, _, n in terms)
    off = sum(d.copies * abs(float(d.scale)) * float(_roundings(d.source).max()) for d in drawn)
    return [*terms, ([shift], np.ones(1), 1)], 8 * EPS * float(reach) + off


def _fractions(values: Array, scale: Any) -> list[Fraction]:
    if any(isinstance(v, float) and math.isinf(v) for v in values.tolist()):
        raise RandvarError("law_bounds needs finite outcomes; condition the infinite ones away first")
    check_numbers("law_bounds", kind_of([*values.tolist(), scale]).kind, ", but an outcome depends on symbols")
    return [Fraction(v) * Fraction(scale) for v in values.tolist()]
