"""Several attempts at one task: pass@k, best of n, majority vote."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from randvar.arguments import checked, choice, function, optional
from randvar.atoms.outcomes import Axis
from randvar.atoms.search import check_ordered
from randvar.calls.call import called
from randvar.errors import RandvarError, one_line
from randvar.estimators.sampling import total
from randvar.estimators.sampling_distribution import sampling_distribution
from randvar.estimators.symmetry import blind_to_order
from randvar.law import Law, added_up
from randvar.law_arguments import a_var, count
from randvar.numbers.arrays import EPS, SMALLEST_NORMAL, WIDE_EPS, Array
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, FRACTIONS
from randvar.numbers.overflow import within_floats
from randvar.var import Fn, Var
from randvar.warrant import Warrant

__all__ = ["best_of_n", "majority_vote", "pass_at_k", "plug_in_pass_at_k"]


@checked(n=count, k=count, attempt=a_var)
def pass_at_k(attempt: Var, n: int, k: int) -> Var:
    """Law of 1 - C(n - c, k)/C(n, k), c the number of successes in n attempts: unbiased for 1 - (1 - p)^k.

    >>> from randvar.moments import expect
    >>> expect(pass_at_k(Var([0, 1], [Fraction(7, 10), Fraction(3, 10)]), 5, 3))
    Fraction(657, 1000)

    `attempt` has the outcomes 0 and 1 (or booleans). Raises RandvarError for k > n, where no unbiased estimator exists,
    or other outcomes. Cost: O(n) outcomes, a binomial coefficient each.
    Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code", section 2.1.
    """
    _check_attempts("pass_at_k", attempt, n, k)
    numbers = attempt.source.numbers

    def estimate(successes: int) -> Any:
        return numbers.number(1 - Fraction(math.comb(n - int(successes), k), math.comb(n, k)))

    return total(attempt, n).op(estimate)


@checked(n=count, k=count, attempt=a_var)
def plug_in_pass_at_k(attempt: Var, n: int, k: int) -> Var:
    """Law of 1 - (1 - c/n)^k, c the number of successes in n attempts: biased, low.

    >>> from randvar.moments import expect
    >>> expect(plug_in_pass_at_k(Var([0, 1], [Fraction(7, 10), Fraction(3, 10)]), 5, 3))
    Fraction(1788, 3125)

    Also the value of resampling k of the n attempts with replacement. Raises as `pass_at_k` does. Cost: O(n) outcomes.
    Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code", section 2.1.
    """
    _check_attempts("plug_in_pass_at_k", attempt, n, k)
    numbers = attempt.source.numbers

    def estimate(successes: int) -> Any:
        return numbers.number(1 - Fraction(n - int(successes), n) ** k)

    return total(attempt, n).op(estimate)


def _check_attempts(name: str, attempt: Var, n: int, k: int) -> None:
    if k > n:
        raise RandvarError(f"{name}: k = {k} attempts cannot be judged from n = {n}; take n >= k")
    if not set(attempt.values.tolist()) <= {0, 1}:
        raise RandvarError(
            f"{name}: an attempt succeeds (1) or fails (0), got the outcomes {attempt.values.tolist()[:6]};"
            " attempt.op(lambda a: ...) says which are successes"
        )


@checked(n=count, x=a_var, key=optional(function))
def best_of_n(x: Var, n: int, key: Fn | None = None) -> Var:
    """Law of the draw with the largest key among n independent draws; equal keys are equally likely to win.

    >>> best_of_n(Var([1, 2, 3], [0.5, 0.25, 0.25]), 2).probs
    array([0.25  , 0.3125, 0.4375])

    With F the distribution function of the key, P(winner = a) = p_a (F(v)^n - F(v-)^n) / (F(v) - F(v-)), v = key(a).
    The quotient is a sum of positive terms, so that no tail cancels; in floats F^n is exp(n log1p(F - 1)), with F - 1
    from the upper tail, in the widest floats. Raises TypeError for keys without an order. Cost: O(k log k), and O(k n)
    in exact laws.
    Source: Beirami et al. 2024, "Theoretical Guarantees on the Best-of-n Alignment Policy".
    """
    law = x.law
    keys = law.axes[0] if key is None else Axis.of(called(key, [law.axes[0].values], law.probability_at))
    ranks, codes = keys.as_returned(law.weights)
    check_ordered("best_of_n", ranks.values)
    weights = law.numbers.normalised(law.weights, law.mass)
    with within_floats(f"best_of_n: n = {one_line(n)}"):
        wins, magnified = _WINS[law.numbers](codes, weights, n)
    mass = law.numbers.power_of_mass(weights, n)
    warrant = _of_the_best(law.warrant, n, magnified).through(None)
    return Var.of(Law.in_order(law.axes[0], wins, mass, law.numbers, warrant))


def _of_the_best(drawn: Warrant, n: int, magnified: tuple[float, float]) -> Warrant:
    """That of n draws, but that errors of probabilities are magnified by no more than this, with this rounding."""
    factor, rounding = magnified
    return replace(drawn.copies(n).through(None), accuracy=factor * drawn.accuracy + rounding)


def _exact_wins(codes: Array, weights: Array, n: int) -> tuple[Array, tuple[float, float]]:
    """p (F_i^n - F_{i-1}^n) / m_i for outcomes with the i-th key, of masses m_i with sums F_i."""
    masses = _masses_of_keys(codes, weights)
    upto = np.cumsum(masses)
    below = upto - masses
    quotients = np.asarray(sum(upto**j * below ** (n - 1 - j) for j in range(n)))
    return weights * quotients[codes], (0.0, 0.0)


def _masses_of_keys(codes: Array, weights: Array) -> Array:
    return added_up(codes, weights, int(codes.max()) + 1)[0]


def _wins(codes: Array, weights: Array, n: int) -> tuple[Array, tuple[float, float]]:
    """The same in floats, and how they magnify: a relative error d of every m_i moves log F^n by at most d |log F^n|.

    Sums of k terms in wide floats, of precision u, have the error k u.
    """
    wide = _masses_of_keys(codes, weights.astype(np.longdouble))
    upto, above = np.cumsum(wide), np.append(np.cumsum(wide[:0:-1])[::-1], 0)
    total = upto[-1]
    with np.errstate(divide="ignore", under="ignore"):  # log1p(-1) for the lowest key
        logs = np.where(2 * above < total, np.log1p(-np.minimum(above / total, 0.5)), np.log(upto / total))
        powers = n * logs
        best = np.exp(powers) * -np.expm1(n * np.log1p(-np.minimum(wide / upto, 1)))
    reach = 2 * float(np.max(-powers[best > SMALLEST_NORMAL], initial=0.0)) + 4
    wins = (weights * (best / wide)[codes]).astype(float)
    return wins, (reach, reach * (len(weights) + 4) * WIDE_EPS + EPS)


_WINS = {FLOATS: _wins, FRACTIONS: _exact_wins, EXPRESSIONS: _exact_wins}


def _tie_rule(name: str, argument: str, ties: Any) -> Any:
    """A function of the tied outcomes, or "random"."""
    return ties if callable(ties) else choice(name, argument, ties, ("random",))


@checked(n=count, ties=_tie_rule, x=a_var)
def majority_vote(x: Var, n: int, ties: Literal["random"] | Callable[[list[Any]], Any] = "random") -> Var:
    """Law of the most frequent outcome of n independent draws.

    >>> spin = Var([-1, 1], [Fraction(3, 5), Fraction(2, 5)])
    >>> majority_vote(spin, 4).prob(1), majority_vote(spin, 4, ties=max).prob(1)
    (Fraction(44, 125), Fraction(328, 625))

    Tied outcomes win with equal probabilities ("random"), or `ties` takes their list and returns the winner (as `max`
    does, which favours the largest) or a Var of it. Raises SupportTooLarge for more multisets of draws than the budget.
    Cost: one count for each of the C(n + k - 1, n) multisets.
    Source: Wang et al. 2023, "Self-Consistency Improves Chain of Thought Reasoning in Language Models".
    """
    numbers = x.source.numbers

    def vote(sample: Any) -> Any:
        counts = Counter(sample.tolist() if isinstance(sample, np.ndarray) else sample)
        most = max(counts.values())
        tied = [outcome for outcome, c in counts.items() if c == most]
        if len(tied) == 1:
            return tied[0]
        if callable(ties):
            return ties(tied)
        return Var(tied, [numbers.quotient(1, len(tied))] * len(tied))

    return sampling_distribution(blind_to_order(vote), x, n)
