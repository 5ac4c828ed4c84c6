"""Several estimators of one number side by side, and one law as its distribution function."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, overload

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from randvar.arguments import checked
from randvar.errors import RandvarError, described
from randvar.moments import expect, variance
from randvar.plots.laws_to_draw import check_size, real
from randvar.plots.picture import Layer, Picture, an_axes, inches
from randvar.plots.style import INK, NEGATIVE, POSITIVE, label_text, number, themed, ticks
from randvar.plots.svg import tip
from randvar.var import Var

__all__ = ["compare_plot"]


def _laws_by_name(name: str, _: str, estimators: Any) -> Mapping[str, Var]:
    """At least one Var with its name."""
    if not isinstance(estimators, Mapping):
        raise TypeError(f"{name}() takes {{name: law}}, got {described(estimators)}")
    if not estimators:
        raise RandvarError(f"{name}() needs at least one estimator, as {{name: law}}")
    for law in estimators.values():
        if not isinstance(law, Var):
            raise TypeError(f"{name}() compares Vars, got {described(law)}")
    return estimators


def _target(_: str, argument: str, number: Any) -> float:
    """A number that an estimate can be near to."""
    target = real(number)
    if not math.isfinite(target):
        raise RandvarError(f"the {argument} is {target}, and no estimate is near it")
    return target


@overload
def compare_plot(estimators: Mapping[str, Any], target: float, ax: None = None) -> Picture: ...
@overload
def compare_plot(estimators: Mapping[str, Any], target: float, ax: Axes) -> Figure: ...
@checked(estimators=_laws_by_name, target=_target)
def compare_plot(estimators: Mapping[str, Any], target: float, ax: Axes | None = None) -> Figure:
    """Bias and spread: for each estimator its mean, one standard deviation to either side, and the gap to the target.

    >>> from randvar.families import uniform
    >>> compare_plot({"a throw": uniform(1, 7), "a low one": uniform(1, 5)}, target=3.5)
    <Picture: Bias and spread of a throw, a low one>

    `estimators` are Vars by name; `ax` are matplotlib axes to draw on, else there is a new picture. A bias is a hatched
    bar from the target to the mean. Only means and variances are asked for, so an estimator of a million draws costs
    nothing. Raises RandvarError for no estimators, symbols, or a target that is no finite number, TypeError for
    outcomes that are no numbers.
    """
    names = [label_text(name, 24) for name in estimators]
    means = [real(expect(x)) for x in estimators.values()]
    spreads = [real(variance(x)) ** 0.5 for x in estimators.values()]
    low = min(target, *(mean - spread for mean, spread in zip(means, spreads, strict=True)))
    high = max(target, *(mean + spread for mean, spread in zip(means, spreads, strict=True)))
    check_size(low, high)
    room = 0.06 * (high - low) or abs(target) / 2 or 1.0
    with themed():
        fig, axes = _rows(ax, names)
        axes.set_xlim(low - room, high + room)
        artists: list[Artist] = []
        for row, values in enumerate(zip(names, means, spreads, strict=True)):
            artists += _estimator(axes, row, *values, target)
        places, labels = ticks(np.empty(0), low - room, high + room, room=15 * inches(axes)[0])
        axes.set_xticks(places, labels)
        axes.set_xlabel("Estimate: mean and one standard deviation to either side")
        upright = axes.get_xaxis_transform()
        line = Line2D([target] * 2, [0, 1], transform=upright, color=INK, linewidth=1.4, linestyle="--", zorder=2)
        name = f"target {number(target, gap=(high - low) / 1000 or None)}"
        label = Text(target, 1.02, name, transform=upright, ha="center", va="bottom", zorder=6)
        Layer(axes).show([*artists, line, label])
    return fig


def _rows(ax: Axes | None, names: list[str]) -> tuple[Figure, Axes]:
    """Axes with a named row for each estimator."""
    if ax is None:
        left, height = 0.35 + 0.085 * max(len(name) for name in names), 1.0 + 0.5 * len(names)
        fig = Picture(6.4, height, "Bias and spread of " + ", ".join(names))
        ax = fig.add_axes((left / 6.4, 0.55 / height, 1 - (left + 0.3) / 6.4, 1 - 0.9 / height))
    an_axes(ax).set_ylim(len(names) - 0.4, -0.6)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return ax.figure.figure, ax


def _estimator(axes: Axes, row: int, name: str, mean: float, spread: float, target: float) -> list[Artist]:
    bias = mean - target
    text = f"{name}: bias {number(bias)}, standard deviation {number(spread)}"
    bar = Line2D([mean - spread, mean + spread], [row, row], color=POSITIVE, linewidth=5, alpha=0.45, zorder=3)
    bar.set_solid_capstyle("butt")
    dot = Line2D([mean], [row], color=POSITIVE, marker="o", markersize=7, linestyle="none", zorder=4)
    gap = Rectangle((min(mean, target), row - 0.2), abs(bias), 0.4, facecolor="none", edgecolor=NEGATIVE, zorder=2.5)
    gap.set_hatch("////")
    artists: list[Artist] = [bar, dot]
    low, high = axes.get_xlim()
    if abs(bias) > 1e-9 * (high - low):
        artists.append(gap)
    for artist in artists:
        artist.set_gid(tip(text))
    return artists
