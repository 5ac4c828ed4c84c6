"""A law as a short table: for a terminal, and for a notebook with bars."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from randvar.warrant import Warrant

__all__ = [
    "UNKNOWN",
    "approximation",
    "counted",
    "escaped",
    "law_html",
    "law_text",
    "moments_line",
    "rounded",
    "roughly",
    "short",
    "warrant_shown",
]

UNKNOWN = "tails of unknown accuracy"
_ROWS = 12
_LARGEST = 10**300
_SHOWN_ACCURACY = 1e-9  # a law whose probabilities are worse than this says so


def short(number: Any) -> str:
    """Six significant digits for a float; everything else as it prints."""
    return f"{number:.6g}" if isinstance(number, float) else _written(str, number)


def counted(n: int, noun: str) -> str:
    """The number with its noun: "1 outcome", "1,000 outcomes"."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def roughly(n: int) -> str:
    """A large number in three digits, or as a power of ten."""
    return f"{n:.3g}" if n < _LARGEST else f"1e{math.log10(n):.0f}"


def moments_line(cumulants: tuple[Any, Any, Any, Any]) -> str:
    """Mean and variance in words."""
    return f"mean {short(cumulants[0])}, variance {short(cumulants[1])}"


def warrant_shown(warrant: Warrant) -> list[str]:
    """What a headline says of a law that leaves something out."""
    said = []
    if warrant.accuracy > _SHOWN_ACCURACY:
        right = f"probabilities right to {warrant.accuracy:.0e}"
        said.append(right if math.isfinite(warrant.accuracy) else UNKNOWN)
    if warrant.cut:
        said.append(f"mass {warrant.cut:.3g} cut off")
    if warrant.dropped:
        said.append(f"given that it is defined (probability {rounded(warrant.defined)})")
    if warrant.degree < math.inf:
        said.append(approximation(warrant.degree))
    if warrant.precision:
        said.append("in single precision")
    return said


def rounded(mass: Any) -> str:
    """A probability in words: three digits of a float, anything exact as it is."""
    return f"{mass:.3g}" if isinstance(mass, float) else short(mass)


def approximation(degree: float) -> str:
    """What quadrature nodes are good for."""
    return f"exact for polynomials to degree {degree:.0f}" if degree else "by quadrature: an approximation"


def _cell(outcome: Any) -> str:
    return short(outcome) if isinstance(outcome, (float, Fraction)) else _written(repr, outcome)


def _written(write: Callable[[Any], str], outcome: Any) -> str:
    try:
        return write(outcome)
    except ValueError:  # of more digits than Python writes
        return "(thousands of digits)"


def _selection(n: int) -> list[int | None]:
    """Row numbers to show: all of them, or both ends around a gap (None)."""
    if n <= _ROWS:
        return list(range(n))
    half = _ROWS // 2
    return [*range(half), None, *range(n - half, n)]


def law_text(name: str, headline: str, rows: Sequence[tuple[Any, ...]], probs: Sequence[Any]) -> str:
    """The table in plain text, columns aligned."""
    table = [["..."] if at is None else [*map(_cell, rows[at]), short(probs[at])] for at in _selection(len(rows))]
    full = [line for line in table if len(line) > 1]
    widths = [max(len(line[i]) for line in full) for i in range(len(full[0]))] if full else []
    lines = ["  " + "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=False)).rstrip() for line in table]
    return "\n".join([f"{name}: {headline}", *lines])


def escaped(text: str) -> str:
    """For HTML. The module brings the names of 2,000 letters, so it is imported when there is something to write."""
    from html import escape

    return escape(text)


def law_html(name: str, headline: str, rows: Sequence[tuple[Any, ...]], probs: Sequence[Any]) -> str:
    """The table in HTML: outcomes, probability, and a bar; everything escaped, colours that follow the page."""
    top = max((float(p) for p in probs if isinstance(p, (float, Fraction))), default=0.0)
    body = "".join(_row_html(rows, probs, at, top) for at in _selection(len(rows)))
    return (
        '<div style="font-variant-numeric:tabular-nums">'
        f"<div><b>{escaped(name)}</b>: {escaped(headline)}</div>"
        f'<table style="border-collapse:collapse">{body}</table></div>'
    )


def _row_html(rows: Sequence[tuple[Any, ...]], probs: Sequence[Any], at: int | None, top: float) -> str:
    if at is None:
        return "<tr><td>&hellip;</td></tr>"
    cells = "".join(f'<td style="text-align:right">{escaped(_cell(v))}</td>' for v in rows[at])
    p = probs[at]
    share = 100 * float(p) / top if top and isinstance(p, (float, Fraction)) else 0.0
    bar = f'<div style="background:#0072B2;height:.7em;width:{share:.1f}%"></div>'
    return (
        f'<tr>{cells}<td style="text-align:right">{escaped(short(p))}</td>'
        f'<td style="width:12em;text-align:left">{bar}</td></tr>'
    )
