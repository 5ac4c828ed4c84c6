"""A small SVG: matplotlib draws on it as on any canvas, and it writes few characters.

One unit of it is a tenth of a point, so that every coordinate is an integer; paths are relative to their last point.
The ink colour becomes `currentColor`, which follows the page into its dark theme. An artist whose gid is `tip(text)`
shows that text when the pointer rests on it.
"""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Transform
from PIL import Image

from randvar.plots.style import INK, themed

__all__ = ["Canvas", "document", "draw_figure", "svg_document", "tip"]

_TIP = "tip:"
_UNIT = 10  # units a point
_INKS = (INK, "#000000")  # ours, and that of a figure which a person made
_SEGMENTS = {Path.MOVETO: "m", Path.LINETO: "l", Path.CURVE3: "q", Path.CURVE4: "c", Path.CLOSEPOLY: "z"}
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_HATCH_TILE = 72.0  # points: the tile that matplotlib's hatch paths are made for


def tip(text: str) -> str:
    """The gid of an artist that shows `text` under the pointer."""
    return _TIP + text


class Canvas(RendererBase):
    """A matplotlib renderer that collects SVG elements: `elements` in drawing order, `defs` by id."""

    def __init__(self, fig: Figure) -> None:
        super().__init__()
        self.width, self.height = (72.0 * float(side) for side in fig.get_size_inches())
        self.elements: list[str] = []
        self.defs: dict[str, str] = {}
        self._groups: list[int | None] = []
        self._hatches: dict[Any, str] = {}
        self._down = Affine2D().scale(_UNIT, -_UNIT).translate(0, _UNIT * self.height)

    def get_canvas_width_height(self) -> tuple[float, float]:
        return self.width, self.height

    def open_group(self, s: str, gid: str | None = None) -> None:
        has_tip = gid is not None and gid.startswith(_TIP)
        self._groups.append(len(self.elements) if has_tip else None)
        if has_tip:
            self.elements.append(f'<g class="tip"><title>{escape(str(gid)[len(_TIP) :])}</title>')

    def close_group(self, s: str) -> None:
        start = self._groups.pop()
        if start is not None:
            self.elements[start:] = ["".join(self.elements[start:]) + "</g>"]

    def draw_path(self, gc: Any, path: Path, transform: Transform, rgbFace: Any = None) -> None:
        # Simplified in points: a fifth of one is not seen, and half of a smooth curve goes.
        outline = path.cleaned(transform, remove_nans=True, curves=True, simplify=path.should_simplify)
        data = _path_data(outline.transformed(self._down))
        if data:
            self.elements.append(f'<path d="{data}"{self._paint(gc, rgbFace)}{self._clip(gc, path, transform)}/>')

    def draw_markers(
        self, gc: Any, marker_path: Path, marker_trans: Transform, path: Path, trans: Transform, rgbFace: Any = None
    ) -> None:
        if marker_path is not Path.unit_circle():
            super().draw_markers(gc, marker_path, marker_trans, path, trans, rgbFace)
            return
        radius = round(_UNIT * float(marker_trans.transform((1, 0))[0]))
        paint = self._paint(gc, rgbFace)
        for x, y in np.rint((trans + self._down).transform(path.vertices)).astype(int):
            self.elements.append(f'<circle cx="{x}" cy="{y}" r="{radius}"{paint}/>')

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False, mtext: Any = None
    ) -> None:
        if ismath:
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        anchor = "start"
        if mtext is not None and (angle == 0 or mtext.get_rotation_mode() == "anchor"):
            # The page has another font: anchored where the label is aligned, its width does not matter.
            anchor = _ANCHORS[mtext.get_ha()]
            x, y = self._anchor_point(mtext, x, y, angle)
        place = f'x="{round(_UNIT * x)}" y="{round(_UNIT * y)}"'
        turn = f' transform="rotate({-angle:g} {round(_UNIT * x)} {round(_UNIT * y)})"' if angle else ""
        font = f' font-size="{round(_UNIT * prop.get_size_in_points())}"'
        font += ' font-weight="bold"' if prop.get_weight() in ("bold", 700) else ""
        font += f' text-anchor="{anchor}"' if anchor != "start" else ""
        ink = f' fill="{_color(gc.get_rgb())}"{_opacity("fill", _alpha(gc, gc.get_rgb()))}'
        self.elements.append(f"<text {place}{turn}{font}{ink}>{escape(s)}</text>")

    def draw_image(self, gc: Any, x: float, y: float, im: Any, transform: Any = None) -> None:
        """An image pixel for pixel, x and y counted from the lower left corner of the figure."""
        buffer = io.BytesIO()
        Image.fromarray(np.asarray(im)[::-1]).save(buffer, format="png")
        data = base64.b64encode(buffer.getvalue()).decode()
        corners = np.array([(x, y), (x + im.shape[1], y + im.shape[0])])
        (left, bottom), (right, top) = np.rint(self._down.transform(corners)).astype(int)
        self.elements.append(
            f'<image x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"'
            f' preserveAspectRatio="none" href="data:image/png;base64,{data}"/>'
        )

    def _anchor_point(self, mtext: Any, x: float, y: float, angle: float) -> tuple[float, float]:
        """The point a text is aligned to, moved onto its base line."""
        ax, ay = mtext.get_transform().transform(mtext.get_unitless_position())
        ay = self.height - ay
        up = np.array([np.sin(np.deg2rad(angle)), np.cos(np.deg2rad(angle))])
        ax, ay = np.array([ax, ay]) + up * (up @ (x - ax, y - ay))
        return float(ax), float(ay)

    def _paint(self, gc: Any, face: Any) -> str:
        """Fill and stroke as attributes; what the root element says already (no fill, round joins) is left out."""
        paint = ""
        if gc.get_hatch_path() is not None:
            paint += f' fill="url(#{self._hatch(gc, face)})"'
        elif face is not None and _alpha(gc, face) > 0:
            paint += f' fill="{_color(face)}"{_opacity("fill", _alpha(gc, face))}'
        width = gc.get_linewidth()
        alpha = _alpha(gc, gc.get_rgb())
        if width > 0 and alpha > 0:
            paint += f' stroke="{_color(gc.get_rgb())}" stroke-width="{round(_UNIT * width)}"'
            paint += _opacity("stroke", alpha)
            _, dashes = gc.get_dashes()
            paint += f' stroke-dasharray="{" ".join(str(round(_UNIT * dash)) for dash in dashes)}"' if dashes else ""
        return paint

    def _hatch(self, gc: Any, face: Any) -> str:
        """The id of a pattern: the face, and matplotlib's hatch path in the hatch colour over it."""
        kind = (gc.get_hatch(), gc.get_hatch_color(), face, _alpha(gc, face or (0, 0, 0)))
        if kind not in self._hatches:
            self._hatches[kind] = self._pattern(gc, face)
        return self._hatches[kind]

    def _pattern(self, gc: Any, face: Any) -> str:
        size = round(_UNIT * _HATCH_TILE)
        lines = _path_data(gc.get_hatch_path().transformed(Affine2D().scale(size, -size).translate(0, size)))
        ground = ""
        if face is not None:
            paint = f'fill="{_color(face)}"{_opacity("fill", _alpha(gc, face))}'
            ground = f'<rect width="{size}" height="{size}" {paint}/>'
        color = gc.get_hatch_color()
        ink = f'stroke="{_color(color)}"{_opacity("stroke", _alpha(gc, color))} stroke-width="{_UNIT}"'
        body = f'{ground}<path d="{lines}" {ink}/>'
        return self._define(
            "h", f'<pattern id="@" width="{size}" height="{size}" patternUnits="userSpaceOnUse">{body}</pattern>'
        )

    def _clip(self, gc: Any, path: Path, transform: Transform) -> str:
        """A reference to the clip rectangle, for a path that leaves it."""
        box = gc.get_clip_rectangle()
        if box is None:
            return ""
        points = np.asarray(transform.transform(path.vertices))
        points = points[np.isfinite(points).all(axis=1)]
        if not len(points) or ((points >= box.min - 1).all() and (points <= box.max + 1).all()):
            return ""
        (left, bottom), (right, top) = np.rint(self._down.transform(box.get_points())).astype(int)
        rect = f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"/>'
        key = self._define("c", f'<clipPath id="@">{rect}</clipPath>')
        return f' clip-path="url(#{key})"'

    def _define(self, kind: str, element: str) -> str:
        # An id made of the content: two pictures in one document may share it, and no render differs from the last.
        key = f"{kind}{zlib.crc32(element.encode()):08x}"
        self.defs[key] = element.replace("@", key, 1)
        return key


def _color(rgb: Any) -> str:
    name = to_hex(rgb)
    return "currentColor" if name in _INKS else name


def _alpha(gc: GraphicsContextBase, rgb: Any) -> float:
    if gc.get_forced_alpha() or len(rgb) < 4:
        return float(gc.get_alpha())
    return float(rgb[3])


def _opacity(kind: str, alpha: float) -> str:
    return f' {kind}-opacity="{alpha:.2g}"' if alpha < 1 else ""


def _path_data(path: Path) -> str:
    """The `d` attribute: integer coordinates, each segment relative to the point before."""
    data: list[str] = []
    here = start = (0, 0)
    last = ""
    for points, code in path.iter_segments(simplify=False, curves=True):
        command = _SEGMENTS.get(code, "")
        if not command:
            continue
        if command == "z":
            data.append("z")
            here, last = start, "z"
            continue
        rounded = [(int(x), int(y)) for x, y in np.rint(points.reshape(-1, 2)).tolist()]
        if command == "l" and rounded[0] == here and last == "l":
            continue
        steps = "".join(_joined(x - here[0]) + _joined(y - here[1]) for x, y in rounded)
        data.append(steps if command == last != "m" else command + steps.removeprefix(" "))
        here, last = rounded[-1], command
        start = here if command == "m" else start
    return "".join(data)


def _joined(step: int) -> str:
    return str(step) if step < 0 else f" {step}"


@contextmanager
def _on_canvas(fig: Figure) -> Iterator[Canvas]:
    """A canvas of the figure's size at one pixel a point, without the figure's own ground."""
    dpi, ground = fig.dpi, fig.patch.get_visible()
    with themed():
        try:
            fig.dpi = 72
            fig.patch.set_visible(False)
            yield Canvas(fig)
        finally:
            fig.dpi = dpi
            fig.patch.set_visible(ground)


def draw_figure(fig: Figure, *more: Callable[[Canvas], None]) -> tuple[list[list[str]], dict[str, str]]:
    """The elements of the figure, then those of each further drawing on the same canvas; and their definitions."""
    with _on_canvas(fig) as canvas:
        layers = []
        for draw in (fig.draw, *more):
            first = len(canvas.elements)
            draw(canvas)
            layers.append(canvas.elements[first:])
    return layers, canvas.defs


def svg_document(fig: Figure, alt: str) -> str:
    """The figure as a file of its own."""
    (elements,), defs = draw_figure(fig)
    width, height = (72 * float(side) for side in fig.get_size_inches())
    return document(width, height, "".join(elements), "".join(defs.values()), alt)


def document(width: float, height: float, body: str, defs: str, alt: str) -> str:
    """Elements and definitions as a file of its own, `alt` as its title."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {_UNIT * width:.0f} {_UNIT * height:.0f}" role="img" fill="none"'
        f' stroke-linejoin="round" font-family="system-ui, sans-serif"><title>{escape(alt)}</title>'
        f"<defs>{defs}</defs>{body}</svg>"
    )
