"""A law as its distribution function, or as the band that is known to contain it."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from randvar.errors import RandvarError
from randvar.plots.axes import mean_lines
from randvar.plots.columns_and_rows import cdf_steps
from randvar.plots.picture import Layer, canvas, inches
from randvar.plots.style import POSITIVE, number, themed, ticks
from randvar.var import Var

__all__ = ["draw_law"]


def draw_law(x: Any, ax: Axes | None = None) -> Figure:
    """What `law_plot` draws."""
    if isinstance(x, Var):
        return _staircase(x, ax)
    if all(hasattr(x, part) for part in ("points", "lower", "upper")):
        return _band(np.asarray(x.points, float), np.asarray(x.lower, float), np.asarray(x.upper, float), ax)
    raise TypeError(f"law_plot() draws a Var or the envelope of a CDF, not {type(x).__name__}")


def _staircase(x: Var, ax: Axes | None) -> Figure:
    values, heights, mean = cdf_steps(x)
    margin = 0.06 * (values[-1] - values[0]) or abs(values[0]) / 2 or 1.0
    low, high = float(values[0] - margin), float(values[-1] + margin)
    with themed():
        fig, axes = canvas(ax, 6.4, 3.2, f"Distribution function with mean {number(mean)}")
        _probability_axes(axes, low, high, values)
        places = np.concatenate([[low], values, [high]])
        stairs = Line2D(places, np.concatenate([[0.0], heights, [1.0]]), color=POSITIVE, linewidth=2, zorder=3)
        stairs.set_drawstyle("steps-post")
        Layer(axes).show([stairs, *mean_lines(axes, [mean])])
    return fig


def _band(points: Any, lower: Any, upper: Any, ax: Axes | None) -> Figure:
    if not len(points):
        raise RandvarError("the envelope has no points: give it some where the CDF is wanted")
    order = np.argsort(points)
    points, lower, upper = points[order], lower[order], upper[order]
    width = float(np.max(upper - lower))
    margin = 0.02 * (points[-1] - points[0]) or abs(points[0]) / 2 or 1.0
    with themed():
        fig, axes = canvas(ax, 6.4, 3.2, f"The distribution function lies in a band {number(width)} wide")
        _probability_axes(axes, float(points[0] - margin), float(points[-1] + margin), np.empty(0))
        corners = np.column_stack([np.append(points, points[::-1]), np.append(lower, upper[::-1])])
        band = Polygon(corners, closed=True, facecolor=POSITIVE, alpha=0.25, linewidth=0, zorder=2)
        edges = [Line2D(points, edge, color=POSITIVE, linewidth=1, zorder=3) for edge in (lower, upper)]
        Layer(axes).show([band, *edges])
        axes.set_title(f"Proved: the CDF lies in the band, at most {number(width)} wide")
    return fig


def _probability_axes(axes: Axes, low: float, high: float, values: Any) -> None:
    axes.set_xlim(low, high)
    axes.set_ylim(0, 1.03)
    axes.set_xticks(*ticks(values, low, high, room=15 * inches(axes)[0]))
    axes.set_yticks(*ticks(np.empty(0), 0, 1.03, room=40))
    axes.set_xlabel("Value t")
    axes.set_ylabel("P(X ≤ t)")
