"""The law of a sum of n independent draws of a vector.

Integer vectors are packed into one integer each, to a mixed radix wide enough for n of them, and added by the programme
of `programme`, exactly.  Other vectors have few coincidences to find: every multiset of draws is listed, and sums are
merged where they agree in each coordinate: integers where they are equal, floats within the rounding of a sum of n of
them, (n + 1) eps sum |v|.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from randvar.atoms.merging import Atoms, representatives, run_starts, same_as_next
from randvar.context import RAISE_IT, current
from randvar.errors import SupportTooLarge, UndefinedOutcome
from randvar.numbers.arrays import Array
from randvar.sums.multinomial import in_words, multiset_count
from randvar.sums.multisets import multiset_chunks
from randvar.sums.programme import key_programme

__all__ = ["mixed_sum", "vector_sum"]


def vector_sum(rows: Array, probs: Array, n: int) -> tuple[Array, Array]:
    """Law of the sum of n independent rows of `rows` (k, d): distinct sums, in lexicographic order, with masses.

    Integer rows (int64, or Python integers in an object array) are added exactly, others as floats.  `probs` are floats
    (the law is that of p / sum(p)) or an object array of exact numbers, which gives exact masses.

    >>> sums, masses = vector_sum(np.array([[0, 1], [1, 0]]), np.array([0.5, 0.5]), 2)
    >>> sums.tolist(), masses.round(15).tolist()
    ([[0, 2], [1, 1], [2, 0]], [0.25, 0.5, 0.25])

    Raises SupportTooLarge past the budget, and UndefinedOutcome for an infinite coordinate.
    """
    if rows.dtype.kind == "f":
        sums, masses = mixed_sum(list(rows.T), probs, n)
        return np.stack(sums, axis=1), masses
    possible = probs != 0
    return _integer_sum(rows[possible], probs[possible], n)


def _integer_sum(rows: Array, probs: Array, n: int) -> tuple[Array, Array]:
    """One key a vector: the digits of row - lowest, to radices that n draws never fill."""
    columns = [[int(v) for v in column] for column in rows.T.tolist()]
    lowest = [min(column) for column in columns]
    radices = [n * (max(column) - low) + 1 for column, low in zip(columns, lowest, strict=True)]
    keys = [0] * len(rows)
    for column, low, radix in zip(columns, lowest, radices, strict=True):
        keys = [key * radix + v - low for key, v in zip(keys, column, strict=True)]
    sums, masses = key_programme(keys, probs, n)
    fits = all(n * max(map(abs, column)) < 2**63 for column in columns)
    digits = np.empty((len(sums), len(columns)), dtype=np.int64 if fits else object)
    for j in range(len(columns) - 1, -1, -1):
        digits[:, j] = (sums % radices[j]).astype(digits.dtype) + n * lowest[j]
        sums = sums // radices[j]
    return digits, masses


def mixed_sum(columns: Sequence[Array], probs: Array, n: int) -> tuple[list[Array], Array]:
    """As `vector_sum`, coordinate by coordinate: those of integers are added exactly, those of floats as floats.

    >>> sums, masses = mixed_sum([np.array([0, 2**53]), np.array([0.1, 0.2])], np.array([0.5, 0.5]), 2)
    >>> [column.tolist() for column in sums]
    [[0, 9007199254740992, 18014398509481984], [0.2, 0.30000000000000004, 0.4]]
    """
    possible = probs != 0
    columns, probs = [_summable(column[possible], n) for column in columns], probs[possible]
    size = multiset_count(len(probs), n)
    if size > current().max_atoms:
        raise SupportTooLarge(
            f"the sum of {n} draws out of {len(probs)} vectors has up to {in_words(size)} atoms, more than"
            f" max_atoms={current().max_atoms:,}; take fewer draws, round the vectors to a"
            f" lattice, or {RAISE_IT}",
            size=size,
            budget=current().max_atoms,
        )
    sums = [np.zeros(size, dtype=column.dtype) for column in columns]
    sizes = [np.zeros(size) if column.dtype.kind == "f" else None for column in columns]
    masses = np.empty(size, dtype=probs.dtype)
    start = 0
    for indices, weights in multiset_chunks(probs, n):
        cells = slice(start, start + len(weights))
        for draw in indices.T:
            for column, total, reach in zip(columns, sums, sizes, strict=True):
                total[cells] += column[draw]
                if reach is not None:
                    reach[cells] += np.abs(column)[draw]
        masses[cells] = weights
        start += len(weights)
    labels = np.empty((size, len(columns)), dtype=int)
    for i, (total, reach) in enumerate(zip(sums, sizes, strict=True)):
        sums[i], labels[:, i] = _one_value_each(Atoms(total, masses, reach), 0.0 if reach is None else n + 1.0)
    return _merge_rows(sums, labels, masses)


def _summable(column: Array, n: int) -> Array:
    """A coordinate of which n draws stay in the range of its numbers."""
    largest = n * max(map(abs, column.tolist()), default=0)
    if column.dtype.kind != "f":
        return column if largest < 2**63 else column.astype(object)
    if not math.isfinite(largest):
        raise UndefinedOutcome(
            f"the sum of {n} draws of these vectors can be infinite or leave the range of floats;"
            " condition on finite vectors, or rescale them"
        )
    return column


def _one_value_each(atoms: Atoms, ulps: float) -> tuple[Array, Array]:
    """The sums with one value for all that are the same up to rounding, and the rank of that value."""
    order = np.argsort(atoms.sums)
    ascending = atoms.take(order)
    same = same_as_next(ascending, ulps)
    starts = run_starts(same)
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.cumsum(np.concatenate(([0], ~same)))
    return ascending.sums[representatives(ascending, starts) if ulps else starts][rank], rank


def _merge_rows(sums: Sequence[Array], labels: Array, masses: Array) -> tuple[list[Array], Array]:
    """Distinct rows in lexicographic order; rows are the same where all their labels are."""
    order = np.lexsort(labels.T[::-1])
    labels = labels[order]
    starts = run_starts((labels[1:] == labels[:-1]).all(axis=1))
    masses = np.add.reduceat(masses[order], starts)
    kept = order[starts][masses != 0]
    return [column[kept] for column in sums], masses[masses != 0]
