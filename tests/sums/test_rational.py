"""Exact sums, against naive enumeration in fractions and closed forms."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import pytest
from as_groups import rational_sum
from hypothesis import given, settings
from hypothesis import strategies as st

import randvar
from randvar.errors import SupportTooLarge
from randvar.numbers.fractions import lowest_terms
from randvar.sums import rational
from randvar.sums.rational import by_recurrence, product_of_powers

weight_lists = st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any)
rationals = st.fractions(-3, 3, max_denominator=12)
exact_laws = st.lists(rationals, min_size=1, max_size=3).flatmap(
    lambda values: st.tuples(
        st.just(values),
        st.lists(st.integers(0, 6), min_size=len(values), max_size=len(values)).filter(any),
        st.integers(0, 3),
    )
)


def schoolbook_power(weights, n):
    product = [1]
    for _ in range(n):
        longer = [0] * (len(product) + len(weights) - 1)
        for (i, a), (j, b) in itertools.product(enumerate(product), enumerate(weights)):
            longer[i + j] += a * b
        product = longer
    return product


def masses_of(law):
    return list(lowest_terms(law.weights, law.mass))


def enumerate_terms(terms):
    """{sum: probability}, one draw at a time over all tuples."""
    law = {Fraction(0): Fraction(1)}
    for values, probs, copies in terms:
        total = sum(map(Fraction, probs))
        for _ in range(copies):
            longer = Counter()
            for (u, p), (v, q) in itertools.product(law.items(), zip(values, probs, strict=True)):
                longer[u + v] += p * q / total
            law = {v: p for v, p in longer.items() if p}
    return law


@settings(max_examples=150, deadline=None)
@given(weight_lists, weight_lists, st.integers(0, 7), st.integers(0, 4))
def test_powers_agree_with_schoolbook_multiplication(a, b, n, m):
    a, b = [1, *a, 2], [3, *b, 1]  # the ends are not 0
    assert product_of_powers([(a, n)]) == schoolbook_power(a, n)
    assert product_of_powers([(a + a[::-1], n)]) == schoolbook_power(a + a[::-1], n)
    product = schoolbook_power(a, n)
    for _ in range(m):
        product = [
            sum(product[i] * b[k - i] for i in range(len(product)) if 0 <= k - i < len(b))
            for k in range(len(product) + len(b) - 1)
        ]
    assert product_of_powers([(a, n), (b, m)]) == product


def test_powers_of_a_binomial_are_binomial_coefficients():
    assert product_of_powers([([1, 1], 300)]) == [math.comb(300, i) for i in range(301)]
    sparse = product_of_powers([([2, 0, 0, 3], 40)])
    assert sparse[::3] == [math.comb(40, i) * 3**i * 2 ** (40 - i) for i in range(41)]


@settings(max_examples=150, deadline=None)
@given(st.lists(exact_laws, min_size=0, max_size=3))
def test_sums_agree_with_enumeration_atom_by_atom(terms):
    law = rational_sum(terms)
    values, masses = law.outcomes(), masses_of(law)
    assert values == sorted(values)
    assert dict(zip(values, masses, strict=True)) == enumerate_terms(terms)


@settings(max_examples=60, deadline=None)
@given(st.lists(exact_laws, min_size=1, max_size=2))
def test_values_far_apart_need_no_lattice_between_them(terms):
    apart = [([v + 10**40 * i for i, v in enumerate(values)], probs, copies) for values, probs, copies in terms]
    law = rational_sum(apart)
    assert dict(zip(law.outcomes(), masses_of(law), strict=True)) == enumerate_terms(apart)


def test_gaps_of_a_lattice_are_no_atoms():
    law = rational_sum([([0, 1, 1000], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], 5)])
    assert law.values == sorted({a + 1000 * b for a in range(6) for b in range(6 - a)})


def test_one_thousand_dice():
    law = rational_sum([(range(1, 7), [Fraction(1, 6)] * 6, 1000)])
    assert (law.values[0], law.values[-1], len(law.values)) == (1000, 6000, 5001)
    assert sum(law.weights) == law.mass == 6**1000
    mean = Fraction(sum(v * w for v, w in zip(law.values, law.weights, strict=True)), law.mass)
    square = Fraction(sum(v * v * w for v, w in zip(law.values, law.weights, strict=True)), law.mass)
    assert (mean, square - mean**2) == (3500, Fraction(1000 * 35, 12))
    inclusion_exclusion = sum(
        (-1) ** j * math.comb(1000, j) * math.comb(4500 - 6 * j - 1, 999) for j in range((4500 - 1000) // 6 + 1)
    )
    assert law.weights[law.values.index(4500)] == inclusion_exclusion


@pytest.mark.parametrize(
    "terms",
    [
        [(range(4), [Fraction(a, 6) for a in (1, 2, 2, 1)], 90)],  # powers of 2 in the middle
        [([0, 1], [Fraction(8, 9), Fraction(1, 9)], 70), ([0, 1], [Fraction(1, 6), Fraction(5, 6)], 3)],
        [([0, 1], [Fraction(2**70, 3**50), 1 - Fraction(2**70, 3**50)], 5)],  # a base longer than any short power
    ],
)
def test_masses_are_in_lowest_terms(terms):
    law = rational_sum(terms)
    masses = masses_of(law)
    assert masses == [Fraction(w, law.mass) for w in law.weights]
    assert all(math.gcd(p.numerator, p.denominator) == 1 for p in masses)


def test_a_law_past_the_budget_is_refused():
    with randvar.settings(max_atoms=100), pytest.raises(SupportTooLarge, match="max_atoms=100;") as refusal:
        rational_sum([(range(1, 7), [1] * 6, 50)])
    assert (refusal.value.size, refusal.value.budget) == (251, 100)
    powers = [10 ** (3**i) for i in range(6)]
    with randvar.settings(max_atoms=1000):
        with pytest.raises(SupportTooLarge):
            rational_sum([(powers, [1] * 6, 20)])
        assert len(rational_sum([(powers, [1] * 6, 3)]).values) == math.comb(8, 3)


@settings(max_examples=60, deadline=None)
@given(weight_lists, weight_lists, st.integers(0, 9), st.integers(0, 4))
def test_flint_and_the_recurrence_give_the_same_integers(a, b, n, m):
    pytest.importorskip("flint")
    factors = [([1, *a, 2], n), ([3, *b, 1], m)]
    assert product_of_powers(factors) == by_recurrence(factors) == rational.by_polynomials(factors)


def test_without_flint_laws_are_bit_for_bit_the_same(monkeypatch):
    pytest.importorskip("flint")
    terms = [(range(1, 7), [Fraction(w, 21) for w in range(1, 7)], 40), ([0, Fraction(1, 2)], [Fraction(1, 3)] * 2, 7)]
    with_flint = rational_sum(terms)
    monkeypatch.setattr(rational, "flint_polynomial", lambda: None)
    assert rational_sum(terms) == with_flint
