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

from randvar.atoms.merge import heaviest, starts_of
from randvar.numbers.arrays import EPS, Array

__all__ = ["Atoms", "join_all", "merge"]

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

    def roundings(self, ulps: float) -> Array:
        """How far each sum may lie from what it stands for: ulps * eps * S."""
        return ulps * EPS * (np.abs(self.sums) if self.sizes is None else self.sizes)

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
    starts = starts_of(atoms.sums, atoms.roundings(ulps) if ulps else 0)
    if len(starts) < len(atoms):
        chosen = heaviest(atoms.sums, atoms.weights, starts) if ulps else starts
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
