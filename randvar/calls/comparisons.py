"""Fractions inside a person's predicate: a comparison with the float that they round to is refused.

The float 0.3 is a little less than 3/10, so that Python finds 3/10 <= 0.3 false, while `x.cdf(0.3)` reads it as 3/10.
Neither answer is guessed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from randvar.errors import RandvarError
from randvar.numbers.arrays import Array, is_numeric, object_array

__all__ = ["UnclearComparison", "watched"]


class UnclearComparison(RandvarError):
    """A predicate compares a fraction with a float that means it, and is not it."""


def _watching(method: Callable[..., Any]) -> Callable[..., Any]:
    def watched_result(*numbers: Any) -> Any:
        result = method(*numbers)
        return _Watched(result) if type(result) is Fraction else result

    return watched_result


_SUMS = Fraction.__add__, Fraction.__radd__, Fraction.__sub__, Fraction.__rsub__
_PRODUCTS = Fraction.__mul__, Fraction.__rmul__, Fraction.__truediv__, Fraction.__rtruediv__


class _Watched(Fraction):
    """A Fraction that knows when a float is only its rounding."""

    __slots__ = ()
    __hash__ = Fraction.__hash__

    def _check(self, other: Any) -> None:
        if isinstance(other, float) and math.isfinite(other) and float(self) == other:
            side = "less" if Fraction(other) < Fraction(self) else "more"
            raise UnclearComparison(
                f"the predicate compares {self} with the float {other!r}, which is a little {side}; in a law of"
                f" fractions write Fraction({self.numerator}, {self.denominator})"
            )

    # what is computed of it stays watched: 2 * v <= 0.6, and a + b <= 0.3 of two of them
    __add__, __radd__, __sub__, __rsub__ = map(_watching, _SUMS)
    __mul__, __rmul__, __truediv__, __rtruediv__ = map(_watching, _PRODUCTS)
    __neg__, __abs__ = map(_watching, (Fraction.__neg__, Fraction.__abs__))

    def __eq__(self, other: object) -> bool:
        self._check(other)
        return super().__eq__(other)

    def __lt__(self, other: Any) -> bool:
        self._check(other)
        return super().__lt__(other)

    def __le__(self, other: Any) -> bool:
        self._check(other)
        return super().__le__(other)

    def __gt__(self, other: Any) -> bool:
        self._check(other)
        return super().__gt__(other)

    def __ge__(self, other: Any) -> bool:
        self._check(other)
        return super().__ge__(other)


def watched(column: Array) -> Array:
    """The outcomes for a predicate; fractions that floats hold exactly, like 1/2, need no watch."""
    if is_numeric(column):
        return column
    return object_array([_Watched(v) if _is_rounded(v) else v for v in column.tolist()])


def _is_rounded(value: Any) -> bool:
    if not isinstance(value, Fraction):
        return False
    denominator = value.denominator
    return bool(denominator & (denominator - 1)) or abs(value.numerator) > 2**53
