"""When are two sums the same, and how are they made one.

Integer keys: when they are equal.  Floats: when they differ by no more than the rounding that the summation could have
made.  A sum of c_j copies of v_j with t of the c_j positive takes t products and t - 1 additions, and each v_j was
itself rounded: two such sums of one real number differ by at most

    (t + 2) eps max(S, S'),     S = sum_j c_j |v_j|,     t <= min(n, k).

S is kept beside every atom, so that 1e-8 and 2e-8 stay apart although another sum of the same law is near 1e8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from randvar.numbers.arrays import EPS, Array

__all__ = ["Atoms", "join_all", "merge", "representatives", "run_starts", "same_as_next"]

_CELLS_PER_ATOM = 4


@dataclass(frozen=True)
class Atoms:
    """Sums with their weights; `sizes` is S for each sum, or None where sums are exact or of one sign (S = |sum|)."""

    sums: Array
    weights: Array
    sizes: Array | None

    def __len__(self) -> int:
        return len(self.sums)

    def __getitem__(self, index: Any) -> Atoms:
        return Atoms(self.sums[index], self.weights[index], None if self.sizes is None else self.sizes[index])

    def take(self, order: Array) -> Atoms:
        """The atoms in another order; like indexing, but faster on large arrays."""
        sizes = None if self.sizes is None else self.sizes.take(order)
        return Atoms(self.sums.take(order), self.weights.take(order), sizes)

    def times(self, other: Atoms) -> Atoms:
        """The sums of independent draws, atom by atom: sums add, weights multiply."""
        sizes = None if self.sizes is None or other.sizes is None else self.sizes + other.sizes
        return Atoms(self.sums + other.sums, self.weights * other.weights, sizes)


def join_all(table: Sequence[Atoms]) -> Atoms:
    """All atoms of a table, one after the other."""
    sizes = [atoms.sizes for atoms in table if atoms.sizes is not None]
    return Atoms(
        np.concatenate([atoms.sums for atoms in table]),
        np.concatenate([atoms.weights for atoms in table]),
        np.concatenate(sizes) if sizes else None,
    )


def merge(atoms: Atoms, ulps: float) -> Atoms:
    """Ascending, with neighbours merged that differ by at most ulps * eps * S (0: that are equal).  O(N log N).

    Atoms whose weight fell below the smallest float are left out: no product of them could come back.
    """
    if _dense(atoms):
        return _add_up_in_cells(atoms)
    if not bool((atoms.sums[1:] > atoms.sums[:-1]).all()):
        atoms = atoms.take(np.argsort(atoms.sums))
    same = same_as_next(atoms, ulps)
    if same.any():
        starts = run_starts(same)
        chosen = representatives(atoms, starts) if ulps else starts
        sizes = None if atoms.sizes is None else np.maximum.reduceat(atoms.sizes, starts)
        atoms = Atoms(atoms.sums[chosen], np.add.reduceat(atoms.weights, starts), sizes)
    positive = atoms.weights != 0
    return atoms if positive.all() else atoms[positive]


def _dense(atoms: Atoms) -> bool:
    """True for integer sums with float weights that nearly fill their range, where counting is faster than sorting."""
    if atoms.sums.dtype.kind != "i" or atoms.weights.dtype == object or not len(atoms):
        return False
    return int(atoms.sums.max()) - int(atoms.sums.min()) < _CELLS_PER_ATOM * len(atoms)


def _add_up_in_cells(atoms: Atoms) -> Atoms:
    """The same law by one cell for every integer of the range."""
    lowest = atoms.sums.min()
    cells = np.bincount(atoms.sums - lowest, atoms.weights)
    filled = np.flatnonzero(cells)
    return Atoms(filled + lowest, cells[filled], None)


def run_starts(same: Array) -> Array:
    """Where a new run of equal neighbours begins."""
    return np.flatnonzero(np.concatenate(([True], ~same)))


def same_as_next(atoms: Atoms, ulps: float) -> Array:
    """For ascending sums: which of them are the same number as the next; an infinity is the same as itself only."""
    sums = atoms.sums
    equal: Array = sums[1:] == sums[:-1]
    if not ulps or not len(equal):
        return equal
    sizes = np.abs(sums) if atoms.sizes is None else atoms.sizes
    with np.errstate(invalid="ignore"):  # the gap between two infinite sums
        gaps = sums[1:] - sums[:-1]
    close: Array = gaps <= ulps * EPS * np.maximum(sizes[1:], sizes[:-1])
    return close if np.isfinite(sums[[0, -1]]).all() else equal | (close & (gaps < np.inf))


def representatives(atoms: Atoms, starts: Array) -> Array:
    """For each run of sums that are one number up to rounding: the heaviest of them, but 0 before any other."""
    rank = np.where(atoms.sums == 0, np.inf, atoms.weights.astype(float))
    lengths = np.diff(starts, append=len(atoms))
    best = np.flatnonzero(rank == np.repeat(np.maximum.reduceat(rank, starts), lengths))
    run = np.searchsorted(starts, best, side="right") - 1
    chosen = np.empty_like(starts)
    chosen[run[::-1]] = best[::-1]
    return chosen
