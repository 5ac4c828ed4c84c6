"""Sliders through laws: one law a frame, drawn as a histogram, a curve or boxes on axes that do not move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from randvar.moments import expect
from randvar.plots.boxes import covariance_boxes, covariance_scene, variance_boxes, variance_scene
from randvar.plots.densities import curves, density_axes
from randvar.plots.display import columns, columns_alike, means_grid, rows, smoothed_means
from randvar.plots.histograms import axis_of_values, key_above, mean_lines, probability_axis, stems
from randvar.plots.picture import Layer, bare_canvas, canvas
from randvar.plots.posts import posts, posts_scene
from randvar.plots.slider import Slider
from randvar.plots.style import label_text, themed

__all__ = [
    "Mean",
    "Words",
    "covariance_slider",
    "curve_frames",
    "density_slider",
    "histogram_slider",
    "posts_slider",
    "through",
    "variance_slider",
]

Mean = tuple[Any, int]  # (x, n): the mean of n independent draws of x


@dataclass(frozen=True)
class Words:
    """What a slider says: the name of its parameter, how a value is written, a report a frame, what is to be seen."""

    name: str
    fmt: str
    reports: Sequence[str]
    alt: str
    active: int = 0


def histogram_slider(laws: Sequence[Any], values: Iterable[Any], words: Words) -> Slider:
    """A histogram a frame, with its mean, on one scale."""
    shown = columns_alike(*laws)
    with themed():
        fig, axes = canvas(None, 6.4, 3.2, words.alt)
        axis_of_values(axes, shown)
        axes.set_ylim(0, 1.1 * max(float(law.probs.max()) for law in shown))
        probability_axis(axes, "Probability")
    return through(fig, [axes], lambda i: [[*stems(shown[i]), *mean_lines(axes, [shown[i].mean])]], values, words)


def density_slider(
    means: Sequence[Mean],
    values: Iterable[Any],
    words: Words,
    *,
    against: Sequence[Mean] = (),
    names: Sequence[str] = (),
    axis: str = "Estimate",
) -> Slider:
    """The smoothed law of a mean a frame; `against` has a grey one a frame beside it, and `names` then names both."""
    with themed():
        fig, axes = canvas(None, 6.4, 3.3, words.alt)
        frame = curve_frames(axes, means, against, names, axis)
    return through(fig, [axes], lambda i: [frame(i)], values, words)


def curve_frames(
    axes: Axes, means: Sequence[Mean], against: Sequence[Mean], names: Sequence[str], axis: str
) -> Callable[[int], list[Artist]]:
    """Set an axes up for the curves of all frames; returns the function that makes those of one."""
    pairs = list(zip(means, against, strict=True)) if against else [(mean,) for mean in means]
    names = [label_text(name) for name in names]
    grid, bandwidth = means_grid([*means, *against])
    distinct = list(dict.fromkeys([*means, *against]))
    height_of = dict(zip(distinct, smoothed_means(distinct, grid, bandwidth), strict=True))
    centre_of = {mean: float(expect(mean[0])) for mean in height_of}
    density_axes(axes, grid, list(height_of.values()), axis)
    if names:
        key_above(axes, names)

    def frame(i: int) -> list[Artist]:
        heights, centres = [height_of[mean] for mean in pairs[i]], [centre_of[mean] for mean in pairs[i]]
        return curves(axes, grid, heights, centres, names or ["", ""])

    return frame


def variance_slider(laws: Sequence[Any], values: Iterable[Any], words: Words) -> Slider:
    """The boxes of a variance a frame, on one scale."""
    shown = [columns(law) for law in laws]
    with themed():
        fig, axes = bare_canvas(None, 6.4, 4.2, words.alt)
        view = variance_scene(axes, shown)
    return through(fig, [axes], lambda i: [variance_boxes(view, shown[i])], values, words)


def covariance_slider(pairs: Sequence[Any], values: Iterable[Any], words: Words) -> Slider:
    """The boxes of a covariance a frame, on one scale."""
    shown = [rows(pair) for pair in pairs]
    with themed():
        fig, axes = bare_canvas(None, 6.4, 4.6, words.alt)
        view = covariance_scene(axes, shown)
    return through(fig, [axes], lambda i: [covariance_boxes(view, shown[i])], values, words)


def posts_slider(pairs: Sequence[Any], values: Iterable[Any], words: Words) -> Slider:
    """The posts of a pair a frame, on one scale."""
    shown = [rows(pair) for pair in pairs]
    with themed():
        fig, axes = bare_canvas(None, 6.4, 4.6, words.alt)
        view = posts_scene(axes, shown)
    return through(fig, [axes], lambda i: [posts(view, shown[i])], values, words)


def through(
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
