"""The law of two variables: a post over each outcome of the floor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from randvar.plots.boxes import covariance_scene
from randvar.plots.columns_and_rows import Rows, rows
from randvar.plots.labels import post_labels
from randvar.plots.picture import Layer, bare_canvas
from randvar.plots.projection import View, post
from randvar.plots.style import POSITIVE, number, themed

__all__ = ["joint_histogram", "posts", "posts_scene"]

_MOST_LABELS = 12
_MANY = 60
# Seen from here the steps of x and y across the page are in the golden ratio, which no small fraction comes near: the
# posts of a regular grid do not hide one another.
_AZIMUTH = -math.degrees(math.atan(2 / (math.sqrt(5) - 1)))


def joint_histogram(j: Any, ax: Axes | None = None) -> Figure:
    """Posts over the floor of (x, y), their height the probability; up to 12 are labelled with it.

    Raises RandvarError for anything but a pair of finite numbers.
    """
    law = rows(j)
    with themed():
        fig, axes = bare_canvas(ax, 6.4, 4.6, f"Posts over the outcomes of a pair: {len(j.weights)} outcomes")
        view = posts_scene(axes, [law])
        Layer(axes).show(posts(view, law))
    return fig


def posts_scene(ax: Axes, laws: Iterable[Rows]) -> View:
    """What stays while laws change: the floor and the scale of heights."""
    return covariance_scene(ax, laws, azimuth=_AZIMUTH, height=0.4)


def posts(view: View, law: Rows) -> list[Artist]:
    """The posts of a law from back to front, with their probabilities where there are few."""
    feet, tops = view.project(law.xs, law.ys), view.project(law.xs, law.ys, law.probs)
    order = np.argsort(-feet[:, 1], kind="stable")
    if len(order) > _MANY:
        order = order[law.probs[order] > 1e-3 * view.top]  # the others would be dots on the floor
    artists: list[Artist] = []
    for i in order:
        text = f"({number(law.xs[i])}, {number(law.ys[i])}): probability {number(law.probs[i])}"
        artists.append(post(view, law.xs[i], law.ys[i], law.probs[i], text, color=POSITIVE))
    if len(order) > _MOST_LABELS:
        return artists
    ends = list(zip(feet, tops, strict=True))
    return artists + post_labels([(*end, number(prob)) for end, prob in zip(ends, law.probs, strict=True)], ends)
