"""The law of one variable as a smoothed curve, alone or against the law before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text

from randvar.arguments import checked, sequence
from randvar.errors import RandvarError
from randvar.numbers.arrays import Array
from randvar.plots.axes import key_above, mean_lines, probability_axis
from randvar.plots.laws_to_draw import atoms, mean_of
from randvar.plots.picture import Layer, canvas, inches
from randvar.plots.smoothed_curves import Estimate, density_grid, estimate_curves, smoothed, visible
from randvar.plots.style import POSITIVE, RAW, label_text, number, themed, ticks

__all__ = ["curves", "draw_density", "density_axes", "density_key", "estimate_densities"]

_TALLEST, _CUT = 4.0, 3.4  # times the lowest curve: a taller one is cut, and where


@checked("density", comparison_labels=sequence)
def draw_density(
    x: Any, without: Any = None, comparison_labels: Sequence[str] = ("before", "after"), ax: Axes | None = None
) -> Figure:
    """What `density` draws."""
    laws = [x] if without is None else [x, without]
    names = [label_text(label) for label in reversed(comparison_labels)]
    if len(names) != 2:
        raise RandvarError(f"comparison_labels needs two names, for the law before and the law of x; got {len(names)}")
    grid, bandwidth = density_grid(*laws)
    heights = [smoothed(law, grid, bandwidth) for law in laws]
    means = [mean_of(*atoms(law)) for law in laws]
    with themed():
        fig, axes = canvas(ax, 6.4, 3.2, f"Smoothed density with mean {number(means[0])}")
        _draw(axes, grid, heights, means, names)
    return fig


def estimate_densities(axes: Axes, estimates: Sequence[Estimate], names: Sequence[str], axis: str) -> None:
    """The same for the laws of an estimate and of the one before, which are smoothed without being known."""
    drawn = estimate_curves(estimates)
    _draw(axes, drawn.grid, drawn.heights, drawn.means, names, axis)


def _draw(
    axes: Axes, grid: Array, heights: Sequence[Array], means: Sequence[float], names: Sequence[str], axis: str = "Value"
) -> None:
    shown = density_axes(axes, grid, heights, axis)
    grid, heights = grid[shown], [height[shown] for height in heights]
    artists = curves(axes, grid, heights, means, names)
    if len(heights) > 1:
        artists += _curve_names(axes, grid, heights, names, means)
    Layer(axes).show(artists)


def density_axes(axes: Axes, grid: Array, heights: Sequence[Array], name: str = "Value") -> slice:
    """Axes for all of these curves; the vertical one says that they are smoothed. Returns the part of the grid shown.

    A curve over 4 times as high as the lowest would press that one flat: it is cut, and the axis says so.
    """
    peaks = [float(height.max()) for height in heights]
    cut = max(peaks) > _TALLEST * min(peaks)
    top = _CUT * min(peaks) if cut else 1.12 * max(peaks)
    shown = visible(grid, heights, top)
    low, high = float(grid[shown][0]), float(grid[shown][-1])
    axes.set_xlim(low, high)
    axes.set_ylim(0, top)
    axes.set_xticks(*ticks(np.empty(0), low, high, room=15 * inches(axes)[0]))
    axes.set_xlabel(name)
    probability_axis(axes, "Smoothed density (peak cut)" if cut else "Smoothed density")
    return shown


def curves(
    axes: Axes, grid: Array, heights: Sequence[Array], means: Sequence[float], names: Sequence[str]
) -> list[Artist]:
    """The curve of a law with its mean, and with two also that of the law before."""
    top = axes.get_ylim()[1]
    mean_names = ["mean"] if len(means) == 1 else [f"{label_text(name, 24)} mean" for name in names]
    artists = [*_curve(grid, heights[0], top), *mean_lines(axes, means, mean_names)]
    return artists if len(heights) == 1 else [*artists, *_curve(grid, heights[1], top, raw=True)]


def density_key(axes: Axes, names: Sequence[str]) -> None:
    """The key for a solid curve, and for a dotted grey one if there are two names."""
    colors = (POSITIVE, RAW)[: len(names)]
    lines = [Line2D([0, 0.3], [0, 0], color=color, linewidth=2) for color in colors]
    for raw in lines[1:]:
        raw.set_linestyle(":")
    key_above(axes, names, lines, colors)


def _curve(grid: Array, height: Array, top: float, *, raw: bool = False) -> list[Artist]:
    """A filled curve: solid, or grey and dotted for a law that something is compared with."""
    color, order = (RAW, 2.2) if raw else (POSITIVE, 2.6)
    corners = np.column_stack([np.append(grid, [grid[-1], grid[0]]), np.append(np.minimum(height, top), [0, 0])])
    ground = Polygon(corners, closed=False, facecolor=color, alpha=0.12 if raw else 0.25, linewidth=0, zorder=order)
    line = Line2D(grid, np.where(height > top, np.nan, height), color=color, linewidth=2, zorder=order + 0.1)
    line.set_linestyle(":" if raw else "-")
    return [ground, line]


def _curve_names(
    axes: Axes, grid: Array, heights: Sequence[Array], names: Sequence[str], means: Sequence[float]
) -> list[Artist]:
    """The name of either curve beside it, clear of both curves, of the means and of the other name."""
    width, height = inches(axes)
    low, high = axes.get_xlim()
    top = axes.get_ylim()[1]
    across = (grid[::4] - low) / (high - low) * width
    outlines = [np.column_stack([across, height * np.minimum(curve[::4] / top, 1)]) for curve in heights]
    upright = np.linspace(0, height, 40)
    walls = [np.column_stack([np.full(40, (mean - low) / (high - low) * width), upright]) for mean in means]
    labels: list[Artist] = []
    for i, (name, color) in enumerate(zip(names, (POSITIVE, RAW), strict=True)):
        half = np.array([0.045 * len(name), 0.09])  # inches
        across_page, up_page = np.linspace(half[0], width - half[0], 80), np.linspace(height - half[1], half[1], 24)
        centres = np.stack(np.meshgrid(across_page, up_page), axis=-1).reshape(-1, 2)
        body = outlines[i][outlines[i][:, 1] > 0.3 * outlines[i][:, 1].max()]
        own, other = _distances(centres, half, body), _distances(centres, half, outlines[1 - i])
        blocked = np.any([_distances(centres, half, wall) < 0.04 for wall in (*outlines, *walls)], axis=0)
        # Near the body of its own curve, away from the other, and rather high than low.
        cost = own - 0.5 * np.minimum(other, 0.5) - 0.1 * centres[:, 1] + 100 * blocked
        x, y = centres[int(np.argmin(cost))]
        walls.append(np.column_stack([np.linspace(x - half[0], x + half[0], 12), np.full(12, y)]))
        place = low + x / width * (high - low), y / height * top
        labels.append(Text(*place, name, color=color, ha="center", va="center", zorder=6))
    return labels


def _distances(centres: Array, half: Array, points: Array) -> Array:
    """From each rectangle around a centre to the nearest of the points."""
    gaps = np.maximum(np.abs(centres[:, None] - points) - half, 0)
    return np.asarray(np.sqrt((gaps**2).sum(axis=-1).min(axis=-1)))
