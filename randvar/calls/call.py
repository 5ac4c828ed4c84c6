"""Calling a person's function on outcomes: once each, with the outcome in the message when it fails."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.atoms.outcomes import outcome_array
from randvar.calls.comparisons import UnclearComparison, watched
from randvar.calls.repetition import check_repeated
from randvar.calls.wrapping import check_wrapping
from randvar.context import check_budget
from randvar.errors import RandvarError, UndefinedOutcome, one_line
from randvar.numbers.arrays import Array, is_numeric, object_array, scalar
from randvar.numbers.overflow import power
from randvar.numbers.symbolic import is_undefined

__all__ = ["apply", "apply_ufunc", "called", "holds", "numbers", "of_two"]

_INT64_SAFE = 2.0**62
_AT_ONCE = 256  # results looked at together
_FEW = 64  # outcomes of which the laws are not counted one by one
_NEVER_NAN = {bool, int, str, Fraction}
_PLAIN = _NEVER_NAN | {float}


def called(
    f: Callable[..., Any],
    columns: Sequence[Array],
    probability: Callable[[int], Any],
    atoms_of: Callable[[list[Any]], int] | None = None,
) -> Array | list[Any]:
    """What a function returns on rows, as `apply` says; a ufunc takes whole columns of machine numbers."""
    if isinstance(f, np.ufunc) and all(map(is_numeric, columns)):
        return apply_ufunc(f, columns, probability)
    return apply(f, columns, probability, atoms_of)


def apply(
    f: Callable[..., Any],
    columns: Sequence[Array],
    probability: Callable[[int], Any],
    atoms_of: Callable[[list[Any]], int] | None = None,
) -> list[Any]:
    """[f(*row) for every row], given as columns; plain Python scalars go in and come out.

    `probability` is that of a row, for messages; `atoms_of` counts atoms in results that are laws or rows, which are
    refused past the budget as soon as they come. The first row is run once more at the end (`repetition`).

    Raises RandvarError where f is no function; UndefinedOutcome, naming the outcome and its probability, when f raises,
    returns NaN or lets numpy's integers wrap around (`wrapping`).
    """
    rows = [column.tolist() for column in columns]
    results: list[Any] = []
    try:
        with np.errstate(invalid="ignore"):  # numpy's 0/0 is found below, as NaN
            if atoms_of is None or len(rows[0]) <= _FEW:
                results.extend(map(f, *rows))
            else:
                _extend_counted(results, map(f, *rows), atoms_of, _name(f))
    except _OfALaw as refused:
        raise refused.args[0] from refused.args[0].__cause__
    except Exception as error:
        at = len(results)
        if _is_misuse(error) or isinstance(error, UnclearComparison):
            raise
        raise UndefinedOutcome(
            f"{_name(f)} raised {type(error).__name__} on {_shown(rows, at, probability)}: {error};"
            " condition that outcome away, or give the function a value there"
        ) from error
    if results and _may_tell(f):
        row = [column[0] for column in rows]
        check_repeated(_name(f), f, row, results[0], lambda: _shown(rows, 0, probability))
    kinds = set(map(type, results))
    if kinds <= _NEVER_NAN:
        return results
    undefined = _first_nan(results, kinds)
    if undefined is not None:
        raise UndefinedOutcome(
            f"{_name(f)} returned NaN on {_shown(rows, undefined, probability)};"
            " condition that outcome away, or give the function a value there"
        )
    if not kinds <= _PLAIN:
        check_wrapping(f, rows, results, lambda at: _shown(rows, at, probability))
    return results


def _may_tell(f: Callable[..., Any]) -> bool:
    """Whether a second run may tell that f is no function; ufuncs and builtins like len are."""
    return not isinstance(f, (np.ufunc, type))


class _OfALaw(Exception):
    """A refusal not of f but of a law that it returned, when that is read or past the budget."""


def _extend_counted(results: list[Any], more: Iterator[Any], atoms_of: Callable[[list[Any]], int], name: str) -> None:
    """Take the results, counting as they come: once there are laws, one at a time."""
    size, at_once = 0, 1
    while piece := list(itertools.islice(more, at_once)):
        results += piece
        try:
            found = atoms_of(piece)
            size += found
            check_budget(size, f"what {name} returned")
        except RandvarError as refused:
            raise _OfALaw(refused) from None
        at_once = 1 if found else min(2 * at_once, _AT_ONCE)


def _is_misuse(error: Exception) -> bool:
    """A call with the wrong number of arguments is a mistake in the program, not an undefined outcome."""
    return isinstance(error, TypeError) and "positional argument" in str(error)


def _first_nan(results: list[Any], kinds: set[type]) -> int | None:
    """Only NaN differs from itself; expressions, arrays and whatever else are looked at one by one."""
    if kinds <= _PLAIN and not any(map(operator.ne, results, results)):
        return None
    return next((at for at, result in enumerate(results) if _is_nan(result)), None)


def _is_nan(result: Any) -> bool:
    return is_undefined(result) or is_undefined(scalar(result))


def _name(f: Callable[..., Any]) -> str:
    return getattr(f, "__name__", type(f).__name__)


def _shown(rows: Sequence[Sequence[Any]], at: int, probability: Callable[[int], Any]) -> str:
    outcome = rows[0][at] if len(rows) == 1 else tuple(row[at] for row in rows)
    return f"outcome {one_line(outcome)} (probability {_short(probability(at))})"


def _short(weight: Any) -> str:
    return f"{weight:.6g}" if isinstance(weight, float) else str(weight)


def apply_ufunc(f: np.ufunc, columns: Sequence[Array], probability: Callable[[int], Any]) -> Array:
    """f on whole arrays, as on Python's numbers: True + True is 2, and integers that would overflow are redone."""
    if f.nin != len(columns) or f.nout != 1 or f.signature is not None:
        takes = f"takes {f.signature}" if f.signature else f"takes {f.nin} and returns {f.nout}"
        raise TypeError(f"np.{_name(f)} {takes}, but is to make one outcome of {len(columns)}")
    if f is not np.invert:
        columns = [numbers(c) for c in columns]
    if f in _IN_PYTHON and all(c.dtype.kind in "bi" for c in columns):
        return outcome_array(apply(_IN_PYTHON[f], columns, probability))
    with np.errstate(all="ignore"):
        try:
            result = np.asarray(f(*columns))
            redo = result.dtype.kind == "i" and _may_wrap(f, columns)
        except ValueError:  # integers to negative powers
            redo = True
        if redo:
            result = outcome_array(apply(_on_objects(f), columns, probability))
    if result.dtype.kind == "f" and np.isnan(result).any():
        at = int(np.flatnonzero(np.isnan(result))[0])
        raise UndefinedOutcome(
            f"{_name(f)} is NaN on {_shown([c.tolist() for c in columns], at, probability)};"
            " condition that outcome away first"
        )
    return result


def of_two(f: np.ufunc, a: Any, b: Any) -> Any:
    """f(a, b) of two numbers, of integers without wrapping around."""
    if isinstance(a, int) and isinstance(b, int):
        return scalar(apply_ufunc(f, [np.array([a]), np.array([b])], lambda _: 1)[0])
    return f(a, b)


def _may_wrap(f: np.ufunc, columns: Sequence[Array]) -> bool:
    """Whether an integer could be beyond 2^62, or is no number, as floats tell."""
    try:
        return not bool(np.all(np.abs(np.asarray(f(*(c.astype(float) for c in columns)), dtype=float)) < _INT64_SAFE))
    except TypeError:  # a function of bits or divisors: no larger than the numbers it is given
        return False


def _on_objects(f: np.ufunc) -> Callable[..., Any]:
    """The ufunc of Python's integers, one row at a time."""

    def call(*row: Any) -> Any:
        return f(*(object_array([number]) for number in row))[0]

    call.__name__ = _name(f)
    return call


def _shifted(a: int, bits: int) -> int:
    """a * 2^bits, of at most 2^22 bits."""
    return operator.lshift(a, bits) if bits <= 0 else a * int(power(2, bits))


def _fmod(a: int, b: int) -> int:
    """The remainder with the sign of a."""
    return abs(a) % abs(b) if a >= 0 else -(abs(a) % abs(b))


# integer ufuncs of which floats do not tell whether they wrapped, or that numpy has for machine integers only
_IN_PYTHON: dict[np.ufunc, Callable[..., Any]] = {
    np.left_shift: _shifted,
    np.right_shift: operator.rshift,
    np.lcm: math.lcm,
    np.fmod: _fmod,
}


def numbers(column: Array) -> Array:
    """Booleans as 0 and 1, of which numpy adds and subtracts as Python does."""
    return column.astype(np.int64) if column.dtype.kind == "b" else column


def holds(event: Callable[..., Any], columns: Sequence[Array], probability: Callable[[int], Any]) -> Array:
    """The mask of rows on which the predicate holds; a numpy ufunc takes whole columns."""
    if not callable(event):
        raise TypeError(f"a condition must be a predicate such as `lambda a: a > 2`, got {event!r:.60}")
    if isinstance(event, np.ufunc) and all(map(is_numeric, columns)):
        return apply_ufunc(event, columns, probability).astype(bool)
    results = apply(event, [watched(column) for column in columns], probability)
    try:
        return np.fromiter(map(bool, results), dtype=bool, count=len(results))
    except (TypeError, ValueError) as error:
        raise RandvarError(
            f"the condition {_name(event)} is neither true nor false: {error}; it must return one truth value (with a"
            " number in the place of each symbol)"
        ) from error
