"""Exact laws of random programs are bit for bit those that were kept (`frozen` compares all of them)."""

from fractions import Fraction

import frozen
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randvar import Joint, Var

TRIED = 3  # of the batches


@pytest.mark.parametrize("batch", range(TRIED))
def test_a_hundred_programs_have_the_laws_that_were_kept(batch):
    assert frozen.digest(batch) == frozen.kept()[batch]


def test_all_batches_are_kept_and_differ():
    assert len(set(frozen.kept())) == frozen.PROGRAMS // frozen.BATCH


def test_a_law_is_written_as_fractions():
    quarters = [Fraction(1, 4), Fraction(3, 4)]
    assert frozen.written(Var([2, Fraction(-1, 3)], quarters)) == "-1/3: 3/4; 2: 1/4"
    assert frozen.written(Joint([1, 0], [Fraction(1, 2), 5], [[Fraction(1, 4)] * 2] * 2)) == (
        "0 1/2: 1/4; 0 5: 1/4; 1 1/2: 1/4; 1 5: 1/4"
    )
    with pytest.raises(TypeError, match="float"):
        frozen.written(Var([1, 2], [0.25, 0.75]))


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_another_probability_is_another_line(a, b):
    def law(weight):
        p = Fraction(weight, 10**6 + 1)
        return frozen.written(Var([0, 1], [p, 1 - p]))

    assert (law(a) == law(b)) == (a == b)
