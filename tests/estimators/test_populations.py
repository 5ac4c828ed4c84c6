"""Finite populations, strata found afterwards, and draws that share a cause, against enumeration in fractions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_laws import assert_same

from randvar import (
    ImpossibleEvent,
    RandvarError,
    SupportTooLarge,
    UndefinedOutcome,
    Var,
    assert_unbiased,
    bernoulli,
    clustered,
    constant,
    expect,
    kurtosis,
    monte_carlo,
    post_stratified,
    settings,
    skewness,
    uniform,
    variance,
    without_replacement,
)
from randvar.estimators import design_effect, intraclass_correlation, post_stratification

units = st.lists(st.integers(-3, 3), min_size=1, max_size=8)
step = st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(1, 3)])


def all_samples(population, n, statistic):
    """The law of a statistic of n units, each set of n counted once."""
    return oracle.law(
        [statistic(s) for s in itertools.combinations(population, n)],
        itertools.repeat(1, math.comb(len(population), n)),
    )


@given(units, step, st.data())
def test_the_mean_of_a_sample(population, size, data):
    population = [size * u for u in population]
    n = data.draw(st.integers(1, len(population)))
    law = all_samples(population, n, lambda s: Fraction(sum(s)) / n)
    exact = without_replacement(population, n, exact=True)
    assert exact.to_dict() == law
    assert_same(without_replacement(list(map(float, population)), n), law)
    lazy = without_replacement(population, n, exact=True)
    assert expect(lazy) == Fraction(sum(population)) / len(population)
    assert variance(lazy) == oracle.variance(law)
    if variance(lazy):
        spread = float(oracle.variance(law))
        for x in (lazy, without_replacement(list(map(float, population)), n)):
            assert skewness(x) == pytest.approx(
                float(oracle.central_moment(law, 3)) / spread**1.5, rel=1e-12, abs=1e-12
            )
            assert kurtosis(x) == pytest.approx(
                float(oracle.central_moment(law, 4)) / spread**2 - 3, rel=1e-12, abs=1e-12
            )


@given(units, st.data())
def test_any_statistic_of_a_sample(population, data):
    n = data.draw(st.integers(1, len(population)))
    assert without_replacement(population, n, max, exact=True).to_dict() == all_samples(population, n, max)
    in_floats = without_replacement(population, n, lambda s: max(s) - min(s))
    assert_same(in_floats, all_samples(population, n, lambda s: max(s) - min(s)))


def test_the_sample_variance_is_unbiased_for_divisor_n_minus_1():
    """E[s^2] is the variance of the population with divisor N - 1."""
    population = [1, 2, 2, 5, 9]
    mean = Fraction(sum(population), 5)

    def s2(sample):
        centre = Fraction(sum(sample), len(sample))
        return sum((v - centre) ** 2 for v in sample) / (len(sample) - 1)

    assert_unbiased(without_replacement(population, 3, s2, exact=True), sum((v - mean) ** 2 for v in population) / 4)
    assert expect(without_replacement(population, 3, np.mean)) == pytest.approx(3.8, rel=1e-14)


def test_moments_of_a_large_population_need_no_law():
    mean = without_replacement(range(10**5), 1000)
    with_replacement = monte_carlo(uniform(0, 10**5), 1000)
    assert variance(mean) == pytest.approx(variance(with_replacement) * (10**5 - 1000) / (10**5 - 1), rel=1e-13)
    with settings(max_atoms=1000), pytest.raises(SupportTooLarge):
        without_replacement(range(1000), 10).values


def test_a_sample_of_zeros_and_ones_is_hypergeometric():
    got = without_replacement([1] * 30 + [0] * 70, 20, exact=True)
    for k in range(21):
        assert got.prob(Fraction(k, 20)) == Fraction(math.comb(30, k) * math.comb(70, 20 - k), math.comb(100, 20))


def test_a_mean_moved_and_stretched():
    got = 1 - 3 * without_replacement([1, 2, 4], 2, exact=True)
    law = all_samples([1, 2, 4], 2, lambda s: 1 - 3 * Fraction(sum(s), 2))
    assert expect(got) == oracle.mean(law)
    assert variance(got) == oracle.variance(law)
    assert got.to_dict() == law


def test_without_replacement_refusals():
    with pytest.raises(RandvarError, match="population of 3 units has no samples of 4"):
        without_replacement([1, 2, 3], 4)
    with pytest.raises(RandvarError, match="depends on the order"):
        without_replacement([1, 2, 3], 2, lambda s: s[0], symmetric=True)
    with pytest.raises(UndefinedOutcome, match="ZeroDivisionError"):
        without_replacement([1, 2, 3], 2, lambda s: 1 / (s[0] + s[1] - 3))
    with pytest.raises(TypeError, match="a unit must be a number, got str"):
        without_replacement(["a", "b"], 1)
    with settings(max_atoms=1000), pytest.raises(SupportTooLarge):
        without_replacement(range(100), 10, max)


# Post-stratification

numbers = st.dictionaries(st.integers(-3, 3), st.integers(1, 5), min_size=1, max_size=3)
strata = st.lists(numbers.map(lambda atoms: oracle.law(atoms, atoms.values())), min_size=1, max_size=3)


@given(strata, st.integers(1, 4), st.data())
def test_post_stratified(laws, n, data):
    parts = data.draw(st.lists(st.integers(1, 5), min_size=len(laws), max_size=len(laws)))
    shares = [Fraction(w, sum(parts)) for w in parts]
    unit = {(s, v): share * p for s, (share, law) in enumerate(zip(shares, laws, strict=True)) for v, p in law.items()}

    def estimate(sample):
        drawn = [[v for s, v in sample if s == i] for i in range(len(laws))]
        if not all(drawn):
            return None
        return sum(share * Fraction(sum(d), len(d)) for share, d in zip(shares, drawn, strict=True))

    law = oracle.law_of_draws(estimate, unit, n)
    lost = law.get(None, 0)
    stratum_laws = [Var(law.keys(), law.values()) for law in laws]
    if lost == 1:
        with pytest.raises(ImpossibleEvent, match="cannot fall into all"):
            post_stratified(stratum_laws, shares, n, undefined="drop")
        return
    got = post_stratified(stratum_laws, shares, n, undefined="drop")
    assert got.to_dict() == oracle.given(law, lambda v: v is not None)
    assert got.lost_mass == lost
    assert expect(got) == sum(share * oracle.mean(law) for share, law in zip(shares, laws, strict=True))
    in_floats = post_stratified([x.to_float() for x in stratum_laws], list(map(float, shares)), n, undefined="drop")
    assert_same(in_floats, got.to_dict())
    if lost:
        with pytest.raises(UndefinedOutcome, match=f"probability {lost}"):
            post_stratified(stratum_laws, shares, n)


def test_post_stratified_stops_as_soon_as_its_budget_is_spent(monkeypatch):
    made = []
    stratified = post_stratification.stratified
    monkeypatch.setattr(post_stratification, "stratified", lambda *a, **k: made.append(1) or stratified(*a, **k))
    strata = [uniform(0, 5)] * 3
    refused = pytest.raises(SupportTooLarge, match="ways to share 30 draws out, would have")
    with settings(max_atoms=200_000), refused:
        post_stratified(strata, [0.5, 0.25, 0.25], 30, undefined="drop")
    assert 0 < len(made) < 100 < math.comb(29, 2)


def test_post_stratified_refusals():
    with pytest.raises(RandvarError, match="2 strata but 1 shares"):
        post_stratified([constant(1), constant(2)], [1], 3)
    with pytest.raises(RandvarError, match=r"sum to 1\.5, not 1"):
        post_stratified([constant(1), constant(2)], [0.5, 1.0], 3)
    with pytest.raises(RandvarError, match='"raise" or "drop", got \'keep\''):
        post_stratified([constant(1)], [1], 3, undefined="keep")


# Clusters

causes = st.dictionaries(st.fractions(0, 1, max_denominator=4), st.integers(1, 4), min_size=1, max_size=3)


@given(causes.map(lambda atoms: oracle.law(atoms, atoms.values())), st.integers(1, 3), st.integers(1, 2))
def test_clustered(skill, size, groups):
    def group(p):
        return oracle.total({v: w for v, w in ((0, 1 - p), (1, p)) if w}, size)

    whole = oracle.total(oracle.mixture(skill, group), groups)
    law = oracle.law_of(lambda s: Fraction(s, size * groups), whole)
    cause = Var(skill.keys(), skill.values())
    assert clustered(cause, bernoulli, size, groups).to_dict() == law
    mean = oracle.mean(skill)
    if mean * (1 - mean):
        rho = intraclass_correlation(cause, bernoulli)
        assert rho == oracle.variance(skill) / (mean * (1 - mean))
        assert variance(clustered(cause, bernoulli, size, groups)) == mean * (1 - mean) / (
            size * groups
        ) * design_effect(size, rho)


def test_correlation_within_a_group_is_that_of_two_of_its_draws():
    skill = oracle.law([Fraction(1, 4), Fraction(3, 4)], [1, 2])
    two = oracle.mixture(skill, lambda p: oracle.law_of(lambda a, b: (a, b), {0: 1 - p, 1: p}, {0: 1 - p, 1: p}))
    one = oracle.law_of(lambda ab: ab[0], two)
    rho = intraclass_correlation(Var(skill.keys(), skill.values()), bernoulli)
    assert rho == oracle.covariance(two) / oracle.variance(one)


def test_cluster_refusals():
    with pytest.raises(UndefinedOutcome, match="do not vary"):
        intraclass_correlation(constant(1), constant)
    with pytest.raises(
        RandvarError, match=r"16 draws cannot all have correlation -0\.1; it lies between -0\.06667 and 1"
    ):
        design_effect(16, -0.1)
    with pytest.raises(RandvarError, match="between -1 and 1"):
        design_effect(1, 1.5)
    with pytest.raises(UndefinedOutcome, match=r"kernel\(c\) must be a Var"):
        clustered(constant(1), lambda c: c, 2)
    for size in range(2, 60):
        assert design_effect(size, -1 / (size - 1)) == pytest.approx(0, abs=1e-15)
        assert design_effect(size, Fraction(-1, size - 1)) == 0
