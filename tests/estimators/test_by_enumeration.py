"""The article's estimators on random small laws, atom by atom against enumeration in fractions."""

import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_laws import assert_same, laws, near, var

from randvar import (
    Joint,
    allocate,
    best_coefficient,
    control_variate,
    correlation,
    cov_matrix,
    covar,
    dependent,
    expect,
    indep,
    kurtosis,
    leave_one_out,
    leave_one_out_gradient,
    monte_carlo,
    shared,
    skewness,
    stratified,
    stratify,
    topk,
    total,
    uniform,
    variance,
)
from randvar.examples.sampling_to_reinforce import (
    ab_sampling,
    ab_test,
    linear_control,
    monte_carlo_with_control,
    quadratic_control,
)

integer_laws = st.builds(
    lambda atoms: oracle.law(map(Fraction, atoms), atoms.values()),
    st.dictionaries(st.integers(-5, 5), st.integers(1, 9), min_size=1, max_size=4),
)
pairs = st.builds(
    lambda atoms: oracle.law([(Fraction(r), Fraction(s, 3)) for r, s in atoms], atoms.values()),
    st.dictionaries(st.tuples(st.integers(-3, 3), st.integers(-4, 4)), st.integers(1, 5), min_size=1, max_size=4),
)


def joint(pair):
    """The Joint of a law of pairs, through a table with zeros where a pair cannot happen."""
    first, second = (sorted({row[i] for row in pair}) for i in (0, 1))
    table = [[float(pair.get((a, b), 0)) for b in second] for a in first]
    return Joint([float(a) for a in first], [float(b) for b in second], table)


@given(laws, st.integers(-3, 3), st.integers(1, 3))
def test_linear_control(law, b, steps):
    centre = oracle.mean(law)
    j = linear_control(var(law), lambda a: a * a, b=b)
    exact = oracle.law_of(lambda a: a * a - b * (a - centre), law)
    assert near(expect(j[1]), 0)
    assert near(expect(j.sub()), oracle.mean(law, lambda a: a * a))
    assert near(variance(j.sub()), oracle.variance(exact), 1 + oracle.variance(law, lambda a: a * a))
    assert near(variance(monte_carlo_with_control(j, steps)), oracle.variance(exact) / steps, 1000)


@given(laws)
def test_quadratic_control_of_the_same_quadratic_leaves_nothing(law):
    j = quadratic_control(var(law), lambda x: 2 * x * x + 3 * x, a=2, b=3)
    assert near(variance(j.sub()), 0, variance(j[0]))
    assert near(expect(j.sub()), oracle.mean(law, lambda x: 2 * x * x + 3 * x))


@given(laws.filter(lambda law: len(law) > 1))
def test_best_coefficient_is_the_bottom_of_the_parabola(law):
    def adjusted(b):
        return variance(control_variate(x, lambda a: a**3, lambda a: a, float(oracle.mean(law)), b=b).sub())

    x = var(law)
    pair = oracle.law_of(lambda a: (a**3, a), law)
    exact = oracle.covariance(pair) / oracle.variance(law)
    best = best_coefficient(control_variate(x, lambda a: a**3, lambda a: a, float(oracle.mean(law))))
    assert near(best, exact, 100)
    slack = 1e-9 * (1 + adjusted(0))
    assert adjusted(best) <= min(adjusted(best - 0.1), adjusted(best + 0.1)) + slack


@given(integer_laws, integer_laws, st.integers(1, 3), st.integers(1, 3))
def test_two_strata(red, blue, n, m):
    quarter = Fraction(1, 4)
    exact = oracle.law_of(
        lambda a, b: quarter * a / n + 3 * quarter * b / m, oracle.total(red, n), oracle.total(blue, m)
    )
    assert_same(stratify(var(red), var(blue), 0.25, n, m), exact)
    assert_same(stratified([var(red), var(blue)], [0.25, 0.75], [n, m]), exact)
    assert near(variance(stratify(var(red), var(blue), 0.25, n, m)), oracle.variance(exact))


@given(integer_laws, integer_laws, st.integers(2, 12))
def test_allocation(first, second, draws):
    strata, shares = [var(first), var(second)], [0.25, 0.75]

    def spread(steps):
        return variance(stratified(strata, shares, list(steps)))

    proportional, optimal = (list(allocate(strata, shares, draws, rule=rule)) for rule in ("proportional", "optimal"))
    assert sum(proportional) == sum(optimal) == draws
    assert min(*proportional, *optimal) >= 1
    assert spread(optimal) <= min(spread((n, draws - n)) for n in range(1, draws)) * (1 + 1e-12)


@given(integer_laws, st.integers(-2, 2), st.integers(1, 2))
def test_ab(law, b, steps):
    def treated(a):
        return a * a + 1

    def untreated(a):
        return 2 * a

    x = var(law)
    one = oracle.law_of(lambda u, v: treated(u) - untreated(v), law, law)
    raw = oracle.law_of(lambda s: s / steps, oracle.total(one, steps))
    assert_same(ab_sampling(x, treated, untreated, steps=steps), raw)
    with_control = oracle.law_of(lambda u, v: treated(u) - untreated(v) - b * (u - v), law, law)
    adjusted = oracle.law_of(lambda s: s / steps, oracle.total(with_control, steps))
    assert_same(ab_test(x, treated, untreated, lambda a: a, b=b, steps=steps), adjusted)


@given(integer_laws, st.integers(0, 5))
def test_topk(law, k):
    """Exact over the k likeliest; the rest is sampled, weighted by its mass, or masked."""
    ranked = sorted(law, key=lambda a: (-law[a], a))
    top, rest = ranked[:k], ranked[k:]
    exact = sum((law[a] * a * a for a in top), Fraction(0))
    mass = sum((law[a] for a in rest), Fraction(0))
    conditional = topk(var(law), lambda a: a * a, k)
    # Which of two equally likely outcomes is summed exactly is a matter of taste; the mean is not.
    assert near(expect(conditional), oracle.mean(law, lambda a: a * a), 25)
    if len(set(law.values())) == len(law):
        inside = oracle.given(law, lambda a: a in rest) if rest else {Fraction(0): Fraction(1)}
        assert_same(conditional, oracle.law_of(lambda a: exact + mass * a * a, inside))
        masked = topk(var(law), lambda a: a * a, k, masked=True)
        assert_same(masked, oracle.law_of(lambda a: exact + (a * a if a in rest else 0), law))


@given(pairs, st.integers(2, 3))
def test_leave_one_out_gradient(pair, n):
    def group_average(sample):
        rewards = [r for r, _ in sample]
        return sum((r - (sum(rewards) - r) / (n - 1)) * s for r, s in sample) / n

    exact = oracle.law_of_draws(group_average, pair, n)
    got = leave_one_out_gradient(joint(pair), n)
    assert near(expect(got), oracle.mean(exact), 16)
    assert near(variance(got), oracle.variance(exact), 256)
    assert_same(got, exact)


@given(integer_laws, st.integers(2, 4))
def test_a_baseline_that_is_a_var_is_an_independent_draw(law, n):
    """(r(A) - B) * s(A) with B the mean of the other draws, mixed over B."""
    others = oracle.law_of(lambda v: v / (n - 1), oracle.total(law, n - 1))
    exact = oracle.law_of(lambda a, b: (a - b) * (a + 1), law, others)
    baseline = leave_one_out(var(law), n)
    got = shared(var(law)).op(lambda a: a - baseline, lambda a: a + 1)
    assert_same(got.mul(), exact)
    pair = oracle.law_of(lambda a, b: (a - b, a + 1), law, others)
    assert near(covar(got), oracle.covariance(pair), 100)


@given(integer_laws.filter(lambda law: len(law) > 1), st.integers(1, 4))
def test_shape_of_a_mean(law, n):
    """Skewness falls as 1/sqrt(n) and excess kurtosis as 1/n; both agree with the law written out."""
    exact = oracle.law_of(lambda s: s / n, oracle.total(law, n))
    spread = float(oracle.variance(exact))
    m = monte_carlo(var(law), n)
    assert near(skewness(m), float(oracle.central_moment(exact, 3)) / spread**1.5, 10)
    assert near(kurtosis(m), kurtosis(m.op(lambda v: v)), 100)
    # Whether kurtosis counts from 0 or from 3 shows on a fair coin, whose fourth standardised moment is 1.
    offset = kurtosis(uniform(0, 2)) - 1
    assert near(kurtosis(m) - offset, float(oracle.central_moment(exact, 4)) / spread**2, 100)


@given(pairs, st.integers(1, 3))
def test_mean_of_a_joint(pair, n):
    exact = pair
    for _ in range(n - 1):
        exact = oracle.law_of(lambda t, d: (t[0] + d[0], t[1] + d[1]), exact, pair)
    exact = oracle.law_of(lambda t: (t[0] / n, t[1] / n), exact)
    got = monte_carlo(joint(pair), n)
    assert len(got.weights) == len(exact)
    assert_same(got[0], oracle.law_of(lambda ab: ab[0], exact))
    assert_same(got[1], oracle.law_of(lambda ab: ab[1], exact))
    assert near(covar(got), oracle.covariance(pair) / n, 16)
    sums = total(joint(pair), n)
    assert near(covar(sums), oracle.covariance(pair) * n, 16)


@given(pairs)
def test_matrices(pair):
    j = joint(pair)
    matrix = cov_matrix(j)
    np.testing.assert_allclose(matrix, matrix.T)
    assert near(matrix[0, 0], variance(j[0]), 16)
    assert near(matrix[0, 1], oracle.covariance(pair), 16)
    if min(matrix[0, 0], matrix[1, 1]) > 1e-9:
        assert near(correlation(j), float(oracle.covariance(pair)) / math.sqrt(matrix[0, 0] * matrix[1, 1]), 10)


@given(integer_laws, integer_laws, st.integers(1, 4))
def test_sums_of_sums(first, second, n):
    """A law that was never written out goes on being right in the next calculation."""
    exact = oracle.law_of(lambda a, b: a + b, oracle.total(first, n), second)
    lazy = indep(total(var(first), n), var(second))
    assert_same(lazy.add(), exact)
    assert near(variance(lazy.add()), oracle.variance(exact), 100)
    assert_same(3 - total(var(first), n) / 2, oracle.law_of(lambda s: 3 - s / 2, oracle.total(first, n)))
    s = oracle.total(first, n)
    if oracle.probability(s, lambda v: v >= 0):
        assert_same(total(var(first), n).cond(lambda v: v >= 0), oracle.given(s, lambda v: v >= 0))


@given(integer_laws, st.integers(1, 3))
def test_dependent_count(law, n):
    """The sum of a random number of draws: E = E[N] E[X], Var = E[N] Var X + Var(N) E[X]^2 (Wald)."""
    counts = oracle.law(range(1, n + 2), range(1, n + 2))
    x, count = var(law), var(counts)
    j = dependent(count, lambda k: total(x, int(k)))
    mean_n, mean_x = oracle.mean(counts), oracle.mean(law)
    assert near(expect(j[1]), mean_n * mean_x, 25)
    exact = mean_n * oracle.variance(law) + oracle.variance(counts) * mean_x**2
    assert near(variance(j[1]), exact, 100)
    assert near(covar(j), oracle.variance(counts) * mean_x, 25)


@pytest.mark.parametrize("n", [2, 3])
def test_leave_one_out_of_irrational_scores(n):
    """Scores of a softmax policy are no fractions; equal group averages are one outcome all the same."""
    reward, score = np.arange(8.0), (math.pi - np.arange(8)) / 9
    weights = np.arange(1, 9) / 36
    draws = Joint(reward, np.sort(score), np.diag(weights)[:, ::-1])
    spreads = oracle.law_of_draws(
        lambda sample: sum(a * a for a in sample) - Fraction(sum(sample) ** 2, n), oracle.law(range(8), range(1, 9)), n
    )
    exact = oracle.law_of(lambda v: -v / (n - 1) / 9, spreads)
    assert_same(leave_one_out_gradient(draws, n), exact)
