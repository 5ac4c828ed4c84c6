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
    "data_advice",
    "described",
    "one_line",
    "symbol_advice",
]


class RandvarError(ValueError):
    """Any refusal of randvar; its children name the reason.

    >>> from randvar.families import uniform
    >>> uniform(3, 3)
    Traceback (most recent call last):
    randvar.errors.RandvarError: uniform(3, 3) has no outcomes: it holds the integers a..b-1, as range does

    Raised itself for an argument out of its range, or for numbers of kinds that do not mix (a float law beside an exact
    one: `Var.rational` and `Var.to_float` convert). The way out is in every message. It is a ValueError; what has the
    wrong type is a TypeError instead.
    """


class InvalidLaw(RandvarError):
    """Values and probabilities that are no law: NaN, negative, not summing to 1, empty, of different lengths.

    >>> from randvar.var import Var
    >>> Var(["x", "y"], [1, 3])
    Traceback (most recent call last):
    randvar.errors.InvalidLaw: probabilities sum to 4, not 1; pass weights to from_weights to normalise

    Raised by `Var`, `Joint`, the ready-made laws and whatever takes shares. The way out: `from_weights` for numbers
    that only are in proportion, `Fraction`s where sums must be exact, `empirical(series.dropna())` for data with NaN.
    """


class ImpossibleEvent(RandvarError):
    """A condition that holds with probability 0.

    >>> from randvar.var import Var
    >>> Var([1, 2], [0.5, 0.5]).cond(lambda a: a > 2)
    Traceback (most recent call last):
    randvar.errors.ImpossibleEvent: the condition holds for none of the outcomes [1, 2]: its probability is 0, ...

    Raised by `Var.cond` and `Joint.cond`, and where `undefined="drop"` would drop every sample. The way out:
    `x.prob(event)` says beforehand how likely the condition is.
    """


class NoSuchCoordinate(RandvarError, IndexError):
    """A coordinate that a Joint does not have; also an IndexError, as of a sequence.

    >>> from randvar.coupling import shared
    >>> from randvar.var import Var
    >>> shared(Var([0, 1], [0.5, 0.5]))[2]
    Traceback (most recent call last):
    randvar.errors.NoSuchCoordinate: coordinate 2 of a Joint with coordinates 0 to 1

    Raised by `Joint.marginal`, `j[i]` and `Joint.select`. The way out: `j.dim` is their number.
    """


class UndefinedOutcome(RandvarError):
    """A function that has no value (NaN, an exception) on an outcome that can happen.

    >>> from randvar.var import Var
    >>> Var([0, 4], [0.25, 0.75]).op(lambda a: 1 / a)
    Traceback (most recent call last):
    randvar.errors.UndefinedOutcome: <lambda> raised ZeroDivisionError on outcome 0 (probability 0.25): ...

    Raised by whatever calls a function on outcomes or samples (the exception of the function is its `__cause__`), and
    for numbers that do not exist: the skewness of a constant, inf - inf, what exceeds the floats. The way out:
    condition the outcome away with `cond`, give the function a value there, or take `undefined="drop"` where it is
    offered.
    """


class SupportTooLarge(RandvarError):
    """A law with more atoms than the budget; refused before anything of that size is allocated.

    >>> from randvar.estimators.sampling_distribution import sampling_distribution
    >>> from randvar.families import uniform
    >>> sampling_distribution(max, uniform(0, 100), 20)
    Traceback (most recent call last):
    randvar.errors.SupportTooLarge: the sampling distribution would run about 10^22 multisets of 20 draws...

    `size` is the number of atoms it would have had (or a bound on it), `budget` what was allowed. Raised when the atoms
    of a law are listed, not for its moments. The way out: `expect` and `variance`, which are closed forms of sums;
    `law_bounds`, which encloses the CDF; `stochastic_rounding`, a coarser law, same mean; or a larger
    budget, `settings(max_atoms=...)`.
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


def data_advice(given: object) -> str:
    """What to write for data in the place of a law, to stand after a message; nothing for other values."""
    is_data = isinstance(given, (list, tuple, dict)) or hasattr(given, "__array__")
    return "; observations become a law by empirical(data), a dict by from_dict" if is_data else ""


def symbol_advice(given: object) -> str:
    """What to write instead of the name of a symbol, to stand after a message; nothing for other values."""
    if not isinstance(given, str):
        return ""
    return '; a symbol is a sympy expression, as in sympy.Symbol("p", positive=True): pip install "randvar[sympy]"'
