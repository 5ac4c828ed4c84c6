"""Claims about the KL penalty: which estimator, where it is put, and of which samples.

L is log p - log q for a policy p and a reference q, and r = q/p: k1 = L, k2 = L^2/2, k3 = r - 1 + L. A gradient is one
coordinate, the logit of token 1 at the first position. Each question is a function of its policies, so that it can be
asked of numbers, for the table, and of symbols, for a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from randvar import Var, best_coefficient, compare, constant, expect, k1, k3, kl, rollout, topk
from randvar.estimators.divergence import kl_k3, kl_topk
from randvar.examples.settled.table import Page, page
from randvar.numbers.symbolic import is_zero
from randvar.rollouts import (
    TokenPolicy,
    kl_as_loss,
    kl_as_reward,
    rao_blackwell_kl,
    rao_blackwell_kl_gradient,
    reverse_kl_gradient,
    sequence_kl,
    sequence_ratio,
    token_gradient,
    token_ratios,
)

__all__ = [
    "dropped_rest",
    "in_symbols",
    "log_ratios",
    "loss",
    "misleading",
    "off_policy",
    "one_token",
    "rao_blackwellised",
    "reward",
    "sequence_gradient",
    "token_or_sequence",
    "two_tokens",
    "which_estimator",
]

Question = Callable[..., tuple[dict[str, Var], Any]]

FIRST = 1  # the parameter of token 1 at the first position


def one_token(share: Any) -> TokenPolicy:
    """A policy that says one token: 1 with probability `share`, else 0.

    >>> one_token(Fraction(3, 4)).score((1,))
    (Fraction(-1, 4), Fraction(1, 4))
    """
    return TokenPolicy({(): _coin(share)})


def two_tokens(first: Any, after_0: Any, after_1: Any) -> TokenPolicy:
    """A policy that says two tokens: the probability of a 1 at first, after a 0, and after a 1.

    >>> two_tokens(Fraction(1, 2), Fraction(1, 5), Fraction(4, 5)).prob((1, 1))
    Fraction(2, 5)
    """
    return TokenPolicy({(): _coin(first), (0,): _coin(after_0), (1,): _coin(after_1)})


def _coin(share: Any) -> Var:
    return Var([0, 1], [1 - share, share])


def misleading() -> tuple[TokenPolicy, TokenPolicy]:
    """A policy and a reference between which every completion has the same log ratio, log 5/2.

    The first token has L = log 5/8 or log 5/2, and the second, of which the policy is certain, makes up for it.
    """
    policy = two_tokens(Fraction(1, 2), Fraction(1), Fraction(1))
    return policy, two_tokens(Fraction(1, 5), Fraction(1, 4), Fraction(1))


def log_ratios(policy: TokenPolicy, reference: TokenPolicy) -> Callable[[Any], tuple[Any, ...]]:
    """The function from a completion to (L_1, ..., L_T).

    >>> [round(L, 6) for L in log_ratios(one_token(Fraction(1, 2)), one_token(Fraction(1, 4)))((1,))]
    [0.693147]
    """

    def row(tokens: Any) -> tuple[Any, ...]:
        return tuple(p - q for p, q in zip(policy.log_probs(tokens), reference.log_probs(tokens), strict=True))

    return row


def true_gradient(policy: TokenPolicy, reference: TokenPolicy, length: int) -> Any:
    """The derivative of the KL divergence of the completions: d sum P(o) L(o) = sum dP(o) L(o)."""
    ratios = log_ratios(policy, reference)
    return policy.gradient(rollout(policy, length), lambda tokens: sum(ratios(tokens)))[FIRST]


def in_symbols(make: Callable[..., Any], names: str, shares: int = 1) -> list[Any]:
    """make(shares...) for each of the names, each with probabilities that are symbols.

    >>> [policy.prob((1,)) for policy in in_symbols(one_token, "pq")]
    [p, q]
    """
    from sympy import symbols

    def row(name: str) -> Any:
        return symbols(name if shares == 1 else f"{name}:{shares}", positive=True, seq=True)

    return [make(*row(name)) for name in names]


def _settled(claim: str, question: Question, numbers: list[Any], symbols: list[Any]) -> Page:
    """The page of a question, with what is proved of all policies."""
    return page(claim, compare(*question(*numbers)), always=_proved(*question(*symbols)))


def _proved(laws: dict[str, Var], truth: Any) -> list[str]:
    """The names of those laws whose mean is identically the truth."""
    return [name for name, law in laws.items() if is_zero(expect(law) - truth)]


_ONE = [one_token(share) for share in (Fraction(3, 4), Fraction(1, 5), Fraction(1, 2))]
_TWO = [two_tokens(*(Fraction(n, 10) for n in row)) for row in ((5, 2, 8), (4, 5, 3), (6, 4, 5))]


def loss() -> Page:
    """Differentiate the estimator, the sample held fixed."""

    def question(p: TokenPolicy, q: TokenPolicy) -> tuple[dict[str, Var], Any]:
        laws = {f"{k} in the loss": kl_as_loss(rollout(p, 1), p, q, k)[FIRST] for k in ("k1", "k2", "k3")}
        return laws, true_gradient(p, q, 1)

    return _settled("k3 in the loss gives the gradient of the KL", question, _ONE[:2], in_symbols(one_token, "pq"))


def reward() -> Page:
    """Multiply the score by the estimator."""

    def question(p: TokenPolicy, q: TokenPolicy) -> tuple[dict[str, Var], Any]:
        laws = {f"{k} in the reward": kl_as_reward(rollout(p, 1), p, q, k)[FIRST] for k in ("k1", "k3")}
        return laws, true_gradient(p, q, 1)

    return _settled("k3 in the reward is k1 with less noise", question, _ONE[:2], in_symbols(one_token, "pq"))


def off_policy() -> Page:
    """Samples of an older policy, with and without the weight w = p/old."""

    def question(p: TokenPolicy, q: TokenPolicy, old: TokenPolicy) -> tuple[dict[str, Var], Any]:
        drawn, w = rollout(old, 1), sequence_ratio(p, old)

        def differentiated(value: Callable[..., Any], slope: Callable[..., Any]) -> Var:
            """Law of the derivative of w k, w included: w (k + dk/dlog p) s."""

            def gradient(tokens: Any) -> Any:
                (L,), r = log_ratios(p, q)(tokens), q.prob(tokens) / p.prob(tokens)
                return w(tokens)[0] * (value(L, r) + slope(L, r)) * p.score(tokens)[FIRST]

            return drawn.op(gradient)

        laws = {
            "reward k1, no weight": kl_as_reward(drawn, p, q, "k1")[FIRST],
            "loss k2, no weight": kl_as_loss(drawn, p, q, "k2")[FIRST],
            "reward w·k1": kl_as_reward(drawn, p, q, "k1", weights=w)[FIRST],
            "loss w·k2, w fixed": kl_as_loss(drawn, p, q, "k2", weights=w)[FIRST],
            "loss w·k2, with ∇w": differentiated(lambda L, r: L**2 / 2, lambda L, r: L),
            "loss w·k3, with ∇w": differentiated(lambda L, r: r - 1 + L, lambda L, r: 1 - r),
        }
        return laws, true_gradient(p, q, 1)

    return _settled("An importance weight mends every KL loss", question, _ONE, in_symbols(one_token, "pqm"))


def token_or_sequence() -> Page:
    """Two tokens: what a first token does to the second belongs to the gradient."""

    def question(p: TokenPolicy, q: TokenPolicy) -> tuple[dict[str, Var], Any]:
        drawn = rollout(p, 2)
        laws = {
            "loss k2 of each token": kl_as_loss(drawn, p, q, "k2")[FIRST],
            "loss k2 of the sequence": kl_as_loss(drawn, p, q, "k2", "sequence")[FIRST],
            "reward k1 of sequence": kl_as_reward(drawn, p, q, "k1")[FIRST],
        }
        return laws, true_gradient(p, q, 2)

    return _settled("k2 in the loss is k1 in the reward", question, _TWO[:2], in_symbols(two_tokens, "pq", 3))


def which_estimator() -> Page:
    """k3 is k1 with a control variate whose coefficient is fixed at -1."""

    def question(p: Var, q: Var, b: Any, name: str) -> tuple[dict[str, Var], Any]:
        laws = {"k1": k1(p, q), "k3": k3(p, q), "best b": kl_k3(p, q, b=b).sub()}
        return {f"{estimator}, {name}": law for estimator, law in laws.items()}, kl(p, q)

    any_p, any_q = in_symbols(_three_tokens, "pq", 2)
    comparisons, always = [], []
    for name, *shares in (("near", (50, 30), (40, 30)), ("far", (2, 68), (50, 30))):
        p, q = (_three_tokens(*(Fraction(n, 100) for n in row)) for row in shares)
        comparisons.append(compare(*question(p, q, best_coefficient(kl_k3(p, q, b=1)), name)))
        always += _proved(*question(any_p, any_q, any_p.prob(0), name))  # any number will do as b
    return page("k3 always varies less than k1", *comparisons, always=always)


def _three_tokens(first: Any, second: Any) -> Var:
    return Var(range(3), [first, second, 1 - first - second])


def rao_blackwellised() -> Page:
    """Every token's term in expectation over that token, summed along a sampled completion."""

    def laws(p: TokenPolicy, q: TokenPolicy, name: str) -> dict[str, Var]:
        drawn = rollout(p, 2)
        return {f"sum of k1, {name}": sequence_kl(drawn, p, q), f"sum of KLs, {name}": rao_blackwell_kl(drawn, p, q)}

    comparisons = []
    for name, (p, q) in (("ordinary", _TWO[:2]), ("misleading", misleading())):
        comparisons.append(compare(laws(p, q, name), kl(rollout(p, 2), rollout(q, 2))))
    p, q = in_symbols(two_tokens, "pq", 3)
    truth = expect(rollout(p, 2), lambda tokens: sum(log_ratios(p, q)(tokens)))
    claim = "Exact token KLs never make the sequence KL noisier"
    return page(claim, *comparisons, always=_proved(laws(p, q, "ordinary"), truth))


def dropped_rest() -> Page:
    """The two likeliest tokens exactly; the rest dropped, or sampled in one of two ways."""
    p, q = (Var(range(4), [Fraction(n, 16) for n in row]) for row in ([8, 4, 3, 1], [4, 3, 3, 6]))

    def ratio(a: int) -> float:
        return float(p.log_prob(a) - q.log_prob(a))

    exact = sum(float(p.prob(a)) * ratio(a) for a in (0, 1))
    laws = {
        "top 2, rest dropped": constant(exact),
        "top 2, a masked draw": topk(p, ratio, 2, masked=True),
        "top 2, draw of the rest": kl_topk(p, q, 2),
        "k1": k1(p, q),
    }
    return page("The top k tokens are the KL, nearly", compare(laws, kl(p, q)))


def sequence_gradient() -> Page:
    """The gradient of the KL of sequences from samples of an older policy."""

    def question(p: TokenPolicy, q: TokenPolicy, old: TokenPolicy) -> tuple[dict[str, Var], Any]:
        drawn = rollout(old, 2)
        laws = {
            "reward k1, no weight": kl_as_reward(drawn, p, q)[FIRST],
            "loss w_t·k3 of tokens": token_gradient(drawn, p, log_ratios(p, q), token_ratios(p, old))[FIRST],
            "reward k1, whole weight": kl_as_reward(drawn, p, q, weights=sequence_ratio(p, old))[FIRST],
            "L, prefix weights": reverse_kl_gradient(drawn, p, q, old)[FIRST],
            "token KL, prefix weights": rao_blackwell_kl_gradient(drawn, p, q, old)[FIRST],
        }
        return laws, true_gradient(p, q, 2)

    claim = "Old samples give no unbiased gradient of the sequence KL"
    return _settled(claim, question, _TWO, in_symbols(two_tokens, "pqm", 3))
