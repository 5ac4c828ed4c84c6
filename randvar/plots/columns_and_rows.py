"""A law as columns, a pair as posts: the numbers behind the pictures, without a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from randvar.atoms.merge import heaviest, runs
from randvar.errors import RandvarError, described
from randvar.joint import Joint
from randvar.numbers.arrays import Array
from randvar.plots.laws_to_draw import atoms, floats, mean_of, outside_tails, without_tails

__all__ = ["Columns", "Rows", "cdf_steps", "columns", "columns_alike", "mixed_rows", "rows", "window"]

_CLOSEST = 0.02  # of the range: atoms that stand closer than this cannot be told apart on the page
_SAME = 1e-9  # of the range: two floats that are one outcome to the eye
_MOST_STEPS = 800


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


def columns(x: Any, width: float | None = None) -> Columns:
    """The columns of the law of x: its atoms, or bins of 2% of the range (or of `width`) where atoms stand closer.

    The bins are centred at the mean. Where the values lie on a lattice a bin is a whole number of steps wide, and an
    atom on an edge counts half on either side, so that an even law is drawn even. A column stands at the mean of its
    mass, so that the drawn mean and variance are those of x, less the tails that cannot be seen.
    """
    values, probs = atoms(x)
    mean = mean_of(values, probs)
    values, probs = without_tails(values, probs)
    spread = float(values[-1] - values[0])
    values, probs = _distinct_atoms(values, probs, _SAME * spread)
    shares = probs * (values - mean) ** 2
    if width is not None:
        return _binned(values, probs, shares, mean, width)
    step = float(np.diff(values).min()) if len(values) > 1 else 0.0
    if step >= _CLOSEST * spread:
        return Columns(values, probs, shares, mean)
    binned = _binned(values, probs, shares, mean, _bin_width(values, _CLOSEST * spread))
    together = len(binned.values) < len(values)
    return binned if together else Columns(values, probs, shares, mean)


def _distinct_atoms(values: Array, probs: Array, gap: float) -> tuple[Array, Array]:
    """Atoms that are one outcome to the eye as one."""
    order, starts = runs(values, np.full(len(values), gap))
    values, probs = values[order], probs[order]
    return values[heaviest(values, probs, starts)], np.add.reduceat(probs, starts)


def _binned(values: Array, probs: Array, shares: Array, mean: float, width: float) -> Columns:
    atom, bins, part = _in_bins(values, width, mean)
    _, index = np.unique(bins, return_inverse=True)
    places = np.bincount(index, part * probs[atom] * values[atom]) / np.bincount(index, part * probs[atom])
    # The halves of an atom that is alone on its edge stand at one place: they are one column.
    column = np.append(0, np.cumsum(np.diff(places) > _SAME * width))[index]
    mass = np.bincount(column, part * probs[atom])
    return Columns(
        values=np.bincount(column, part * probs[atom] * values[atom]) / mass,
        probs=mass,
        shares=np.bincount(column, part * shares[atom]),
        mean=mean,
        width=width,
    )


def columns_alike(*xs: Any) -> list[Columns]:
    """The columns of several laws; when one is binned all are, in bins of one width: their heights can be compared."""
    shown = [columns(x) for x in xs]
    widths = [law.width for law in shown if law.width is not None]
    return [columns(x, max(widths)) for x in xs] if widths else shown


def _bin_width(values: Array, least: float) -> float:
    """The least width that is wide enough; on a lattice a whole number of steps: bins then hold equally many atoms."""
    step = float(np.diff(values).min())
    steps = (values - values[0]) / step
    on_lattice = np.abs(steps - np.rint(steps)).max() < 1e-6
    return step * math.ceil(least / step) if on_lattice else least


def _in_bins(values: Array, width: float, centre: float) -> tuple[Array, Array, Array]:
    """The numbers of the values, the bins they fall into, and with which part: on an edge half into either bin."""
    place = (values - centre) / width + 0.5
    bins = np.floor(place + _SAME)
    edge = np.flatnonzero(np.abs(place - bins) <= _SAME)
    part = np.ones(len(values))
    part[edge] = 0.5
    return np.append(np.arange(len(values)), edge), np.append(bins, bins[edge] - 1), np.append(part, part[edge])


def rows(j: Any, most: int = 400) -> Rows:
    """The posts of the law of a pair: its outcomes, or cells of the floor where there are more than `most`.

    There are sqrt(most) cells to a side. No cell reaches over a mean, so that all of its shares have one sign; a post
    stands at the mean of its cell. Raises RandvarError for anything but a pair of finite numbers.
    """
    if not isinstance(j, Joint):
        raise TypeError(f"this picture shows a pair, a Joint, got {described(j)}")
    outcomes = j.outcomes
    if outcomes.shape[1] != 2:
        raise RandvarError(
            f"this picture shows a pair, and the Joint has {outcomes.shape[1]} coordinates: choose with j.select(0, 1)"
        )
    sides = [atoms(j[0]), atoms(j[1])]
    means = mean_of(*sides[0]), mean_of(*sides[1])
    xs, ys = (floats(outcomes[:, side]) for side in (0, 1))
    probs = floats(j.weights)
    shares = probs * (xs - means[0]) * (ys - means[1])
    if len(probs) <= most:
        return Rows(xs, ys, probs, shares, means)
    kept = _outside_the_tails(xs, probs, shares) & _outside_the_tails(ys, probs, shares)
    xs, ys, probs, shares = xs[kept], ys[kept], probs[kept], shares[kept]
    across, x_cell, x_part = _in_cells(xs, means[0], math.isqrt(most))
    along, y_cell, y_part = _in_cells(ys[across], means[1], math.isqrt(most))
    outcome, part = across[along], x_part[along] * y_part
    _, cell = np.unique(np.stack([x_cell[along], y_cell]), axis=1, return_inverse=True)
    cell, weight = cell.ravel(), part * probs[outcome]
    mass = np.bincount(cell, weight)
    return Rows(
        xs=np.bincount(cell, weight * xs[outcome]) / mass,
        ys=np.bincount(cell, weight * ys[outcome]) / mass,
        probs=mass,
        shares=np.bincount(cell, part * shares[outcome]),
        means=means,
        binned=True,
    )


def _outside_the_tails(places: Array, probs: Array, shares: Array) -> Array:
    """The outcomes that are not in a tail of this coordinate that holds next to nothing."""
    _, index = np.unique(places, return_inverse=True)
    return np.asarray(outside_tails(np.bincount(index, probs), np.bincount(index, np.abs(shares)))[index])


def _in_cells(places: Array, mean: float, most: int) -> tuple[Array, Array, Array]:
    """The same as `_in_bins`, for at most about so many bins, one of which ends at the mean; few values stay apart."""
    values, index = np.unique(places, return_inverse=True)
    if len(values) <= most:
        return np.arange(len(places)), index, np.ones(len(places))
    width = _bin_width(values, float(values[-1] - values[0]) / most)
    return _in_bins(places, width, mean + width / 2)


def mixed_rows(x: Any, share: float, most: int) -> Rows:
    """The posts of (X, Y), where Y is X itself with probability `share` and else an independent draw.

    Over more than `most` outcomes there are cells, as in `rows`. P(a, b) = (1 - share) P(a) P(b) + share P(a) [a = b].
    """
    values, probs = atoms(x)
    mean = mean_of(values, probs)
    values, probs = without_tails(values, probs)
    atom, cell, part = _in_cells(values, mean, math.isqrt(most))
    _, index = np.unique(cell, return_inverse=True)
    mass = np.bincount(index, part * probs[atom])
    places = np.bincount(index, part * probs[atom] * values[atom]) / mass
    squares = np.bincount(index, part * (probs * (values - mean) ** 2)[atom])
    pairs = (1 - share) * np.outer(mass, mass) + share * np.diag(mass)
    # A cell stands at the mean of its mass, so that products of distances are exact; a square is more than that.
    distances = mass * (places - mean)
    shares = (1 - share) * np.outer(distances, distances) + share * np.diag(squares)
    first, second = np.nonzero(pairs)
    return Rows(
        xs=places[first],
        ys=places[second],
        probs=pairs[first, second],
        shares=shares[first, second],
        means=(mean, mean),
        binned=len(mass) < len(values),
    )


def window(*laws: Columns, room: float = 0.06) -> tuple[float, float]:
    """The ends of an axis that shows all of these, with some room; a single value stands in the middle of its size."""
    values = np.concatenate([law.values for law in laws])
    low, high = float(values.min()), float(values.max())
    margin = room * (high - low) if high > low else (abs(low) / 2 or 1.0)
    return low - margin, high + margin


def cdf_steps(x: Any) -> tuple[Array, Array, float]:
    """The places and heights of the steps of P(X <= t), at most 800 of them, and the mean."""
    values, probs = atoms(x)
    heights = np.minimum(np.cumsum(probs), 1.0)
    mean = mean_of(values, probs)
    ends = without_tails(values, probs)[0]
    inside = (values >= ends[0]) & (values <= ends[-1])
    values, heights = values[inside], heights[inside]
    if len(values) > _MOST_STEPS:
        grid = np.linspace(values[0], values[-1], _MOST_STEPS)
        kept = np.unique(np.searchsorted(values, grid, side="right") - 1)
        values, heights = values[kept], heights[kept]
    return values, heights, mean
