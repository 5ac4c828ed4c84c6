"""Direct convolution of draws on a lattice: all terms are positive, so nothing cancels and errors stay relative."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randvar.numbers.arrays import EPS, WIDE_EPS
from randvar.sums.group import Group
from randvar.sums.tilting import chernoff_window

__all__ = ["SCALE", "Scaled", "convolved", "direct_cost"]

FloatArray = NDArray[np.floating[Any]]

SCALE = 2.0**480  # masses are held as multiples of 1/SCALE: products of two reach down to 1e-600 without underflow

_PER_PAIR = 100  # multiply-adds of a dense convolution in the time of one pair of atoms of a sparse one
_FEW_OUTCOMES = 8
_WIDE = 4096  # positions beyond which it pays to look at how many of them matter
_PIECE = 4096
_BLOCK = 2**18  # elements of a temporary matrix
_SMALL = 330  # atoms up to which squaring in the widest float costs next to nothing
_LOG_NEGLIGIBLE = 2 * math.log(1e-170)  # 1e-340, which no float can hold


@dataclass(frozen=True)
class Scaled:
    """P(S = first + i)*SCALE = masses[i], with a relative error."""

    first: int
    masses: FloatArray
    error: float

    @property
    def atoms(self) -> int:
        return int(np.count_nonzero(self.masses))

    def rounded(self) -> Scaled:
        """The same in floats of 64 bits."""
        if self.masses.dtype == np.float64:
            return self
        return Scaled(self.first, self.masses.astype(np.float64), self.error + EPS / 2)


def convolved(parts: Sequence[Group], budget: float) -> Scaled | None:
    """Direct convolution of all draws, or None if it takes more multiply-adds than the budget.

    An atom dropped from the law of m draws reaches any atom of the sum n/m times with a weight of at most 1. Dropping
    what is below 1e-340/n, at w positions, therefore takes less than w*1e-340 from any atom, which no float can see.
    """
    draws = sum(part.copies for part in parts)
    convolve = _Convolver(budget, 1e-170 * SCALE * 1e-170 / draws)
    try:
        laws = sorted((_power(part, convolve).rounded() for part in parts), key=lambda law: len(law.masses))
        return functools.reduce(convolve, laws)
    except _OverBudgetError:
        return None


def _power(part: Group, convolve: _Convolver) -> Scaled:
    """The law of part.copies draws, by repeated squaring from the highest bit.

    Each squaring doubles the relative error so far, so the first ones are done in the widest float.
    """
    wide = np.zeros(part.span + 1, dtype=np.longdouble)
    np.add.at(wide, part.values, part.weights.astype(np.longdouble) / part.weights.astype(np.longdouble).sum())
    draw = law = Scaled(0, wide * SCALE, WIDE_EPS)
    for bit in f"{part.copies:b}"[1:]:
        if law.atoms > _SMALL:
            draw, law = draw.rounded(), law.rounded()
        law = convolve(law, law)
        if bit == "1":
            law = convolve(law, draw)
    return law


class _OverBudgetError(Exception):
    """A direct convolution would take more multiply-adds than it was given."""


class _Convolver:
    """Convolves scaled non-negative arrays within a budget; nothing cancels, so errors stay relative."""

    def __init__(self, budget: float, negligible: float) -> None:
        self.budget = budget
        self.negligible = negligible

    def __call__(self, a: Scaled, b: Scaled) -> Scaled:
        cost = _multiply_adds((len(a.masses), a.atoms), (len(b.masses), b.atoms))
        self.budget -= cost
        if self.budget < 0:
            raise _OverBudgetError
        convolve = _convolve_positions if cost == len(a.masses) * len(b.masses) else _convolve_atoms
        product = convolve(a.masses, b.masses) / SCALE
        error = a.error + b.error + math.sqrt(min(a.atoms, b.atoms)) * float(np.finfo(product.dtype).eps)
        product[product < self.negligible] = 0
        kept = np.flatnonzero(product)
        return Scaled(a.first + b.first + int(kept[0]), product[kept[0] : kept[-1] + 1], error)


def _convolve_positions(a: FloatArray, b: FloatArray) -> FloatArray:
    """The convolution of dense arrays, a few thousand positions of the shorter at a time.

    numpy takes a dot product for each position, and the BLAS starts threads for each that is longer than 10,000, which
    can make it a hundred times slower.
    """
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) <= _PIECE:
        return np.convolve(short, long)
    product = np.zeros(len(a) + len(b) - 1, dtype=np.result_type(a, b))
    for start in range(0, len(short), _PIECE):
        piece = np.convolve(short[start : start + _PIECE], long)
        product[start : start + len(piece)] += piece
    return product


def _convolve_atoms(a: FloatArray, b: FloatArray) -> FloatArray:
    """The convolution of arrays that are mostly 0, over the pairs of their atoms."""
    product = np.zeros(len(a) + len(b) - 1, dtype=np.result_type(a, b))
    rows, columns = np.flatnonzero(a), np.flatnonzero(b)
    height = max(1, _BLOCK // len(columns))
    for start in range(0, len(rows), height):
        block = rows[start : start + height, None]
        np.add.at(product, block + columns, a[block] * b[columns])
    return product


def direct_cost(parts: Sequence[Group]) -> float:
    """About how many multiply-adds direct convolution takes; 1e10 of them take a second.

    Counts positions by Chernoff's window, and atoms also by the multisets of outcomes.
    """
    cost, total = 0.0, (1, 1)
    for part in parts:
        window = part.copies * part.span + 1
        if window > _WIDE:
            lowest, highest = chernoff_window([part], _LOG_NEGLIGIBLE)
            window = highest - lowest + 1
        draws = part.copies
        while draws > 1:
            draws //= 2
            half = _size(part, draws, window)
            cost += _multiply_adds(half, half)
        whole = _size(part, part.copies, window)
        cost += _multiply_adds(total, whole)
        length = total[0] + whole[0] - 1
        total = (length, min(length, total[1] * whole[1]))
    return cost


def _size(part: Group, draws: int, window: int) -> tuple[int, int]:
    """At most so many positions and atoms in the law of some draws."""
    length = min(draws * part.span + 1, window)
    outcomes = len(part.weights)
    return length, min(length, math.comb(draws + outcomes - 1, draws)) if outcomes <= _FEW_OUTCOMES else length


def _multiply_adds(a: tuple[int, int], b: tuple[int, int]) -> float:
    """The cheaper of convolving all positions and all pairs of atoms."""
    return min(float(a[0]) * b[0], _PER_PAIR * float(a[1]) * b[1])
