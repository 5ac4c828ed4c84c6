"""What can go wrong, in one family: every message says what, the value that was wrong, and the way out."""

from __future__ import annotations

__all__ = ["ImpossibleEvent", "InvalidLaw", "NoSuchCoordinate", "RandvarError", "SupportTooLarge", "UndefinedOutcome"]


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
