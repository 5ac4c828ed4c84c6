"""Importance weights of completions: functions from tokens to one weight a token, for samples of an older policy.

Each maker below returns such a function; `truncated_weights`, `masked_weights` and `ppo_clipped` change one, and
`token_gradient` takes them. With pi the policy that is trained, mu the one that sampled, and the token ratio
w_t = pi(token_t | prefix_t) / mu(token_t | prefix_t).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from randvar.engine.arguments import function, real
from randvar.engine.atoms import scalar
from randvar.engine.kinds import exact_quotient
from randvar.errors import RandvarError, described
from randvar.policies import TokenPolicy, steps
from randvar.rollouts.arguments import a_policy, in_range

__all__ = [
    "Weights",
    "geometric_ratio",
    "masked_weights",
    "ppo_clipped",
    "ppo_objective",
    "prefix_ratios",
    "sequence_ratio",
    "token_ratios",
    "truncated_weights",
]

Weights = Callable[[Sequence[Any]], tuple[Any, ...]]


def token_ratios(policy: TokenPolicy, sampling: TokenPolicy) -> Weights:
    """(w_1, ..., w_T): what PPO and GRPO use, each token weighed as if its prefix came from `policy`.

    >>> from randvar.var import Var
    >>> pi, mu = (TokenPolicy({0: Var("ab", [p, 1 - p])}, context=lambda prefix: 0) for p in (0.75, 0.5))
    >>> token_ratios(pi, mu)("ab"), prefix_ratios(pi, mu)("ab"), sequence_ratio(pi, mu)("ab")
    ((1.5, 0.5), (1.5, 0.75), (0.75, 0.75))

    `policy` is pi, `sampling` mu. The function that is returned raises RandvarError for a token that the sampling
    policy cannot have drawn. Cost: two calls of a policy a token.
    Source: Schulman et al. 2017, "Proximal Policy Optimization Algorithms", section 3.
    """
    a_policy("token_ratios", "policy", policy), a_policy("token_ratios", "sampling", sampling)

    def weights(tokens: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(_ratio(policy, sampling, prefix, token) for prefix, token in steps(tokens))

    return weights


def _ratio(policy: TokenPolicy, sampling: TokenPolicy, prefix: tuple[Any, ...], token: Any) -> Any:
    drawn = sampling(prefix).prob(token)
    if drawn == 0:
        raise RandvarError(
            f"the sampling policy gives token {token!r} after {prefix!r} probability 0, so that the policy's mass there"
            " is never seen and no weight makes up for it; give the token a positive probability"
        )
    return exact_quotient(policy(prefix).prob(token), drawn)


def prefix_ratios(policy: TokenPolicy, sampling: TokenPolicy) -> Weights:
    """(w_1, w_1 w_2, ..., w_1...w_T): per-decision weights, unbiased for what is known once token t is drawn.

    >>> from randvar.var import Var
    >>> pi, mu = (TokenPolicy({0: Var("ab", [p, 1 - p])}, context=lambda prefix: 0) for p in (0.75, 0.5))
    >>> prefix_ratios(pi, mu)("ab")    # 1.5, and 1.5 * 0.5
    (1.5, 0.75)

    `policy` is pi, `sampling` mu; the function that is returned takes tokens and raises as that of `token_ratios` does.
    Source: Precup, Sutton & Singh 2000, "Eligibility Traces for Off-Policy Policy Evaluation"; Sutton & Barto,
    Reinforcement Learning, section 5.9.
    """
    ratios = token_ratios(policy, sampling)
    return lambda tokens: tuple(itertools.accumulate(ratios(tokens), lambda a, b: a * b))


def sequence_ratio(policy: TokenPolicy, sampling: TokenPolicy) -> Weights:
    """(w, ..., w) with w = w_1...w_T: the importance weight of the completion, unbiased for any function of it.

    >>> from randvar.var import Var
    >>> pi, mu = (TokenPolicy({0: Var("ab", [p, 1 - p])}, context=lambda prefix: 0) for p in (0.75, 0.5))
    >>> sequence_ratio(pi, mu)("ab")    # 1.5 * 0.5
    (0.75, 0.75)

    `policy` is pi, `sampling` mu; the function that is returned takes tokens and raises as that of `token_ratios` does.
    Source: Sutton & Barto, Reinforcement Learning, section 5.5.
    """
    ratios = token_ratios(policy, sampling)

    def weights(tokens: Sequence[Any]) -> tuple[Any, ...]:
        return (math.prod(found := ratios(tokens)),) * len(found)

    return weights


def geometric_ratio(policy: TokenPolicy, sampling: TokenPolicy) -> Weights:
    """(g, ..., g) with g = (w_1...w_T)^(1/T): the length-normalised weight of GSPO; less spread, and biased.

    >>> from randvar.var import Var
    >>> pi, mu = (TokenPolicy({0: Var("ab", [p, 1 - p])}, context=lambda prefix: 0) for p in (0.75, 0.25))
    >>> token_ratios(pi, mu)("ab"), geometric_ratio(pi, mu)("ab")    # the product is 1
    ((3.0, 0.3333333333333333), (1.0, 1.0))

    `policy` is pi, `sampling` mu. A float, also of exact policies: it is a root. The function that is returned takes
    tokens and raises as that of `token_ratios` does.
    Source: Zheng et al. 2025, "Group Sequence Policy Optimization", section 4.1.
    """
    ratios = token_ratios(policy, sampling)

    def weights(tokens: Sequence[Any]) -> tuple[Any, ...]:
        found = ratios(tokens)
        return (float(math.prod(found)) ** (1 / max(len(found), 1)),) * len(found)

    return weights


def truncated_weights(weights: Weights, cap: Any) -> Weights:
    """min(w, cap): weights cut down to the cap.

    >>> truncated_weights(lambda tokens: (1.5, 0.5), cap=1)("ab")
    (1, 0.5)

    `weights` is a function from tokens to one weight a token, as of `token_ratios`; so is the result. Raises
    RandvarError for a cap that is not positive.
    Source: Ionides 2008, "Truncated Importance Sampling".
    """
    function("truncated_weights", "weights", weights)
    _positive("truncated_weights", "cap", cap)
    return lambda tokens: tuple(min(w, cap) for w in weights(tokens))


def masked_weights(weights: Weights, cap: Any) -> Weights:
    """w where w <= cap, else 0: tokens with too large a weight are dropped.

    >>> masked_weights(lambda tokens: (1.5, 0.5), cap=1)("ab")
    (0, 0.5)

    `weights` is a function from tokens to one weight a token, as of `token_ratios`; so is the result. Raises
    RandvarError for a cap that is not positive.
    Source: Liu et al. 2025, "When Speed Kills Stability" (masked importance sampling).
    """
    function("masked_weights", "weights", weights)
    _positive("masked_weights", "cap", cap)
    return lambda tokens: tuple(w if w <= cap else 0 for w in weights(tokens))


@in_range
def ppo_clipped(
    weights: Weights, advantages: Callable[[Sequence[Any]], Sequence[Any]], epsilon: Any, epsilon_high: Any = None
) -> Weights:
    """The weights of PPO's gradient: w_t, but 0 where clipping has taken the gradient away.

    >>> w = lambda tokens: (1.5, 0.5)
    >>> [ppo_clipped(w, lambda tokens: (A, A), 0.25)("ab") for A in (1, -1)]
    [(0, 0.5), (1.5, 0)]

    d/dtheta min(w A, clip(w, 1 - epsilon, 1 + epsilon) A) is w A s where the first branch is the smaller one, and 0
    where w > 1 + epsilon with A > 0, or w < 1 - epsilon with A < 0. `epsilon_high`: another bound above. `weights` and
    `advantages` are functions from tokens to one number a token, and so is the result, for the weights of
    `token_gradient`. Raises RandvarError for a bound that is not positive.
    Source: Schulman et al. 2017, "Proximal Policy Optimization Algorithms", equation (7).
    """
    function("ppo_clipped", "weights", weights), function("ppo_clipped", "advantages", advantages)
    low, high = _clip_range("ppo_clipped", epsilon, epsilon_high)

    def kept(w: Any, advantage: Any) -> Any:
        return 0 if (advantage > 0 and w > high) or (advantage < 0 and w < low) else w

    return lambda tokens: tuple(map(kept, weights(tokens), advantages(tokens)))


@in_range
def ppo_objective(w: Any, advantage: Any, epsilon: Any, epsilon_high: Any = None) -> Any:
    """min(w A, clip(w, 1 - epsilon, 1 + epsilon) A), A the advantage: PPO's surrogate of one token.

    >>> ppo_objective(1.5, 2.0, 0.25), ppo_objective(1.5, -2.0, 0.25)
    (2.5, -3.0)

    `epsilon_high`: another bound above, 1 + epsilon_high (DAPO's "clip higher"). All are numbers. Raises RandvarError
    for a bound that is not positive.
    Source: Schulman et al. 2017, "Proximal Policy Optimization Algorithms", equation (7).
    """
    low, high = _clip_range("ppo_objective", epsilon, epsilon_high)
    w, advantage = real("ppo_objective", "w", w), real("ppo_objective", "advantage", advantage)
    return min(w * advantage, min(max(w, low), high) * advantage)


def _clip_range(name: str, epsilon: Any, epsilon_high: Any) -> tuple[Any, Any]:
    _positive(name, "epsilon", epsilon)
    high = epsilon if epsilon_high is None else epsilon_high
    _positive(name, "epsilon_high", high)
    one = 1.0 if isinstance(epsilon, float) else Fraction(1)
    return one - epsilon, one + high


def _positive(name: str, argument: str, number: Any) -> None:
    number = scalar(number)
    if isinstance(number, bool) or not isinstance(number, (int, float, Fraction)) or not number > 0:
        raise RandvarError(f"{name}: {argument} must be a positive number, got {described(number)}")
