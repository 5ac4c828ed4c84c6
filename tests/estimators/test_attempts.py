"""pass@k, best of n and majority votes against every tuple of attempts."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import oracle
import pytest
from agreement import agree
from hypothesis import given, settings
from hypothesis import strategies as st

from randvar import (
    RandvarError,
    Var,
    assert_unbiased,
    bernoulli,
    best_of_n,
    expect,
    from_weights,
    kl,
    majority_vote,
    pass_at_k,
    uniform,
    variance,
)
from randvar.estimators.attempts import plug_in_pass_at_k

settings.register_profile("attempts", deadline=None, max_examples=40)
settings.load_profile("attempts")

CASES = json.loads((Path(__file__).parents[1] / "support" / "reference" / "cases.json").read_text())

laws = st.builds(
    lambda atoms: oracle.law(atoms, atoms.values()),
    st.dictionaries(st.integers(-4, 4), st.integers(1, 5), min_size=1, max_size=4),
)
shares = st.fractions(0, 1, max_denominator=12)


def var(law):
    return Var(law.keys(), law.values())


# pass@k


@given(shares, st.integers(1, 7), st.data())
def test_pass_at_k_is_unbiased(p, n, data):
    k = data.draw(st.integers(1, n))
    assert_unbiased(pass_at_k(bernoulli(p), n, k), 1 - (1 - p) ** k)


@given(shares, st.integers(1, 5), st.data())
def test_pass_at_k_is_the_mean_over_subsets(p, n, data):
    """The share of the k-subsets of attempts that hold a success."""
    k = data.draw(st.integers(1, n))

    def share(sample):
        subsets = list(itertools.combinations(sample, k))
        return Fraction(sum(any(s) for s in subsets), len(subsets))

    exact = oracle.law_of_draws(share, oracle.law([0, 1], [1 - p, p]), n)
    assert pass_at_k(bernoulli(p), n, k).to_dict() == exact


@given(shares, st.integers(1, 7), st.data())
def test_the_plug_in_is_never_high(p, n, data):
    """Jensen: 1 - (1 - c/n)^k is concave in c."""
    k = data.draw(st.integers(1, n))
    assert expect(plug_in_pass_at_k(bernoulli(p), n, k)) <= 1 - (1 - p) ** k


def test_case_n09():
    attempt = bernoulli(Fraction(3, 10))
    unbiased, plug_in = pass_at_k(attempt, 5, 3), plug_in_pass_at_k(attempt, 5, 3)
    one_of_four = bernoulli(Fraction(1, 4))
    got = {
        "truth": 1 - Fraction(7, 10) ** 3,
        "mean_unbiased": expect(unbiased),
        "var_unbiased": variance(unbiased),
        "mean_plugin": expect(plug_in),
        "var_plugin": variance(plug_in),
        "n4c1k4_unbiased": pass_at_k(one_of_four, 4, 4).values[1],
        "n4c1k4_resample": plug_in_pass_at_k(one_of_four, 4, 4).values[1],
    }
    expected = dict(CASES["N09-pass-at-k"]["expected"])
    assert expected.pop("n2_k3") == "error"
    agree(got, expected, "N09")
    for estimator in (pass_at_k, plug_in_pass_at_k):
        with pytest.raises(RandvarError, match=r"k = 3 .* n = 2"):
            estimator(attempt, 2, 3)


def test_booleans_are_attempts_and_floats_stay_floats():
    law = pass_at_k(uniform(1, 7).op(lambda face: face == 6), 4, 2)
    assert law.kind == "float"
    assert expect(law) == pytest.approx(11 / 36, rel=1e-14)
    assert expect(pass_at_k(bernoulli(0.3), 2000, 7)) == pytest.approx(1 - 0.7**7, rel=1e-12)


def test_pass_at_k_in_symbols():
    sympy = pytest.importorskip("sympy")
    p = sympy.Symbol("p", positive=True)
    assert_unbiased(pass_at_k(bernoulli(p), 4, 2), 1 - (1 - p) ** 2)


def test_an_attempt_that_is_neither_0_nor_1():
    with pytest.raises(RandvarError, match=r"succeeds \(1\) or fails \(0\)"):
        pass_at_k(uniform(1, 7), 3, 2)


# Best of n


@given(laws, st.integers(1, 4))
def test_the_best_of_n_is_the_maximum(law, n):
    assert best_of_n(var(law), n).to_dict() == oracle.law_of_draws(max, law, n)


@given(laws, st.integers(1, 4))
def test_winners_with_equal_keys_are_equally_likely(law, n):
    exact = {}
    for sample in itertools.product(law, repeat=n):
        best = [a for a in sample if abs(a) == max(map(abs, sample))]
        for a in best:
            p = math.prod(law[b] for b in sample) / len(best)
            exact[a] = exact.get(a, 0) + p
    assert best_of_n(var(law), n, key=abs).to_dict() == exact


@given(st.lists(st.floats(-12, 0), min_size=1, max_size=6), st.floats(0, 7), st.booleans())
def test_best_of_many_in_floats(digits, draws, tied):
    """Every probability above the smallest float, against fractions of the same floats."""
    weights = 10.0 ** np.array(digits)
    weights, n = weights / weights.sum(), round(10**draws)
    exact = oracle.law(range(len(weights)), map(Fraction, weights.tolist()))
    got = best_of_n(Var(range(len(weights)), weights), n, key=(lambda a: a // 2) if tied else None)
    with mpmath.workdps(60):
        below = mpmath.mpf(0)
        for _, same in itertools.groupby(exact, key=lambda a: a // 2 if tied else a):
            outcomes = list(same)
            mass = mpmath.fsum(mpmath.mpf(exact[a].numerator) / exact[a].denominator for a in outcomes)
            upto = below + mass
            for a in outcomes:
                p = mpmath.mpf(exact[a].numerator) / exact[a].denominator
                wanted = p / mass * (upto**n - below**n)
                if wanted > 1e-300:
                    assert abs(got.prob(a) / wanted - 1) <= (got.accuracy or 0) + 4e-16
            below = upto
    assert (got.accuracy or 0) < 1e-12


def test_the_best_of_a_million_draws_of_many_outcomes():
    k, n = 10**5, 10**6
    x = Var(range(k), [1 / k] * k)
    best = best_of_n(x, n)
    with mpmath.workdps(60):
        share = 1 - mpmath.mpf(1) / k
        wanted = share**n - (share - mpmath.mpf(1) / k) ** n
    assert best.prob(99998) == pytest.approx(float(wanted), rel=1e-13)
    assert f"{best.prob(99998):.6e}" == "4.539560e-05"
    assert best.accuracy < 1e-10
    assert math.fsum(best.probs) == pytest.approx(1, abs=1e-15)


@given(laws, st.integers(1, 5))
def test_best_of_n_in_floats(law, n):
    floats = Var(law.keys(), [float(p) for p in law.values()])
    np.testing.assert_allclose(best_of_n(floats, n).probs, best_of_n(var(law), n).probs.astype(float), rtol=1e-13)


def test_the_tail_of_the_best_of_many():
    """P(max = 0) = 1e-300: no difference of powers near 1 or 0 loses it."""
    law = best_of_n(Var([0, 1], [1e-3, 0.999]), 100)
    assert law.prob(0) == pytest.approx(1e-300, rel=1e-12)
    rare = best_of_n(Var([0, 1], [1 - 1e-12, 1e-12]), 10)
    assert rare.prob(1) == pytest.approx(1e-11, rel=1e-10)


@given(laws, st.integers(1, 6))
def test_the_divergence_of_best_of_n(law, n):
    """KL(best of n || one draw) <= log n - (n - 1)/n (Beirami et al. 2024, theorem 1)."""
    assert kl(best_of_n(var(law), n), var(law)) <= math.log(n) - (n - 1) / n + 1e-12


def test_outcomes_without_an_order_need_a_key():
    words = from_weights([("long", 1), "short"], [1, 1])
    with pytest.raises(TypeError, match="an order"):
        best_of_n(words, 2)
    assert best_of_n(words, 2, key=len).prob("short") == 0.75


# Majority votes


@given(laws, st.integers(1, 4))
def test_the_majority_against_all_tuples(law, n):
    random, largest = {}, {}
    for sample in itertools.product(law, repeat=n):
        p = math.prod(law[a] for a in sample)
        most = max(map(sample.count, sample))
        tied = sorted({a for a in sample if sample.count(a) == most})
        largest[tied[-1]] = largest.get(tied[-1], 0) + p
        for a in tied:
            random[a] = random.get(a, 0) + p / len(tied)
    assert majority_vote(var(law), n).to_dict() == random
    assert majority_vote(var(law), n, ties=max).to_dict() == largest


def test_case_n21():
    def vote(p, ties):
        return expect(majority_vote(Var([-1, 1], [1 - p, p]), 4, ties))

    got = {
        "tie_plus_p0.4": vote(Fraction(2, 5), max),
        "tie_coin_p0.4": vote(Fraction(2, 5), "random"),
        "tie_plus_p0.5": vote(Fraction(1, 2), max),
        "tie_coin_p0.5": vote(Fraction(1, 2), "random"),
    }
    agree(got, CASES["N21-majority-vote-tie-rule"]["expected"], "N21")


def test_a_vote_of_strings_in_floats():
    answers = Var(["42", "41"], [0.6, 0.4])
    by_counts = sum(math.comb(5, k) * 0.6**k * 0.4 ** (5 - k) for k in (3, 4, 5))
    assert majority_vote(answers, 5).prob("42") == pytest.approx(by_counts, rel=1e-13)


def test_a_tie_rule_that_is_none():
    with pytest.raises(RandvarError, match="ties must be"):
        majority_vote(bernoulli(0.5), 2, ties="first")
