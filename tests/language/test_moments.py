"""Moments that need no law, against the moments of the law."""

from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randvar import (
    Joint,
    Var,
    control_variate,
    cov_matrix,
    covar,
    expect,
    from_weights,
    indep,
    kurtosis,
    leave_one_out_gradient,
    monte_carlo,
    shared,
    skewness,
    stratified,
    total,
    uniform,
    variance,
)
from randvar.examples.sampling_to_reinforce import ab_test, monte_carlo_with_control

settings.register_profile("closed", deadline=None, max_examples=30)
settings.load_profile("closed")

die = uniform(1, 7)
weights = st.lists(st.integers(1, 9), min_size=2, max_size=4)


def cumulants_of_the_law(x):
    """k1..k4 from the atoms alone, in exact fractions of the floats that they are."""
    pairs = [(Fraction(v), Fraction(p)) for v, p in zip(x.values.tolist(), x.probs.tolist(), strict=True)]
    mass = sum(p for _, p in pairs)
    mean = sum(v * p for v, p in pairs) / mass
    second, third, fourth = (sum((v - mean) ** r * p for v, p in pairs) / mass for r in (2, 3, 4))
    return [float(k) for k in (mean, second, third, fourth - 3 * second**2)]


def closed(x):
    """The same from the functions a person calls."""
    v = variance(x)
    return [expect(x), v, skewness(x) * v**1.5, kurtosis(x) * v**2]


def agree(x):
    scale = [max(1.0, abs(v)) ** r for r, v in zip((1, 2, 3, 4), [np.abs(x.values).max()] * 4, strict=True)]
    for a, b, size in zip(closed(x), cumulants_of_the_law(x), scale, strict=True):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-11 * size)


@given(weights, st.integers(1, 5))
def test_means_and_totals(w, n):
    x = from_weights([0.5, 1, 2, 5][: len(w)], w)
    agree(monte_carlo(x, n))
    agree(total(x, n))
    agree(3 - 2 * monte_carlo(x, n))


@given(weights, weights, st.integers(1, 3), st.integers(1, 3))
def test_strata(a, b, n, m):
    low, high = from_weights(range(len(a)), a), from_weights([3, 5, 6, 10][: len(b)], b)
    agree(stratified([low, high], [0.25, 0.75], [n, m]))


@given(weights, st.integers(1, 4), st.sampled_from([0.5, 1, 2]))
def test_controls(w, n, b):
    x = from_weights(range(len(w)), w)
    pair = control_variate(x, lambda a: a**3, lambda a: a, expect(x), b)
    if variance(pair.sub()) > 1e-9:
        agree(monte_carlo_with_control(pair, n))


def test_two_groups():
    people = from_weights([0, 1, 2], [1, 2, 3])
    agree(ab_test(people, lambda v: v**2 + 1, lambda v: v, lambda v: v, b=0.5, steps=3))


rows = st.lists(st.tuples(st.integers(-3, 3), st.integers(-2, 4), st.integers(1, 5)), min_size=2, max_size=4)


@given(rows, st.integers(2, 4))
def test_leave_one_out(rows, n):
    """Closed form, law from the engine, and enumeration of all tuples in fractions agree."""
    law = oracle.law([(r, s) for r, s, _ in rows], [w for *_, w in rows])

    def estimate(draws):
        others = [Fraction(sum(r for r, _ in draws) - r, n - 1) for r, _ in draws]
        return sum((r - b) * s for (r, s), b in zip(draws, others, strict=True)) / n

    exact = oracle.law_of_draws(estimate, law, n)
    pair = pair_law(law)
    x = leave_one_out_gradient(pair, n)
    assert x.values == pytest.approx([float(v) for v in sorted(exact)], rel=1e-12, abs=1e-12)
    assert x.probs == pytest.approx([float(exact[v]) for v in sorted(exact)], rel=1e-12)
    mean = oracle.mean(exact)
    central = [float(oracle.mean(exact, lambda v, r=r: (v - mean) ** r)) for r in (2, 3, 4)]
    k1, k2, k3, k4 = x.source.cumulants()
    assert k1 == pytest.approx(float(mean), abs=1e-12)
    assert [k2, k3, k4 + 3 * k2**2] == pytest.approx(central, rel=1e-10, abs=1e-9)


def pair_law(law):
    firsts, seconds = (sorted({row[i] for row in law}) for i in (0, 1))
    table = [[float(law.get((r, s), 0)) for s in seconds] for r in firsts]
    return Joint(firsts, seconds, table)


def test_leave_one_out_of_many_draws_matches_the_formula_for_a_sample_variance():
    """With reward and score both X it is the unbiased sample variance: Var = mu4/n - sigma^4 (n - 3)/(n (n - 1))."""
    n = 1000
    x = leave_one_out_gradient(shared(die), n)
    mu4 = float(oracle.mean(oracle.uniform(range(1, 7)), lambda a: (a - Fraction(7, 2)) ** 4))
    sigma2 = 35 / 12
    assert expect(x) == pytest.approx(sigma2, rel=1e-13)
    assert variance(x) == pytest.approx(mu4 / n - sigma2**2 * (n - 3) / (n * (n - 1)), rel=1e-11)


@given(rows, st.integers(1, 4))
def test_vectors(rows, n):
    law = oracle.law([(r, s) for r, s, _ in rows], [w for *_, w in rows])
    means = monte_carlo(pair_law(law), n)
    exact = oracle.law_of_draws(
        lambda draws: tuple(Fraction(sum(column), n) for column in zip(*draws, strict=True)), law, n
    )
    assert len(means) == len(exact)
    found = {tuple(round(v * n) for v in row): p for row, p in zip(means.outcomes.tolist(), means.weights, strict=True)}
    assert found == pytest.approx({tuple(int(v * n) for v in row): float(p) for row, p in exact.items()}, rel=1e-12)
    assert expect(means) == pytest.approx([float(oracle.mean(exact, lambda v, i=i: v[i])) for i in (0, 1)], abs=1e-12)
    first, second = (oracle.mean(exact, lambda v, i=i: v[i]) for i in (0, 1))
    cov = oracle.mean(exact, lambda v: (v[0] - first) * (v[1] - second))
    assert cov_matrix(means)[0, 1] == pytest.approx(float(cov), abs=1e-12)


def test_a_mean_of_means_is_one_sum():
    """Six draws in two halves: 31 outcomes, as of one mean of six, and the same law."""
    nested = monte_carlo(monte_carlo(die, 3), 2)
    assert nested.values == pytest.approx(monte_carlo(die, 6).values, rel=1e-15)
    assert nested.probs == pytest.approx(monte_carlo(die, 6).probs, rel=1e-13)


def test_a_difference_of_means_keeps_its_closed_form():
    x = indep(monte_carlo(die, 10**6), monte_carlo(die, 10**6)).sub()
    assert variance(x) == pytest.approx(2 * 35 / 12 / 10**6, rel=1e-14)
    assert expect(2 * x + 1) == 1


def test_moments_cost_no_law():
    """A law of 10^9 draws has moments although its atoms could not be listed."""
    x = monte_carlo(Var([0.0, 0.5**0.5, 3**0.5], [0.25, 0.25, 0.5]), 10**9)
    assert variance(x) == pytest.approx(variance(Var([0.0, 0.5**0.5, 3**0.5], [0.25, 0.25, 0.5])) / 10**9, rel=1e-14)
    assert abs(kurtosis(x)) < 1e-8


@pytest.mark.parametrize("offset", [1e6, -1e9, 1e12, 1e15])
@pytest.mark.parametrize("copies", [1, 40])
def test_moments_of_floats_with_an_offset_are_those_of_the_floats(offset, copies):
    """The mean of 10^12 + ... is rounded by 6e-5, whose square would be a part of the variance."""
    values = [offset + k / copies + r for k in range(copies) for r in (0.1, 0.35, 0.9)]
    weights = [1 + i % 3 for i in range(len(values))]
    x = from_weights(values, weights)
    mass = sum(map(Fraction, x.probs.tolist()))
    exact = Var(list(map(Fraction, x.values.tolist())), [Fraction(p) / mass for p in x.probs.tolist()])
    for moment_of in (variance, skewness, kurtosis):
        assert moment_of(x) == pytest.approx(float(moment_of(exact)), rel=1e-9)
    assert variance(x) == pytest.approx(float(variance(exact)), rel=1e-13)


@pytest.mark.parametrize("offset", [1e9, -1e12])
def test_a_covariance_of_floats_with_offsets(offset):
    rows = [(offset + 0.1, 2 * offset + 0.3), (offset + 0.35, 2 * offset + 0.7), (offset + 0.9, 2 * offset + 0.5)]
    joint = Joint.of(Var(range(3), [0.2, 0.3, 0.5]).vector(rows.__getitem__).law)
    mass = sum(map(Fraction, [0.2, 0.3, 0.5]))
    exact = {tuple(map(Fraction, row)): Fraction(p) / mass for row, p in zip(rows, [0.2, 0.3, 0.5], strict=True)}
    assert covar(joint) == pytest.approx(float(oracle.covariance(exact)), rel=1e-13)
