"""Refusals of a kind of number where another is needed."""

from __future__ import annotations

from randvar.errors import RandvarError
from randvar.numbers.base import Kind

__all__ = ["check_numbers"]


def check_numbers(name: str, kind: Kind) -> None:
    """Refuse symbols where only a number will do."""
    if kind == "symbolic":
        raise RandvarError(f"{name} needs numbers, but these probabilities depend on symbols; put numbers there")
