"""Rounding to a grid that keeps the mean, against enumeration in Fractions."""

import math
from collections import Counter
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from randvar import *

fractions = st.fractions(min_value=-5, max_value=5, max_denominator=40)
laws = st.dictionaries(fractions, st.integers(1, 9), min_size=1, max_size=6)
steps = st.fractions(min_value=Fraction(1, 20), max_value=3, max_denominator=20)


def by_hand(law, step):
    """{grid point: probability}: up with the probability that the fractional part says."""
    mass, total_mass = Counter(), sum(law.values())
    for value, weight in law.items():
        low = math.floor(value / step)
        up = value / step - low
        mass[low * step] += Fraction(weight, total_mass) * (1 - up)
        mass[(low + 1) * step] += Fraction(weight, total_mass) * up
    return {value: p for value, p in sorted(mass.items()) if p}


@hypothesis_settings(deadline=None)
@given(laws, steps)
def test_against_enumeration(law, step):
    truth = by_hand(law, step)
    exact = stochastic_rounding(from_weights(list(law), [Fraction(w) for w in law.values()]), step)
    assert exact.to_dict() == truth
    x = Var([float(v) for v in law], [w / sum(law.values()) for w in law.values()])
    rounded = stochastic_rounding(x, float(step))
    assert rounded.values.tolist() == pytest.approx([float(v) for v in truth], rel=1e-12, abs=1e-12)
    assert rounded.probs.tolist() == pytest.approx([float(p) for p in truth.values()], abs=1e-12)


@hypothesis_settings(deadline=None)
@given(laws, steps)
def test_the_mean_stays_and_the_variance_grows_as_stated(law, step):
    x = from_weights(list(law), [Fraction(w) for w in law.values()])
    rounded = stochastic_rounding(x, step)
    assert expect(rounded) == expect(x)
    part = x.op(lambda v: v / step - math.floor(v / step))
    grown = variance(rounded) - variance(x)
    assert grown == step**2 * expect(part, lambda d: d * (1 - d))
    assert 0 <= grown <= step**2 / 4


def test_what_is_on_the_grid_stays_there():
    x = Var([0.1, 0.2, 0.3], [0.25, 0.25, 0.5])  # 0.3 / 0.1 is 2.9999999999999996
    assert stochastic_rounding(x, 0.1).to_dict() == {0.1: 0.25, 0.2: 0.25, 0.3: 0.5}
    assert same_law(stochastic_rounding(uniform(0, 10)), uniform(0, 10))


def test_symbols():
    p = sympy.Symbol("p", positive=True)
    rounded = stochastic_rounding(bernoulli(p), Fraction(2, 3))
    assert_unbiased(rounded, p)
    assert rounded.to_dict() == {0: 1 - p, Fraction(2, 3): p / 2, Fraction(4, 3): p / 2}


def test_a_law_that_is_refused_fits_when_rounded():
    roots = Var([2**0.5, 3**0.5, 5**0.5, 7**0.5, 11**0.5], [0.2] * 5)
    with pytest.raises(SupportTooLarge, match=r"stochastic_rounding\(x, step\)"):
        total(roots, 200).probs
    mean = total(stochastic_rounding(roots, 0.01), 200)
    assert expect(mean) == pytest.approx(expect(total(roots, 200)), rel=1e-14)
    assert len(mean) < 100_000


def test_refusals():
    for step in (0, -1, math.nan, math.inf, -0.0):
        with pytest.raises(RandvarError, match="step must be a"):
            stochastic_rounding(uniform(1, 7), step)
    with pytest.raises(TypeError, match="step must be a number"):
        stochastic_rounding(uniform(1, 7), "a")
    with pytest.raises(TypeError, match="needs numbers"):
        stochastic_rounding(Var(["a"], [1.0]))
    for half in (0.5, Fraction(1, 2)):
        with pytest.raises(RandvarError, match=r"infinite|finite number"):
            stochastic_rounding(Var([0, math.inf], [half, half]))
    with pytest.raises(TypeError, match="an outcome must be a number"):
        stochastic_rounding(Var([sympy.Symbol("a")], [1]))
    with pytest.raises(UndefinedOutcome, match="range of floats"):
        stochastic_rounding(uniform(1, 7), 5e-324)


@pytest.mark.parametrize("value", [2.0**50 + 0.5, 2.0**49 + 0.25, 2**53 + 1, 2.0**45 + 0.125])
def test_far_from_zero_nothing_is_rounded_away(value):
    x = Var([value, value + 2], [0.5, 0.5])
    assert stochastic_rounding(x).to_dict() == by_hand({Fraction(value): 1, Fraction(value + 2): 1}, Fraction(1))
