"""Variance and covariance as boxes: the base is a product of distances from the mean, the height a probability."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, overload

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from randvar.arguments import checked, whole
from randvar.moments import covar, variance
from randvar.numbers.arrays import Array
from randvar.plots.axes import probability_name
from randvar.plots.columns_and_rows import Columns, Rows, columns, rows, window
from randvar.plots.labels import post_labels
from randvar.plots.picture import Layer, Picture, bare_canvas
from randvar.plots.projection import View, box, cross, diagonal, fit, floor, height_scale, post
from randvar.plots.style import INK, POSITIVE, number, themed

__all__ = [
    "MOST_BOXES",
    "box_corners",
    "boxes_and_posts",
    "covariance_3d",
    "covariance_boxes",
    "covariance_scene",
    "sides",
    "variance_3d",
    "variance_boxes",
    "variance_scene",
]

MOST_BOXES = 100  # of a pair: more outcomes are drawn in cells, for boxes within boxes are soon a blot
_MOST_POSTS = 60  # of a pair: more would be a wall


@overload
def variance_3d(x: Any, ax: None = None) -> Picture: ...
@overload
def variance_3d(x: Any, ax: Axes) -> Figure: ...
def variance_3d(x: Any, ax: Axes | None = None) -> Figure:
    """Var(X) as boxes: from the mean to each outcome a square base (x - mean)^2, the probability as height.

    >>> from randvar.families import uniform
    >>> variance_3d(uniform(1, 7))
    <Picture: Boxes from the mean to each outcome. Var(X) = 2.92, the volume of all boxes>

    The volume of a box is its share of the variance, and the volumes add up to it. x is a Var; `ax` are matplotlib axes
    to draw on, else there is a new picture. Raises RandvarError for outcomes that are no finite numbers.
    """
    law = columns(x)
    total = float(variance(x))
    title = f"Var(X) = {number(total)}, the volume of all boxes"
    with themed():
        fig, axes = bare_canvas(ax, 6.4, 4.2, f"Boxes from the mean to each outcome. {title}")
        view = variance_scene(axes, [law])
        Layer(axes).show(variance_boxes(view, law))
        axes.set_title(title)
    return fig


def variance_scene(ax: Axes, laws: Iterable[Columns], name: str = "Value") -> View:
    """What stays while laws change: the diagonal with its labels, the scale of heights, and limits that show all."""
    laws = list(laws)
    ends = window(*laws)
    view = View(ends, ends, top=1.05 * max(float(law.probs.max()) for law in laws))
    values = laws[0].values if len(laws) == 1 else np.array([])
    ground = Layer(ax, zorder=1)
    ground.show([*diagonal(view, values, name), *height_scale(view, -0.74, probability_name(laws))])
    fit(ax, np.concatenate([box_corners(view, law) for law in laws]), (0.2, 0.06, 0.08, 0.1))
    return view


def box_corners(view: View, law: Columns) -> Array:
    """Page positions that no box, post or scale goes beyond."""
    reach = law.mean + sides(law)
    left, right = np.minimum(law.mean, reach), np.maximum(law.mean, reach)
    ends = view.project(view.xs, view.xs, [0, view.top])
    return np.concatenate([view.project(left, right, law.probs), view.project(right, left), ends])


def sides(law: Columns) -> Array:
    """The signed side of each base; of a bin the root mean square, so that its volume is its whole share."""
    return np.sign(law.values - law.mean) * np.sqrt(law.shares / law.probs)


def variance_boxes(view: View, law: Columns) -> list[Artist]:
    """The boxes of a law, largest behind, with the outcomes as posts and the labelled mean as a dashed line."""
    gap = (view.xs[1] - view.xs[0]) / 10
    return [*boxes_and_posts(view, law), *_mean_line(view, law.mean, f"mean {number(law.mean, gap=gap)}")]


def boxes_and_posts(view: View, law: Columns) -> list[Artist]:
    """The boxes of a law from its mean, largest behind, and its outcomes as posts."""
    artists: list[Artist] = []
    reaches = sides(law)
    opacity = _opacity(len(reaches))
    for i in np.argsort(-np.abs(reaches), kind="stable"):
        value, prob, end = law.values[i], law.probs[i], law.mean + reaches[i]
        text = f"{number(value)}: probability {number(prob)}, share of the variance {number(law.shares[i])}"
        if reaches[i]:
            artists.append(box(view, (law.mean, law.mean), (end, end, prob), text, opacity=opacity))
        artists.append(post(view, value, value, prob, text, color=POSITIVE))
    return artists


def _opacity(boxes: int) -> float:
    """Many boxes on one another are drawn fainter, so that the picture stays as light as with a dozen."""
    return float(min(1.0, 12 / boxes) ** 0.75)


def _mean_line(view: View, mean: float, name: str) -> list[Artist]:
    ends = view.project([mean] * 2, [mean] * 2, [0, view.top])
    line = Line2D(ends[:, 0], ends[:, 1], color=INK, linewidth=1.4, linestyle="--", zorder=3)
    return [line, Text(ends[1, 0], ends[1, 1] + 0.015, name, ha="center", va="bottom", zorder=6)]


@overload
def covariance_3d(j: Any, max_post_labels: int = 6, ax: None = None) -> Picture: ...
@overload
def covariance_3d(j: Any, max_post_labels: int = 6, *, ax: Axes) -> Figure: ...
@checked(max_post_labels=whole)
def covariance_3d(j: Any, max_post_labels: int = 6, ax: Axes | None = None) -> Figure:
    """Cov(X, Y) as boxes: from the two means to each outcome a base (x - mean)(y - mean), the probability as height.

    >>> from randvar.coupling import shared
    >>> from randvar.families import uniform
    >>> covariance_3d(shared(uniform(0, 2)))
    <Picture: Boxes from the two means to each outcome. Cov(X, Y) = 0.25 − 0 (hatched) = 0.25>

    j is a Joint of two coordinates; `ax` are matplotlib axes to draw on, else there is a new picture. Where the base is
    negative the box is hatched and its volume counts against the others. The `max_post_labels` outcomes with the
    largest shares are labelled. Raises RandvarError for anything but a pair of finite numbers.
    """
    law = rows(j, MOST_BOXES)
    total = float(covar(j))
    gained, lost = float(law.shares[law.shares > 0].sum()), float(-law.shares[law.shares < 0].sum())
    total = total if abs(total) > 1e-12 * (gained + lost) else 0.0  # no more than the rounding of the two
    title = f"Cov(X, Y) = {number(gained)} − {number(lost)} (hatched) = {number(total)}"
    with themed():
        fig, axes = bare_canvas(ax, 6.4, 4.8, f"Boxes from the two means to each outcome. {title}")
        view = covariance_scene(axes, [law])
        Layer(axes).show([*covariance_boxes(view, law), *_largest_labelled(view, law, max_post_labels)])
        axes.set_title(title)
    return fig


def covariance_scene(ax: Axes, laws: Iterable[Rows], names: tuple[str, str] = ("X", "Y"), **seen: float) -> View:
    """What stays while laws change: the floor with its labels and the scale of heights; `seen` goes to the View."""
    laws = list(laws)
    view = View(
        xs=_ends([law.xs for law in laws]),
        ys=_ends([law.ys for law in laws]),
        top=1.05 * max(float(law.probs[_drawn_outcomes(law)].max()) for law in laws),
        **seen,
    )
    xs, ys = (np.concatenate(side) for side in zip(*((law.xs, law.ys) for law in laws), strict=True))
    left = view.corners()[0]
    name = "Probability of a cell" if any(law.binned for law in laws) else "Probability"
    scale = height_scale(view, left[0] - 0.07, name, foot=left[1])
    Layer(ax, zorder=1).show([*floor(view, xs, ys, names), *scale])
    tops = [view.project(law.xs, law.ys, np.minimum(law.probs, view.top)) for law in laws]
    scale_top = [(left[0], left[1] + view.rise() * view.top)]
    fit(ax, np.concatenate([*tops, view.corners(), scale_top]), (0.2, 0.06, 0.09, 0.08))
    return view


def _ends(sides: list[Any]) -> tuple[float, float]:
    low, high = min(float(side.min()) for side in sides), max(float(side.max()) for side in sides)
    margin = 0.06 * (high - low) if high > low else (abs(low) / 2 or 1.0)
    return low - margin, high + margin


def covariance_boxes(view: View, law: Rows, factor: float = 1.0) -> list[Artist]:
    """The boxes of a law of pairs, from back to front, with their posts where there are few.

    Volumes are multiplied by `factor`. A share that counts as negative is hatched; with a negative factor, which takes
    away what was positive, it hangs below the floor.
    """
    artists = cross(view, *law.means)
    opacity, drawn = _opacity(len(law.probs)), _drawn_outcomes(law)
    depth = (law.ys - view.ys[0]) / (view.ys[1] - view.ys[0]) - (law.xs - view.xs[0]) / (view.xs[1] - view.xs[0])
    order = np.argsort(-depth, kind="stable")
    for i in order[drawn[order]]:
        x, y, prob, share = law.xs[i], law.ys[i], law.probs[i], factor * law.shares[i]
        text = f"({number(x)}, {number(y)}): probability {number(prob)}, share {number(share)}"
        height = -abs(factor) * prob if factor < 0 and share < 0 else abs(factor) * prob
        if share:
            artists.append(box(view, law.means, (x, y, height), text, negative=share < 0, opacity=opacity))
        if len(law.probs) <= _MOST_POSTS:
            artists.append(post(view, x, y, height, text))
    return artists


def _drawn_outcomes(law: Rows) -> Array:
    """Which outcomes are drawn: all where there are few, else those with a share that can be seen."""
    sizes = np.abs(law.shares)
    return np.asarray((sizes > 1e-4 * sizes.max()) | (len(law.probs) <= _MOST_POSTS))


def _largest_labelled(view: View, law: Rows, most: int) -> list[Artist]:
    """The outcomes with the largest shares, written at their posts where these are drawn."""
    if len(law.probs) > _MOST_POSTS:
        return []
    feet, tops = view.project(law.xs, law.ys), view.project(law.xs, law.ys, law.probs)
    chosen = np.argsort(-np.abs(law.shares), kind="stable")[: max(most, 0)]
    texts = [f"({number(law.xs[i])}, {number(law.ys[i])})" for i in chosen]
    return post_labels(zip(feet[chosen], tops[chosen], texts, strict=True), list(zip(feet, tops, strict=True)))
