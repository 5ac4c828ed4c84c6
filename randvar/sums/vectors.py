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
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, FRACTIONS, meet
from randvar.numbers.symbolic import normal_form
from randvar.sums.door import common_grid, floats_of, rounding_of_sums
from randvar.sums.grid import Grid, exact_grid
from randvar.sums.group import Group
from randvar.sums.multinomial import in_words, multiset_count, rounding_of_masses
from randvar.sums.multisets import multiset_chunks
from randvar.sums.packing import Box, dense_law, small_box
from randvar.sums.programme import key_programme
from randvar.sums.rational import rational_sum

__all__ = ["SummedRows", "independent_rows"]

_CELLS_PER_MULTISET = 16  # a cell costs a sixteenth of what a multiset does


class SummedRows(NamedTuple):
    """Rows of sums, not yet merged: a column and its tolerances a coordinate, the weights and their mass.

    `accuracy` bounds the relative error of a weight.
    """

    columns: list[Axis]
    tolerances: list[Any]
    weights: Array
    mass: Any
    accuracy: float = 0.0


class _Keys(NamedTuple):
    """What a coordinate is summed as, integers or floats, and how their sums are read."""

    values: Array
    numbers: Numbers  # FRACTIONS for integers
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
    keys = [_KEYS[kind, column.numbers](column, copies) for column in columns]
    return _ADDED[meet(*(key.numbers for key in keys))](keys, weights, copies, kind)


def _over_its_unit(axis: Axis, _: int) -> _Keys:
    """Integers over one denominator; sums of ints are ints."""
    numbers = axis.values.tolist()
    keys, unit = over_one_unit(numbers)
    if all(isinstance(v, int) for v in numbers):
        return _Keys(object_array(keys), FRACTIONS, lambda k: Axis.of(k.tolist()))
    return _Keys(object_array(keys), FRACTIONS, lambda k: Axis.of([Fraction(int(v), unit) for v in k.tolist()]))


def _on_a_lattice(axis: Axis, copies: int) -> _Keys:
    return _positions(common_grid([axis.values], [copies]), axis.values, copies)


def _where_floats_add_exactly(axis: Axis, copies: int) -> _Keys:
    """Beside exact weights nothing is guessed."""
    values = floats_of(axis.values)
    return _positions(exact_grid([values], [copies]), values, copies)


def _whole_or_on_a_lattice(axis: Axis, copies: int) -> _Keys:
    whole = all(isinstance(v, int) for v in axis.values.tolist())
    return (_over_its_unit if whole else _on_a_lattice)(axis, copies)


def _positions(grid: Grid | None, values: Array, copies: int) -> _Keys:
    if grid is None:
        return _Keys(floats_of(values).astype(float), FLOATS, lambda sums: Axis(sums, FLOATS))
    return _Keys(grid.positions[0], FRACTIONS, lambda k: Axis.of(grid.values(k.astype(np.int64), [copies])))


_KEYS: dict[tuple[Numbers, Numbers], Callable[[Axis, int], _Keys]] = {
    # (weights, outcomes)
    (FLOATS, FLOATS): _on_a_lattice,
    (FLOATS, FRACTIONS): _whole_or_on_a_lattice,
    (FRACTIONS, FLOATS): _where_floats_add_exactly,
    (FRACTIONS, FRACTIONS): _over_its_unit,
}


def _packed(keys: Sequence[_Keys], weights: Array, n: int, kind: Numbers) -> SummedRows:
    """One integer a row, in coordinates of small ranges, to radices that n draws never fill."""
    box = small_box([key.values.tolist() for key in keys])
    sums, masses, mass, accuracy = _sum_of_packed(box, weights, n, kind)
    axes = [key.read(column) for key, column in zip(keys, box.unpacked(sums, n), strict=True)]
    return SummedRows(axes, [0] * len(axes), masses, mass, accuracy)


def _sum_of_packed(box: Box, weights: Array, n: int, kind: Numbers) -> tuple[Array, Array, Any, float]:
    """On the dense box, if that is no larger than what can be in it, else by the programme over outcomes."""
    cells = box.cells(n)
    if cells > current().max_atoms or cells > _CELLS_PER_MULTISET * multiset_count(len(weights), n):
        group = Group(object_array(box.packed(n)), weights, n)
        sums, masses, mass = key_programme(group)
        return sums, masses, mass, rounding_of_sums([group], len(masses))
    return _DENSE[kind](box, weights, n)


def _dense_floats(box: Box, weights: Array, n: int) -> tuple[Array, Array, Any, float]:
    sums, masses, error = dense_law(box, weights, n)
    return sums, masses, 1.0, error


def _dense_fractions(box: Box, weights: Array, n: int) -> tuple[Array, Array, Any, float]:
    law = rational_sum([Group(object_array(box.packed(n)), weights, n)])
    return np.array(law.values), object_array(law.weights), law.mass, 0.0


_DENSE: dict[Numbers, Callable[[Box, Array, int], tuple[Array, Array, Any, float]]] = {
    FLOATS: _dense_floats,
    FRACTIONS: _dense_fractions,
}


def _every_multiset(keys: Sequence[_Keys], weights: Array, n: int, kind: Numbers) -> SummedRows:
    size = multiset_count(len(weights), n)
    if size > current().max_atoms:
        raise SupportTooLarge(
            f"the sum of {n} draws out of {len(weights)} vectors has up to {in_words(size)} atoms, more than"
            f" max_atoms={current().max_atoms:,}; take fewer draws, round the vectors to a lattice, or {RAISE_IT}",
            size=size,
            budget=current().max_atoms,
        )
    drawn = [_SUMMABLE[key.numbers](key.values, n) for key in keys]
    sums = [np.zeros(size, dtype=column.dtype) for column in drawn]
    reach = [np.zeros(size) for column in drawn]
    masses = np.empty(size, dtype=weights.dtype)
    start = 0
    for indices, part in multiset_chunks(weights, n):
        cells = slice(start, start + len(part))
        for column, total, most in zip(drawn, sums, reach, strict=True):
            total[cells] = column[indices].sum(axis=1)
            most[cells] = np.abs(column).astype(float)[indices].sum(axis=1)
        masses[cells] = part
        start += len(part)
    near = [key.numbers.rounding((n + 1) * EPS * most) for key, most in zip(keys, reach, strict=True)]
    mass = kind.power_of_mass(weights, n)
    columns = [key.read(total) for key, total in zip(keys, sums, strict=True)]
    return SummedRows(columns, near, masses, mass, rounding_of_masses(weights, n))


def _largest(column: Array, n: int) -> Any:
    """The largest magnitude that a sum of n draws can have."""
    return n * max(map(abs, column.tolist()), default=0)


def _wide_enough(column: Array, n: int) -> Array:
    """Integers of which n draws do not wrap around."""
    return column if _largest(column, n) < 2**63 else column.astype(object)


def _within_floats(column: Array, n: int) -> Array:
    """Floats of which n draws stay finite."""
    if not math.isfinite(_largest(column, n)):
        raise UndefinedOutcome(
            f"the sum of {n} draws of these vectors can be infinite or leave the range of floats;"
            " condition on finite vectors, or rescale them"
        )
    return column


_SUMMABLE = {FLOATS: _within_floats, FRACTIONS: _wide_enough}
_ADDED: dict[Numbers, Callable[[Sequence[_Keys], Array, int, Numbers], SummedRows]] = {
    FLOATS: _every_multiset,
    FRACTIONS: _packed,
}


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
