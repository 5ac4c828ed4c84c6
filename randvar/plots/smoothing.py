"""Laws smoothed for the eye: a Gaussian of a sixtieth of the range in the place of each atom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from randvar.engine.atoms import Array
from randvar.plots.drawable import atoms, mean_of, seen

__all__ = ["Estimate", "density_grid", "estimate_grid", "smoothed", "smoothed_estimates", "visible"]

Estimate = tuple[tuple[Any, int], ...]  # ((x, n), (y, m)): the mean of n draws of x plus that of m draws of y

_BANDWIDTHS = 60  # a smoothing bandwidth is the range over this
_GRID = 400
_MANY = 800  # atoms: more are first put on a lattice that the smoothing hides
_VISIBLE = 1 / 500  # of the height of the axes


def density_grid(*xs: Any) -> tuple[Array, float]:
    """400 points over all laws and four bandwidths more; and the bandwidth, a sixtieth of their range."""
    return _grid_over([seen(*atoms(x))[0][[0, -1]] for x in xs])


def estimate_grid(estimates: Sequence[Estimate]) -> tuple[Array, float]:
    """The same for sums of means: eight standard deviations far, inside their range."""
    return _grid_over([_reach(estimate, 8) for estimate in estimates])


def _grid_over(ends: Sequence[Any]) -> tuple[Array, float]:
    low, high = min(float(end[0]) for end in ends), max(float(end[1]) for end in ends)
    bandwidth = (high - low) / _BANDWIDTHS or (abs(low) or 1.0) / _BANDWIDTHS
    return np.linspace(low - 4 * bandwidth, high + 4 * bandwidth, _GRID), bandwidth


def _reach(estimate: Estimate, deviations: float) -> tuple[float, float]:
    """The range of an estimate, no further than so many standard deviations from its mean."""
    low = high = mean = square = 0.0
    for x, draws in estimate:
        values, probs = seen(*atoms(x))
        centre = mean_of(values, probs)
        low, high, mean = low + float(values[0]), high + float(values[-1]), mean + centre
        square += math.fsum(probs * (values - centre) ** 2) / draws
    return max(low, mean - deviations * math.sqrt(square)), min(high, mean + deviations * math.sqrt(square))


def smoothed(x: Any, grid: Array, bandwidth: float) -> Array:
    """The Gaussian smoothing of a law: sum over v of P(X = v) phi((t - v)/h)/h at each t of the grid."""
    values, probs = _thinned(x, bandwidth)
    kernel = np.exp(-0.5 * ((grid[:, None] - values) / bandwidth) ** 2)
    return kernel @ probs / (bandwidth * math.sqrt(2 * math.pi))


def smoothed_estimates(estimates: Sequence[Estimate], grid: Array, bandwidth: float) -> list[Array]:
    """The Gaussian smoothings of the laws of sums of means, without those laws.

    The density is 1/(2 pi) times the integral over s of exp(-(h s)^2/2 - i s t) times the product of phi_x(s/n)^n over
    the means of n draws of x, with phi_x the characteristic function of x. The Gaussian factor is below rounding past
    h s = 8.5, and the trapezoid rule is exact up to copies of the density that stand a period apart (Poisson
    summation). The period is so long that a copy brings less onto the grid than the 1/40^2 of its mass that can lie
    forty standard deviations off (Chebyshev). Cost: O(frequencies (atoms + grid)) a law, some hundred frequencies.
    """
    ends = np.array([grid[[0, -1]], *(_reach(estimate, 40) for estimate in estimates)])
    step = 2 * math.pi / (float(ends.max() - ends.min()) + 12 * bandwidth)
    frequencies = step * np.arange(1, math.ceil(8.5 / bandwidth / step))
    middle = float(grid.mean())
    waves = np.exp(-1j * np.outer(grid - middle, frequencies)) * np.exp(-0.5 * (bandwidth * frequencies) ** 2)
    transforms = [_transform(estimate, frequencies, bandwidth, middle) for estimate in estimates]
    heights = (1 + 2 * (waves @ np.column_stack(transforms)).real) * step / (2 * math.pi)
    return list(np.maximum(0.0, heights.T))


def _transform(estimate: Estimate, frequencies: Array, bandwidth: float, origin: float) -> Array:
    """E[exp(i s (T - origin))] at each frequency s, for a sum T of means."""
    transform = np.ones(len(frequencies), dtype=complex)
    shift = -origin
    for x, draws in estimate:
        values, probs = _thinned(x, bandwidth * math.sqrt(draws))
        centre = mean_of(values, probs)  # about it the phases of large outcomes keep their digits
        transform *= (np.exp(1j * np.outer(frequencies / draws, values - centre)) @ probs) ** draws
        shift += centre
    return transform * np.exp(1j * shift * frequencies)


def visible(grid: Array, heights: Sequence[Array], top: float) -> slice:
    """The part of the grid on which some curve is more than a line, on axes of this height."""
    held = np.flatnonzero(np.max(heights, axis=0) > _VISIBLE * top)
    return slice(held[0], held[-1] + 1)


def _thinned(x: Any, bandwidth: float) -> tuple[Array, Array]:
    """The atoms to smooth; each of very many is shared between its neighbours on a lattice, which keeps the mean."""
    values, probs = seen(*atoms(x))
    if len(values) <= _MANY:
        return values, probs
    place = (values - values[0]) / (bandwidth / 10)
    left = np.floor(place).astype(int)
    right_part = place - left
    mass = np.bincount(left, probs * (1 - right_part), left[-1] + 2)
    mass += np.bincount(left + 1, probs * right_part, left[-1] + 2)
    held = mass > 0
    return values[0] + bandwidth / 10 * np.flatnonzero(held), mass[held]
