"""Rows of several coordinates, stored as codes into the distinct values of each coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.atoms.outcomes import canonical, collapse, representatives, runs, runs_within
from randvar.numbers.arrays import Array, is_numeric

__all__ = ["Axes", "Codes", "axis_weights", "canonical_rows", "encode", "encode_within", "product_rows", "prune"]

Axes = tuple[Array, ...]
Codes = tuple[Array, ...]

_KEY_LIMIT = 2**62


def encode(column: Array, weights: Array, *, rounded: bool = False) -> tuple[Array, Array]:
    """(axis, codes): the outcomes that `canonical` makes of a column, and which of them each row's value is."""
    if not is_numeric(column):
        axis, _ = canonical(column, weights, rounded=rounded)
        return axis, _codes_of_objects(axis, column)
    order, same = runs(column, weights, rounded=rounded)
    return collapse(column[order], weights[order], same)[0], _codes_of_runs(order, same)


def encode_within(column: Array, weights: Array, tolerance: Array) -> tuple[Array, Array]:
    """As `encode`, of floats that are one also where they differ by no more than `tolerance`, one a row."""
    order, same = runs_within(column, tolerance)
    axis, codes = encode(*collapse(column[order], weights[order], same), rounded=True)
    return axis, codes[_codes_of_runs(order, same)]


def _codes_of_runs(order: Any, same: Array) -> Array:
    codes = np.empty(len(same) + 1, dtype=np.int64)
    codes[order] = np.cumsum(np.append(False, ~same))
    return codes


def _codes_of_objects(axis: Array, column: Array) -> Array:
    named = representatives([*axis.tolist(), *column.tolist()])
    where = {value: i for i, value in enumerate(named[: len(axis)])}
    return np.array([where[value] for value in named[len(axis) :]], dtype=np.int64)


def axis_weights(axis: Array, code: Array, weights: Array) -> Array:
    """The marginal probability of each axis value."""
    if weights.dtype.kind == "f":
        return np.bincount(code, weights, minlength=len(axis))
    mass = np.full(len(axis), Fraction(0), dtype=object)
    np.add.at(mass, code, weights)
    return mass


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
