"""When are two outcomes the same?  The one place that decides it.

An outcome is a number (or any hashable thing), and arithmetic rounds. The rule:

* Outcomes that a person *gives* are the same when they are equal: 1, True and 1.0 are one value.
* Outcomes that a function *returns* are the same when they are equal within 4 ulp of the larger one. The tolerance is
  relative to each pair, never to the largest value, so that 1e-8 and 2e-8 stay apart beside 1e8.
* A returned value v with |v| <= 16 eps^2 E|V| is the rounding of 0 if 0 itself is an outcome: the sample variance
  of three equal floats is 0 for some floats and 1e-34 for others. Such a merge moves no moment by more than its own
  rounding, and without a true 0 among the outcomes nothing is done.
* Outcomes of *sums* are decided on the exact lattice of the values where there is one (`grid`), and else within the
  rounding error that the summation could have made (`merging`).
* A number that is *asked for* finds the outcome that equals it or, where one of the two is a float, that lies within
  4 ulp (`one_number`).
* With exact numbers (int, Fraction, symbols) equality is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.errors import InvalidLaw, RandvarError, described
from randvar.numbers.arrays import EPS, LARGEST_WHOLE, OP_ULPS, Array, is_array, is_numeric, scalar
from randvar.numbers.symbolic import aliases, is_expression, is_undefined, normal_form

__all__ = [
    "canonical",
    "collapse",
    "merge_within",
    "outcome_array",
    "representatives",
    "runs",
    "runs_within",
]

_ZERO_FLOOR = 16 * EPS**2


def outcome_array(items: Iterable[Any]) -> Array:
    """One outcome a cell: a bool, int64 or float64 array for numbers, else an object array.

    Raises TypeError for an unhashable outcome and InvalidLaw for NaN.
    """
    if isinstance(items, np.ndarray) and items.ndim == 1 and is_numeric(items):
        array = items.astype(float) if items.dtype.kind == "f" else items
    else:
        array = _from_sequence(list(items))
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise InvalidLaw("an outcome is NaN, which is not equal even to itself; drop or replace it first")
        array = array + 0.0  # -0.0 and 0.0 are one value
    elif array.dtype.kind == "i":
        array = array.astype(np.int64)
    return array


def _from_sequence(items: list[Any]) -> Array:
    if items and isinstance(items[0], (bool, int, float, np.number, np.bool_)):
        try:
            array = np.array(items)
        except (ValueError, TypeError, OverflowError):
            array = np.empty(0)
        if array.dtype.kind == "f":
            array = array.astype(float)
        if array.ndim == 1 and len(array) == len(items) and is_numeric(array) and _lossless(array, items):
            return array
    return _general_array([scalar(item) for item in items])


def _lossless(array: Array, items: list[Any]) -> bool:
    """False where numpy would round integers above 2^53 to floats: 2^53 itself may be what it made of 2^53 + 1."""
    if array.dtype.kind != "f" or not len(array):
        return True
    big = np.abs(array) >= LARGEST_WHOLE
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
    if is_expression(item):
        return is_undefined(item)
    try:
        return bool(item != item)
    except (TypeError, ValueError, ArithmeticError):  # pandas' NA and a signalling NaN do not even say
        return True


def canonical(values: Array, weights: Array, *, rounded: bool = False) -> tuple[Array, Array]:
    """Distinct outcomes, ascending where they can be ordered, with their weights added up.

    `rounded=True` for values that a function returned: they are merged within 4 ulp (the rule above).
    """
    if not is_numeric(values):
        return _canonical_objects(values, weights)
    order, same = runs(values, weights, rounded=rounded)
    return collapse(values[order], weights[order], same)


def runs(values: Array, weights: Array, *, rounded: bool = False) -> tuple[Any, Array]:
    """Of machine numbers: the ascending order, as an index, and which of them in that order are one with the next."""
    order: Any = slice(None)
    if not bool(np.all(values[1:] > values[:-1])):
        order = np.argsort(values, kind="stable")
        values, weights = values[order], weights[order]
    if values.dtype.kind != "f" or not rounded:
        return order, np.asarray(values[1:] == values[:-1])
    size = np.abs(values)
    tolerance = OP_ULPS * EPS * np.maximum(size[1:], size[:-1])
    return order, _within(values, tolerance) | _roundings_of_zero(values, size, weights)


def _within(values: Array, tolerance: float | Array) -> Array:
    """Which neighbours are no further apart than the tolerance; an infinity is the same as itself only."""
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf, and 1e308 - (-1e308)
        gaps = values[1:] - values[:-1]
    return np.asarray(((gaps <= tolerance) & np.isfinite(gaps)) | (values[1:] == values[:-1]))


def _roundings_of_zero(values: Array, size: Array, weights: Array) -> Array:
    """Neighbours that are both 0 up to rounding, given that 0 is an outcome."""
    if weights.dtype == object or not len(values) or not (values == 0).any() or np.isinf(size[[0, -1]]).any():
        return np.zeros(max(len(values) - 1, 0), dtype=bool)
    floor = _ZERO_FLOOR * float(np.sum(size * weights))
    return (size[1:] <= floor) & (size[:-1] <= floor)


def merge_within(values: Array, weights: Array, tolerance: float | Array) -> tuple[Array, Array]:
    """Sort and merge neighbours closer than `tolerance` (a number, or one a value)."""
    order, same = runs_within(values, tolerance)
    return collapse(values[order], weights[order], same)


def runs_within(values: Array, tolerance: float | Array) -> tuple[Array, Array]:
    """As `runs`, of neighbours closer than `tolerance`."""
    order = np.argsort(values, kind="stable")
    gap = tolerance if np.ndim(tolerance) == 0 else np.maximum(tolerance[order][1:], tolerance[order][:-1])  # type: ignore[index]
    return order, _within(values[order], gap)


def collapse(values: Array, weights: Array, same: Array) -> tuple[Array, Array]:
    """Add up runs of atoms that are the same; the heaviest outcome of a run stands for it, 0 before any other."""
    if not same.any():
        return values, weights
    starts = np.flatnonzero(np.concatenate(([True], ~same)))
    sums = np.add.reduceat(weights, starts)
    keep = starts.copy()
    ends = np.append(starts[1:], len(values))
    for run in np.flatnonzero((ends - starts > 1) & (values[starts] != values[ends - 1])):
        part = slice(starts[run], ends[run])
        zeros = np.flatnonzero(values[part] == 0)
        best = zeros[0] if len(zeros) else (0 if weights.dtype == object else int(np.argmax(weights[part])))
        keep[run] = starts[run] + best
    return values[keep], sums


def _canonical_objects(values: Array, weights: Array) -> tuple[Array, Array]:
    total: dict[Any, Any] = {}
    given = representatives(values.tolist())
    if weights.dtype.kind == "f" and any(map(is_expression, given)):
        raise RandvarError(
            "symbols among the outcomes of a float law: its numbers would quietly stop being exact; give the"
            f" probabilities as Fractions, or x.rational(); got {next(filter(is_expression, given))}"
        )
    for value, weight in zip(given, weights.tolist(), strict=True):
        total[value] = total[value] + weight if value in total else weight
    outcomes = list(total)
    order = _ascending_order(outcomes)
    kept = _general_array([outcomes[i] for i in order])
    sums = np.empty(len(order), dtype=weights.dtype)
    sums[:] = [total[outcomes[i]] for i in order]
    return kept, sums


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
    return names[outcome] if is_expression(outcome) else outcome


def _ascending_order(outcomes: Sequence[Any]) -> list[int]:
    """Ascending order where the outcomes have one, else the order given (sets compare by inclusion: no order)."""
    given = list(range(len(outcomes)))
    if any(isinstance(outcome, (set, frozenset)) for outcome in outcomes):
        return given
    try:
        return sorted(given, key=lambda i: outcomes[i])
    except TypeError:
        return given
