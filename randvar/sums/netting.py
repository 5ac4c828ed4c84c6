"""Sums of several groups of floats in which v and -v stand on both sides: what is drawn of both cancels exactly.

A difference of two samples is one. Of each magnitude it is counted how often it is left, over all groups together; a
sum is then rounded as if what cancelled had never been drawn, and two sums are one within the rounding of what is left.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from randvar.context import current
from randvar.numbers.arrays import Array
from randvar.sums.group import Group
from randvar.sums.merging import Atoms, merge
from randvar.sums.multinomial import multiset_count
from randvar.sums.multisets import multiset_chunks

__all__ = ["cancels", "net_sum"]

_CELLS = 2**24  # counts that are held at once


def cancels(groups: Sequence[Group]) -> bool:
    """Whether a number of one group is the opposite of one of another, and all of it can be counted."""
    columns = [np.unique(g.values.astype(float)) for g in groups if g.copies]
    opposite = any(np.isin(-a[a != 0], b).any() for i, a in enumerate(columns) for b in columns[i + 1 :])
    if not opposite or not all(np.isfinite(column).all() for column in columns):
        return False
    rows = 1
    for group in groups:
        rows *= multiset_count(len(group.values), group.copies)
    return rows <= current().max_atoms and rows * len(np.unique(np.abs(np.concatenate(columns)))) <= _CELLS


def net_sum(groups: Sequence[Group]) -> tuple[Array, Array]:
    """Ascending sums of all draws and their weights, over the product of the powers of the masses of the groups.

    >>> x = np.array([1e10, 3.0, 3.000008])
    >>> sums, weights = net_sum([Group(x, np.full(3, 1 / 3), 1), Group(-x, np.full(3, 1 / 3), 1)])
    >>> int((sums == 0).sum()), round(float(weights[sums > 0].sum()), 12)
    (1, 0.333333333333)
    """
    sizes = np.unique(np.abs(np.concatenate([g.values.astype(float) for g in groups])))
    counts, weights = np.zeros((1, len(sizes)), dtype=np.int64), np.ones(1, dtype=groups[0].weights.dtype)
    for group in groups:
        net, masses = _net_counts(group, sizes)
        counts = (counts[:, None, :] + net[None, :, :]).reshape(-1, len(sizes))
        counts, weights = _merged(counts, np.multiply.outer(weights, masses).ravel())
    sums = np.zeros(len(counts))
    for column, size in zip(counts.T, sizes, strict=True):  # the smallest first, so that 1 + (1e20 - 1e20) is 1
        sums += column * size
    left = int((counts != 0).sum(axis=1).max(initial=0))
    merged = merge(Atoms(sums, weights, np.abs(counts) @ sizes), left + 2.0)
    return merged.sums, merged.weights


def _net_counts(group: Group, sizes: Array) -> tuple[Array, Array]:
    """How often each magnitude is left, positive or negative, a row a multiset of draws; and the masses."""
    values = group.values.astype(float)
    unit, sign = np.searchsorted(sizes, np.abs(values)), np.sign(values).astype(np.int64)
    rows, masses = [], []
    for indices, part in multiset_chunks(group.weights, group.copies):
        net = np.zeros((len(indices), len(sizes)), dtype=np.int64)
        for column in indices.T:
            np.add.at(net, (np.arange(len(net)), unit[column]), sign[column])
        rows.append(net)
        masses.append(part)
    return _merged(np.concatenate(rows), np.concatenate(masses))


def _merged(counts: Array, weights: Array) -> tuple[Array, Array]:
    """Equal rows as one."""
    rows, places = np.unique(counts, axis=0, return_inverse=True)
    order = np.argsort(places.ravel(), kind="stable")
    return rows, np.add.reduceat(weights[order], np.searchsorted(places.ravel()[order], np.arange(len(rows))))
