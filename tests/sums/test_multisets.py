"""Multisets and tuples in chunks, against itertools and exact fractions."""

from __future__ import annotations

import itertools
import math
import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randvar.errors import SupportTooLarge
from randvar.sums.multisets import (
    expand,
    multiset_chunks,
    multiset_count,
    multiset_parts,
    tuple_parts,
)

laws = st.lists(st.integers(1, 9), min_size=1, max_size=7)


def exact_masses(weights, n):
    """{multiset: probability} from the multinomial formula, in fractions."""
    total = sum(map(Fraction, weights))
    masses = {}
    for draws in itertools.combinations_with_replacement(range(len(weights)), n):
        arrangements = math.factorial(n) // math.prod(math.factorial(c) for c in Counter(draws).values())
        masses[draws] = arrangements * math.prod((Fraction(weights[i]) / total for i in draws), start=Fraction(1))
    return masses


def collect(chunks):
    rows, masses = [], []
    for indices, weights in chunks:
        assert len(indices) == len(weights)
        rows += map(tuple, indices.tolist())
        masses += weights.tolist()
    return rows, masses


def tuple_chunks(probs, n, chunk=2**18):
    return map(expand, tuple_parts(probs, n, chunk=chunk))


@settings(max_examples=80, deadline=None)
@given(laws, st.integers(0, 8), st.integers(1, 50))
def test_every_multiset_comes_once_with_its_multinomial_mass(weights, n, chunk):
    rows, masses = collect(multiset_chunks(np.array(weights, dtype=float), n, chunk=chunk))
    truth = exact_masses(weights, n)
    assert len(rows) == len(truth) == multiset_count(len(weights), n)
    assert set(rows) == set(truth)
    assert masses == pytest.approx([float(truth[row]) for row in rows], rel=1e-14, abs=0)


@settings(max_examples=40, deadline=None)
@given(laws, st.integers(0, 6))
def test_fractions_stay_fractions(weights, n):
    probs = np.array([Fraction(w, sum(weights)) for w in weights], dtype=object)
    rows, masses = collect(multiset_chunks(probs, n, chunk=97))
    assert dict(zip(rows, masses, strict=True)) == exact_masses(weights, n)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 5), st.integers(1, 50))
def test_tuples_come_in_order_with_the_product_of_their_masses(weights, n, chunk):
    total = sum(weights)
    rows, masses = collect(tuple_chunks(np.array(weights, dtype=float), n, chunk=chunk))
    assert rows == list(itertools.product(range(len(weights)), repeat=n))
    truth = [math.prod(weights[i] for i in row) / total**n for row in rows]
    assert masses == pytest.approx(truth, rel=1e-14, abs=0)
    probs = np.array([Fraction(w, total) for w in weights], dtype=object)
    exact = collect(tuple_chunks(probs, n))[1]
    assert exact == [Fraction(math.prod(weights[i] for i in row), total**n) for row in rows]


@pytest.mark.parametrize(("k", "n"), [(4, 12), (12, 4)])
def test_tiny_probabilities_keep_their_relative_accuracy(k, n):
    weights = [0.3, 1e-200, 1e-40, 0.7] + [1e-3 * i for i in range(1, k - 3)]
    rows, masses = collect(multiset_chunks(np.array(weights), n))
    truth = exact_masses(weights, n)
    visible = [(mass, float(truth[row])) for row, mass in zip(rows, masses, strict=True) if truth[row] > 1e-300]
    assert len(visible) > 50
    assert [m for m, _ in visible] == pytest.approx([t for _, t in visible], rel=1e-13, abs=0)


def test_a_thousand_draws_of_two_outcomes_are_the_binomial_law():
    n = 1000
    rows, masses = collect(multiset_chunks(np.array([0.25, 0.75]), n))
    ones = [sum(row) for row in rows]
    truth = [math.comb(n, c) * 3**c / 4**n for c in ones]
    visible = [i for i, t in enumerate(truth) if t > 1e-300]
    assert sorted(ones) == list(range(n + 1))
    assert [masses[i] for i in visible] == pytest.approx([truth[i] for i in visible], rel=1e-13, abs=0)


def test_a_chunk_is_a_light_message_that_another_process_can_expand():
    probs = np.full(50, 0.02)
    parts = list(multiset_parts(probs, 5, chunk=10**6))
    assert [len(part) for part in parts] == [10**6, 10**6, 10**6, 162_510]
    message = pickle.dumps(parts[3])
    assert len(message) < 2000
    indices, masses = expand(pickle.loads(message))
    assert indices.shape == (162_510, 5)
    assert np.all(np.diff(indices, axis=1) >= 0)
    assert np.array_equal(masses, expand(parts[3])[1])


def test_any_chunking_gives_the_same_samples():
    probs = np.array([0.1, 0.2, 0.3, 0.4])
    for chunks in (multiset_chunks, tuple_chunks):
        assert collect(chunks(probs, 5, chunk=7)) == collect(chunks(probs, 5))
    assert sum(map(len, tuple_parts(probs, 5, chunk=100))) == 4**5


def test_sums_of_chunks_are_moments():
    values, probs = np.array([0.0, 1.0, 5.0, 7.0]), np.array([0.1, 0.2, 0.3, 0.4])
    mean = values @ probs
    variance = (values - mean) ** 2 @ probs
    sample_variance = math.fsum(
        float(masses @ values[indices].var(axis=1, ddof=1)) for indices, masses in multiset_chunks(probs, 9, chunk=64)
    )
    assert sample_variance == pytest.approx(variance, rel=1e-14)


def test_more_samples_than_can_be_counted_are_refused():
    with pytest.raises(SupportTooLarge, match="fewer draws") as refusal:
        multiset_parts(np.full(100, 0.01), 50)
    assert refusal.value.size == math.comb(149, 50)
    with pytest.raises(SupportTooLarge):
        tuple_chunks(np.full(10, 0.1), 30)
