"""The one door of the engine: the law of a sum of independent draws, by whichever room is cheapest.

* values on a lattice: direct or tilted convolution (`lattice`), unless the lattice is so wide that its cells outnumber
  the multisets of draws by far; then the programme over outcomes with exact integer keys (`programme`);
* whole numbers, and floats whose sums are exact: integer keys again, however far apart they are;
* irregular values: the programme over outcomes, merging within the rounding of the sums;
* exact probabilities: integers over one common denominator (`rational`).

Everything is refused past the budget before it is allocated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.atoms.outcomes import canonical, outcome_array
from randvar.context import OF_A_SUM, check_budget, current
from randvar.errors import RandvarError, described, one_line
from randvar.numbers.arrays import Array, object_array, one_number
from randvar.numbers.kinds import certainty
from randvar.numbers.symbolic import is_expression, normal_form, product_sum
from randvar.sums.cdf import MeetInTheMiddle
from randvar.sums.grid import Grid, exact_grid, find_grid
from randvar.sums.lattice import lattice_sum, log_mass
from randvar.sums.multinomial import multiset_count
from randvar.sums.multisets import multiset_chunks
from randvar.sums.programme import combine, key_programme, outcome_programme
from randvar.sums.rational import rational_sum
from randvar.sums.vectors import mixed_sum, vector_sum

__all__ = [
    "Draws",
    "can_underflow",
    "distribution_function",
    "independent_sum",
    "independent_vectors",
    "log_probability",
    "no_log_probability",
]

_MAX_SPAN = 2**40  # of one draw; the cost decides long before
_DENSE = 2**16  # a lattice of so few cells costs nothing
_LOG_SMALLEST = -700.0  # of a probability that is surely a float: e^-708 is the last normal one
_SPARSE = 64  # cells of a lattice cost about 1/64 of an atom of the programme


@dataclass(frozen=True)
class Draws:
    """`copies` independent draws of one law."""

    values: Array
    probs: Array
    copies: int


def independent_sum(draws: Sequence[Draws]) -> tuple[Array, Array, float | None]:
    """Law of the sum of all draws: ascending values, their probabilities, and a bound on the relative error of these.

    The bound is None where the probabilities are exact or right to rounding, and inf where it is unknown.
    Raises SupportTooLarge, before anything of that size is allocated, past the budget.
    """
    groups = [d for d in draws if d.copies]
    if not groups:
        return np.array([0]), certainty(exact=any(d.probs.dtype == object for d in draws)), None
    if any(d.probs.dtype == object for d in groups):
        return *_exact(groups), None
    _check_plain([d.values for d in groups])
    grid = _common_grid([d.values for d in groups], [d.copies for d in groups])
    if grid is None:
        return *_irregular(groups), None
    return _on_grid(groups, grid)


def _check_plain(columns: Sequence[Array]) -> None:
    """Refuse expressions among the outcomes of a float law, where nothing says which sums are the same."""
    for column in columns:
        for value in column.tolist() if column.dtype == object else ():
            if is_expression(value):
                raise RandvarError(
                    f"a sum of draws with the outcome {value} needs exact probabilities: x.rational(), or Fractions"
                )


def _common_grid(columns: Sequence[Array], copies: Sequence[int]) -> Grid | None:
    """The lattice of the values, where floats that add without rounding are taken as they are."""
    grid = find_grid(columns, copies, max_span=_MAX_SPAN)
    if grid is not None and isinstance(grid.step, int):
        return grid
    exact = exact_grid(columns, copies)
    return exact if grid is None or (exact is not None and not grid.holds(columns)) else grid


def _on_grid(groups: Sequence[Draws], grid: Grid) -> tuple[Array, Array, float | None]:
    copies = [d.copies for d in groups]
    cells = 1 + sum(n * int(k.max()) for n, k in zip(copies, grid.positions, strict=True))
    multisets = math.prod(multiset_count(len(d.values), d.copies) for d in groups)
    allowed = current().max_atoms
    if cells <= max(_SPARSE * multisets, _DENSE) and (cells <= allowed or multisets > allowed):
        law = lattice_sum(_lattice_terms(groups, grid))
        if math.isfinite(law.accuracy) or multisets > allowed:
            reached = np.flatnonzero(law.masses)
            return *_distinct(grid.values(law.first + reached, copies), law.masses[reached]), law.accuracy
        # else there are gaps that no tilt sees: what is in them is listed
    keys, masses = _sum_of_keys(groups, grid)
    return *_distinct(grid.values(keys, copies), masses), None


def _distinct(values: Array, masses: Array) -> tuple[Array, Array]:
    """Sums beyond 2^53 may be one float."""
    if values.dtype.kind == "f" and bool((values[1:] == values[:-1]).any()):
        return canonical(values, masses)
    return values, masses


def _lattice_terms(groups: Sequence[Draws], grid: Grid) -> list[tuple[Array, Array, int]]:
    return [(k, d.probs, d.copies) for k, d in zip(grid.positions, groups, strict=True)]


def _sum_of_keys(groups: Sequence[Draws], grid: Grid) -> tuple[Array, Array]:
    """The programme over outcomes with exact keys: for lattices with few outcomes and vast gaps."""
    laws = [key_programme(k, p, n) for k, p, n in _lattice_terms(groups, grid)]
    keys, masses = laws[0]
    for more, weights in laws[1:]:
        check_budget(len(keys) * len(more), "this sum", OF_A_SUM)
        if int(keys.max()) + int(more.max()) >= 2**63:
            keys = keys.astype(object)
        pairs = np.add.outer(keys, more).ravel(), np.multiply.outer(masses, weights).ravel()
        keys, masses = canonical(*pairs)
    return keys, masses


def _irregular(groups: Sequence[Draws]) -> tuple[Array, Array]:
    laws = [outcome_programme(d.values.astype(float), d.probs, d.copies) for d in groups]
    law = laws[0]
    for more in laws[1:]:
        law = combine(law, more)
    return law


def _exact(groups: Sequence[Draws]) -> tuple[Array, Array]:
    """Integers over one common denominator; float values beside exact probabilities stay floats."""
    if any(is_expression(e) for d in groups for e in (*d.probs, *d.values)):
        return _symbolic(groups)
    if any(d.values.dtype.kind == "f" for d in groups):
        copies = [d.copies for d in groups]
        grid = exact_grid([d.values for d in groups], copies)
        if grid is None:
            return _irregular(groups)
        keys, masses = _sum_of_keys(groups, grid)
        return _distinct(grid.values(keys, copies), masses)
    law = rational_sum([(d.values.tolist(), d.probs.tolist(), d.copies) for d in groups])
    integral = all(d.values.dtype.kind in "bi" for d in groups)
    return outcome_array(law.values if integral else law.outcomes()), object_array(law.masses())


def _symbolic(groups: Sequence[Draws]) -> tuple[Array, Array]:
    """Expressions in one field."""
    check_budget(math.prod(multiset_count(len(d.values), d.copies) for d in groups), "this sum", OF_A_SUM)
    values, masses = product_sum([(d.values.tolist(), d.probs.tolist(), d.copies) for d in groups])
    return canonical(outcome_array(values), object_array(masses))


def distribution_function(draws: Sequence[Draws], value: Any) -> Any:
    """P(sum <= value) without the law, for one group of draws (and shifts): two tables of half of its outcomes each.

    Raises SupportTooLarge where those are too large as well, or where several groups of draws vary.
    """
    varying = [d for d in draws if d.copies and len(d.values) > 1]
    if len(varying) != 1:
        size = math.prod(multiset_count(len(d.values), d.copies) for d in varying)
        check_budget(max(size, current().max_atoms + 1), "this sum of several groups of draws", OF_A_SUM)
    if not isinstance(value, (int, float, Fraction)) and not is_expression(value):
        raise TypeError(f"cdf takes a value that can be compared with a sum of numbers, got {described(value)}")
    group = varying[0]
    certain = [(d.copies, d.values.tolist()[0]) for d in draws if d.copies and len(d.values) == 1]
    values, target = _from_the_least(group.values, group.copies, certain, value)
    return MeetInTheMiddle(values, group.probs, group.copies).cdf(target)


def _from_the_least(
    values: Array, copies: int, certain: Sequence[tuple[int, Any]], value: Any
) -> tuple[Array, float | int]:
    """The values of a draw, and what to compare sums with: whole steps from the least where sums are exact, which
    floats would round.
    """
    numbers = values.tolist()
    if not all(map(_is_rational, (value, *(shift for _, shift in certain)))):
        return values.astype(float), float(value) - float(sum(n * shift for n, shift in certain))
    shift = sum((n * Fraction(v) for n, v in certain), Fraction(0))
    if not all(isinstance(v, (int, Fraction)) for v in numbers) and exact_grid([values], [copies]) is None:
        return values.astype(float), _nearest_float(Fraction(value) - shift)
    exact = [Fraction(v) for v in numbers]
    step = Fraction(1, math.lcm(*(v.denominator for v in exact)))
    least = min(exact)
    lowest = copies * least + shift
    target = (Fraction(value) - lowest) / step
    if one_number(lowest + round(target) * step, value):
        target = Fraction(round(target))
    keys = [int((v - least) / step) for v in exact]
    highest = copies * max(keys)
    within = max(-1, min(math.floor(target), highest))
    return (np.array(keys) if highest < 2**62 else object_array(keys)), within


def _is_rational(v: Any) -> bool:
    return isinstance(v, (int, Fraction)) or (isinstance(v, float) and math.isfinite(v))


def _nearest_float(number: Any) -> float:
    """An infinity for what is beyond the floats: no sum of floats is."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def can_underflow(draws: Iterable[tuple[Array, int]]) -> bool:
    """Whether an outcome of independent draws, (probs, copies), may be less likely than the smallest float.

    Exact probabilities are never too small.
    """
    least = sum(n * math.log(float(probs.min())) for probs, n in draws if n and probs.dtype.kind == "f")
    return least <= _LOG_SMALLEST


def no_log_probability(value: Any, why: str) -> RandvarError:
    """What log_prob raises for a value that is not listed and may only have underflowed."""
    return RandvarError(
        f"log_prob({one_line(value)}) cannot be told: {why}, and probabilities below the smallest float, 5e-324,"
        " underflow; use Fractions (x.rational()) for the law"
    )


def log_probability(draws: Sequence[Draws], value: Any, slack: float = 0.0) -> float:
    """log P(sum = value), which may underflow itself; -inf for no outcome.

    A value that was itself computed may be off by `slack`.

    Raises RandvarError where it cannot be told: for irregular values.
    """
    groups = [d for d in draws if d.copies]
    if not groups or any(d.probs.dtype == object for d in groups):
        return -math.inf
    grid = _common_grid([d.values for d in groups], [d.copies for d in groups])
    if grid is None:
        raise no_log_probability(value, "the outcomes lie on no lattice")
    at = grid.position(value, [d.copies for d in groups], slack)
    return -math.inf if at is None else log_mass(_lattice_terms(groups, grid), at)


def independent_vectors(columns: Sequence[Array], probs: Array, copies: int) -> tuple[list[Array], Array]:
    """Law of the sum of `copies` independent rows: one array a coordinate, and the probabilities.

    Coordinates on lattices are summed as integers and merged exactly, others within the rounding of their sums.
    """
    if probs.dtype == object:
        return _exact_vectors(columns, probs, copies)
    columns = [column.astype(float) if _has_fractions(column) else column for column in columns]
    grids = [None if column.dtype == object else _common_grid([column], [copies]) for column in columns]
    return _vectors_on_grids(columns, grids, probs, copies)


def _has_fractions(column: Array) -> bool:
    """Whether there is more than integers, of any size, in an object array."""
    return column.dtype == object and not all(isinstance(v, int) for v in column.tolist())


def _vectors_on_grids(
    columns: Sequence[Array], grids: Sequence[Grid | None], probs: Array, copies: int
) -> tuple[list[Array], Array]:
    """Coordinates on lattices by their positions, Python's integers as they are, and others as floats."""
    keys = [_keys(column, grid) for column, grid in zip(columns, grids, strict=True)]
    if any(key.dtype.kind == "f" for key in keys):
        sums, masses = mixed_sum(keys, probs, copies)
    else:
        rows, masses = vector_sum(np.stack(keys, axis=1), probs, copies)
        sums = list(rows.T)
    return [
        outcome_array(k.tolist()) if grid is None else grid.values(k, [copies])
        for k, grid in zip(sums, grids, strict=True)
    ], masses


def _keys(column: Array, grid: Grid | None) -> Array:
    if grid is not None:
        return grid.positions[0]
    return column.astype(float) if column.dtype.kind == "f" or _has_fractions(column) else column


def _exact_vectors(columns: Sequence[Array], probs: Array, copies: int) -> tuple[list[Array], Array]:
    """Each coordinate as integers over its own common denominator."""
    if any(is_expression(e) for column in (*columns, probs) for e in column.tolist()):
        return _symbolic_vectors(columns, probs, copies)
    if any(column.dtype.kind == "f" for column in columns):
        grids = [exact_grid([column], [copies]) for column in columns]
        return _vectors_on_grids(columns, grids, probs, copies)
    exact = [[Fraction(v) for v in column.tolist()] for column in columns]
    denominators = [math.lcm(*(v.denominator for v in column)) for column in exact]
    keys = np.empty((len(probs), len(columns)), dtype=object)
    for i, (column, denominator) in enumerate(zip(exact, denominators, strict=True)):
        keys[:, i] = [int(v * denominator) for v in column]
    sums, masses = vector_sum(keys, probs, copies)
    whole = [column.dtype.kind in "bi" for column in columns]
    return [
        outcome_array([int(k) if integral else Fraction(int(k), denominator) for k in sums[:, i].tolist()])
        for i, (denominator, integral) in enumerate(zip(denominators, whole, strict=True))
    ], masses


def _symbolic_vectors(columns: Sequence[Array], probs: Array, copies: int) -> tuple[list[Array], Array]:
    """Every multiset of rows, with sums that are identical added up."""
    check_budget(multiset_count(len(probs), copies), "this sum of vectors", OF_A_SUM)
    law: dict[tuple[Any, ...], Any] = {}
    for indices, masses in multiset_chunks(probs, copies):
        sums = [[normal_form(sum(row)) for row in column[indices].tolist()] for column in columns]
        for row, mass in zip(zip(*sums, strict=True), masses.tolist(), strict=True):
            law[row] = law[row] + mass if row in law else mass
    return [outcome_array(column) for column in zip(*law, strict=True)], object_array(list(law.values()))
