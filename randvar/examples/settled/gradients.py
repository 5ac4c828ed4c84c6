"""Claims about policy gradients: baselines of a group, its standard deviation, lengths, discounts, value losses."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

from randvar import (
    Joint,
    Var,
    bernoulli,
    compare,
    expect,
    group_gradient,
    reinforce,
    rollout,
    sampling_distribution,
    shared,
    softmax,
)
from randvar.examples.settled.table import Page, page
from randvar.rollouts import (
    TokenPolicy,
    discounted_returns,
    discounts,
    dr_grpo,
    grpo,
    masked_mean,
    policy_gradient,
    token_gradient,
)

__all__ = [
    "any_baseline",
    "bandit",
    "difficulty",
    "discounting",
    "leave_one_out_or_nothing",
    "lengths",
    "own_mean",
    "temperature_draws",
    "three_answers",
    "value_losses",
]


def bandit(share: Any, low: Any = 0, high: Any = 1) -> Joint:
    """(reward, score) of one action of two: reward `high` with probability `share`, else `low`; score a - share.

    >>> bandit(Fraction(1, 4)).outcomes.tolist()
    [[0, Fraction(-1, 4)], [1, Fraction(3, 4)]]
    """
    return shared(bernoulli(share)).op(lambda a: high if a else low, lambda a: a - share)


def own_mean() -> Page:
    """The group mean contains the reward it is subtracted from."""
    p = Fraction(1, 4)
    draws = bandit(p)
    laws: dict[str, Any] = {f"own group mean, G = {n}": group_gradient(draws, n) for n in (2, 4, 16)}
    laws["others' mean, G = 4"] = group_gradient(draws, 4, "leave_one_out")
    return page("The group mean is a baseline, so the gradient stays unbiased", compare(laws, p * (1 - p)))


def temperature_draws() -> Joint:
    """(reward, score) of a softmax policy of eight actions: reward a, score d log p(a)/dT at temperature 3."""
    policy = softmax(range(8), temperature=3)
    mean = expect(policy)
    return shared(policy).op(lambda a: a, lambda a: (mean - a) / 9)


def leave_one_out_or_nothing() -> Page:
    """The baseline of few others is itself noisy."""
    draws = temperature_draws()
    laws: dict[str, Any] = {}
    for n in (2, 3):
        laws[f"no baseline, G = {n}"] = group_gradient(draws, n, "none")
        laws[f"leave-one-out, G = {n}"] = group_gradient(draws, n, "leave_one_out")
    return page("Leave-one-out varies less than no baseline", compare(laws, expect(draws.mul())))


def any_baseline() -> Page:
    """Rewards 2 and -1 at p = 1/4: without a baseline both actions push nearly the same way."""
    p, n = Fraction(1, 4), 3
    draws = bandit(p, low=-1, high=2)
    truth = policy_gradient(bernoulli(p), lambda a: 2 if a else -1)[1]
    laws: dict[str, Any] = {
        "no baseline": group_gradient(draws, n, "none"),
        "the known mean reward": reinforce(draws, n, baseline=expect(draws[0])),
        "mean of the others": group_gradient(draws, n, "leave_one_out"),
        "the best constant": reinforce(draws, n, baseline=Fraction(5, 4)),
    }
    return page("A baseline reduces the variance", compare(laws, truth))


def difficulty() -> Page:
    """Four completions of a prompt, solved with probability p."""
    comparisons = []
    for name, p in (("1/2", Fraction(1, 2)), ("1/10", Fraction(1, 10))):
        draws = bandit(p)
        laws: dict[str, Any] = {
            f"divided by std, p = {name}": group_gradient(draws, 4, divide_by_std=True),
            f"not divided, p = {name}": group_gradient(draws, 4),
            f"leave-one-out, p = {name}": group_gradient(draws, 4, "leave_one_out"),
        }
        comparisons.append(compare(laws, p * (1 - p)))
    return page("Dividing by the group's standard deviation only scales", *comparisons)


def three_answers() -> tuple[TokenPolicy, Var]:
    """A policy that gives one of three answers, equally likely, and its completions: right, wrong, or long and wrong.

    Only the first token is a choice: "right" and "wrong" have one token more, "long" has seven more.
    """
    answers = {"right": 2, "wrong": 2, "long": 8}
    table: dict[Hashable, Var] = {(): Var(sorted(answers), [Fraction(1, 3)] * 3)}
    for answer, length in answers.items():
        for t in range(length - 1):
            table[answer, *"." * t] = Var(["."], [Fraction(1)])
    policy = TokenPolicy(table)
    return policy, rollout(policy, max(answers.values()), stop=lambda tokens: len(tokens) == answers[tokens[0]])


def lengths() -> Page:
    """How much more the long wrong answer's logit grows than that of the short one: the gradient grows neither more."""
    policy, completions = three_answers()
    short, long = (policy.parameters.index(((), answer)) for answer in ("wrong", "long"))

    def reward(tokens: Sequence[str]) -> int:
        return int(tokens[0] == "right")

    def favour(gradient: Any) -> Var:
        law: Var = gradient.combine(lambda *row: row[long] - row[short])
        return law

    laws = {
        "GRPO: own tokens": favour(grpo(completions, policy, reward, 4, divide_by_std=False)),
        "DAPO: group's tokens": favour(grpo(completions, policy, reward, 4, divide_by_std=False, lengths="group")),
        "Dr. GRPO: a constant": favour(dr_grpo(completions, policy, reward, 4, max_length=8)),
    }
    truth = policy.gradient(completions, reward)
    return page("Dividing by the length is a harmless average", compare(laws, truth[long] - truth[short]))


def discounting() -> Page:
    """Two tokens, discount 1/2, reward 1 for each 1: the logit of the second token."""
    policy = TokenPolicy({0: bernoulli(Fraction(1, 2)), 1: bernoulli(Fraction(1, 4))}, context=len)
    completions, gamma = rollout(policy, 2), Fraction(1, 2)
    second = policy.parameters.index((1, 1))

    def returns(tokens: Sequence[int]) -> Any:
        return discounted_returns(tokens, gamma)

    laws = {
        "with γ^t": token_gradient(completions, policy, returns, lambda tokens: discounts(len(tokens), gamma))[second],
        "without γ^t": token_gradient(completions, policy, returns)[second],
    }
    truth = policy.gradient(completions, lambda tokens: tokens[0] + gamma * tokens[1])[second]
    return page("The γ^t in front of the score discounts twice", compare(laws, truth))


def value_losses() -> Page:
    """Batches of two completions: one token with loss 1, or three tokens with loss 0, equally likely."""
    completion = Var([(1, 1), (0, 3)], [Fraction(1, 2)] * 2)  # the loss of each token, and their number
    per_token = Fraction(expect(completion, lambda c: c[0] * c[1]), expect(completion, lambda c: c[1]))

    def batch(over: str) -> Any:
        def loss(sample: Sequence[tuple[int, int]]) -> Any:
            rows = [[loss] * n + [0] * (3 - n) for loss, n in sample]
            return masked_mean(rows, [[t < n for t in range(3)] for _, n in sample], over=over)

        return sampling_distribution(loss, completion, 2)

    def over_constant(sample: Sequence[tuple[int, int]]) -> Any:
        return Fraction(sum(loss * n for loss, n in sample), 2 * 2)  # 2 completions of 2 tokens on average

    laws = {
        "mean of means": batch("sequences"),
        "mean over all tokens": batch("tokens"),
        "sum over a constant": sampling_distribution(over_constant, completion, 2),
    }
    return page("Token mean or mean of means, on average it is the same loss", compare(laws, per_token))
