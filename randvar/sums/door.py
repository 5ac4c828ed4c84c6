"""The one door: the law of a sum of independent draws, by whichever room is cheapest.

* values on a lattice: direct or tilted convolution (`lattice`), unless the lattice is so wide that its cells outnumber
  the multisets of draws by far; then the programme over outcomes with exact integer keys (`programme`);
* whole numbers, and floats whose sums are exact: integer keys again, however far apart they are;
* irregular values: the programme over outcomes, merging within the rounding of the sums;
* exact probabilities: integers over one common denominator (`rational`); expressions in one ring.

Everything is refused past the budget before it is allocated.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from randvar.atoms.merge import runs
from randvar.atoms.outcomes import Axis
from randvar.context import OF_A_SUM, check_budget, current
from randvar.errors import RandvarError, one_line
from randvar.numbers.arrays import EPS, WORD, Array, object_array
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, FRACTIONS, meet
from randvar.numbers.symbolic import product_sum
from randvar.sums.grid import Grid, exact_grid, find_grid, rational_grid
from randvar.sums.group import Group
from randvar.sums.lattice import lattice_sum, log_mass
from randvar.sums.multinomial import multiset_count, rounding_of_masses

__all__ = ["Summed", "common_grid", "floats_of", "independent_sum", "log_probability", "rounding_of_sums"]

_MAX_SPAN = 2**53  # of one draw; the cost decides long before
_DENSE = 2**16  # a lattice of so few cells costs nothing
_SPARSE = 64  # cells of a lattice cost about 1/64 of an atom of the programme


class Summed(NamedTuple):
    """The outcomes of a sum, their weights and the mass of these, and a bound on the relative error of a weight.

    The bound is 0 where the probabilities are exact or right to rounding, and inf where it is unknown. `ascending`: the
    outcomes are known to be distinct and in order, as exact numbers on a lattice are.
    """

    outcomes: Axis
    weights: Array
    mass: Any
    accuracy: float = 0.0
    ascending: bool = False


def independent_sum(groups: Sequence[Group], weights: Numbers, outcomes: Numbers) -> Summed:
    """Law of the sum of all draws, with weights of one kind (each group's over its own sum) and outcomes of another.

    Raises SupportTooLarge, before anything of that size is allocated, past the budget, and what `meet` does.
    """
    if (weights, outcomes) not in _ROOMS:
        meet(weights, outcomes)  # which refuses them
    drawn = [group for group in groups if group.copies]
    if not drawn:
        return Summed(Axis.of([0]), *weights.weighed([1]))
    return _ROOMS[weights, outcomes](drawn)


# -- floats ---------------------------------------------------------------------------------------------------------


def _in_floats(groups: Sequence[Group]) -> Summed:
    grid = common_grid([g.values for g in groups], [g.copies for g in groups])
    return _irregular(groups) if grid is None else _on_grid(groups, grid)


def common_grid(columns: Sequence[Array], copies: Sequence[int]) -> Grid | None:
    """The lattice of the values: of exact numbers their own, of floats the one that they mean.

    Where floats add without rounding they are taken as they are.
    """
    exact = rational_grid(columns, copies, max_span=_MAX_SPAN)
    if exact is not None:
        return exact
    columns = [floats_of(column) for column in columns]
    grid = find_grid(columns, copies, max_span=_MAX_SPAN)
    if grid is not None and isinstance(grid.step, int):
        return grid
    exact = exact_grid(columns, copies)
    return exact if grid is None or (exact is not None and not grid.holds(columns)) else grid


def floats_of(values: Array) -> Array:
    """Values as machine numbers.

    Raises RandvarError for exact numbers that no machine integer holds: floats would make one outcome of many.
    """
    if values.dtype != object:
        return values
    for v in values.tolist():
        if isinstance(v, (int, Fraction)) and not -WORD < v < WORD:
            raise RandvarError(
                f"a sum in floats would round {one_line(v)}; x.rational() adds them exactly,"
                " x.op(float) makes floats of them"
            )
    return values.astype(float)


def _on_grid(groups: Sequence[Group], grid: Grid) -> Summed:
    copies = [g.copies for g in groups]
    cells = 1 + sum(n * int(k.max()) for n, k in zip(copies, grid.positions, strict=True))
    allowed = current().max_atoms
    if cells <= min(_DENSE, allowed) or _is_for_a_lattice(groups, cells):
        law = lattice_sum(_positions(groups, grid))
        if math.isfinite(law.accuracy) or _multisets(groups) > allowed:
            reached = law.masses.nonzero()[0]
            values = grid.values(law.first + reached, copies)
            return Summed(_axis(values), law.masses[reached], 1.0, law.accuracy, ascending=grid.integral)
        # else there are gaps that no tilt sees: what is in them is listed
    keys, masses, mass = _sum_of_keys(_positions(groups, grid))
    return Summed(_axis(grid.values(keys, copies)), masses, mass, rounding_of_sums(groups, len(keys)))


def rounding_of_sums(groups: Sequence[Group], atoms: int) -> float:
    """A bound on the relative error of a probability that a programme found; 0 in exact numbers.

    It is that of the masses of samples, and of adding up those that are one: no more than there are samples to spare,
    and n + 1 at a time for each outcome.
    """
    if any(g.weights.dtype == object for g in groups):
        return 0.0
    masses = sum(rounding_of_masses(g.weights, g.copies) + EPS for g in groups)
    additions = min(_multisets(groups) - atoms, sum(len(g.values) * (g.copies + 1) for g in groups))
    return masses + max(additions, 0) * EPS / 2


def _is_for_a_lattice(groups: Sequence[Group], cells: int) -> bool:
    """Whether its cells cost less than the multisets of draws, or those are past the budget."""
    multisets, allowed = _multisets(groups), current().max_atoms
    return cells <= max(_SPARSE * multisets, _DENSE) and (cells <= allowed or multisets > allowed)


def _multisets(groups: Sequence[Group]) -> int:
    return math.prod(multiset_count(len(g.values), g.copies) for g in groups)


def _axis(values: Array) -> Axis:
    return Axis(values, _OF_MACHINES.get(values.dtype.kind, FRACTIONS))


_OF_MACHINES: dict[str, Numbers] = {"f": FLOATS}  # by the letter of a numpy array


def _positions(groups: Sequence[Group], grid: Grid) -> list[Group]:
    return [Group(k, g.weights, g.copies) for k, g in zip(grid.positions, groups, strict=True)]


def _sum_of_keys(groups: Sequence[Group]) -> tuple[Array, Array, Any]:
    """The programme over outcomes with exact keys: for lattices with few outcomes and vast gaps."""
    from randvar.sums.programme import key_programme  # these rooms are for what lies on no narrow lattice: late

    keys, masses, mass = key_programme(groups[0])
    for group in groups[1:]:
        more, weights, factor = key_programme(group)
        check_budget(len(keys) * len(more), "this sum", OF_A_SUM)
        if int(keys.max()) + int(more.max()) >= 2**63:
            keys = keys.astype(object)
        keys, masses = np.add.outer(keys, more).ravel(), np.multiply.outer(masses, weights).ravel()
        order, starts = runs(keys)
        keys, masses, mass = keys[order][starts], np.add.reduceat(masses[order], starts), mass * factor
    return keys, masses, mass


def _irregular(groups: Sequence[Group]) -> Summed:
    from randvar.sums.netting import cancels, net_sum
    from randvar.sums.programme import combine, outcome_programme

    floats = [Group(floats_of(g.values).astype(float), g.weights, g.copies) for g in groups]
    if len(floats) > 1 and cancels(floats):
        sums, weights = net_sum(floats)
        mass = 1.0 if weights.dtype == float else math.prod(sum(g.weights.tolist()) ** g.copies for g in floats)
    else:
        sums, weights, mass = functools.reduce(combine, map(outcome_programme, floats))
    return Summed(Axis(sums, FLOATS), weights, mass, rounding_of_sums(groups, len(sums)))


# -- exact numbers --------------------------------------------------------------------------------------------------


def _exact_weights(groups: Sequence[Group]) -> Summed:
    """Float values beside exact probabilities stay floats."""
    groups = [Group(floats_of(g.values), g.weights, g.copies) for g in groups]
    copies = [g.copies for g in groups]
    grid = exact_grid([g.values for g in groups], copies)
    if grid is None:
        return _irregular(groups)
    keys, masses, mass = _sum_of_keys(_positions(groups, grid))
    return Summed(_axis(grid.values(keys, copies)), masses, mass)


def _in_fractions(groups: Sequence[Group]) -> Summed:
    """Integers over one common denominator; sums of ints are ints."""
    from randvar.sums.rational import rational_sum

    law = rational_sum(groups)
    whole = all(isinstance(v, int) for g in groups for v in g.values.tolist())
    outcomes = Axis.of(law.values) if whole else Axis(object_array(law.outcomes()), FRACTIONS)
    return Summed(outcomes, object_array(law.weights), law.mass, ascending=True)


def _in_symbols(groups: Sequence[Group]) -> Summed:
    """Expressions in one ring; the shares of each group are over its sum."""
    check_budget(_multisets(groups), "this sum", OF_A_SUM)
    values, masses = product_sum([(g.values.tolist(), g.weights.tolist(), g.copies) for g in groups])
    return Summed(Axis.of(values), object_array(masses), 1)


def _symbolic_outcomes(groups: Sequence[Group]) -> Summed:
    """Expressions among the outcomes, integers as weights."""
    found = _in_symbols(groups)
    mass = math.prod(FRACTIONS.power_of_mass(g.weights, g.copies) for g in groups)
    return found._replace(weights=object_array([int(w) for w in found.weights.tolist()]), mass=mass)


_ROOMS: dict[tuple[Numbers, Numbers], Callable[[Sequence[Group]], Summed]] = {
    # (weights, outcomes)
    (FLOATS, FLOATS): _in_floats,
    (FLOATS, FRACTIONS): _in_floats,
    (FRACTIONS, FRACTIONS): _in_fractions,
    (FRACTIONS, FLOATS): _exact_weights,
    (FRACTIONS, EXPRESSIONS): _symbolic_outcomes,
    (EXPRESSIONS, FRACTIONS): _in_symbols,
    (EXPRESSIONS, EXPRESSIONS): _in_symbols,
}


# -- below the smallest float ---------------------------------------------------------------------------------------


def log_probability(groups: Sequence[Group], value: Any, slack: float = 0.0) -> float | None:
    """log P(sum = value), which may underflow itself; -inf for no outcome, None where it cannot be told.

    A value that was itself computed may be off by `slack`. It cannot be told of irregular values.
    """
    drawn = [group for group in groups if group.copies]
    if not drawn:
        return -math.inf
    grid = common_grid([g.values for g in drawn], [g.copies for g in drawn])
    if grid is None:
        return None
    at = grid.position(value, [g.copies for g in drawn], slack)
    return -math.inf if at is None else log_mass(_positions(drawn, grid), at)
