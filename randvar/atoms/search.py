"""Where an outcome stands among canonical ones: finding a value, counting those up to it, reaching a quantile."""

from __future__ import annotations

import bisect
import itertools
import operator
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.atoms.outcomes import representatives
from randvar.errors import RandvarError, described
from randvar.numbers.arrays import EPS, Array, is_array, is_numeric, one_number, scalar
from randvar.numbers.floats import FLOATS
from randvar.numbers.nearest import simple_fraction
from randvar.numbers.symbolic import is_undefined

__all__ = ["an_outcome", "check_ordered", "find", "first_reaching", "how_many_up_to", "is_near_floats", "some"]

_LARGEST = float(np.finfo(float).max)
_SIMPLE = 10**6  # the largest denominator of a fraction that a float is taken for

_plain = operator.methodcaller("item")  # Python's numbers compare exactly with Fractions; numpy's wrap around


def an_outcome(name: str, value: Any) -> Any:
    """Something that could be an outcome, to look for it."""
    value = scalar(value)
    try:
        if is_array(value):
            raise TypeError
        hash(value)
        undefined = is_undefined(value) or bool(value != value)
    except (TypeError, ValueError, ArithmeticError):
        raise TypeError(
            f"{name} takes an outcome, got {described(value)}, which is none; x.prob(lambda a: a in ...) takes many"
        ) from None
    if undefined:
        raise RandvarError(f"{name} takes a value to compare with the outcomes, got {value!r}, which equals nothing")
    return value


def find(values: Array, value: Any) -> int | None:
    """Where the atom of this value stands among canonical values, or None.

    The atom that equals it; else, where one of the two is a float, the nearest within 4 ulp (`one_number`).

    >>> find(np.array([1, 2, 5]), 5), find(np.array([0.1, 0.3]), 0.1 + 0.2), find(np.array([1, 2, 5]), "a")
    (2, 1, None)
    """
    value = scalar(value)
    if not is_numeric(values):
        return _find_object(values.tolist(), value)
    if not isinstance(value, (bool, int, float, Fraction)):
        return None
    at = bisect.bisect_left(values, value, key=_plain)
    return _nearest([(i, _plain(values[i])) for i in (at - 1, at) if 0 <= i < len(values)], value)


def _find_object(outcomes: list[Any], value: Any) -> int | None:
    if value in outcomes:
        return outcomes.index(value)
    *names, name = representatives([*outcomes, value])  # sqrt(2) - 1 and 1/(1 + sqrt(2)) have one
    if name in names:
        return names.index(name)
    if not isinstance(value, (int, float, Fraction)):
        return None
    return _nearest([(i, v) for i, v in enumerate(outcomes) if isinstance(v, (int, float, Fraction))], value)


def _nearest(numbers: list[tuple[int, Any]], value: Any) -> int | None:
    """The index of the number that is the value, or is nearest to it among those that are so up to rounding."""
    for i, number in numbers:
        if number == value:
            return i
    near = [(abs(Fraction(number) - Fraction(value)), i) for i, number in numbers if one_number(number, value)]
    return min(near)[1] if near else None


def is_near_floats(value: Any) -> bool:
    """Whether it is a number that a float can be near; an infinity is near itself only."""
    return isinstance(value, (int, float, Fraction)) and -_LARGEST <= value <= _LARGEST


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
    """The first index whose lower tail reaches u (`Var.quantile` says when it does), the last index for u = 1.

    >>> first_reaching(0.5, np.full(6, 1 / 6)), first_reaching(1, np.full(6, 1 / 6))
    (2, 5)

    Cumulative sums, whose rounding grows with their length, say where to look; sums as those of `Var.cdf` decide.
    """
    if probs.dtype.kind != "f":
        return _first_reaching_exactly(u, probs.tolist())
    u, last = float(u), len(probs) - 1
    if u == 1:
        return last
    rounding = (len(probs) + 32) * EPS
    if u <= 0.5:
        tails = np.cumsum(probs)
        first, surely = np.searchsorted(tails, [u * (1 - rounding), u * (1 + rounding)])
    else:
        tails = np.append(0.0, np.cumsum(probs[:0:-1]))  # P(X > values[i]), from the last i to the first
        most = [(1 - u) * (1 + rounding) + 16 * EPS, (1 - u) * (1 - rounding) - 16 * EPS]
        first, surely = len(probs) - np.searchsorted(tails, most, side="right")
    return bisect.bisect_left(
        range(last), True, int(first), min(int(surely), last), key=lambda i: _reaches(i, u, probs)
    )


def _reaches(i: int, u: float, probs: Array) -> bool:
    """Whether the lower tail up to i reaches u, up to a few ulp of it or, beyond 1/2, of the upper tail."""
    below = FLOATS.total(probs[: i + 1])
    if u <= 0.5:
        return below >= u * (1 - 16 * EPS)
    if below >= u:
        return True
    above = FLOATS.total(probs[i + 1 :])
    return above <= (1 - u) * (1 + 16 * EPS) + EPS / 4  # half an ulp of u is allowed: 0.975 is not quite 39/40


def _first_reaching_exactly(u: Any, probs: list[Any]) -> int:
    """In fractions: a float u is the simplest fraction within an ulp, else whatever rounds to it."""
    simple = simple_fraction(u, _SIMPLE) if isinstance(u, float) else u
    tails = itertools.accumulate(probs)
    reached = (i for i, tail in enumerate(tails) if (float(tail) >= u if simple is None else tail >= simple))
    return next(reached, len(probs) - 1)


def some(values: Array) -> str:
    """The first few outcomes, for a message."""
    shown = ", ".join(repr(v) for v in values[:4].tolist())
    return f"[{shown}, ...]" if len(values) > 4 else f"[{shown}]"
