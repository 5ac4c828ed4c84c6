"""The divergence of two token policies from completions, and the gradients that its estimators give.

With L_t = log p(token_t | prefix_t) - log q(token_t | prefix_t) for a policy p and a reference q, and r_t = exp(-L_t),
the token estimators are k1 = L, k2 = L^2/2, k3 = r - 1 + L (Schulman 2020). Sequence-level k1 and k3 need nothing new:
`k1(x, y)` and `k3(x, y)` of two rollouts. Logarithms are floats, also of exact policies, whose laws keep exact
probabilities; of symbolic policies they are expressions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from randvar.arguments import checked, one_of, optional
from randvar.atoms.search import find
from randvar.errors import UndefinedOutcome, one_line
from randvar.estimators.divergence import likeliest_first
from randvar.information import kl, log_ratio_of
from randvar.joint import Joint
from randvar.law_arguments import count
from randvar.numbers.arrays import Array
from randvar.numbers.checks import check_numbers
from randvar.numbers.fractions import exact_quotient
from randvar.numbers.log_ratios import exp_remainder, log_quotient
from randvar.numbers.overflow import finite, within_floats
from randvar.numbers.symbolic import is_infinite
from randvar.policies import TokenPolicy, chance, steps
from randvar.rollouts.ratios import Weights, prefix_ratios
from randvar.rollouts.token_arguments import a_policy, law_of_completions, named, per_token
from randvar.var import Var

__all__ = [
    "kl_as_loss",
    "kl_as_reward",
    "rao_blackwell_kl",
    "rao_blackwell_kl_gradient",
    "reverse_kl_gradient",
    "sequence_kl",
    "topk_kl",
]

Estimator = Literal["k1", "k2", "k3"]
Tokens = Sequence[Any]
Level = Literal["token", "sequence"]

# value of the estimator, and its derivative in log p, as functions of L and r = exp(-L); dr/dlog p = -r
_VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "k1": lambda L, r: L,
    "k2": lambda L, r: L**2 / 2,
    "k3": lambda L, r: exp_remainder(-L) if isinstance(L, float) else r - 1 + L,  # of close policies 1 + L cancels
}
_DERIVATIVES: dict[str, Callable[[Any, Any], Any]] = {
    "k1": lambda L, r: 1,
    "k2": lambda L, r: L,
    "k3": lambda L, r: -math.expm1(-L) if isinstance(r, float) else 1 - r,
}


@checked(policy=a_policy, reference=a_policy, completions=law_of_completions, estimator=one_of("k1", "k2", "k3"))
def sequence_kl(completions: Var, policy: TokenPolicy, reference: TokenPolicy, estimator: Estimator = "k1") -> Var:
    """Law of sum_t k(token_t) over one completion of the policy.

    >>> from randvar.moments import expect
    >>> p, q = (TokenPolicy({0: Var("ab", [w, 1 - w])}, context=lambda prefix: 0) for w in (0.5, 0.25))
    >>> from randvar.rollouts.trees import rollout
    >>> [round(expect(sequence_kl(rollout(p, 2), p, q, k)), 12) for k in ("k1", "k2", "k3")]
    [0.287682072452, 0.322427483906, 0.287682072452]

    `completions` are those of the `policy` (as of `rollout`), the `estimator` is "k1", "k2" or "k3" of every token. k1
    and k3 are unbiased for KL(policy || reference) of the whole sequences, by the chain rule, k3 where the reference
    has no token that the policy has not; k2 is not. Divided by the length, or without the first token, none of them is.
    +inf where the reference gives a token probability 0. Outcomes are floats, also of exact policies: logarithms.

    Raises RandvarError for another estimator, UndefinedOutcome for a completion that the policy cannot draw. Cost: two
    calls of a policy a token.
    Source: Schulman 2020, "Approximating KL Divergence".
    """
    ratios, value = _token_ratios(policy, reference), _VALUES[estimator]
    return completions.op(named("sequence_kl", lambda tokens: sum(value(L, r) for L, r in ratios(tokens))))


@checked(policy=a_policy, reference=a_policy, completions=law_of_completions)
def rao_blackwell_kl(completions: Var, policy: TokenPolicy, reference: TokenPolicy) -> Var:
    """Law of sum_t KL(p(. | prefix_t) || q(. | prefix_t)) along one completion: each token's term in expectation.

    >>> from randvar.moments import expect, variance
    >>> p, q = (TokenPolicy({0: Var("ab", [w, 1 - w])}, context=lambda prefix: 0) for w in (0.5, 0.25))
    >>> from randvar.rollouts.trees import rollout
    >>> laws = [estimate(rollout(p, 2), p, q) for estimate in (sequence_kl, rao_blackwell_kl)]
    >>> [(round(expect(law), 6), round(variance(law), 6)) for law in laws]    # every token has the same divergence
    [(0.287682, 0.603474), (0.287682, 0.0)]

    p is the `policy`, q the `reference`, and `completions` are the policy's. Unbiased for the sequence KL. Each term
    varies no more than its k1; the sum mostly, but not always: where a later divergence is large after tokens with a
    small L, k1 has terms that make up for one another, and this has not. +inf where the reference misses a token of the
    policy. Outcomes are floats, also of exact policies.

    Raises UndefinedOutcome for a prefix of which a policy has no row. Cost: a divergence a token, O(tokens *
    vocabulary).
    Source: Amini, Vieira & Cotterell 2025, "Better Estimation of the Kullback-Leibler Divergence Between Language
    Models", arXiv:2504.10637.
    """

    def divergence(tokens: Tokens) -> Any:
        return sum(kl(policy(prefix), reference(prefix)) for prefix, _ in steps(tokens))

    return completions.op(named("rao_blackwell_kl", divergence))


@checked(
    policy=a_policy,
    reference=a_policy,
    completions=law_of_completions,
    k=partial(count, least=0),
    rest=one_of("sampled", "dropped"),
)
def topk_kl(
    completions: Var,
    policy: TokenPolicy,
    reference: TokenPolicy,
    k: int,
    *,
    rest: Literal["sampled", "dropped"] = "sampled",
) -> Var:
    """Law of sum_t (the k likeliest terms of the token KL exactly, plus what stands for the rest).

    >>> from randvar.moments import expect
    >>> p, q = (TokenPolicy({0: Var("ab", [w, 1 - w])}, context=lambda prefix: 0) for w in (0.75, 0.5))
    >>> from randvar.rollouts.trees import rollout
    >>> [round(expect(topk_kl(rollout(p, 1), p, q, 1, rest=rest)), 6) for rest in ("sampled", "dropped")]
    [0.130812, 0.304099]
    >>> round(kl(p(()), q(())), 6)
    0.130812

    `rest` "sampled": the drawn token's L_t if it is none of the k, else 0, which is unbiased for KL(policy ||
    reference) of the sequences; "dropped": nothing, which leaves out sum of p log(p/q) over the rest. k = 0 is k1, k =
    all tokens is `rao_blackwell_kl`. Among equally likely tokens (up to rounding, as in `topk`) the first in order
    count. `completions` are the policy's. +inf where the reference misses a token that is summed. Outcomes are
    floats, also of exact policies.

    Raises RandvarError for another `rest` or k < 0, UndefinedOutcome for a completion that the policy cannot draw or
    probabilities that depend on symbols. Cost: O(vocabulary * log(vocabulary)) a token.
    Source: "EMA Policy Gradient", arXiv:2602.04417 (top-k KL), at every token.
    """
    name = "topk_kl"

    def term(prefix: tuple[Any, ...], token: Any) -> Any:
        p, q = policy(prefix), reference(prefix)
        check_numbers(name, p.kind)  # which tokens are likeliest depends on the symbols
        head = likeliest_first(p.probs.astype(float))[:k].tolist()
        tokens, masses, log_ratio = p.values.tolist(), p.probs.tolist(), log_ratio_of(p, q)
        drawn = _log_ratio(p, q, prefix, token)
        exact = sum(masses[at] * log_ratio(tokens[at]) for at in head)
        return exact if rest == "dropped" or find(p.values, token) in head else exact + drawn

    return completions.op(named(name, lambda tokens: sum(term(*step) for step in steps(tokens))))


@checked(
    policy=a_policy,
    reference=a_policy,
    level=one_of("token", "sequence"),
    completions=law_of_completions,
    estimator=one_of("k1", "k2", "k3"),
    weights=optional(per_token),
)
def kl_as_reward(
    completions: Var,
    policy: TokenPolicy,
    reference: TokenPolicy,
    estimator: Estimator = "k1",
    level: Level = "token",
    *,
    weights: Weights | None = None,
) -> Joint:
    """Law of k sum_t w_t s_t: the estimator as a detached cost beside the reward, times the score.

    >>> from randvar.moments import expect
    >>> p, q = (TokenPolicy({(): Var("ab", [w, 1 - w])}) for w in (0.5, 0.25))
    >>> one = Var([("a",), ("b",)], [0.5, 0.5])
    >>> expect(kl_as_reward(one, p, q)).round(6), expect(kl_as_reward(one, p, q, "k3")).round(6)
    (array([ 0.274653, -0.274653]), array([ 0.024653, -0.024653]))
    >>> p.local_gradient((), lambda token: p(()).log_prob(token) - q(()).log_prob(token)).round(6)    # of the KL
    array([ 0.274653, -0.274653])

    A Joint of one coordinate a parameter of the `policy`. k is the sum of the token estimators (`level` "token") or the
    `estimator` of the whole ratio ("sequence"), against the `reference`. On policy, k1 gives the gradient of the
    sequence KL; k3 does not, and can point the other way. Off policy (`completions` of an older policy) the `weights`,
    a function from tokens to one weight a token, decide: with `sequence_ratio` k1 stays unbiased, without weights it
    does not. Outcomes are floats, also of exact policies.

    Raises RandvarError for another estimator or level, UndefinedOutcome where the reference misses a token (the cost
    there is inf), for weights that are not one finite number a token, and for a completion that the policy cannot draw.
    Cost: O(tokens * parameters) a completion.
    Source: Shah et al. 2025, "A Comedy of Estimators: On KL Regularization in RL Training of LLMs", arXiv:2512.21852.
    """
    name = "kl_as_reward"
    ratios, value, weighted = _ratios(policy, reference, level), _VALUES[estimator], _weighted(name, weights)

    def gradient(tokens: Tokens) -> Array:
        cost = sum(value(L, r) for L, r in ratios(tokens))
        return weighted(policy.token_scores(tokens), [cost] * len(tokens), tokens)

    return completions.vector(named(name, gradient))


@checked(
    policy=a_policy,
    reference=a_policy,
    level=one_of("token", "sequence"),
    completions=law_of_completions,
    estimator=one_of("k1", "k2", "k3"),
    weights=optional(per_token),
)
def kl_as_loss(
    completions: Var,
    policy: TokenPolicy,
    reference: TokenPolicy,
    estimator: Estimator = "k1",
    level: Level = "token",
    *,
    weights: Weights | None = None,
) -> Joint:
    """Law of sum_t w_t dk_t/dz, the estimator differentiated with the completion held fixed.

    >>> from randvar.moments import expect
    >>> p, q = (TokenPolicy({(): Var("ab", [w, 1 - w])}) for w in (0.5, 0.25))
    >>> one = Var([("a",), ("b",)], [0.5, 0.5])
    >>> [expect(kl_as_loss(one, p, q, k)).round(6).tolist() for k in ("k1", "k2", "k3")]
    [[0.0, 0.0], [0.274653, -0.274653], [0.25, -0.25]]

    A Joint of one coordinate a parameter of the `policy`. With the `estimator`'s dk1 = s, dk2 = L s, dk3 = (1 - r) s
    against the `reference`, each with its token's L and score s, or with those of the whole completion
    (`level` "sequence"). On policy, k1 gives 0, k3 the gradient of the forward divergence KL(reference || policy), and
    k2 of the sequence that of KL(policy || reference): it is k1 as a reward. k2 of the tokens leaves out what a token
    does to later prefixes. `weights`: a function from tokens to one weight a token, for `completions` of an older
    policy. Of exact policies k1 and k3 give exact outcomes, k2 floats.

    Raises RandvarError for another estimator or level, UndefinedOutcome where the reference misses a token and dk2 is
    inf (dk1 and dk3 are not: r = 0), for weights that are not one finite number a token, and for a completion that the
    policy cannot draw. Cost: O(tokens * parameters) a completion.
    Source: Liu et al. 2025, "Rethinking KL Regularization in RLHF: From Value Estimation to Gradient Optimization",
    arXiv:2510.01555.
    """
    name = "kl_as_loss"
    ratios, weighted = _ratios(policy, reference, level), _weighted(name, weights)
    derivative = _DERIVATIVES[estimator]

    def gradient(tokens: Tokens) -> Array:
        factors = [derivative(L, r) for L, r in ratios(tokens)]
        if level == "sequence":
            factors = factors * len(tokens)
        return weighted(policy.token_scores(tokens), factors, tokens)

    return completions.vector(named(name, gradient))


@checked(policy=a_policy, reference=a_policy, completions=law_of_completions, sampling=optional(a_policy))
def reverse_kl_gradient(
    completions: Var, policy: TokenPolicy, reference: TokenPolicy, sampling: TokenPolicy | None = None
) -> Joint:
    """Law of sum_u w_{1:u} L_u sum_{t <= u} s_t: unbiased for the gradient of the sequence KL, on and off policy.

    >>> from randvar.moments import expect
    >>> p, q = (TokenPolicy({0: Var("ab", [w, 1 - w])}, context=lambda prefix: 0) for w in (0.5, 0.25))
    >>> from randvar.rollouts.trees import rollout
    >>> expect(reverse_kl_gradient(rollout(p, 2), p, q)).round(6)
    array([ 0.549306, -0.549306])
    >>> expect(reverse_kl_gradient(rollout(q, 2), p, q, sampling=q)).round(6)    # completions of another policy
    array([ 0.549306, -0.549306])

    A Joint of one coordinate a parameter of the `policy`. L_u, against the `reference`, is weighed by w_{1:u} =
    w_1...w_u, the prefix ratio of the policy over the `sampling` policy that drew the `completions`
    (None: on policy, all 1): later tokens have no say in it, and the weight of the whole sequence is as unbiased.
    Outcomes are floats, also of exact policies.

    Raises UndefinedOutcome for a completion that the policy or the sampling policy cannot draw, and where the reference
    misses a token. Cost: O(tokens * parameters) a completion.
    Sources: Schulman et al. 2015, "Gradient Estimation Using Stochastic Computation Graphs" (a score times the costs
    that it can change); Precup, Sutton & Singh 2000 (the prefix ratio).
    """
    name = "reverse_kl_gradient"
    ratios, weighted = _token_ratios(policy, reference), _weighted(name, _prefix_weights(policy, sampling))

    def gradient(tokens: Tokens) -> Array:
        so_far = np.cumsum(policy.token_scores(tokens), axis=0)
        return weighted(so_far, [L for L, _ in ratios(tokens)], tokens)

    return completions.vector(named(name, gradient))


@checked(policy=a_policy, reference=a_policy, completions=law_of_completions, sampling=optional(a_policy))
def rao_blackwell_kl_gradient(
    completions: Var, policy: TokenPolicy, reference: TokenPolicy, sampling: TokenPolicy | None = None
) -> Joint:
    """Law of sum_u w_{1:u-1} (dKL_u/dtheta + KL_u sum_{t < u} s_t), KL_u the token divergence after prefix u.

    >>> from randvar.moments import expect, variance
    >>> p, q = (TokenPolicy({0: Var("ab", [w, 1 - w])}, context=lambda prefix: 0) for w in (0.5, 0.25))
    >>> from randvar.rollouts.trees import rollout
    >>> law = rao_blackwell_kl_gradient(rollout(p, 2), p, q)
    >>> expect(law).round(6), bool(variance(law)[0] < variance(reverse_kl_gradient(rollout(p, 2), p, q))[0])
    (array([ 0.549306, -0.549306]), True)

    `reverse_kl_gradient` with every token's term in expectation over that token: unbiased, and mostly, but not always,
    less variable (see `rao_blackwell_kl`). A Joint of one coordinate a parameter of the `policy`; `reference`,
    `completions` and `sampling` as there. Outcomes are floats, also of exact policies.

    Raises UndefinedOutcome for a completion that the policy or the sampling policy cannot draw, and where the reference
    misses a token of the policy. Cost: O(tokens * (parameters + vocabulary^2)) a completion.
    Source: Amini, Vieira & Cotterell 2025, arXiv:2504.10637, for samples of the policy itself.
    """
    name = "rao_blackwell_kl_gradient"
    weights = _prefix_weights(policy, sampling)

    @within_floats(f"{name}: a weighted score")
    def gradient(tokens: Tokens) -> Array:
        scores = policy.token_scores(tokens)
        before = np.cumsum(scores, axis=0) - scores
        ratios = weights(tokens) if weights is not None else (1,) * len(tokens)
        whole: Array = np.zeros(scores.shape[1:], dtype=scores.dtype)
        for u, (prefix, _) in enumerate(steps(tokens)):
            p, q = policy(prefix), reference(prefix)
            (divergence,) = _finite([kl(p, q)], tokens)
            # dKL = sum_a dp_a L_a, as sum_a p_a dL_a = sum_a dp_a = 0
            slope = policy.local_gradient(prefix, log_ratio_of(p, q))
            weight = 1 if u == 0 else ratios[u - 1]
            whole = whole + weight * (slope + divergence * before[u])
        return whole

    return completions.vector(named(name, gradient))


def _token_ratios(policy: TokenPolicy, reference: TokenPolicy) -> Callable[[Tokens], list[tuple[Any, Any]]]:
    """The function from tokens to (L_t, r_t) of each."""

    @within_floats("a ratio of two probabilities")
    def ratios(tokens: Tokens) -> list[tuple[Any, Any]]:
        pairs = []
        for prefix, token in steps(tokens):
            p, q = policy(prefix), reference(prefix)
            pairs.append((_log_ratio(p, q, prefix, token), finite(exact_quotient(chance(q, token), chance(p, token)))))
        return pairs

    return ratios


def _ratios(policy: TokenPolicy, reference: TokenPolicy, level: Level) -> Callable[[Tokens], list[tuple[Any, Any]]]:
    """The function from tokens to (L_t, r_t) of each, or to the one (L, r) of them all."""
    of_tokens = _token_ratios(policy, reference)
    if level == "token":
        return of_tokens

    @within_floats("a ratio of two probabilities")
    def of_sequence(tokens: Tokens) -> list[tuple[Any, Any]]:
        pairs = of_tokens(tokens)
        r = finite(math.prod(r for _, r in pairs))
        exact = isinstance(r, Fraction)  # then nothing of a sum of logarithms cancels
        return [(log_quotient(r.denominator, r.numerator) if exact else sum(L for L, _ in pairs), r)]

    return of_sequence


def _log_ratio(p: Var, q: Var, prefix: tuple[Any, ...], token: Any) -> Any:
    """log p(token) - log q(token), of a token that p can draw."""
    if chance(p, token) == 0:
        raise UndefinedOutcome(
            f"the policy cannot draw {one_line(token)} after {one_line(prefix)} (give it a positive probability, or"
            " take completions of this policy)"
        )
    return log_ratio_of(p, q)(token)


def _prefix_weights(policy: TokenPolicy, sampling: TokenPolicy | None) -> Weights | None:
    return None if sampling is None else prefix_ratios(policy, sampling)


def _weighted(name: str, weights: Weights | None) -> Callable[[Array, Sequence[Any], Tokens], Array]:
    """The function of scores, factors and tokens that gives sum_t w_t factor_t scores_t."""

    @within_floats(f"{name}: a weighted score")
    def weighted(scores: Array, factors: Sequence[Any], tokens: Tokens) -> Array:
        w = [1] * len(tokens) if weights is None else weights(tokens)
        terms = (finite(a * b) * row for a, b, row in zip(w, _finite(factors, tokens), scores, strict=True))
        return np.asarray(sum(terms, start=np.zeros(scores.shape[1:], dtype=scores.dtype)))

    return weighted


def _finite(factors: Sequence[Any], tokens: Tokens) -> Sequence[Any]:
    """Refuse an infinite divergence, which has no gradient."""
    if any(map(is_infinite, factors)):
        raise UndefinedOutcome(
            f"the reference misses a token that the policy can draw along {one_line(tokens)}, so that the divergence is"
            " infinite and has no gradient (give the token a positive probability there)"
        )
    return factors
