"""The look of every picture: colours, matplotlib settings, and how a number is written.

The colours are told apart under all three colour deficiencies, and no meaning rests on colour alone: negative is also
hatched, raw is also dotted, the mean is also dashed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
import numpy as np
from matplotlib.ticker import MaxNLocator

from randvar.numbers.arrays import Array

__all__ = ["INK", "NEGATIVE", "POSITIVE", "RAW", "label_text", "number", "plain", "themed", "ticks"]

# Stands for the text colour of the page: near black in a PNG, written as `currentColor` in an SVG.
INK = "#010203"
POSITIVE = "#0072B2"
NEGATIVE = "#D55E00"
RAW = "#7f7f7f"

_LOOK: dict[str, Any] = {
    "axes.facecolor": "none",
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "hatch.linewidth": 0.9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "font.size": 10.0,
    "axes.labelsize": 10.0,
    "axes.titlesize": 11.0,
    "axes.titlelocation": "left",
    "text.parse_math": False,  # a label is what a person wrote: "$" is a dollar
    "path.simplify_threshold": 0.2,
}
# A picture looks the same whatever style the person uses for their own: the defaults, without what is no style.
_NO_STYLE = ("backend", "interactive", "toolbar", "timezone", "date.epoch", "savefig.", "figure.max", "tk.", "webagg.")
_DEFAULTS = matplotlib.rcParamsDefault
_SETTINGS = {key: _DEFAULTS[key] for key in _DEFAULTS if not key.startswith(_NO_STYLE)} | _LOOK


@contextmanager
def themed() -> Iterator[None]:
    """matplotlib's settings for a picture of ours, as they were afterwards; a missing glyph is no warning."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        # The values are valid already: to pass them through every validator again would take milliseconds a picture.
        dict.update(matplotlib.rcParams, _SETTINGS)  # type: ignore[misc]
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def label_text(text: object, longest: int = 40) -> str:
    """What a person passed in, as one printable line.

    >>> label_text("two\\nlines")
    'two lines'
    """
    line = "".join(char if char.isprintable() else " " for char in str(text))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def number(value: float, gap: float | None = None) -> str:
    """A number for the eye: two decimals, trimmed; more where neighbours are closer than that (`gap` apart).

    >>> number(4.75), number(3.0), number(-0.5), number(0.0131729), number(1.5e-9), number(2e9)
    ('4.75', '3', '−0.5', '0.013', '1.5e−9', '2e9')
    >>> number(1e9 + 1, gap=1)
    '1000000001'
    """
    forms = _forms(float(value), gap)
    return forms[0] if _is_written_out(abs(value)) else min(forms, key=len)


def _is_written_out(size: float) -> bool:
    return 1e-4 <= size < 1e6


def plain(value: float, decimals: int = 2) -> str:
    """A result with fixed decimals, or with four digits where those would say nothing.

    >>> plain(5.1875), plain(-0.0), plain(-0.0004321)
    ('5.19', '0.00', '−0.0004321')
    """
    value += 0.0  # no minus sign before 0
    small = value != 0 and abs(value) < 10.0 ** (1 - decimals)
    return (f"{value:.4g}" if small else f"{value:.{decimals}f}").replace("-", "−")


def _forms(value: float, gap: float | None) -> tuple[str, str]:
    """A number written out and in scientific form, both fine enough for neighbours `gap` apart."""
    if value == 0 or not math.isfinite(value):
        plain = f"{value:g}".replace("-", "−") if value else "0"
        return plain, plain
    fine = math.floor(math.log10(min(1.0, abs(value)) if gap is None else gap))
    fixed = _trim(f"{value:.{min(max(2, 1 - fine), 300)}f}")
    digits = 2 if gap is None else max(2, math.floor(math.log10(abs(value))) + 1 - fine)
    mantissa, _, power = f"{value:.{min(digits, 16)}e}".partition("e")
    return fixed.replace("-", "−"), f"{_trim(mantissa)}e{int(power)}".replace("-", "−")


def _trim(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def ticks(values: Array, low: float, high: float, room: float) -> tuple[Array, list[str]]:
    """Where an axis from `low` to `high` has its labels (at most 8): at the outcomes, or else at round numbers.

    `room` is the number of characters that fit side by side on the axis; labels never touch.
    """
    shown = np.asarray(values, dtype=float)
    if 0 < len(shown) <= 8:
        labels = _labels(shown)
        if _fit(shown, labels, low, high, room):
            return shown, labels
    whole = len(shown) > 0 and bool(np.all(shown == np.rint(shown)))
    for count in (7, 5, 4, 3, 2, 1):
        locator = MaxNLocator(nbins=count, steps=[1, 2, 2.5, 5, 10], integer=whole)
        place = np.asarray(locator.tick_values(low, high))
        place = place[(place >= low) & (place <= high)]
        labels = _labels(place)
        if _fit(place, labels, low, high, room):
            break
    return place, labels


def _labels(places: Array) -> list[str]:
    """All written out, or all in scientific form where the numbers are large or small and that is shorter."""
    gap = float(np.diff(places).min()) if len(places) > 1 else None
    forms = [_forms(float(place), gap) for place in places]
    fixed, scientific = ([form[i] for form in forms] for i in (0, 1))
    if _is_written_out(float(np.abs(places).max())):
        return fixed
    return min(fixed, scientific, key=lambda labels: max(map(len, labels)))


def _fit(places: Array, labels: Sequence[str], low: float, high: float, room: float) -> bool:
    widths = np.array([len(label) for label in labels])
    needed = (widths[1:] + widths[:-1]) / 2 + 1
    return bool(np.all(np.diff(places) / (high - low) * room >= needed))
