"""Code as a user writes it, for a type checker: no cast, no ignore but where a mistake must be found, no stray Any.

tests/house/test_typing.py runs `mypy --strict` over this file and then runs it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

import randvar
from randvar import *
from randvar.estimators.bounds import LawBounds
from randvar.examples.sampling_to_reinforce import add
from randvar.plots import Slider, coin_variance_slider
from randvar.plots.picture import Picture
from randvar.rollouts import TokenPolicy, discounted_returns, logit_score, policy_gradient, sequence_kl
from randvar.verdict import Comparison, Report

Array = npt.NDArray[Any]


def make_laws() -> Var:
    die = uniform(1, 7)
    assert_type(die, Var)
    assert_type(die.op(lambda a: a % 2), Var)
    assert_type(die.cond(lambda a: a > 2).rational(), Var)
    assert_type(2 * die + 1, Var)
    assert_type(-die / 2 - Fraction(1, 3), Var)
    assert_type(die.values, Array)
    assert_type(die.log_prob(3), float)
    assert_type(die.to_dict(), dict[Any, Any])
    assert_type(len(die), int)
    assert_type(empirical([1, 2, 2]), Var)
    assert_type(empirical(np.array([1, 2, 2])), Var)
    assert_type(from_dict({"a": 0.5, "b": 0.5}), Var)
    assert_type(weighted_die([1, 2, 3]), Var)
    assert_type(mixture([die, constant(0)], [0.5, 0.5]), Var)
    return die


def couple_them(die: Var) -> Joint:
    pair = indep(die, bernoulli(0.5))
    assert_type(pair, Joint)
    assert_type(shared(die).op(lambda a: a, lambda a: a * a).sub(), Var)
    assert_type(iid(die, 3).add(), Var)
    assert_type(add(pair), Var)
    assert_type(pair[0], Var)
    assert_type(pair.cond(lambda a, b: a > b), Joint)
    assert_type(pair.combine(max), Var)
    assert_type(die.vector(lambda a: (a, a * a)), Joint)
    assert_type(dependent(die, lambda a: uniform(0, a)), Joint)
    return pair


def ask_for_numbers(die: Var, pair: Joint) -> float:
    assert_type(expect(pair), Array)
    assert_type(variance(pair), Array)
    assert_type(std(pair), Array)
    assert_type(cov_matrix(pair), Array)
    assert_type(same_law(die, die), bool)
    mean: float = expect(die)  # a float, a Fraction or an expression: as exact as the law
    spread: float = variance(die)
    best: int = expect(pair, lambda a, b: max(a, b))
    return mean + spread + best + entropy(die)


def estimate(die: Var, pair: Joint) -> Var:
    mean = monte_carlo(die, 10)
    assert_type(mean, Var)
    assert_type(monte_carlo(pair, 10), Joint)
    assert_type(total(pair, 10), Joint)

    def largest(sample: Sequence[int]) -> int:
        return max(sample)

    assert_type(sampling_distribution(largest, die, 3), Var)
    assert_type(sampling_distribution(np.median, die, 3), Var)
    assert_type(allocate([die, die], [0.5, 0.5], 10), list[int])
    assert_type(control_variate(die, lambda a: a * a, lambda a: a, known_mean=3.5), Joint)
    assert_type(law_bounds(mean), LawBounds)
    assert_type(law_bounds(mean).cdf(3.0), tuple[float, float])
    return mean


def policy_gradients() -> Var:
    policy = softmax([0.0, 1.0])
    score = logit_score(policy)
    draws = policy.vector(lambda action: (action, score(action)[-1]))
    slope = group_gradient(draws, 4, "leave_one_out")
    assert_type(slope, Var | Joint)  # of one score a Var, of several a Joint: which, the type of `draws` does not say
    assert isinstance(slope, Var)
    report(slope, 0.2)
    assert_type(leave_one_out_gradient(draws, 4), Var)
    assert_type(policy_gradient(policy, lambda action: action), Array)
    return slope


def judge(die: Var) -> None:
    verdict = report(monte_carlo(die, 3), Fraction(7, 2))
    assert_type(verdict, Report)
    assert_type(verdict.unbiased, bool | None)
    assert_type(verdict.verdict, str)
    both = compare({"mean": monte_carlo(die, 3), "largest": sampling_distribution(max, die, 3)}, target=3.5)
    assert_type(both, Comparison)
    assert_type(both["mean"], Report)
    assert_unbiased(monte_carlo(die, 3), Fraction(7, 2))
    low, high = wilson_interval([0, 1, 1])
    ends: list[float] = [low, high]
    share: float = coverage(wilson_interval, bernoulli(0.3), 10)
    assert 0 < share < 1
    assert ends[0] < ends[1]


def walk(length: int) -> Var:
    policy = TokenPolicy({0: Var("ab", [0.5, 0.5])}, context=lambda prefix: 0)
    sentences = rollout(policy, length, stop=lambda seen: seen[-2:] == ("a", "a"))
    assert_type(sentences, Var)
    assert_type(sequence_kl(sentences, policy, policy), Var)
    assert_type(discounted_returns([0, 0, 1], 0.5), Array)
    return sentences


def draw(folder: Path) -> None:
    slider = explore(lambda p: monte_carlo(bernoulli(p), 5), name="p", values=[0.25, 0.5])
    assert_type(slider, Slider)
    assert_type(slider.save(folder / "poll.html"), None)
    assert_type(slider.frame(0.5).report, str)
    assert_type(coin_variance_slider(3), Slider)
    assert_type(randvar.plots.coin_variance_slider(3), Slider)
    assert_type(histogram(uniform(1, 7)), Picture)
    histogram(uniform(1, 7)).save(folder / "die.png")
    figure = Figure()
    assert_type(density(uniform(1, 7), ax=figure.add_subplot()), Figure)


def mistakes_that_a_checker_finds(die: Var) -> None:
    for mistake in (
        lambda: randvar.no_such_name,  # type: ignore[attr-defined]
        lambda: die.mean(),  # type: ignore[attr-defined]  # expect(die)
        lambda: monte_carlo(3, 10),  # type: ignore[type-var]
        lambda: uniform("1", 7),  # type: ignore[arg-type]
        lambda: expect(die, 3),  # type: ignore[call-overload]
        lambda: report(indep(die, die), 3.5),  # type: ignore[arg-type]
        lambda: group_gradient(indep(die, die), 4, "median"),  # type: ignore[arg-type]
    ):
        try:
            mistake()
        except (TypeError, AttributeError, RandvarError):
            continue
        raise AssertionError("a mistake went through")


def main() -> None:
    die = make_laws()
    pair = couple_them(die)
    ask_for_numbers(die, pair)
    estimate(die, pair)
    policy_gradients()
    judge(die)
    walk(3)
    mistakes_that_a_checker_finds(die)
    with tempfile.TemporaryDirectory() as folder:
        draw(Path(folder))


if __name__ == "__main__":
    main()
