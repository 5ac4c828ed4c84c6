"""Estimators of a Kullback-Leibler divergence from draws of p, after Schulman, "Approximating KL Divergence" (2020).

With X drawn from p, L = log p(X) - log q(X) and r = q(X)/p(X): k1 = L, k2 = L^2 / 2, k3 = L + r - 1. Each costs
O(n log n) for n outcomes.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import checked, flag, function
from randvar.atoms.outcomes import Axis, outcome_array
from randvar.calls.call import apply
from randvar.errors import UndefinedOutcome
from randvar.estimators.controls import control_variate
from randvar.information import log_ratio_of
from randvar.joint import Joint
from randvar.law import Law
from randvar.law_arguments import a_var, check_values, count
from randvar.numbers.arrays import Array
from randvar.numbers.checks import check_numbers
from randvar.numbers.kinds import EXPRESSIONS, FLOATS
from randvar.numbers.log_ratios import exp_remainder
from randvar.numbers.overflow import within_floats
from randvar.power_sums import sum_of
from randvar.var import Fn, Var

__all__ = ["k1", "k2", "k3", "kl_k3", "kl_topk", "likeliest_first", "topk"]

_TIE = 1e-12  # of two probabilities, relative: what a few dozen roundings can make


@checked(p=a_var, q=a_var)
def k1(p: Var, q: Var) -> Var:
    """Law of log p(X) - log q(X), X ~ p: unbiased for KL(p || q), and often negative.

    >>> k1(Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.25, 0.75])).values
    array([-0.40546511,  0.69314718])

    +inf where q misses an outcome of p. Raises TypeError for anything but two Vars. Source: Schulman 2020.
    """
    ratio = log_ratio_of(p, q)
    return p.op(ratio)


@checked(p=a_var, q=a_var)
def k2(p: Var, q: Var) -> Var:
    """Law of (log p(X) - log q(X))^2 / 2, X ~ p: never negative, biased in either direction.

    >>> k2(Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.25, 0.75])).values
    array([0.08220098, 0.24022651])

    +inf where q misses an outcome of p. Raises TypeError for anything but two Vars. Source: Schulman 2020.
    """
    ratio = log_ratio_of(p, q)
    return p.op(lambda a: ratio(a) ** 2 / 2)


@checked(p=a_var, q=a_var)
def k3(p: Var, q: Var) -> Var:
    """Law of log p(X) - log q(X) + q(X)/p(X) - 1, X ~ p: unbiased, and never negative.

    >>> from randvar.moments import expect
    >>> p, q = Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.25, 0.75])
    >>> round(expect(k3(p, q)), 12), round(expect(k1(p, q)), 12)
    (0.143841036226, 0.143841036226)

    Unbiased if q puts no mass where p has none; else its mean is short of the divergence by that mass. +inf where q
    misses an outcome of p. Of close laws every digit is right: it is e^-L - 1 + L, by its series. Raises TypeError for
    anything but two Vars. Source: Schulman 2020.
    """
    if EXPRESSIONS in (p.source.numbers, q.source.numbers):
        return kl_k3(p, q, b=-1).sub()
    ratio = log_ratio_of(p, q)
    return p.op(lambda a: exp_remainder(-ratio(a)))


@checked(p=a_var, q=a_var)
def kl_k3(p: Var, q: Var, b: Any = -1) -> Joint:
    """k1 beside its control: (log p(X) - log q(X), b * (q(X)/p(X) - 1)), X ~ p; b = -1 makes the difference k3.

    >>> kl_k3(Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.25, 0.75])).marginal(1).values
    array([-0.5,  0.5])

    A pair as from `control_variate`. Raises TypeError for anything but two Vars. Source: Schulman 2020.
    """
    ratio = log_ratio_of(p, q)
    if FLOATS in (p.source.numbers, q.source.numbers):
        return control_variate(p, ratio, lambda a: math.expm1(-ratio(a)), known_mean=0, b=b)
    return control_variate(p, ratio, lambda a: q.prob(a) / p.prob(a), known_mean=1, b=b)


@checked(x=a_var, f=function, k=partial(count, least=0), masked=flag)
def topk(x: Var, f: Fn, k: int, *, masked: bool = False) -> Var:
    """Law of (sum of p(a) f(a) over the k likeliest outcomes) + mass of the rest * f(draw from the rest).

    >>> x = Var([1, 2, 3, 4], [0.5, 0.25, 0.125, 0.125])
    >>> topk(x, lambda a: a, 2).values
    array([1.75, 2.  ])

    Unbiased for E[f(X)]: a stratified mean whose first stratum is enumerated. If nothing remains, the sum is the whole
    answer. `masked=True` draws from the whole law instead and puts 0 for the top outcomes (as in "EMA Policy Gradient",
    arXiv:2602.04417, of KL terms): the same mean, more variance. Among equal probabilities (up to rounding) the first
    outcomes in order count as likelier. Raises RandvarError for k < 0 or probabilities that depend on symbols,
    UndefinedOutcome where f has no value. Cost: O(n log n).
    Source: Cochran, Sampling Techniques, section 5.3 (a stratified mean).
    """
    check_numbers("topk", x.kind)  # which outcomes are likeliest depends on the symbols
    law, head = x.law, np.zeros(len(x), dtype=bool)
    head[likeliest_first(x.probs.astype(float))[:k]] = True
    exact = _partial_expectation(x, f, head)
    if head.all():
        return Var.of(Law((Axis.of([exact]),), (), *law.numbers.weighed([1]), law.numbers, law.warrant))
    if masked:
        top = set(x.values[head].tolist())
        return x.op(lambda a: exact + (0 if a in top else f(a)))
    mass = law.probability(~head)
    return Var.of(law.given(~head)).op(lambda a: exact + mass * f(a))


def likeliest_first(probs: Array) -> Array:
    """The order of descending probability; neighbours within rounding are ties, and keep the order of the outcomes."""
    order = np.argsort(-probs, kind="stable")
    falls = probs[order][1:] < probs[order][:-1] * (1 - _TIE)
    level = np.concatenate(([0], np.cumsum(falls)))
    return order[np.lexsort((order, level))]


def _partial_expectation(x: Var, f: Fn, mask: Any) -> Any:
    """sum p(a) f(a) over the outcomes in the mask."""
    head = x.probs[mask]
    values = outcome_array(apply(f, [x.values[mask]], head.__getitem__))
    check_values("topk", values)
    with within_floats("topk: the sum over the likeliest outcomes"):
        terms = [p * v for p, v in zip(head.tolist(), values.tolist(), strict=True)]
    if {math.inf, -math.inf} <= set(terms):
        raise UndefinedOutcome("topk: the sum over the likeliest outcomes is inf - inf; condition one of them away")
    return sum_of(terms)


@checked(p=a_var, q=a_var)
def kl_topk(p: Var, q: Var, k: int) -> Var:
    """`topk` of the log ratio: KL(p || q) with its k likeliest terms summed exactly.

    >>> from randvar.moments import variance
    >>> p, q = Var([0, 1, 2], [0.5, 0.25, 0.25]), Var([0, 1, 2], [0.25, 0.5, 0.25])
    >>> variance(kl_topk(p, q, 2))
    0.0

    The others are sampled, as in `topk`, which says what it raises.
    Source: "EMA Policy Gradient", arXiv:2602.04417 (top-k KL).
    """
    ratio = log_ratio_of(p, q)
    return topk(p, ratio, k)
