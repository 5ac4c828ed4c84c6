"""The enumeration itself, against numbers that were computed without it."""

import json
from fractions import Fraction
from pathlib import Path

import oracle
import pytest

REFERENCE = json.loads((Path(__file__).parents[1] / "support" / "reference" / "sampling_to_reinforce.json").read_text())
DATA = REFERENCE["data"]
EXACT = {name: entry["exact"] for name, entry in REFERENCE["entries"].items()}
die = oracle.uniform(range(1, 7))


def exact_law(pairs):
    return {Fraction(v): Fraction(p) for v, p in pairs}


def test_two_dice():
    independent = oracle.law_of(lambda a, b: a + b, die, die)
    assert independent == oracle.total(die, 2) == exact_law(EXACT["003.joint.two_dice_sum"]["pmf"])
    assert oracle.law_of(lambda a: a + a, die) == exact_law(EXACT["003.joint.two_dice_shared_sum"]["pmf"])
    assert oracle.covariance(oracle.law_of(lambda a: (a, a), die)) == oracle.variance(die) == Fraction(35, 12)


def test_mean_of_ten():
    f = oracle.law_of(lambda face: Fraction(DATA["f"][face - 1]), die)
    ten = oracle.law_of(lambda s: s / 10, oracle.total(f, 10))
    assert ten == {v: p / 6**10 for v, p in exact_law(EXACT["003.mc.f_ten"]["pmf_counts_over_6^10"]).items()}


def test_stratified_poll():
    red, blue = (
        oracle.given(oracle.uniform(range(30)), lambda person, low=low: (person < 10) is low) for low in (True, False)
    )

    def answers(group, draws):
        return oracle.total(oracle.law_of(lambda person: Fraction(DATA["responses"][person]), group), draws)

    poll = oracle.law_of(lambda a, b: a / 2 / 3 + 2 * b / 4 / 3, answers(red, 2), answers(blue, 4))
    assert poll == exact_law(EXACT["003.poll.stratified"]["pmf"])


def test_divergence():
    p, q = oracle.law(range(1, 7), range(1, 7)), die
    assert float(oracle.kl(p, q)) == float(EXACT["003.kl.exact"]["KL_p_q"])
    assert float(oracle.kl(q, p)) == float(EXACT["003.kl.exact"]["KL_q_p"])


def test_mixture_and_dependent():
    coin = oracle.uniform([0, 1])
    pair = oracle.dependent(coin, lambda c: die if c else {0: Fraction(1)})
    assert oracle.law_of(lambda ab: ab[1], pair) == oracle.mixture(coin, lambda c: die if c else {0: Fraction(1)})
    assert oracle.probability(pair, lambda ab: ab == (1, 6)) == Fraction(1, 12)
    assert oracle.mean(pair, lambda ab: ab[1]) == Fraction(7, 4)


def test_draws_and_folds_agree():
    assert oracle.law_of_draws(max, die, 3) == oracle.fold(max, die, 3)
    assert oracle.law_of_draws(sum, die, 3) == oracle.total(die, 3)


@pytest.mark.parametrize(("n", "at_least"), [(1, 6), (2, 7), (3, 3), (4, 20), (5, 30)])
def test_tail_by_inclusion_and_exclusion(n, at_least):
    assert oracle.dice_tail(n, at_least) == oracle.probability(oracle.total(die, n), lambda s: s >= at_least)
