"""A picture with a parameter: every frame drawn beforehand, so that the page needs no Python."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from randvar.arguments import checked, function, listed, optional, sequence, whole
from randvar.errors import RandvarError, described, one_line
from randvar.plots.page import Parts, embed, png
from randvar.plots.picture import write
from randvar.plots.style import label_text, themed
from randvar.plots.svg import Canvas, document, draw_figure

__all__ = ["MOST_FRAMES", "Frame", "Slider", "check_format", "frame_values"]

MOST_FRAMES = 1000

_DPI = 101  # the still picture is as large as the live one


@dataclass(frozen=True)
class Frame:
    """One position of a slider: its value as given and as shown, its report, and its picture."""

    value: Any
    label: str
    report: str
    svg: str


class Slider:
    """A figure of which `artists` change with a value; `update(i)` sets them to the i-th of `values`.

    >>> from matplotlib.figure import Figure
    >>> fig = Figure()
    >>> (dot,) = fig.add_subplot().plot([0], [0], "o")
    >>> Slider(fig, [dot], lambda i: dot.set_xdata([i]), values=[1, 2, 3], name="x =")
    <Slider: x = 1 to 3, 3 frames>

    `name` stands before the value, `fmt` writes it, `report(i)` says the result in words, and `alt` what is to be seen.
    All frames are drawn at once, and nothing changes afterwards: neither the figure nor the functions are kept. Shows
    itself in a notebook and in an exported page, offline, and by the frame `active` where scripts do not run. `explore`
    makes one of any function of a parameter.

    Raises RandvarError for no values, or when `active` is none of their positions. Cost: one drawing a value.
    """

    @checked("Slider", artists=sequence, update=function, report=optional(function))
    def __init__(
        self,
        fig: Figure,
        artists: Iterable[Artist],
        update: Callable[[int], None],
        values: Iterable[Any],
        *,
        name: str,
        fmt: str = "{:g}",
        report: Callable[[int], str] | None = None,
        alt: str = "",
        active: int = 0,
    ) -> None:
        values = frame_values("Slider", values, active)
        check_format(fmt, values)
        if not isinstance(fig, Figure) or not all(isinstance(artist, Artist) for artist in artists):
            raise TypeError(
                f"Slider takes a Figure and the artists of it that change, got {described(fig)} and {one_line(artists)}"
            )
        changing = sorted(artists, key=lambda artist: artist.get_zorder())

        def draw(i: int) -> Callable[[Canvas], None]:
            def on(canvas: Canvas) -> None:
                update(i)
                for artist in changing:
                    artist.draw(canvas)

            return on

        try:
            for artist in changing:
                artist.set_animated(True)  # left out when the figure is drawn
            (base, *frames), defs = draw_figure(fig, *map(draw, range(len(values))))
        finally:
            for artist in changing:
                artist.set_animated(False)
        with themed():
            update(active)
        reports = [report(i) if report else "" for i in range(len(values))]
        words = {"name": name, "labels": [fmt.format(value) for value in values], "reports": reports, "alt": alt}
        self._fill(values, _parts(fig, base, frames, defs, active, **words), png(fig, _DPI))

    @classmethod
    @checked("Slider.of_figures", figures=sequence, reports=optional(sequence))
    def of_figures(
        cls,
        figures: Sequence[Figure],
        values: Iterable[Any],
        *,
        name: str,
        fmt: str = "{:g}",
        reports: Sequence[str] | None = None,
        alt: str = "",
        active: int = 0,
    ) -> Slider:
        """A slider through whole figures of one size, one a value; what they have in common is stored once.

        >>> from randvar.families import uniform
        >>> from randvar.plots.first_pictures import histogram
        >>> Slider.of_figures([histogram(uniform(0, n)) for n in (1, 2)], values=[1, 2], name="n =")
        <Slider: n = 1 to 2, 2 frames>

        `name`, `fmt`, `alt` and `active` are as in `Slider`; `reports` are the results in words, one a figure. Raises
        RandvarError for no values, another number of `figures`, or figures of different sizes.
        """
        values = frame_values("Slider.of_figures", values, active)
        check_format(fmt, values)
        for figure in figures:
            if not isinstance(figure, Figure):
                raise TypeError(f"Slider.of_figures takes Figures, got {described(figure)}")
        if reports is not None and len(reports) != len(values):
            raise RandvarError(f"{len(reports)} reports for {len(values)} values: give one report a value")
        if len(figures) != len(values):
            raise RandvarError(f"{len(figures)} figures for {len(values)} values: give one figure a value")
        if len({tuple(map(float, figure.get_size_inches())) for figure in figures}) > 1:
            raise RandvarError("the figures of a slider must all have one size, or the page would jump")
        drawn = [draw_figure(figure) for figure in figures]
        defs = {key: element for _, definitions in drawn for key, element in definitions.items()}
        frames = [layers[0] for layers, _ in drawn]
        words = {
            "name": name,
            "labels": [fmt.format(value) for value in values],
            "reports": [""] * len(values) if reports is None else list(map(str, reports)),
            "alt": alt,
        }
        slider = cls.__new__(cls)
        slider._fill(values, _parts(figures[active], [], frames, defs, active, **words), png(figures[active], _DPI))
        return slider

    def _fill(self, values: tuple[Any, ...], parts: Parts, image: bytes) -> None:
        self._values, self._parts, self._image = values, parts, image

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, one a frame.

        >>> from randvar.plots.variance_sliders import coin_variance_slider
        >>> coin_variance_slider(3).values
        (1, 2, 3)
        """
        return self._values

    @property
    def active(self) -> Any:
        """The value it begins with.

        >>> from randvar.plots.variance_sliders import coin_variance_slider
        >>> coin_variance_slider(3).active
        1
        """
        return self._values[self._parts.active]

    def __len__(self) -> int:
        return len(self._values)

    def frame(self, value: Any) -> Frame:
        """The frame of one of the values: its `value`, `label`, `report` and `svg`.

        >>> from randvar.plots.variance_sliders import coin_variance_slider
        >>> coin_variance_slider(3).frame(2).report
        'Variance = 1/2 = 0.50'

        Raises RandvarError for a `value` that is none of `values`.
        """
        i = _place(value, self._values)
        if i is None:
            shown = ", ".join(self._parts.labels)
            raise RandvarError(f"this slider has no frame at {one_line(value)}; it has {label_text(shown, 200)}")
        parts = self._parts
        body = parts.base + "".join(parts.pieces[piece] for piece in parts.frames[i])
        alt = label_text(f"{parts.alt}. {parts.name} {parts.labels[i]}. {parts.reports[i]}", 1000)
        svg = document(parts.width, parts.height, body, parts.defs, alt)
        return Frame(value, parts.labels[i], parts.reports[i], svg)

    def save(self, path: str | Path) -> None:
        """Write a page that ends in .html, or the active frame as .svg or .png.

        >>> from tempfile import TemporaryDirectory
        >>> from randvar.plots.variance_sliders import coin_variance_slider
        >>> with TemporaryDirectory() as folder:
        ...     coin_variance_slider(3).save(f"{folder}/coin.html")

        The page needs neither Python nor a network. Raises RandvarError for a `path` with another ending.
        """
        write(path, html=self._repr_html_, svg=lambda: self.frame(self.active).svg, png=lambda: self._image)

    def __repr__(self) -> str:
        first, last = self._parts.labels[0], self._parts.labels[-1]
        return f"<Slider: {self._parts.name} {first} to {last}, {len(self)} frames>"

    def _repr_html_(self) -> str:
        return embed(self._parts, self._image)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {
            "text/html": self._repr_html_(),
            "image/png": base64.b64encode(self._image).decode(),
            "text/plain": repr(self),
        }


def frame_values(name: str, values: Iterable[Any], active: int) -> tuple[Any, ...]:
    """The values of the frames, of which there is at least one, no more than fit on a page, and `active` is one."""
    found = tuple(itertools.islice(values, MOST_FRAMES + 1) if isinstance(values, Iterator) else listed(name, values))
    if not found:
        raise RandvarError(f"{name}: a slider needs at least one value")
    if len(found) > MOST_FRAMES:
        raise RandvarError(f"{name}: a slider has at most {MOST_FRAMES} values, each a picture; got more: take a few")
    if not 0 <= whole(name, "active", active) < len(found):
        raise RandvarError(f"{name}: active={one_line(active)} is no frame: there are {len(found)}, counted from 0")
    return found


def check_format(fmt: Any, values: Iterable[Any]) -> None:
    """Refuse what does not write each of the values."""
    if not isinstance(fmt, str):
        raise TypeError(f"fmt must be a format such as '{{:.2f}}', got {described(fmt)}")
    for value in values:
        try:
            fmt.format(value)
        except Exception as error:
            raise RandvarError(f"fmt={fmt!r} does not write the value {one_line(value)}: {error}") from error


def _place(value: Any, values: Sequence[Any]) -> int | None:
    """Where it stands among the values; what cannot be compared with them is none of them."""
    try:
        return values.index(value) if value in values else None
    except (TypeError, ValueError, ArithmeticError):
        return None


def _parts(
    fig: Figure, base: list[str], frames: list[list[str]], defs: dict[str, str], active: int, **words: Any
) -> Parts:
    """Number the pieces of all frames, equal ones once, and take up the words that come with them."""
    places: dict[str, int] = {}
    numbered = [[places.setdefault(piece, len(places)) for piece in frame] for frame in frames]
    width, height = (72 * float(side) for side in fig.get_size_inches())
    return Parts(
        width=width,
        height=height,
        alt=label_text(words["alt"], 400),
        base="".join(base),
        defs="".join(defs.values()),
        name=label_text(words["name"]),
        pieces=list(places),
        frames=numbered,
        labels=[label_text(label) for label in words["labels"]],
        reports=words["reports"],
        active=active,
    )
