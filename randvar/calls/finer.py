"""How far a person's function rounds: the same function on finer numbers, Fractions or long doubles.

Nothing else can see the rounding inside it: log(p/q) + q/p - 1 of close p and q has a result near 1e-10 and an error
near 1e-16. Finer numbers refuse to become floats, as `math.log` would have it, so that nothing on the way is rounded as
before. A function that takes none cannot be measured; then all that is known is that numbers as large as 1, its
arguments and its results may have been rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from randvar.numbers.arrays import EPS, WIDE_EPS, Array

__all__ = ["FunctionRounding", "as_fraction", "as_long_double", "function_rounding"]

_LARGEST = 10**308
_MOST_ROWS = 2**16  # on which a function is called again, in a second or so
_ROUNDING = 1e-6  # of the largest number on the way: what differs by more was not rounded
_ROUNDINGS = 16  # of the largest number on the way, where they cannot be measured


class FunctionRounding(NamedTuple):
    """A bound on the mean error of the results, relative to their root mean square; and whether it was measured."""

    relative: float
    measured: bool


def function_rounding(f: Callable[..., Any], columns: Sequence[Array], weights: Array) -> FunctionRounding:
    """How far the float results of f on rows with these weights are from what they stand for.

    >>> third = function_rounding(lambda a: a / 3, [np.array([1.0, 2.0])], np.array([0.5, 0.5]))
    >>> third.measured, 0 < third.relative < 1e-16
    (True, True)
    >>> import math
    >>> function_rounding(math.log, [np.array([2.0])], np.array([1.0])).measured    # of any number it makes a float
    False
    """
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    try:
        results = [float(f(*row)) for row in rows]
        size = math.sqrt(_mean([r * r for r in results], weights))
    except Exception:  # it returns laws, whose outcomes are not its own numbers, or nothing at all on a sample
        size = 0.0
    if not 0 < size < math.inf:
        return FunctionRounding(0.0, False)
    largest = [max(1.0, abs(r), *map(_magnitude, row)) for row, r in zip(rows, results, strict=True)]
    errors = _errors(f, rows, results, largest) if len(rows) <= _MOST_ROWS else None
    if errors is not None:
        return FunctionRounding(_mean(errors, weights) / size, True)
    return FunctionRounding(_ROUNDINGS * EPS * _mean(largest, weights) / size, False)


def _errors(
    f: Callable[..., Any], rows: Sequence[tuple[Any, ...]], results: Sequence[float], largest: Sequence[float]
) -> list[float] | None:
    """How far each result is from that on finer numbers, and these from the truth; None if f takes none.

    Nor if it does something else with them, as a table does.
    """
    for finer, unit in ((as_fraction, 0.0), (as_long_double, _ROUNDINGS * WIDE_EPS)):
        seen = [[size] for size in largest]  # and what occurs on the way, row by row
        try:
            found = [f(*(_Finer.of(finer(v), most) for v in row)) for row, most in zip(rows, seen, strict=True)]
            errors = [abs(float(_plain(a) - _like(_plain(a), r))) for a, r in zip(found, results, strict=True)]
        except Exception:  # of whatever kind: it is a person's function, made for other numbers
            continue
        if all(error <= _ROUNDING * max(most) for error, most in zip(errors, seen, strict=True)):
            return [error + unit * max(most) for error, most in zip(errors, seen, strict=True)]
    return None


class _Finer(np.lib.mixins.NDArrayOperatorsMixin):
    """A Fraction or a long double in arithmetic and numpy's functions; it is no float, and never becomes one.

    The magnitudes of all that is computed of it are `seen`.
    """

    def __init__(self, value: Any, seen: list[float]) -> None:
        self.value, self.seen = _exact_or_wide(value), seen
        seen.append(abs(float(value)))

    @classmethod
    def of(cls, value: Any, seen: list[float]) -> Any:
        """Of a number; a tuple of them part by part, and others as they are."""
        if isinstance(value, tuple):
            return tuple(cls.of(v, seen) for v in value)
        return cls(value, seen) if isinstance(value, (Fraction, np.longdouble)) else value

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            return NotImplemented
        found = ufunc(*(v.value if isinstance(v, _Finer) else v for v in inputs), **options)
        if isinstance(found, np.ndarray):  # of such numbers, beside an array of them
            return found
        return bool(found) if isinstance(found, (bool, np.bool_)) else _Finer(found, self.seen)

    def __hash__(self) -> int:
        return hash(self.value)

    def conjugate(self) -> _Finer:
        """Itself: numpy's variance of objects asks."""
        return self

    @property
    def real(self) -> _Finer:
        """Itself."""
        return self

    def sqrt(self) -> Any:
        """As numpy asks of objects in an array; a Fraction has none."""
        return np.sqrt(self)

    def log(self) -> Any:
        """As numpy asks of objects in an array; a Fraction has none."""
        return np.log(self)

    def exp(self) -> Any:
        """As numpy asks of objects in an array; a Fraction has none."""
        return np.exp(self)

    def __float__(self) -> float:
        raise TypeError("a finer number would be rounded")


def _exact_or_wide(value: Any) -> Any:
    """Refuse floats, and long doubles where they are floats."""
    if isinstance(value, (int, Fraction)) or (isinstance(value, np.longdouble) and WIDE_EPS < EPS):
        return value
    raise TypeError(f"{type(value).__name__} is no finer number")


def _plain(result: Any) -> Any:
    return result.value if isinstance(result, _Finer) else _exact_or_wide(result)


def _like(fine: Any, result: float) -> Any:
    """The float as a number from which the finer one is subtracted without rounding it away."""
    return np.longdouble(result) if isinstance(fine, np.longdouble) else Fraction(result)


def _mean(numbers: Sequence[float], weights: Array) -> float:
    return float(np.sum(np.asarray(numbers) * weights.astype(float)))


def _magnitude(value: Any) -> float:
    return abs(float(value)) if isinstance(value, (int, float, Fraction)) and -_LARGEST < value < _LARGEST else 0.0


def as_fraction(value: Any) -> Any:
    """A number as the Fraction that it is, also inside tuples; others as they are."""
    if isinstance(value, tuple):
        return tuple(map(as_fraction, value))
    return Fraction(value) if isinstance(value, (int, float)) and math.isfinite(value) else value


def as_long_double(value: Any) -> Any:
    """A number as a long double, also inside tuples; others, and numbers that are none, as they are."""
    if isinstance(value, tuple):
        return tuple(map(as_long_double, value))
    if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) < _LARGEST:
        return np.longdouble(value.numerator) / np.longdouble(value.denominator)
    takes = isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST)
    return np.longdouble(value) if takes else value
