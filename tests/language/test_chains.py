"""Markov chains against matrix powers, all paths, and closed forms."""

import itertools
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import randvar
from randvar import (
    SupportTooLarge,
    UndefinedOutcome,
    Var,
    bernoulli,
    constant,
    indep,
    markov_chain,
    variance,
)
from randvar.chains import markov_reward, stopping_time

settings.register_profile("chains", deadline=None, max_examples=30)
settings.load_profile("chains")

half = Fraction(1, 2)
coin = bernoulli(half)

rows = st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=3, max_size=3)


def kernel_of(rows):
    laws = [oracle.law(range(3), row) for row in rows]
    return laws, lambda state: Var(laws[state].keys(), laws[state].values())


@given(rows, st.integers(0, 5))
def test_the_law_is_a_row_of_the_matrix_power(rows, steps):
    laws, kernel = kernel_of(rows)
    law = {0: Fraction(1)}
    for _ in range(steps):
        law = oracle.mixture(law, laws.__getitem__)
    assert markov_chain(constant(0), kernel, steps).to_dict() == law


def test_ten_states_in_floats():
    matrix = np.array([[(3 * i + 5 * j) % 7 + 1 for j in range(10)] for i in range(10)], dtype=float)
    matrix /= matrix.sum(axis=1, keepdims=True)
    law = markov_chain(constant(4), lambda state: Var(range(10), matrix[state]), 20)
    np.testing.assert_allclose(law.probs, np.linalg.matrix_power(matrix, 20)[4], rtol=1e-13)


def test_the_kernel_is_called_once_for_each_state_and_again_for_the_first():
    called = []

    def step(state):
        called.append(state)
        return Var([state, (state + 1) % 4], [half, half])

    markov_chain(constant(0), step, 50)
    assert sorted(called) == [0, 0, 1, 2, 3]  # the first twice, as of every function


def test_gamblers_ruin():
    """From i of N with a fair coin the ruin has probability 1 - i/N; after 400 games all but 1e-9 is decided."""
    game = markov_chain(constant(3), lambda a: Var([a - 1, a + 1], [0.5, 0.5]), 400, stop=lambda a: a in (0, 10))
    assert game.prob(0) == pytest.approx(0.7, abs=1e-8)
    assert game.prob(10) == pytest.approx(0.3, abs=1e-8)


# Peeking until significant


def flip(state):
    """One more flip, until the z test at 1.96 rejects a fair coin at n >= 20."""
    n, heads, stopped = state
    if stopped:
        return constant(state)
    return bernoulli(0.5).op(lambda c: (n + 1, heads + c, rejects(n + 1, heads + c)))


def rejects(n, heads):
    return n >= 20 and (2 * heads - n) ** 2 > 1.96**2 * n


def test_forty_flips_with_a_stopping_rule():
    stopped = markov_chain(constant((0, 0, False)), flip, 40)
    assert stopped.prob(lambda s: s[2]) == pytest.approx(0.147969398189161, rel=1e-13)


def one_more(state):
    n, heads = state
    return coin.op(lambda c: (n + 1, heads + c))


def test_the_stopping_rule_by_counting_paths():
    """Exact integers: how many of the 2^n paths are still going with so many heads."""
    going = {0: 1}
    rejected = Fraction(0)
    for n in range(1, 41):
        moved = {}
        for heads, paths in going.items():
            for c in (0, 1):
                moved[heads + c] = moved.get(heads + c, 0) + paths
        rejected += Fraction(sum(paths for heads, paths in moved.items() if rejects(n, heads)), 2**n)
        going = {heads: paths for heads, paths in moved.items() if not rejects(n, heads)}
    law = markov_chain(constant((0, 0)), one_more, 40, stop=lambda s: rejects(*s))
    assert law.prob(lambda s: rejects(*s)) == rejected
    assert float(rejected) == pytest.approx(0.147969398189161, rel=1e-14)


def test_when_the_rule_stops():
    time = stopping_time(constant((0, 0)), one_more, lambda s: rejects(*s), 40)
    assert float(1 - time.prob(math.inf)) == pytest.approx(0.147969398189161, rel=1e-14)
    assert time.values[0] == 20
    assert time.prob(20) == Fraction(2 * sum(math.comb(20, h) for h in range(6)), 2**20)


@given(st.integers(1, 9), st.integers(1, 12))
def test_the_first_success_is_geometric(tenths, horizon):
    p = Fraction(tenths, 10)
    time = stopping_time(constant(0), lambda _: bernoulli(p), lambda hit: hit == 1, horizon)
    for t in range(1, horizon + 1):
        assert time.prob(t) == p * (1 - p) ** (t - 1)
    assert time.prob(math.inf) == (1 - p) ** horizon


def test_a_chain_that_starts_stopped():
    assert stopping_time(constant(1), lambda s: coin, lambda s: s == 1, 3).to_dict() == {0: 1}
    assert markov_chain(constant(1), lambda s: coin, 3, stop=lambda s: s == 1).to_dict() == {1: 1}


# Rewards carried along


@given(rows, st.integers(0, 3))
def test_rewards_against_all_paths(rows, steps):
    laws, kernel = kernel_of(rows)

    def reward(before, after):
        return Fraction(2 * before + after * after, 3)

    exact = {}
    for path in itertools.product(range(3), repeat=steps):
        whole = (0, *path)
        p = math.prod((laws[a].get(b, 0) for a, b in itertools.pairwise(whole)), start=Fraction(1))
        key = whole[-1], sum(reward(a, b) for a, b in itertools.pairwise(whole))
        exact[key] = exact.get(key, 0) + p
    pair = markov_reward(constant(0), kernel, reward, steps)
    got = dict(zip(map(tuple, pair.outcomes.tolist()), pair.weights.tolist(), strict=True))
    assert got == {key: p for key, p in exact.items() if p}


def test_rewards_that_round_merge():
    earned = markov_reward(constant(0), lambda s: bernoulli(0.5), lambda before, after: after / 10, 12)[1]
    assert len(earned) == 13
    np.testing.assert_allclose(earned.values, np.arange(13) / 10, rtol=1e-14)


def test_nothing_is_earned_in_an_absorbing_state():
    pair = markov_reward(constant(0), lambda s: coin, lambda before, after: 1, 3, stop=lambda s: s == 1)
    law = pair.combine(lambda s, earned: (s, earned)).to_dict()
    assert law == {(1, 1): half, (1, 2): half**2, (1, 3): half**3, (0, 3): half**3}


def test_a_certain_next_state_needs_no_law():
    assert markov_chain(coin, lambda s: s + 10, 3).to_dict() == {30: half, 31: half}


def test_an_ehrenfest_urn_keeps_its_stationary_law():
    """The binomial law is stationary for moving one of n balls at random."""
    n = 6
    binomial = Var(range(n + 1), [Fraction(math.comb(n, k), 2**n) for k in range(n + 1)])

    def move(k):
        return Var([k - 1, k + 1], [Fraction(k, n), Fraction(n - k, n)])

    assert markov_chain(binomial, move, 5).to_dict() == binomial.to_dict()
    assert variance(markov_chain(constant(0), move, 1)) == 0


# Mistakes


@pytest.mark.parametrize("nothing", [None, indep(coin, coin)])
def test_a_kernel_that_returns_no_law(nothing):
    with pytest.raises(TypeError, match="law of the next state"):
        markov_chain(coin, lambda s: nothing, 2)


def test_a_kernel_that_fails_is_named_with_its_state():
    def fails(state):
        return 1 // state

    with pytest.raises(UndefinedOutcome, match=r"fails raised ZeroDivisionError.*outcome 0"):
        markov_chain(coin, fails, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, lambda s: coin, 2), "state must be a Var"),
        ((coin, 3, 2), "functions of a state"),
        ((coin, lambda s: coin, 2.5), "whole number"),
        ((coin, lambda s: coin, True), "whole number"),
        ((coin, lambda s: coin, -1), "at least 0"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        markov_chain(*arguments)


def test_a_chain_past_the_budget():
    with randvar.settings(max_atoms=1000), pytest.raises(SupportTooLarge) as refused:
        markov_chain(constant(()), lambda s: coin.op(lambda c: (*s, c)), 30)
    assert 1000 < refused.value.size <= 1024


def test_mixing_floats_with_fractions_is_refused():
    with pytest.raises(ValueError, match="float law and a rational law"):
        markov_chain(coin, lambda s: bernoulli(0.5), 1)


def test_the_mass_of_a_long_chain_stays_one_to_the_accuracy_that_it_states():
    law = markov_chain(constant(0), lambda s: Var([(s + 1) % 7, (s + 3) % 7, s], [0.3, 0.1, 0.6]), 3000)
    assert abs(math.fsum(law.probs) - 1) <= min(law.accuracy, 1e-13)
