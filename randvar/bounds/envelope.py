"""CDF envelopes: for a sum whose law is too large to list, two curves that provably contain its CDF.

The law is that of the numbers given: values and probabilities are taken for exactly the floats (or rationals) they
are, the latter divided by their exact sum. Floating point enters only where its error is bounded and added to the
envelope, under the standard model: + - * / and sqrt within a relative u = 2^-53, sums in any order, numpy's exp, log,
sin, cos and tan within 4 ulp, and Higham's bound for the FFT (with a factor to spare).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.bounds.chernoff import IndependentSum
from randvar.bounds.rounding import rounding_bounds
from randvar.bounds.smoothing import smoothing_bounds
from randvar.errors import InvalidLaw
from randvar.numbers.arrays import Array, scalar

__all__ = ["Envelope", "Terms", "cdf_envelope", "rounding_envelope", "smoothing_envelope"]

Terms = Iterable[tuple[Any, Any, int]]
_PAD = 1e-14  # outward, for the handful of roundings after the bounds proper


@dataclass(frozen=True, eq=False)
class Envelope:
    """lower <= P(S < t) <= P(S <= t) <= upper at each point t; `method` says how it was found.

    Both one-sided values of the CDF lie inside, so at an atom the width is at least its probability. Both curves are
    within [0, 1] and increase with t.
    """

    points: Array
    lower: Array
    upper: Array
    method: str

    @property
    def width(self) -> float:
        """The largest upper - lower (0 without points)."""
        return float(np.max(self.upper - self.lower, initial=0.0))


def rounding_envelope(terms: Terms, points: Any, *, size: int = 2**20) -> Envelope:
    """Envelope of S = sum over terms of `copies` independent draws of (values, probs), by rounding to `size` cells.

    >>> die = ([1, 2, 3, 4, 5, 6], [1] * 6, 2)
    >>> envelope = rounding_envelope([die], [4.5])  # P(S <= 4) = 6/36
    >>> bool(envelope.lower[0] <= 6 / 36 <= envelope.upper[0]), envelope.width < 1e-6
    (True, True)

    The argument is in `rounding_bounds`. Raises InvalidLaw for what is no law or a point that is NaN.
    Cost: O(size log size), 0.2 s for 2^20 cells; the width is proportional to sqrt(draws) / size.
    """
    total = IndependentSum.of(terms)
    exact = _exact_points(total, points)
    return _envelope(total, points, exact, rounding_bounds(total, exact, size), "rounding")


def smoothing_envelope(terms: Terms, points: Any, *, width: float = 1e-6) -> Envelope:
    """Envelope of S as for `rounding_envelope`, by Fourier smoothing; `width` is what to aim at.

    >>> irregular = ([0.0, 0.3183098861837907, 1.4142135623730951], [0.2, 0.5, 0.3], 500)
    >>> smoothing_envelope([irregular], [280.0, 300.0]).width < 1e-4
    True

    The argument is in `smoothing_bounds`. Where the characteristic function does not decay (few draws, lattice laws)
    the envelope is wide, and true. Raises InvalidLaw for what is no law or a point that is NaN, ValueError for a width
    that is not positive.
    """
    total = IndependentSum.of(terms)
    exact = _exact_points(total, points)
    return _envelope(total, points, exact, smoothing_bounds(total, exact, _positive(width)), "smoothing")


def cdf_envelope(terms: Terms, points: Any, *, width: float = 1e-6) -> Envelope:
    """Envelope of S by smoothing, intersected with that by rounding where smoothing misses `width`.

    Both contain the truth, so their intersection does. `width` is an aim, not a promise: an atom at a point is itself
    the width there. Raises as `smoothing_envelope` does. Cost: under a second for 50 outcomes, 1000 draws, 81 points.
    """
    terms, points = list(terms), list(points)
    smooth = smoothing_envelope(terms, points, width=width)
    if smooth.width <= width:
        return smooth
    rounded = rounding_envelope(terms, points)
    lower, upper = np.maximum(smooth.lower, rounded.lower), np.minimum(smooth.upper, rounded.upper)
    return Envelope(smooth.points, lower, upper, "smoothing and rounding")


def _positive(width: float) -> float:
    if not width > 0:
        raise ValueError(f"the width to aim at must be positive, got {width!r}")
    return float(width)


def _exact_points(total: IndependentSum, points: Any) -> list[Fraction]:
    """The points as Fractions; any point beyond the support stands for an infinite one."""
    numbers = [scalar(point) for point in points]
    if any(number != number for number in numbers):
        raise InvalidLaw("a point of the CDF is NaN; drop it first")
    beyond = {math.inf: total.highest + 1, -math.inf: total.lowest - 1}
    return [beyond[number] if number in beyond else Fraction(number) for number in numbers]


def _envelope(
    total: IndependentSum, points: Any, exact: list[Fraction], bounds: tuple[Array, Array], method: str
) -> Envelope:
    """Pad the bounds outward, then use what every CDF knows: its support, [0, 1], and that it increases."""
    lower, upper = bounds[0] - _PAD, bounds[1] + _PAD
    below = np.array([t < total.lowest for t in exact], dtype=bool)
    above = np.array([t > total.highest for t in exact], dtype=bool)
    lower = np.where(above, 1.0, np.where(below, 0.0, np.clip(lower, 0.0, 1.0)))
    upper = np.where(above, 1.0, np.where(below, 0.0, np.clip(upper, 0.0, 1.0)))
    order = np.array(sorted(range(len(exact)), key=exact.__getitem__), dtype=int)
    lower[order] = np.maximum.accumulate(lower[order])
    upper[order] = np.minimum.accumulate(upper[order][::-1])[::-1]
    return Envelope(np.array([scalar(point) for point in points]), lower, upper, method)
