"""Importance weights of completions: functions from tokens to one weight a token, for samples of an older policy.

Each maker below returns such a function; `truncated_weights`, `masked_weights` and `ppo_clipped` change one, and
`token_gradient` takes them. With pi the policy that is trained, mu the one that sampled, and the token ratio
w_t = pi(token_t | prefix_t) / mu(token_t | prefix_t).
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from randvar.arguments import checked, floating, optional, real
from randvar.errors import RandvarError, one_line
from randvar.law_arguments import exact_number
from randvar.numbers.arrays import scalar
from randvar.numbers.fractions import exact_quotient
from randvar.numbers.overflow import finite, within_floats
from randvar.policies import TokenPolicy, chance, steps, tokens_of
from randvar.rollouts.token_arguments import a_policy, per_token

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
Comparable = Callable[[Any], Any]  # from a weight to the number that it is compared with: a float beside a float


def _bound(name: str, argument: str, number: Any) -> Comparable:
    """A positive number as a function of the weight that it stands beside: a float beside floats, else exact."""
    as_float, exact = floating(name, argument, number, above=0), exact_number(name, argument, number)
    return lambda w: as_float if isinstance(w, float) else exact


def _cap(name: str, argument: str, cap: Any) -> Comparable:
    """A bound, of which inf is none."""
    cap = scalar(cap)
    if isinstance(cap, float) and cap == math.inf:
        return lambda w: math.inf
    return _bound(name, argument, cap)


@checked(policy=a_policy, sampling=a_policy)
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
    return lambda tokens: tuple(_ratio(policy, sampling, prefix, token) for prefix, token in steps(tokens))


def _ratio(policy: TokenPolicy, sampling: TokenPolicy, prefix: tuple[Any, ...], token: Any) -> Any:
    drawn = chance(sampling(prefix), token)
    if drawn == 0:
        raise RandvarError(
            f"the sampling policy gives token {one_line(token)} after {one_line(prefix)} probability 0, so that the"
            " policy's mass there is never seen and no weight makes up for it; give the token a positive probability"
        )
    with within_floats("a ratio of two probabilities"):
        return finite(exact_quotient(chance(policy(prefix), token), drawn))


@checked(policy=a_policy, sampling=a_policy)
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

    @within_floats("a product of ratios")
    def weights(tokens: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(itertools.accumulate(ratios(tokens), lambda a, b: finite(a * b)))

    return weights


@checked(policy=a_policy, sampling=a_policy)
def sequence_ratio(policy: TokenPolicy, sampling: TokenPolicy) -> Weights:
    """(w, ..., w) with w = w_1...w_T: the importance weight of the completion, unbiased for any function of it.

    >>> from randvar.var import Var
    >>> pi, mu = (TokenPolicy({0: Var("ab", [p, 1 - p])}, context=lambda prefix: 0) for p in (0.75, 0.5))
    >>> sequence_ratio(pi, mu)("ab")    # 1.5 * 0.5
    (0.75, 0.75)

    `policy` is pi, `sampling` mu; the function that is returned takes tokens and raises as that of `token_ratios` does.
    Source: Sutton & Barto, Reinforcement Learning, section 5.5.
    """
    ratios = prefix_ratios(policy, sampling)

    def weights(tokens: Sequence[Any]) -> tuple[Any, ...]:
        products = ratios(tokens)
        return products[-1:] * len(products)

    return weights


@checked(policy=a_policy, sampling=a_policy)
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

    @within_floats("a root of a ratio")
    def weights(tokens: Sequence[Any]) -> tuple[Any, ...]:
        each = [float(w) for w in ratios(tokens)]
        whole, root = math.prod(each), 1 / max(len(each), 1)
        in_range = sys.float_info.min <= whole < math.inf
        return (whole**root if in_range else math.prod(w**root for w in each),) * len(each)

    return weights


@checked(cap=_cap, weights=per_token)
def truncated_weights(weights: Weights, cap: Any) -> Weights:
    """min(w, cap): weights cut down to the cap.

    >>> truncated_weights(lambda tokens: (1.5, 0.5), cap=1)("ab")
    (1.0, 0.5)

    `weights` is a function from tokens to one weight a token, as of `token_ratios`; so is the result. Exact weights
    stay exact: among them a cap of 0.3 is 3/10; inf does not cut. Raises RandvarError for a cap that is not positive;
    the result does where the weights are not one number a token.
    Source: Ionides 2008, "Truncated Importance Sampling".
    """
    return lambda tokens: tuple(min(w, cap(w)) for w in weights(tokens_of(tokens)))


@checked(cap=_cap, weights=per_token)
def masked_weights(weights: Weights, cap: Any) -> Weights:
    """w where w <= cap, else 0: tokens with too large a weight are dropped.

    >>> masked_weights(lambda tokens: (1.5, 0.5), cap=1)("ab")
    (0, 0.5)

    `weights` is a function from tokens to one weight a token, as of `token_ratios`; so is the result. Exact weights
    stay exact, with a cap as in `truncated_weights`. Raises as that does.
    Source: Liu et al. 2025, "When Speed Kills Stability" (masked importance sampling).
    """
    return lambda tokens: tuple(w if w <= cap(w) else 0 for w in weights(tokens_of(tokens)))


@checked(epsilon=_bound, epsilon_high=optional(_bound), weights=per_token, advantages=per_token)
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
    `token_gradient`. Among exact weights a bound of 0.2 is 1/5. Raises RandvarError for a bound that is not positive;
    the result does where weights or advantages are not one number a token.
    Source: Schulman et al. 2017, "Proximal Policy Optimization Algorithms", equation (7).
    """
    bounds = _clip_range(epsilon, epsilon_high)

    def kept(w: Any, advantage: Any) -> Any:
        low, high = bounds(w)
        return 0 if (advantage > 0 and w > high) or (advantage < 0 and w < low) else w

    def clipped(tokens: Sequence[Any]) -> tuple[Any, ...]:
        tokens = tokens_of(tokens)
        return tuple(map(kept, weights(tokens), advantages(tokens)))

    return clipped


@checked(w=partial(real, least=0), advantage=real, epsilon=_bound, epsilon_high=optional(_bound))
def ppo_objective(w: Any, advantage: Any, epsilon: Any, epsilon_high: Any = None) -> Any:
    """min(w A, clip(w, 1 - epsilon, 1 + epsilon) A), A the advantage: PPO's surrogate of one token.

    >>> ppo_objective(1.5, 2.0, 0.25), ppo_objective(1.5, -2.0, 0.25)
    (2.5, -3.0)

    `epsilon_high`: another bound above, 1 + epsilon_high (DAPO's "clip higher"). All are numbers; exact if w and A are:
    beside them an epsilon of 0.2 is 1/5. Raises RandvarError for a bound that is not positive, a w < 0, and what is not
    finite.
    Source: Schulman et al. 2017, "Proximal Policy Optimization Algorithms", equation (7).
    """
    low, high = _clip_range(epsilon, epsilon_high)(w)
    with within_floats("ppo_objective: w A"):
        return finite(min(w * advantage, min(max(w, low), high) * advantage))


def _clip_range(below: Comparable, above: Comparable | None) -> Callable[[Any], tuple[Any, Any]]:
    """The bounds to compare a weight with."""
    return lambda w: (1 - below(w), 1 + (above or below)(w))
