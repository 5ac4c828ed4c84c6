"""Policy gradients of whole completions: token by token, and of groups of completions that share a baseline.

Exact policies, rewards, advantages and weights give exact outcomes; a float among them makes floats of what it enters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from randvar.arguments import all_of, checked, coefficient, flag, function, one_of, optional
from randvar.errors import UndefinedOutcome, one_line
from randvar.estimators.groups import advantages as group_advantages
from randvar.estimators.groups import group_gradient, group_law, group_size, standardised
from randvar.joint import Joint
from randvar.law_arguments import count
from randvar.numbers.arrays import Array
from randvar.numbers.base import Numbers
from randvar.numbers.overflow import finite
from randvar.policies import TokenPolicy
from randvar.rollouts.ratios import Weights
from randvar.rollouts.token_arguments import a_policy, law_of_completions, named, per_token
from randvar.var import Fn, Var

__all__ = ["dr_grpo", "grpo", "reward_and_score", "rloo", "token_gradient"]

PerToken = Callable[[Sequence[Any]], Sequence[Any]]


def _reward(name: str, argument: str, f: Any) -> Fn:
    """A function from a completion to a number, which is looked at when it is called."""
    function(name, argument, f)
    return lambda o: coefficient(name, argument, f(o))


def _group(name: str, _: str, n: Any) -> int:
    """The size of a group that can be its own baseline."""
    return group_size(name, n, "mean")


def _none_empty(name: str, argument: str, completions: Var) -> Var:
    """A law without an empty completion, which has no mean over its tokens."""
    for tokens, p in zip(completions.values.tolist(), completions.probs.tolist(), strict=True):
        if not tokens:
            raise UndefinedOutcome(
                f"{name}: a completion is empty (probability {one_line(p)}), and there is no mean over its tokens;"
                f" condition it away: {argument}.cond(len)"
            )
    return completions


@checked(policy=a_policy, advantages=per_token, weights=optional(per_token), completions=law_of_completions)
def token_gradient(
    completions: Var, policy: TokenPolicy, advantages: Callable[[Sequence[Any]], Sequence[Any]], weights: Any = None
) -> Joint:
    """Law of sum_t w_t A_t s_t over one completion, s_t = d log policy(token_t | prefix_t) / dz: a vector.

    >>> policy = TokenPolicy({(): Var("ab", [0.5, 0.5])})
    >>> from randvar.moments import expect
    >>> expect(token_gradient(Var([("a",), ("b",)], [0.5, 0.5]), policy, lambda tokens: [8 * (tokens == ("b",))]))
    array([-2.,  2.])

    A Joint of one coordinate a parameter of the policy, z in the order of `policy.parameters`. `completions` is the law
    of a tuple of tokens. `advantages` maps a completion to one number a token: its reward at every token, its returns
    (`discounted_returns`), returns minus values, ... `weights` likewise: importance ratios (`token_ratios`, ...),
    `discounts` (`lambda tokens: discounts(len(tokens), 0.9)`); None is 1. Unbiased on policy when A_t is the return
    from token t on, or the whole reward, minus any function of the prefix.

    Raises UndefinedOutcome where advantages or weights are not one finite number a token, or for a completion that the
    policy cannot draw. Cost: O(tokens * parameters) a completion.
    Source: Sutton & Barto, Reinforcement Learning, section 13.3.
    """
    scores = _weighted_scores(policy, advantages, weights)
    return completions.vector(named("token_gradient", scores))


@checked(policy=a_policy, completions=law_of_completions, reward=_reward)
def reward_and_score(completions: Var, policy: TokenPolicy, reward: Fn) -> Joint:
    """The Joint of (reward, score_1, ..., score_d) of one completion: what `reinforce` and `group_gradient` take.

    >>> policy = TokenPolicy({(): Var("ab", [0.75, 0.25])})
    >>> from randvar.rollouts.trees import rollout
    >>> reward_and_score(rollout(policy, 1), policy, lambda tokens: tokens.count("a"))
    Joint: 3 coordinates, 2 outcomes
      0  -0.75   0.75  0.25
      1   0.25  -0.25  0.75

    The `reward` maps a completion, a tuple of tokens, to a number; the scores, one a parameter of the `policy`, are d
    log P(completion) / dz. `completions` are those of the policy.

    Raises UndefinedOutcome where the reward has no value, or for a completion that the policy cannot draw. Cost:
    O(tokens * parameters) a completion.
    Source: Williams 1992, "Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning".
    """
    return _rewarded("reward_and_score", completions, reward, policy.score)


def _rewarded(name: str, completions: Var, reward: Fn, scores: Callable[[Any], Sequence[Any]]) -> Joint:
    """The Joint of (reward, *scores) of a completion."""
    return completions.vector(named(name, lambda o: (reward(o), *scores(o))))


@checked(n=_group, policy=a_policy, completions=law_of_completions, reward=_reward)
def rloo(completions: Var, policy: TokenPolicy, reward: Fn, n: int) -> Var | Joint:
    """Law of (1/n) sum_i (R_i - mean of the others) S_i over n completions: unbiased.

    >>> from randvar.moments import expect
    >>> policy = TokenPolicy({(): Var("ab", [0.5, 0.5])})
    >>> from randvar.rollouts.trees import rollout
    >>> expect(rloo(rollout(policy, 1), policy, lambda tokens: tokens.count("a"), 2))
    array([ 0.25, -0.25])

    `group_gradient` with "leave_one_out" of `reward_and_score`: a Joint of one coordinate a parameter of the `policy`
    (a Var if there is one), of draws of `completions` with their `reward`. Moments are closed forms, whatever n is.

    Raises RandvarError for n < 2, UndefinedOutcome as `reward_and_score` does, SupportTooLarge (when the law is read)
    past the budget. Cost: O(completions * parameters^2) for the moments; of the law, all C(n + k - 1, n) multisets of
    the k rows.
    Source: Ahmadian et al. 2024, "Back to Basics: Revisiting REINFORCE Style Optimization for Learning from Human
    Feedback in LLMs"; Kool et al. 2019, "Buy 4 REINFORCE Samples, Get a Baseline for Free!".
    """
    draws = _rewarded("rloo", completions, reward, policy.score)
    return group_gradient(draws, n, "leave_one_out")


@checked(
    n=_group,
    completions=all_of(law_of_completions, _none_empty),
    lengths=one_of("each", "group"),
    divide_by_std=flag,
    policy=a_policy,
    weights=optional(per_token),
    reward=_reward,
)
def grpo(
    completions: Var,
    policy: TokenPolicy,
    reward: Fn,
    n: int,
    *,
    divide_by_std: bool = True,
    ddof: int = 0,
    epsilon: Any = 0,
    lengths: Literal["each", "group"] = "each",
    weights: Weights | None = None,
) -> Var | Joint:
    """Law of GRPO's gradient over n completions o_i, with A_i = (R_i - group mean)/(group std + epsilon):

    (1/n) sum_i A_i (1/|o_i|) sum_t w_it s_it with `lengths` "each": a token of a long completion counts less;
    sum_i A_i sum_t w_it s_it / sum_i |o_i| with "group" (DAPO): every token of the group counts the same.

    >>> from randvar.moments import expect
    >>> policy = TokenPolicy({(): Var("ab", [0.5, 0.5])})
    >>> from randvar.rollouts.trees import rollout
    >>> reward = lambda tokens: tokens.count("a")
    >>> [expect(grpo(rollout(policy, 1), policy, reward, 3, divide_by_std=d)).round(6) for d in (True, False)]
    [array([ 0.353553, -0.353553]), array([ 0.166667, -0.166667])]
    >>> policy.gradient(rollout(policy, 1), reward)    # of the expected reward
    array([ 0.25, -0.25])

    A Joint of one coordinate a parameter of the `policy` (a Var if there is one). `divide_by_std=False` leaves the
    standard deviation out, whose divisor is n - `ddof`. A group of equal rewards has advantages 0. Exact laws stay
    exact, but for standard deviations that are no Fractions, which become floats. `reward` maps a
    completion, a tuple of tokens, to a number; `weights`, a function from tokens to one weight a token, are importance
    ratios for `completions` of an older policy.

    Raises RandvarError for n < 2 or another `lengths`, UndefinedOutcome for an empty completion or one that the policy
    cannot draw, SupportTooLarge past the budget. Cost: all C(n + k - 1, n) multisets of the k distinct rows of
    (reward, length, score).
    Source: Shao et al. 2024, "DeepSeekMath", section 4.1; Yu et al. 2025, "DAPO", section 3.3.
    """
    name = "grpo"
    numbers = completions.source.numbers
    normal = standardised(name, "mean", ddof, epsilon, numbers)
    normal = normal if divide_by_std else partial(_centred, numbers)
    scores = _weighted_scores(policy, weights)
    if lengths == "each":
        draws = _rewarded(name, completions, reward, lambda o: [s * Fraction(1, len(o)) for s in scores(o)])
        return group_law(draws, n, normal)

    def over_all_tokens(rewards: Array, length: Array) -> tuple[Array, Array]:
        c, sizes = normal(rewards)
        share = n / length.sum(axis=1, keepdims=True)
        return c * share, np.abs(sizes * share.astype(float))

    draws = _rewarded(name, completions, reward, lambda o: (len(o), *scores(o)))
    return group_law(draws, n, over_all_tokens, leading=2)


@checked(
    n=_group,
    max_length=count,
    policy=a_policy,
    weights=optional(per_token),
    completions=law_of_completions,
    reward=_reward,
)
def dr_grpo(
    completions: Var,
    policy: TokenPolicy,
    reward: Fn,
    n: int,
    max_length: int,
    *,
    weights: Weights | None = None,
) -> Var | Joint:
    """Law of (1/n) sum_i (R_i - group mean) sum_t w_it s_it / max_length: neither standard deviation nor own length.

    >>> from randvar.moments import expect
    >>> policy = TokenPolicy({(): Var("ab", [0.5, 0.5])})
    >>> from randvar.rollouts.trees import rollout
    >>> expect(dr_grpo(rollout(policy, 1), policy, lambda tokens: tokens.count("a"), 2, max_length=4))
    array([ 0.03125, -0.03125])

    A Joint of one coordinate a parameter of the `policy` (a Var if there is one); `completions`, `reward` and `weights`
    as in `grpo`. On policy its mean is (n - 1)/(n max_length) times the gradient, here 1/8 of (1/4, -1/4): a positive
    multiple of it. Moments are closed forms, whatever n is.

    Raises RandvarError for n < 2 or max_length < 1, UndefinedOutcome for a completion that the policy cannot draw,
    SupportTooLarge (when the law is read) past the budget. Cost: as of `rloo`.
    Source: Liu et al. 2025, "Understanding R1-Zero-Like Training: A Critical Perspective", section 3.
    """
    share, scores = Fraction(1, max_length), _weighted_scores(policy, weights)
    draws = _rewarded("dr_grpo", completions, reward, lambda o: [s * share for s in scores(o)])
    return group_gradient(draws, n, "mean")


def _centred(numbers: Numbers, rewards: Array) -> tuple[Array, Array]:
    """(R_i - group mean) / n."""
    centred, sizes = group_advantages(rewards, "mean", numbers)
    n = rewards.shape[1]
    return centred * numbers.quotient(1, n), sizes / n


def _weighted_scores(policy: TokenPolicy, *factors: PerToken | None) -> Callable[[Sequence[Any]], list[Any]]:
    """The function o -> sum_t (product of the factors, without those that are None) s_t."""
    given = [factor for factor in factors if factor is not None]

    def scores(tokens: Sequence[Any]) -> list[Any]:
        terms = list(map(math.prod, zip(*(f(tokens) for f in given), strict=True))) if given else [1] * len(tokens)
        columns = policy.token_scores(tokens).T.tolist()
        return [finite(sum(a * s for a, s in zip(terms, column, strict=True))) for column in columns]

    return scores
