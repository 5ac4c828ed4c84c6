"""Folds against every sample, and against what is known of runs, walks and tests."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import randvar
from randvar import Joint, SupportTooLarge, UndefinedOutcome, Var, bernoulli, expect, fold, indep

HALF = Fraction(1, 2)
COIN = Var([0, 1], [HALF, HALF])


def longest(state, heads):
    run = (state[0] + 1) * heads
    return run, max(state[1], run)


def longest_at_once(states, heads):
    run = (states[:, 0] + 1) * heads
    return np.stack([run, np.maximum(states[:, 1], run)], axis=1)


def modular(state, a):
    return (3 * state[0] + a) % 5, state[1] ^ (a & 1)


STEPS = [
    ((0, 0), longest),
    ((0, 0), modular),
    (0, lambda s, a: max(s - a, 0)),
    ("", lambda s, a: (s + "ab"[a % 2])[-2:]),
    (None, lambda s, a: a if s is None or a > s else s),
]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(STEPS),
    st.integers(0, 5),
    st.dictionaries(st.integers(-2, 3), st.integers(1, 9), min_size=1, max_size=3),
)
def test_every_fold_is_the_law_over_all_ordered_samples(program, n, parts):
    start, step = program
    size = sum(parts.values())
    truth: Counter[object] = Counter()
    for sample in itertools.product(parts, repeat=n):
        state = start
        for a in sample:
            state = step(state, a)
        truth[state] += math.prod(Fraction(parts[a], size) for a in sample)
    law = Var(list(parts), [Fraction(w, size) for w in parts.values()])
    assert fold(law, n, start=start, step=step).to_dict() == truth
    floats = Var(list(parts), [w / size for w in parts.values()])
    assert fold(floats, n, start=start, step=step).to_dict() == pytest.approx(
        {s: float(p) for s, p in truth.items()}, rel=1e-14
    )


def test_arrays_of_states_give_the_same_law():
    by_table = fold(COIN, 60, start=(0, 0), step=longest, finish=lambda s: s[1])
    at_once = fold(COIN, 60, start=(0, 0), step=longest_at_once, finish=lambda s: s[:, 1], vectorized=True)
    assert by_table.to_dict() == at_once.to_dict()
    whole = fold(COIN, 9, start=(0, 0), step=longest_at_once, vectorized=True)
    assert whole.to_dict() == fold(COIN, 9, start=(0, 0), step=longest).to_dict()
    numbers = fold(bernoulli(0.25), 7, start=0, step=lambda s, a: s + a, vectorized=True)
    assert numbers.prob(7) == pytest.approx(0.25**7, rel=1e-15)


def test_longest_run_of_a_thousand_flips():
    flips = fold(bernoulli(0.5), 1000, start=(0, 0), step=longest_at_once, finish=lambda s: s[:, 1], vectorized=True)
    assert flips.prob(lambda length: length >= 15) == pytest.approx(0.014951066441079866, rel=1e-13)


def test_coverage_of_a_skewed_law_at_two_hundred_draws():
    n = 200

    def covers(s):
        spread = math.sqrt(max((n * s[1] - s[0] ** 2) / (n * (n - 1)), 0))
        return abs(s[0] / n - 0.19) <= 1.96 * spread / math.sqrt(n)

    x = Var([0, 1, 10], [0.9, 0.09, 0.01])
    law = fold(x, n, start=(0, 0), step=lambda s, a: (s[0] + a, s[1] + a * a), finish=covers)
    assert law.prob(True) == pytest.approx(0.86431414058403, rel=1e-13)


def test_a_sequential_test_has_its_exact_size():
    bounds = {20: 17, 40: 19, 60: 21, 80: 21, 100: 21}

    def look(state, head):
        if state is None:
            return None
        n, heads = state[0] + 1, state[1] + head
        return None if n in bounds and abs(2 * heads - n) >= bounds[n] else (n, heads)

    rejected = fold(COIN, 100, start=(0, 0), step=look, finish=lambda s: s is None).prob(True)
    assert float(rejected) == pytest.approx(0.04257834495219458, rel=1e-15)


def test_rows_symbols_and_further_draws():
    p = sympy.Symbol("p", positive=True)
    third = fold(Var([0, 1], [1 - p, p]), 3, start=0, step=lambda s, a: max(s, a))
    assert sympy.expand(third.prob(1) - (1 - (1 - p) ** 3)) == 0
    pair = Joint([1, 2], [1, 3], [[HALF, 0], [0, HALF]])
    assert expect(fold(pair, 4, start=0, step=lambda s, row: s + row[0] * row[1])) == 4 * Fraction(7, 2)
    lazy_walk = fold(indep(COIN, COIN), 10, start=0, step=lambda s, row: s + row[0] * (2 * row[1] - 1))
    assert expect(lazy_walk) == 0


def test_what_is_no_fold_is_refused():
    with pytest.raises(TypeError, match="hashable"):
        fold(COIN, 3, start=[0], step=lambda s, a: s)
    with pytest.raises(TypeError, match="hashable"):
        fold(COIN, 3, start=(0,), step=lambda s, a: [*s, a])
    with pytest.raises(TypeError, match=r"indep\(x, y\)"):
        fold(COIN, 3, start=0, step=lambda s, a: COIN)
    with pytest.raises(UndefinedOutcome, match="ZeroDivisionError"):
        fold(COIN, 3, start=0, step=lambda s, a: s + 1 / a)
    with pytest.raises(UndefinedOutcome, match="NaN"):
        fold(COIN, 3, start=0, step=lambda s, a: math.nan)
    seen = itertools.count()
    with pytest.raises(UndefinedOutcome, match="not a function of the state"):
        fold(COIN, 3, start=0, step=lambda s, a: next(seen))


def test_states_that_never_merge_are_refused_with_their_growth():
    with randvar.settings(max_atoms=1000), pytest.raises(SupportTooLarge, match=r"draw 9 of 40 .* 2\.\d* times"):
        fold(COIN, 40, start=(), step=lambda s, a: (*s, a))
    with randvar.settings(max_atoms=1000), pytest.raises(SupportTooLarge, match="times as many"):
        fold(COIN, 40, start=1, step=lambda s, a: 2 * s + a, vectorized=True)


@pytest.mark.parametrize(
    ("step", "error", "words"),
    [
        (lambda s, a: s[None], TypeError, "shape of the states"),
        (lambda s, a: s / 0, UndefinedOutcome, "NaN"),
        (lambda s, a: s.no_such_thing, UndefinedOutcome, "AttributeError"),
        (lambda s, a: s * 2**40 + 1, UndefinedOutcome, "wrapped around"),
        (lambda s, a: s.astype(object), TypeError, "got object"),
    ],
)
def test_vectorized_steps_that_are_none(step, error, words):
    with pytest.raises(error, match=words):
        fold(COIN, 4, start=0, step=step, vectorized=True)


def test_words_are_no_arrays():
    with pytest.raises(TypeError, match="numbers or rows of numbers"):
        fold(COIN, 4, start="a", step=lambda s, a: s, vectorized=True)
