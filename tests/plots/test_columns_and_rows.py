"""The numbers behind the pictures, against sums over the law."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from randvar import RandvarError, Var, binomial, constant, covar, expect, from_dict, indep, shared, uniform, variance
from randvar.plots.columns_and_rows import columns, columns_alike, rows, window
from randvar.plots.smoothed_curves import density_grid, smoothed
from randvar.plots.style import number, ticks

laws = st.lists(
    st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 50)),
    min_size=1,
    max_size=200,
    unique_by=lambda atom: atom[0],
).map(lambda atoms: Var([v for v, _ in atoms], [w / sum(w for _, w in atoms) for _, w in atoms]))


@given(laws)
def test_what_is_drawn_has_the_mass_mean_and_variance_of_the_law(x):
    drawn = columns(x)
    scale = max(abs(float(v)) for v in x.values) or 1.0
    assert math.isclose(drawn.probs.sum(), 1, abs_tol=3e-6)
    assert math.isclose(drawn.values @ drawn.probs, float(expect(x)), abs_tol=1e-5 * scale)
    assert math.isclose(drawn.shares.sum(), float(variance(x)), rel_tol=3e-6, abs_tol=1e-12)
    assert np.all(np.diff(drawn.values) > 0)


@given(laws)
def test_a_picture_has_at_most_about_fifty_columns(x):
    assert len(columns(x).values) <= 53


def test_few_atoms_are_drawn_as_they_are():
    x = Var([1, 2, 4], [0.2, 0.3, 0.5])
    drawn = columns(x)
    assert drawn.values.tolist() == [1, 2, 4]
    assert drawn.probs.tolist() == [0.2, 0.3, 0.5]
    assert drawn.width is None


def test_bins_of_a_lattice_hold_equally_many_atoms():
    drawn = columns(uniform(0, 1000))
    assert drawn.width == 20
    inner = drawn.probs[1:-1]
    assert np.allclose(inner, 0.02)


@pytest.mark.parametrize("n", [60, 61, 71, 300])
def test_an_even_law_is_drawn_even(n):
    drawn = columns(binomial(n, 0.5))
    assert drawn.width is None or drawn.width >= 1
    assert np.allclose(drawn.values + drawn.values[::-1], n)
    assert np.allclose(drawn.probs, drawn.probs[::-1])


def test_nearly_equal_floats_are_one_column():
    drawn = columns(Var([0.0, 1.0, 1.0 + 1e-12], [0.5, 0.25, 0.25]))
    assert len(drawn.values) == 2
    assert drawn.width is None


def test_a_tail_is_left_out_only_when_it_carries_no_variance():
    heavy = Var([0.0, 1.0, 1e6], [0.5, 0.5 - 1e-9, 1e-9])
    assert columns(heavy).values[-1] > 9e5
    light = Var([0.0, 1.0, 3.0], [0.5, 0.5 - 1e-9, 1e-9])
    assert columns(light).values[-1] == 1


def test_laws_that_are_compared_share_the_width_of_their_bins():
    few, many = columns_alike(uniform(1, 7), binomial(2000, 0.5))
    assert few.width == many.width is not None
    assert [law.width for law in columns_alike(uniform(1, 7), uniform(0, 3))] == [None, None]


@given(st.integers(1, 30), st.integers(1, 30))
def test_the_shares_of_a_pair_add_up_to_the_covariance(m, n):
    j = shared(uniform(0, m * n + 1)).op(lambda a: a % m, lambda a: a // m)
    assert math.isclose(rows(j).shares.sum(), float(covar(j)), abs_tol=1e-9 * m * n)
    assert math.isclose(rows(j).probs.sum(), 1, rel_tol=1e-12)


def test_a_large_pair_is_drawn_in_cells():
    j = indep(uniform(0, 100), uniform(0, 100))
    drawn = rows(j)
    assert drawn.binned
    assert len(drawn.probs) <= 441


def test_only_a_pair_is_a_picture_of_a_pair():
    with pytest.raises(RandvarError, match="3 coordinates"):
        rows(indep(uniform(0, 2), uniform(0, 2), uniform(0, 2)))


def test_smoothing_keeps_mass_and_mean_and_adds_its_own_variance():
    x = uniform(1, 7)
    grid, bandwidth = density_grid(x)
    height = smoothed(x, grid, bandwidth)
    step = grid[1] - grid[0]
    assert bandwidth == pytest.approx(5 / 60)
    assert height.sum() * step == pytest.approx(1, rel=1e-3)
    assert (grid * height).sum() * step == pytest.approx(3.5, rel=1e-3)
    # (grid - 3.5)^2 integrates to Var(X) + bandwidth^2
    assert ((grid - 3.5) ** 2 * height).sum() * step == pytest.approx(35 / 12 + (5 / 60) ** 2, rel=1e-3)


def test_smoothing_of_many_atoms_agrees_with_the_sum_over_them():
    x = uniform(0, 3000).op(lambda v: (v / 1000) ** 2)
    grid, bandwidth = density_grid(x)
    exact = [
        math.fsum(math.exp(-0.5 * ((t - v) / bandwidth) ** 2) for v in x.values)
        / (3000 * bandwidth * math.sqrt(2 * math.pi))
        for t in grid[::40]
    ]
    assert smoothed(x, grid, bandwidth)[::40] == pytest.approx(exact, rel=2e-3, abs=1e-5)


@pytest.mark.parametrize("value", [0, -3, 1e-9, 1e9, Fraction(1, 3)])
def test_one_atom_has_a_window_around_it(value):
    low, high = window(columns(constant(value)))
    assert low < value < high
    grid, bandwidth = density_grid(constant(value))
    assert bandwidth > 0
    assert grid[0] < value < grid[-1]


def test_what_cannot_be_on_an_axis_is_refused():
    with pytest.raises(RandvarError, match="inf is an outcome"):
        columns(Var([0.0, math.inf], [0.5, 0.5]))
    with pytest.raises(RandvarError, match="'blue' is none"):
        columns(from_dict({"red": 0.5, "blue": 0.5}))
    with pytest.raises(RandvarError, match="overflows"):
        columns(Var([-1e200, 1e200], [0.5, 0.5]))


@pytest.mark.parametrize(
    ("value", "text"),
    [(4.75, "4.75"), (3.0, "3"), (-0.5, "−0.5"), (1 / 3, "0.33"), (1.5e-9, "1.5e−9"), (2e9, "2e9"), (0, "0")],
)
def test_numbers_have_two_decimals_trimmed(value, text):
    assert number(value) == text


@given(
    st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=1, max_size=12, unique=True),
    st.floats(10, 100),
)
def test_tick_labels_are_few_and_say_where_they_stand(values, room):
    values = np.sort(np.array(values))
    spread = values[-1] - values[0] or 1.0
    low, high = values[0] - 0.1 * spread, values[-1] + 0.1 * spread
    assume(low < values[0] and high > values[-1])
    places, labels = ticks(values, low, high, room)
    assert 1 <= len(places) == len(labels) <= 8
    assert len(set(labels)) == len(labels)
    gap = np.diff(places).min() if len(places) > 1 else max(abs(places[0]), 1e-300)
    for place, label in zip(places, labels, strict=True):
        assert abs(float(label.replace("−", "-")) - place) <= gap / 2


def test_ticks_stand_at_the_outcomes_where_they_fit():
    places, labels = ticks(np.array([1, 2, 5]), 0.5, 5.5, room=60)
    assert places.tolist() == [1, 2, 5]
    assert labels == ["1", "2", "5"]
