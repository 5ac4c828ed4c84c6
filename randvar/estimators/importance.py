"""Importance sampling: draws of q stand for draws of p, each with the weight w(X) = p(X)/q(X).

Every estimator here refuses a proposal q that misses outcomes on which it depends: their part of the expectation would
be lost without a word. A defensive mixture, `mixture([p, q], [0.1, 0.9])`, misses none and bounds the weights by 1/0.1.

Source: Owen, Monte Carlo theory, methods and examples, chapter 9.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from randvar.arguments import checked, coefficient, flag, function, one_of, optional, real
from randvar.atoms.outcomes import outcome_array
from randvar.calls.call import apply
from randvar.coupling import dependent, shared
from randvar.errors import RandvarError, UndefinedOutcome
from randvar.estimators.sampling import monte_carlo, total
from randvar.families import from_weights
from randvar.joint import Joint
from randvar.law import numbers_of
from randvar.law_arguments import a_var, check_values, count
from randvar.moments import expect, variance
from randvar.numbers.arrays import scalar
from randvar.numbers.fractions import exact_quotient
from randvar.numbers.overflow import within_floats
from randvar.numbers.symbolic import is_zero
from randvar.var import Fn, Var

__all__ = [
    "effective_sample_size",
    "importance",
    "importance_control",
    "kish_efficiency",
    "optimal_proposal",
    "self_normalized",
    "truncated",
    "importance_weights",
]


@checked(p=a_var, q=a_var)
def importance_weights(p: Var, q: Var) -> Var:
    """Law of the importance weight w(X) = p(X)/q(X), X ~ q. Its mean is 1.

    >>> importance_weights(Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.25, 0.75])).values
    array([0.66666667, 2.        ])

    Equal weights are one outcome. Raises RandvarError, with the mass, where q misses an outcome of p. Cost: O(k log k).
    Source: Owen, Monte Carlo theory, methods and examples, section 9.1.
    """
    ratio = _ratio("importance_weights", p, q)
    return q.op(ratio)


@checked(p=a_var, q=a_var, f=function)
def importance(p: Var, q: Var, f: Fn) -> Var:
    """Law of w(X) f(X), X ~ q: unbiased for E_p[f]. `monte_carlo` of it is the mean of n draws.

    >>> p, q = Var([1, 2], [0.5, 0.5]), Var([1, 2], [0.25, 0.75])
    >>> expect(importance(p, q, lambda a: a))
    1.5

    f may return a Var, a reward drawn after the action say. Its variance is E_p[w f^2] - E_p[f]^2. Raises RandvarError
    where q misses an outcome of p on which f is not 0. Source: Owen, section 9.1.
    """
    ratio = _ratio("importance", p, q, f)
    return q.op(lambda a: ratio(a) * f(a))


@checked(p=a_var, q=a_var, f=function, b=coefficient)
def importance_control(p: Var, q: Var, f: Fn, b: Any = 1) -> Joint:
    """(w(X) f(X), b * (w(X) - 1)) on one draw of q: the weight is a control, since its mean is 1 whatever p and q are.

    >>> from randvar.estimators.controls import best_coefficient
    >>> p, q = Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.25, 0.75])
    >>> pair = importance_control(p, q, lambda a: 3.0)
    >>> round(best_coefficient(pair), 12), variance(pair.sub()) < variance(pair[0])
    (3.0, True)

    A pair as from `control_variate`: the estimator is the difference. Raises RandvarError where q misses an outcome of
    p. Source: Owen, section 9.10.
    """
    ratio = _ratio("importance_control", p, q)
    return shared(q).op(lambda a: ratio(a) * f(a), lambda a: b * (ratio(a) - 1))


@checked(p=a_var, q=a_var, f=function, steps=count, undefined=one_of("raise", "drop"))
def self_normalized(p: Var, q: Var, f: Fn, steps: int, undefined: Literal["raise", "drop"] = "raise") -> Var:
    """Law of sum_i w(X_i) f(X_i) / sum_i w(X_i) over `steps` draws of q: needs p only up to a factor, and is biased.

    >>> p, q = Var([0, 1], [0.75, 0.25]), Var([0, 1], [0.5, 0.5])
    >>> self_normalized(p, q, lambda a: a, 2)
    Var: 3 outcomes, mean 0.375
      0     0.25
      0.25  0.5
      1     0.25

    f may return a Var. Where p misses outcomes of q all weights can be 0: then `undefined="raise"` says how likely that
    is, and "drop" conditions on the other samples and reports the mass in `lost_mass`. Raises UndefinedOutcome there,
    RandvarError where q misses an outcome of p, and SupportTooLarge past the budget. Cost: the joint law of the two
    sums.
    Source: Owen, section 9.2.
    """
    ratio = _ratio("self_normalized", p, q)
    weight_and_value = dependent(q, f).op(ratio, lambda value: value)
    weighted_and_weight = dependent(weight_and_value, operator.mul).select(2, 0)
    sums = total(weighted_and_weight, steps)
    empty = sums[1].prob(0)
    if is_zero(empty):
        return sums.div()
    if undefined == "raise":
        raise UndefinedOutcome(
            f"self_normalized: all weights are 0 with probability {empty}, and 0/0 has no value;"
            ' undefined="drop" conditions on the samples where it has one'
        )
    law = sums.cond(lambda _, weight: not is_zero(weight)).div()
    return Var.of(law.law.warranted(law.law.warrant.lacking(empty)))


def _a_cap(name: str, argument: str, cap: Any) -> Any:
    """A positive number, or inf: no cap."""
    cap = scalar(cap)
    return cap if isinstance(cap, float) and cap == math.inf else real(name, argument, cap, above=0)


@checked(p=a_var, q=a_var, f=function, cap=_a_cap, masked=flag)
def truncated(p: Var, q: Var, f: Fn, cap: Any, steps: int = 1, *, masked: bool = False) -> Var:
    """Law of the mean over `steps` draws of q of min(w(X), cap) f(X): less variance than `importance`, and biased.

    >>> p, q = Var([1, 2], [0.5, 0.5]), Var([1, 2], [0.75, 0.25])
    >>> expect(truncated(p, q, lambda a: a, cap=1)), expect(importance(p, q, lambda a: a))
    (1.0, 1.5)

    `masked=True` sets weights above the cap to 0 instead, which can turn the sign of the answer. Raises RandvarError
    for a cap that is not positive, or where q misses an outcome of p on which f is not 0; SupportTooLarge (when the law
    is read) past the budget. Cost: as of `monte_carlo`.
    Source: Ionides 2008, "Truncated Importance Sampling".
    """
    ratio = _ratio("truncated", p, q, f)

    def limited(w: Any) -> Any:
        return w if w <= cap else 0 * w if masked else cap

    return monte_carlo(q.op(lambda a: limited(ratio(a)) * f(a)), steps)


@checked(p=a_var, f=function)
def optimal_proposal(p: Var, f: Fn) -> Var:
    """The law q in proportion to p |f|: no proposal gives `importance` less variance, (E_p|f|)^2 - (E_p f)^2.

    >>> p = Var([1, 3], [0.75, 0.25])
    >>> optimal_proposal(p, lambda a: a).probs
    array([0.5, 0.5])

    A yardstick and no method: to normalise it takes E_p|f|, which is the answer itself when f >= 0. Raises InvalidLaw
    when f is 0 everywhere, UndefinedOutcome where it has no value. Source: Kahn & Marshall 1953; Owen, section 9.1.
    """
    sizes = [abs(v) for v in _numbers_of("optimal_proposal", p, f)]
    with within_floats("optimal_proposal: p |f|"):
        shares = [w * size for w, size in zip(p.probs.tolist(), sizes, strict=True)]
        return Var.of(from_weights(p.values, shares).law.warranted(p.source.warrant.through(None)))


@checked(p=a_var, q=a_var, f=optional(function))
def effective_sample_size(p: Var, q: Var, f: Fn | None = None) -> Any:
    """How many draws of p one draw of q is worth: n_eff / n.

    Without f, of the weights: 1/E[w^2], the limit of (sum w)^2 / (n sum w^2). With f, of the estimate of E_p[f]:
    Var_p(f) / Var_q(w f), which is above 1 where q was well chosen for f, and inf where the estimate never errs.

    >>> p, q = Var([1, 2], [0.5, 0.5]), Var([1, 2], [0.25, 0.75])
    >>> round(effective_sample_size(p, q), 12), round(effective_sample_size(p, q, lambda a: a), 12)
    (0.75, 3.0)

    `kish_efficiency` is that of weights at hand. Raises RandvarError where q misses an outcome of p, UndefinedOutcome
    where f does not vary and its estimate does not err. Sources: Kong 1992; Owen, section 9.3 (the weights say nothing
    of f).
    """
    if f is None:
        return kish_efficiency(importance_weights(p, q))
    spread, reached = variance(p.op(f)), variance(importance(p, q, f))
    if not is_zero(reached):
        return exact_quotient(spread, reached)
    if is_zero(spread):
        raise UndefinedOutcome("effective_sample_size: f does not vary under p, so no draw is worth more than another")
    return math.inf


@checked(w=a_var)
def kish_efficiency(w: Var) -> Any:
    """(E w)^2 / E[w^2] of a law of weights, from its mean and variance: 1 when all weights are equal.

    >>> from fractions import Fraction
    >>> kish_efficiency(Var([Fraction(1, 2), Fraction(3, 2)], [Fraction(1, 2)] * 2))
    Fraction(4, 5)

    n times it is Kish's effective sample size, and its inverse the design effect of the weights. Of weights at hand:

    >>> from randvar.families import empirical
    >>> at_hand = [3.0, 1.0, 1.0, 1.0]
    >>> len(at_hand) * kish_efficiency(empirical(at_hand))
    3.0

    Raises UndefinedOutcome for weights of mean 0. Source: Kish 1965, Survey Sampling, section 11.7.
    """
    mean = expect(w)
    square = mean**2
    if is_zero(square):
        raise UndefinedOutcome(f"kish_efficiency divides by the squared mean of the weights, which is 0 (mean {mean})")
    return exact_quotient(square, square + variance(w))


def _ratio(name: str, p: Var, q: Var, f: Fn | None = None) -> Callable[[Any], Any]:
    """p(a)/q(a) as a function, where q misses nothing of p (on which f is not 0)."""
    numbers_of([p.source, q.source])  # refuses floats beside an exact law
    outside = np.array([is_zero(q.prob(a)) for a in p.values.tolist()], dtype=bool)
    missed = p.values[outside].tolist()
    if f is not None:
        of_missed = apply(f, [p.values[outside]], p.probs[outside].__getitem__)
        missed = [a for a, value in zip(missed, of_missed, strict=True) if not _vanishes(value)]
    if missed:
        shown = f"{missed[0]!r}{' and other outcomes' if len(missed) > 1 else ''}"
        raise RandvarError(
            f"{name}: q misses {shown}, which p draws with probability {sum(p.prob(a) for a in missed)}: that part of"
            " the expectation would be lost; mix q with p, as in mixture([p, q], [0.1, 0.9])"
        )
    return lambda a: p.prob(a) / q.prob(a)


def _numbers_of(name: str, x: Var, f: Fn) -> list[Any]:
    """f on every outcome, each a number."""
    values = outcome_array(apply(f, [x.values], x.law.probability_at))
    check_values(name, values)
    return values.tolist()  # type: ignore[no-any-return]


def _vanishes(value: Any) -> bool:
    (result,) = outcome_array([0 if isinstance(value, Var) else value]).tolist()
    return is_zero(value.prob(0) - 1) if isinstance(value, Var) else is_zero(result)
