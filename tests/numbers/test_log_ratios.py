"""Logarithms of ratios near 1, against forty digits."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randvar.numbers.log_ratios import divergence_term, exp_remainder, integer_weights, log_quotient

sizes = st.builds(lambda sign, digits: sign * 10.0**digits, st.sampled_from([-1, 1]), st.floats(-150, 2.5))


@given(sizes)
def test_exp_remainder(x):
    with mpmath.workdps(400):
        wanted = mpmath.expm1(mpmath.mpf(x)) - x
        assert abs(exp_remainder(x) / wanted - 1) < 1e-15


@given(st.integers(1, 10**40), st.integers(-(10**18), 10**18))
def test_log_quotient(a, step):
    b = max(a + step, 1)
    with mpmath.workdps(100):
        wanted = mpmath.log(mpmath.mpf(a) / b)
        assert log_quotient(a, b) == 0 if a == b else abs(log_quotient(a, b) / wanted - 1) < 1e-15


def test_log_quotient_beyond_floats():
    assert log_quotient(10**400, 1) == pytest.approx(400 * math.log(10), rel=1e-15)
    assert log_quotient(10**400, 10**400 - 1) == 0  # 1e-400, below the smallest float
    assert log_quotient(1, 0) == math.inf


@given(st.floats(1e-300, 1), st.floats(1e-12, 1e12))
def test_divergence_term(p, ratio):
    q = p / ratio
    with mpmath.workdps(60):
        exact = mpmath.mpf(p) * mpmath.log(mpmath.mpf(p) / mpmath.mpf(q)) - p + q
        log_ratio = log_quotient(*integer_weights(np.array([p, q]))[0])
        assert divergence_term(p, q, log_ratio) == pytest.approx(float(exact), rel=2e-15)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_integer_weights_are_the_floats(weights):
    whole, total = integer_weights(np.array(weights))
    assert sum(whole) == total
    exact = list(map(Fraction, weights))
    assert [w * sum(exact) for w in whole] == [w * total for w in exact]
