"""The hostile values of `test_functions` for functions of tokens: exact and padded ones, and what functions return."""

from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from hostile_values import HOSTILE, exact
from refusals import Call, attempt, bounded, of, trials  # noqa: F401 (a fixture)

from randvar import *
from randvar.rollouts import *

binary = TokenPolicy({0: Var("ab", [0.5, 0.5])}, context=lambda prefix: 0)
older = TokenPolicy({0: Var("ab", [0.25, 0.75])}, context=lambda prefix: 0)
completed = rollout(binary, 2, "b")


def ones(tokens: Any) -> Any:
    """One number a token."""
    return [1] * len(tokens)


weighed = token_ratios(binary, older)
exact_policy = TokenPolicy({(): exact, (0,): exact, (1,): exact})
exactly = rollout(exact_policy, 2)
weighed_exactly = token_ratios(exact_policy, exact_policy)
GROUP = {"divide_by_std": True, "ddof": 0, "epsilon": 0.5, "weights": ones}

CALLS = [
    of(discounted_returns, [1, 2], 0.5, [0, 1], [1, 1]),
    of(discounts, 2, 0.5),
    of(generalized_advantages, [1, 2], [0.5, 1], 0.5, 0.5, [0, 1], [1, 1], 3),
    of(generalized_advantages, [1, 2, 0], [0.5, 1, 0], 0.5, 0.5, None, [1, 1, 0], last_value=3),
    of(vtrace, [1, 2], [0.5, 1], [1, 2], 0.5, 1, 1, [0, 1], [1, 1], 3),
    *(of(f, [1, 2], [1, 1], [2, 3], 0.5) for f in (clipped_value_loss, clipped_value_loss_gradient)),
    *(of(masked_mean, [[1, 2], [3, 4]], [[1, 1], [1, 0]], over=over) for over in ("sequences", "tokens")),
    *(of(f, binary, older) for f in (token_ratios, prefix_ratios, sequence_ratio, geometric_ratio)),
    *(
        Call(f"{f.__name__} of", lambda p, q, tokens, f=f: f(p, q)(tokens), (binary, older, ("a", "b")))
        for f in (token_ratios, prefix_ratios, sequence_ratio, geometric_ratio)
    ),
    *(of(f, weighed, 1.5) for f in (truncated_weights, masked_weights)),
    *(
        Call(f"{f.__name__} of", lambda w, cap, tokens, f=f: f(w, cap)(tokens), (weighed, 1.5, ("a", "b")))
        for f in (truncated_weights, masked_weights)
    ),
    of(ppo_clipped, weighed, ones, 0.25, 0.5),
    Call("ppo_clipped of", lambda *made: ppo_clipped(*made[:-1])(made[-1]), (weighed, ones, 0.25, 0.5, ("a", "b"))),
    of(ppo_objective, 1.5, 2.0, 0.25, 0.5),
    of(token_gradient, completed, binary, ones, ones),
    of(reward_and_score, completed, binary, len),
    of(rloo, completed, binary, len, 2),
    *(of(grpo, completed, binary, len, 2, lengths=lengths, **GROUP) for lengths in ("each", "group")),
    of(dr_grpo, completed, binary, len, 2, 2, weights=ones),
    *(of(f, completed, binary, older, "k3", "token", weights=ones) for f in (kl_as_loss, kl_as_reward)),
    *(of(f, completed, binary, older) for f in (sequence_kl, rao_blackwell_kl)),
    of(sequence_kl, completed, binary, older, "k2"),
    of(topk_kl, completed, binary, older, 1, rest="sampled"),
    *(of(f, completed, binary, older, binary) for f in (reverse_kl_gradient, rao_blackwell_kl_gradient)),
    of(token_gradient, exactly, exact_policy, ones, weighed_exactly),
    of(dr_grpo, exactly, exact_policy, sum, 2, 2, weights=weighed_exactly),
    of(kl_as_reward, exactly, exact_policy, exact_policy, "k2", "sequence", weights=weighed_exactly),
    of(reverse_kl_gradient, exactly, exact_policy, exact_policy, exact_policy),
    of(ppo_clipped, weighed_exactly, ones, Fraction(1, 5)),
    *(
        Call(f"TokenPolicy.{method}", getattr(policy, method), (tokens,))
        for policy, tokens in ((binary, ("a", "b")), (exact_policy, (0, 1)))
        for method in ("prob", "log_probs", "token_scores", "score", "temperature_score", "derivative")
    ),
    Call("a TokenPolicy", binary, (("a",),)),
    Call("TokenPolicy.local_gradient", binary.local_gradient, (("a",), lambda token: 1)),
    Call("TokenPolicy.gradient", binary.gradient, (completed, len)),
]


def told(value):
    """What a person's function may return beside what was asked for: this value for each token, or for the last."""
    return (lambda tokens: [value] * len(tokens)), (lambda tokens: [1] * (len(tokens) - 1) + [value])


NUMBERS_OF_TOKENS = {
    "token_gradient: advantages": lambda f, x, p: token_gradient(x, p, f, ones),
    "token_gradient: weights": lambda f, x, p: token_gradient(x, p, ones, f),
    "ppo_clipped: weights": lambda f, x, p: token_gradient(x, p, ones, ppo_clipped(f, ones, 0.2)),
    "ppo_clipped: advantages": lambda f, x, p: token_gradient(x, p, ones, ppo_clipped(ones, f, 0.2)),
    "truncated_weights": lambda f, x, p: token_gradient(x, p, ones, truncated_weights(f, 0.3)),
    "masked_weights": lambda f, x, p: token_gradient(x, p, ones, masked_weights(f, 0.3)),
    "grpo: weights": lambda f, x, p: grpo(x, p, len, 2, weights=f),
    "grpo: reward": lambda f, x, p: grpo(x, p, lambda tokens: f(tokens)[-1], 2),
    "dr_grpo: weights": lambda f, x, p: dr_grpo(x, p, len, 2, 2, weights=f),
    "kl_as_reward: weights": lambda f, x, p: kl_as_reward(x, p, p, weights=f),
    "kl_as_loss: weights": lambda f, x, p: kl_as_loss(x, p, p, "k2", weights=f),
    "discounted_returns": lambda f, x, p: discounted_returns(f("ab"), 0.5),
    "generalized_advantages": lambda f, x, p: generalized_advantages(f("ab"), f("ab")),
    "vtrace": lambda f, x, p: vtrace([1, 1], f("ab"), f("ab"), 0.5),
    "clipped_value_loss": lambda f, x, p: clipped_value_loss(f("ab"), [1, 2], f("ab"), 0.5),
    "masked_mean": lambda f, x, p: masked_mean(f("ab")),
    "done": lambda f, x, p: generalized_advantages([1, 2], [1, 2], done=f("ab")),
}
LAWS_AND_POLICIES = {"floats": (completed, binary), "fractions": (exactly, exact_policy)}
ALLOWED = {"answer", "TypeError", "refusal", "its own exception"}


@pytest.mark.parametrize("call", CALLS, ids=[f"{i}-{call.name}" for i, call in enumerate(CALLS)])
def test_every_argument_is_refused_or_answered(call):
    assert attempt(partial(call.function, *call.arguments, **call.keywords)) == "answer"
    found = {(slot, name): attempt(trial) for slot, name, trial in trials(call)}
    assert {trial: what for trial, what in found.items() if what not in ALLOWED} == {}


@pytest.mark.parametrize("kind", LAWS_AND_POLICIES)
@pytest.mark.parametrize("name", NUMBERS_OF_TOKENS)
def test_what_a_function_of_tokens_gives_is_refused_or_answered(name, kind):
    """A hostile value in the place of one number a token."""
    call, (x, p) = NUMBERS_OF_TOKENS[name], LAWS_AND_POLICIES[kind]
    assert attempt(partial(call, ones, x, p)) == "answer"
    for value, make in HOSTILE.items():
        for i, f in enumerate(told(make())):
            assert attempt(partial(call, f, x, p)) in ALLOWED, (value, i)
