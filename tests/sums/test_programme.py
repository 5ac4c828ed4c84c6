"""The programme over outcomes, against naive enumeration of all tuples in exact fractions."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from as_groups import combine, key_programme, outcome_programme, rational_sum, vector_sum, weights_of
from hypothesis import given, settings
from hypothesis import strategies as st

import randvar
from randvar.errors import SupportTooLarge, UndefinedOutcome
from randvar.sums.cdf import MeetInTheMiddle

BUDGET = 5_000_000
ROOTS = [math.sqrt(prime) for prime in (2, 3, 5, 7, 11, 13)]


def enumerate_sums(values, probs, n):
    """{sum: probability} over all k^n tuples, in exact arithmetic."""
    law = Counter()
    for draws in itertools.product(range(len(values)), repeat=n):
        law[sum(values[i] for i in draws)] += math.prod((probs[i] for i in draws), start=Fraction(1))
    return law


def as_objects(probs):
    array = np.empty(len(probs), dtype=object)
    array[:] = probs
    return array


def normalised(weights):
    exact = [Fraction(w) for w in weights]
    return [w / sum(exact) for w in exact]


small_weights = st.lists(st.integers(1, 9), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(small_weights, st.integers(0, 5), st.randoms(use_true_random=False))
def test_decimals_agree_with_enumeration_atom_by_atom(weights, n, random):
    tenths = random.sample(range(-30, 31), len(weights))  # their floats are no lattice: 0.1 + 0.2 is not 0.3
    truth = sorted(enumerate_sums([Fraction(t, 10) for t in tenths], normalised(weights), n).items())
    sums, masses = outcome_programme(np.array(tenths) / 10, np.array(weights, dtype=float), n)
    assert len(sums) == len(truth)
    assert sums == pytest.approx([float(s) for s, _ in truth], rel=1e-14, abs=1e-14)
    assert masses == pytest.approx([float(p) for _, p in truth], rel=1e-14, abs=0)


@settings(max_examples=60, deadline=None)
@given(small_weights, st.integers(0, 4), st.randoms(use_true_random=False))
def test_independent_irrationals_have_one_atom_a_multiset(weights, n, random):
    # square roots of distinct primes are linearly independent over the rationals
    values = random.sample(ROOTS, len(weights))
    sums, masses = outcome_programme(np.array(values), np.array(weights, dtype=float), n)
    exact = Counter()
    for draws in itertools.product(range(len(values)), repeat=n):
        exact[tuple(sorted(draws))] += math.prod((normalised(weights)[i] for i in draws), start=Fraction(1))
    truth = sorted((math.fsum(values[i] for i in draws), float(p)) for draws, p in exact.items())
    assert sums == pytest.approx([s for s, _ in truth], rel=1e-14)
    assert masses == pytest.approx([p for _, p in truth], rel=1e-14, abs=0)


@settings(max_examples=60, deadline=None)
@given(small_weights, st.integers(0, 4), st.integers(1, 2**70), st.randoms(use_true_random=False))
def test_exact_weights_and_keys_of_any_size_are_exact(weights, n, step, random):
    keys = [step * multiple for multiple in random.sample(range(-5, 6), len(weights))]
    probs = normalised(weights)
    exact = enumerate_sums(keys, probs, n)
    sums, masses = key_programme(keys, as_objects(probs), n)
    assert dict(zip(sums.tolist(), masses.tolist(), strict=True)) == exact
    assert sums.tolist() == sorted(sums.tolist())
    floats = key_programme(keys, np.array(weights, dtype=float), n)
    assert floats[0].tolist() == sums.tolist()
    assert floats[1] == pytest.approx([float(p) for p in masses], rel=1e-14, abs=0)


def test_exact_weights_with_float_values():
    probs = as_objects([Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)])
    sums, masses = outcome_programme(np.array([0.1, 0.2, 0.3]), probs, 6)
    exact = enumerate_sums([1, 2, 3], probs.tolist(), 6)
    assert masses.tolist() == [exact[s] for s in range(6, 19)]
    assert sums == pytest.approx(np.arange(6, 19) / 10)


@pytest.mark.parametrize(("n", "atoms"), [(5, 126), (10, 726), (20, 4851), (50, 67_626)])
def test_log_ratios_of_a_weighted_die_have_as_many_sums_as_the_products_of_its_faces(n, atoms):
    p = np.arange(1, 7) / 21
    sums, masses = outcome_programme(np.log(p / (1 / 6)), p, n)
    assert len(sums) == atoms
    assert np.all(np.diff(sums) > 0)
    assert math.fsum(masses) == pytest.approx(1, abs=1e-14)
    if n <= 10:
        products = Counter()
        for faces in itertools.combinations_with_replacement(range(1, 7), n):
            arrangements = math.factorial(n) // math.prod(math.factorial(c) for c in Counter(faces).values())
            products[math.prod(faces)] += arrangements * math.prod(faces)
        assert len(products) == atoms
        truth = [products[product] / 21**n for product in sorted(products)]
        assert masses == pytest.approx(truth, rel=2e-15 * n, abs=0)


def test_three_decimals_keep_41_sums():
    assert len(outcome_programme(np.array([0.1, 0.2, 0.3]), np.full(3, 1 / 3), 20)[0]) == 41


def test_many_irregular_outcomes_and_few_draws_keep_every_multiset():
    rng = np.random.default_rng(5)
    sums, masses = outcome_programme(rng.normal(size=24), rng.random(24), 5)
    assert len(sums) == math.comb(28, 5)
    assert np.all(np.diff(sums) > 0)
    assert math.fsum(masses) == pytest.approx(1, abs=1e-14)


def test_small_outcomes_survive_beside_large_ones():
    n = 12
    sums, masses = outcome_programme(np.array([1e-8, 1.0, 1e8]), np.array([0.5, 0.25, 0.25]), n)
    # Beside a 1e8 the small outcomes are below the rounding of the sum; without one every count is visible.
    without_large = sums[sums < 5e7]
    assert without_large == pytest.approx(sorted(a * 1e-8 + (n - a) for a in range(n + 1)), rel=1e-15)
    assert len(sums) == (n + 1) + sum(n - c + 1 for c in range(1, n + 1))
    assert masses[0] == pytest.approx(0.5**n, rel=1e-15)


def test_outcomes_that_cancel_meet_at_zero():
    sums, masses = outcome_programme(np.array([-0.3, 0.1, 0.2]), np.full(3, 1 / 3), 6)
    exact = enumerate_sums([-3, 1, 2], [Fraction(1, 3)] * 3, 6)
    assert len(sums) == len(exact)
    zero = int(np.argmin(np.abs(sums)))
    assert abs(sums[zero]) < 1e-15
    assert masses[zero] == pytest.approx(float(exact[0]), rel=1e-14)
    assert 0.0 in outcome_programme(np.array([-0.1, 0.0, 0.1]), np.full(3, 1 / 3), 4)[0]


def test_neither_factorials_nor_powers_limit_the_number_of_draws():
    n, probs = 700, [0.2, 0.3, 0.5]
    step = math.pi * 1e3  # c_1 + c_2 * step names the counts
    sums, masses = outcome_programme(np.array([0.0, 1.0, step]), np.array(probs), n)
    total = sum(map(Fraction, probs))
    for c1, c2 in [(210, 350), (0, 350), (210, 400), (190, 90), (1, 699), (300, 300)]:
        c0 = n - c1 - c2
        exact = Fraction(math.factorial(n), math.factorial(c0) * math.factorial(c1) * math.factorial(c2))
        for p, c in zip(probs, (c0, c1, c2), strict=True):
            exact *= (Fraction(p) / total) ** c
        index = np.searchsorted(sums, c1 + c2 * step - 0.5)
        assert sums[index] == pytest.approx(c1 + c2 * step, abs=1e-3)
        assert masses[index] == pytest.approx(float(exact), rel=1e-13, abs=0)


def test_probabilities_that_underflow_are_dropped_and_the_others_stay_right():
    sums, masses = outcome_programme(np.array([0.0, 1.0, math.e]), np.array([1e-200, 0.5, 0.5]), 2)
    assert sums == pytest.approx([1.0, 2.0, math.e, 1 + math.e, 2 * math.e])
    assert masses == pytest.approx([1e-200, 0.25, 1e-200, 0.5, 0.25], rel=1e-15, abs=0)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_one_outcome(n):
    sums, masses = outcome_programme(np.array([0.7]), np.array([1.0]), n)
    assert sums == pytest.approx([0.7 * n])
    assert masses.tolist() == [1.0]


def test_outcomes_of_probability_zero_are_left_out():
    sums, _ = outcome_programme(np.array([0.5, 1.25, math.pi]), np.array([0.5, 0.0, 0.5]), 2)
    assert sums == pytest.approx([1.0, 0.5 + math.pi, 2 * math.pi])


def test_an_infinite_outcome_absorbs():
    sums, masses = outcome_programme(np.array([-math.inf, 1.0, 2.5]), np.array([0.25, 0.5, 0.25]), 2)
    assert sums.tolist() == [-math.inf, 2.0, 3.5, 5.0]
    assert masses == pytest.approx([7 / 16, 1 / 4, 1 / 4, 1 / 16], rel=1e-15)
    exact = as_objects([Fraction(3, 4), Fraction(1, 4)])
    sums, masses = outcome_programme(np.array([1.0, math.inf]), exact, 3)
    assert (sums.tolist(), masses.tolist()) == ([3.0, math.inf], [Fraction(27, 64), Fraction(37, 64)])
    assert outcome_programme(np.array([math.inf]), np.array([1.0]), 3)[0].tolist() == [math.inf]


def test_both_infinities_are_undefined_from_two_draws_on():
    values, probs = np.array([-math.inf, 0.0, math.inf]), np.array([0.25, 0.5, 0.25])
    assert outcome_programme(values, probs, 1)[0].tolist() == values.tolist()
    with pytest.raises(UndefinedOutcome, match="inf"):
        outcome_programme(values, probs, 2)


def test_sums_beyond_the_floats_are_refused():
    with pytest.raises(UndefinedOutcome, match="range of floats"):
        outcome_programme(np.array([1.0, 1e308]), np.array([0.5, 0.5]), 2)


def test_a_support_past_the_budget_is_refused_with_its_size():
    rng = np.random.default_rng(0)
    refused = pytest.raises(SupportTooLarge, match="max_atoms=1,000")
    with randvar.settings(max_atoms=1000), refused as refusal:
        outcome_programme(rng.normal(size=50), rng.random(50), 5)
    assert (refusal.value.size, refusal.value.budget) == (3_162_510, 1000)
    with pytest.raises(SupportTooLarge, match="500,001,500,001 atoms"):
        outcome_programme(np.array([0.0, 1.0, math.pi]), np.full(3, 1 / 3), 10**6)


def test_a_budget_of_as_many_atoms_as_multisets_suffices():
    rng = np.random.default_rng(1)
    for k, n in [(6, 9), (12, 4)]:
        count = math.comb(n + k - 1, n)
        with randvar.settings(max_atoms=count):
            assert len(outcome_programme(rng.normal(size=k), rng.random(k), n)[0]) == count


def test_combine_adds_independent_laws():
    values, p = np.array([0.1, 0.2, 0.7]), np.full(3, 1 / 3)
    two, three, five = (outcome_programme(values, p, n) for n in (2, 3, 5))
    sums, masses = combine(two, three)
    assert sums == pytest.approx(five[0], rel=1e-15)
    assert masses == pytest.approx(five[1], rel=1e-14)


def test_combine_keeps_fractions_and_refuses_what_it_must():
    coin = (np.array([0.0, math.inf]), as_objects([Fraction(1, 2), Fraction(1, 2)]))
    sums, masses = combine(coin, coin)
    assert (sums.tolist(), masses.tolist()) == ([0.0, math.inf], [Fraction(1, 4), Fraction(3, 4)])
    with pytest.raises(UndefinedOutcome, match="inf"):
        combine(coin, (-coin[0], coin[1]))
    with pytest.raises(UndefinedOutcome, match="range of floats"):
        combine((np.array([1e308]), np.ones(1)), (np.array([1e308]), np.ones(1)))
    with randvar.settings(max_atoms=3), pytest.raises(SupportTooLarge) as refusal:
        combine(coin, coin)
    assert refusal.value.size == 4


@settings(max_examples=60, deadline=None)
@given(small_weights, st.integers(0, 4), st.integers(1, 3), st.sampled_from([1, 10**6, 10**30]), st.randoms())
def test_integer_vectors_agree_with_enumeration(weights, n, d, unit, random):
    rows = [tuple(unit * random.randint(-2, 2) for _ in range(d)) for _ in weights]
    exact = enumerate_vectors(rows, normalised(weights), n, d)
    for probs in (np.array(weights, dtype=float), as_objects(normalised(weights))):
        sums, masses = vector_sum(np.array(rows, dtype=object), probs, n)
        assert list(map(tuple, sums.tolist())) == sorted(exact)
        assert [float(p) for p in masses] == pytest.approx([float(exact[s]) for s in sorted(exact)], rel=1e-14, abs=0)
    assert masses.tolist() == [exact[s] for s in sorted(exact)]


@settings(max_examples=60, deadline=None)
@given(small_weights, st.integers(0, 4), st.integers(1, 3), st.randoms())
def test_decimal_vectors_agree_with_enumeration(weights, n, d, random):
    rows = [tuple(random.randint(-9, 9) for _ in range(d)) for _ in weights]
    exact = enumerate_vectors(rows, normalised(weights), n, d)
    sums, masses = vector_sum(np.array(rows) / 10, np.array(weights, dtype=float), n)
    assert [tuple(round(10 * v) for v in row) for row in sums.tolist()] == sorted(exact)
    assert sums == pytest.approx(np.array(sorted(exact)) / 10, rel=1e-14, abs=1e-14)
    assert masses == pytest.approx([float(exact[s]) for s in sorted(exact)], rel=1e-14, abs=0)


def enumerate_vectors(rows, probs, n, d):
    law = Counter()
    for draws in itertools.product(range(len(rows)), repeat=n):
        total = tuple(sum(rows[i][axis] for i in draws) for axis in range(d))
        law[total] += math.prod((probs[i] for i in draws), start=Fraction(1))
    return law


def test_reward_score_and_product_of_ten_outcomes():
    rows = np.array([(reward, score, reward * score) for score in range(2) for reward in range(5)])
    sums, masses = vector_sum(rows, np.arange(1.0, 11.0), 50)
    assert sums.shape == (343_451, 3)
    assert math.fsum(masses) == pytest.approx(1, abs=1e-14)
    mean = rows.T @ np.arange(1, 11) / 55
    assert [math.fsum(masses * column) for column in sums.T] == pytest.approx(50 * mean, rel=1e-13)
    # a single way: fifty draws of the outcome (4, 1, 4), whose probability is 10/55
    assert sums[-1].tolist() == [200, 50, 200]
    assert masses[-1] == pytest.approx(float(Fraction(2, 11) ** 50), rel=2e-13, abs=0)


def test_vectors_that_cannot_be_summed_are_refused():
    with pytest.raises(UndefinedOutcome, match="infinite"):
        vector_sum(np.array([[1.0, math.inf], [0.0, 1.0]]), np.array([0.5, 0.5]), 2)
    with randvar.settings(max_atoms=10):
        with pytest.raises(SupportTooLarge) as refusal:
            vector_sum(np.array([[0.1, 0.2], [0.3, 0.5]]), np.array([0.5, 0.5]), 10)
        assert refusal.value.size == 11
        with pytest.raises(SupportTooLarge):
            vector_sum(np.array([[0, 1], [1, 0]]), np.array([0.5, 0.5]), 10)


@settings(max_examples=60, deadline=None)
@given(small_weights, st.integers(0, 5), st.integers(-60, 60), st.randoms())
def test_meet_in_the_middle_decides_ties_as_exact_decimals_would(weights, n, tenths, random):
    values = random.sample(range(-15, 16), len(weights))
    exact = enumerate_sums(values, normalised(weights), n)
    truth = sum((p for s, p in exact.items() if s <= tenths), start=Fraction(0))
    floats = MeetInTheMiddle(np.array(values) / 10, np.array(weights, dtype=float), n)
    assert cdf(floats, tenths / 10) == pytest.approx(float(truth), rel=1e-14, abs=0)
    exact = MeetInTheMiddle(np.array(values) / 10, weights_of(normalised(weights)), n)
    assert cdf(exact, tenths / 10) == truth


def cdf(halves, t):
    part, mass = halves.part(t)
    return part / mass if isinstance(part, float) else Fraction(part, mass)


def test_meet_in_the_middle_agrees_with_the_law():
    rng = np.random.default_rng(3)
    values, probs = rng.normal(size=7), rng.random(7)
    sums, masses = outcome_programme(values, probs, 9)
    below = np.cumsum(masses)
    halves = MeetInTheMiddle(values, probs, 9)
    for index in rng.integers(0, len(sums) - 1, size=20):
        assert cdf(halves, sums[index]) == pytest.approx(below[index], rel=1e-12)
        assert cdf(halves, (sums[index] + sums[index + 1]) / 2) == pytest.approx(below[index], rel=1e-12)
    upper = cdf(MeetInTheMiddle(-values, probs, 9), -sums[-1])
    assert upper == pytest.approx(masses[-1], rel=1e-13, abs=0)


def test_meet_in_the_middle_refuses_tables_past_the_budget():
    with pytest.raises(SupportTooLarge) as refusal:
        MeetInTheMiddle(np.sqrt(np.arange(1, 31)), np.full(30, 1 / 30), 20)
    assert refusal.value.size == math.comb(35, 20)


# name: (the floats, the numbers they stand for in units of their own, the unit, the probabilities, the number of draws)
HARD_LAWS = {
    "a gap": ([0.0, 1.0, 1000.0], [0, 1, 1000], 1.0, [1e-9, 1 - 2e-9, 1e-9], 30),
    "one atom": ([2.5], [1], 2.5, [1.0], 12),
    "masses 1e-300 apart": ([0.0, 1.0], [0, 1], 1.0, [1e-300, 1.0], 3),
    "far from zero": ([1e9, 1e9 + 1, 1e9 + 2], [10**9, 10**9 + 1, 10**9 + 2], 1.0, [0.2, 0.5, 0.3], 40),
    "multiples of pi": ([math.pi * i for i in range(-2, 4)], range(-2, 4), math.pi, [1, 2, 3, 4, 5, 6], 25),
    "accumulated tenths": (np.cumsum(np.full(8, 0.1)), range(1, 9), 0.1, [1, 1, 2, 3, 5, 8, 13, 21], 20),
    "a thousand outcomes": (np.arange(1000) / 7, range(1000), 1 / 7, np.arange(1, 1001), 2),
}


@pytest.mark.parametrize("name", HARD_LAWS)
def test_hard_laws_agree_with_exact_rationals(name):
    values, integers, unit, weights, n = HARD_LAWS[name]
    law = rational_sum([(list(integers), [Fraction(float(w)) for w in weights], n)])
    integer_sums = np.array(law.outcomes(), dtype=float)
    exact = np.array([w / law.mass for w in law.weights])  # correctly rounded
    possible = exact > 0
    sums, masses = outcome_programme(np.array(values), np.array(weights, dtype=float), n)
    assert len(sums) == possible.sum()
    assert sums == pytest.approx(integer_sums[possible] * unit, rel=1e-14, abs=1e-13)
    visible = exact[possible] > 1e-300
    assert masses[visible] == pytest.approx(exact[possible][visible], rel=1e-13, abs=0)
