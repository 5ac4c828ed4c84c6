"""The divergence of two token policies: which estimator is unbiased, and which gradient each placement gives."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import oracle
import pytest
from agreement import Cancelling, agree
from hypothesis import given
from hypothesis import strategies as st
from small_policies import half, near, rows, stops, tables, token_policy

from randvar import RandvarError, UndefinedOutcome, Var, bernoulli, expect, k1, k3, kl, rollout, topk, variance
from randvar.rollouts import (
    TokenPolicy,
    kl_as_loss,
    kl_as_reward,
    rao_blackwell_kl,
    rao_blackwell_kl_gradient,
    reverse_kl_gradient,
    sequence_kl,
    sequence_ratio,
    topk_kl,
)

CASES = json.loads((Path(__file__).parents[1] / "support" / "reference" / "cases.json").read_text())


def log_ratio(p, q):
    return lambda o: sum(p.log_probs(o)) - sum(q.log_probs(o))


def test_case_n01():
    p, reference = (TokenPolicy({(): bernoulli(share)}) for share in (Fraction(3, 4), Fraction(1, 5)))
    drawn = rollout(p, 1)

    def loss(estimator):
        return Cancelling(expect(kl_as_loss(drawn, p, reference, estimator))[1], 1)

    def as_reward(estimator):
        return Cancelling(expect(kl_as_reward(drawn, p, reference, estimator))[1], 1)

    got = {
        "KL": kl(p(()), reference(())),
        "true_gradient": p.gradient(drawn, log_ratio(p, reference))[1],
        "k1_loss": loss("k1"),
        "k2_loss": loss("k2"),
        "k3_loss": loss("k3"),
        "k1_reward": as_reward("k1"),
        "k3_reward": as_reward("k3"),
    }
    for k in ("k1", "k2", "k3"):
        law = sequence_kl(drawn, p, reference, k)
        got |= {f"mean_{k}": expect(law), f"var_{k}": variance(law)}
    agree(got, CASES["N01-kl-estimator-gradients-on-policy"]["expected"], "N01")


@given(tables, tables, stops)
def test_which_gradient_each_placement_gives(table, other, stop):
    p, q = token_policy(table), token_policy(other)
    completions, reference = rollout(p, 2, stop), rollout(q, 2, stop)
    truth = p.gradient(completions, log_ratio(p, q))

    def mean(place, k, level="token"):
        return expect(place(completions, p, q, k, level))

    near(mean(kl_as_reward, "k1"), truth)
    near(mean(kl_as_loss, "k1"), np.zeros(6))
    near(mean(kl_as_loss, "k2", "sequence"), truth)
    # k3 of the sequence as a loss: E_p[(1 - r) s] = -E_q[s], the gradient of the forward divergence KL(q || p)
    forward = -np.asarray(expect(reference.vector(p.score)), dtype=float)
    near(mean(kl_as_loss, "k3", "sequence"), forward)
    # k3 = k1 + (r - 1) as a reward adds E_p[(r - 1) s] = E_q[s], which takes the forward gradient away
    near(mean(kl_as_reward, "k3", "sequence"), np.asarray(truth, float) - forward)


def test_k2_of_the_sequence_as_a_loss_is_k1_as_a_reward_sample_by_sample():
    p, q = token_policy(([1, 2], [3, 1], [1, 4])), token_policy(([2, 1], [1, 1], [1, 5]))
    completions = rollout(p, 2)
    as_loss, as_reward = kl_as_loss(completions, p, q, "k2", "sequence"), kl_as_reward(completions, p, q, "k1")
    near(as_loss.outcomes, as_reward.outcomes)
    # token by token it leaves out what a token does to later prefixes
    tokenwise = expect(kl_as_loss(completions, p, q, "k2"))
    assert abs(float(tokenwise[0]) - float(expect(as_reward)[0])) > 0.01


@given(tables, tables, tables, stops)
def test_sequence_kl_gradients_from_an_older_policy(table, other, older, stop):
    """Three unbiased estimators of the gradient of KL(p || q) from completions of a third policy."""
    p, q, mu = map(token_policy, (table, other, older))
    drawn = rollout(mu, 2, stop)
    truth = p.gradient(rollout(p, 2, stop), log_ratio(p, q))
    near(expect(kl_as_reward(drawn, p, q, weights=sequence_ratio(p, mu))), truth)
    near(expect(reverse_kl_gradient(drawn, p, q, mu)), truth)
    near(expect(rao_blackwell_kl_gradient(drawn, p, q, mu)), truth)


@given(tables, tables)
def test_sequence_kl_gradients_on_policy(table, other):
    p, q = token_policy(table), token_policy(other)
    completions = rollout(p, 2)
    truth = p.gradient(completions, log_ratio(p, q))
    near(expect(reverse_kl_gradient(completions, p, q)), truth)
    near(expect(rao_blackwell_kl_gradient(completions, p, q)), truth)


def test_without_weights_an_older_policy_gives_another_gradient():
    p, q, mu = map(token_policy, (([1, 2], [3, 1], [1, 4]), ([2, 1], [1, 1], [1, 5]), ([3, 1], [1, 2], [2, 1])))
    truth = np.asarray(p.gradient(rollout(p, 2), log_ratio(p, q)), float)
    unweighted = np.asarray(expect(kl_as_reward(rollout(mu, 2), p, q)), float)
    assert np.abs(unweighted - truth).max() > 0.05
    # off policy not even k1 as a loss vanishes
    assert np.abs(np.asarray(expect(kl_as_loss(rollout(mu, 2), p, q)), float)).max() > 0.05


@given(tables, tables, stops, st.integers(0, 2))
def test_estimators_of_the_sequence_divergence(table, other, stop, k):
    p, q = token_policy(table), token_policy(other)
    completions, reference = rollout(p, 2, stop), rollout(q, 2, stop)
    truth = kl(completions, reference)
    unbiased = [
        sequence_kl(completions, p, q),
        sequence_kl(completions, p, q, "k3"),
        rao_blackwell_kl(completions, p, q),
        topk_kl(completions, p, q, k),
        k3(completions, reference),
    ]
    for law in unbiased:
        assert expect(law) == pytest.approx(truth, abs=1e-12)
    assert_same_moments(sequence_kl(completions, p, q), k1(completions, reference))
    assert_same_moments(topk_kl(completions, p, q, 0), sequence_kl(completions, p, q))
    assert_same_moments(topk_kl(completions, p, q, 2), rao_blackwell_kl(completions, p, q))


def assert_same_moments(x, y):
    near([expect(x), variance(x)], [expect(y), variance(y)])


def test_what_dropping_the_rest_leaves_out():
    p, q = (TokenPolicy({(): Var("abc", [Fraction(w, 8) for w in row])}) for row in ([5, 2, 1], [2, 2, 4]))
    law = topk_kl(rollout(p, 1), p, q, 1, rest="dropped")
    assert expect(law) == pytest.approx(5 / 8 * math.log(5 / 2), rel=1e-14)
    assert variance(law) == pytest.approx(0, abs=1e-30)
    with pytest.raises(RandvarError, match="rest must be"):
        topk_kl(rollout(p, 1), p, q, 1, rest="ignored")
    with pytest.raises(RandvarError, match="topk_kl: k must be at least 0, got -1"):
        topk_kl(rollout(p, 1), p, q, -1)
    with pytest.raises(TypeError, match=r"topk_kl: k must be a whole number, got 1\.5"):
        topk_kl(rollout(p, 1), p, q, 1.5)


def test_the_likeliest_token_is_that_of_topk():
    """Of .3 and .1 + .2, equal up to rounding, the first in order counts as likelier: one rule for both."""
    rounded = TokenPolicy({(): Var("abc", [0.3, 0.1 + 0.2, 0.4 - 2**-54])})
    exact = TokenPolicy({(): Var("abc", [Fraction(w, 10) for w in (3, 3, 4)])})
    q = Var("abc", [0.5, 0.25, 0.25])
    by_hand = Fraction(4, 10) * Fraction(math.log(1.6)) + Fraction(3, 10) * Fraction(math.log(0.6))
    for p in (rounded, exact):
        dropped = topk_kl(rollout(p, 1), p, TokenPolicy({(): q}), 2, rest="dropped")
        assert expect(dropped) == pytest.approx(float(by_hand), rel=1e-14)
        one_token = topk(p(()), lambda token, p=p: p(()).log_prob(token) - q.log_prob(token), 2, masked=True)
        assert_same_moments(topk_kl(rollout(p, 1), p, TokenPolicy({(): q}), 2), one_token)


@given(rows, rows)
def test_one_token_in_expectation_does_not_vary(row, other):
    """In one step Rao-Blackwell is exact; over a step whose later laws do not matter it can only gain."""
    p, q = (TokenPolicy({0: Var("ab", list(oracle.law("ab", r).values()))}, context=lambda _: 0) for r in (row, other))
    completions = rollout(p, 3)
    assert variance(rao_blackwell_kl(completions, p, q)) == pytest.approx(0, abs=1e-30)
    assert variance(sequence_kl(completions, p, q)) >= -1e-30


def test_the_sum_of_expected_terms_can_vary_more_than_the_plain_sum():
    """First tokens with a small L lead to prefixes with a large divergence, and k1 adds up to log 2.5 both ways."""
    certain = Var("a", [Fraction(1)])
    p = TokenPolicy({(): Var("ab", [half, half]), ("a",): certain, ("b",): certain})
    q = TokenPolicy(
        {
            (): Var("ab", [Fraction(1, 5), Fraction(4, 5)]),
            ("a",): Var("ab", [Fraction(1), Fraction(0)]),
            ("b",): Var("ab", [Fraction(1, 4), Fraction(3, 4)]),
        }
    )
    completions = rollout(p, 2)
    plain, expected = sequence_kl(completions, p, q), rao_blackwell_kl(completions, p, q)
    assert expect(plain) == pytest.approx(math.log(2.5), rel=1e-14)
    assert expect(expected) == pytest.approx(math.log(2.5), rel=1e-14)
    assert variance(plain) == pytest.approx(0, abs=1e-30)
    assert variance(expected) == pytest.approx(math.log(4) ** 2 / 4, rel=1e-13)


CALLS = {
    "sequence_kl": sequence_kl,
    "rao_blackwell_kl": rao_blackwell_kl,
    "topk_kl": lambda x, p, q: topk_kl(x, p, q, 1),
    "kl_as_reward": kl_as_reward,
    "kl_as_loss": lambda x, p, q: kl_as_loss(x, p, q, "k2"),
    "reverse_kl_gradient": reverse_kl_gradient,
    "rao_blackwell_kl_gradient": rao_blackwell_kl_gradient,
}
GRADIENTS = ["kl_as_reward", "kl_as_loss", "reverse_kl_gradient", "rao_blackwell_kl_gradient"]


def test_names_of_estimators():
    p = token_policy(([1, 1], [1, 1], [1, 1]))
    for call in (sequence_kl, kl_as_loss, kl_as_reward):
        for wrong in ("k4", None, ["k1"]):
            with pytest.raises(RandvarError, match=f'{call.__name__}: estimator must be "k1", "k2" or "k3", got'):
                call(rollout(p, 2), p, p, wrong)
    for call in (kl_as_loss, kl_as_reward):
        for k in ("k1", "k2", "k3"):
            with pytest.raises(
                RandvarError, match=f'{call.__name__}: level must be "token" or "sequence", got \'word\''
            ):
                call(rollout(p, 2), p, p, k, "word")


@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_law_of_completions_and_no_policy(name):
    p = token_policy(([1, 1], [1, 1], [1, 1]))
    for x, complaint in {3: "a Var, got int 3", bernoulli(half): "a law of tuples of tokens, .* outcome int 0"}.items():
        with pytest.raises(TypeError, match=f"{name}: completions must be {complaint}"):
            CALLS[name](x, p, p)
    for policies, argument in (((p(()), p), "policy"), ((p, None), "reference")):
        with pytest.raises(TypeError, match=f"{name}: {argument} must be a TokenPolicy, got"):
            CALLS[name](rollout(p, 2), *policies)


@pytest.mark.parametrize("kind", [Fraction, float])
@pytest.mark.parametrize("name", [name for name in CALLS if name != "rao_blackwell_kl"])
def test_a_completion_that_the_policy_cannot_draw(name, kind):
    p, q = (TokenPolicy({(): Var("ab", row)}) for row in ([kind(1), kind(0)], [kind(half), kind(half)]))
    completions = Var([("a",), ("b",)], [kind(half), kind(half)])
    with pytest.raises(
        UndefinedOutcome, match=rf"^{name} raised (?=.*'b'.*positive probability)(?=.*on outcome \('b',\))"
    ):
        CALLS[name](completions, p, q)


@pytest.mark.parametrize("kind", [Fraction, float])
def test_where_the_reference_misses_a_token(kind):
    """The divergence is infinite there, and an infinite number has no gradient; dk1 = s and dk3 = (1 - 0) s have."""
    p, q = (TokenPolicy({(): Var("ab", row)}) for row in ([kind(half), kind(half)], [kind(1), kind(0)]))
    completions = rollout(p, 1)
    for name in GRADIENTS:
        with pytest.raises(
            UndefinedOutcome, match=f"{name} raised .*the reference misses a token.*give the token a pos"
        ):
            CALLS[name](completions, p, q)
    for k in ("k1", "k2", "k3"):
        assert sequence_kl(completions, p, q, k).prob(math.inf) == half
    assert rao_blackwell_kl(completions, p, q).to_dict() == {math.inf: 1}
    as_loss = kl_as_loss(completions, p, q, "k1")
    assert as_loss.prob((half, -half)) == as_loss.prob((-half, half)) == half
    # r = 2 for "a", r = 0 for "b"
    assert kl_as_loss(completions, p, q, "k3").prob((-half, half)) == 1


@pytest.mark.parametrize("name", CALLS)
def test_an_empty_completion_counts_for_nothing(name):
    """The sum over no token: with probability 1/2 the mean is half of that without."""
    p, q = token_policy(([1, 2], [3, 1], [1, 4])), token_policy(([2, 1], [1, 1], [1, 5]))
    completions = rollout(p, 2)
    with_empty = Var([(), *completions.values.tolist()], [half, *(completions.probs * half).tolist()])
    whole = np.asarray(expect(CALLS[name](completions, p, q)), float)
    near(expect(CALLS[name](with_empty, p, q)), whole / 2)


def test_ratios_past_the_floats_are_refused():
    p, q = (TokenPolicy({(): Var("ab", row)}) for row in ([1e-320, 1 - 1e-320], [0.5, 0.5]))
    with pytest.raises(UndefinedOutcome, match=r"leaves the range of floats"):
        sequence_kl(rollout(p, 1), p, q, "k3")


def test_symbolic_policies():
    sympy = pytest.importorskip("sympy")
    s = sympy.Symbol("s", positive=True)
    p = TokenPolicy({(): bernoulli(s)})
    q = TokenPolicy({(): bernoulli(half)})
    completions = rollout(p, 1)
    at = {s: sympy.Rational(1, 3)}
    one_third = TokenPolicy({(): bernoulli(Fraction(1, 3))})
    for name in set(CALLS) - {"topk_kl"}:
        got = expect(CALLS[name](completions, p, q))
        got = [float(sympy.sympify(m).subs(at)) for m in np.atleast_1d(np.asarray(got, dtype=object))]
        near(got, np.atleast_1d(np.asarray(expect(CALLS[name](rollout(one_third, 1), one_third, q)), float)))
    with pytest.raises(UndefinedOutcome, match="topk_kl"):
        topk_kl(completions, p, q, 1)


def test_what_stays_exact():
    """As the docstrings say: logarithms are floats; k1 and k3 as a loss need none."""
    p, q = token_policy(([1, 2], [3, 1], [1, 4])), token_policy(([2, 1], [1, 1], [1, 5]))
    completions = rollout(p, 2)
    for name, call in CALLS.items():
        law = call(completions, p, q)
        columns = [law.values] if isinstance(law, Var) else law.columns
        assert law.kind == "rational", name
        assert {column.dtype for column in columns} == {np.dtype(float)}, name
    for k in ("k1", "k3"):
        every = [n for column in kl_as_loss(completions, p, q, k).columns for n in column.tolist()]
        assert set(map(type, every)) <= {int, Fraction}
