"""When are two outcomes one, and how are they made one: the only merge.

Its tolerance says how far each value may lie from what it stands for. Three are in use, each by a reason of its own:

* 0: what a person gave, exact numbers, and what an injective map like scale * X + shift made, are one if equal;
* 4 ulp of each value, what a function returned (`Numbers.tolerance`): relative to each, never to the largest value, so
  that 1e-8 and 2e-8 stay apart beside 1e8;
* the rounding that a sum could have made of its own terms (`sums.merging`, `law.sum_of_columns`).

Values are one when all of them lie within the tolerance, not when each is near the next: a chain is broken up.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from randvar.numbers.arrays import Array

__all__ = ["codes_of", "heaviest", "runs", "starts_of"]

_FEW = 64  # values that Python groups before numpy has begun
_AS_THEY_ARE = slice(None)


def runs(column: Array, tolerance: Any = 0) -> tuple[Any, Any]:
    """(order, starts): the rows in ascending order, and where in it a new outcome begins.

    >>> order, starts = runs(np.array([3, 1, 3]))
    >>> order, starts
    ([1, 0, 2], [0, 1])

    A slice of all where they are ascending already. Objects stay in the order given where they have no other.
    `tolerance` is 0 or one number a row.
    """
    exact = not isinstance(tolerance, np.ndarray)
    if column.dtype == object:
        return _runs_of_items(column.tolist())
    if exact and len(column) <= _FEW:
        items = column.tolist()
        return (_AS_THEY_ARE, range(len(items))) if all(map(operator.lt, items, items[1:])) else _runs_of_items(items)
    if bool((column[1:] > column[:-1]).all()):
        order: Any = _AS_THEY_ARE
    else:
        order = np.argsort(column, kind="stable")
        column = column[order]
    return order, starts_of(column, 0 if exact else tolerance[order])


def starts_of(column: Array, tolerance: Any = 0) -> Array:
    """Where a new outcome begins in ascending machine numbers."""
    new = np.append(True, column[1:] != column[:-1])
    if isinstance(tolerance, np.ndarray):
        _join(column, tolerance, new)
    return new.nonzero()[0]


def _join(column: Array, tolerance: Array, new: Array) -> None:
    """Neighbours that are near are one, unless their run is wider than their tolerance as a whole."""
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf, and 1e308 - (-1e308)
        gaps = column[1:] - column[:-1]
        near = (gaps <= np.maximum(tolerance[1:], tolerance[:-1])) & np.isfinite(gaps)
    new[1:] &= ~near
    starts = new.nonzero()[0]
    ends = np.append(starts[1:], len(column))
    several = ends - starts > 2
    if not several.any():
        return
    begin, last = starts[several], ends[several] - 1
    with np.errstate(invalid="ignore", over="ignore"):
        wide = column[last] - column[begin] > np.maximum.reduceat(tolerance, starts)[several]
    for first, end in zip(begin[wide].tolist(), (last[wide] + 1).tolist(), strict=True):
        while first < end:
            new[first] = True
            beyond = column[first:end] - column[first] > np.maximum(tolerance[first:end], tolerance[first])
            first = first + int(beyond.argmax()) if beyond.any() else end


def _runs_of_items(items: list[Any]) -> tuple[list[int], list[int]]:
    """Of whatever is hashable."""
    rows: dict[Any, list[int]] = {}
    for row, item in enumerate(items):
        rows.setdefault(item, []).append(row)
    if len(rows) == len(items):
        return _ascending(items), list(range(len(items)))
    outcomes = list(rows)
    groups = [rows[outcomes[i]] for i in _ascending(outcomes)]
    starts = list(itertools.accumulate(map(len, groups[:-1]), initial=0))
    return list(itertools.chain.from_iterable(groups)), starts


def _ascending(outcomes: Sequence[Any]) -> list[int]:
    """Ascending order where the outcomes have one, else the order given (sets compare by inclusion: no order)."""
    given = list(range(len(outcomes)))
    if any(issubclass(kind, (set, frozenset)) for kind in set(map(type, outcomes))):
        return given
    try:
        return sorted(given, key=outcomes.__getitem__)
    except TypeError:
        return given


def heaviest(column: Array, weights: Array, starts: Array) -> Array:
    """The row that stands for each run of ascending values that are one up to rounding: 0, else the heaviest.

    Among exact weights, which may be symbols, the first.
    """
    heavy = weights if weights.dtype.kind == "f" else -np.arange(len(weights), dtype=float)
    rank = np.where(column == 0, np.inf, heavy)
    lengths = np.diff(starts, append=len(column))
    best = np.flatnonzero(rank == np.repeat(np.maximum.reduceat(rank, starts), lengths))
    run = np.searchsorted(starts, best, side="right") - 1
    chosen = np.empty_like(starts)
    chosen[run[::-1]] = best[::-1]
    return chosen


def codes_of(order: Any, starts: Any, size: int) -> Array:
    """Which outcome each row has, by its place among the outcomes."""
    codes = np.empty(size, dtype=np.int64)
    codes[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=size))
    return codes
