"""The rows of a joint law: products of independent blocks, functions of one coordinate, fresh draws, sums of columns.

A block is (axes, codes, weights): the distinct values of each coordinate, where each row's value stands among them, and
the probability of each row (`engine.rows`).
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from randvar.atoms.outcomes import canonical, merge_within, outcome_array
from randvar.atoms.rows import Axes, Codes, axis_weights, canonical_rows, encode, product_rows
from randvar.calls.call import apply, apply_ufunc
from randvar.context import check_budget
from randvar.errors import UndefinedOutcome
from randvar.numbers.arrays import EPS, Array, is_numeric
from randvar.numbers.kinds import common_kind
from randvar.numbers.overflow import within_floats
from randvar.sources import NOTHING, Caveats
from randvar.sums.grid import exact_grid
from randvar.var import Var, atoms_of

__all__ = ["Block", "expand", "from_columns", "product_of_blocks", "product_of_factors", "sum_columns", "transform"]

Block = tuple[Axes, Codes, Array]


def from_columns(columns: Sequence[Array], weights: Array, *, rounded: bool = False) -> Block:
    """Canonical rows from one array a coordinate."""
    pairs = [encode(column, weights, rounded=rounded) for column in columns]
    return canonical_rows(tuple(axis for axis, _ in pairs), tuple(code for _, code in pairs), weights)


def transform(block: Block, i: int, f: Any) -> tuple[Block, Caveats]:
    """Apply f to coordinate i: to each distinct value once. Where it returns a Var, rows multiply (`expand`)."""
    axes, codes, weights = block
    axis, code = axes[i], codes[i]
    mass = axis_weights(axis, code, weights)
    if isinstance(f, np.ufunc) and is_numeric(axis):
        results: Any = apply_ufunc(f, [axis], mass)
    else:
        results = apply(f, [axis], mass, atoms_of)
    if isinstance(results, list) and Var in set(map(type, results)):
        return expand(block, i, results)
    new_axis, where = encode(outcome_array(results), mass, rounded=True)
    return (_replaced(axes, i, new_axis), _replaced(codes, i, where[code]), weights), NOTHING


def _replaced(parts: tuple[Array, ...], i: int, part: Array) -> tuple[Array, ...]:
    return (*parts[:i], part, *parts[i + 1 :])


def expand(block: Block, i: int, laws: list[Any]) -> tuple[Block, Caveats]:
    """A fresh draw for each row: the row with code c becomes one row for each outcome of laws[c].

    Also what those laws leave out, on average over the rows.

    With the outcomes of all laws in one line, `first` is where those of a row's law begin, and `draw` the one that a
    new row takes; `row` is the old row that it comes from.
    """
    axes, codes, weights = block
    parts = [law if isinstance(law, Var) else Var([law], [1]) for law in laws]
    sizes = np.array([len(part) for part in parts])
    check_budget(int(sizes[codes[i]].sum()), "this Joint")
    weights, *inner = common_kind(weights, *(part.probs for part in parts))
    shares = axis_weights(axes[i], codes[i], weights)
    drawn = [share * probs for share, probs in zip(shares, inner, strict=True)]
    axis, where = encode(
        outcome_array([v for part in parts for v in part.values.tolist()]), np.concatenate(drawn), rounded=True
    )
    repeats = sizes[codes[i]]
    row = np.repeat(np.arange(len(weights)), repeats)
    first = (np.cumsum(sizes) - sizes)[codes[i]]
    draw = np.arange(len(row)) - np.repeat(np.cumsum(repeats) - repeats, repeats) + first[row]
    spread = tuple(code[row] for code in codes)
    masses = weights[row] * np.concatenate(inner)[draw]
    return (_replaced(axes, i, axis), _replaced(spread, i, where[draw]), masses), Caveats.average(
        [part._stated() for part in parts], shares
    )


def sum_columns(columns: Sequence[Array], signs: Sequence[int], weights: Array, caveats: Caveats) -> Var:
    """sum_i sign_i * column_i, row by row; where it rounds, that is judged against the terms, which may cancel."""
    if any(c.dtype.kind == "f" for c in columns):
        grid = exact_grid(columns, [1] * len(columns))
        if grid is not None:
            return Var._of(*canonical(grid.signed_values(signs), weights), caveats)
        with within_floats("a sum of these outcomes"), np.errstate(invalid="ignore"):  # inf - inf
            sums: Array = np.sum([s * c.astype(float) for s, c in zip(signs, columns, strict=True)], axis=0)
        if np.isnan(sums).any():
            raise UndefinedOutcome("a sum of infinite outcomes of both signs is undefined; condition them away first")
        with np.errstate(over="ignore"):
            size = np.sum([np.abs(c.astype(float)) for c in columns], axis=0)
        tolerance = np.where(np.isfinite(size), 4 * EPS * size, 0.0)
        return Var._of(*canonical(*merge_within(sums + 0.0, weights, tolerance)), caveats)
    reach = sum(int(np.abs(c.astype(float)).max()) for c in columns)
    whole = object if reach >= 2**62 else np.int64
    terms = [s * c.astype(whole) for s, c in zip(signs, columns, strict=True)]
    return Var._of(*canonical(functools.reduce(operator.add, terms), weights), caveats)


def product_of_factors(factors: Sequence[Var]) -> Block:
    """Rows of independent variables: all combinations, with the product of their probabilities."""
    return product_of_blocks([((x.values,), (np.arange(len(x)),), x.probs) for x in factors])


def product_of_blocks(blocks: Sequence[Block]) -> Block:
    """Rows of independent blocks: all combinations of their rows, with the product of their weights.

    Raises SupportTooLarge past the budget of atoms, RandvarError for floats beside an exact kind.
    """
    sizes = [len(weights) for _, _, weights in blocks]
    way_out = "sums and moments of independent coordinates need no table (j.add(), expect, cov_matrix)"
    check_budget(math.prod(sizes), "the table of all combinations", way_out)
    grid = product_rows(sizes)
    masses = common_kind(*(weights for _, _, weights in blocks))
    weights = functools.reduce(operator.mul, (mass[g] for mass, g in zip(masses, grid, strict=True)))
    axes = tuple(axis for block_axes, _, _ in blocks for axis in block_axes)
    codes = tuple(code[g] for (_, block, _), g in zip(blocks, grid, strict=True) for code in block)
    return axes, codes, weights
