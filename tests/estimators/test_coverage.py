"""Confidence intervals and their coverage, against enumeration in fractions and against scipy."""

import itertools
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from small_laws import laws

from randvar import (
    Joint,
    RandvarError,
    SupportTooLarge,
    UndefinedOutcome,
    Var,
    bernoulli,
    binomial,
    continuous_uniform,
    coverage,
    expect,
    from_dict,
    t_interval,
    uniform,
    wald_interval,
    wilson_interval,
)
from randvar.estimators import CentredInterval, bootstrap_interval, clopper_pearson_interval

Z2 = Fraction(49, 25) ** 2
die = uniform(1, 7)


def exact(law):
    return Var(law.keys(), law.values())


def centre_and_square(sample):
    """The mean, and the square of s/sqrt(n)."""
    n = len(sample)
    mean = Fraction(sum(sample)) / n
    return mean, sum((v - mean) ** 2 for v in sample) / (n * (n - 1))


# The intervals themselves

samples = st.lists(st.integers(-4, 4), min_size=2, max_size=9)
zeros_and_ones = st.lists(st.integers(0, 1), min_size=1, max_size=30)


@given(samples)
def test_wald_and_t(sample):
    mean, square = centre_and_square(sample)
    low, high = wald_interval(sample)
    assert (low + high) / 2 == pytest.approx(float(mean), abs=1e-12)
    assert ((high - low) / 2) ** 2 == pytest.approx(float(Z2 * square), rel=1e-12, abs=1e-24)
    if square:
        by_scipy = stats.t.interval(0.95, len(sample) - 1, float(mean), math.sqrt(square))
        assert tuple(t_interval(sample)) == pytest.approx(by_scipy, rel=1e-12, abs=1e-12)


@given(zeros_and_ones)
def test_count_intervals(sample):
    of_scipy = stats.binomtest(sum(sample), len(sample))
    cases = [(clopper_pearson_interval, "exact"), (wilson_interval.at(0.95), "wilson")]
    for interval, method in cases:
        ci = of_scipy.proportion_ci(0.95, method)
        assert tuple(interval(sample)) == pytest.approx((ci.low, ci.high), rel=1e-9, abs=1e-12)


@given(zeros_and_ones, st.fractions(0, 1, max_denominator=20))
def test_count_intervals_know_what_they_contain(sample, p):
    n, k = len(sample), sum(sample)
    tail = [
        sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in which) for which in (range(k + 1), range(k, n + 1))
    ]
    assert (p in clopper_pearson_interval(sample)) == (min(tail) >= Fraction(1, 40))
    assert (p in wilson_interval(sample)) == ((Fraction(k, n) - p) ** 2 <= Z2 * p * (1 - p) / n)
    assert Fraction(-1, 100) not in clopper_pearson_interval(sample)


def test_other_levels():
    half = wald_interval.at(0.99)([0, 1])
    assert (half.squared * 4) ** 0.5 == pytest.approx(stats.norm.ppf(0.995), rel=1e-12)
    low, high = t_interval.at(0.9)([1, 2, 3])
    assert high - low == pytest.approx(2 * stats.t.ppf(0.95, 2) / math.sqrt(3), rel=1e-12)
    ci = stats.binomtest(2, 7).proportion_ci(0.8, "exact")
    assert tuple(clopper_pearson_interval.at(0.8).from_sums(7, 2)) == pytest.approx((ci.low, ci.high), rel=1e-9)
    for interval in (wald_interval, wilson_interval, t_interval, clopper_pearson_interval):
        with pytest.raises(RandvarError, match=r"level is a probability.* got 95"):
            interval.at(95)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.sampled_from([0.5, 0.8, 0.95]))
def test_bootstrap(sample, level):
    """The quantiles of the mean of n draws out of the sample, each way to draw counted."""
    n = len(sample)
    law = oracle.law_of_draws(lambda v: Fraction(sum(v), n), oracle.law(sample, [1] * n), n)
    tail = (1 - Fraction(str(level))) / 2
    ends = [min(v for v in law if oracle.probability(law, lambda a, v=v: a <= v) >= u) for u in (tail, 1 - tail)]
    assert bootstrap_interval(np.mean, level)(sample) == pytest.approx(tuple(map(float, ends)), rel=1e-12)


def test_bad_samples_and_intervals():
    with pytest.raises(RandvarError, match=r"needs at least 2 draws.*got 1"):
        wald_interval([3])
    with pytest.raises(RandvarError, match="needs a sample, got none"):
        wilson_interval([])
    with pytest.raises(RandvarError, match=r"whole number from 0 to 4, got 9/2"):
        wilson_interval.from_sums(4, 4.5)
    with pytest.raises(RandvarError, match=r"0 or 1, got 2.*x\.op\(predicate\)"):
        wilson_interval([0, 2])
    with pytest.raises(RandvarError, match="cannot be negative, got -1"):
        CentredInterval(0, -1)
    with pytest.raises(TypeError, match="a draw must be a number, got str"):
        wald_interval(["a", "b"])
    with pytest.raises(RandvarError, match="level"):
        bootstrap_interval(np.mean, 0)


# Coverage


def covered(law, n, inside):
    """P(inside(sample)), every sample listed."""
    return oracle.probability(oracle.law_of_draws(inside, law, n), bool)


@given(laws, st.integers(2, 4))
@example(oracle.law([0, 1], [7, 3]), 4)
def test_coverage_of_wald(law, n):
    mean = oracle.mean(law)

    def inside(sample):
        centre, square = centre_and_square(sample)
        return (centre - mean) ** 2 <= Z2 * square

    answer = covered(law, n, inside)
    assert coverage(wald_interval, exact(law), n) == answer
    floats = Var([float(v) for v in law], [float(p) for p in law.values()])
    assert coverage(wald_interval, floats, n) == pytest.approx(float(answer), rel=1e-12)


@given(st.integers(1, 9), st.integers(1, 7))
def test_coverage_of_count_intervals(tenths, n):
    p = Fraction(tenths, 10)
    for interval in (wilson_interval, clopper_pearson_interval):
        answer = sum(
            math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if p in interval([1] * k + [0] * (n - k))
        )
        assert coverage(interval, bernoulli(p), n) == answer
        assert coverage(interval, bernoulli(tenths / 10), n) == pytest.approx(float(answer), rel=1e-12)


def test_an_end_that_falls_on_the_target_is_inside():
    """Of a coin with p = 9/10 and z = 4/5 the sample (0, 1) has the upper end 1/2 + z/2 = 9/10."""
    on_the_end = Fraction(4, 5)
    for z, answer in ((on_the_end, Fraction(18, 100)), (on_the_end - Fraction(1, 10**12), 0)):

        def interval(sample, z=z):
            mean, square = centre_and_square(sample)
            return CentredInterval(mean, z**2 * square)

        assert coverage(interval, bernoulli(Fraction(9, 10)), 2) == answer


@pytest.mark.parametrize("end", [0.1 + 0.2, 0.3, 0.1 * 3, np.float64(0.1) + 0.2])
def test_a_float_end_on_the_target_is_inside(end):
    assert coverage(lambda sample: (end, 1.0), bernoulli(0.3), 1) == 1
    assert coverage(lambda sample: (0.0, end), bernoulli(0.3), 1) == 1
    assert coverage(lambda sample: (end + 1e-14, 1.0), bernoulli(0.3), 1) == 0
    assert coverage(lambda sample: (-math.inf, math.inf), bernoulli(0.3), 1) == 1


def test_exact_ends_are_compared_exactly():
    just_above = Fraction(3, 10) + Fraction(1, 10**30)
    assert coverage(lambda sample: (just_above, 1), bernoulli(0.3), 1) == 0
    assert coverage(lambda sample: (0, 1), bernoulli(0.3), 1) == 1


@given(st.integers(1, 9), st.integers(2, 5))
def test_a_function_of_your_own(tenths, n):
    """In plain numpy, against the interval of the package and for a law with three outcomes."""

    def by_hand(sample):
        half = 1.96 * np.std(sample, ddof=1) / math.sqrt(len(sample))
        return np.mean(sample) - half, np.mean(sample) + half

    for x in (bernoulli(tenths / 10), Var([0, 1, 4], [tenths / 20, tenths / 20, 1 - tenths / 10])):
        assert coverage(by_hand, x, n) == pytest.approx(coverage(wald_interval, x, n), rel=1e-12)


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=3, unique=True),
    st.integers(2, 4),
    st.integers(1, 9),
    st.sampled_from([0.0, 1e6, 1e8]),
    st.sampled_from([wald_interval, t_interval]),
)
@example([0.12553167, 0.58172476], 3, 3, 1e8, t_interval)
@example([2**0.5 - 1, 3**0.5 - 1], 4, 5, 1.0, wald_interval)
@example([0.6931471805599453, 1.0986122886681098, 1.6094379124341003], 4, 12, 0.0, t_interval)
def test_coverage_of_outcomes_that_are_no_simple_fractions(values, n, tenths, offset, interval):
    """Sums of squares of floats have more digits than a float."""
    outcomes = sorted({offset + v for v in values})
    weights = [Fraction(w) for w in (6, 1, 2)][: len(outcomes)]
    law = {v: w / sum(weights) for v, w in zip(outcomes, weights, strict=True)}
    target = Fraction(offset) + Fraction(tenths, 10)
    answer = sum(
        math.prod(law[v] for v in row) for row in itertools.product(outcomes, repeat=n) if target in interval(row)
    )
    assert coverage(interval, exact(law), n, target) == pytest.approx(float(answer), rel=1e-12)
    assert coverage(interval, Var(outcomes, [float(p) for p in law.values()]), n, target) == pytest.approx(
        float(answer), rel=1e-12
    )


def test_an_interval_that_looks_at_the_order():
    """The first draw +- 1 contains the mean as often as one draw does."""
    assert coverage(lambda sample: (sample[0] - 1, sample[0] + 1), die.rational(), 5) == Fraction(1, 3)


def test_coverage_of_bootstrap_intervals():
    law = oracle.law([0, 1, 3], [2, 1, 1])
    mean = oracle.mean(law)

    def inside(sample):
        n = len(sample)
        resampled = oracle.law_of_draws(lambda v: Fraction(sum(v), n), oracle.law(sample, [1] * n), n)
        below = oracle.probability(resampled, lambda v: v <= mean)
        above = oracle.probability(resampled, lambda v: v >= mean)
        # low <= mean means P(T <= mean) >= 1/40; high >= mean means P(T < mean) < 39/40
        return below >= Fraction(1, 40) and above > Fraction(1, 40)

    got = coverage(bootstrap_interval(), Var([0.0, 1.0, 3.0], [0.5, 0.25, 0.25]), 3)
    assert got == pytest.approx(float(covered(law, 3, inside)), rel=1e-12)


def test_groups_that_share_a_cause():
    """Three groups of four: by units listed one by one, as if independent, and over the group means."""
    skill = {Fraction(1, 4): Fraction(1, 2), Fraction(3, 4): Fraction(1, 2)}
    group = oracle.mixture(skill, lambda p: oracle.total({0: 1 - p, 1: p}, 4))
    x = exact(skill).op(lambda p: binomial(4, p))
    assert x.to_dict() == group

    def units_cover(counts):
        units = [u for k in counts for u in [1] * k + [0] * (4 - k)]
        centre, square = centre_and_square(units)
        return (centre - Fraction(1, 2)) ** 2 <= Z2 * square

    def means_cover(counts):
        centre, square = centre_and_square([Fraction(k, 4) for k in counts])
        return (centre - Fraction(1, 2)) ** 2 <= Z2 * square

    naive = coverage(lambda k: wald_interval.from_sums(12, k, k), x, 3, target=Fraction(1, 2), of=lambda k: k)
    assert naive == covered(group, 3, units_cover)
    assert coverage(wald_interval, x / 4, 3) == covered(group, 3, means_cover)


def test_groups_of_different_sizes():
    """An outcome is (size, successes); the interval needs the sum of both."""
    group = {(2, 0): Fraction(1, 4), (2, 1): Fraction(1, 4), (3, 1): Fraction(1, 4), (3, 3): Fraction(1, 4)}

    def inside(sample):
        n, k = (sum(column) for column in zip(*sample, strict=True))
        return (Fraction(k, n) - Fraction(1, 2)) ** 2 <= Z2 * Fraction(1, 4) / n

    got = coverage(
        lambda n, k: wilson_interval.from_sums(n, k), from_dict(group), 3, Fraction(1, 2), of=lambda row: row
    )
    assert got == covered(group, 3, inside)


def test_the_target_is_read_as_written():
    thirds = Var([0, 1], [2 / 3, 1 / 3])
    inside = lambda sample: (Fraction(1, 3), 1)
    assert coverage(inside, thirds, 1) == coverage(inside, thirds, 1, target=1 / 3) == 1
    irrational = Var([0, 1], [1 - math.pi / 4, math.pi / 4])
    assert coverage(lambda sample: (expect(irrational), 1), irrational, 1) == 1
    assert coverage(inside, bernoulli(0.3), 1, target=0.2) == 0


def test_what_coverage_refuses():
    with pytest.raises(RandvarError, match="low <= high"):
        coverage(lambda sample: (1, 0), die, 2)
    with pytest.raises(UndefinedOutcome, match=r"probability 0\.16"):
        coverage(lambda sample: (np.std(sample) / np.std(sample), 7), die, 2)
    with pytest.raises(UndefinedOutcome, match="NaN"):
        coverage(lambda s: (math.nan, s), die, 2, of=lambda a: a)
    with pytest.raises(RandvarError, match="target="):
        coverage(lambda rows: (0, 1), Joint([0, 1], [0, 1], [[0.5, 0], [0, 0.5]]), 2)
    with pytest.raises(TypeError, match=r"interval must be a function, got int 0"):
        coverage(0, die, 2)
    for old_order in ((die, 2, wald_interval), (die, wald_interval, 2)):
        with pytest.raises(TypeError, match=r"interval must be a function, .* coverage\(interval, x, n\)"):
            coverage(*old_order)
    with pytest.raises(TypeError, match="x must be a Var or a Joint, got list"):
        coverage(wald_interval, [1, 2], 2)
    with pytest.raises(SupportTooLarge):
        coverage(lambda sample: (0, 1), die, 60)
    with pytest.raises(RandvarError, match="0 or 1, got 3"):
        coverage(wilson_interval, die.cond(lambda a: a > 2), 2)


def test_coverage_of_symbols_is_refused():
    sympy = pytest.importorskip("sympy")
    with pytest.raises(RandvarError, match="depends on the symbols"):
        coverage(wald_interval, bernoulli(sympy.Symbol("p")), 2)
    with pytest.raises(RandvarError, match="depends on the symbols"):
        coverage(wald_interval, die, 2, target=sympy.Symbol("p"))


@given(st.integers(1, 12), st.fractions(-1, 1, max_denominator=3), st.fractions(2, 3, max_denominator=3))
def test_gauss_legendre(nodes, low, high):
    """Moments up to degree 2 * nodes - 1 are those of the uniform law."""
    x = continuous_uniform(low, high, nodes)
    for k in range(2 * nodes):
        moment = (high ** (k + 1) - low ** (k + 1)) / ((k + 1) * (high - low))
        assert expect(x, lambda v, k=k: v**k) == pytest.approx(float(moment), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((0, 0), "low < high, got 0 and 0"),
        ((0, math.inf), "high must be a finite number"),
        ((0, 1, 0), "nodes must be at least 1, got 0"),
    ],
)
def test_a_continuous_uniform_law_refuses(arguments, says):
    with pytest.raises(RandvarError, match=says):
        continuous_uniform(*arguments)
