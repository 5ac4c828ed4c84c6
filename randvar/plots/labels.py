"""Where the labels of posts go: over their own, unless something is there, else beside it or higher."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.lines import Line2D
from matplotlib.text import Text

from randvar.numbers.arrays import Array
from randvar.plots.style import INK

__all__ = ["post_labels"]

# On the page, where a side of the floor is 1 long:
_CHARACTER = 0.021  # the width of one, of 9 points
_HALF_LINE = 0.02
_GAP = 0.02  # from a dot to its label
_RISES = 12  # lines that a label may stand above its post


def post_labels(ends: Iterable[tuple[Array, Array, str]], posts: Sequence[tuple[Array, Array]]) -> list[Artist]:
    """A label for each (foot, top, text), clear of the other labels and of all `posts`; one far off has a thin line."""
    taken = [_post_box(foot, top) for foot, top in posts]
    artists: list[Artist] = []
    for _, top, text in sorted(ends, key=lambda end: float(end[1][1])):
        half = np.array([_CHARACTER * len(text) / 2, _HALF_LINE])
        middle = _free_place(top, half, taken)
        taken.append((middle - half, middle + half))
        artists.append(Text(middle[0], middle[1], text, ha="center", va="center_baseline", fontsize=9, zorder=7))
        if middle[1] > top[1] + 4 * _HALF_LINE:
            leader = np.array([top, (top[0], middle[1] - _HALF_LINE)])
            artists.append(Line2D(*leader.T, color=INK, linewidth=0.6, alpha=0.6, zorder=6.5))
    return artists


def _free_place(top: Array, half: Array, taken: Sequence[tuple[Array, Array]]) -> Array:
    """The first free place for the middle of a label: above the top, to its right, to its left, then ever higher."""
    above = top + [0, _GAP + _HALF_LINE]
    beside = half[0] + _GAP
    places = [above, top + [beside, 0], top - [beside, 0]]
    places += [above + [0, 2 * _HALF_LINE * rise] for rise in range(1, _RISES)]
    clear = (place for place in places if not any(_overlap(place, half, box) for box in taken))
    return np.asarray(next(clear, places[-1]))


def _overlap(middle: Array, half: Array, box: tuple[Array, Array]) -> bool:
    return bool(np.all(middle - half < box[1]) and np.all(middle + half > box[0]))


def _post_box(foot: Array, top: Array) -> tuple[Array, Array]:
    """The rectangle that a post with its dot covers."""
    low, high = np.minimum(foot, top), np.maximum(foot, top)
    return low - [0.008, 0], high + [0.008, 0.012]
