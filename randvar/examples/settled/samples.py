"""Claims about samples: importance weights, pass@k, votes, intervals, standard deviations, adjusted and early tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from randvar import (
    Var,
    bernoulli,
    clustered,
    compare,
    constant,
    coverage,
    expect,
    importance,
    majority_vote,
    markov_chain,
    monte_carlo,
    pass_at_k,
    rollout,
    sampling_distribution,
    self_normalized,
    shared,
    std,
    uniform,
    variance,
    wald_interval,
    wilson_interval,
)
from randvar.estimators import estimated_control, truncated
from randvar.estimators.attempts import plug_in_pass_at_k
from randvar.examples.settled.table import Page, page
from randvar.rollouts import TokenPolicy, geometric_ratio, sequence_ratio, token_ratios

__all__ = [
    "adjusted",
    "attempts",
    "bessel",
    "capped",
    "clusters",
    "intervals",
    "normalised",
    "peeking",
    "ratios",
    "votes",
]


def ratios() -> Page:
    """Two tokens, 1 with probability 1/2 where they were drawn and 3/4 where they count; reward t1 + t1 t2."""
    old, new = (TokenPolicy({0: bernoulli(share)}, context=lambda _: 0) for share in (Fraction(1, 2), Fraction(3, 4)))
    drawn = rollout(old, 2)

    def reward(tokens: Sequence[int]) -> int:
        return tokens[0] + tokens[0] * tokens[1]

    product, geometric, each = sequence_ratio(new, old), geometric_ratio(new, old), token_ratios(new, old)
    laws = {
        "product of the ratios": drawn.op(lambda o: product(o)[0] * reward(o)),
        "geometric mean": drawn.op(lambda o: geometric(o)[0] * reward(o)),
        "arithmetic mean": drawn.op(lambda o: sum(each(o)) / 2 * reward(o)),
    }
    return page("The length-normalised ratio is an importance weight", compare(laws, expect(rollout(new, 2), reward)))


def capped() -> Page:
    """Three actions with weights 1/3, 1 and 3, advantages 1, -2 and 3, and a cap of 2."""
    old, new = (Var(range(3), [Fraction(n, 6) for n in row]) for row in ([3, 2, 1], [1, 2, 3]))
    advantage = (1, -2, 3).__getitem__
    laws = {
        "plain weights": importance(new, old, advantage),
        "cut down to the cap": truncated(new, old, advantage, 2),
        "masked above the cap": truncated(new, old, advantage, 2, masked=True),
    }
    return page("Masking large weights is the safer cut", compare(laws, expect(new, advantage)))


def normalised() -> Page:
    """Three logged rounds of two actions, reward 1 with probability 3/4 after x and 1/4 after y."""
    old, new = (Var(["x", "y"], [share, 1 - share]) for share in (Fraction(1, 2), Fraction(4, 5)))

    def reward(action: str) -> Var:
        return bernoulli(Fraction(3 if action == "x" else 1, 4))

    laws = {
        "sum of w·r over n": monte_carlo(importance(new, old, reward), 3),
        "sum of w·r over sum of w": self_normalized(new, old, reward, 3),
    }
    return page("Dividing by the sum of the weights keeps the mean", compare(laws, expect(new.op(reward))))


def attempts() -> Page:
    """Five attempts, each right with probability 3/10; at least one of three."""
    attempt = bernoulli(Fraction(3, 10))
    laws = {"1 − C(n−c, k)/C(n, k)": pass_at_k(attempt, 5, 3), "1 − (1 − c/n)^k": plug_in_pass_at_k(attempt, 5, 3)}
    return page("pass@k is 1 − (1 − pass rate)^k", compare(laws, 1 - Fraction(7, 10) ** 3))


def votes() -> Page:
    """Four votes of +1 and -1, equally likely: what the winner is on average."""
    vote = Var([-1, 1], [Fraction(1, 2)] * 2)
    laws = {"ties to the larger value": majority_vote(vote, 4, ties=max), "ties by a coin": majority_vote(vote, 4)}
    return page("It does not matter how ties are broken", compare(laws, 0))


def intervals() -> Page:
    """Whether the 95% interval of 100 tasks contains the pass rate 1/50: the indicator, whose mean is the coverage."""
    task = bernoulli(Fraction(1, 50))
    laws = {
        f"{name} interval covers": bernoulli(float(coverage(interval, task, 100)))
        for name, interval in (("Wald", wald_interval), ("Wilson", wilson_interval))
    }
    return page("Mean ± 1.96 standard errors covers in 95 of 100 cases", compare(laws, 0.95))


def clusters() -> Page:
    """Four prompts, each solved always, half the time or never; four completions of each: the variance of the mean."""
    skill = Var([Fraction(0), Fraction(1, 2), Fraction(1)], [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)])
    prompt = skill.op(lambda p: monte_carlo(bernoulli(p), 4))

    def of_completions(means: Sequence[Any]) -> Any:
        mean = sum(means) / Fraction(4)
        return mean * (1 - mean) / 15

    def of_prompts(means: Sequence[Any]) -> Any:
        return sample_variance(means) / 4

    laws = {
        "s²/16 of completions": sampling_distribution(of_completions, prompt, 4),
        "s²/4 of prompts' means": sampling_distribution(of_prompts, prompt, 4),
    }
    return page("16 completions are 16 samples", compare(laws, variance(clustered(skill, bernoulli, 4, 4))))


def sample_variance(draws: Sequence[Any], ddof: int = 1) -> Any:
    """sum (x - mean)^2 / (n - ddof).

    >>> sample_variance([1, 2, 4])
    Fraction(7, 3)
    """
    mean = Fraction(sum(draws)) / len(draws)
    return sum((x - mean) ** 2 for x in draws) / (len(draws) - ddof)


def bessel() -> Page:
    """Two fair dice: the divisor n - 1, and its root."""
    die = uniform(1, 7).rational()
    variances = {
        "s², divisor n − 1": sampling_distribution(sample_variance, die, 2),
        "s², divisor n": sampling_distribution(lambda draws: sample_variance(draws, 0), die, 2),
    }
    roots = {"s, divisor n − 1": sampling_distribution(lambda draws: math.sqrt(sample_variance(draws)), die, 2)}
    claim = "With n − 1 the standard deviation is unbiased too"
    return page(claim, compare(variances, variance(die)), compare(roots, std(die)))


def adjusted() -> Page:
    """The mean of a^2 over three rolls of a die, with the roll itself, of mean 7/2, as the covariate."""
    die = uniform(1, 7).rational()
    square = die.op(lambda a: a * a)
    pair = shared(die).op(lambda a: a * a, lambda a: a)
    laws = {
        "plain mean": monte_carlo(square, 3),
        "same rolls' coefficient": estimated_control(pair, 3, Fraction(7, 2)),
        "other rolls' coefficient": estimated_control(pair, 3, Fraction(7, 2), "leave_one_out"),
        "coefficient 7": monte_carlo(die.op(lambda a: a * a - 7 * (a - Fraction(7, 2))), 3),
    }
    return page("A regression adjustment is free of bias", compare(laws, expect(square)))


def rejects(flips: int, heads: int) -> bool:
    """Whether |heads - flips/2| is more than 1.96 standard errors of a fair coin."""
    return (2 * heads - flips) ** 2 > Fraction(49, 25) ** 2 * flips


def peeking() -> Page:
    """Forty flips of a fair coin, tested once or after each from the twentieth on: the indicator of a rejection."""
    coin = bernoulli(Fraction(1, 2))

    def flip(state: tuple[int, int]) -> Var:
        flips, heads = state
        return coin.op(lambda c: (flips + 1, heads + c))

    def found(state: tuple[int, int]) -> bool:
        return state[0] >= 20 and rejects(*state)

    at_the_end = markov_chain(constant((0, 0)), flip, 40)
    at_every_flip = markov_chain(constant((0, 0)), flip, 40, stop=found)
    laws = {
        f"rejects, {when}": bernoulli(float(law.prob(found)))
        for when, law in (("one test", at_the_end), ("21 tests", at_every_flip))
    }
    return page("You may look at the test as often as you like", compare(laws, 0.05))
