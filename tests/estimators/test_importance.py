"""Importance sampling against enumeration in fractions, and the samples and proposals it refuses."""

import itertools
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_laws import assert_same, near

from randvar import (
    RandvarError,
    UndefinedOutcome,
    Var,
    assert_unbiased,
    bernoulli,
    best_coefficient,
    constant,
    effective_sample_size,
    expect,
    from_dict,
    importance,
    importance_weights,
    kurtosis,
    mixture,
    monte_carlo,
    product_of_draws,
    self_normalized,
    skewness,
    uniform,
    variance,
)
from randvar.estimators import importance_control, kish_efficiency, optimal_proposal, truncated

outcomes = [Fraction(-2), Fraction(1), Fraction(3)]
masses = st.lists(st.integers(1, 9), min_size=3, max_size=3)
proposals = st.builds(lambda w: oracle.law(outcomes, w), masses)
targets = st.builds(lambda w: oracle.law(outcomes, w), masses.map(lambda w: [0, *w[1:]]) | masses)


def exact(law):
    return Var(law.keys(), law.values())


def floats(law):
    return Var([float(v) for v in law], [float(p) for p in law.values()])


def weighted(p, q, f):
    """The law of w(X) f(X), X ~ q."""
    return oracle.law_of(lambda a: p.get(a, Fraction(0)) / q[a] * f(a), q)


def square(a):
    return a * a + a


@given(targets, proposals)
def test_weights_and_the_plain_estimator(p, q):
    assert importance_weights(exact(p), exact(q)).to_dict() == weighted(p, q, lambda a: 1)
    estimator = importance(exact(p), exact(q), square)
    assert estimator.to_dict() == weighted(p, q, square)
    assert expect(estimator) == oracle.mean(p, square)
    assert_same(importance(floats(p), floats(q), square), weighted(p, q, square))


@given(targets, proposals)
def test_effective_sample_sizes(p, q):
    w2 = oracle.mean(weighted(p, q, lambda a: 1), lambda w: w * w)
    assert effective_sample_size(exact(p), exact(q)) == 1 / w2
    f = oracle.variance(weighted(p, q, square))
    if f:
        assert effective_sample_size(exact(p), exact(q), square) == oracle.variance(p, square) / f


def test_effective_sample_size_of_an_estimate_that_never_errs():
    p = uniform(1, 7).rational()
    assert effective_sample_size(p, optimal_proposal(p, lambda a: a), lambda a: a) == math.inf
    with pytest.raises(UndefinedOutcome, match="does not vary"):
        effective_sample_size(p, p, lambda a: 3)
    with pytest.raises(UndefinedOutcome, match="squared mean of the weights"):
        kish_efficiency(constant(0))


@given(targets, proposals)
def test_the_best_proposal(p, q):
    best = optimal_proposal(exact(p), square)
    size = oracle.mean(p, lambda a: abs(square(a)))
    least = size**2 - oracle.mean(p, square) ** 2
    assert variance(importance(exact(p), best, square)) == least
    assert least <= oracle.variance(weighted(p, q, square))


@given(targets, proposals, st.fractions(-2, 2, max_denominator=3))
def test_the_weight_is_a_control(p, q, b):
    def controlled(a):
        w = p.get(a, Fraction(0)) / q[a]
        return w * square(a) - b * (w - 1)

    pair = importance_control(exact(p), exact(q), square, b)
    assert pair.sub().to_dict() == oracle.law_of(controlled, q)
    assert expect(pair.sub()) == oracle.mean(p, square)


def test_the_best_multiple_of_the_weight():
    p, q = exact(oracle.law(outcomes, [1, 2, 3])), exact(oracle.law(outcomes, [3, 2, 1]))
    pair = importance_control(p, q, square)
    best = best_coefficient(pair)
    controlled = [variance(importance_control(p, q, square, b).sub()) for b in (best, best - 1, best + 1, 0)]
    assert controlled[0] == min(controlled) < controlled[-1]


@given(targets, proposals, st.integers(1, 3))
def test_self_normalized(p, q, steps):
    def weight(a):
        return p.get(a, Fraction(0)) / q[a]

    def ratio(sample):
        whole = sum(map(weight, sample))
        return sum(weight(a) * square(a) for a in sample) / whole if whole else None

    law = oracle.law_of_draws(ratio, q, steps)
    lost = law.get(None, Fraction(0))
    defined = oracle.given(law, lambda v: v is not None)
    assert self_normalized(exact(p), exact(q), square, steps, undefined="drop").to_dict() == defined
    in_floats = self_normalized(floats(p), floats(q), square, steps, undefined="drop")
    assert in_floats.lost_mass == pytest.approx(float(lost), rel=1e-12)
    assert_same(in_floats, defined)
    if lost:
        with pytest.raises(UndefinedOutcome, match=str(lost)):
            self_normalized(exact(p), exact(q), square, steps)
    else:
        assert self_normalized(exact(p), exact(q), square, steps).to_dict() == law


def test_a_reward_drawn_after_the_action():
    p, q = {"x": Fraction(4, 5), "y": Fraction(1, 5)}, {"x": Fraction(1, 2), "y": Fraction(1, 2)}
    success = {"x": Fraction(3, 4), "y": Fraction(1, 4)}
    rows = oracle.dependent(q, lambda a: {1: success[a], 0: 1 - success[a]})
    plain = oracle.law_of(lambda row: p[row[0]] / q[row[0]] * row[1], rows)
    got = importance(from_dict(p), from_dict(q), lambda a: bernoulli(success[a]))
    assert got.to_dict() == plain
    assert variance(monte_carlo(got, 3)) == oracle.variance(plain) / 3

    def ratio(sample):
        w = [p[a] / q[a] for a, _ in sample]
        return sum(u * r for u, (_, r) in zip(w, sample, strict=True)) / sum(w)

    got = self_normalized(from_dict(p), from_dict(q), lambda a: bernoulli(success[a]), 3)
    assert got.to_dict() == oracle.law_of_draws(ratio, rows, 3)


@given(targets, proposals, st.fractions(Fraction(1, 4), 3, max_denominator=4), st.integers(1, 2), st.booleans())
def test_truncated_weights(p, q, cap, steps, masked):
    def term(a):
        w = p.get(a, Fraction(0)) / q[a]
        return (w if w <= cap else 0 if masked else cap) * square(a)

    law = oracle.law_of_draws(lambda v: sum(map(term, v)) / steps, q, steps)
    assert truncated(exact(p), exact(q), square, cap, steps, masked=masked).to_dict() == law


def test_a_proposal_that_misses_what_matters_is_refused():
    p = Var([1, 2, 3, 4], [Fraction(k, 10) for k in (1, 2, 3, 4)])
    q = Var([2, 3, 4], [Fraction(1, 3)] * 3)
    for call in (importance_weights, effective_sample_size):
        with pytest.raises(RandvarError, match=r"misses 1, .* probability 1/10.*mixture"):
            call(p, q)
    for call in (importance, importance_control, truncated, self_normalized):
        with pytest.raises(RandvarError, match=r"misses 1, .* probability 1/10.*mixture"):
            call(p, q, lambda a: a, *([2] if call in (truncated, self_normalized) else []))
    assert expect(importance(p, q, lambda a: a - 1)) == 2  # f is 0 where q misses p
    assert expect(importance(p, q, lambda a: constant(0) if a == 1 else bernoulli(Fraction(1, 2)))) == Fraction(9, 20)


def test_a_defensive_mixture_bounds_the_weights():
    p = uniform(1, 7).rational()
    q = Var([6], [1])
    defended = mixture([p, q], [Fraction(1, 10), Fraction(9, 10)])
    assert max(importance_weights(p, defended).values) <= 10
    assert expect(importance(p, defended, lambda a: a)) == Fraction(7, 2)


@given(proposals, targets, st.fractions(0, 1, max_denominator=5))
def test_a_mixture(first, second, share):
    both = oracle.mixture(
        {first_or: w for first_or, w in ((0, share), (1, 1 - share)) if w}, [first, second].__getitem__
    )
    assert mixture([exact(first), exact(second)], [share, 1 - share]).to_dict() == both


def test_a_mixture_refuses():
    with pytest.raises(TypeError, match=r"list of Vars, got int 3; constant\(v\)"):
        mixture([uniform(1, 7), 3], [0.5, 0.5])
    with pytest.raises(RandvarError, match=r"sum to 0\.6, not 1"):
        mixture([uniform(1, 7), constant(3)], [0.5, 0.1])
    with pytest.raises(RandvarError, match="2 values but 1 probabilities"):
        mixture([uniform(1, 7), constant(3)], [1])


def test_kinds_do_not_mix():
    with pytest.raises(RandvarError, match=r"rational"):
        importance_weights(uniform(1, 7), uniform(1, 7).rational())
    with pytest.raises(RandvarError, match="cap must be a positive number, got 0"):
        truncated(uniform(1, 7), uniform(1, 7), lambda a: a, 0)


def test_unbiased_for_every_target_and_proposal():
    """Proved in symbols: the Horvitz-Thompson argument, and what a cap or a common divisor does to it."""
    sympy = pytest.importorskip("sympy")
    s, t = sympy.symbols("s t", positive=True)
    p, q = Var([1, 2], [1 - s, s]), Var([1, 2], [1 - t, t])
    assert_unbiased(importance(p, q, lambda a: a**2), 1 + 3 * s)
    assert_unbiased(monte_carlo(importance(p, q, lambda a: a**2), 3), 1 + 3 * s)
    assert_unbiased(importance_control(p, q, lambda a: a**2, b=sympy.Symbol("b")).sub(), 1 + 3 * s)
    with pytest.raises(AssertionError):
        assert_unbiased(self_normalized(p, q, lambda a: a**2, 2), 1 + 3 * s)
    fraction = effective_sample_size(p, q)
    assert sympy.simplify(fraction - 1 / ((1 - s) ** 2 / (1 - t) + s**2 / t)) == 0


# Products of ratios

ratios = st.builds(
    lambda w: oracle.law([Fraction(0), Fraction(1, 2), Fraction(3, 2)], w),
    masses | masses.map(lambda w: [0, *w[1:]]),
)


@given(ratios, st.integers(0, 4))
def test_product(x, n):
    law = oracle.fold(lambda a, b: a * b, x, n) if n else {Fraction(1): Fraction(1)}
    got = product_of_draws(exact(x), n)
    assert got.to_dict() == law
    assert_same(product_of_draws(floats(x), n), law)
    for make in (exact, floats):
        lazy = product_of_draws(make(x), n)
        assert near(expect(lazy), oracle.mean(law))
        assert near(variance(lazy), oracle.variance(law))
        if oracle.variance(law):
            spread = float(oracle.variance(law))
            assert skewness(lazy) == pytest.approx(float(oracle.central_moment(law, 3)) / spread**1.5, rel=1e-12)
            assert kurtosis(lazy) == pytest.approx(float(oracle.central_moment(law, 4)) / spread**2 - 3, rel=1e-11)


def test_a_product_moved_and_stretched():
    x = oracle.law([Fraction(1, 2), Fraction(3, 2)], [1, 2])
    moved = 1 - 2 * product_of_draws(exact(x), 3)
    law = oracle.law_of(lambda v: 1 - 2 * v, oracle.fold(lambda a, b: a * b, x, 3))
    assert expect(moved) == oracle.mean(law)
    assert variance(moved) == oracle.variance(law)
    assert moved.to_dict() == law
    assert_same(1 - 2 * product_of_draws(floats(x), 3), law)


def test_products_of_many_floats_are_found_and_sum_to_one():
    """1.2^1200 0.9^1800 as it comes: a logarithm of 82 would have left an error of 5e-14."""
    x = product_of_draws(Var([1.2, 0.9], [0.4, 0.6]), 3000)
    p, q = Fraction(0.4), Fraction(0.6)
    for c in (1100, 1200, 1300):
        exact = math.comb(3000, c) * p**c * q ** (3000 - c) / (p + q) ** 3000
        assert x.prob(1.2**c * 0.9 ** (3000 - c)) == pytest.approx(float(exact), rel=1e-13)
        value = Fraction(1.2) ** c * Fraction(0.9) ** (3000 - c)
        nearest = x.values[np.abs(x.values / float(value) - 1).argmin()]
        assert abs(Fraction(float(nearest)) / value - 1) < Fraction(3, 10**16)
    assert math.fsum(x.probs) == pytest.approx(1, abs=1e-14)


@given(st.lists(st.floats(0.2, 4), min_size=1, max_size=3, unique=True), st.integers(1, 40))
def test_products_are_those_of_the_floats(values, n):
    x = Var(values, [1 / len(values)] * len(values))
    exact = oracle.law(map(Fraction, x.values.tolist()), map(Fraction, x.probs.tolist()))
    got = product_of_draws(x, n)
    law = {}
    for counts in itertools.product(range(n + 1), repeat=len(exact)):
        if sum(counts) == n:
            atoms = list(zip(exact.items(), counts, strict=True))
            ways = math.factorial(n) // math.prod(map(math.factorial, counts))
            value = float(math.prod(v**c for (v, _), c in atoms))
            law[value] = law.get(value, 0) + ways * math.prod(p**c for (_, p), c in atoms)
    values, masses = np.array(sorted(law)), np.array([float(law[v]) for v in sorted(law)])
    for end in (values[1:] * values[:-1]) ** 0.5:  # half-lines that end well between two outcomes
        if np.abs(values / end - 1).min() > 1e-12:
            assert got.cdf(end) == pytest.approx(masses[values < end].sum(), rel=1e-12)


def test_factors_that_make_up_for_one_another():
    """1.1^c (1/1.1)^c is 1, as is 1^n; and 1.1^2 over 1.1 is 1.1."""
    x = product_of_draws(Var([1.1, 1.0, 1 / 1.1], [0.25, 0.5, 0.25]), 400)
    exact = oracle.total(oracle.law([1, 0, -1], [1, 2, 1]), 400)
    assert len(x) == len(exact) == 801
    for c in (0, 1, 17, 100):
        assert x.prob(1.1**c) == pytest.approx(float(exact[c]), rel=1e-12)


def test_a_product_below_the_smallest_float_is_not_zero():
    x = product_of_draws(Var([0.5, 1.0], [0.5, 0.5]), 3000)
    assert x.prob(0) == 0
    assert x.prob(lambda v: v > 0) == 1
    with_zeros = product_of_draws(Var([0.0, 0.5, 1.0], [0.001, 0.5, 0.499]), 3000)
    assert with_zeros.prob(0) == pytest.approx(1 - 0.999**3000, rel=1e-12)


def test_factors_of_unknown_sign():
    sympy = pytest.importorskip("sympy")
    s = sympy.Symbol("s")
    x = Var([s, 1 - s], [Fraction(1, 4), Fraction(3, 4)])
    got = product_of_draws(x, 3)
    for at in (Fraction(-2), Fraction(1, 3), Fraction(5)):
        law = oracle.fold(lambda a, b: a * b, oracle.law([at, 1 - at], [1, 3]), 3)
        moments = expect(got), variance(got)
        assert [m.subs(s, at) for m in moments] == [oracle.mean(law), oracle.variance(law)]
        assert sum(p * sympy.sympify(v).subs(s, at) for v, p in got.to_dict().items()) == oracle.mean(law)
    with pytest.raises(RandvarError, match="numbers >= 0"):
        product_of_draws(Var([-sympy.Symbol("t", positive=True), 1], [Fraction(1, 2)] * 2), 3)


def test_a_product_that_underflows():
    """2000 steps of 1/2 or 1: P(no halving) = 2^-2000, beyond floats, and the outcome 2^-2000 with it."""
    x = Var([0.5, 1.0], [0.5, 0.5])
    assert product_of_draws(x, 2000).log_prob(1.0) == pytest.approx(-2000 * math.log(2), rel=1e-12)
    assert kish_efficiency(product_of_draws(x, 500)) == pytest.approx((9 / 10) ** 500, rel=1e-12)
    with pytest.raises(UndefinedOutcome, match=r"which is 0 \(mean 1\.3\d*e-250\)"):
        kish_efficiency(product_of_draws(x, 2000))


def test_what_is_no_product_of_ratios():
    with pytest.raises(RandvarError, match=r"numbers >= 0.*-1 is an outcome"):
        product_of_draws(Var([-1, 1], [0.5, 0.5]), 2)
    with pytest.raises(RandvarError, match="beyond the largest float"):
        product_of_draws(Var([1.0, 1e10], [0.5, 0.5]), 100).values
