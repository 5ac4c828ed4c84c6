"""Arrays of numbers: machine numbers where they hold them, Python's objects where they do not."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randvar.numbers.symbolic import is_expression, plain_number

__all__ = [
    "EPS",
    "LARGEST_WHOLE",
    "OP_ULPS",
    "PLAIN",
    "SINGLE",
    "SMALLEST_NORMAL",
    "WIDE_EPS",
    "WORD",
    "Array",
    "in_one_array",
    "is_array",
    "is_numeric",
    "object_array",
    "one_number",
    "read_only",
    "scalar",
    "scalar_or_single",
    "unit_of",
]

Array = NDArray[Any]
EPS = float(np.finfo(float).eps)
SINGLE = float(np.finfo(np.float32).eps)
LARGEST_WHOLE = 2.0**53  # below it every integer is a float, and no other integer rounds to it
WIDE_EPS = float(np.finfo(np.longdouble).eps)  # 1e-19 where the machine has 80-bit floats, else EPS
SMALLEST_NORMAL = float(np.finfo(float).tiny)  # below it floats keep fewer digits
WORD = 2**62  # whole numbers up to here, sums and differences of two of them, fit in int64
OP_ULPS = 4.0  # how far a float that was computed may lie from what it stands for
PLAIN = {bool, int, float, Fraction, str}  # of Python's own, which need no second look
_ALREADY_PLAIN = PLAIN | {tuple}


def read_only(*arrays: Array | None) -> None:
    """Refuse writing into these arrays."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False


def is_numeric(values: Array) -> bool:
    """True for a machine-number array (bool, int, float); object arrays hold everything else."""
    return values.dtype.kind in "bif"


def is_array(value: Any) -> bool:
    """Whether it holds numbers along an axis; a torch tensor would pass for an outcome, as its hash is its address."""
    ndim = getattr(value, "ndim", 0)
    return isinstance(ndim, int) and ndim > 0


def in_one_array(columns: Sequence[Array]) -> bool:
    """Whether one array of machine numbers holds them all: no integer that a float beside it would round."""
    if not all(map(is_numeric, columns)):
        return False
    whole = [column for column in columns if column.dtype.kind == "i" and len(column)]
    ends = (end for column in whole for end in (column.min(), column.max()))
    return all(column.dtype.kind != "f" for column in columns) or all(abs(int(end)) < LARGEST_WHOLE for end in ends)


def scalar(value: Any) -> Any:
    """A plain Python value: numpy, torch and sympy numbers become int, float, bool, Fraction; others pass."""
    if type(value) in _ALREADY_PLAIN:
        return value
    if value is np.ma.masked:
        return math.nan  # item() would make 0 of it
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        if getattr(value.dtype, "kind", None) in ("m", "M") and np.isnat(value):
            return math.nan  # item() would make None of it
        plain = value.item()
        return float(plain) if isinstance(plain, np.floating) else plain  # a long double stays one
    if is_expression(value) and not value.free_symbols:
        return plain_number(value)
    return value


def one_number(a: Any, b: Any) -> bool:
    """Whether two real numbers are one: equal or, if one of them is a float, within 4 ulp of the larger.

    >>> one_number(0.3, Fraction(3, 10)), one_number(2 * 10**15 + 1, 2 * 10**15)
    (True, False)

    A float stands for what rounds to it and a few ulp more, also for integers beyond 2^53: 1e16 is one number with
    10^16 + 1, which no float is. An infinity is itself only.
    """
    if a == b or not (isinstance(a, float) or isinstance(b, float)):
        return bool(a == b)
    if any(isinstance(number, float) and not math.isfinite(number) for number in (a, b)):
        return False
    a, b = Fraction(a), Fraction(b)  # the difference of an integer and a float that is near it rounds otherwise
    return bool(abs(a - b) <= Fraction(OP_ULPS * EPS) * max(abs(a), abs(b)))


def object_array(items: Sequence[Any]) -> Array:
    """Python numbers or tuples, one a cell: `np.array` would spread tuples over a second axis."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def unit_of(results: Any, kinds: Collection[type]) -> float:
    """The rounding unit of results where some are floats of less than 64 bits, also inside tuples; else 0.

    >>> unit_of([0.5, np.float32(0.1)], {float, np.float32}) == 2.0**-23, unit_of([0.5], {float})
    (True, 0.0)
    """
    if isinstance(results, np.ndarray):
        return _unit(results.dtype)
    if PLAIN.issuperset(kinds):
        return 0.0
    found = [_unit(getattr(result, "dtype", None)) for result in results if type(result) not in _ALREADY_PLAIN]
    rows = [part for result in results if isinstance(result, tuple) for part in result]
    return max([*found, unit_of(rows, set(map(type, rows))) if rows else 0.0])


def _unit(dtype: Any) -> float:
    """Of a dtype of numpy, or of one with such a name, torch.float32."""
    return _COARSE.get(str(dtype).rpartition(".")[2], 0.0)


_COARSE = {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


def scalar_or_single(value: Any) -> Any:
    """A plain Python value, but for numbers of numpy and torch of less than 64 bits, which say so."""
    if type(value) in _ALREADY_PLAIN or not _unit(getattr(value, "dtype", None)):
        return scalar(value)
    return value if isinstance(value, np.floating) else np.float32(scalar(value))
