"""What people will type first, with the results they should see."""

import math
import re
from fractions import Fraction

import numpy as np
import oracle
import pytest
from scipy import stats

from randvar import (
    bernoulli,
    best_coefficient,
    control_variate,
    expect,
    indep,
    monte_carlo,
    uniform,
    variance,
)

die = uniform(1, 7)


def test_the_larger_of_two_dice():
    assert indep(die, die).combine(max).prob(6) == pytest.approx(11 / 36, rel=1e-15)


def test_the_first_of_two_dice_that_sum_to_seven():
    first = indep(die, die).cond(lambda a, b: a + b == 7)[0]
    np.testing.assert_array_equal(first.values, [1, 2, 3, 4, 5, 6])
    assert first.values.dtype.kind == "i"
    np.testing.assert_allclose(first.probs, 1 / 6, rtol=1e-15)


def test_a_mixture_of_a_die_and_a_number():
    mixed = bernoulli(0.5).op(lambda c: die if c else 0)
    assert mixed.prob(0) == 0.5
    np.testing.assert_array_equal(mixed.values, range(7))


def test_adding_two_vars_names_both_meanings():
    with pytest.raises(TypeError, match=re.escape("indep(x, y).add()")) as refusal:
        die + die
    assert "shared(x).op(f, g).add()" in str(refusal.value)


def test_moments_of_a_mean_of_a_thousand_dice():
    m = monte_carlo(die, 1000)
    assert expect(m) == 3.5
    assert variance(m) == pytest.approx(35 / 12 / 1000, rel=1e-15)


def test_tail_of_a_mean_of_a_thousand_dice():
    exact = oracle.dice_tail(1000, 4500)
    assert f"{float(exact):.4e}" == "1.1118e-79"
    tail = monte_carlo(die, 1000).prob(lambda v: v >= 4.5)
    assert math.isclose(tail, exact, rel_tol=1e-12)


def test_quantile_of_a_mean_of_a_million_flips():
    m = monte_carlo(bernoulli(0.3), 10**6)
    assert m.quantile(0.975) == 0.300898 == stats.binom.ppf(0.975, 10**6, 0.3) / 10**6


def test_control_variate_and_its_best_coefficient():
    pair = control_variate(die, lambda a: a**2, lambda a: a, known_mean=3.5, b=1)
    b = best_coefficient(pair)
    assert b == pytest.approx(7, rel=1e-14)
    assert variance(pair[0]) == pytest.approx(Fraction(5369, 36), rel=1e-14)
    assert variance(pair.op(lambda f: f, lambda h: b * h).sub()) == pytest.approx(Fraction(56, 9), rel=1e-13)
