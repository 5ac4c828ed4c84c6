"""The law of one variable: stems and dots, columns side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from randvar.errors import RandvarError
from randvar.joint import Joint
from randvar.plots.display import Columns, columns_alike, is_number_law, window
from randvar.plots.picture import Layer, Picture, canvas, inches
from randvar.plots.posts import joint_histogram
from randvar.plots.style import INK, POSITIVE, RAW, label_text, number, themed, ticks
from randvar.plots.svg import tip

__all__ = ["axis_of_values", "histogram", "histogram_row", "key_above", "mean_lines", "probability_axis", "stems"]

_MOST_CATEGORIES = 40
_SERIES = (POSITIVE, "#E69F00", "#009E73", "#CC79A7", RAW)  # Okabe and Ito's order for columns side by side


def histogram(x: Any, without: Any = None, ax: Axes | None = None) -> Figure:
    """The law of x as stems and dots with its mean; `without` adds the law before as hollow dots. A Joint: posts.

    Outcomes that are no numbers stand side by side in their order (the 40 likeliest at most). Raises RandvarError for
    infinite outcomes.
    """
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
    fig, axes = canvas(ax, 6.4, 3.2, f"Histogram with {len(laws[0])} outcomes and mean {number(shown[0].mean)}")
    axis_of_values(axes, shown)
    axes.set_ylim(0, 1.1 * max(float(law.probs.max()) for law in shown))
    probability_axis(axes, _probability_name(shown[0]))
    layer = Layer(axes)
    artists = stems(shown[0])
    if len(shown) > 1:
        artists += stems(shown[1], hollow=True)
        axes.text(1, 1.1, "hollow: before", transform=axes.transAxes, ha="right", va="bottom", color=RAW)
    layer.show([*artists, *mean_lines(axes, [law.mean for law in shown])])
    return fig


def _category_histogram(laws: Sequence[Any], ax: Axes | None) -> Figure:
    """Outcomes in the order of the first law, those of the second after them."""
    tables = [dict(zip(law.values.tolist(), map(float, law.probs), strict=True)) for law in laws]
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


def axis_of_values(axes: Axes, laws: Sequence[Columns], name: str = "Value") -> None:
    """One horizontal axis for all of these laws, with labels at the outcomes where there are few."""
    low, high = window(*laws)
    axes.set_xlim(low, high)
    values = np.unique(np.concatenate([law.values for law in laws]))
    places, labels = ticks(values, low, high, room=15 * inches(axes)[0])
    axes.set_xticks(places, labels)
    axes.set_xlabel(name)


def _probability_name(law: Columns) -> str:
    return "Probability" if law.width is None else f"Probability (bins of {number(law.width)})"


def probability_axis(axes: Axes, name: str) -> None:
    """The labels of the vertical axis, whose limits are set; in a Picture the axes makes room for long ones."""
    low, high = axes.get_ylim()
    places, labels = ticks(np.empty(0), low, high, room=40)
    axes.set_yticks(places, labels)
    axes.set_ylabel(name)
    place = axes.get_position()
    extra = 0.085 * (max(len(label) for label in labels) - 5) * place.width / inches(axes)[0]
    if extra > 0 and isinstance(axes.figure, Picture):
        axes.set_position((place.x0 + extra, place.y0, place.width - extra, place.height))


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
    stem.set(linewidth=0.0 if hollow else 2.2, markersize=7 if hollow else 6, zorder=2.5 if hollow else 3)
    stem.set_solid_capstyle("butt")
    if hollow:
        stem.set(markerfacecolor="none", markeredgewidth=1.4)
    stem.set_gid(tip(text))
    return stem


def key_above(axes: Axes, names: Sequence[str], colors: Sequence[str] = (POSITIVE, RAW)) -> None:
    """The names of a solid and of a dotted grey law, where they stay while the laws move."""
    width = inches(axes)[0]
    at = 0.0
    for name, color, style in zip(names, colors, ("-", ":"), strict=False):
        line = Line2D([at, at + 0.3 / width], [1.18, 1.18], transform=axes.transAxes, color=color, linewidth=2)
        line.set(linestyle=style, clip_on=False)
        axes.add_artist(line)
        axes.text(at + 0.36 / width, 1.18, name, transform=axes.transAxes, va="center", color=color)
        at += (0.66 + 0.085 * len(name)) / width


def mean_lines(axes: Axes, means: Sequence[float], names: Sequence[str] = ("mean", "mean before")) -> list[Artist]:
    """A dashed line at each mean, labelled above the axes; equal means share one line."""
    low, high = axes.get_xlim()
    upright = axes.get_xaxis_transform()
    if len(means) > 1 and abs(means[0] - means[1]) <= 1e-9 * (high - low):
        means, names = means[:1], ["both means"]
    artists: list[Artist] = []
    for row, (mean, name) in enumerate(zip(means, names, strict=False)):
        color = INK if row == 0 else RAW
        line = Line2D([mean, mean], [0, 1], transform=upright, color=color, linewidth=1.4, linestyle="--", zorder=2)
        text = f"{name} {number(mean, gap=(high - low) / 10)}"
        place = (mean - low) / (high - low)
        half = len(text) / 2 / (15 * inches(axes)[0])
        side = "left" if place < half else "right" if place > 1 - half else "center"
        label = Text(mean, 1.02 + 0.075 * row, text, transform=upright, ha=side, va="bottom", color=color, zorder=6)
        artists += [line, label]
    return artists


def histogram_row(*xs: Any, labels: Sequence[str] = (), ax: Axes | None = None) -> Figure:
    """Several laws on one scale: for each outcome, their columns side by side.

    Raises RandvarError when a law has outcomes that are no finite numbers, or when `labels` are not one a law.
    """
    if not xs:
        raise RandvarError("histogram_row() needs at least one law")
    if labels and len(labels) != len(xs):
        raise RandvarError(f"{len(labels)} labels for {len(xs)} laws: give one label a law")
    names = [label_text(label) for label in labels] or [f"law {i + 1}" for i in range(len(xs))]
    shown = columns_alike(*xs)
    with themed():
        fig, axes = canvas(ax, 6.4, 3.4, "Histograms side by side: " + ", ".join(names))
        axis_of_values(axes, shown)
        axes.set_ylim(0, 1.08 * max(float(law.probs.max()) for law in shown))
        probability_axis(axes, _probability_name(shown[0]))
        places = np.unique(np.concatenate([law.values for law in shown]))
        low, high = axes.get_xlim()
        gap = float(np.diff(places).min()) if len(places) > 1 else (high - low) / 4
        width = 0.8 * max(gap, 0.012 * (high - low)) / len(shown)
        bars: list[Artist] = []
        for i, law in enumerate(shown):
            bars += _bars(law, width, (i - (len(shown) - 1) / 2) * width, _SERIES[i % len(_SERIES)], names[i])
        Layer(axes).show(bars)
        _names_above(axes, [f"{name} (mean {number(law.mean)})" for name, law in zip(names, shown, strict=True)])
    return fig


def _bars(law: Columns, width: float, shift: float, color: str, name: str) -> list[Artist]:
    bars: list[Artist] = []
    for value, prob in zip(law.values, law.probs, strict=True):
        bar = Rectangle((value + shift - width / 2, 0), width, prob, facecolor=color, linewidth=0)
        bar.set_gid(tip(f"{name}, {number(value)}: probability {number(prob)}"))
        bars.append(bar)
    return bars


def _names_above(axes: Axes, names: Sequence[str]) -> None:
    """The name of each law in a line above the axes, after a swatch of its colour."""
    width = inches(axes)[0]
    at = 0.0
    for i, name in enumerate(names):
        swatch = Rectangle((at, 1.05), 0.14 / width, 0.05, transform=axes.transAxes, color=_SERIES[i % len(_SERIES)])
        swatch.set_clip_on(False)
        axes.add_artist(swatch)
        axes.text(at + 0.2 / width, 1.045, name, transform=axes.transAxes, va="bottom")
        at += (0.5 + 0.085 * len(name)) / width
