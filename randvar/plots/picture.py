"""A matplotlib figure that shows itself: in a notebook, in an exported page, and in the page's own ink."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from randvar.errors import RandvarError, described
from randvar.plots.page import Parts, embed, png, standalone
from randvar.plots.style import label_text, themed
from randvar.plots.svg import draw_figure, svg_document

__all__ = ["ROOM_BESIDE", "Layer", "Picture", "an_axes", "bare_canvas", "canvas", "inches", "write"]

_LEFT = 0.72  # inches: the vertical axis with its labels
ROOM_BESIDE = 1.0  # inches of a picture's width that its axes leaves to either side together


class Picture(Figure):
    """A Figure outside pyplot, with its own look whatever the style in force, and a display of its own.

    >>> from randvar.families import uniform
    >>> from randvar.plots.first_pictures import histogram
    >>> picture = histogram(uniform(1, 7))
    >>> picture, picture.axes[0].get_xlabel()
    (<Picture: Histogram with 6 outcomes and mean 3.5>, 'Value')

    What `histogram` and its like return: a matplotlib Figure of `width` by `height` inches that may be changed like any
    other. `alt` says in words what is to be seen. The functions that draw one say what they raise.
    """

    def __init__(self, width: float, height: float, alt: str = "") -> None:
        with themed():
            super().__init__(figsize=(width, height), dpi=100)
        self.alt = alt

    def __repr__(self) -> str:
        return f"<Picture: {label_text(self.alt, 200)}>"

    __str__ = __repr__  # Figure has one of its own

    def draw(self, renderer: Any) -> None:
        with themed():
            super().draw(renderer)

    def parts(self) -> Parts:
        """The picture as the page wants it, one fixed layer: width and height in points, the words, the SVG.

        >>> from randvar.plots.polling import polling_sketch
        >>> parts = polling_sketch().parts()    # 6.4 by 2.6 inches
        >>> round(parts.width, 1), round(parts.height, 1), parts.alt[:12]
        (460.8, 187.2, 'Two counties')
        """
        (base,), defs = draw_figure(self)
        width, height = (72 * float(side) for side in self.get_size_inches())
        return Parts(width, height, self.alt, "".join(base), "".join(defs.values()))

    def save(self, path: str | Path) -> None:
        """Write the picture to a file that ends in .html, .svg or .png.

        >>> from tempfile import TemporaryDirectory
        >>> from randvar.families import uniform
        >>> from randvar.plots.first_pictures import histogram
        >>> with TemporaryDirectory() as folder:
        ...     histogram(uniform(1, 7)).save(f"{folder}/die.svg")

        Raises RandvarError for a `path` with another ending; `savefig`, which every Figure has, writes other formats.
        """
        write(path, html=self._repr_html_, svg=lambda: svg_document(self, self.alt), png=lambda: png(self))

    def _repr_html_(self) -> str:
        return embed(self.parts(), png(self))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        image = png(self)
        return {
            "text/html": embed(self.parts(), image),
            "image/png": base64.b64encode(image).decode(),
            "text/plain": repr(self),
        }


class Layer(Artist):
    """The part of an axes that changes: a list of artists in data coordinates, replaced as a whole.

    matplotlib has no artist that owns others and can be refilled; a slider needs one, since its frames differ in the
    number of stems, boxes and labels.
    """

    def __init__(self, ax: Axes, zorder: float = 3) -> None:
        super().__init__()
        self._ax = ax
        self._parts: list[Artist] = []
        self.set_zorder(zorder)
        ax.add_artist(self)
        self.set_clip_on(False)

    def show(self, artists: Iterable[Artist]) -> None:
        """Show these, and nothing of what was here before."""
        self._parts = sorted(artists, key=lambda artist: artist.get_zorder())
        for artist in self._parts:
            artist.set_figure(self._ax.figure)
            artist.axes = self._ax
            if not artist.is_transform_set():
                artist.set_transform(self._ax.transData)
            artist.set_clip_on(False)
        self.stale = True

    def draw(self, renderer: Any) -> None:
        for artist in self._parts:
            artist.draw(renderer)

    def get_children(self) -> list[Artist]:
        return list(self._parts)

    def get_window_extent(self, renderer: Any = None) -> Bbox:
        """What `savefig(bbox_inches="tight")` must not cut off."""
        boxes = [artist.get_window_extent(renderer) for artist in self._parts]
        return Bbox.union(boxes) if boxes else Bbox.null()


def canvas(ax: Axes | None, width: float, height: float, alt: str, above: float = 0.5) -> tuple[Figure, Axes]:
    """The axes to draw on and its figure: the caller's, or those of a new Picture with `above` inches over its axes."""
    return _canvas(ax, width, height, alt, left=_LEFT, right=ROOM_BESIDE - _LEFT, bottom=0.55, top=above)


def bare_canvas(ax: Axes | None, width: float, height: float, alt: str) -> tuple[Figure, Axes]:
    """The same for a picture without axes lines: all of the figure but a line for the title."""
    return _canvas(ax, width, height, alt, left=0.1, right=0.1, bottom=0.05, top=0.32)


def _canvas(
    ax: Axes | None, width: float, height: float, alt: str, *, left: float, right: float, bottom: float, top: float
) -> tuple[Figure, Axes]:
    if ax is not None:
        return an_axes(ax).figure.figure, ax
    fig = Picture(width, height, alt)
    place = (left / width, bottom / height, 1 - (left + right) / width, 1 - (bottom + top) / height)
    return fig, fig.add_axes(place)


def an_axes(ax: Any) -> Axes:
    """The axes of a person's own figure to draw on."""
    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be an Axes of matplotlib, as of fig.add_subplot(), got {described(ax)}")
    return ax


def inches(ax: Axes) -> tuple[float, float]:
    """The width and height of an axes."""
    return ax.bbox.width / ax.figure.dpi, ax.bbox.height / ax.figure.dpi


def write(path: str | Path, **forms: Any) -> None:
    """Write the form that the file's ending names."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"save takes the name of a file, got {described(path)}")
    target = Path(path)
    kind = target.suffix.removeprefix(".").lower()
    if kind not in forms:
        endings = ", ".join(f".{form}" for form in forms)
        raise RandvarError(f"cannot save {target.name!r}: the name must end in {endings}")
    content = forms[kind]()
    if kind == "html":
        content = standalone(content, target.stem)
    target.write_bytes(content if isinstance(content, bytes) else content.encode())
