"""Sliders through laws: one law a frame, drawn as a histogram, a curve or boxes on axes that do not move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from randvar.plots.axes import axis_of_values, key_room, mean_lines, probability_axis, probability_name
from randvar.plots.boxes import covariance_boxes, covariance_scene, variance_boxes, variance_scene
from randvar.plots.columns_and_rows import Rows, columns, columns_alike, rows
from randvar.plots.densities import curves, density_axes, density_key
from randvar.plots.histograms import stems
from randvar.plots.picture import ROOM_BESIDE, Layer, bare_canvas, canvas
from randvar.plots.posts import posts, posts_scene
from randvar.plots.slider import Slider
from randvar.plots.smoothed_curves import Estimate, estimate_curves
from randvar.plots.style import label_text, themed

__all__ = [
    "Words",
    "covariance_slider",
    "curve_frames",
    "density_slider",
    "histogram_slider",
    "posts_slider",
    "layered_slider",
    "variance_slider",
]


@dataclass(frozen=True)
class Words:
    """What a slider says: the name of its parameter, how a value is written, a report a frame, what is to be seen.

    `axis` is the name of what the law is about, where the picture has an axis for it.
    """

    name: str
    fmt: str
    reports: Sequence[str]
    alt: str
    active: int = 0
    axis: str = "Value"


def histogram_slider(laws: Sequence[Any], values: Iterable[Any], words: Words) -> Slider:
    """A histogram a frame, with its mean, on one scale."""
    shown = columns_alike(*laws)
    with themed():
        fig, axes = canvas(None, 6.4, 3.2, words.alt)
        axis_of_values(axes, shown, words.axis)
        axes.set_ylim(0, 1.1 * max(float(law.probs.max()) for law in shown))
        probability_axis(axes, probability_name(shown))
    return layered_slider(
        fig, [axes], lambda i: [[*stems(shown[i]), *mean_lines(axes, [shown[i].mean])]], values, words
    )


def density_slider(
    estimates: Sequence[Estimate],
    values: Iterable[Any],
    words: Words,
    *,
    against: Sequence[Estimate] = (),
    names: Sequence[str] = (),
) -> Slider:
    """The smoothed law of an estimate a frame; `against` has a grey one a frame beside it. `names` names them."""
    with themed():
        room = key_room(list(map(label_text, names)), 6.4 - ROOM_BESIDE)
        fig, axes = canvas(None, 6.4, 2.8 + room, words.alt, above=room)
        frame = curve_frames(axes, estimates, against, names, words.axis)
    return layered_slider(fig, [axes], lambda i: [frame(i)], values, words)


def curve_frames(
    axes: Axes, estimates: Sequence[Estimate], against: Sequence[Estimate], names: Sequence[str], axis: str
) -> Callable[[int], list[Artist]]:
    """Set an axes up for the curves of all frames; returns the function that makes those of one."""
    pairs = list(zip(estimates, against, strict=True)) if against else [(estimate,) for estimate in estimates]
    names = [label_text(name) for name in names]
    distinct = list(dict.fromkeys([*estimates, *against]))
    drawn = estimate_curves(distinct)
    shown = density_axes(axes, drawn.grid, drawn.heights, axis)
    density_key(axes, names)
    height_of = {estimate: height[shown] for estimate, height in zip(distinct, drawn.heights, strict=True)}
    mean_of = dict(zip(distinct, drawn.means, strict=True))

    def frame(i: int) -> list[Artist]:
        heights, means = [height_of[each] for each in pairs[i]], [mean_of[each] for each in pairs[i]]
        return curves(axes, drawn.grid[shown], heights, means, names)

    return frame


def variance_slider(laws: Sequence[Any], values: Iterable[Any], words: Words) -> Slider:
    """The boxes of a variance a frame, on one scale."""
    shown = [columns(law) for law in laws]
    with themed():
        fig, axes = bare_canvas(None, 6.4, 4.2, words.alt)
        view = variance_scene(axes, shown, words.axis)
    return layered_slider(fig, [axes], lambda i: [variance_boxes(view, shown[i])], values, words)


def covariance_slider(pairs: Sequence[Rows], values: Iterable[Any], words: Words) -> Slider:
    """The boxes of a covariance a frame, on one scale."""
    with themed():
        fig, axes = bare_canvas(None, 6.4, 4.6, words.alt)
        view = covariance_scene(axes, pairs)
    return layered_slider(fig, [axes], lambda i: [covariance_boxes(view, pairs[i])], values, words)


def posts_slider(pairs: Sequence[Any], values: Iterable[Any], words: Words) -> Slider:
    """The posts of a pair a frame, on one scale."""
    shown = [rows(pair) for pair in pairs]
    with themed():
        fig, axes = bare_canvas(None, 6.4, 4.6, words.alt)
        view = posts_scene(axes, shown)
    return layered_slider(fig, [axes], lambda i: [posts(view, shown[i])], values, words)


def layered_slider(
    fig: Any, axes: Sequence[Axes], frame: Callable[[int], Sequence[list[Artist]]], values: Iterable[Any], words: Words
) -> Slider:
    """A slider whose frame i shows, on each axes, the artists that `frame(i)` lists for it."""
    with themed():
        layers = [Layer(ax) for ax in axes]

    def update(i: int) -> None:
        for layer, artists in zip(layers, frame(i), strict=True):
            layer.show(artists)

    return Slider(
        fig,
        layers,
        update,
        values,
        name=words.name,
        fmt=words.fmt,
        report=words.reports.__getitem__,
        alt=words.alt,
        active=words.active,
    )
