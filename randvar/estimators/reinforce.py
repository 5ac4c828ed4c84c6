"""Policy-gradient estimators: a reward times a score, against a constant baseline or one from the other draws."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import all_of, checked, coefficient
from randvar.atoms.outcomes import Axis
from randvar.errors import UndefinedOutcome
from randvar.estimators.sampling import monte_carlo
from randvar.joint import Joint
from randvar.law import Law
from randvar.law_arguments import a_joint, a_var, count, draws_with_scores, numeric
from randvar.lazy import Lazy
from randvar.moments import expect
from randvar.numbers.arrays import EPS, Array
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import EXPRESSIONS
from randvar.numbers.moment_formulas import from_central_moments
from randvar.numbers.overflow import multiplied, within_floats
from randvar.power_sums import sum_moments, sum_of
from randvar.sums.multinomial import multiset_count
from randvar.var import Var
from randvar.warrant import Warrant

__all__ = ["leave_one_out", "leave_one_out_gradient", "optimal_baseline", "reinforce"]

# a law of so few multisets has its moments sooner than the recursion over expressions
_FEW_MULTISETS: dict[Numbers, int] = {EXPRESSIONS: 200}


@checked(pair=draws_with_scores, n=count, baseline=coefficient)
def reinforce(pair: Joint, n: int = 1, baseline: Any = 0) -> Var | Joint:
    """Law of (1/n) sum_i (R_i - baseline) S_i over n draws of (reward, score); of several scores, their Joint.

    >>> pair = Joint([0, 1], [-0.5, 0.5], [[0.5, 0], [0, 0.5]])      # reward 1 for action 1, policy (1/2, 1/2)
    >>> reinforce(pair).values, reinforce(pair, baseline=0.5).values
    (array([0. , 0.5]), array([0.25]))

    `pair` is a Joint of the reward and one coordinate or more of the score (`logit_score`, `reward_and_score`).
    Unbiased for the gradient of E[R], whatever the constant baseline is, as the score has mean 0. Baselines that depend
    on the draws are `group_gradient`'s. Moments are closed forms. Raises TypeError for anything but a Joint of numbers,
    UndefinedOutcome for infinite ones, and as `monte_carlo` does, also past the budget. Cost: as of `monte_carlo`.
    Source: Williams 1992, "Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning".
    """
    if pair.dim == 2:
        return monte_carlo(pair.combine(lambda r, s: (r - baseline) * s), n)
    terms = pair.combine(lambda *row: row).vector(lambda row: [(row[0] - baseline) * s for s in row[1:]])
    return monte_carlo(terms, n)


@checked(pair=draws_with_scores)
def optimal_baseline(pair: Joint) -> Any:
    """E[R |S|^2] / E[|S|^2]: the constant baseline that minimises the (total) variance of `reinforce`.

    >>> optimal_baseline(Joint([0, 1], [-0.5, 1.5], [[0.75, 0], [0, 0.25]]))
    0.75

    `pair` is a Joint of (reward, score) or (reward, score_1, ..., score_d). Raises UndefinedOutcome where every score
    is 0. Cost: O(rows). Source: Greensmith, Bartlett & Baxter 2004, "Variance Reduction Techniques for Gradient
    Estimates in Reinforcement Learning".
    """
    law = pair.law
    reward, *scores = (column.values for column in law.columns)
    with within_floats("optimal_baseline: a reward or a squared score"):
        squares = np.asarray(sum(multiplied(s, s) for s in scores))
        mass = law.average(Axis.of(squares))
        if mass == 0:
            raise UndefinedOutcome("optimal_baseline: every score is 0, so that no baseline matters")
        return law.average(Axis.of(multiplied(reward, squares))) / mass


@checked(n=partial(count, least=2), x=a_var)
def leave_one_out(x: Var, n: int) -> Var:
    """Law of the leave-one-out baseline: the mean of the other n - 1 draws of x, independent of the draw left out.

    >>> leave_one_out(Var([0, 1], [0.5, 0.5]), n=3).values
    array([0. , 0.5, 1. ])

    Raises RandvarError for n < 2 (there is no other draw to average), and as `monte_carlo` does past the budget. Cost:
    as of `monte_carlo`. Source: Kool, van Hoof & Welling 2019, "Buy 4 REINFORCE Samples, Get a Baseline for Free!".
    """
    return monte_carlo(x, n - 1)


@checked(pair=all_of(a_joint, numeric), n=partial(count, least=2))
def leave_one_out_gradient(pair: Joint, n: int) -> Var:
    """Law of (1/n) sum_i (R_i - mean_{j != i} R_j) S_i over n draws of a (reward, score) pair.

    >>> from randvar.coupling import shared
    >>> from randvar.moments import variance
    >>> pair = shared(Var([0, 1], [0.5, 0.5])).op(lambda a: a, lambda a: a - 0.5)
    >>> leave_one_out_gradient(pair, 2).values, variance(leave_one_out_gradient(pair, 2))
    (array([0. , 0.5]), 0.0625)

    Its mean is Cov(R, S), the policy gradient when the score has mean 0. All n terms share draws, and their
    correlations are kept. Mean, variance, third and fourth cumulant are closed forms, whatever n is; the law is
    computed when first read, from the joint law of three sums. Raises RandvarError for n < 2, and SupportTooLarge (when
    the law is read) past the budget. Cost: O(rows of the pair) for the moments; of the law, at most C(n + k - 1, n)
    rows of sums. Source: Lee, U-Statistics, section 1.3: it is a U-statistic of order 2.
    """
    return Var.of(LeaveOneOut(pair, n))


class LeaveOneOut(Lazy):
    """The source (see `randvar.law.Source`) of T = (1/n) sum_i (R_i - mean_{j != i} R_j) S_i.

    T = (sum_i R_i S_i - sum_i R_i sum_j S_j / n) / (n - 1). Neither a shift of the rewards nor one of the scores
    changes it, so both are centred.
    """

    def __init__(self, pair: Joint, n: int) -> None:
        super().__init__()
        self.pair, self.n = pair, n
        self.numbers, self.field = pair.source.numbers, pair.source.field

    def closed_form(self, order: int) -> tuple[Any, ...]:
        """From the mixed moments of (sum (RS - c), sum R, sum S), c = E[RS], up to the fourth power of T."""
        law, n = self.pair.law, self.n
        if multiset_count(len(law.weights), n) <= _FEW_MULTISETS.get(self.numbers, 0):
            return self.law().cumulants(order)
        reward, score = (c.values - m for c, m in zip(law.columns, expect(self.pair), strict=True))
        mean = law.average(Axis.of(reward * score))
        moments = sum_moments([reward * score - mean, reward, score], law, n, (4, 4, 4))
        central = [_power_of_sum(moments, mean, n, r) for r in (2, 3, 4)]
        return from_central_moments(mean, central)

    def listed(self) -> Law:
        """From the joint law of the three sums."""
        from randvar.sums.vectors import independent_rows  # late, for `from randvar import *` to stay quick

        products: Array
        rewards: Array
        scores: Array
        law, n = self.pair.law, self.n
        first, second = law.columns
        reward, offset = first.numbers.without_offset(first.values)  # which would cost digits where the terms cancel
        columns = [Axis.of(multiplied(reward, second.values)), Axis.of(reward), second]
        weights = self.numbers.normalised(law.weights, law.mass)
        found = independent_rows(columns, weights, n, self.numbers)
        warrant = self.stated().rounded(found.accuracy)
        sums = Law.of(found.columns, found.weights, found.mass, self.numbers, warrant, found.tolerances)
        field, divisor = self.field, n * (n - 1)
        products, rewards, scores = (field.numbers(c.values).astype(field.cell) for c in sums.columns)
        others: Array = rewards * scores
        means = field.divided(n * products - others, divisor)  # once: whole rewards and scores leave whole numerators
        # the two terms may cancel, and rewards were rounded where they came from
        most = [field.sizes(field.numbers(c)).max() for c in (np.atleast_1d(offset), second.values)]
        sizes = n * field.sizes(products) + field.sizes(others) + 2 * n * n * math.prod(most)
        near = field.rounding(8 * EPS * sizes / divisor)
        return Law.of([Axis.of(means)], sums.weights, sums.mass, self.numbers, sums.warrant, [near])

    def stated(self) -> Warrant:
        """Those of every draw."""
        return self.pair.source.warrant.copies(self.n)

    def underflows(self) -> bool:
        """Whether the least likely group does."""
        return self.numbers.underflows([(self.pair.law.probs, self.n)])


def _power_of_sum(moments: dict[tuple[int, ...], Any], mean: Any, n: int, r: int) -> Any:
    """E[(T - mean)^r], where (n - 1)(T - mean) = A - B C / n + mean, with A = sum (RS - mean), B = sum R, C = sum S."""
    return sum_of(list(_expansion(moments, mean, n, r))) / (n - 1) ** r


def _expansion(moments: dict[tuple[int, ...], Any], mean: Any, n: int, r: int) -> Iterator[Any]:
    for i in range(r + 1):
        for j in range(r - i + 1):
            ways = math.comb(r, i) * math.comb(r - i, j)
            yield ways * moments[i, j, j] * (-1) ** j / Fraction(n) ** j * mean ** (r - i - j)
