"""What of a law is drawn: the numbers behind the pictures, without a picture."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from randvar.engine.atoms import EPS, Array, is_numeric, merge_within
from randvar.errors import RandvarError

__all__ = [
    "Columns",
    "Rows",
    "cdf_steps",
    "columns",
    "columns_alike",
    "density_grid",
    "is_number_law",
    "means_grid",
    "rows",
    "smoothed",
    "smoothed_means",
    "window",
]

_CLOSEST = 0.02  # of the range: atoms that stand closer than this cannot be told apart on the page
_SAME = 1e-9  # of the range: two floats that are one outcome to the eye
_BANDWIDTHS = 60  # a smoothing bandwidth is the range over this
_GRID = 400
_UNSEEN = 1e-6  # of the probability and of the variance: a tail this light is no pixel high


@dataclass(frozen=True)
class Columns:
    """A law as columns: where they stand, their probability, and their share of the variance.

    `width` is that of the bins when atoms stand too close to be drawn one by one, else None.
    """

    values: Array
    probs: Array
    shares: Array
    mean: float
    width: float | None = None


@dataclass(frozen=True)
class Rows:
    """A law of pairs as posts: where they stand, their probability, and their share of the covariance."""

    xs: Array
    ys: Array
    probs: Array
    shares: Array
    means: tuple[float, float]
    binned: bool = False


def is_number_law(x: Any) -> bool:
    """True when every outcome of x is a number, so that x has a mean and an axis."""
    return is_numeric(x.values) or all(isinstance(value, numbers.Real) for value in x.values.tolist())


def columns(x: Any, width: float | None = None) -> Columns:
    """The columns of the law of x: its atoms, or bins of 2% of the range where atoms stand closer.

    The bins are centred at the mean. Where the values lie on a lattice a bin is a whole number of steps wide, and an
    atom on an edge counts half on either side, so that an even law is drawn even. A column stands at the mean of its
    mass, so that the drawn mean and variance are those of x, less the tails that cannot be seen.
    """
    values, probs = _finite(x)
    mean = _mean(values, probs)
    values, probs = _seen(values, probs, mean)
    spread = float(values[-1] - values[0])
    values, probs = merge_within(values, probs, _SAME * spread)
    shares = probs * (values - mean) ** 2
    step = float(np.diff(values).min()) if len(values) > 1 else 0.0
    if width is None:
        if step >= _CLOSEST * spread:
            return Columns(values, probs, shares, mean)
        width = _bin_width(values, step, _CLOSEST * spread)
    place = (values - mean) / width + 0.5
    bins = np.floor(place + _SAME)
    on_edge = np.abs(place - bins) <= _SAME
    half = np.where(on_edge, 0.5, 1.0)
    bins = np.concatenate([bins, bins[on_edge] - 1])
    values = np.concatenate([values, values[on_edge]])
    parts = np.concatenate([half * probs, half[on_edge] * probs[on_edge]])
    _, index = np.unique(bins, return_inverse=True)
    mass = np.bincount(index, parts)
    return Columns(
        values=np.bincount(index, parts * values) / mass,
        probs=mass,
        shares=np.bincount(index, parts * (values - mean) ** 2),
        mean=mean,
        width=width,
    )


def columns_alike(*xs: Any) -> list[Columns]:
    """The columns of several laws; when one is binned all are, in bins of one width: their heights can be compared."""
    shown = [columns(x) for x in xs]
    widths = [law.width for law in shown if law.width is not None]
    return [columns(x, max(widths)) for x in xs] if widths else shown


def _bin_width(values: Array, step: float, least: float) -> float:
    """The least width that is wide enough; on a lattice a whole number of steps: bins then hold equally many atoms."""
    steps = (values - values[0]) / step
    on_lattice = np.abs(steps - np.rint(steps)).max() < 1e-6
    return step * math.ceil(least / step) if on_lattice else least


def rows(j: Any) -> Rows:
    """The posts of the law of a pair: its outcomes, or cells of 5% of either range where there are over 400."""
    outcomes = j.outcomes
    if outcomes.shape[1] != 2:
        raise RandvarError(
            f"this picture shows a pair, and the Joint has {outcomes.shape[1]} coordinates: choose with j.select(0, 1)"
        )
    x, y = _finite(j[0]), _finite(j[1])
    means = _mean(*x), _mean(*y)
    xs, ys = (np.array([float(value) for value in outcomes[:, side]]) for side in (0, 1))
    probs = np.asarray(j.weights, dtype=float)
    shares = probs * (xs - means[0]) * (ys - means[1])
    if len(probs) <= 400:
        return Rows(xs, ys, probs, shares, means)
    cells = np.stack([_cells(x[0], means[0], xs), _cells(y[0], means[1], ys)])
    _, index = np.unique(cells, axis=1, return_inverse=True)
    index = index.ravel()
    mass = np.bincount(index, probs)
    return Rows(
        np.bincount(index, probs * xs) / mass,
        np.bincount(index, probs * ys) / mass,
        mass,
        np.bincount(index, shares),
        means,
        binned=True,
    )


def _cells(support: Array, mean: float, values: Array) -> Array:
    spread = float(support[-1] - support[0])
    return np.rint((values - mean) / (0.05 * spread)) if spread else np.zeros(len(values))


def window(*laws: Columns | Rows, room: float = 0.06) -> tuple[float, float]:
    """The ends of an axis that shows all of these, with some room; a single value stands in the middle of its size."""
    values = np.concatenate([law.values if isinstance(law, Columns) else np.append(law.xs, law.ys) for law in laws])
    low, high = float(values.min()), float(values.max())
    margin = room * (high - low) if high > low else (abs(low) / 2 or 1.0)
    return low - margin, high + margin


def density_grid(*xs: Any) -> tuple[Array, float]:
    """400 points over all laws and four bandwidths more; and the bandwidth, a sixtieth of their range."""
    return _grid_over([_seen(*_finite(x))[0][[0, -1]] for x in xs])


def means_grid(means: Sequence[tuple[Any, int]]) -> tuple[Array, float]:
    """The same for means of n draws of x, given as (x, n): eight standard deviations far, inside the range of x."""
    ends = []
    for x, draws in means:
        values, probs = _seen(*_finite(x))
        mean = math.fsum(values * probs)
        reach = 8 * math.sqrt(math.fsum(probs * (values - mean) ** 2) / draws)
        ends.append((max(float(values[0]), mean - reach), min(float(values[-1]), mean + reach)))
    return _grid_over(ends)


def _grid_over(ends: Sequence[Any]) -> tuple[Array, float]:
    low, high = min(float(end[0]) for end in ends), max(float(end[1]) for end in ends)
    bandwidth = (high - low) / _BANDWIDTHS or (abs(low) or 1.0) / _BANDWIDTHS
    return np.linspace(low - 4 * bandwidth, high + 4 * bandwidth, _GRID), bandwidth


def cdf_steps(x: Any) -> tuple[Array, Array, float]:
    """The places and heights of the steps of P(X <= t), at most 800 of them, and the mean."""
    values, probs = _finite(x)
    mean = _mean(values, probs)
    heights = np.minimum(np.cumsum(probs), 1.0)
    seen = _seen(values, probs, mean)[0]
    inside = (values >= seen[0]) & (values <= seen[-1])
    values, heights = values[inside], heights[inside]
    if len(values) > 2 * _GRID:
        grid = np.linspace(values[0], values[-1], 2 * _GRID)
        kept = np.unique(np.searchsorted(values, grid, side="right") - 1)
        values, heights = values[kept], heights[kept]
    return values, heights, mean


def smoothed(x: Any, grid: Array, bandwidth: float) -> Array:
    """The Gaussian smoothing of a law: sum over v of P(X = v) phi((t - v)/h)/h at each t of the grid."""
    values, probs = _seen(*_finite(x))
    if len(values) > 2 * _GRID:
        values, probs = _on_lattice(values, probs, bandwidth / 10)
    kernel = np.exp(-0.5 * ((grid[:, None] - values) / bandwidth) ** 2)
    return kernel @ probs / (bandwidth * math.sqrt(2 * math.pi))


def smoothed_means(means: Sequence[tuple[Any, int]], grid: Array, bandwidth: float) -> list[Array]:
    """The Gaussian smoothings of the laws of means of n independent draws of x, given as (x, n), without those laws.

    The density is 1/(2 pi) times the integral over s of phi(s/n)^n exp(-(h s)^2/2 - i s t), with phi the characteristic
    function of x. The Gaussian factor is below rounding past h s = 8.5, and the trapezoid rule is exact up to copies of
    the density (Poisson summation) that stand a period apart: here that is eight bandwidths and more off the grid.
    Cost: O(frequencies (atoms + grid)) a mean, with some hundred frequencies.
    """
    laws = [_seen(*_finite(x)) for x, _ in means]
    ends = np.concatenate([grid[[0, -1]], *(values[[0, -1]] for values, _ in laws)])
    step = 2 * math.pi / (float(ends.max() - ends.min()) + 12 * bandwidth)
    frequencies = step * np.arange(1, math.ceil(8.5 / bandwidth / step))
    middle = float(grid.mean())
    waves = np.exp(-1j * np.outer(grid - middle, frequencies)) * np.exp(-0.5 * (bandwidth * frequencies) ** 2)
    transforms = []
    for (values, probs), (_, draws) in zip(laws, means, strict=True):
        if len(values) > 2 * _GRID:
            values, probs = _on_lattice(values, probs, bandwidth / 10)
        transforms.append((np.exp(1j * np.outer(frequencies / draws, values - middle)) @ probs) ** draws)
    heights = (1 + 2 * (waves @ np.column_stack(transforms)).real) * step / (2 * math.pi)
    return list(np.maximum(0.0, heights.T))


def _on_lattice(values: Array, probs: Array, step: float) -> tuple[Array, Array]:
    """Each mass shared between its two neighbours on a lattice, which keeps the mean; smoothing hides the rest."""
    place = (values - values[0]) / step
    left = np.floor(place).astype(int)
    right_part = place - left
    mass = np.bincount(left, probs * (1 - right_part), left[-1] + 2)
    mass += np.bincount(left + 1, probs * right_part, left[-1] + 2)
    held = mass > 0
    return values[0] + step * np.flatnonzero(held), mass[held]


def _mean(values: Array, probs: Array) -> float:
    """The mean, and 0 where it is only the rounding of one."""
    mean, size = math.fsum(values * probs), math.fsum(np.abs(values) * probs)
    return mean if abs(mean) > 8 * EPS * size else 0.0


def _seen(values: Array, probs: Array, mean: float | None = None) -> tuple[Array, Array]:
    """The atoms without the tails that hold less than a millionth of both the probability and the variance."""
    middle = math.fsum(values * probs) if mean is None else mean
    shares = probs * (values - middle) ** 2
    light = np.ones(len(values), dtype=bool)
    for part in (probs, shares):
        light &= np.minimum(np.cumsum(part), np.cumsum(part[::-1])[::-1]) < _UNSEEN * part.sum()
    return values[~light], probs[~light]


def _finite(x: Any) -> tuple[Array, Array]:
    """The atoms as floats, ascending; an error that says why where that cannot be."""
    if not is_number_law(x):
        other = next(value for value in x.values.tolist() if not isinstance(value, numbers.Real))
        raise RandvarError(
            f"this picture needs numbers, and {other!r} is none: it has no mean and no place on an axis;"
            " map the outcomes to numbers with x.op(f), or look at histogram(x)"
        )
    try:
        values = np.array([float(value) for value in x.values]) if x.values.dtype == object else x.values.astype(float)
        probs = np.array([float(prob) for prob in x.probs]) if x.probs.dtype == object else x.probs
    except (TypeError, OverflowError) as error:
        raise RandvarError(f"a picture needs machine numbers ({error}): put numbers in the place of symbols") from None
    if not np.isfinite(values).all():
        bad = values[~np.isfinite(values)][0]
        raise RandvarError(
            f"{bad:+g} is an outcome, and no axis reaches it; draw the law given a finite one, x.cond(math.isfinite)"
        )
    reach = float(values[-1]) - float(values[0])
    if not math.isfinite(reach * reach):
        raise RandvarError(f"outcomes from {values[0]:g} to {values[-1]:g} are too far apart: their variance overflows")
    return values, probs
