"""Cumulants of floats: few outcomes by Python's floats, many by numpy, and both by one formula."""

import math

import pytest

from randvar import Var
from randvar.numbers.floats import FLOATS

SIXTY_FIVE = [float(v) for v in range(65)]  # one more than are taken for a handful


@pytest.mark.parametrize("values", [SIXTY_FIVE[:64], SIXTY_FIVE])
def test_cumulants_of_a_uniform_law(values):
    n = len(values)
    x = Var(values, [1 / n] * n)
    exact = (n - 1) / 2, (n**2 - 1) / 12, 0.0, -(n**4 - 1) / 120  # Kendall & Stuart, exercise 3.12
    assert x.law.cumulants(4) == pytest.approx(exact, rel=1e-13, abs=1e-9)
    assert x.law.cumulants(2) == x.law.cumulants(4)[:2]


@pytest.mark.parametrize("copies", [1, 40])
def test_a_cumulant_past_the_largest_float_is_nan_and_those_before_it_are_numbers(copies):
    for size, orders in ((1e60, 4), (1e76, 4), (1e90, 3), (1e140, 2)):
        values = [size * sign * (1 + k / 100) for k in range(copies) for sign in (-1, 1)]
        x = Var(values, [0.5 / copies] * (2 * copies))
        finite = [math.isfinite(k) for k in x.law.cumulants(4)]
        assert finite == [True] * orders + [False] * (4 - orders), size
    assert FLOATS.cumulants(x.values, x.probs, 1.0, 2)[1] > 1e279
