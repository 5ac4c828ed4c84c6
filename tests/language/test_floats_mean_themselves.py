"""A float stands for what is within a few ulp of itself, never of another outcome: sums against exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from float_laws import LAWS, disagreement

from randvar import Var, bernoulli, coverage, empirical, shared, variance
from randvar.estimators.sampling import total
from randvar.sums.grid import find_grid

WIDE = Var([0.0, 1.000008, 1e10], [0.5, 0.4, 0.1])


def test_a_small_outcome_is_not_moved_by_a_large_one():
    sums = total(WIDE, 2)
    assert 2.000016 in sums.values.tolist()
    assert sums.prob(lambda s: s <= 2) == pytest.approx(0.65, rel=1e-15)


def test_a_sum_of_small_outcomes_is_no_cancellation_of_large_ones():
    x = Var([-1e10, -3.0, 3.000008, 1e10], [0.25] * 4)
    assert total(x, 2).prob(lambda s: s > 0) == pytest.approx(0.5, rel=1e-15)


def test_neighbouring_floats_do_not_become_one_by_a_chain():
    times = [1.7e18 + 512.0 * k for k in range(1000)]
    later = empirical(times) + 1024.0
    assert len(later) == 1000
    assert variance(later) == pytest.approx(512**2 * (1000**2 - 1) / 12, rel=1e-12)


def test_a_tiny_outcome_beside_a_huge_one_is_positive():
    x = Var([0.0, 1e-9, 6e23], [0.3, 0.3, 0.4])
    for same in (
        x * 1.0,
        x.op(lambda a: a * 1.0),
        shared(x).op(lambda a: a, lambda a: a).marginal(1),
        x.cond(math.isfinite),
    ):
        assert same.prob(lambda a: a > 0) == pytest.approx(0.7, rel=1e-15)


def test_an_interval_is_compared_at_the_end_in_question():
    exact = sum(math.comb(10, k) * Fraction(3, 10) ** k * Fraction(7, 10) ** (10 - k) for k in range(5))
    found = coverage(lambda s: (sum(s) / 10 - 0.1, 1e15), bernoulli(0.3), 10)
    assert found == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("values", [[0.0, 1.000008, 1e10], [0.1, 0.2, 0.3 + 1e-12], [0.0, 3 + 2.0**-17, 1e10]])
def test_no_value_moves_further_than_its_own_rounding(values):
    grid = find_grid([np.array(values)], [2], max_span=2**53)
    if grid is None:
        return
    for v, k in zip(values, grid.positions[0].tolist(), strict=True):
        assert (
            abs(Fraction(v) * grid.denominator - grid.starts[0] - grid.step * k)
            <= 5 * Fraction(math.ulp(v)) * grid.denominator
        )


@pytest.mark.parametrize("kind", LAWS)
def test_sums_of_random_laws_are_those_of_exact_arithmetic(kind):
    for seed in range(12):
        assert disagreement(kind, seed) == ""
