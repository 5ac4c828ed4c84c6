"""The law of a sum of n independent draws of a vector.

A coordinate on a lattice is summed by its positions, an exact one as integers over its own denominator. Integer vectors
are packed into one integer each, to a mixed radix wide enough for n of them, and added by the programme of `programme`,
exactly. Other vectors have few coincidences to find: every multiset of draws is listed, and sums are one where they
agree in each coordinate: integers where they are equal, floats within the rounding of a sum of n of them,
(n + 1) eps sum |v|.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from randvar.atoms.outcomes import Axis
from randvar.context import OF_A_SUM, RAISE_IT, check_budget, current
from randvar.errors import SupportTooLarge, UndefinedOutcome
from randvar.numbers.arrays import EPS, Array, object_array
from randvar.numbers.base import Numbers
from randvar.numbers.fractions import over_one_unit
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, FRACTIONS
from randvar.numbers.symbolic import normal_form
from randvar.sums.door import common_grid, floats_of
from randvar.sums.grid import exact_grid
from randvar.sums.group import Group
from randvar.sums.multinomial import in_words, multiset_count
from randvar.sums.multisets import multiset_chunks
from randvar.sums.programme import key_programme

__all__ = ["SummedRows", "independent_rows"]

_WORD = 2**62  # whole numbers up to here fit in int64


class SummedRows(NamedTuple):
    """Rows of sums, not yet merged: a column and its tolerances a coordinate, the weights and their mass."""

    columns: list[Axis]
    tolerances: list[Any]
    weights: Array
    mass: Any


class _Keys(NamedTuple):
    """What a coordinate is summed as: integers or floats; and how their sums are read."""

    values: Array
    read: Callable[[Array], Axis]


def independent_rows(columns: Sequence[Axis], weights: Array, copies: int, kind: Numbers) -> SummedRows:
    """The sum of `copies` independent rows, with weights of a kind (over their sum).

    >>> coin = Axis.of([0, 1])
    >>> found = independent_rows([coin, coin], np.array([0.5, 0.5]), 2, FLOATS)
    >>> [c.values.tolist() for c in found.columns], found.weights.round(15).tolist()
    ([[0, 1, 2], [0, 1, 2]], [0.25, 0.5, 0.25])

    Raises SupportTooLarge past the budget, and UndefinedOutcome for an infinite coordinate.
    """
    if not copies:
        return SummedRows([Axis.of([0])] * len(columns), [0] * len(columns), *kind.weighed([1]))
    if EXPRESSIONS in (kind, *(c.numbers for c in columns)):
        return _in_symbols(columns, weights, copies, kind)
    keys = [_keys(column, copies, kind) for column in columns]
    if any(key.values.dtype.kind == "f" for key in keys):
        return _every_multiset(keys, weights, copies, kind)
    return _packed(keys, weights, copies)


def _keys(axis: Axis, copies: int, kind: Numbers) -> _Keys:
    if axis.numbers is FRACTIONS and (kind.exact or all(isinstance(v, int) for v in axis.values.tolist())):
        return _over_its_unit(axis.values.tolist())
    values = floats_of(axis.values) if kind.exact else axis.values
    grid = (exact_grid if kind.exact else common_grid)([values], [copies])
    if grid is not None:
        return _Keys(grid.positions[0], lambda k: Axis.of(grid.values(k.astype(np.int64), [copies])))
    return _Keys(floats_of(values).astype(float), lambda sums: Axis(sums, FLOATS))


def _over_its_unit(numbers: list[Any]) -> _Keys:
    """Integers over one denominator; sums of ints are ints."""
    keys, unit = over_one_unit(numbers)
    if all(isinstance(v, int) for v in numbers):
        return _Keys(object_array(keys), lambda k: Axis.of(k.tolist()))
    return _Keys(object_array(keys), lambda k: Axis.of([Fraction(int(v), unit) for v in k.tolist()]))


def _packed(keys: Sequence[_Keys], weights: Array, n: int) -> SummedRows:
    """One integer a row: the digits of row - lowest, to radices that n draws never fill."""
    columns = [[int(v) for v in key.values.tolist()] for key in keys]
    lowest = [min(column) for column in columns]
    radices = [n * (max(column) - low) + 1 for column, low in zip(columns, lowest, strict=True)]
    packed = [0] * len(weights)
    for column, low, radix in zip(columns, lowest, radices, strict=True):
        packed = [key * radix + v - low for key, v in zip(packed, column, strict=True)]
    sums, masses, mass = key_programme(Group(object_array(packed), weights, n))
    digits = []
    for low, radix in zip(lowest[::-1], radices[::-1], strict=True):
        digits.append(_shifted(sums % radix, n * low, radix))
        sums = sums // radix
    axes = [key.read(column) for key, column in zip(keys, digits[::-1], strict=True)]
    return SummedRows(axes, [0] * len(axes), masses, mass)


def _shifted(digits: Array, start: int, radix: int) -> Array:
    """digits + start, of any size."""
    fits = abs(start) + radix < _WORD
    return digits.astype(np.int64) + start if fits else digits.astype(object) + start


def _every_multiset(keys: Sequence[_Keys], weights: Array, n: int, kind: Numbers) -> SummedRows:
    size = multiset_count(len(weights), n)
    if size > current().max_atoms:
        raise SupportTooLarge(
            f"the sum of {n} draws out of {len(weights)} vectors has up to {in_words(size)} atoms, more than"
            f" max_atoms={current().max_atoms:,}; take fewer draws, round the vectors to a lattice, or {RAISE_IT}",
            size=size,
            budget=current().max_atoms,
        )
    columns = [_summable(key.values, n) for key in keys]
    sums = [np.zeros(size, dtype=column.dtype) for column in columns]
    reach = [np.zeros(size) for column in columns]
    masses = np.empty(size, dtype=weights.dtype)
    start = 0
    for indices, part in multiset_chunks(weights, n):
        cells = slice(start, start + len(part))
        for column, total, most in zip(columns, sums, reach, strict=True):
            total[cells] = column[indices].sum(axis=1)
            most[cells] = np.abs(column).astype(float)[indices].sum(axis=1)
        masses[cells] = part
        start += len(part)
    near = [(n + 1) * EPS * most if total.dtype.kind == "f" else 0 for total, most in zip(sums, reach, strict=True)]
    mass = kind.power_of_mass(weights, n)
    return SummedRows([key.read(total) for key, total in zip(keys, sums, strict=True)], near, masses, mass)


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


def _in_symbols(columns: Sequence[Axis], weights: Array, copies: int, kind: Numbers) -> SummedRows:
    """Every multiset of rows, with sums in normal form."""
    check_budget(multiset_count(len(weights), copies), "this sum of vectors", OF_A_SUM)
    sums: list[list[Any]] = [[] for _ in columns]
    masses = []
    for indices, part in multiset_chunks(weights, copies):
        for column, found in zip(columns, sums, strict=True):
            found.extend(normal_form(sum(row)) for row in column.values[indices].tolist())
        masses.append(part)
    mass = kind.power_of_mass(weights, copies)
    return SummedRows([Axis.of(column) for column in sums], [0] * len(sums), np.concatenate(masses), mass)
