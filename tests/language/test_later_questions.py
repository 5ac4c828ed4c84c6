"""What people will type once they know the package, with the results they should see."""

import itertools
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest

from randvar import (
    RandvarError,
    Var,
    assert_unbiased,
    bernoulli,
    constant,
    coverage,
    dependent,
    expect,
    from_dict,
    group_gradient,
    leave_one_out_gradient,
    markov_chain,
    monte_carlo,
    report,
    sampling_distribution,
    shared,
    softmax,
    total,
    uniform,
    variance,
    wald_interval,
)

die = uniform(1, 7)
faces = oracle.uniform(range(1, 7))


# Exact fractions: an equality is a proof


def test_rational_moments():
    x = die.rational()
    assert expect(monte_carlo(x, 10)) == Fraction(7, 2)
    assert variance(monte_carlo(x, 10)) == Fraction(7, 24)
    assert isinstance(variance(monte_carlo(x, 10)), Fraction)


def test_rational_law_of_a_sum():
    x = die.rational()
    assert total(x, 3).prob(10) == Fraction(1, 8)
    assert total(x, 4).to_dict() == oracle.total(faces, 4)


# Any function of n draws


def test_standard_deviation_of_three_dice():
    sd = sampling_distribution(np.std, die, 3)
    squares = oracle.law_of_draws(lambda v: 3 * sum(a * a for a in v) - sum(v) ** 2, faces, 3)
    exact = sorted((math.sqrt(nine_times) / 3, float(p)) for nine_times, p in squares.items())
    assert len(sd) == len(exact)
    np.testing.assert_allclose(sd.values, [v for v, _ in exact], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(sd.probs, [p for _, p in exact], rtol=1e-12)


def test_sample_variance_is_unbiased_to_rounding():
    s2 = sampling_distribution(lambda v: np.var(v, ddof=1), die, 3)
    verdict = report(s2, target=variance(die))
    assert verdict.unbiased
    assert verdict.mean == pytest.approx(35 / 12, rel=1e-13)
    assert "to rounding" in str(verdict)


def test_the_larger_of_two_is_biased_for_six():
    verdict = report(sampling_distribution(lambda v: max(v), die.rational(), 2), target=6)
    assert verdict.bias == Fraction(-55, 36)
    assert verdict.variance == Fraction(2555, 1296)
    assert verdict.mse == Fraction(155, 36)
    assert not verdict.unbiased
    assert "proved" in str(verdict)


# A ratio of means: self-normalised importance sampling


def test_self_normalised_importance_sampling():
    p, q = from_dict({"x": 0.8, "y": 0.2}), from_dict({"x": 0.5, "y": 0.5})
    logged = dependent(q, lambda a: bernoulli(0.75 if a == "x" else 0.25))

    def ratio(rows):
        return sum(p.prob(a) / q.prob(a) * r for a, r in rows) / sum(p.prob(a) / q.prob(a) for a, r in rows)

    assert expect(sampling_distribution(ratio, logged, 3)) == pytest.approx(29 / 48, rel=1e-13)


# Coverage of an interval, exactly


def test_coverage_of_wald():
    assert coverage(wald_interval, bernoulli(0.3), 200) == pytest.approx(0.944031044937726, abs=1e-14)


# Symbols: for every p at once


def test_divisor_n_is_biased_for_every_p():
    sympy = pytest.importorskip("sympy")
    t = sympy.Symbol("p", positive=True)
    coin = Var([0, 1], [1 - t, t])
    divisor_n = sampling_distribution(lambda v: sum((a - sum(v) / Fraction(3)) ** 2 for a in v) / 3, coin, 3)
    verdict = report(divisor_n, target=t * (1 - t))
    assert not verdict.unbiased
    assert sympy.expand(verdict.bias + t * (1 - t) / 3) == 0
    assert "proved" in str(verdict)


# Policies and groups


def test_policy_gradient_of_a_group():
    policy = softmax([0, 1, 2, 3, 4, 5, 6, 7], temperature=3)
    mean = expect(policy)
    draws = shared(policy).op(lambda a: a, lambda a: (mean - a) / 9)
    assert variance(draws.mul()) == pytest.approx(0.693132942100345, rel=1e-13)
    assert variance(leave_one_out_gradient(draws, 3)) == pytest.approx(0.17261202724549228854, rel=1e-12)
    shrunk = expect(group_gradient(draws, 4, baseline="mean")) / expect(draws.mul())
    assert shrunk == pytest.approx(0.75, rel=1e-12)


# A stopping rule on forty flips: states merge, 2**40 paths do not happen


def flip(state):
    """One more flip, until the z test at 1.96 rejects a fair coin at n >= 20."""
    n, heads, stopped = state
    if stopped:
        return constant(state)
    return bernoulli(0.5).op(
        lambda c: (n + 1, heads + c, n + 1 >= 20 and (2 * (heads + c) - n - 1) ** 2 > 1.96**2 * (n + 1))
    )


def test_stopping_rule():
    stopped = markov_chain(constant((0, 0, False)), flip, 40)
    assert stopped.prob(lambda s: s[2]) == pytest.approx(0.147969398189161, rel=1e-13)


def test_stopping_rule_against_all_paths():
    """The first 21 flips of the rule, on every one of the 2^21 paths."""
    rejected = 0
    for heads_at_20 in range(21):
        paths = math.comb(20, heads_at_20)
        for last in (0, 1):
            early = (2 * heads_at_20 - 20) ** 2 > 1.96**2 * 20
            late = (2 * (heads_at_20 + last) - 21) ** 2 > 1.96**2 * 21
            rejected += paths * (early or late)
    stopped = markov_chain(constant((0, 0, False)), flip, 21)
    assert stopped.prob(lambda s: s[2]) == pytest.approx(rejected / 2**21, rel=1e-14)


# In a test suite


def pass_at_k(sample, k=3):
    """1 - C(n-c, k)/C(n, k), c successes of n."""
    n, c = len(sample), sum(sample)
    return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))


def test_pass_at_k_is_unbiased():
    attempt = bernoulli(Fraction(3, 10))
    assert_unbiased(sampling_distribution(pass_at_k, attempt, 5), target=1 - Fraction(7, 10) ** 3)


def test_plug_in_pass_at_k_is_not():
    attempt = bernoulli(Fraction(3, 10))
    plug_in = sampling_distribution(lambda v: 1 - (1 - Fraction(sum(v), 5)) ** 3, attempt, 5)
    with pytest.raises(AssertionError) as failure:
        assert_unbiased(plug_in, target=1 - Fraction(7, 10) ** 3)
    # 1788/3125 - 657/1000: the bias is in the message.
    bias = Fraction(1788, 3125) - Fraction(657, 1000)
    assert str(bias) in str(failure.value) or f"{float(bias):.3g}" in str(failure.value)


def test_an_asymmetric_statistic_sees_tuples():
    """The first of three draws is not symmetric; its law is that of one draw, whatever is guessed about symmetry."""
    first = sampling_distribution(lambda v: v[0], die, 3)
    np.testing.assert_allclose(first.probs, 1 / 6, rtol=1e-13)
    exact = oracle.law([v[0] - v[2] for v in itertools.product(range(1, 7), repeat=3)], itertools.repeat(1, 216))
    got = sampling_distribution(lambda v: v[0] - v[2], die, 3)
    assert got.to_dict() == pytest.approx({v: float(p) for v, p in exact.items()}, rel=1e-12)


def test_an_undefined_sample_is_named():
    with pytest.raises(RandvarError, match=r"0\.5|1/2"):
        sampling_distribution(lambda v: 1 / (v[0] - v[1]), bernoulli(0.5), 2)
