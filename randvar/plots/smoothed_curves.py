"""Laws smoothed for the eye: a Gaussian of a sixtieth of the range in the place of each atom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import Rule, whole
from randvar.numbers.arrays import Array
from randvar.plots.laws_to_draw import atoms, mean_of, without_tails

__all__ = ["Curves", "Estimate", "density_grid", "estimate_curves", "number_of_draws", "smoothed", "visible"]

# A rule for an argument: how many draws are in the mean that is drawn. Of more, no float tells where it ends.
number_of_draws: Rule = partial(whole, least=1, most=10**15)

Estimate = tuple[tuple[Any, int], ...]  # ((x, n), (y, m)): the mean of n draws of x plus that of m draws of y

_BANDWIDTHS = 60  # a smoothing bandwidth is the range over this
_GRID = 400
_MANY = 800  # atoms: more are first put on a lattice that the smoothing hides
_VISIBLE = 1 / 500  # of the height of the axes


@dataclass(frozen=True)
class Curves:
    """Smoothed laws over one grid, with their means."""

    grid: Array
    heights: list[Array]
    means: list[float]


def density_grid(*xs: Any) -> tuple[Array, float]:
    """400 points over all laws and four bandwidths more; and the bandwidth, a sixtieth of their range."""
    return _grid_over([without_tails(*atoms(x))[0][[0, -1]] for x in xs])


def _grid_over(ends: Sequence[Any]) -> tuple[Array, float]:
    low, high = min(float(end[0]) for end in ends), max(float(end[1]) for end in ends)
    bandwidth = (high - low) / _BANDWIDTHS or (abs(low) or 1.0) / _BANDWIDTHS
    return np.linspace(low - 4 * bandwidth, high + 4 * bandwidth, _GRID), bandwidth


def smoothed(x: Any, grid: Array, bandwidth: float) -> Array:
    """The Gaussian smoothing of a law: sum over v of P(X = v) phi((t - v)/h)/h at each t of the grid."""
    values, probs = _thinned(*without_tails(*atoms(x)), bandwidth / 10)
    kernel = np.exp(-0.5 * ((grid[:, None] - values) / bandwidth) ** 2)
    return kernel @ probs / (bandwidth * math.sqrt(2 * math.pi))


def estimate_curves(estimates: Sequence[Estimate]) -> Curves:
    """The Gaussian smoothings of the laws of sums of means, without those laws, eight standard deviations far.

    The density is 1/(2 pi) times the integral over s of exp(-(h s)^2/2 - i s t) times the product of phi_x(s/n)^n over
    the means of n draws of x, with phi_x the characteristic function of x. The Gaussian factor is below rounding past
    h s = 8.5, and the trapezoid rule is exact up to copies of the density that stand a period apart (Poisson
    summation). The period is so long that a copy brings less onto the grid than the 1/40^2 of its mass that can lie
    forty standard deviations off (Chebyshev). Cost: O(frequencies (atoms + grid)) a law, some hundred frequencies.
    """
    terms = {x: _term(x) for estimate in estimates for x, _ in estimate}
    sums = [[(terms[x], draws) for x, draws in estimate] for estimate in estimates]
    grid, bandwidth = _grid_over([_reach(means, 8) for means in sums])
    ends = np.array([grid[[0, -1]], *(_reach(means, 40) for means in sums)])
    step = 2 * math.pi / (float(ends.max() - ends.min()) + 12 * bandwidth)
    frequencies = step * np.arange(1, math.ceil(8.5 / bandwidth / step))
    middle = float(grid.mean())
    waves = np.exp(-1j * np.outer(grid - middle, frequencies)) * np.exp(-0.5 * (bandwidth * frequencies) ** 2)
    transforms = np.column_stack([_transform(means, frequencies, bandwidth, middle) for means in sums])
    heights = (1 + 2 * (waves @ transforms).real) * step / (2 * math.pi)
    return Curves(grid, list(np.maximum(0.0, heights.T)), [sum(term.centre for term, _ in means) for means in sums])


@dataclass(frozen=True)
class _Term:
    """The atoms of a law about its mean, so that the phases of large outcomes keep their digits."""

    offsets: Array
    probs: Array
    centre: float
    variance: float


def _term(x: Any) -> _Term:
    values, probs = atoms(x)
    centre = mean_of(values, probs)
    values, probs = without_tails(values, probs)
    return _Term(values - centre, probs, centre, math.fsum(probs * (values - centre) ** 2))


def _reach(means: Sequence[tuple[_Term, int]], deviations: float) -> tuple[float, float]:
    """The range of a sum of means, no further than so many standard deviations from its centre."""
    centre = sum(term.centre for term, _ in means)
    far = deviations * math.sqrt(sum(term.variance / draws for term, draws in means))
    low, high = (sum(float(term.offsets[end]) for term, _ in means) for end in (0, -1))
    return centre + max(low, -far), centre + min(high, far)


def _transform(means: Sequence[tuple[_Term, int]], frequencies: Array, bandwidth: float, origin: float) -> Array:
    """E[exp(i s (T - origin))] at each frequency s, for a sum T of means."""
    transform = np.exp(1j * (sum(term.centre for term, _ in means) - origin) * frequencies)
    for term, draws in means:
        offsets, probs = _thinned(term.offsets, term.probs, bandwidth * math.sqrt(draws) / 10)
        transform *= (np.exp(1j * np.outer(frequencies / draws, offsets)) @ probs) ** draws
    return np.asarray(transform)


def visible(grid: Array, heights: Sequence[Array], top: float) -> slice:
    """The part of the grid on which some curve is more than a line, on axes of this height."""
    held = np.flatnonzero(np.max(heights, axis=0) > _VISIBLE * top)
    return slice(held[0], held[-1] + 1)


def _thinned(values: Array, probs: Array, step: float) -> tuple[Array, Array]:
    """The atoms, or where they are very many each shared between its neighbours on a lattice, which keeps the mean."""
    if len(values) <= _MANY:
        return values, probs
    place = (values - values[0]) / step
    left = np.floor(place).astype(int)
    right_part = place - left
    mass = np.bincount(left, probs * (1 - right_part), left[-1] + 2)
    mass += np.bincount(left + 1, probs * right_part, left[-1] + 2)
    held = mass > 0
    return values[0] + step * np.flatnonzero(held), mass[held]
