"""A float stands for what is within a few ulp of itself, never of another outcome: sums against exact arithmetic."""

import bisect
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from randvar import Var, bernoulli, coverage, empirical, indep, shared, variance
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


def _decades(rng, k):
    return rng.standard_normal(k) * 10.0 ** rng.integers(-10, 11, k)


def _tenths(rng, k):
    return rng.integers(-50, 50, k) * 0.1 ** rng.integers(1, 4)


LAWS = {
    "wide": lambda rng, k: rng.standard_normal(k) * 10.0 ** rng.uniform(-300, 300, k),
    "decades": _decades,
    "offset": lambda rng, k: rng.random(k) + rng.choice([1e3, 1e9, 1e15]),
    "decimals": lambda rng, k: np.round(rng.random(k) * 100, 3),
    "decimals of all sizes": lambda rng, k: rng.integers(-999, 1000, k) * 10.0 ** rng.integers(-8, 9, k),
    "tenths": _tenths,
    "thirds": lambda rng, k: rng.integers(-60, 60, k) / rng.choice([3, 7, 49]) + rng.choice([0, 1e6]),
    "logs": lambda rng, k: np.log(rng.integers(1, 13, k) / rng.integers(1, 13, k)),
    "differences of logs": lambda rng, k: np.log(rng.integers(1, 13, k)) - np.log(rng.integers(1, 13, k)),
    "pi": lambda rng, k: math.pi * rng.integers(-20, 20, k),
    "times": lambda rng, k: 1.7e9 + np.round(rng.random(k), 6),
    "neighbours": lambda rng, k: rng.random() * (1 + rng.integers(-8, 9, k) * 2.0**-52),
    "opposites": lambda rng, k: np.outer(_decades(rng, k), [1, -1]).ravel()[: k + 1],
    "dyadic": lambda rng, k: (
        rng.integers(-1000, 1000, k) * 2.0 ** -rng.integers(0, 20, k) * rng.choice([1, 2.0**40], k)
    ),
    "whole": lambda rng, k: rng.integers(-(2**50), 2**50, k).astype(float),
}


@pytest.mark.parametrize("kind", LAWS)
def test_half_lines_of_sums_are_those_of_exact_arithmetic(kind):
    for seed in range(20):
        rng = np.random.default_rng([seed, *kind.encode()])
        groups = [(np.unique(LAWS[kind](rng, int(rng.integers(1, 5)))), int(rng.integers(1, 4))) for _ in range(2)]
        laws = [(Var(v.tolist(), _shares(rng, len(v))), n) for v, n in groups]
        parts = [total(x, n) for x, n in laws]
        found = indep(*parts).add()
        _agree(laws, found)


def _shares(rng, k):
    weights = rng.random(k) + 0.05
    return (weights / weights.sum()).tolist()


def _agree(laws, found):
    """P of each half-line whose end is not within the rounding of a sum."""
    rows = [(Fraction(0), Fraction(0), 1.0)]
    draws = sum(n for _, n in laws)
    for x, n in laws:
        for _ in range(n):
            pairs = [(Fraction(v), p) for v, p in zip(x.values.tolist(), x.probs.tolist(), strict=True)]
            rows = [(s + v, size + abs(v), w * p) for s, size, w in rows for v, p in pairs]
    rows.sort()
    near = [Fraction(2 * draws, 2**52) * size + Fraction(1, 2**1074) for _, size, _ in rows]
    highest = list(itertools.accumulate((s + r for (s, *_), r in zip(rows, near, strict=True)), max))
    lowest = list(itertools.accumulate((s - r for (s, *_), r in zip(rows[::-1], near[::-1], strict=True)), min))[::-1]
    below = list(itertools.accumulate(w for *_, w in rows))
    outcomes = [Fraction(v) for v in found.values.tolist()]
    masses = [0.0, *itertools.accumulate(found.probs.tolist())]
    for i in range(len(rows) - 1):
        if highest[i] < lowest[i + 1]:
            end = (highest[i] + lowest[i + 1]) / 2
            assert masses[bisect.bisect_right(outcomes, end)] == pytest.approx(below[i], abs=1e-12), (laws, float(end))
