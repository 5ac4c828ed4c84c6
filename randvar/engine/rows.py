"""Rows of several coordinates, stored as codes into the distinct values of each coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from randvar.engine.atoms import Array, canonical, is_numeric, representatives

__all__ = ["Axes", "Codes", "canonical_rows", "encode", "lookup", "product_rows", "prune"]

Axes = tuple[Array, ...]
Codes = tuple[Array, ...]

_KEY_LIMIT = 2**62


def encode(column: Array, weights: Array, *, rounded: bool = False) -> tuple[Array, Array]:
    """(axis, codes): the distinct values of a column in their order, and where each row's value stands among them."""
    axis, _ = canonical(column, weights, rounded=rounded)
    return axis, lookup(axis, column)


def lookup(axis: Array, column: Array) -> Array:
    """For each value of the column the index of the axis value that stands for it (the nearest one, for floats)."""
    if not is_numeric(axis) or not is_numeric(column):
        named = representatives([*axis.tolist(), *column.tolist()])
        where = {value: i for i, value in enumerate(named[: len(axis)])}
        return np.array([where[value] for value in named[len(axis) :]], dtype=np.int64)
    at = np.minimum(np.searchsorted(axis, column), len(axis) - 1)
    if axis.dtype.kind != "f":
        return at
    before = np.maximum(at - 1, 0)
    with np.errstate(invalid="ignore", over="ignore"):  # inf - inf, and 1e308 - (-1e308)
        nearer = (np.abs(column - axis[before]) < np.abs(axis[at] - column)) & (column != axis[at])
    return np.where(nearer, before, at)


def canonical_rows(axes: Axes, codes: Codes, weights: Array) -> tuple[Axes, Codes, Array]:
    """Distinct rows in lexicographic order with their weights added up, and axes without unused values."""
    key = _row_key(axes, codes)
    if not bool(np.all(key[1:] > key[:-1])):
        order = np.argsort(key, kind="stable")
        key = key[order]
        starts = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        weights = np.add.reduceat(weights[order], starts)
        codes = tuple(c[order[starts]] for c in codes)
    return *prune(axes, codes), weights


def prune(axes: Axes, codes: Codes) -> tuple[Axes, Codes]:
    """Drop axis values that no row uses."""
    kept = [_prune_one(axis, code) for axis, code in zip(axes, codes, strict=True)]
    return tuple(axis for axis, _ in kept), tuple(code for _, code in kept)


def _prune_one(axis: Array, code: Array) -> tuple[Array, Array]:
    used = np.zeros(len(axis), dtype=bool)
    used[code] = True
    if used.all():
        return axis, code
    return axis[used], (np.cumsum(used) - 1)[code]


def _row_key(axes: Axes, codes: Codes) -> Array:
    """One integer a row, in the rows' lexicographic order (mixed radix; ranks where the radix would overflow)."""
    key, span = codes[0].astype(np.int64), len(axes[0])
    for axis, code in zip(axes[1:], codes[1:], strict=True):
        if span * len(axis) >= _KEY_LIMIT:
            ranks, key = np.unique(key, return_inverse=True)
            span = len(ranks)
        key, span = key * len(axis) + code, span * len(axis)
    return key


def product_rows(sizes: Sequence[int]) -> Codes:
    """Codes of all combinations, in lexicographic order."""
    grid: Any = np.indices(sizes, dtype=np.int64)
    return tuple(part.reshape(-1) for part in grid)
