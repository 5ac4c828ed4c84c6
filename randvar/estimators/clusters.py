"""Draws that share a cause: completions of one prompt, pupils of one school."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from randvar.arguments import checked, coefficient, function
from randvar.errors import RandvarError, UndefinedOutcome, one_line
from randvar.estimators.sampling import monte_carlo
from randvar.law_arguments import a_var, count
from randvar.moments import expect, variance
from randvar.numbers.fractions import exact_quotient
from randvar.numbers.overflow import within_floats
from randvar.numbers.symbolic import float_or, is_zero
from randvar.var import Var

__all__ = ["clustered", "design_effect", "intraclass_correlation"]


@checked(cause=a_var, size=count, groups=count, kernel=function)
def clustered(cause: Var, kernel: Callable[[Any], Var], size: int, groups: int = 1) -> Var:
    """Law of the mean of groups * size draws: each group draws its cause c once, then `size` times from kernel(c).

    >>> from randvar.families import bernoulli
    >>> skill = Var([0.25, 0.75], [0.5, 0.5])
    >>> variance(clustered(skill, bernoulli, size=4, groups=10)), variance(monte_carlo(skill.op(bernoulli), 40))
    (0.0109375, 0.00625)

    Its variance is that of as many independent draws times `design_effect(size, rho)`, rho the correlation of two draws
    of a group, `intraclass_correlation`. Moments in closed form over groups; a group's own law is computed. Raises
    UndefinedOutcome where the kernel returns no Var, RandvarError for size or groups < 1, SupportTooLarge past the
    budget. Cost: a sum of `size` draws for each outcome of the cause; over groups as of `monte_carlo`.
    Source: Kish 1965, Survey Sampling, chapter 5.
    """
    group = cause.op(lambda c: monte_carlo(a_var("clustered", "kernel(c)", kernel(c)), size))
    return monte_carlo(group, groups)


@checked(cause=a_var, kernel=function)
def intraclass_correlation(cause: Var, kernel: Callable[[Any], Var]) -> Any:
    """Var(E[X | cause]) / Var(X): the correlation of two draws of X that share their cause.

    >>> from randvar.families import bernoulli
    >>> intraclass_correlation(Var([0.25, 0.75], [0.5, 0.5]), bernoulli)
    0.25

    `kernel` maps an outcome of the cause to the law of X. Raises UndefinedOutcome when X does not vary or the kernel
    returns no Var. Cost: one call of the kernel an outcome.
    Source: Kish 1965, Survey Sampling, chapter 5.
    """
    whole = variance(cause.op(kernel))
    if is_zero(whole):
        raise UndefinedOutcome("intraclass_correlation is undefined: the draws do not vary (variance 0)")
    return exact_quotient(variance(cause.op(lambda c: expect(kernel(c)))), whole)


@checked(size=count, correlation=coefficient)
def design_effect(size: int, correlation: Any) -> Any:
    """1 + (n - 1) rho: how much the variance of a mean of n = `size` draws grows when every pair has correlation rho.

    >>> design_effect(16, 0.5), 16 / design_effect(16, 0.5)
    (8.5, 1.8823529411764706)

    n divided by it is the effective sample size; it never exceeds 1/rho. Raises RandvarError for a correlation that n
    draws cannot have, below -1/(n - 1) or above 1. Source: Kish 1965, Survey Sampling, chapter 5.
    """
    least = -1 / (size - 1) if size > 1 else -1.0
    with within_floats("the design effect"):
        if not least <= float_or(correlation, 1.0) <= 1:
            raise RandvarError(
                f"design_effect: {one_line(size)} draws cannot all have correlation {one_line(correlation)}; it lies"
                f" between {least:.4g} and 1"
            )
        return 1 + (size - 1) * correlation
