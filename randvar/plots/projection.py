"""Boxes and posts on a floor, seen from a fixed direction: an orthographic projection into a 2-D axes.

Azimuth -45 degrees, elevation 24: the feet of all points (v, v) stand on one horizontal line, so that a variance reads
like a histogram. Nothing of matplotlib's 3-D axes is needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Text

from randvar.numbers.arrays import Array
from randvar.plots.picture import inches
from randvar.plots.style import INK, NEGATIVE, POSITIVE, ticks
from randvar.plots.svg import tip

__all__ = ["View", "box", "cross", "diagonal", "fit", "floor", "height_scale", "post"]

_DIAGONAL = -45.0  # degrees
_ELEVATION = math.radians(24)
_HEIGHT = 0.65  # of a post that reaches the top, seen from the side, in floor widths
# The corners of a box are numbered 4 [x is high] + 2 [y is high] + [z is high].
_SILHOUETTE = (4, 6, 7, 3, 1, 0)  # all corners but the hidden one (2) and the one in front of all (5)
_IN_FRONT, _ITS_NEIGHBOURS = 5, (1, 4, 7)


@dataclass(frozen=True)
class View:
    """The floor that is seen: the interval on either axis, the height that counts as the top, and from where."""

    xs: tuple[float, float]
    ys: tuple[float, float]
    top: float
    azimuth: float = _DIAGONAL
    height: float = _HEIGHT

    def project(self, x: Any, y: Any, z: Any = 0.0) -> Array:
        """Points on the page, one a row; the middle of the floor is (0, 0), and either side of it is 1 long."""
        across = (np.asarray(x, dtype=float) - sum(self.xs) / 2) / (self.xs[1] - self.xs[0])
        along = (np.asarray(y, dtype=float) - sum(self.ys) / 2) / (self.ys[1] - self.ys[0])
        turn = math.radians(self.azimuth)
        right = along * math.cos(turn) - across * math.sin(turn)
        away = -along * math.sin(turn) - across * math.cos(turn)
        up = away * math.sin(_ELEVATION) + self.rise() * np.asarray(z, dtype=float)
        return np.stack(np.broadcast_arrays(right, up), axis=-1)

    def rise(self) -> float:
        """How far up the page a unit of height reaches."""
        return self.height * math.cos(_ELEVATION) / self.top

    def corners(self) -> Array:
        """The corners of the floor on the page: left, front, right, back."""
        (x0, x1), (y0, y1) = self.xs, self.ys
        return self.project([x0, x1, x1, x0], [y0, y0, y1, y1])


def box(
    view: View,
    corner: tuple[float, float],
    end: tuple[float, float, float],
    text: str,
    *,
    negative: bool = False,
    opacity: float = 1.0,
) -> PathPatch:
    """The box from `corner` on the floor to the point `end`, above or below; hatched if it counts as negative."""
    x, y, z = end
    (x0, x1), (y0, y1), (z0, z1) = sorted((corner[0], x)), sorted((corner[1], y)), sorted((0.0, z))
    corners = view.project(*np.array([(a, b, c) for a in (x0, x1) for b in (y0, y1) for c in (z0, z1)]).T)
    edges = [corners[i] for end in _ITS_NEIGHBOURS for i in (_IN_FRONT, end)]
    outline = [corners[i] for i in _SILHOUETTE]
    path = Path(
        np.array([*outline, outline[0], *edges]),
        [Path.MOVETO] + [Path.LINETO] * 5 + [Path.CLOSEPOLY] + [Path.MOVETO, Path.LINETO] * 3,
    )
    color = NEGATIVE if negative else POSITIVE
    patch = PathPatch(path, linewidth=0.8, zorder=2)
    patch.set(facecolor=to_rgba(color, 0.12 * opacity), edgecolor=to_rgba(color, 0.6 * opacity))
    if negative:
        patch.set_hatch("////")
    patch.set_gid(tip(text))
    return patch


def post(view: View, x: float, y: float, z: float, text: str, *, color: str = INK) -> Line2D:
    """A post from the floor to height z, with a dot on top."""
    ends = view.project([x, x], [y, y], [0, z])
    line = Line2D(ends[:, 0], ends[:, 1], color=color, linewidth=1.8, solid_capstyle="butt", zorder=4)
    line.set(marker="o", markersize=5.5, markevery=[1])
    line.set_gid(tip(text))
    return line


def floor(view: View, xs: Array, ys: Array, names: tuple[str, str]) -> Iterable[Artist]:
    """The outline of the floor with the labels of its two front edges: x on the left one, y on the right one."""
    around = view.corners()[[0, 1, 2, 3, 0]]
    yield Line2D(around[:, 0], around[:, 1], color=INK, linewidth=0.8, alpha=0.45, zorder=1)
    front_x, front_y = view.xs[1], view.ys[0]
    for values, (low, high), out in ((xs, view.xs, -0.02), (ys, view.ys, 0.02)):
        places, labels = ticks(np.unique(values), low, high, room=24)
        points = view.project(places, front_y) if out < 0 else view.project(front_x, places)
        side = "right" if out < 0 else "left"
        for (right, up), label in zip(points, labels, strict=True):
            yield Line2D([right, right + out / 2], [up, up - 0.01], color=INK, linewidth=0.8, zorder=1)
            yield Text(right + out, up - 0.015, label, ha=side, va="top", fontsize=9, zorder=6)
        middle, name = (around[0] + around[1], names[0]) if out < 0 else (around[1] + around[2], names[1])
        yield Text(middle[0] / 2 + 8 * out, middle[1] / 2 - 0.075, name, ha=side, va="top", zorder=6)


def cross(view: View, x: float, y: float) -> list[Artist]:
    """Dashed lines over the floor through the two means."""
    ends = view.project([x, x], list(view.ys)), view.project(list(view.xs), [y, y])
    return [Line2D(end[:, 0], end[:, 1], color=INK, linewidth=1.1, linestyle="--", zorder=1.5) for end in ends]


def diagonal(view: View, values: Array, name: str = "") -> Iterable[Artist]:
    """The line on which the points (v, v) stand, with its labels and its name below the right end."""
    (low, high) = view.xs
    ends = view.project([low, high], [low, high])
    yield Line2D(ends[:, 0], ends[:, 1], color=INK, linewidth=0.8, zorder=1)
    places, labels = ticks(values, low, high, room=58)
    for (right, up), label in zip(view.project(places, places), labels, strict=True):
        yield Line2D([right, right], [up, up - 0.012], color=INK, linewidth=0.8, zorder=5)
        yield Text(right, up - 0.02, label, ha="center", va="top", fontsize=9, zorder=6)
    yield Text(ends[1, 0], ends[1, 1] - 0.075, name, ha="right", va="top", fontsize=9, zorder=6)


def height_scale(view: View, x: float, name: str, *, foot: float = 0.0) -> Iterable[Artist]:
    """An upright scale of heights at page position x, with its name on top."""
    places, labels = ticks(np.empty(0), 0, view.top, room=22)
    rise = view.rise()
    yield Line2D([x, x], [foot, foot + rise * view.top], color=INK, linewidth=0.8, zorder=1)
    for place, label in zip(places, labels, strict=True):
        yield Line2D([x - 0.012, x], [foot + rise * place] * 2, color=INK, linewidth=0.8, zorder=1)
        yield Text(x - 0.022, foot + rise * place, label, ha="right", va="center_baseline", fontsize=9, zorder=6)
    yield Text(x - 0.1, foot + rise * view.top + 0.035, name, ha="left", va="bottom", fontsize=9, zorder=6)


def fit(ax: Axes, points: Array, margins: tuple[float, float, float, float]) -> None:
    """Limits that show these points of the page undistorted, with (left, right, bottom, top) room; no axes lines."""
    ax.set_axis_off()
    width, height = inches(ax)
    left, right, bottom, top = margins
    low, high = points.min(axis=0) - [left, bottom], points.max(axis=0) + [right, top]
    scale = max((high[0] - low[0]) / width, (high[1] - low[1]) / height)
    middle = (low + high) / 2
    ax.set_xlim(middle[0] - scale * width / 2, middle[0] + scale * width / 2)
    ax.set_ylim(middle[1] - scale * height / 2, middle[1] + scale * height / 2)
