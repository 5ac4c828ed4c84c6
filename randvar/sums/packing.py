"""Sums of integer vectors: an invertible change of coordinates makes their box small, then each sum is one cell.

Power sums show why: n dice have the sums (S_1, S_2) of (a, a^2) in a box of 5n by 35n cells, of which one in eighteen
can be reached. (a^2 - 7a + 12)/2 is a shear of a^2, minus its minimum, over what all of it is divisible by: 3n. Sums
are linear, so the law in the new coordinates is the law, renamed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from randvar.numbers.arrays import Array

__all__ = ["Box", "dense_law", "small_box"]

_PAIRS = 64  # rows of which all slopes are tried as shears
_CHEAP = 1e8  # multiply-adds of the widest float, about half a second
_WORD = 2**62  # whole numbers up to here fit in int64


@dataclass(frozen=True)
class Box:
    """Rows of integers >= 0, their largest in each coordinate, and the steps back to the rows that they stand for.

    Each step is (i, j, c, g, low): coordinate i was (v_i + c v_j - low) / g.
    """

    rows: tuple[list[int], ...]
    steps: tuple[tuple[int, int, int, int, int], ...]

    @property
    def highest(self) -> list[int]:
        """Of each coordinate."""
        return [max(row) for row in self.rows]

    def cells(self, n: int) -> int:
        """Of the box that holds all sums of n rows."""
        return math.prod(n * high + 1 for high in self.highest)

    def packed(self, n: int) -> list[int]:
        """One integer a row, to radices that n rows never fill."""
        packed = [0] * len(self.rows[0])
        for row, high in zip(self.rows, self.highest, strict=True):
            packed = [key * (n * high + 1) + v for key, v in zip(packed, row, strict=True)]
        return packed

    def unpacked(self, sums: Array, n: int) -> list[Array]:
        """The sums of n rows, in the coordinates that they were given in."""
        digits = []
        for high in self.highest[::-1]:
            digits.append(sums % (n * high + 1))
            sums = sums // (n * high + 1)
        return self._undone(digits[::-1], n)

    def _undone(self, columns: list[Array], n: int) -> list[Array]:
        reach = [n * high for high in self.highest]
        for i, j, c, g, low in self.steps[::-1]:
            reach[i] = reach[i] * g + abs(n * low) + abs(c) * reach[j]
            wide = object if max(reach) >= _WORD else columns[i].dtype
            column = columns[i].astype(wide) * g + n * low
            columns[i] = column - c * columns[j].astype(wide) if c else column
        return columns


def small_box(columns: Sequence[Sequence[int]]) -> Box:
    """The rows in coordinates with small ranges: shears, shifts and divisions, as long as the ranges fall.

    >>> dice = range(1, 7)
    >>> small_box([dice, [a * a for a in dice]]).rows
    ([0, 1, 2, 3, 4, 5], [3, 1, 0, 0, 1, 3])

    Cost: O(k^2 d^2) for k rows of d coordinates, a few times over.
    """
    rows = [list(map(int, column)) for column in columns]
    steps: list[tuple[int, int, int, int, int]] = []
    for i in range(len(rows)):
        _take(rows, steps, i, i, 0)
    while (better := _best_shear(rows)) is not None:
        _take(rows, steps, *better)
    return Box(tuple(rows), tuple(steps))


def _take(rows: list[list[int]], steps: list[tuple[int, int, int, int, int]], i: int, j: int, c: int) -> None:
    """Coordinate i becomes (v_i + c v_j - low) / g."""
    row, low, g = _normalised(rows[i], rows[j], c)
    rows[i] = row
    steps.append((i, j, c, g, low))


def _normalised(first: list[int], second: list[int], c: int) -> tuple[list[int], int, int]:
    moved = [a + c * b for a, b in zip(first, second, strict=True)] if c else first
    low = min(moved)
    g = math.gcd(*(v - low for v in moved)) or 1
    return [(v - low) // g for v in moved], low, g


def _best_shear(rows: list[list[int]]) -> tuple[int, int, int] | None:
    """The shear (i, j, c) that shrinks the range of coordinate i most; None where none does."""
    best, gain = None, Fraction(1)
    for i, first in enumerate(rows):
        width = max(first) + 1
        for j, second in enumerate(rows):
            if i == j:
                continue
            for c in _slopes(first, second):
                found = Fraction(max(_normalised(first, second, c)[0]) + 1, width)
                if found < gain:
                    best, gain = (i, j, c), found
    return best


def _slopes(first: list[int], second: list[int]) -> set[int]:
    """Integers c where the range of first + c second can be least: next to the slopes between two rows."""
    points = sorted(set(zip(second, first, strict=True)))
    if len(points) > _PAIRS:
        points = points[:: -(-len(points) // _PAIRS)]
    slopes = {(b[1] - a[1]) // (b[0] - a[0]) for at, a in enumerate(points) for b in points[at + 1 :] if b[0] != a[0]}
    return {-slope - over for slope in slopes for over in (0, 1)} - {0}


def dense_law(box: Box, weights: Array, n: int) -> tuple[Array, Array, float]:
    """Packed sums of n rows, their probabilities and the relative error of these: draw by draw, on a dense box.

    All terms are positive: each of n draws adds k + 2 roundings to a probability at most, of the widest float where
    that is cheap. Cost: O(n k cells).

    >>> sums, probs, accuracy = dense_law(small_box([[0, 1]]), np.array([0.5, 0.5]), 2)
    >>> sums.tolist(), probs.tolist()
    ([0, 1, 2], [0.25, 0.5, 0.25])
    """
    high, k = box.highest, len(weights)
    wide = np.longdouble if n * k * box.cells(n) <= _CHEAP else np.float64
    shares = (weights.astype(np.longdouble) / weights.astype(np.longdouble).sum()).astype(wide)
    law = np.ones([1] * len(high), dtype=wide)
    for _ in range(n):
        wider = np.zeros([size + h for size, h in zip(law.shape, high, strict=True)], dtype=wide)
        for row, p in zip(zip(*box.rows, strict=True), shares, strict=True):
            moved = wider[tuple(slice(v, v + size) for v, size in zip(row, law.shape, strict=True))]
            np.add(moved, p * law, out=moved)
        law = wider
    cells = law.ravel().astype(np.float64)
    reached = cells.nonzero()[0]
    return reached, cells[reached], n * (k + 2) * float(np.finfo(wide).eps)
