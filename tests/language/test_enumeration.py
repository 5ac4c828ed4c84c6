"""Programs with random choices: against the language, against every path written out, and what is refused."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import randvar
from randvar import (
    Joint,
    RandvarError,
    UndefinedOutcome,
    Var,
    bernoulli,
    enumerated,
    expect,
    sampling_distribution,
    total,
    uniform,
)

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
COIN, DIE = Var([0, 1], [HALF, HALF]), uniform(1, 7).rational()


def test_a_sample_drawn_one_by_one_is_the_sampling_distribution():
    by_paths = enumerated(lambda draw: max(draw(DIE) for _ in range(4)))
    assert by_paths.to_dict() == sampling_distribution(max, DIE, 4).to_dict()
    assert enumerated(lambda draw: sum(draw(DIE) for _ in range(3))).to_dict() == total(DIE, 3).to_dict()


@settings(max_examples=40, deadline=None)
@given(st.recursive(st.integers(0, 3), lambda inner: st.tuples(st.integers(1, 4), inner, inner), max_leaves=8))
def test_every_tree_of_flips(tree):
    """A tree is an outcome, or (k, no, yes): a flip with probability k/5 decides which way it goes."""
    truth: Counter[int] = Counter()

    def walk(at, p):
        if isinstance(at, int):
            truth[at] += p
        else:
            walk(at[1], p * Fraction(5 - at[0], 5))
            walk(at[2], p * Fraction(at[0], 5))

    def program(draw):
        at = tree
        while not isinstance(at, int):
            at = at[2] if draw.flip(Fraction(at[0], 5)) else at[1]
        return at

    walk(tree, Fraction(1))
    assert enumerated(program).to_dict() == truth


def test_kinds_of_probabilities():
    p = sympy.Symbol("p", positive=True)
    assert enumerated(lambda draw: draw.flip(HALF) + draw.flip(THIRD)).kind == "rational"
    assert enumerated(lambda draw: draw.flip(0.25) + draw.generator().integers(3)).kind == "float"
    two = enumerated(lambda draw: draw.flip(p) + draw.flip(p))
    assert sympy.expand(two.prob(2) - p**2) == 0
    assert enumerated(lambda draw: draw.generator().integers(2) + 2 * draw.flip(1)).to_dict() == {2: HALF, 3: HALF}
    with pytest.raises(RandvarError, match="cannot be combined"):
        enumerated(lambda draw: draw.flip(0.25) + draw.flip(THIRD))


def test_rows_and_fresh_draws():
    pair = Joint([1, 2], [1, 3], [[HALF, 0], [0, HALF]])
    assert enumerated(lambda draw: sum(draw(pair))).to_dict() == {2: HALF, 5: HALF}
    tie = enumerated(lambda draw: COIN if draw.flip(HALF) else 1)
    assert tie.to_dict() == {0: Fraction(1, 4), 1: Fraction(3, 4)}
    assert enumerated(lambda draw: 7).to_dict() == {7: 1}


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_bootstrap_inside_has_the_variance_that_theory_says(n):
    """Var of a bootstrap mean of n of n draws: sigma^2 / n + sigma^2 (n - 1) / n^2."""

    def mean(draw):
        data = [draw(DIE) for _ in range(n)]
        return Fraction(int(draw.generator().choice(data, size=n).sum()), n)

    assert randvar.variance(enumerated(mean)) == Fraction(35, 12) * (Fraction(1, n) + Fraction(n - 1, n * n))


def test_what_goes_wrong_is_told_with_the_draws():
    with pytest.raises(UndefinedOutcome, match=r"ZeroDivisionError.*the draws \[1, 0\] \(probability 1/12\)"):
        enumerated(lambda draw: draw(DIE) / draw(COIN))
    with pytest.raises(UndefinedOutcome, match="NaN"):
        enumerated(lambda draw: math.nan if draw.flip(HALF) else 0)
    with pytest.raises(TypeError, match="Var or a Joint"):
        enumerated(lambda draw: draw([1, 2]))
    with pytest.raises(RandvarError, match=r"draw\.flip: p must be"):
        enumerated(lambda draw: draw.flip(2))


def test_many_paths_in_chunks():
    law = enumerated(lambda draw: sum(draw(DIE) for _ in range(6)))
    assert law.to_dict() == total(DIE, 6).to_dict()
    assert expect(enumerated(lambda draw: draw(bernoulli(0.25)))) == 0.25
