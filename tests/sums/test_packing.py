"""Sums of integer vectors in small boxes: the same law as every multiset gives."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randvar import Var, expect, settings, total
from randvar.errors import SupportTooLarge
from randvar.sums.packing import dense_law, small_box

SMALL, HUGE = st.integers(-6, 6), st.integers(-(2**70), 2**70)
ROWS = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.tuples(*[st.one_of(SMALL, SMALL, HUGE)] * d), min_size=1, max_size=5, unique=True)
)


def by_enumeration(rows: list[tuple[int, ...]], weights: list[Fraction], n: int) -> dict[tuple[int, ...], Fraction]:
    law: Counter[tuple[int, ...]] = Counter()
    for sample in itertools.product(range(len(rows)), repeat=n):
        key = tuple(map(sum, zip(*(rows[i] for i in sample), strict=True)))
        law[key] += math.prod(weights[i] for i in sample)
    return dict(law)


@given(ROWS, st.integers(1, 4))
def test_packed_sums_are_told_apart_and_read_back(rows, n):
    box = small_box(list(zip(*rows, strict=True)))
    packed = box.packed(n)
    for sample in itertools.combinations_with_replacement(range(len(rows)), n):
        key = np.array([sum(packed[i] for i in sample)], dtype=object)
        read = [int(column[0]) for column in box.unpacked(key, n)]
        assert read == [sum(rows[i][axis] for i in sample) for axis in range(len(rows[0]))]


@given(ROWS, st.integers(1, 4), st.data())
def test_the_law_is_that_of_every_multiset(rows, n, data):
    parts = data.draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows)))
    weights = [Fraction(p, sum(parts)) for p in parts]
    truth = by_enumeration(rows, weights, n)
    exact = total(Var(rows, weights).vector(tuple), n) if len(rows[0]) > 1 else None
    if exact is not None:
        assert dict(zip(zip(*exact.law.rows(), strict=True), exact.law.probs.tolist(), strict=True)) == truth
    box = small_box(list(zip(*rows, strict=True)))
    if box.cells(n) > 10**5:
        return
    sums, probs, _ = dense_law(box, np.array(list(map(float, weights))), n)
    found = dict(zip(zip(*(c.tolist() for c in box.unpacked(sums, n)), strict=True), probs.tolist(), strict=True))
    assert found == pytest.approx({key: float(p) for key, p in truth.items()}, rel=1e-14)


def test_power_sums_of_dice_fill_their_box():
    die = range(1, 7)
    box = small_box([die, [a * a for a in die], [a**3 for a in die]])
    assert box.cells(20) < 20**3 * 5 * 3 * 9
    assert small_box([die, [a * a for a in die]]).cells(200) == 1001 * 601


def test_two_hundred_dice_and_their_squares():
    """Their multisets are 2,872,408,791, and they were refused for that; the sums are 397,403."""
    power_sums = total(Var(range(1, 7), [1 / 6] * 6).vector(lambda a: (a, a * a)), 200)
    assert len(power_sums.law.weights) == 397_403
    spread = power_sums.combine(lambda s, q: (q - s * s / 200) / 199)
    assert expect(spread) == pytest.approx(35 / 12, rel=1e-13)


def test_too_many_sums_are_refused():
    far = [(0, 0), (1, 10**6), (10**6, 1), (3, 7), (10**9, 10**5), (17, 10**12)]
    with settings(max_atoms=1000), pytest.raises(SupportTooLarge):
        total(Var(far, [Fraction(1, 6)] * 6).vector(tuple), 50).law
