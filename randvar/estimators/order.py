"""Does the order of the draws matter?  Rounding may tell two orders of a sum apart where mathematics does not.

Two results are the same when a law would make one outcome of them: within 4 ulp of the larger. Where a sum cancels,
rounding makes more of a difference. Whether it is rounding is not guessed from its size: the statistic is run again on
the same draws as Fractions, then as long doubles, and what is rounding all but vanishes. In doubt the order matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.calls.finer import as_fraction, as_long_double
from randvar.numbers.arrays import Array, is_numeric, one_number, scalar, unit_of
from randvar.var import Var

__all__ = ["UNDEFINED", "magnitudes", "same_but_for_rounding"]

_DOUBT = 1e-9  # of the largest number that may have been summed: differences beyond it are no rounding
_SHRINKS = 1 / 64  # a long double has at least 11 bits more, which leaves 1/2048 of a rounding
_SINGLE = 16  # roundings of numbers in single precision, of which no finer ones can be had
_CAP = 1e300  # which a sum of many does not take beyond the floats

UNDEFINED = object()  # stands for a result that is undefined

Again = Callable[[list[int], Callable[[Any], Any]], tuple[Sequence[Any], Sequence[Any]] | None]


def same_but_for_rounding(given: Sequence[Any], other: Sequence[Any], size: float, again: Again) -> bool:
    """Whether each result of `other`, on the same draws in another order, is that of `given`, up to rounding.

    `size` is the largest magnitude among the outcomes; `again(which, finer)` gives both lists anew for those samples,
    with each number made finer by that function, or None if the statistic takes no such numbers.
    """
    apart = [_gaps(a, b, size) for a, b in zip(given, other, strict=True)]
    doubted = [i for i, gaps in enumerate(apart) if any(gaps)]
    if any(math.inf in apart[i] for i in doubted):
        return False
    for finer in _FINER:
        pair = again(doubted, finer) if doubted else None
        if pair is not None:
            finest = zip(doubted, *pair, strict=True)
            doubted = [i for i, a, b in finest if a is UNDEFINED or not _shrunk(apart[i], _gaps(a, b, size))]
    return not doubted


def _shrunk(before: list[float], after: list[float]) -> bool:
    return len(before) == len(after) and all(
        a <= _SHRINKS * b for b, a in zip(before, after, strict=True) if b
    )  # what rounding did not tell apart before stays the same


def _gaps(a: Any, b: Any, size: float) -> list[float]:
    """How far two results are apart, number by number (tuples, and laws with their probabilities, are taken apart).

    0 where a law makes one outcome of both, infinity where that is no rounding.
    """
    if isinstance(a, Var) and isinstance(b, Var):
        one, two = [(*x.values.tolist(), *x.probs.tolist()) for x in (a, b)]
        return _gaps(one, two, size)
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return [math.inf]
        return [gap for v, w in zip(a, b, strict=True) for gap in _gaps(v, w, size)]
    return [0.0 if a is b else _gap(scalar(a), scalar(b), size, unit_of([a, b], {type(a), type(b)}))]


def _gap(a: Any, b: Any, size: float, unit: float) -> float:
    numeric = all(isinstance(v, (int, float, Fraction)) for v in (a, b))
    if one_number(a, b) if numeric else bool(a == b):
        return 0.0
    if not (isinstance(a, float) and isinstance(b, float)) or not math.isfinite(a - b):
        return math.inf
    most = max(abs(a), abs(b), size, size * size)  # a variance sums squares
    if abs(a - b) <= _SINGLE * unit * most:  # which a declaration is not refuted by
        return 0.0
    return abs(a - b) if abs(a - b) <= _DOUBT * most else math.inf


def magnitudes(outcomes: Array) -> Array:
    """The magnitude of each outcome, at most 1e300; of a tuple, that of its largest number; of others 0."""
    if is_numeric(outcomes):
        sizes: Array = np.minimum(np.abs(outcomes.astype(float)), _CAP)
        return sizes
    return np.array(list(map(_magnitude, outcomes.tolist())), dtype=float)


def _magnitude(value: Any) -> float:
    if isinstance(value, tuple):
        return max(map(_magnitude, value), default=0.0)
    if isinstance(value, (int, float, Fraction)):
        return abs(float(value)) if -_CAP < value < _CAP else _CAP
    return 0.0


_FINER = (as_fraction, as_long_double)
