"""Control variates: a term of known mean on the same draw, and the comparisons of two groups that use one."""

from __future__ import annotations

from typing import Any

from randvar.arguments import checked, coefficient, function
from randvar.coupling import indep, shared
from randvar.errors import UndefinedOutcome
from randvar.estimators.sampling import monte_carlo
from randvar.joint import Joint
from randvar.law_arguments import a_joint, a_var
from randvar.moments import covar, expect, variance
from randvar.numbers.arrays import EPS, OP_ULPS
from randvar.numbers.fractions import exact_quotient
from randvar.numbers.overflow import within_floats
from randvar.numbers.symbolic import is_expression
from randvar.var import Fn, Var

__all__ = [
    "ab_sampling",
    "ab_test",
    "best_coefficient",
    "control_variate",
    "linear_control",
    "monte_carlo_with_control",
    "quadratic_control",
]


@checked(x=a_var, f=function, h=function, known_mean=coefficient, b=coefficient)
def control_variate(x: Var, f: Fn, h: Fn, known_mean: Any, b: Any = 1) -> Joint:
    """(f(X), b * (h(X) - known_mean)) on one draw of X; the estimator is their difference.

    >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
    >>> pair = control_variate(die, lambda a: a**2, lambda a: a, known_mean=3.5, b=7)
    >>> round(variance(pair.sub()), 9)
    6.222222222

    A Joint of two coordinates, for `best_coefficient`, `monte_carlo_with_control`, `covar`; `.sub()` is the estimator.
    Unbiased for E[f(X)] whatever b is, if known_mean is E[h(X)]. Var = Var f - 2b Cov(f, h) + b^2 Var h. Raises
    UndefinedOutcome where f or h has no value, RandvarError for NaN in place of known_mean or b.
    Source: Owen, Monte Carlo theory, methods and examples, section 8.9.
    """
    pair = shared(x).op(f, lambda a: b * (h(a) - known_mean))
    if not isinstance(known_mean, float) or is_expression(b):
        return pair
    # a float stands for every number within a few ulp, and the mean of the control is off by as much
    with within_floats("control_variate: b * known_mean"):
        return Joint.of(pair.law.blurred(OP_ULPS * EPS * abs(float(b) * known_mean)))


@checked(joint=a_joint)
def best_coefficient(joint: Joint) -> Any:
    """Cov(F, H) / Var(H): the multiple of the control H that leaves the least variance, Var(F) (1 - corr(F, H)^2).

    >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
    >>> round(best_coefficient(control_variate(die, lambda a: a**2, lambda a: a, known_mean=3.5)), 12)
    7.0

    `joint` is the pair (F, H) as of `control_variate`. The coefficient multiplies the pair's own H, which holds the b
    of `control_variate`: with b = 1 it is the b to take. Raises UndefinedOutcome when the control does not vary,
    TypeError for anything but a Joint with two coordinates. Cost: O(rows).
    Source: Owen, Monte Carlo theory, methods and examples, section 8.9.
    """
    spread = variance(joint.marginal(1))
    if spread == 0:
        raise UndefinedOutcome(
            "best_coefficient is undefined: the control (second coordinate) does not vary (variance 0)"
        )
    return exact_quotient(covar(joint), spread)


@checked(pair=a_joint)
def monte_carlo_with_control(pair: Joint, steps: int) -> Var:
    """Law of the mean of `steps` independent draws of F - H, for a pair (F, H) from `control_variate`.

    >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
    >>> pair = control_variate(die, lambda a: a**2, lambda a: a, known_mean=3.5, b=7)
    >>> round(variance(monte_carlo_with_control(pair, 10)), 9)
    0.622222222

    Variance Var(F - H) / steps, a closed form. Raises as `monte_carlo` does (also past the budget), and TypeError
    unless `pair` is a Joint of two coordinates. Cost: as of `monte_carlo`.
    Source: Owen, Monte Carlo theory, methods and examples, section 8.9.
    """
    return monte_carlo(pair.sub(), steps)


@checked(x=a_var)
def linear_control(x: Var, f: Fn, b: Any) -> Joint:
    """(f(X), b * (X - E[X])) on one draw of X: the control is X itself.

    >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
    >>> len(linear_control(die, lambda a: 3 * a + 1, b=3).sub())
    1

    A pair as from `control_variate`, with known mean E[X] and coefficient b. Raises TypeError for outcomes that are no
    numbers, and as `control_variate` does.
    Source: Owen, Monte Carlo theory, methods and examples, section 8.9.
    """
    return control_variate(x, f, lambda a: a, expect(x), b)


@checked(a=coefficient, b=coefficient, x=a_var)
def quadratic_control(x: Var, f: Fn, a: Any, b: Any) -> Joint:
    """(f(X), h(X) - E[h(X)]) on one draw of X, with h(v) = a * v^2 + b * v.

    >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
    >>> len(quadratic_control(die, lambda v: 2 * v**2 + v, a=2, b=1).sub())
    1

    A pair as from `control_variate`, whose control is a parabola: a and b are its coefficients. Raises UndefinedOutcome
    where f or h has no value, RandvarError for NaN in place of a or b.
    Source: Owen, Monte Carlo theory, methods and examples, section 8.9.
    """

    def h(v: Any) -> Any:
        return a * v**2 + b * v

    return control_variate(x, f, h, expect(x.op(h)))


@checked(population=a_var, treated=function, untreated=function)
def ab_sampling(population: Var, treated: Fn, untreated: Fn, steps: int) -> Var:
    """Law of (mean of `steps` treated people) - (mean of `steps` other, untreated people).

    >>> people = Var([0, 1], [0.5, 0.5])
    >>> ab_sampling(people, lambda v: v + 1, lambda v: v, steps=1).values
    array([0, 1, 2])

    `population` is the law of a person; `treated` and `untreated` map a person to a response. Two independent groups:
    its variance is (Var treated + Var untreated) / steps, a closed form. Raises as `monte_carlo` does, also past the
    budget. Cost: as of `monte_carlo`, for a sum of 2 * steps draws.
    """
    groups = (monte_carlo(population.op(f), steps) for f in (treated, untreated))
    return indep(*groups).sub()


@checked(population=a_var, treated=function, untreated=function, initial=function)
def ab_test(population: Var, treated: Fn, untreated: Fn, initial: Fn, b: Any, steps: int) -> Var:
    """`ab_sampling` with b * (initial(person) - E[initial]) subtracted in each group, a control known before the test.

    >>> people = Var([0, 1], [0.5, 0.5])
    >>> len(ab_test(people, lambda v: v + 1, lambda v: v, lambda v: v, b=1, steps=5))
    1

    `population`, `treated`, `untreated` and `steps` as there. Unbiased for every b. Raises as `ab_sampling` does. Cost:
    as there. With b fixed in advance this is CUPED.
    Source: Deng, Xu, Kohavi & Walker 2013, "Improving the Sensitivity of Online Controlled Experiments by Utilizing
    Pre-Experiment Data".
    """
    known_mean = expect(population.op(initial))
    adjusted = (
        monte_carlo_with_control(control_variate(population, f, initial, known_mean, b), steps)
        for f in (treated, untreated)
    )
    return indep(*adjusted).sub()
