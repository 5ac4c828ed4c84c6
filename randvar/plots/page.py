"""The HTML of a picture or a slider: alive where scripts run, and a readable page where they do not.

What is sent is a PNG with its caption (and a table of all frames), the deflated SVG parts, and about 2 kB of plain
JavaScript that puts them into a shadow root. Nothing is fetched from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zlib
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from randvar.plots.style import themed

__all__ = ["Parts", "embed", "png", "standalone"]

_WIDTH = 1.4  # CSS pixels a point: 6.4 inches are shown 645 pixels wide


@dataclass(frozen=True)
class Parts:
    """What the page needs: a fixed layer, and for a slider its distinct pieces and the pieces of each frame."""

    width: float
    height: float
    alt: str
    base: str
    defs: str
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    frames: list[list[int]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)
    active: int = 0

    def caption(self) -> str:
        return f"{self.name} {self.labels[self.active]}\n{self.reports[self.active]}" if self.frames else ""


def embed(parts: Parts, image: bytes) -> str:
    """The HTML fragment; its id is a hash of its content, so equal input gives equal bytes."""
    text = json.dumps({**vars(parts), "css": _source("page.css")}, ensure_ascii=False, separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    key = hashlib.sha256(packed.encode()).hexdigest()[:12]
    return (
        f'<div class="randvar" data-randvar="{key}"><div class="randvar-live"></div>'
        f'<div class="randvar-still">{_still_page(parts, image)}</div>'
        f'<script type="text/x-randvar">{packed}</script>'
        f"<script>{_source('page.js').replace('@ID', key)}</script></div>"
    )


def _still_page(parts: Parts, image: bytes) -> str:
    """What is read without JavaScript: the picture, its caption, and every value with its result."""
    caption = parts.caption()
    alt = ". ".join(line for line in (parts.alt, *caption.split("\n")) if line)
    still = (
        f'<img width="{_WIDTH * parts.width:.0f}" alt="{escape(alt)}"'
        f' src="data:image/png;base64,{base64.b64encode(image).decode()}">'
    )
    if not parts.frames:
        return still
    lines = "".join(f"<p>{escape(line)}</p>" for line in caption.split("\n"))
    rows = "".join(
        f"<tr><td>{escape(label)}</td><td>{escape(report)}</td></tr>"
        for label, report in zip(parts.labels, parts.reports, strict=True)
    )
    return (
        f"{still}{lines}<p>A still picture: run or trust the notebook to move the slider.</p>"
        f"<details><summary>All {len(parts.labels)} values</summary>"
        f"<table><tr><th>{escape(parts.name)}</th><th>Result</th></tr>{rows}</table></details>"
    )


def standalone(fragment: str, title: str) -> str:
    """A page of its own that follows the reader's light or dark theme."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title></head>'
        f"<body>{fragment}</body></html>\n"
    )


def png(fig: Figure, dpi: float = 144) -> bytes:
    """The figure on opaque white, in 64 colours: enough for flat drawings, a third of the bytes."""
    before = fig.dpi, fig.canvas
    with themed():
        try:
            canvas = FigureCanvasAgg(fig)
            fig.dpi = dpi
            fig.set_facecolor("white")
            canvas.draw()  # type: ignore[no-untyped-call]
            size, pixels = canvas.get_width_height(), bytes(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        finally:
            fig.dpi = before[0]
            fig.set_canvas(before[1])
    flat = Image.frombytes("RGBA", size, pixels).convert("RGB")
    buffer = io.BytesIO()
    few = flat.quantize(64, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(buffer, "png", optimize=True)
    return buffer.getvalue()


@cache
def _source(name: str) -> str:
    """A file of the page without its comments and indentation."""
    lines = (line.strip() for line in files("randvar.plots").joinpath(name).read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))
