"""Scores and gradients of softmax policies against finite differences, sympy's derivatives and the score identity."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randvar import RandvarError, UndefinedOutcome, Var, cov_matrix, expect, rollout, softmax
from randvar.policies import temperature_score
from randvar.rollouts import TokenPolicy, logit_score, policy_gradient, token_ratios

settings.register_profile("scores", deadline=None, max_examples=40)
settings.load_profile("scores")

weights = st.lists(st.integers(1, 9), min_size=2, max_size=4)
temperatures = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3)])


def normalised(weights):
    return [Fraction(w, sum(weights)) for w in weights]


def rewards_for(k):
    return [Fraction(3 * i * i - 7 * i, 2) for i in range(k)]


def central_difference(f, x, step=1e-5):
    """The gradient of f at x."""
    moves = np.eye(len(x)) * step
    return [(f(x + move) - f(x - move)) / (2 * step) for move in moves]


@given(weights, temperatures)
def test_the_score_identity_in_rationals(weights, temperature):
    """E[f(A) score(A)] is the derivative of E[f(A)], and E[score] = 0."""
    policy = Var(range(len(weights)), normalised(weights))
    f = rewards_for(len(weights)).__getitem__
    score = logit_score(policy, temperature)
    by_score = expect(policy.vector(lambda a: [f(a) * s for s in score(a)]))
    assert list(policy_gradient(policy, f, temperature)) == list(by_score)
    assert all(mean == 0 for mean in expect(policy.vector(score)))


@given(weights, temperatures)
def test_the_fisher_matrix(weights, temperature):
    """Cov(score) = (diag p - p p^T)/T^2."""
    p = normalised(weights)
    fisher = cov_matrix(Var(range(len(p)), p).vector(logit_score(Var(range(len(p)), p), temperature)))
    for i, j in itertools.product(range(len(p)), repeat=2):
        assert fisher[i, j] == (p[i] * (i == j) - p[i] * p[j]) / temperature**2


def test_scores_and_gradients_by_finite_differences():
    logits, temperature = np.array([0.3, -1.0, 0.5, 2.0]), 1.5
    policy = softmax(logits, temperature=temperature)
    f = [2.0, -1.0, 0.5, 3.0].__getitem__
    for action in range(4):
        numeric = central_difference(lambda z, a=action: softmax(z, temperature=temperature).log_prob(a), logits)
        np.testing.assert_allclose(logit_score(policy, temperature)(action), numeric, atol=1e-9)
        (slope,) = central_difference(
            lambda t, a=action: softmax(logits, temperature=t.item()).log_prob(a), np.array([1.5])
        )
        assert temperature_score(policy, temperature)(action) == pytest.approx(slope, abs=1e-9)
        assert temperature_score(policy, temperature, logits=logits.__getitem__)(action) == pytest.approx(
            slope, abs=1e-9
        )
    numeric = central_difference(lambda z: expect(softmax(z, temperature=temperature), f), logits)
    np.testing.assert_allclose(policy_gradient(policy, f, temperature), numeric, atol=1e-9)


def test_gradients_by_sympy():
    """Three logits as symbols: p = exp(z)/sum exp(z), differentiated by sympy."""
    sympy = pytest.importorskip("sympy")
    z = sympy.symbols("z:3", real=True)
    whole = sum(map(sympy.exp, z))
    f = [2, -1, 5]
    objective = sum(sympy.exp(zi) / whole * fi for zi, fi in zip(z, f, strict=True))
    at = dict(zip(z, map(sympy.log, (1, 2, 5)), strict=True))
    exact = [Fraction(str(sympy.simplify(sympy.diff(objective, zi).subs(at)))) for zi in z]
    assert list(policy_gradient(Var(range(3), normalised([1, 2, 5])), f.__getitem__)) == exact


def test_a_symbolic_policy():
    sympy = pytest.importorskip("sympy")
    p = sympy.Symbol("p", positive=True)
    gradient = policy_gradient(Var([0, 1], [1 - p, p]), lambda a: a)
    assert sympy.expand(gradient[1] - p * (1 - p)) == 0
    assert sympy.expand(gradient[0] + gradient[1]) == 0


# Token policies

tables = st.tuples(weights.filter(lambda w: len(w) == 2), *[weights.filter(lambda w: len(w) == 2)] * 2)


def token_policy(table, temperature=1):
    start, after_a, after_b = (Var("ab", normalised(row)) for row in table)
    return TokenPolicy({(): start, ("a",): after_a, ("b",): after_b}, temperature=temperature)


def reward(tokens):
    return Fraction(sum((t + 1) * (token == "b") for t, token in enumerate(tokens)) ** 2 - 2, 3)


@given(tables, temperatures, st.sampled_from([None, "b"]))
def test_the_policy_gradient_theorem(table, temperature, stop):
    """The derivative of E[R] by the product rule is E[R sum_t score_t]."""
    policy = token_policy(table, temperature)
    completions = rollout(policy, 2, stop)
    by_score = expect(completions.vector(lambda o: [reward(o) * s for s in policy.score(o)]))
    assert list(policy.gradient(completions, reward)) == list(by_score)
    assert all(mean == 0 for mean in expect(completions.vector(policy.score)))
    assert list(policy.gradient(completions, lambda o: 1)) == [0] * 6


def test_token_scores_by_finite_differences():
    logits, tokens = np.array([0.2, -0.4, 1.0, 0.3, -2.0, 0.1]), ("b", "a")

    def policy_of(z, temperature=2.0):
        laws = [softmax(row, values="ab", temperature=temperature) for row in z.reshape(3, 2)]
        return TokenPolicy(dict(zip([(), ("a",), ("b",)], laws, strict=True)), temperature=temperature)

    def log_prob(z, temperature=2.0):
        return sum(policy_of(z, temperature).log_probs(tokens))

    policy = policy_of(logits)
    np.testing.assert_allclose(policy.score(tokens), central_difference(log_prob, logits), atol=1e-9)
    (slope,) = central_difference(lambda t: log_prob(logits, t.item()), np.array([2.0]))
    assert policy.temperature_score(tokens) == pytest.approx(slope, abs=1e-9)
    numeric = central_difference(lambda z: policy_of(z).prob(tokens), logits)
    np.testing.assert_allclose(policy.derivative(tokens), numeric, atol=1e-9)


def test_contexts_may_share_their_logits():
    """One row for all prefixes: the score of a completion is the sum over its tokens."""
    coin = TokenPolicy({"any": Var([0, 1], [Fraction(3, 4), Fraction(1, 4)])}, context=lambda prefix: "any")
    assert coin.parameters == (("any", 0), ("any", 1))
    assert coin.score((1, 1, 0))[1] == 2 - Fraction(3, 4)
    heads = coin.gradient(rollout(coin, 3), sum)
    assert list(heads) == [-3 * Fraction(3, 16), 3 * Fraction(3, 16)]


def test_probabilities_of_completions_are_those_of_the_rollout():
    policy = token_policy(([1, 2], [3, 1], [1, 4]))
    for tokens, p in rollout(policy, 2).to_dict().items():
        assert policy.prob(tokens) == p
        assert sum(policy.log_probs(tokens)) == pytest.approx(math.log(p), rel=1e-14)


def test_a_token_of_probability_zero_has_no_logit():
    policy = TokenPolicy({(): Var("abc", [half := Fraction(1, 2), half, 0])})
    assert [token for _, token in policy.parameters] == ["a", "b"]
    with pytest.raises(RandvarError, match="'c' has probability 0"):
        policy.score(("c",))
    for call in (policy.temperature_score, policy.token_scores, policy.derivative):
        with pytest.raises(RandvarError, match="'c' has probability 0 under the policy"):
            call(("c",))
    with pytest.raises(RandvarError, match="2 has probability 0"):
        logit_score(Var([0, 1, 2], [0.5, 0.5, 0]))(2)
    for logits in (None, float):
        with pytest.raises(RandvarError, match="temperature_score: 2 has probability 0"):
            temperature_score(Var([0, 1, 2], [0.5, 0.5, 0]), logits=logits)(2)


@pytest.mark.parametrize("temperature", [1e-200, 1e200])
def test_temperatures_whose_square_is_no_float(temperature):
    """With p = (1/4, 3/4) and z = T log p the score of 1 is -log(3)/(4 T)."""
    policy = Var([0, 1], [0.25, 0.75])
    assert temperature_score(policy, temperature)(1) == pytest.approx(-math.log(3) / 4 / temperature, rel=1e-14)
    with pytest.raises(UndefinedOutcome, match="a score at this temperature leaves the range of floats"):
        logit_score(policy, 5e-324)(0)


def test_tables_of_two_kinds_of_numbers():
    """Floats if there are any; with an expression among them, expressions."""
    rows = {(): Var("ab", [0.25, 0.75]), ("a",): Var("ab", normalised([1, 3]))}
    assert TokenPolicy(rows).token_scores("ab").dtype == TokenPolicy(rows).derivative("ab").dtype == float
    assert TokenPolicy(rows).score("ab") == (0.75, -0.75, -0.25, 0.25)
    sympy = pytest.importorskip("sympy")
    t = sympy.Symbol("t", positive=True)
    assert TokenPolicy(rows, temperature=t).score("ab") == (0.75 / t, -0.75 / t, -1 / (4 * t), 1 / (4 * t))


@pytest.mark.parametrize("method", ["prob", "log_probs", "token_scores", "score", "temperature_score", "derivative"])
def test_tokens_are_a_sequence(method):
    policy = TokenPolicy({0: Var("ab", [0.25, 0.75])}, context=lambda prefix: 0)
    call = getattr(policy, method)
    for tokens in (("a", "b"), ["a", "b"], np.array(["a", "b"]), iter("ab")):
        np.testing.assert_array_equal(call(tokens), call("ab"))
    for wrong in (3, None, {"a": 1}, {"a", "b"}):
        with pytest.raises(TypeError, match="tokens"):
            call(wrong)


def test_a_token_that_can_be_called_is_no_event():
    policy = TokenPolicy({0: Var([len, max], [0.25, 0.75])}, context=lambda prefix: 0)
    assert policy.prob([len, max]) == 0.1875
    assert policy.prob([min]) == 0
    assert TokenPolicy({(): Var("ab", [0.25, 0.75])}).prob([len]) == 0
    assert token_ratios(policy, policy)((len, max)) == (1, 1)


def test_what_the_gradient_of_a_policy_is_asked_for():
    policy = TokenPolicy({(): Var("ab", [0.25, 0.75])})
    with pytest.raises(TypeError, match=r"TokenPolicy.gradient: completions must be a Var, got int 3"):
        policy.gradient(3, len)
    with pytest.raises(TypeError, match=r"TokenPolicy.gradient: each f\(a\) must be a number, got str 'z'"):
        policy.gradient(rollout(policy, 1), lambda o: "z")
    for call in (policy.gradient, policy.local_gradient):
        with pytest.raises(RandvarError, match=r"each f\(a\) must be a finite number, got inf"):
            call(rollout(policy, 1) if call == policy.gradient else (), lambda o: math.inf)
    with pytest.raises(UndefinedOutcome, match=r"raised KeyError.* on outcome \('a',\)"):
        policy.gradient(rollout(policy, 1), {}.__getitem__)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: logit_score([0.5, 0.5]), "a policy as a Var"),
        (lambda: logit_score(softmax([0, 1]), temperature=0), "temperature must be a positive number"),
        (lambda: policy_gradient(softmax([0, 1]), lambda a: a, -1), "temperature must be a positive number"),
        (lambda: TokenPolicy({}), "takes a table"),
        (lambda: TokenPolicy({(): [0.5, 0.5]}), "as a Var over actions"),
        (lambda: TokenPolicy({(): softmax([0, 1])})((1,)), "no row for context"),
    ],
)
def test_mistakes(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize("offset", [1e6, -1e9, 1e12])
def test_a_gradient_feels_no_offset_of_the_rewards(offset):
    probs, rewards = [0.2, 0.3, 0.5], [offset + 0.1, offset + 0.35, offset + 0.7]
    exact = Var(range(3), [Fraction(p) / sum(map(Fraction, probs)) for p in probs])
    wanted = policy_gradient(exact, [Fraction(r) for r in rewards].__getitem__)
    got = policy_gradient(Var(range(3), probs), rewards.__getitem__)
    assert list(got) == pytest.approx([float(g) for g in wanted], rel=1e-13)
