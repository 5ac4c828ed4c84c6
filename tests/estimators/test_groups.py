"""Gradients of groups against every tuple of draws, closed forms against laws, and what the field has measured."""

import itertools
import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import oracle
import pytest
import sympy
from agreement import agree
from hypothesis import given, settings
from hypothesis import strategies as st

from randvar import (
    Joint,
    RandvarError,
    SupportTooLarge,
    UndefinedOutcome,
    Var,
    assert_unbiased,
    bernoulli,
    constant,
    cov_matrix,
    expect,
    from_weights,
    group_gradient,
    leave_one_out_gradient,
    monte_carlo,
    optimal_baseline,
    reinforce,
    report,
    shared,
    softmax,
    variance,
)
from randvar.rollouts import logit_score, policy_gradient

settings.register_profile("groups", deadline=None, max_examples=30)
settings.load_profile("groups")

CASES = json.loads((Path(__file__).parents[1] / "support" / "reference" / "cases.json").read_text())

weights = st.lists(st.integers(1, 5), min_size=2, max_size=3)
rewards = st.lists(st.integers(-3, 3), min_size=3, max_size=3)
sizes = st.integers(2, 4)


def normalised(weights):
    return [Fraction(w, sum(weights)) for w in weights]


def bandit(weights, rewards):
    """The policy, its reward, and the Joint of (reward, score vector)."""
    policy = Var(range(len(weights)), normalised(weights))
    score = logit_score(policy)
    return policy, rewards.__getitem__, policy.vector(lambda a: (rewards[a], *score(a)))


def as_floats(draws, divisor=1):
    """The same rows in a float law, each number over the divisor."""
    columns = [c.astype(float) / divisor for c in draws.columns]
    return from_weights(zip(*columns, strict=True), draws.weights.astype(float)).vector(lambda row: row)


def binary(p, low=0, high=1):
    """(reward, score) of a Bernoulli action with one logit."""
    return shared(bernoulli(p)).op(lambda a: high if a else low, lambda a: a - p)


def by_tuples(draws, n, estimate):
    """The law of estimate(rewards, scores) over all ordered tuples, in fractions."""
    rows = dict(zip(map(tuple, draws.outcomes.tolist()), draws.weights.tolist(), strict=True))
    return oracle.law_of_draws(lambda sample: estimate([r for r, *_ in sample], [s for _, *s in sample]), rows, n)


def estimate(baseline):
    """(1/n) sum_i (R_i - baseline_i) S_i, as a tuple over the score coordinates."""

    def run(r, s):
        n = len(r)
        bases = {
            "mean": [Fraction(sum(r), n)] * n,
            "leave_one_out": [Fraction(sum(r) - x, n - 1) for x in r],
            "none": [0] * n,
        }[baseline]
        return tuple(
            sum((x - b) * row[k] for x, b, row in zip(r, bases, s, strict=True)) / Fraction(n) for k in range(len(s[0]))
        )

    return run


def rows_of(law):
    return dict(zip(map(tuple, law.outcomes.tolist()), law.weights.tolist(), strict=True))


# Against every tuple


@given(weights, rewards, sizes, st.sampled_from(["mean", "leave_one_out", "none"]))
def test_vector_laws_and_closed_forms_in_rationals(weights, rewards, n, baseline):
    _, _, draws = bandit(weights, rewards)
    exact = by_tuples(draws, n, estimate(baseline))
    law = group_gradient(draws, n, baseline)
    d = draws.dim - 1
    for i, j in itertools.product(range(d), repeat=2):
        moments = oracle.law(((v[i], v[j]) for v in exact), exact.values())
        assert law.source.covariance_matrix()[i, j] == oracle.covariance(moments)
    assert list(expect(law)) == [oracle.mean(exact, lambda v, i=i: v[i]) for i in range(d)]
    assert rows_of(law) == exact


@given(weights, rewards, sizes, st.sampled_from(["mean", "leave_one_out", "none"]))
def test_one_score_is_a_var(weights, rewards, n, baseline):
    _, _, draws = bandit(weights, rewards)
    law = group_gradient(draws.select(0, 1), n, baseline)
    assert {(v,): p for v, p in law.to_dict().items()} == by_tuples(draws.select(0, 1), n, estimate(baseline))


def divided(ddof, epsilon=0.0):
    def run(r, s):
        n = len(r)
        mean = Fraction(sum(r), n)
        squares = sum((x - mean) ** 2 for x in r)
        if squares == 0:
            return tuple(0.0 for _ in s[0])
        spread = math.sqrt(squares / (n - ddof)) + epsilon
        return tuple(
            float(sum((x - mean) * row[k] for x, row in zip(r, s, strict=True))) / n / spread for k in range(len(s[0]))
        )

    return run


@given(weights, rewards, sizes, st.sampled_from([0, 1]), st.sampled_from([0, Fraction(1, 8)]))
def test_division_by_the_standard_deviation(weights, rewards, n, ddof, epsilon):
    _, _, draws = bandit(weights, rewards)
    exact = by_tuples(draws, n, divided(ddof, float(epsilon)))
    for given_draws in (
        draws,
        as_floats(draws),
    ):
        law = group_gradient(given_draws, n, divide_by_std=True, ddof=ddof, epsilon=epsilon)
        for i in range(draws.dim - 1):
            assert float(expect(law)[i]) == pytest.approx(oracle.mean(exact, lambda v, i=i: v[i]), abs=1e-13)
            spread = oracle.variance(exact, lambda v, i=i: v[i])
            assert float(variance(law)[i]) == pytest.approx(spread, abs=1e-13)


@given(weights, rewards, sizes)
def test_floats_find_as_many_outcomes_as_fractions(weights, rewards, n):
    _, _, draws = bandit(weights, rewards)
    floats = as_floats(draws, 10)
    for baseline in ("mean", "leave_one_out"):
        assert len(group_gradient(floats, n, baseline)) == len(group_gradient(draws, n, baseline))


# Unbiased, or by how much not


@given(weights, rewards, sizes)
def test_what_is_unbiased_and_what_is_shrunk(weights, rewards, n):
    policy, reward, draws = bandit(weights, rewards)
    truth = policy_gradient(policy, reward)
    assert list(expect(reinforce(draws, n))) == list(truth)
    assert list(expect(reinforce(draws, n, baseline=Fraction(7, 3)))) == list(truth)
    assert list(expect(reinforce(draws, n, baseline=optimal_baseline(draws)))) == list(truth)
    assert list(expect(group_gradient(draws, n, "leave_one_out"))) == list(truth)
    assert list(expect(group_gradient(draws, n, "mean"))) == [Fraction(n - 1, n) * g for g in truth]
    assert_unbiased(group_gradient(draws.select(0, 2), n, "leave_one_out"), truth[1])


@given(weights, rewards, st.fractions(-3, 3, max_denominator=8))
def test_no_constant_baseline_beats_the_optimal_one(weights, rewards, other):
    _, _, draws = bandit(weights, rewards)
    best = sum(variance(reinforce(draws, baseline=optimal_baseline(draws))))
    assert best <= sum(variance(reinforce(draws, baseline=other)))


def test_leave_one_out_against_plain_averaging():
    """Worse at two draws, better from three on."""
    policy = softmax(range(8), temperature=3)
    mean = expect(policy)
    draws = shared(policy).op(lambda a: a, lambda a: (mean - a) / 9)

    def spreads(n):
        return variance(group_gradient(draws, n, "leave_one_out")), variance(group_gradient(draws, n, "none"))

    loo, plain = spreads(2)
    assert (loo, plain) == (pytest.approx(0.347177, abs=5e-7), pytest.approx(0.346566, abs=5e-7))
    assert all(loo < plain for loo, plain in map(spreads, range(3, 9)))
    assert variance(leave_one_out_gradient(draws, 3)) == pytest.approx(0.17261202724549228854, rel=1e-12)
    assert expect(group_gradient(draws, 4, baseline="mean")) / expect(draws.mul()) == pytest.approx(0.75, rel=1e-12)


def test_case_n03():
    p = Fraction(1, 4)
    draws = binary(p, low=-1, high=2)
    laws = {
        "none": group_gradient(draws, 3, "none"),
        "own": group_gradient(draws, 3, "mean"),
        "loo": group_gradient(draws, 3, "leave_one_out"),
        "known_mean": reinforce(draws, 3, baseline=expect(draws[0])),
    }
    got = {
        f"{number}_{name}": f(law) for name, law in laws.items() for number, f in (("mean", expect), ("var", variance))
    }
    got |= {"true_gradient": policy_gradient(bernoulli(p), lambda a: 2 if a else -1)[1]}
    got |= {"mean_own_G128": expect(group_gradient(draws, 128, "mean"))}
    agree(got, CASES["N03-own-sample-baseline-vs-leave-one-out"]["expected"], "N03")
    assert got["mean_own_G128"] == Fraction(1143, 2048)


def test_a_group_of_128_by_counting():
    """The law itself, from the number of ones: c of 128 gives (c/n)(1 - c/n) times the spread of rewards."""
    p, n = Fraction(1, 4), 128
    law = group_gradient(binary(p), n)
    exact = {}
    for c in range(n + 1):
        value = Fraction(c * (n - c), n * n)
        exact[value] = exact.get(value, 0) + math.comb(n, c) * p**c * (1 - p) ** (n - c)
    assert law.to_dict() == exact


def test_case_n04():
    def row(p, name):
        draws = binary(p)
        popstd = expect(group_gradient(draws, 4, divide_by_std=True))
        return {
            f"popstd_{name}": popstd,
            f"samplestd_{name}": expect(group_gradient(draws, 4, divide_by_std=True, ddof=1)),
            f"ratio_popstd_{name}": popstd / (p * (1 - p)),
            f"nostd_{name}": expect(group_gradient(draws, 4)),
        }

    exact = CASES["N04-grpo-std-normalisation-difficulty-bias"]["expected"]
    agree(row(0.5, "half") | row(0.1, "tenth"), exact, "N04")
    agree(row(Fraction(1, 2), "half") | row(Fraction(1, 10), "tenth"), exact, "N04")


def test_division_by_the_standard_deviation_in_symbols():
    """For every p: the mean is E[std], sqrt(3)/4 for one or three successes of four, 1/2 for two, else 0."""
    sympy = pytest.importorskip("sympy")
    p = sympy.Symbol("p", positive=True)
    q = 1 - p
    mean = expect(group_gradient(binary(p), 4, divide_by_std=True))
    by_counts = 4 * p * q * (p**2 + q**2) * sympy.sqrt(3) / 4 + 6 * p**2 * q**2 / 2
    assert sympy.expand(mean - by_counts) == 0


@pytest.mark.parametrize("n", [2, 3, 7])
def test_for_every_p_at_once(n):
    """Leave-one-out is proved unbiased, the group mean proved short by a share 1/n, whatever p is."""
    sympy = pytest.importorskip("sympy")
    p = sympy.Symbol("p", positive=True)
    truth = p * (1 - p)
    assert_unbiased(group_gradient(binary(p), n, "leave_one_out"), truth)
    short = report(group_gradient(binary(p), n), truth)
    assert short.proof == "proved"
    assert sympy.expand(short.bias + truth / n) == 0


def test_a_group_of_two_is_exact_when_divided():
    """Of two different rewards the standard deviation is half their distance: no root is irrational."""
    law = group_gradient(binary(Fraction(1, 3)), 2, divide_by_std=True)
    assert law.to_dict() == {0: Fraction(5, 9), Fraction(1, 2): Fraction(4, 9)}


# Large groups


def test_eight_outcomes_eight_draws():
    """6435 multisets; the moments of the law are the closed forms."""
    policy = softmax(range(8), temperature=3)
    score = logit_score(policy, 3)
    hundredths = [30, -120, 80, 250, -70, 110, 5, -220]
    draws = policy.vector(lambda a: (hundredths[a] / 100, *score(a)))
    law = group_gradient(draws, 8)
    listed = Joint.of(law.law)
    np.testing.assert_allclose(expect(listed), expect(law), rtol=1e-12)
    np.testing.assert_allclose(cov_matrix(listed), cov_matrix(law), rtol=1e-11, atol=1e-15)
    # advantages sum to 0, so that only how often each outcome was drawn, times its advantage, tells groups apart
    counts = [Counter(group) for group in itertools.combinations_with_replacement(range(8), 8)]
    totals = [sum(c * hundredths[a] for a, c in group.items()) for group in counts]
    distinct = {
        tuple(group[a] * (8 * hundredths[a] - total) for a in range(8))
        for group, total in zip(counts, totals, strict=True)
    }
    assert len(listed) == len(distinct)


def test_closed_forms_for_a_group_too_large_to_list():
    policy = softmax(range(8))
    draws = policy.vector(lambda a: (float(a), *logit_score(policy)(a)))
    law = group_gradient(draws, 1000)
    np.testing.assert_allclose(expect(law), 0.999 * policy_gradient(policy, float), rtol=1e-12)
    assert cov_matrix(law).shape == (8, 8)
    with pytest.raises(SupportTooLarge):
        law.weights
    with pytest.raises(SupportTooLarge):
        group_gradient(draws, 1000, divide_by_std=True)


# Edges and mistakes


@pytest.mark.parametrize("divide", [False, True])
def test_equal_rewards_give_no_gradient(divide):
    draws = shared(bernoulli(Fraction(1, 3))).op(lambda a: 5, lambda a: a - Fraction(1, 3))
    assert group_gradient(draws, 3, divide_by_std=divide).to_dict() == {0: 1}
    floats = shared(bernoulli(0.3)).op(lambda a: 0.1, lambda a: a - 0.3)
    assert group_gradient(floats, 3, divide_by_std=divide, epsilon=1e-8).to_dict() == pytest.approx({0: 1})


def test_a_group_of_one():
    draws = binary(Fraction(1, 3))
    assert group_gradient(draws, 1, "none").to_dict() == draws.mul().to_dict()
    for baseline in ("mean", "leave_one_out"):
        with pytest.raises(RandvarError, match="a draw alone is its own mean"):
            group_gradient(draws, 1, baseline)


def test_reinforce_is_the_mean_of_products():
    draws = binary(0.3)
    assert reinforce(draws, 5).to_dict() == monte_carlo(draws.mul(), 5).to_dict()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: group_gradient(d[0], 3), "must be a Joint of"),
        (lambda d: group_gradient(d.select(0), 3), "a Joint of 1"),
        (lambda d: group_gradient(d, 3, "median"), "baseline must be"),
        (lambda d: group_gradient(d, 2.5), "whole number"),
        (lambda d: group_gradient(d, 3, "none", divide_by_std=True), "goes with a group baseline"),
        (lambda d: group_gradient(d, 3, divide_by_std=True, ddof=2), "ddof must be"),
        (lambda d: group_gradient(d, 3, divide_by_std=True, epsilon=-1), "epsilon must be"),
        (lambda d: reinforce(d, 0), "at least 1"),
        (lambda d: reinforce(d.op(lambda r: math.inf * r if r else r, lambda s: s)), "infinite"),
        (lambda d: reinforce(shared(Var("ab", [0.5, 0.5])), 2), "needs numbers"),
    ],
)
def test_mistakes(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(binary(0.3))


def test_no_baseline_where_every_score_is_zero():
    with pytest.raises(UndefinedOutcome, match="every score is 0"):
        optimal_baseline(shared(constant(1)).op(lambda r: r, lambda s: 0))


def test_rewards_that_are_floats_or_symbols_in_an_exact_law():
    half = Fraction(1, 2)
    for reward in (0.5, sympy.Symbol("r", positive=True)):
        draws = Var([0, 1], [half, half]).vector(lambda a, reward=reward: (a * reward, a - half))
        scaled = Var([0, 1], [half, half]).vector(lambda a: (a, a - half))  # the division takes the scale out
        assert float(expect(group_gradient(draws, 2, divide_by_std=True))) == pytest.approx(
            float(expect(group_gradient(scaled, 2, divide_by_std=True)))
        )
