"""The lattice finder: it finds the lattices that floats hide, and none where there is none."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randvar.errors import UndefinedOutcome
from randvar.sums.grid import find_grid

SPAN = 2**22


def grid_of(*columns, copies=None, max_span=SPAN):
    arrays = [np.asarray(column) for column in columns]
    return find_grid(arrays, copies or [1] * len(arrays), max_span=max_span)


@pytest.mark.parametrize(
    ("values", "positions", "step"),
    [
        ([1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5], 1),
        ([True, False], [1, 0], 1),
        ([10, -5, 40], [1, 0, 3], 15),
        ([0.1, 0.2, 0.3], [0, 1, 2], Fraction(1, 10)),
        (np.cumsum(np.full(10, 0.1)), range(10), Fraction(1, 10)),
        (np.cumsum(np.full(1000, 0.1)), range(1000), Fraction(1, 10)),
        (np.arange(-5, 9) / 3, range(14), Fraction(1, 3)),
        (-0.25 * np.arange(5), [4, 3, 2, 1, 0], Fraction(1, 4)),
        (1e6 + 0.01 * np.arange(50), range(50), Fraction(1, 100)),
        (1e9 + np.arange(3.0), [0, 1, 2], 1),
        (1e15 + np.arange(3.0), [0, 1, 2], 1),
        ([1 / 7, 2 / 3, 5.0], [0, 11, 102], Fraction(1, 21)),
        (np.linspace(-100, 100, 2001), range(2001), Fraction(1, 10)),
        ([-(2**62) - 5, 0, 2**62 + 5], [0, 1, 2], 2**62 + 5),
        ([-(2**63), 2**63 - 1], [0, 1], 2**64 - 1),
        ([7], [0], 1),
    ],
)
def test_a_rational_lattice_is_found_exactly(values, positions, step):
    grid = grid_of(values)
    assert grid.positions[0].tolist() == list(positions)
    assert Fraction(grid.step, grid.denominator) == step


@pytest.mark.parametrize("unit", [math.pi, math.sqrt(2), math.e / 10, 1e-300, 1e200])
@pytest.mark.parametrize("multiples", [range(12), range(-7, 9), [-1, 0, 1], [2, 3, 7]])
def test_multiples_of_any_unit_are_a_lattice(unit, multiples):
    values = unit * np.array(multiples)
    grid = grid_of(values)
    assert grid.positions[0].tolist() == [m - min(multiples) for m in multiples]
    assert float(grid.step) / grid.denominator == pytest.approx(unit, rel=1e-15)
    sums = grid.values(np.arange(5), [3])
    assert sums == pytest.approx([unit * (3 * min(multiples) + k) for k in range(5)], rel=4e-16, abs=0)


def test_sums_of_irrational_opposites_contain_zero():
    grid = grid_of([-math.pi, 0.0, math.pi])
    assert grid.values(np.array([20]), [20])[0] == 0.0


@pytest.mark.parametrize(
    "values",
    [
        [0, 1, math.sqrt(2)],
        np.sqrt(np.arange(1, 20)),
        np.log([0.3, 0.2, 0.1, 0.7]),
        [1e-8, 1.0, 1e8],
        [1e-10, 1.0, 1e6],  # 1e-10 is below the rounding of 1e6
        [1.0, 1.0 + 1e-10, 1e6],
        [0.0, math.inf],
        [-1e308, 0.5e308, 1e308],
        np.random.default_rng(1).random(1000),
    ],
)
def test_there_is_no_lattice(values):
    assert grid_of(values) is None


@pytest.mark.parametrize("size", [3, 4, 5, 6, 20])
def test_irregular_floats_have_no_lattice(size):
    generator = np.random.default_rng(size)
    for _ in range(200):
        assert grid_of(generator.random(size) * 10.0 ** generator.integers(-9, 9)) is None


def test_two_floats_are_one_step_apart():
    grid = grid_of([math.pi, -math.e])
    assert grid.positions[0].tolist() == [1, 0]
    assert grid_of([1e15, 1e15 + 0.5]).step == 0.5


def test_what_cancellation_leaves_is_zero():
    values = np.arange(-1, 1, 0.1)  # passes 0 at -2.2e-16
    assert 0 < abs(values[10]) < 1e-15
    grid = grid_of(values)
    assert grid.positions[0].tolist() == list(range(20))
    assert grid.values(np.array([10]), [1])[0] == 0.0


def test_terms_share_step_and_denominator():
    grid = grid_of([0, 1 / 3], [0.0, 1 / 7, 2 / 7], [2.5])
    assert (grid.step, grid.denominator) == (1, 42) or Fraction(grid.step, grid.denominator) == Fraction(1, 21)
    thirds, sevenths, shift = grid.positions
    assert (thirds.tolist(), sevenths.tolist(), shift.tolist()) == ([0, 7], [0, 3, 6], [0])
    assert grid.values(np.array([0, 3, 7]), [1, 1, 2]).tolist() == [5.0, 5 + 1 / 7, 5 + 1 / 3]


def test_an_irrational_shift_of_a_lattice():
    grid = grid_of([0.0, 1.0, 2.0], [math.pi])
    assert grid.values(np.arange(3), [3, 2]) == pytest.approx(
        [2 * math.pi, 2 * math.pi + 1, 2 * math.pi + 2], rel=3e-16
    )


def test_a_term_that_is_never_drawn_does_not_matter():
    grid = grid_of([0, 1], [math.pi, math.e, 17.3], copies=[3, 0])
    assert (grid.step, grid.denominator) == (1, 1)
    assert grid.values(np.array([2]), [3, 0]).tolist() == [2]


def test_the_span_is_limited():
    assert grid_of([0, 0.1, 100], max_span=999) is None
    assert grid_of([0, 0.1, 100], max_span=1000) is not None
    assert grid_of([0, 1, 1000], max_span=999) is not None  # whole numbers are no guess
    assert grid_of([0, 2**62], [0, 0.25], max_span=999) is None


def test_a_step_beyond_the_machine_integers():
    positions = grid_of([0, 2**62], [0.25], max_span=999).positions
    assert [column.tolist() for column in positions] == [[0, 1], [0]]
    assert grid_of([0.0, math.pi, 1000 * math.pi], max_span=999) is None


def test_integers_stay_integers():
    grid = grid_of([1, 2, 3])
    assert grid.values(np.arange(3), [10]).dtype == np.int64
    assert grid_of([1.0, 2.0, 3.0]).values(np.arange(3), [10]).dtype == np.float64
    huge = grid_of([2**62, 2**62 + 1]).values(np.arange(2), [1000])
    assert huge.tolist() == [1000 * 2**62, 1000 * 2**62 + 1]


def test_sums_are_correctly_rounded_beyond_two_to_the_53():
    grid = grid_of(1e6 + 0.01 * np.arange(50))
    copies, k = 10**9 + 7, np.array([0, 1, 12345, 10**10])
    exact = [copies * Fraction(10**6) + Fraction(int(i), 100) for i in k]
    assert grid.values(k, [copies]).tolist() == [float(value) for value in exact]


def test_a_sum_beyond_the_floats_is_refused():
    with pytest.raises(UndefinedOutcome, match="largest float"):
        grid_of([0.0, 1e308]).values(np.array([2]), [2])


@settings(max_examples=200, deadline=None)
@given(
    numerators=st.lists(st.integers(-500, 500), min_size=1, max_size=8, unique=True),
    denominator=st.integers(1, 200),
    copies=st.integers(1, 50),
)
def test_every_set_of_small_rationals_is_recovered(numerators, denominator, copies):
    values = np.array([numerator / denominator for numerator in numerators])
    grid = grid_of(values)
    exact = [Fraction(numerator, denominator) for numerator in numerators]
    found = [Fraction(int(grid.starts[0] + grid.step * k), grid.denominator) for k in grid.positions[0].tolist()]
    assert found == exact
    k = np.arange(4)
    smallest = copies * min(exact)
    step = Fraction(grid.step, grid.denominator)
    assert grid.values(k, [copies]).tolist() == [float(smallest + step * i) for i in range(4)]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=6, unique=True))
def test_a_lattice_is_true_to_its_values(values):
    """Whatever is found, no value moves by more than 4 ulp of the largest and no two distinct ones meet."""
    grid = grid_of(values)
    if grid is None:
        return
    tolerance = 8 * np.spacing(max(map(abs, values)))
    positions = grid.positions[0].tolist()
    for value, k in zip(values, positions, strict=True):
        assert (
            abs(Fraction(value) - (Fraction(grid.starts[0]) + Fraction(grid.step) * k) / grid.denominator) <= tolerance
        )
    ascending = sorted(zip(values, positions, strict=True))
    for (v, k), (w, m) in pairwise(ascending):
        assert m > k or w - v <= 4 * np.spacing(max(abs(v), abs(w))) or max(abs(v), abs(w)) <= tolerance
