"""The law of a state after n draws: states that agree are merged, so that samples are never listed.

Two engines do the same. `Moves` takes any hashable state: what each outcome makes of it is asked once and kept in a
table, and a draw moves the weights of all states along it. `advanced` takes arrays of states: a function of all of them
is called once for each outcome, and rows that are equal become one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from randvar.numbers.arrays import Array, object_array
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import FLOATS

__all__ = ["Moves", "advanced", "merged_states", "weights_at"]

_DENSE_KEYS = 4  # cells of a table of keys for each row that is put into it
_ROWS = 2**22  # that are merged at once
_WORD = 2**62  # whole numbers up to here fit in int64


class Moves:
    """What each of k outcomes makes of each state met so far: targets[i, j] is the place of the state after outcome j.

    `ask(states)` gives what k outcomes make of each, k states one after the other.
    """

    def __init__(self, start: Any, k: int, ask: Callable[[list[Any]], list[Any]]) -> None:
        self.states: list[Any] = [start]
        self.places: dict[Any, int] = {start: 0}
        self.ask = ask
        self.targets = np.empty((0, k), dtype=np.int64)

    def after(self, weights: Array, shares: Array, numbers: Numbers) -> Array:
        """The weights of the states (all that are known then) one draw later."""
        self._learn(len(weights))
        reached = weights.nonzero()[0]
        moved = np.multiply.outer(weights[reached], shares).ravel()
        return weights_at(self.targets[reached].ravel(), moved, len(self.states), numbers)

    def _learn(self, size: int) -> None:
        """Ask what becomes of the states that are new among the first `size`."""
        known = len(self.targets)
        if known == size:
            return
        places = self.places
        found = [places.setdefault(state, len(places)) for state in self.ask(self.states[known:size])]
        self.states.extend(list(places)[len(self.states) :])
        self.targets = np.concatenate([self.targets, np.array(found).reshape(size - known, -1)])


def weights_at(places: Array, weights: Array, size: int, numbers: Numbers) -> Array:
    """The sum of the weights at each place."""
    if numbers is FLOATS:
        return np.bincount(places, weights, size)
    totals = object_array([0] * size)
    np.add.at(totals, places, weights)
    return totals


def advanced(
    states: Array, weights: Array, steps: Sequence[Callable[[Array], Array]], shares: Array, numbers: Numbers
) -> tuple[Array, Array]:
    """Distinct rows of states one draw later, and their weights."""
    pieces = []
    for first in range(0, len(steps), at_once := max(1, _ROWS // len(states))):
        part = slice(first, first + at_once)
        moved = np.concatenate([step(states) for step in steps[part]])
        pieces.append(merged_states(moved, np.multiply.outer(shares[part], weights).ravel(), numbers))
    if len(pieces) == 1:
        return pieces[0]
    rows, parts = zip(*pieces, strict=True)
    return merged_states(np.concatenate(rows), np.concatenate(parts), numbers)


def merged_states(rows: Array, weights: Array, numbers: Numbers) -> tuple[Array, Array]:
    """Equal rows as one, with their weights added up.

    >>> rows, weights = merged_states(np.array([[1, 2], [0, 5], [1, 2]]), np.array([0.25, 0.5, 0.25]), FLOATS)
    >>> rows.tolist(), weights.tolist()
    ([[0, 5], [1, 2]], [0.5, 0.5])
    """
    key, span = _keys(rows.reshape(len(rows), -1))
    if numbers is FLOATS and span <= _DENSE_KEYS * len(key):
        totals, first = np.bincount(key, weights, span), np.empty(span, dtype=np.int64)
        first[key] = np.arange(len(key))
        met = totals.nonzero()[0]
        return rows[first[met]], totals[met]
    _, first, places = np.unique(key, return_index=True, return_inverse=True)
    return rows[first], weights_at(places, weights, len(first), numbers)


def _keys(rows: Array) -> tuple[Array, int]:
    """An integer for each row, the same for equal rows, and one more than the largest."""
    key, span = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        code, size = _codes(column)
        if span * size >= _WORD:
            distinct, key = np.unique(key, return_inverse=True)
            span = len(distinct)
        key, span = key * size + code, span * size
    return key, span


def _codes(column: Array) -> tuple[Array, int]:
    """Integers for the entries of a column: the distance from the smallest, if that is short, else the rank."""
    if column.dtype.kind in "biu" and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < max(_DENSE_KEYS * len(column), 1024):
            return column.astype(np.int64) - low, high - low + 1
    distinct, code = np.unique(column, return_inverse=True)
    return code, max(1, len(distinct))
