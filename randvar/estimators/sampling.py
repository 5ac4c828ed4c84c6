"""Means and sums of independent draws."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TypeVar, cast

from randvar.arguments import checked
from randvar.draws import Draws, Sum
from randvar.joint import Joint
from randvar.law_arguments import count, numeric
from randvar.var import Var

__all__ = ["monte_carlo", "total"]

Law = TypeVar("Law", Var, Joint)


@checked(steps=count, x=numeric)
def monte_carlo(x: Law, steps: int) -> Law:
    """Law of the mean (X1 + ... + Xn)/n of n = `steps` independent copies of x; of a Joint, the Joint of the means.

    >>> coin = Var([0, 1], [0.5, 0.5])
    >>> monte_carlo(coin, 2)
    Var: 3 outcomes, mean 0.5
      0    0.25
      0.5  0.5
      1    0.25

    Mean and variance (Var x / n), skewness and kurtosis are closed forms, whatever n is; the law itself is computed
    when first read. Raises RandvarError for steps < 1, TypeError for outcomes that are no numbers, and SupportTooLarge
    (when the law is read) past the budget. Cost: O(k) for the moments of k outcomes, whatever n is; of the law about
    O(m log m) for m outcomes on a lattice (a million dice in 20 ms), else O(N log N) for N distinct sums with their
    numbers of draws.
    Source: Owen, Monte Carlo theory, methods and examples, section 2.1.
    """
    return cast(Law, _sum(x, steps, Fraction(1, steps)))


@checked(steps=partial(count, least=0), x=numeric)
def total(x: Law, steps: int) -> Law:
    """Law of the sum X1 + ... + Xn, the Xi independent copies of x and n = `steps`; the sum of no draws is 0.

    >>> total(Var([0, 1], [0.5, 0.5]), 3).probs
    array([0.125, 0.375, 0.375, 0.125])

    Cumulants are n times those of x. Of a Joint, the Joint of the totals of its coordinates. Raises as `monte_carlo`
    does (also past the budget), but takes steps = 0. Cost: as there.
    Source: Feller, An Introduction to Probability Theory and Its Applications, vol. 1, section XI.2 (convolutions).
    """
    return cast(Law, _sum(x, steps, Fraction(1)))


def _sum(x: Var | Joint, copies: int, scale: Fraction) -> Var | Joint:
    if isinstance(x, Joint):
        return Joint.of(Sum([Draws(x.source, copies, scale)]))
    return Var.of(Sum([Draws(x.source, copies, scale)]))
