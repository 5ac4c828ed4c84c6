"""Outcomes: a column of them as an array of one kind of numbers, in one normal form for each.

An outcome is a number, or any hashable thing. 1, True and 1.0 are one value; -0.0 is 0; NaN equals nothing and is
refused. Numbers of several kinds in one column have the kind in which they meet: a float beside a Fraction makes both
floats, so that nothing that floats touched passes for exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.atoms.merge import codes_of, heaviest, runs
from randvar.errors import InvalidLaw, described
from randvar.numbers.arrays import LARGEST_WHOLE, Array, is_array, is_numeric, object_array, scalar
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, FRACTIONS, WORDS, kind_of
from randvar.numbers.symbolic import aliases, is_expression, is_undefined, normal_form

__all__ = ["SHRUNK", "Axis", "outcome_array", "representatives"]

_LARGEST = 10**308
SHRUNK = 1 / 64  # of an error of floats, what may be left of it in long doubles, which have 11 bits more


@dataclass(frozen=True, slots=True)
class Axis:
    """The outcomes of one coordinate, and what they are made of.

    `radius` says of each how far it may be from the truth because rounding was magnified where it was computed; None:
    no further than a few ulp of itself.
    """

    values: Array
    numbers: Numbers
    radius: Array | None = None

    @classmethod
    def of(cls, items: Iterable[Any]) -> Axis:
        """From outcomes as a person or a function gives them.

        >>> Axis.of([1, Fraction(1, 2)]).numbers, Axis.of([1, 0.1, Fraction(1, 3)]).values
        (fractions, array([1.        , 0.1       , 0.33333333]))

        Integers that no float is stay what they are, also beside floats. Raises TypeError for an unhashable outcome,
        InvalidLaw for NaN, RandvarError for floats beside symbols.
        """
        if isinstance(items, list) and items and set(map(type, items)) <= _EXACT:
            return cls(_from_exact(items), FRACTIONS)
        array = outcome_array(items)
        if is_numeric(array):
            return cls(array, _OF_MACHINES[array.dtype.kind])
        numbers = kind_of(array.tolist())
        return cls(*_NORMAL[numbers](array, numbers))

    def merged(self, weights: Array, tolerance: Any = 0) -> tuple[Axis, Array]:
        """The distinct outcomes of a column of rows, ascending, and which of them each row has.

        >>> axis, codes = Axis.of([5, 3, 5]).merged(np.ones(3))
        >>> axis.values, codes
        (array([3, 5]), array([1, 0, 1]))
        """
        order, starts = runs(self.values, tolerance)
        values = self.values[order]
        kept = heaviest(values, weights[order], starts) if isinstance(tolerance, np.ndarray) else starts
        return Axis(values[kept], self.numbers, self.widest(order, starts)), codes_of(order, starts, len(values))

    def widest(self, order: Any, starts: Any) -> Array | None:
        """The largest radius of each run of rows."""
        return None if self.radius is None else np.maximum.reduceat(self.radius[order], starts)

    def tolerance(self, weights: Array, unit: float = 0.0) -> Any:
        """How far each may lie from another that it is one with: a few ulp, or what finer numbers left of its error.

        `unit` is the rounding unit of single precision, where outcomes were computed in it.
        """
        within = self.numbers.tolerance(self.values, weights, unit)
        return within if self.radius is None else np.maximum(within, SHRUNK * self.radius)

    def as_returned(self, weights: Array, unit: float = 0.0) -> tuple[Axis, Array]:
        """`merged` within the rounding of what a function returned, in single precision if `unit` is its unit."""
        return self.merged(weights, self.tolerance(weights, unit))

    def take(self, rows: Any) -> Axis:
        """Some of the outcomes, in the order of these indices or of a mask."""
        return Axis(self.values[rows], self.numbers, None if self.radius is None else self.radius[rows])


_EXACT = {int, Fraction}  # what needs no second look: no NaN, hashable, of one kind


def _from_exact(items: list[Any]) -> Array:
    """Ints and Fractions as a column."""
    if Fraction in set(map(type, items)):
        return object_array(items)
    try:
        return np.array(items, dtype=np.int64)
    except OverflowError:
        return object_array(items)


def _fits_floats(v: Any) -> bool:
    """Whether nothing but the digits of a fraction is lost."""
    return not isinstance(v, int) or abs(v) <= LARGEST_WHOLE or (abs(v) < _LARGEST and v == float(v))


def _floats_if_they_fit(array: Array, _: Numbers) -> tuple[Array, Numbers]:
    return (array.astype(float) + 0.0 if all(map(_fits_floats, array.tolist())) else array), FLOATS


def _as_given(array: Array, numbers: Numbers) -> tuple[Array, Numbers]:
    return array, numbers


def _in_normal_form(array: Array, _: Numbers) -> tuple[Array, Numbers]:
    """Expressions, also inside tuples: p - p is 0, and then of another kind."""
    outcomes = representatives(array.tolist())
    return object_array(outcomes), kind_of(outcomes)


_OF_MACHINES: dict[str, Numbers] = {"b": FRACTIONS, "i": FRACTIONS, "f": FLOATS}  # by the letter of a numpy array
_NORMAL: dict[Numbers, Callable[[Array, Numbers], tuple[Array, Numbers]]] = {
    FLOATS: _floats_if_they_fit,
    FRACTIONS: _as_given,
    EXPRESSIONS: _in_normal_form,
    WORDS: _in_normal_form,
}


def outcome_array(items: Iterable[Any]) -> Array:
    """One outcome a cell: a bool, int64 or float64 array for numbers, else an object array.

    Raises TypeError for an unhashable outcome and InvalidLaw for NaN.
    """
    given = isinstance(items, np.ndarray) and items.ndim == 1 and is_numeric(items)
    array = np.asarray(items) if given else _from_sequence(list(items))
    return _CELLS[array.dtype.kind](array)


def _without_nan(array: Array) -> Array:
    """As floats of 64 bits."""
    if np.isnan(array).any():
        raise InvalidLaw("an outcome is NaN, which is not equal even to itself; drop or replace it first")
    return array.astype(float) + 0.0  # -0.0 and 0.0 are one value


_CELLS: dict[str, Callable[[Array], Array]] = {
    "b": np.array,  # a copy: a law keeps what no one writes into
    "i": lambda array: array.astype(np.int64),
    "f": _without_nan,
    "O": np.asarray,
}


def _from_sequence(items: list[Any]) -> Array:
    if items and isinstance(items[0], (bool, int, float, np.number, np.bool_)):
        try:
            array = np.array(items)
        except (ValueError, TypeError, OverflowError):
            array = np.empty(0)
        if array.ndim == 1 and len(array) == len(items) and is_numeric(array) and _lossless(array, items):
            return array
    return _general_array([scalar(item) for item in items])


def _lossless(array: Array, items: list[Any]) -> bool:
    """False where numpy would round integers above 2^53 to floats: 2^53 itself may be what it made of 2^53 + 1."""
    if array.dtype.kind != "f" or not len(array):
        return True
    big = np.abs(array.astype(float)) >= LARGEST_WHOLE  # float16 does not reach it
    return not big.any() or all(isinstance(items[i], (float, np.floating)) for i in np.flatnonzero(big))


def _way_out(item: Any) -> str:
    if isinstance(item, Fraction):
        return "Python cannot hash a Fraction of numpy integers: make it of int(...)"
    return "use a tuple (or x.vector(f) for a Joint of components)"


def _general_array(items: list[Any]) -> Array:
    array = np.empty(len(items), dtype=object)  # filled cell by cell: an outcome may be a sequence of any class
    for i, item in enumerate(items):
        if is_array(item):
            raise TypeError(
                f"an outcome must be one value, got {described(item)}; for several use a tuple, or x.vector(f) for a"
                " Joint of components"
            )
        try:
            hash(item)
        except TypeError:
            raise TypeError(f"an outcome must be hashable, got {described(item)}; {_way_out(item)}") from None
        if _has_nan(item):
            raise InvalidLaw(f"an outcome is NaN: {item!r}; NaN is not equal even to itself")
        array[i] = item
    if items and all(type(item) in (bool, int, float) for item in items):
        plain = np.array(items)  # scalars that came wrapped (0-d arrays, torch scalars)
        if is_numeric(plain) and _lossless(plain, items):
            return plain
    return array


def _has_nan(item: Any) -> bool:
    if isinstance(item, tuple):
        return any(_has_nan(part) for part in item)
    try:
        return is_undefined(item) or bool(item != item)
    except (TypeError, ValueError, ArithmeticError):  # pandas' NA and a signalling NaN do not even say
        return True


def representatives(outcomes: Sequence[Any]) -> list[Any]:
    """Expressions (also inside tuples) in the one form that stands for all identical to them; others as they are."""
    expressions = dict.fromkeys(part for outcome in outcomes for part in _expressions(outcome))  # in their order
    if not expressions:
        return list(outcomes)
    normal = {part: scalar(normal_form(part)) for part in expressions}
    numbers = [outcome for outcome in outcomes if isinstance(outcome, (int, Fraction))]
    same = aliases(list(dict.fromkeys([*numbers, *normal.values()])))
    names = {part: same.get(form, form) for part, form in normal.items()}
    return [_renamed(outcome, names) for outcome in outcomes]


def _expressions(outcome: Any) -> Iterator[Any]:
    if isinstance(outcome, tuple):
        for part in outcome:
            yield from _expressions(part)
    elif is_expression(outcome):
        yield outcome


def _renamed(outcome: Any, names: dict[Any, Any]) -> Any:
    if isinstance(outcome, tuple):
        return tuple(_renamed(part, names) for part in outcome)
    return names.get(outcome, outcome)
