"""Refusals of a kind of number where another is needed."""

from __future__ import annotations

from typing import Any

from randvar.errors import RandvarError, one_line
from randvar.numbers.base import Kind, Numbers
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, kind_of

__all__ = ["check_numbers", "check_symbols"]


def check_symbols(numbers: Numbers, *constants: Any) -> None:
    """Refuse a symbol in arithmetic with floats, or a float in arithmetic with symbols."""
    for constant in constants:
        if {numbers, kind_of([constant])} == {FLOATS, EXPRESSIONS}:
            raise RandvarError(
                f"symbols beside a float law, or a float beside symbols, got {one_line(constant)}: the result would"
                " quietly stop being exact; use x.rational() or Fractions, or put numbers in the place of the symbols"
            )


_WHY = ", but these probabilities depend on symbols; put numbers there"


def check_numbers(name: str, kind: Kind, why: str = _WHY) -> None:
    """Refuse symbols where only a number will do."""
    if kind == "symbolic":
        raise RandvarError(f"{name} needs numbers{why}")
