"""Fewer outcomes with the same mean: each value moves to its two neighbours on a grid."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import all_of, checked, real
from randvar.atoms.outcomes import Axis, outcome_array
from randvar.errors import RandvarError, one_line
from randvar.law import given_law
from randvar.law_arguments import a_var, exact_number, numeric
from randvar.numbers.arrays import EPS, Array, is_numeric
from randvar.numbers.overflow import within_floats
from randvar.var import Var

__all__ = ["stochastic_rounding"]

_MANY_STEPS = 2.0**40  # beyond it the rounding of a quotient is a part of a step


@checked(x=all_of(a_var, numeric), step=partial(exact_number, above=0))
def stochastic_rounding(x: Var, step: Any = 1) -> Var:
    """Law of X rounded to a multiple of `step`: up with probability d, down with 1 - d, d = X/step - floor(X/step).

    >>> stochastic_rounding(Var([0.5, 1.25], [0.5, 0.5])).probs
    array([0.25 , 0.625, 0.125])

    The mean is kept; the variance grows by step^2 E[d (1 - d)], at most step^2 / 4. It makes room where sums have too
    many outcomes: on a grid, a sum of n draws has no more than n times the span of one.

    >>> from randvar.estimators.sampling import monte_carlo
    >>> roots = Var([2**0.5, 3**0.5, 5**0.5, 7**0.5], [0.25] * 4)
    >>> len(monte_carlo(roots, 100)), len(monte_carlo(stochastic_rounding(roots, 0.01), 100))
    (176851, 12401)

    Raises RandvarError for a step that is not positive or an infinite outcome, TypeError for outcomes that are no
    numbers. Cost: O(k log k) for k outcomes. Source: Croci et al. 2022, "Stochastic Rounding: Implementation,
    Error Analysis and Applications".
    """
    with within_floats(f"stochastic_rounding: an outcome in steps of {one_line(step)}"):
        below, up = _in_steps(x.values, step, exact=x.source.numbers.exact)
        numbers = x.source.numbers
        weights = np.concatenate([x.probs * (1 - up), x.probs * up])
        kept = numbers.possible(weights)
        values = _multiples(np.concatenate([below, below + 1])[kept], step, exact=x.source.numbers.exact)
    return Var.of(given_law([Axis.of(values)], weights[kept], numbers, x.source.warrant))


def _multiples(counts: Array, size: Fraction, *, exact: bool) -> Array:
    """These numbers of steps; whole ones of any size stay whole."""
    if is_numeric(counts):
        return counts * size.numerator / size.denominator
    products = [count * size for count in counts.tolist()]
    return outcome_array([p if exact else int(p) if p.denominator == 1 else float(p) for p in products])


def _in_steps(values: Array, size: Fraction, *, exact: bool) -> tuple[Array, Array]:
    """floor(v/step) and what is left."""
    if exact:
        return _in_exact_steps(values, size)
    quotients = values.astype(float) * size.denominator / size.numerator
    if not np.isfinite(quotients).all():
        raise RandvarError("stochastic_rounding: an outcome is infinite, and between no two steps; condition it away")
    if np.abs(quotients).max() > _MANY_STEPS:
        below, up = _in_exact_steps(values, size)
        return np.array(list(map(int, below)), dtype=object), up.astype(float)
    return _in_float_steps(quotients)


def _in_float_steps(quotients: Array) -> tuple[Array, Array]:
    """A quotient within rounding of a whole number is that number: 0.3 is three steps of 0.1."""
    nearest = np.rint(quotients)
    quotients = np.where(np.abs(quotients - nearest) <= 4 * EPS * np.abs(quotients), nearest, quotients)
    below = np.floor(quotients)
    return below, quotients - below


def _in_exact_steps(values: Array, size: Fraction) -> tuple[Array, Array]:
    """The same in Fractions."""
    numbers = [real("stochastic_rounding", "an outcome", v) for v in values.tolist()]
    quotients = np.array([Fraction(number) / size for number in numbers], dtype=object)
    up = quotients % 1
    return quotients - up, up
