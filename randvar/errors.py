"""What can go wrong, in one family: every message says what, the value that was wrong, and the way out."""

from __future__ import annotations

from fractions import Fraction

__all__ = [
    "ImpossibleEvent",
    "InvalidLaw",
    "NoSuchCoordinate",
    "RandvarError",
    "SupportTooLarge",
    "UndefinedOutcome",
    "described",
    "one_line",
    "symbol_advice",
]


class RandvarError(ValueError):
    """Any refusal of randvar; its children name the reason."""


class InvalidLaw(RandvarError):
    """Values and probabilities that are no law: NaN, negative, not summing to 1, empty, of different lengths."""


class ImpossibleEvent(RandvarError):
    """A condition that holds with probability 0."""


class NoSuchCoordinate(RandvarError, IndexError):
    """A coordinate that a Joint does not have; also an IndexError, as of a sequence."""


class UndefinedOutcome(RandvarError):
    """A function that has no value (NaN, an exception) on an outcome that can happen."""


class SupportTooLarge(RandvarError):
    """A law with more atoms than the budget; refused before anything of that size is allocated.

    `size` is the number of atoms it would have had (or a bound on it), `budget` what was allowed.
    """

    def __init__(self, message: str, *, size: int, budget: int) -> None:
        super().__init__(message)
        self.size = size
        self.budget = budget

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.args[0], self.size, self.budget)


def _rebuild(message: str, size: int, budget: int) -> SupportTooLarge:
    """Unpickle a SupportTooLarge, whose constructor takes keywords (a process pool sends it home)."""
    return SupportTooLarge(message, size=size, budget=budget)


def one_line(given: object) -> str:
    """The first line of its repr, up to 60 characters: a law prints as a table, which is no part of a message."""
    try:
        text = str(given) if isinstance(given, Fraction) else repr(given)
    except ValueError:  # an int of more digits than Python writes
        return "(thousands of digits)"
    return f"{text.partition(chr(10))[0]:.60}"


def described(given: object) -> str:
    """Kind and value of what was given, in one line: "int 3", or "Var: 6 outcomes, mean 3.5"."""
    kind, shown = type(given).__name__, one_line(given)
    return shown if shown.startswith(f"{kind}:") else f"{kind} {shown}"


def symbol_advice(given: object) -> str:
    """What to write instead of the name of a symbol, to stand after a message; nothing for other values."""
    if not isinstance(given, str):
        return ""
    return '; a symbol is a sympy expression, as in sympy.Symbol("p", positive=True): pip install "randvar[sympy]"'
