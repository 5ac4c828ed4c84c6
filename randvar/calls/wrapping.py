"""Do machine integers wrap around?  numpy computes with integers modulo 2^64 and says nothing.

A function that a person wrote is run by numpy, where nothing can watch its steps. What can be done is to run it again
on the same numbers as floats, which do not wrap: results that differ by more than rounding, 1e-6, have wrapped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.errors import UndefinedOutcome

__all__ = [
    "LARGE",
    "InBytes",
    "Unwrapped",
    "as_float",
    "as_in_bytes",
    "as_unwrapped",
    "check_wrapping",
    "differ",
    "reads_bytes",
    "wrapped",
]

_LARGEST = 10**308
LARGE = 2**53  # integers beyond it are looked at twice: of those that wrapped, only one in a thousand is smaller


def differ(a: Any, b: Any) -> bool:
    """Whether two results of one function differ by more than rounding; words and the like are not compared.

    >>> differ(2**63, 2.0**63), differ(0, 2.0**64), differ((1, 2), (1.0, 3.0)), differ("1", "1.0")
    (False, True, True, False)

    However small they are: 1/a is, of a number that has wrapped around.
    """
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) != len(b) or any(map(differ, a, b))
    if isinstance(a, (complex, np.complexfloating)) or isinstance(b, (complex, np.complexfloating)):
        return False
    if not all(isinstance(v, (int, float, Fraction, np.integer, np.floating, np.bool_)) for v in (a, b)):
        return False  # complex and masked numbers are no outcomes
    try:
        return not math.isclose(a, b, rel_tol=1e-6) and not (a != a and b != b)
    except OverflowError:  # an integer beyond the floats, of which infinity is the nearest
        return bool(a != b) and not any(isinstance(v, float) and math.isinf(v) for v in (a, b))


def wrapped(name: str, where: str) -> UndefinedOutcome:
    """The refusal."""
    return UndefinedOutcome(
        f"{name} may have wrapped around on {where}: it computes with numpy's integers, which have 64 bits, and with"
        " floats it does not give the same; take floats, x.op(float), or Python's integers, math.prod(map(int, a))"
    )


def check_wrapping(
    f: Callable[..., Any], rows: Sequence[Sequence[Any]], results: list[Any], where: Callable[[int], str]
) -> None:
    """Refuse what numpy made of Python's integers, given as columns of rows, by wrapping around.

    Where numpy's integers come out, every row is compared with what f gives for floats; where its floats come out, the
    rows at the ends of each column. An integer of which floats say nothing, because f takes none or makes integers of
    them, is refused beyond 2^53, unless it was among the numbers given.
    """
    types = set(map(type, results))
    if not any(issubclass(t, (np.generic, np.ndarray, tuple, list)) for t in types):
        return
    ends = _ends(rows)
    whole = any(issubclass(t, np.integer) for t in types)
    whole = whole or any(isinstance(r, np.integer) for at in ends for r in _numbers(results[at]))
    for at in range(len(results)) if whole else ends:
        row = [column[at] for column in rows]
        if _wraps(f, row, _numbers(results[at])):
            raise wrapped(getattr(f, "__name__", type(f).__name__), where(at))


def _wraps(f: Callable[..., Any], row: list[Any], results: list[Any]) -> bool:
    given = _numbers(row)
    if not any(isinstance(r, np.generic) for r in results) or not any(isinstance(v, int) for v in given):
        return False
    again = _again(f, row)
    told = len(again) == len(results)
    if told and any(map(differ, results, again)):
        return True
    return any(
        isinstance(r, np.integer) and abs(int(r)) > LARGE and r not in given
        for r, floating in zip(results, again if told else results, strict=True)
        if not isinstance(floating, float)
    )


def _again(f: Callable[..., Any], row: list[Any]) -> list[Any]:
    """What f gives for these numbers as floats; nothing if it takes none."""
    try:
        with np.errstate(all="ignore"):
            return _numbers(f(*map(as_float, row)))
    except Exception:
        return []


def as_float(value: Any) -> Any:
    """An integer as a float, also inside tuples; others, and integers that are no float, as they are."""
    if isinstance(value, tuple):
        return tuple(map(as_float, value))
    return float(value) if isinstance(value, int) and abs(value) < _LARGEST else value


class Unwrapped(np.ndarray[Any, Any]):
    """An array of objects of which astype(int) makes Python's integers, where a plain one makes numpy's."""

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """As numpy's, but for types of integers."""
        if np.dtype(dtype).kind not in "iu":
            return super().astype(dtype, *args, **kwargs)
        whole = np.empty(self.size, dtype=object)
        whole[:] = [int(v) for v in self.ravel()]
        return whole.reshape(self.shape).view(Unwrapped)


_BYTES_READ: ContextVar[bool] = ContextVar("bytes_read", default=False)


class InBytes(np.ndarray[Any, Any]):
    """An array of Python's integers of which the bytes are those of machine integers: what hashes them sees no change.

    Other numbers say nothing about such a function; that it has read the bytes is noted (`reads_bytes`).
    """

    def tobytes(self, *args: Any, **kwargs: Any) -> bytes:
        """Those of 64-bit integers."""
        _BYTES_READ.set(True)
        return self.view(np.ndarray).astype(np.int64).tobytes(*args, **kwargs)


def reads_bytes(run: Callable[[], Any]) -> tuple[Any, bool]:
    """What a run of a function on arrays `InBytes` gives, and whether it has read their bytes."""
    token = _BYTES_READ.set(False)
    try:
        return run(), _BYTES_READ.get()
    finally:
        _BYTES_READ.reset(token)


def as_in_bytes(value: Any) -> Any:
    """The number itself: arrays of it are to be `InBytes`."""
    return value


def as_unwrapped(value: Any) -> Any:
    """The number itself: arrays of it are to be `Unwrapped`."""
    return value


def _numbers(result: Any) -> list[Any]:
    """The parts of a result that is an array, a tuple or a list; of any other, itself."""
    if isinstance(result, np.ndarray):
        return list(result.ravel())
    if isinstance(result, (tuple, list)):
        return [number for part in result for number in _numbers(part)]
    return [result]


def _ends(rows: Sequence[Sequence[Any]]) -> list[int]:
    """Where the smallest and the largest value of each column stand, which numpy can compare."""
    ends = set()
    for column in rows:
        if all(isinstance(value, (int, float)) for value in column):
            places = range(len(column))
            ends |= {min(places, key=column.__getitem__), max(places, key=column.__getitem__)}
        else:
            ends |= {0, len(column) - 1}
    return sorted(ends)
