"""Does a computed result have the shape and the numbers of an exact one?

An exact result is JSON: numbers are strings ("419/12", or a decimal of 20 to 35 digits), a law is a list of
[value, probability] pairs, and dictionaries and lists nest. The computed result has the same shape, with a Var or a
Joint where a law stands. Every key must be there on both sides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

RELATIVE = 1e-12
# What is left of numbers near 1 that cancel to an exact 0 (the mean of a centred control).
RESIDUE = 1e-14


@dataclass(frozen=True)
class Cancelling:
    """A number left over when terms of the given size cancel: it is right to 1e-12 of that size."""

    value: float
    size: float


def agree(got: Any, exact: Any, where: str = "") -> None:
    """Assert that `got` is `exact`; a failure names the place and both numbers."""
    if isinstance(exact, dict):
        assert set(got) == set(exact), f"{where}: keys {set(got) ^ set(exact)} are on one side only"
        for key, value in exact.items():
            agree(got[key], value, f"{where}[{key}]")
    elif hasattr(got, "weights") and hasattr(got, "outcomes"):
        agree_rows([(*row, p) for row, p in zip(got.outcomes, got.weights, strict=True)], exact, where)
    elif hasattr(got, "values") and hasattr(got, "probs"):
        agree_rows(list(zip(got.values, got.probs, strict=True)), exact, where)
    elif isinstance(exact, list):
        assert len(got) == len(exact), f"{where}: {len(got)} entries, not {len(exact)}"
        for i, pair in enumerate(zip(got, exact, strict=True)):
            agree(*pair, f"{where}[{i}]")
    elif isinstance(exact, bool):
        assert bool(got) is exact, f"{where}: {got}, not {exact}"
    else:
        agree_number(got, Fraction(exact), where)


def agree_rows(rows: list[tuple[Any, ...]], exact: list[list[str]], where: str) -> None:
    """The possible atoms of a law, in order: as many of them, outcomes and probabilities each to 1e-12."""
    exact = [row for row in exact if Fraction(row[-1])]
    assert len(rows) == len(exact), f"{where}: {len(rows)} atoms, not {len(exact)}"
    for row, expected in zip(rows, exact, strict=True):
        for column, (got, number) in enumerate(zip(row, expected, strict=True)):
            agree_number(got, Fraction(number), f"{where}: atom {expected[:-1]}, column {column}")


def agree_number(got: Any, exact: Fraction, where: str) -> None:
    """Within 1e-12 of the exact number, relative."""
    size = abs(exact)
    if isinstance(got, Cancelling):
        got, size = got.value, max(size, Fraction(got.size))
    plain = got.item() if hasattr(got, "item") else got
    assert math.isfinite(plain), f"{where}: {plain}, not {float(exact)!r}"
    off = float(Fraction(plain) - exact)
    slack = RELATIVE * float(size) + RESIDUE * (exact == 0)
    assert abs(off) <= slack, f"{where}: {plain!r}, not {float(exact)!r} (off by {off:.3g})"
