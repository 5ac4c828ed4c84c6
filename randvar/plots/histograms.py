"""The law of one variable: stems and dots, columns side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from randvar.arguments import checked, sequence
from randvar.errors import RandvarError
from randvar.joint import Joint
from randvar.plots.axes import (
    axis_of_values,
    key_above,
    key_room,
    mean_lines,
    probability_axis,
    probability_name,
)
from randvar.plots.columns_and_rows import Columns, columns_alike
from randvar.plots.laws_to_draw import is_number_law, real
from randvar.plots.picture import ROOM_BESIDE, Layer, Picture, canvas, inches
from randvar.plots.posts import joint_histogram
from randvar.plots.style import INK, POSITIVE, RAW, label_text, number, themed
from randvar.plots.svg import tip

__all__ = ["draw_histogram", "histogram_row", "stems"]

_MOST_CATEGORIES = 40
# Okabe and Ito's order for columns side by side; from the sixth law on they are hatched as well.
_SERIES = (POSITIVE, "#E69F00", "#009E73", "#CC79A7", RAW)
_HATCHES = (None, "////", "....")


def draw_histogram(x: Any, without: Any = None, ax: Axes | None = None) -> Figure:
    """What `histogram` draws."""
    if isinstance(x, Joint):
        if without is not None:
            raise RandvarError("without= compares two variables, and this is a Joint: compare j[0] and j[1]")
        return joint_histogram(x, ax)
    laws = [x] if without is None else [x, without]
    with themed():
        if all(is_number_law(law) for law in laws):
            return _number_histogram(laws, ax)
        return _category_histogram(laws, ax)


def _number_histogram(laws: Sequence[Any], ax: Axes | None) -> Figure:
    shown = columns_alike(*laws)
    alt = f"Histogram with {len(laws[0])} outcomes and mean {number(shown[0].mean)}"
    fig, axes = canvas(ax, 6.4, 3.2, alt, above=0.5 if len(laws) == 1 else key_room(["before"], 5))
    axis_of_values(axes, shown)
    axes.set_ylim(0, 1.1 * max(float(law.probs.max()) for law in shown))
    probability_axis(axes, probability_name(shown))
    layer = Layer(axes)
    artists = stems(shown[0])
    if len(shown) > 1:
        artists += stems(shown[1], hollow=True)
        dot, ring = Line2D([0.15], [0], color=POSITIVE, marker="o"), _hollow(Line2D([0.15], [0], color=RAW, marker="o"))
        key_above(axes, ["after", "before"], [dot, ring], [POSITIVE, RAW])
    layer.show([*artists, *mean_lines(axes, [law.mean for law in shown])])
    return fig


def _category_histogram(laws: Sequence[Any], ax: Axes | None) -> Figure:
    """Outcomes in the order of the first law, those of the second after them."""
    tables = [dict(zip(law.values.tolist(), map(real, law.probs), strict=True)) for law in laws]
    outcomes = list(dict.fromkeys(outcome for table in tables for outcome in table))
    chosen = outcomes
    if len(outcomes) > _MOST_CATEGORIES:
        likeliest = sorted(outcomes, key=lambda outcome: -max(table.get(outcome, 0.0) for table in tables))
        kept = set(likeliest[:_MOST_CATEGORIES])
        chosen = [outcome for outcome in outcomes if outcome in kept]
    fig, axes = canvas(ax, 6.4, 3.2, f"Histogram of {len(outcomes)} outcomes that are no numbers")
    artists: list[Artist] = []
    for table, hollow in zip(tables, (False, True), strict=False):
        for i, outcome in enumerate(chosen):
            if outcome in table:
                prob = table[outcome]
                text = f"{label_text(outcome)}: probability {number(prob)}"
                artists.append(_stem(float(i), prob, text, POSITIVE if not hollow else RAW, hollow=hollow))
    axes.set_xlim(-0.6, len(chosen) - 0.4)
    axes.set_ylim(0, 1.1 * max(max(table.values()) for table in tables))
    probability_axis(axes, "Probability")
    _category_labels(axes, [label_text(outcome, 14) for outcome in chosen])
    if len(chosen) < len(outcomes):
        axes.set_title(f"The {len(chosen)} likeliest of {len(outcomes)} outcomes")
    Layer(axes).show(artists)
    return fig


def _category_labels(axes: Axes, labels: Sequence[str]) -> None:
    """Level where they fit, else upright; the axes gives up the height that they need."""
    widest = max(len(label) for label in labels)
    upright = widest + 1 > 80 / len(labels)
    axes.set_xticks(range(len(labels)), labels, rotation=90 if upright else 0, fontsize=9 if len(labels) <= 20 else 7)
    if upright:
        place = axes.get_position()
        needed = 0.085 * widest * place.height / inches(axes)[1]
        axes.set_position((place.x0, place.y0 + needed - 0.08, place.width, place.height - needed + 0.08))


def stems(law: Columns, *, hollow: bool = False) -> list[Artist]:
    """A stem and a dot over each outcome; hollow grey dots for a law that something is compared with."""
    color = RAW if hollow else POSITIVE
    texts = (
        f"{number(value)}: probability {number(prob)}, share of the variance {number(share)}"
        for value, prob, share in zip(law.values, law.probs, law.shares, strict=True)
    )
    return [
        _stem(float(value), float(prob), text, color, hollow=hollow)
        for value, prob, text in zip(law.values, law.probs, texts, strict=True)
    ]


def _stem(x: float, height: float, text: str, color: str, *, hollow: bool) -> Line2D:
    stem = Line2D([x, x], [0, height], color=color, marker="o", markevery=[1])
    stem.set(linewidth=2.2, markersize=6, zorder=3)
    stem.set_solid_capstyle("butt")
    stem.set_gid(tip(text))
    return _hollow(stem) if hollow else stem


def _hollow(line: Line2D) -> Line2D:
    line.set(linewidth=0.0, markersize=7, markerfacecolor="none", markeredgewidth=1.4, zorder=2.5)
    return line


@overload
def histogram_row(*xs: Any, labels: Sequence[str] = (), ax: None = None) -> Picture: ...
@overload
def histogram_row(*xs: Any, labels: Sequence[str] = (), ax: Axes) -> Figure: ...
@checked(labels=sequence)
def histogram_row(*xs: Any, labels: Sequence[str] = (), ax: Axes | None = None) -> Figure:
    """Several laws on one scale: for each outcome, their columns side by side.

    >>> from randvar.families import uniform, weighted_die
    >>> histogram_row(uniform(1, 7), weighted_die([1, 2, 3, 4, 5, 6]), labels=["fair", "loaded"])
    <Picture: Histograms side by side: fair, loaded>

    `xs` are Vars; `ax` are matplotlib axes to draw on, else there is a new picture. Raises RandvarError when a law has
    outcomes that are no finite numbers, or when `labels` are not one a law.
    """
    if not xs:
        raise RandvarError("histogram_row() needs at least one law")
    if labels and len(labels) != len(xs):
        raise RandvarError(f"{len(labels)} labels for {len(xs)} laws: give one label a law")
    names = [label_text(label) for label in labels] or [f"law {i + 1}" for i in range(len(xs))]
    shown = columns_alike(*xs)
    width = _bar_width(shown)
    key = [f"{name} (mean {number(law.mean)})" for name, law in zip(names, shown, strict=True)]
    with themed():
        room = key_room(key, 6.4 - ROOM_BESIDE)
        fig, axes = canvas(ax, 6.4, 2.75 + room, "Histograms side by side: " + ", ".join(names), above=room)
        axis_of_values(axes, shown, beside=width * len(xs) / 2)
        axes.set_ylim(0, 1.08 * max(float(law.probs.max()) for law in shown))
        probability_axis(axes, probability_name(shown))
        bars: list[Artist] = []
        for i, law in enumerate(shown):
            bars += _bars(law, width, (i - (len(shown) - 1) / 2) * width, i, names[i])
        Layer(axes).show(bars)
        swatches = [_bar(0.12, -0.06, 0.14, 0.12, i) for i in range(len(key))]
        key_above(axes, key, swatches, [INK] * len(key))
    return fig


def _bar_width(laws: Sequence[Columns]) -> float:
    """So wide that the columns over one outcome stay clear of those over the next, where that can be seen at all."""
    places = np.unique(np.concatenate([law.values for law in laws]))
    spread = float(places[-1] - places[0])
    gap = float(np.diff(places).min()) if spread else abs(float(places[0])) / 4 or 0.5
    return 0.8 * max(gap, 0.012 * spread) / len(laws)


def _bars(law: Columns, width: float, shift: float, series: int, name: str) -> list[Artist]:
    bars: list[Artist] = []
    for value, prob in zip(law.values, law.probs, strict=True):
        bar = _bar(value + shift - width / 2, 0, width, prob, series)
        bar.set_gid(tip(f"{name}, {number(value)}: probability {number(prob)}"))
        bars.append(bar)
    return bars


def _bar(left: float, bottom: float, width: float, height: float, series: int) -> Rectangle:
    color, hatch = _SERIES[series % len(_SERIES)], _HATCHES[series // len(_SERIES) % len(_HATCHES)]
    return Rectangle((left, bottom), width, height, facecolor=color, edgecolor=INK, linewidth=0, hatch=hatch)
