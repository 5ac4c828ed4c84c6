"""The sum of the coordinates of a law, row by row: exact where it can be, else merged within its own rounding."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

import numpy as np

from randvar.atoms.outcomes import Axis
from randvar.errors import UndefinedOutcome
from randvar.law import Law
from randvar.numbers.arrays import EPS, WORD, Array, is_numeric
from randvar.numbers.kinds import FLOATS, FRACTIONS
from randvar.numbers.overflow import within_floats
from randvar.sums.grid import exact_grid

__all__ = ["signed_sum"]


def signed_sum(law: Law, signs: Sequence[int]) -> Law | None:
    """Law of sum_i sign_i * X_i; None where that is not machine arithmetic.

    Where it rounds, that is judged against the terms, which may cancel: 4 eps sum_i |X_i|.
    """
    kinds = {axis.numbers for axis in law.axes}
    columns = [c.values for c in law.columns]
    if kinds <= {FLOATS, FRACTIONS} and not law.numbers.exact:
        with within_floats("a sum of these outcomes"):
            columns = [FLOATS.numbers(c) for c in columns]  # Fractions
    if not all(map(is_numeric, columns)):
        return None
    if any(c.dtype.kind == "f" for c in columns):
        return _of_floats(law, columns, signs)
    reach = sum(int(np.abs(c.astype(float)).max()) for c in columns)
    whole = object if reach >= WORD else np.int64
    sums = functools.reduce(operator.add, (s * c.astype(whole) for s, c in zip(signs, columns, strict=True)))
    return Law.of([Axis.of(sums)], law.weights, law.mass, law.numbers, law.warrant)


def _of_floats(law: Law, columns: Sequence[Array], signs: Sequence[int]) -> Law:
    grid = exact_grid(columns, [1] * len(columns))
    if grid is not None:
        sums = Axis.of(grid.signed_values(signs))
        made = Law.of([sums], law.weights, law.mass, law.numbers, law.warrant)
        return made.blurred(law.blur)
    with within_floats("a sum of these outcomes"), np.errstate(invalid="ignore"):  # inf - inf
        total: Array = np.sum([s * c.astype(float) for s, c in zip(signs, columns, strict=True)], axis=0)
    if np.isnan(total).any():
        raise UndefinedOutcome("a sum of infinite outcomes of both signs is undefined; condition them away first")
    with np.errstate(over="ignore"):
        size = np.sum([np.abs(c.astype(float)) for c in columns], axis=0)
    near = np.where(np.isfinite(size), 4 * EPS * size, 0.0)
    made = Law.of([Axis(total + 0.0, FLOATS, near)], law.weights, law.mass, law.numbers, law.warrant, [near])
    return made.blurred(law.blur)
