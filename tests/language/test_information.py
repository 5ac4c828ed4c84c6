"""Divergences of close laws, entropies of nearly certain ones: every digit, against exact arithmetic of the floats."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randvar import Joint, Var, assert_unbiased, entropy, expect, indep, k1, k3, kl, mutual_information, report
from randvar.examples.sampling_to_reinforce import kl_k3
from randvar.rollouts import TokenPolicy, kl_as_loss, rao_blackwell_kl, sequence_kl

HALF = Var([0, 1], [0.5, 0.5])
DISTANCES = st.sampled_from([1e-1, 1e-3, 1e-5, 1e-8, 1e-11])


@st.composite
def close_pairs(draw):
    """Float laws with the same outcomes, the second one nearly the first."""
    weights = np.array(draw(st.lists(st.integers(1, 1000), min_size=2, max_size=6)), dtype=float)
    steps = np.array(draw(st.lists(st.floats(-1, 1), min_size=len(weights), max_size=len(weights))))
    moved = weights * (1 + draw(DISTANCES) * steps)
    return weights / weights.sum(), moved / moved.sum()


def exactly(probs):
    return oracle.law(range(len(probs)), map(Fraction, probs.tolist()))


def test_a_known_divergence_to_the_last_digits():
    close = Fraction(50001, 100000)
    decimals = Var([0, 1], [Fraction(1, 2), Fraction(1, 2)]), Var([0, 1], [close, 1 - close])
    assert kl(*decimals) == pytest.approx(2.0000000004e-10, rel=1e-15)
    of_floats = oracle.kl(*(exactly(np.array(p)) for p in ([0.5, 0.5], [0.50001, 0.49999])))
    assert kl(HALF, Var([0, 1], [0.50001, 0.49999])) == pytest.approx(float(of_floats), rel=1e-14)
    assert str(of_floats).startswith("2.0000000003")


@given(close_pairs())
def test_divergences_of_close_laws(pair):
    p, q = (Var(range(len(probs)), probs) for probs in pair)
    with mpmath.workdps(60):
        wanted = float(oracle.kl(*map(exactly, pair)))
    assert kl(p, q) == pytest.approx(wanted, rel=1e-14, abs=1e-40)
    assert expect(k3(p, q)) == pytest.approx(wanted, rel=1e-13, abs=1e-40)
    assert (k3(p, q).values >= 0).all()


@given(close_pairs())
def test_estimators_that_are_unbiased_by_theorem_are_never_called_biased(pair):
    p, q = (Var(range(len(probs)), probs) for probs in pair)
    for estimator in (k1(p, q), k3(p, q)):
        assert report(estimator, kl(p, q)).unbiased


@given(close_pairs())
def test_a_bias_of_a_millionth_of_the_divergence_is_seen(pair):
    p, q = (Var(range(len(probs)), probs) for probs in pair)
    target = kl(p, q)
    if target > 1e-30:
        assert not report(k3(p, q), target * (1 + 1e-6)).unbiased


def test_mass_that_only_one_law_has():
    p, q = Var([0, 1], [0.5, 0.5]), Var([0, 1, 2], [0.5, 0.5 - 1e-9, 1e-9])
    wanted = oracle.kl(exactly(np.array([0.5, 0.5])), exactly(q.probs))
    assert kl(p, q) == pytest.approx(float(wanted), rel=1e-14)
    assert kl(q, p) == math.inf
    assert expect(k3(p, q)) == pytest.approx(float(wanted) - 1e-9, rel=1e-6)


def test_a_control_of_close_laws_has_mean_zero():
    control = kl_k3(HALF, Var([0, 1], [0.50001, 0.49999]))[1]
    assert abs(expect(control)) < 1e-20


def test_divergences_of_close_policies():
    p = TokenPolicy({0: HALF}, context=lambda prefix: 0)
    q = TokenPolicy({0: Var([0, 1], [0.50001, 0.49999])}, context=lambda prefix: 0)
    completions = Var([(a, b) for a in (0, 1) for b in (0, 1)], [0.25] * 4)
    wanted = 2 * kl(HALF, q(()))
    assert expect(sequence_kl(completions, p, q, "k3")) == pytest.approx(wanted, rel=1e-14)
    assert expect(rao_blackwell_kl(completions, p, q)) == pytest.approx(wanted, rel=1e-14)
    for estimator in ("k1", "k3"):
        assert_unbiased(sequence_kl(completions, p, q, estimator), wanted)
    # dk3 = (1 - r) s, with 1 - r = -2e-5 for the token 0
    first = kl_as_loss(Var([(0,), (1,)], [0.5, 0.5]), p, q, "k3")[0]
    assert first.values == pytest.approx([float(1 - Fraction(0.50001) / Fraction(0.5)) / 2], rel=1e-15)


def test_the_ratio_of_an_exact_sequence_is_exact():
    """The logarithms of its tokens cancel: 1 + 2e-8 and 1 - 2e-8 leave 1 - 4e-16."""
    first, second = (
        Var("ab", [Fraction(1, 2) + step, Fraction(1, 2) - step]) for step in (Fraction(0), Fraction(1, 10**8))
    )
    p, q = (TokenPolicy({0: row, 1: row}, context=len) for row in (first, second))
    gradient = kl_as_loss(Var([("a", "b")], [Fraction(1)]), p, q, "k2", "sequence")[0]
    assert float(gradient.values[0]) == pytest.approx(float(-oracle.log(1 - Fraction(4, 10**16)) / 2), rel=1e-15)


@given(st.integers(2, 6), st.integers(2, 6), DISTANCES, st.randoms(use_true_random=False))
def test_mutual_information_of_nearly_independent_coordinates(rows, columns, distance, random):
    table = np.array([[random.randint(1, 50) for _ in range(columns)] for _ in range(rows)], dtype=float)
    table = np.outer(table.sum(axis=1), table.sum(axis=0)) * (1 + distance * (table / table.max() - 0.5))
    table /= table.sum()
    law = {(i, j): Fraction(table[i, j]) for i in range(rows) for j in range(columns)}
    joint = oracle.law(law, law.values())
    first, second = (oracle.law([row[i] for row in joint], joint.values()) for i in (0, 1))
    independent = {(a, b): p * q for a, p in first.items() for b, q in second.items()}
    with mpmath.workdps(60):
        wanted = float(oracle.kl(joint, independent))
    got = mutual_information(Joint(range(rows), range(columns), table))
    assert got == pytest.approx(wanted, rel=1e-13, abs=1e-40)


def test_mutual_information_of_independent_coordinates_is_zero_in_fractions():
    die = Var(range(3), [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    assert mutual_information(Joint.of(indep(die, die).law)) == 0


@given(st.floats(-300, -1))
def test_the_entropy_of_a_nearly_certain_outcome(digits):
    rare = 10.0**digits
    x = Var([0, 1], [1 - rare, rare])
    assert entropy(x) == pytest.approx(
        float(oracle.entropy(oracle.law([0, 1], map(Fraction, (1 - rare, rare))))), rel=1e-14
    )
