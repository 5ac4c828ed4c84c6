"""Exponential tilting: the tails of a sum to full relative accuracy, by short Fourier transforms.

Let S be a sum of independent lattice variables and K(theta) = log E[e^(theta*S)]. Under the tilted law

    P_theta(S = s) = e^(theta*s - K(theta)) P(S = s)

S is again a sum of independent variables, with mean K'(theta) and variance K''(theta). A Fourier transform finds every
P_theta(S = s) with an *absolute* error of a few ulp of the largest of them, so that the atoms near the tilted mean have
a small *relative* error, and dividing the tilt out keeps it. A dozen tilts cover all atoms above 1e-300.

U. Keich, sFFT: a faster accurate computation of the p-value of the entropy score, J. Comput. Biol. 12 (2005), 416-430;
H. Wilson and U. Keich, Accurate pairwise convolutions of non-negative vectors via FFT, Comput. Stat. Data Anal. 101
(2016), 300-315. Here each transform is recentred at its own tilted mean and is about 18 standard deviations long.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randvar.numbers.arrays import EPS, WIDE_EPS
from randvar.sums.fourier import fast_length, irfft, rfft
from randvar.sums.group import Group

__all__ = [
    "LocalLaw",
    "chernoff_window",
    "cover",
    "local_law",
    "theta_of_mean",
    "tilted_probs",
    "total_span",
]

FloatArray = NDArray[np.floating[Any]]
ComplexArray = NDArray[np.complexfloating[Any, Any]]
IntArray = NDArray[np.int64]

_STEEPEST = 1e4  # one lattice step then weighs e^10000, more than any two floats differ
_BLOCK = 2**18  # elements of a temporary matrix
_HALF_ZONE = 3.0  # standard deviations on each side that one tilt serves: amplification e^(9/2) = 90 at the edge
_AMPLIFICATION = 200.0  # what is accepted without looking for a better tilt
_HOPELESS = 1e8  # beyond it an atom drowns in the rounding of its neighbours
_FEW = 10  # terms of a characteristic function per position of the window, below which they are summed directly


def total_span(terms: Sequence[Group]) -> int:
    """The largest position of the sum."""
    return sum(term.copies * term.span for term in terms)


def log_mgf(terms: Sequence[Group], thetas: FloatArray) -> FloatArray:
    """K(theta) = sum_j n_j log E[e^(theta*X_j)] at many points."""
    total = np.zeros(len(thetas))
    for term in terms:
        for rows in _blocks(len(thetas), len(term.values)):
            exponents = thetas[rows, None] * term.values + term.log_weights
            top = exponents.max(axis=1)
            mgf = np.exp(exponents - top[:, None]).sum(axis=1)
            total[rows] += term.copies * (top + np.log(mgf) - term.log_total)
    return total


def _blocks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of the rows of a matrix, each a block of bounded memory."""
    height = max(1, _BLOCK // columns)
    return (slice(row, row + height) for row in range(0, rows, height))


def chernoff_window(terms: Sequence[Group], log_floor: float, theta: float = 0.0) -> tuple[int, int]:
    """Positions (lowest, highest) outside which every atom of the law tilted by theta is below e^log_floor.

    P(S >= s) <= e^(K(t) - t*s) for t > 0 (Chernoff 1952), so that s = (K(t) - log_floor)/t is an upper end for *every*
    t > 0, and a coarse grid refined once finds the best to a percent. The lower end is the mirror image.
    """
    span = total_span(terms)
    if span == 0:
        return 0, 0
    untilted = log_mgf(terms, np.array([theta]))[0]
    log_floor -= 1e-6  # so that rounding does not lose an atom at the floor itself

    def end(sign: int) -> float:
        low, high = -log_floor / span, _STEEPEST
        for points in (32, 12):
            t = np.geomspace(low, high, points)
            ends = (log_mgf(terms, theta + sign * t) - untilted - log_floor) / t
            best = int(np.argmin(ends))
            low, high = t[max(best - 1, 0)], t[min(best + 1, points - 1)]
        return float(ends[best])

    return max(0, math.ceil(-end(-1))), min(span, math.floor(end(+1)))


def _mean_and_variance(terms: Sequence[Group], theta: float) -> tuple[float, float]:
    """K'(theta) and K''(theta)."""
    mean = variance = 0.0
    for term in terms:
        exponents = theta * term.values + term.log_weights
        weights = np.exp(exponents - exponents.max())
        weights /= weights.sum()
        centre = float(weights @ term.values)
        mean += term.copies * centre
        variance += term.copies * float(weights @ (term.values - centre) ** 2)
    return mean, variance


def theta_of_mean(terms: Sequence[Group], target: float, theta: float = 0.0) -> float:
    """A theta with K'(theta) within a tenth of a standard deviation of the target, 0 < target < span.

    Newton's method on log(K'/(span - K')), which is linear in theta for a binomial law, kept inside a bracket.
    """
    span = total_span(terms)
    low, high = -_STEEPEST, _STEEPEST
    for _ in range(100):
        mean, variance = _mean_and_variance(terms, theta)
        if abs(mean - target) <= 0.1 * math.sqrt(variance) + 0.02:
            break
        low, high = (theta, high) if mean < target else (low, theta)
        if 0 < mean < span and variance > 0:
            step = (
                math.log(target * (span - mean) / (mean * (span - target))) * mean * (span - mean) / (span * variance)
            )
            theta += step
        if not low < theta < high or not 0 < mean < span:
            theta = (low + high) / 2
    return theta


@dataclass(frozen=True)
class LocalLaw:
    """P_theta(S = first + i) in a window around the tilted mean, and how to undo the tilt.

    log P(S = s) = log(masses[s - first]) + log_scale - theta*(s - origin - fraction)

    `spread` is the standard deviation, `rounding` the absolute error of the masses relative to the largest one.
    """

    theta: float
    first: int
    masses: FloatArray
    log_scale: float
    origin: int
    fraction: float
    spread: float
    rounding: float

    @property
    def amplification(self) -> FloatArray:
        """Largest atom/atom: how much more the rounding of the transform weighs on an atom."""
        factors = np.full(len(self.masses), np.inf)
        np.divide(self.masses.max(), self.masses, out=factors, where=self.masses > 0)
        return factors

    def log_factor(self, positions: IntArray) -> FloatArray:
        """log of P(S = s)/P_theta(S = s)."""
        return self.log_scale - self.theta * ((positions - self.origin) - self.fraction)


def tilted_probs(term: Group, theta: float) -> FloatArray:
    """The probabilities of one tilted draw in the widest float, for what n multiplies."""
    exponents = theta * term.values.astype(np.longdouble) + np.log(term.weights.astype(np.longdouble))
    weights = np.exp(exponents - exponents.max())
    weights /= weights.sum()
    return np.asarray(weights)


@dataclass(frozen=True)
class _Draw:
    """One tilted draw: its probabilities in the widest float, and its offsets from a centre near its mean.

    The centre has so few bits that the offsets are exact floats.
    """

    term: Group
    weights: FloatArray
    centre: Fraction
    offsets: FloatArray

    @classmethod
    def of(cls, term: Group, theta: float) -> _Draw:
        weights = tilted_probs(term, theta)
        unit = 2.0 ** (term.span.bit_length() - 52)
        centre = round(float(weights @ term.values) / unit) * unit
        return cls(term, weights, Fraction(centre), term.values - centre)

    @property
    def variance(self) -> float:
        return float(self.weights @ self.offsets**2)

    @property
    def mean_offset(self) -> float:
        """E|X - c|."""
        return float(self.weights @ np.abs(self.offsets))


def local_law(terms: Sequence[Group], theta: float) -> LocalLaw:
    """The law tilted by theta, by one transform of a window outside which each atom is below e^-40 of a typical one.

    Every draw is centred near its tilted mean, so that the sum is centred at an exact fraction and the transform needs
    only the few frequencies where the characteristic function is not negligible. O(L log L) for L positions.
    """
    draws = [_Draw.of(term, theta) for term in terms]
    spread = math.sqrt(sum(draw.term.copies * draw.variance for draw in draws))
    centre = sum((draw.term.copies * draw.centre for draw in draws), Fraction(0))
    origin = round(centre)
    fraction = float(centre - origin)
    depth = 40 + math.log1p(spread)
    low, high = chernoff_window(terms, -depth, theta)
    low, high = min(low, origin), max(high, origin)
    length = fast_length(high - low + 1)
    kept = np.flatnonzero(_log_modulus(draws, length) > -depth)
    spectrum = np.zeros(length // 2 + 1, dtype=complex)
    rounding = EPS * math.log2(2 * length)
    if len(kept) * sum(len(draw.weights) for draw in draws) <= _FEW * length:
        spectrum[kept] = _characteristic(draws, 2 * np.pi / length * kept, fraction)
        rounding += 4 * WIDE_EPS * sum(draw.term.copies * draw.mean_offset for draw in draws) / spread
    else:
        spectrum[kept] = _transformed(draws, length, kept, origin)
        rounding += 4 * WIDE_EPS * sum(draw.term.copies for draw in draws)
    masses = np.roll(irfft(spectrum, length), origin - low)[: high - low + 1]
    log_scale = float(sum(draw.term.copies * _log_mean_exp(draw, theta) for draw in draws))
    return LocalLaw(theta, low, masses, log_scale, origin, fraction, spread, rounding)


def _log_mean_exp(draw: _Draw, theta: float) -> np.longdouble:
    """log E[e^(theta*(X - c))] before the tilt, in the widest float: the number of copies multiplies its error."""
    probs = draw.term.weights.astype(np.longdouble)
    exponents = theta * draw.offsets.astype(np.longdouble)
    with np.errstate(over="ignore"):
        growth = (probs * np.expm1(exponents)).sum() / probs.sum()
    if abs(growth) < 0.5:
        return np.longdouble(np.log1p(growth))
    exponents += np.log(probs)
    top = exponents.max()
    return np.longdouble(top + np.log(np.exp(exponents - top).sum() / probs.sum()))


def _log_modulus(draws: Sequence[_Draw], length: int) -> FloatArray:
    """log |E e^(-itS)| at the frequencies of a transform: rough, to see which of them matter."""
    total = np.zeros(length // 2 + 1)
    for draw in draws:
        wrapped = np.bincount(draw.term.values % length, draw.weights.astype(np.float64), length)
        modulus = np.abs(rfft(wrapped))
        total += draw.term.copies * np.log(np.maximum(modulus, 1e-300))
    return total


def _characteristic(draws: Sequence[_Draw], t: FloatArray, fraction: float) -> ComplexArray:
    """E e^(-it(S - origin)), where S - origin is `fraction` plus the centred draws.

    A power of phi multiplies its error by n; phi - 1 = sum w*(e^(-ity) - 1) is small and precise where the power is not
    negligible, and so is log phi = log1p(phi - 1). The sines all but cancel, hence the widest float.
    """
    log_phi: ComplexArray = -1j * t.astype(np.longdouble) * fraction
    for draw in draws:
        for rows in _blocks(len(t), len(draw.weights)):
            angles = t[rows, None] * draw.offsets.astype(np.longdouble)
            real = -2 * np.sin(angles / 2) ** 2 @ draw.weights
            imaginary = -np.sin(angles) @ draw.weights
            log_modulus = 0.5 * np.log1p(real * (2 + real) + imaginary**2)
            log_phi[rows] += draw.term.copies * (log_modulus + 1j * np.arctan2(imaginary, 1 + real))
    return np.exp(log_phi, out=log_phi)


def _transformed(draws: Sequence[_Draw], length: int, kept: IntArray, origin: int) -> ComplexArray:
    """The same where most frequencies matter, by a transform of each draw in the widest float."""
    log_phi = np.zeros(len(kept), dtype=np.clongdouble)
    for draw in draws:
        wrapped = np.zeros(length, dtype=np.longdouble)
        np.add.at(wrapped, draw.term.values % length, draw.weights)
        log_phi += draw.term.copies * np.log(rfft(wrapped)[kept])
    turns = kept * (origin % length) % length / length
    recentred: ComplexArray = np.exp(log_phi) * np.exp(2j * np.pi * turns)
    return recentred


def cover(terms: Sequence[Group], lowest: int, highest: int, *, give_up: bool = False) -> tuple[FloatArray, float]:
    """P(S = s) for s = lowest..highest and the relative accuracy of the atoms above 1e-300 (inf: some are not known).

    Tilts sweep from the lowest position to the highest, each aimed so far ahead that it just serves the first atom that
    is still uncovered; every atom keeps the tilt of least amplification. An atom that drowns even under the tilt aimed
    at it lies in a valley of the law, between clusters: its mass is left 0, and the accuracy says so. With `give_up`
    the first such atom ends the sweep.
    """
    masses = np.zeros(highest - lowest + 1)
    amplification = np.full(len(masses), np.inf)
    accepted, rounding, exponent, first = _AMPLIFICATION, 0.0, 0.0, 0
    theta = theta_of_mean(terms, _inside(terms, lowest))
    spread = math.sqrt(_mean_and_variance(terms, theta)[1])
    while (amplification[first:] > accepted).any():
        first += int(np.argmax(amplification[first:] > accepted))
        for ahead in (_HALF_ZONE * spread, 0.0):
            theta = theta_of_mean(terms, _inside(terms, lowest + first + ahead), theta)
            local = local_law(terms, theta)
            _keep_the_best(local, lowest, masses, amplification)
            spread, rounding = local.spread, max(rounding, local.rounding)
            exponent = max(exponent, abs(local.log_scale))
            if amplification[first] <= accepted:
                break
        else:
            if amplification[first] < _HOPELESS:
                accepted = 2 * float(amplification[first])
            elif give_up:
                return masses, math.inf
            else:
                first += max(1, int(_HALF_ZONE * spread))
    worst = float(amplification[(masses > 1e-300) | np.isinf(amplification)].max())
    # exponent - theta*(s - C) is log P(S = s)/P_theta(S = s), at most log(1e300) = 691: three roundings of such sizes
    return masses, worst * rounding + EPS * (exponent + 700)


def _inside(terms: Sequence[Group], position: float) -> float:
    """A mean that a tilt can have: strictly between the ends."""
    return min(max(position, 0.3), total_span(terms) - 0.3)


def _keep_the_best(local: LocalLaw, lowest: int, masses: FloatArray, amplification: FloatArray) -> None:
    """Take over, in place, the atoms that this tilt knows better than those before it."""
    start = max(local.first, lowest)
    stop = min(local.first + len(local.masses), lowest + len(masses))
    if start >= stop:
        return
    ours = local.amplification[start - local.first : stop - local.first]
    better = np.flatnonzero(ours < np.minimum(amplification[start - lowest : stop - lowest], _HOPELESS))
    positions = start + better
    amplification[positions - lowest] = ours[better]
    masses[positions - lowest] = local.masses[positions - local.first] * np.exp(local.log_factor(positions))
