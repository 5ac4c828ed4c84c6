"""Envelopes of laws past the budget: the truth lies inside, and what refuses says where to turn."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import randvar
from randvar import (
    RandvarError,
    SupportTooLarge,
    Var,
    best_of_n,
    constant,
    expect,
    from_weights,
    indep,
    law_bounds,
    monte_carlo,
    product_of_draws,
    stratified,
    total,
    uniform,
    variance,
)
from randvar.draws import Draws, Sum
from randvar.warrant import Warrant

rough = from_weights(np.sqrt([2.0, 3.0, 5.0, 7.0, 11.0, 13.0]), [1, 2, 3, 4, 5, 6])
FIFTY = from_weights(np.sqrt(np.arange(2.0, 52.0) * np.pi), np.arange(1, 51))


@settings(deadline=None, max_examples=8)
@given(
    st.lists(st.floats(-10, 10, allow_subnormal=False), min_size=1, max_size=4, unique=True),
    st.integers(1, 6),
    st.data(),
)
def test_the_truth_lies_inside(values, n, data):
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    x = monte_carlo(from_weights(values, weights), n)
    bounds = law_bounds(x, points=[*x.values.tolist(), expect(x), x.values[0] - 1, x.values[-1] + 1])
    for point, low, high in zip(bounds.points, bounds.lower, bounds.upper, strict=True):
        assert low <= x.cdf(point) + 1e-14
        assert x.cdf(point) <= high + 1e-14


def test_strata_are_bounded_too():
    x = stratified([rough, uniform(0, 3)], [0.3, 0.7], [5, 7])
    bounds = law_bounds(x)
    truth = np.array([x.cdf(point) for point in bounds.points])
    assert np.all(bounds.lower <= truth + 1e-14)
    assert np.all(truth <= bounds.upper + 1e-14)


def test_fifty_irregular_values_a_thousand_times():
    mean = monte_carlo(FIFTY, 1000)
    bounds = law_bounds(mean)
    assert bounds.width <= 1e-6
    assert bounds.mean == expect(FIFTY)
    assert bounds.variance == pytest.approx(variance(FIFTY) / 1000, rel=1e-14)
    low, high = bounds.cdf(bounds.mean)
    assert 0.49 < low <= high < 0.51


def test_steps_stand_for_the_mean():
    assert law_bounds(FIFTY, 1000).cdf(11.0) == law_bounds(monte_carlo(FIFTY, 1000)).cdf(11.0)


def test_a_law_too_large_names_its_bounds():
    mean = monte_carlo(FIFTY, 1000)
    with pytest.raises(SupportTooLarge, match="law_bounds") as refusal:
        mean.values
    assert refusal.value.size > 10**80
    assert "too many outcomes to list" in repr(mean)
    assert "mean" in repr(mean)


def test_a_cdf_by_meeting_in_the_middle():
    """12 outcomes, 20 draws: 8.5e7 multisets are past the budget, their halves are not."""
    x = from_weights(np.sqrt(np.arange(2.0, 14.0)), range(1, 13))
    mean = monte_carlo(x, 20)
    with pytest.raises(SupportTooLarge):
        mean.probs
    low, high = law_bounds(mean).cdf(2.9)
    assert low <= mean.cdf(2.9) <= high
    small = monte_carlo(x, 4)
    want = small.cdf(2.9)
    with randvar.settings(max_atoms=1000):
        assert monte_carlo(x, 4).cdf(2.9) == pytest.approx(want, rel=1e-12)


STEPS = (0, 1, 2, 3**9 + 4, 5 * 7**9, 8 * 11**9 - 1, 8 * 11**9)


def sum_of(draws, shift=0):
    """The law of a sum of several draws of each of several laws."""
    return Var.of(Sum([Draws(x.source, copies) for x, copies in draws], shift))


@pytest.mark.parametrize("unit", [1, Fraction(1, 3)])
def test_a_cdf_of_exact_numbers_beyond_the_floats(unit):
    """Time stamps: neither their sum nor the shift is rounded, and none of them wraps around."""
    stamp = 1_700_000_000 * 10**9
    values = [unit * (stamp + k**9) for k in range(12)]
    x, plain = (Var(v, [Fraction(k + 1, 78) for k in range(12)]) for v in (values, [unit * k**9 for k in range(12)]))
    n, shift = 8, 9 * 10**18
    base = unit * n * stamp + 9 * stamp + shift
    exact = total(plain, n)
    wanted = {step: (exact.cdf(unit * (step - 1)), exact.cdf(unit * step)) for step in STEPS}
    with randvar.settings(max_atoms=10**4):
        sums = sum_of([(x, n), (constant(stamp), 9)], shift)
        with pytest.raises(SupportTooLarge):
            sums.values
        for step, (before, here) in wanted.items():
            assert sums.cdf(base + unit * step) == here
            assert sums.cdf(base + unit * step + Fraction(1, 7)) == here
            assert sums.cdf(base + unit * step - Fraction(1, 10**9)) == before
        assert sums.cdf(math.inf) == 1
        assert sums.cdf(-math.inf) == 0


@pytest.mark.parametrize("max_atoms", [300, 1000, 2000, 3000])
def test_no_group_of_draws_is_forgotten(max_atoms):
    """441 sums on 17501 lattice points: they are listed where they fit, and else refused, not halved in the middle."""
    x, y = Var([0, 1, 2000], [1 / 3] * 3), Var([0, 3, 1500], [1 / 3] * 3)
    want = indep(total(x, 5), total(y, 5)).prob(lambda a, b: a + b <= 6000)
    with randvar.settings(max_atoms=max_atoms):
        sums = sum_of([(x, 5), (y, 5)])
        if max_atoms < 441:
            with pytest.raises(SupportTooLarge):
                sums.cdf(6000)
        else:
            assert sums.cdf(6000) == pytest.approx(want)


@pytest.mark.parametrize("value", ["ten", "", b"ab", (1, 2), None])
def test_what_no_sum_compares_with_is_refused(value):
    few = monte_carlo(from_weights(np.sqrt(np.arange(2.0, 14.0)), range(1, 13)), 4)
    with randvar.settings(max_atoms=1000):
        with pytest.raises(TypeError, match="cdf takes"):
            few.cdf(value)
        assert few.cdf(10**400) == few.cdf(Fraction(10**400)) == pytest.approx(1, rel=1e-14)
        assert few.cdf(-(10**400)) == 0


def test_a_float_finds_its_sum_in_the_middle():
    x = Var([Fraction(k**9, 10) for k in range(12)], [Fraction(1, 12)] * 12)
    want = total(x, 8).cdf(Fraction(3, 10))
    with randvar.settings(max_atoms=10**4):
        sums = total(x, 8)
        assert sums.cdf(0.3) == want > sums.cdf(Fraction(29, 100))


def test_a_listed_law_is_bounded_as_it_stands():
    low, high = law_bounds(Var([0, 1], [0.25, 0.75])).cdf(0)
    assert low <= 0.25 <= high


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: law_bounds(rough, 0), RandvarError),
        (lambda: law_bounds(rough, 10, width=0), RandvarError),
        (lambda: law_bounds([1, 2], 10), TypeError),
        (lambda: law_bounds(Var(["a", "b"], [0.5, 0.5]), 2), TypeError),
        (lambda: law_bounds(Var([0, float("inf")], [0.5, 0.5]), 2), RandvarError),
        (lambda: law_bounds(total(rough, 3), points=[float("nan")]), RandvarError),
    ],
)
def test_bad_arguments(call, error):
    with pytest.raises(error):
        call()


# listed laws


@pytest.mark.parametrize("steps", [3, 40, 1000])
def test_the_bounds_of_a_product(steps):
    """P(1.2^c 0.9^(n - c) <= t), by the c that make it so in exact arithmetic of these floats."""
    x = Var([0.9, 1.2], [0.6, 0.4])
    low, high, a, b = (int(Fraction(v) * 2**60) for v in (0.9, 1.2, 0.4, 0.6))
    masses = [math.comb(steps, c) * a**c * b ** (steps - c) for c in range(steps + 1)]
    at = [0, steps // 3, steps // 2, steps]
    values = [high**c * low ** (steps - c) / 2 ** (60 * steps) for c in at]
    bounds = law_bounds(product_of_draws(x, steps), points=[v * (1 + 1e-3) for v in values])
    for c, lower, upper in zip(at, bounds.lower, bounds.upper, strict=True):
        part, whole = sum(masses[: c + 1]), (a + b) ** steps
        (n, unit), (m, over) = lower.as_integer_ratio(), upper.as_integer_ratio()
        assert n * whole <= part * unit
        assert part * over <= m * whole
        assert upper - lower < 1e-12


def test_the_bounds_of_a_product_by_logarithms():
    """Past the budget of multisets an outcome is known as far as its logarithm is."""
    draws = Var([0, 1, 2], [0.25, 0.5, 0.25])
    exponents = total(draws.rational(), 60)
    with randvar.settings(max_atoms=1000):
        product = product_of_draws(draws.op(lambda e: 1.25**e), 60)
        assert len(product) == 121
    for e in (0, 1, 60, 119, 120):
        low, high = law_bounds(product, points=[1.25**e]).cdf(1.25**e)
        assert low <= exponents.prob(lambda v, e=e: v < e)
        assert exponents.cdf(e) <= high
        near = law_bounds(product, points=[1.25**e * (1 + 1e-10)])
        assert near.lower[0] <= exponents.cdf(e) <= near.upper[0]
        assert near.width < 1e-11


def test_bounds_are_as_wide_as_the_accuracy_makes_them():
    coin = Var([0, 1], [0.5, 0.5])
    inaccurate = Var.of(coin.law.warranted(Warrant(accuracy=0.01)))
    low, high = law_bounds(inaccurate).cdf(0.5)
    assert low == pytest.approx(0.495)
    assert high == pytest.approx(0.505)
    low, high = law_bounds(total(inaccurate, 3)).cdf(0.5)
    assert low <= 0.505**3 <= high  # both sides of 1/2 may be off
    assert low <= 0.495**3 <= high
    unknown = Var.of(coin.law.warranted(Warrant(accuracy=math.inf)))
    assert law_bounds(unknown).cdf(0.5) == (0, 1)


def test_bounds_of_what_was_scaled():
    x = product_of_draws(Var([0.5, 3.0], [0.5, 0.5]), 2)
    bounds = law_bounds(1 - 2 * x, points=[-3.0, 0.4, 0.5, -17.0, -18.0])
    truth = [0.25, 0.75, 1, 0.25, 0]
    for low, high, upto in zip(bounds.lower, bounds.upper, truth, strict=True):
        assert low <= upto + 1e-15
        assert upto <= high + 1e-15


def test_an_event_so_faint_that_digits_are_lost():
    """Below 1e-308 floats keep few digits: given such an event the accuracy says so, and the bounds are wide."""
    x = best_of_n(Var([0, 1, 2], [0.1, 0.1, 0.8]), 318)
    faint = x.cond(lambda a: a < 2)
    exact = best_of_n(Var([0, 1, 2], [Fraction(0.1), Fraction(0.1), 1 - 2 * Fraction(0.1)]), 318)
    truth = exact.cond(lambda a: a < 2).prob(0)
    assert abs(faint.prob(0) / float(truth) - 1) <= faint.accuracy if truth > 1e-290 else True
    low, high = law_bounds(faint).cdf(0.5)
    assert low <= truth <= high
