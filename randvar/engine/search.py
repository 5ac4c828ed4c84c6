"""Where an outcome stands among canonical ones: finding a value, counting those up to it, reaching a quantile."""

from __future__ import annotations

import bisect
import itertools
import operator
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.engine.atoms import EPS, Array, is_numeric, representatives, scalar
from randvar.engine.symbolic import is_expression, is_undefined
from randvar.errors import RandvarError, described

__all__ = ["an_outcome", "check_ordered", "find", "first_reaching", "how_many_up_to", "is_near_floats", "some"]

_LARGEST = float(np.finfo(float).max)

_plain = operator.methodcaller("item")  # Python's numbers compare exactly with Fractions; numpy's wrap around


def an_outcome(name: str, value: Any) -> Any:
    """Something that could be an outcome, to look for it."""
    value = scalar(value)
    try:
        hash(value)
        undefined = is_undefined(value) if is_expression(value) else bool(value != value)
    except (TypeError, ValueError, ArithmeticError):
        raise TypeError(
            f"{name} takes an outcome, got {described(value)}, which is none; x.prob(lambda a: a in ...) takes many"
        ) from None
    if undefined:
        raise RandvarError(f"{name} takes a value to compare with the outcomes, got {value!r}, which equals nothing")
    return value


def find(values: Array, value: Any) -> int | None:
    """Where the atom of this value stands among canonical values, or None; a float finds its atom within 4 ulp.

    >>> find(np.array([1, 2, 5]), 5), find(np.array([0.1, 0.3]), 0.1 + 0.2), find(np.array([1, 2, 5]), "a")
    (2, 1, None)
    """
    value = scalar(value)
    if not is_numeric(values):
        return _find_object(values.tolist(), value)
    if not isinstance(value, (bool, int, float, Fraction)):
        return None
    at = bisect.bisect_left(values, value, key=_plain)
    near = {i: _plain(values[i]) for i in (at - 1, at, at + 1) if 0 <= i < len(values)}
    for i, number in near.items():
        if number == value:
            return i
    return next((i for i, number in near.items() if _within_rounding(number, value)), None)


def _find_object(outcomes: list[Any], value: Any) -> int | None:
    if value in outcomes:
        return outcomes.index(value)
    *_, named = representatives([*outcomes, value])
    if named is not value and named in outcomes:
        return outcomes.index(named)
    if not isinstance(value, float):
        return None
    numbers = ((i, outcome) for i, outcome in enumerate(outcomes) if isinstance(outcome, (float, Fraction)))
    return next((i for i, number in numbers if _within_rounding(number, value)), None)


def is_near_floats(value: Any) -> bool:
    """Whether it is a number that a float can be near; an infinity is near itself only."""
    return isinstance(value, (int, float, Fraction)) and -_LARGEST <= value <= _LARGEST


def _within_rounding(number: Any, value: Any) -> bool:
    """Whether a float is the other number up to 4 ulp."""
    return is_near_floats(value) and abs(float(number) - float(value)) <= 4 * EPS * abs(float(value))


def check_ordered(name: str, values: Array) -> None:
    """Refuse outcomes that no order puts in a row: words beside numbers, complex numbers."""
    if is_numeric(values):
        return
    try:
        ordered = all(a < b for a, b in itertools.pairwise(values))
    except TypeError:
        ordered = False
    if not ordered:
        raise TypeError(f"{name} needs outcomes with an order; these have none: {some(values)}")


def how_many_up_to(values: Array, v: Any) -> int:
    """How many of the ascending values are at most v."""
    try:
        if is_numeric(values) and not isinstance(v, (int, float, Fraction)):
            raise TypeError
        return bisect.bisect_right(values, v, key=_plain if is_numeric(values) else None)
    except TypeError:
        raise TypeError(f"cdf takes a value that can be compared with {some(values)}, got {described(v)}") from None


def first_reaching(u: Any, probs: Array) -> int:
    """The first index whose lower tail reaches u.

    Up to u = 1/2 the lower tail is compared with u, beyond it the upper tail with 1 - u, each with a few ulp of
    tolerance.

    >>> first_reaching(0.5, np.full(6, 1 / 6)), first_reaching(1, np.full(6, 1 / 6))
    (2, 5)
    """
    if probs.dtype.kind != "f":
        reached = (i for i, lower in enumerate(itertools.accumulate(probs.tolist())) if lower >= u)
        return next(reached, len(probs) - 1)
    u = float(u)
    if u <= 0.5:
        lower = np.cumsum(probs)
        return min(int(np.searchsorted(lower, u * (1 - 16 * EPS))), len(probs) - 1)
    upper = np.append(np.cumsum(probs[::-1])[::-1][1:], 0.0)  # upper[i] = P(X > values[i])
    allowed = (1 - u) * (1 + 16 * EPS) + (EPS / 4 if u < 1 else 0.0)  # half an ulp of u: 0.975 is not quite 39/40
    return int(np.argmax(upper <= allowed))


def some(values: Array) -> str:
    """The first few outcomes, for a message."""
    shown = ", ".join(repr(v) for v in values[:4].tolist())
    return f"[{shown}, ...]" if len(values) > 4 else f"[{shown}]"
