"""What surrounds the data of a picture: axes with their labels, lines at the means, and the key above."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from randvar.plots.columns_and_rows import Columns, window
from randvar.plots.picture import Picture, inches
from randvar.plots.style import INK, RAW, label_text, number, ticks

__all__ = ["axis_of_values", "key_above", "key_room", "mean_lines", "probability_axis", "probability_name"]

# In inches of the page:
_CHARACTER = 0.078
_LINE = 0.18  # from one line of text to the next
_KEY = 0.5  # from the axes to the middle of the last line of the key; the labels of two means fit between
_SWATCH = 0.3


def axis_of_values(axes: Axes, laws: Sequence[Columns], name: str = "Value", beside: float = 0.0) -> None:
    """One horizontal axis for all of these laws, with labels at the outcomes where there are few.

    `beside` is how far something reaches to either side of an outcome.
    """
    low, high = window(*laws)
    low, high = low - beside, high + beside
    axes.set_xlim(low, high)
    values = np.unique(np.concatenate([law.values for law in laws]))
    axes.set_xticks(*ticks(values, low, high, room=15 * inches(axes)[0]))
    axes.set_xlabel(name)


def probability_axis(axes: Axes, name: str) -> None:
    """The labels of the vertical axis, whose limits are set; in a Picture the axes makes room for long ones."""
    places, labels = ticks(np.empty(0), *axes.get_ylim(), room=40)
    axes.set_yticks(places, labels)
    axes.set_ylabel(name)
    place = axes.get_position()
    extra = _CHARACTER * (max(len(label) for label in labels) - 5) * place.width / inches(axes)[0]
    if extra > 0 and isinstance(axes.figure, Picture):
        axes.set_position((place.x0 + extra, place.y0, place.width - extra, place.height))


def probability_name(laws: Sequence[Columns]) -> str:
    """What the heights of these laws are: probabilities of outcomes, or of bins."""
    widths = {number(law.width) for law in laws if law.width is not None}
    if not widths:
        return "Probability"
    return f"Probability (bins of {widths.pop()})" if len(widths) == 1 else "Probability (in bins)"


def mean_lines(axes: Axes, means: Sequence[float], names: Sequence[str] = ("mean", "mean before")) -> list[Artist]:
    """A dashed line at each mean, labelled above the axes; equal means share one line."""
    low, high = axes.get_xlim()
    width, height = inches(axes)
    upright = axes.get_xaxis_transform()
    if len(means) > 1 and abs(means[0] - means[1]) <= 1e-9 * (high - low):
        means, names = means[:1], ["both means"]
    artists: list[Artist] = []
    for row, (mean, name) in enumerate(zip(means, names, strict=False)):
        color = INK if row == 0 else RAW
        line = Line2D([mean, mean], [0, 1], transform=upright, color=color, linewidth=1.4, linestyle="--", zorder=2)
        text = f"{label_text(name, 30)} {number(mean, gap=(high - low) / 10)}"
        place = (mean - low) / (high - low)
        half = len(text) / 2 / (15 * width)
        side = "left" if place < half else "right" if place > 1 - half else "center"
        up = 1 + (0.04 + _LINE * row) / height
        artists += [line, Text(mean, up, text, transform=upright, ha=side, va="bottom", color=color, zorder=6)]
    return artists


def key_above(axes: Axes, names: Sequence[str], swatches: Sequence[Artist], colors: Sequence[str]) -> None:
    """The names of laws above the axes, where they stay while the laws move: each after its swatch.

    A swatch is drawn in inches, at most 0.3 to the right of (0, 0), which is the middle of a line of text.
    """
    width, height = inches(axes)
    places = _key_places(names, width)
    for name, swatch, color, (left, line) in zip(names, swatches, colors, places, strict=True):
        up = height + _KEY + _LINE * (places[-1][1] - line)
        swatch.set_transform(Affine2D().translate(left, up).scale(1 / width, 1 / height) + axes.transAxes)
        swatch.set_clip_on(False)
        axes.add_artist(swatch)
        at = (left + _SWATCH + 0.07) / width, up / height
        axes.text(*at, name, transform=axes.transAxes, va="center", color=color)


def key_room(names: Sequence[str], width: float) -> float:
    """The inches above an axes of this width that its key and the means take."""
    return _KEY + _LINE * (_key_places(names, width)[-1][1] + 0.8)


def _key_places(names: Sequence[str], width: float) -> list[tuple[float, int]]:
    """For each name the inches from the left and the number of its line, of as many lines as they need."""
    places: list[tuple[float, int]] = []
    left, line = 0.0, 0
    for name in names:
        needed = _SWATCH + 0.3 + _CHARACTER * len(name)
        if left > 0 and left + needed > width + 0.3:
            left, line = 0.0, line + 1
        places.append((left, line))
        left += needed
    return places
