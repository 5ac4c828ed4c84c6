"""The range of floats, 5e-324 to 1.8e308: what leaves it at the top is refused, never passed on as infinity."""

from __future__ import annotations

import math
from contextlib import ContextDecorator
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.errors import UndefinedOutcome, one_line
from randvar.numbers.arrays import WORD, Array

__all__ = ["finite", "multiplied", "power", "powers", "within_floats"]

_MOST_BITS = 2**22


class within_floats(ContextDecorator):  # noqa: N801  (used as a function)
    """Refuse a result beyond the largest float, where Python raises OverflowError and numpy goes on with infinity.

    >>> with within_floats("the square"):
    ...     np.float64(1e200) ** 2
    Traceback (most recent call last):
    randvar.errors.UndefinedOutcome: the square leaves the range of floats, 1.8e308; rescale the numbers, or ...
    """

    def __init__(self, what: str) -> None:
        self.what = what

    def _recreate_cm(self) -> within_floats:
        """A new one for each call of what it decorates."""
        return within_floats(self.what)

    def __enter__(self) -> None:
        self._state = np.errstate(over="raise")
        self._state.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: Any) -> None:
        self._state.__exit__(None, None, None)
        if isinstance(error, (OverflowError, FloatingPointError)):
            raise UndefinedOutcome(
                f"{self.what} leaves the range of floats, 1.8e308; rescale the numbers, or give values and"
                " probabilities as Fractions"
            ) from error


def finite(result: Any, *operands: Any) -> Any:
    """The result of arithmetic on these operands, which Python takes past 1.8e308 without a word."""
    if isinstance(result, float) and math.isinf(result) and not any(map(_is_infinite, operands)):
        raise OverflowError(f"the result leaves the range of floats, 1.8e308, from {one_line(operands)}")
    return result


def _is_infinite(number: Any) -> bool:
    return isinstance(number, float) and math.isinf(number)


def multiplied(a: Array, b: Array) -> Array:
    """a * b, number by number, in Python integers where machine integers would wrap around.

    >>> multiplied(np.array([2**40]), np.array([2**40]))
    array([1208925819614629174706176], dtype=object)
    """
    if a.dtype.kind in "bi" and b.dtype.kind in "bi":
        reach = float(np.abs(a.astype(float)).max(initial=0.0)) * float(np.abs(b.astype(float)).max(initial=0.0))
        whole = np.int64 if reach < WORD else object
        a, b = a.astype(whole), b.astype(whole)
    return np.asarray(a * b)


def powers(values: Array, k: int) -> Any:
    """Each number to the power k >= 1, in Python's numbers where machine integers would wrap around."""
    longest = 0.0 if values.dtype.kind == "f" else math.inf
    if values.dtype.kind == "i":
        longest = k * float(np.log2(np.abs(values).max() + 1.0))
    return values**k if longest < math.log2(WORD) else [power(v, k) for v in values.tolist()]


def power(a: Any, b: Any) -> Any:
    """a ** b of real numbers: refused where it is none, and of exact ones where it would have over a million digits.

    >>> power(2, 10), power(1, 10**20)
    (1024, 1)
    """
    if isinstance(b, Fraction) and b.denominator == 1:
        b = int(b)
    if isinstance(a, (int, Fraction)) and isinstance(b, int) and a not in (-1, 0, 1):
        digits = abs(b) * max(a.numerator.bit_length(), a.denominator.bit_length())
        if digits > _MOST_BITS:
            raise UndefinedOutcome(
                f"a power has some 1e{math.log10(digits):.0f} binary digits; take floats, or a smaller exponent"
            )
    result = a**b
    if isinstance(result, complex):
        raise UndefinedOutcome(f"{a} ** {b} is no real number")
    return result
