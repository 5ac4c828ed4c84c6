"""Draws that are coupled on purpose: antithetic pairs, and one draw for both sides of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from randvar.arguments import checked, function
from randvar.atoms.search import check_ordered
from randvar.coupling import shared
from randvar.estimators.sampling import monte_carlo
from randvar.joint import Joint
from randvar.law import Law
from randvar.law_arguments import a_var, count
from randvar.numbers.arrays import EPS
from randvar.numbers.checks import check_numbers
from randvar.var import Fn, Var

__all__ = ["antithetic", "antithetic_pair", "common_draws"]


@checked(x=a_var)
def antithetic_pair(x: Var) -> Joint:
    """(Q(U), Q(1 - U)), Q the quantile function of x, U uniform on [0, 1]: no coupling of two copies is more opposed.

    >>> antithetic_pair(Var([1, 2, 3, 4], [0.25] * 4)).outcomes.tolist()
    [[1, 4], [2, 3], [3, 2], [4, 1]]

    Both coordinates have the law of x, and the least covariance that this allows. Cost: O(k) rows. Raises TypeError for
    outcomes without an order. Sources: Hammersley & Morton 1956; Hoeffding 1940 (the lower bound of Frechet).
    """
    check_ordered("antithetic_pair", x.values)
    law = x.law
    check_numbers("antithetic_pair", x.kind, ": which outcomes stand opposite depends on the symbols")
    half = list(_opposed(law.weights.tolist()))
    rows = half + [(j, i, part) for i, j, part in half if i != j]
    first, second, weights = (list(column) for column in zip(*rows, strict=True))
    columns = [law.axes[0].take(first), law.axes[0].take(second)]
    weighed = np.array(weights, dtype=law.weights.dtype)
    return Joint.of(
        Law.of(columns, *law.numbers.reduced(weighed, law.numbers.total(weighed)), law.numbers, law.warrant)
    )


def _opposed(masses: list[Any]) -> Iterator[tuple[int, int, Any]]:
    """(i, j, mass) for i <= j: the lowest outcomes beside the highest, both used up from their own end to the median.

    A remainder no larger than the rounding of the tails behind it is none: 0.1 + 0.2 and 0.3 are used up together.
    """
    i, j = 0, len(masses) - 1
    low, high, used = masses[0], masses[-1], 0 * masses[0]
    rounding = 4 * EPS if isinstance(masses[0], float) else 0
    while i < j:
        both = min(low, high)
        yield i, j, both
        low, high, used = low - both, high - both, used + both
        low_done, high_done = low <= rounding * used, high <= rounding * used
        if low_done:
            i, low = i + 1, masses[i + 1]
        if high_done:
            j, high = j - 1, masses[j - 1]
    if i == j:
        yield i, i, min(low, high)


@checked(x=a_var, f=function, steps=count)
def antithetic(x: Var, f: Fn, steps: int) -> Var:
    """Law of the mean of (f(Q(U)) + f(Q(1 - U)))/2 over `steps` independent U, Q the quantile function of x.

    >>> from fractions import Fraction
    >>> from randvar.moments import variance
    >>> die = Var([1, 2, 3, 4, 5, 6], [Fraction(1, 6)] * 6)
    >>> variance(antithetic(die, lambda a: a, 1)), variance(antithetic(die, lambda a: a * a, 1))
    (Fraction(0, 1), Fraction(56, 9))

    Unbiased for E[f(X)]; its variance is (Var f + Cov(f(Q(U)), f(Q(1 - U)))) / (2 steps), less than that of
    `monte_carlo(x.op(f), 2 * steps)` when f is monotone. Mean and variance are closed forms; the law is computed when
    first read. Raises as `antithetic_pair` and `monte_carlo` do, also past the budget. Cost: as of `monte_carlo`, for
    up to 2k outcomes.
    Sources: Hammersley & Morton 1956; Owen, Monte Carlo theory, methods and examples, section 8.2.
    """
    return monte_carlo(antithetic_pair(x).op(f, f).add() / 2, steps)


@checked(x=a_var, f=function, g=function)
def common_draws(x: Var, f: Fn, g: Fn) -> Joint:
    """(f(X), g(X)) on the same draw, as for two policies that meet the same task: the difference is `.sub()`.

    >>> from randvar.moments import variance
    >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
    >>> round(variance(common_draws(die, lambda a: 3 * a, lambda a: 2 * a).sub()), 12)
    2.916666666667

    A Joint of two coordinates. Var(f - g) = Var f + Var g - 2 Cov(f, g): common draws help where f and g rise together.
    Raises UndefinedOutcome where f or g has no value. Source: Owen, Monte Carlo theory, methods and examples, section
    8.6.
    """
    return shared(x).op(f, g)
