"""Rollouts, importance weights and gradients of completions against enumeration in fractions."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import oracle
import pytest
from agreement import agree
from hypothesis import given
from hypothesis import strategies as st
from small_policies import gammas, half, laws_of, near, reward, rewards, stops, tables, token_policy

from randvar import (
    RandvarError,
    SupportTooLarge,
    UndefinedOutcome,
    Var,
    bernoulli,
    constant,
    cov_matrix,
    expect,
    indep,
    rollout,
    settings,
    total,
    variance,
)
from randvar.rollouts import (
    TokenPolicy,
    discounted_returns,
    discounts,
    dr_grpo,
    geometric_ratio,
    grpo,
    kl_as_loss,
    kl_as_reward,
    masked_weights,
    ppo_clipped,
    ppo_objective,
    prefix_ratios,
    reward_and_score,
    rloo,
    sequence_ratio,
    token_gradient,
    token_ratios,
    truncated_weights,
)

CASES = json.loads((Path(__file__).parents[1] / "support" / "reference" / "cases.json").read_text())


# Token trees


@given(tables, stops)
def test_a_rollout_against_the_product_of_its_laws(table, stop):
    laws = laws_of(table)
    exact = {}
    for first, p in laws[()].items():
        if first == stop:
            exact[first,] = p
            continue
        for second, q in laws[first,].items():
            exact[first, second] = p * q
    assert rollout(token_policy(table), 2, stop).to_dict() == exact


def test_a_predicate_stops_like_a_token():
    coin = bernoulli(half)
    by_token = rollout(lambda prefix: coin, 5, stop=1)
    assert rollout(lambda prefix: coin, 5, stop=lambda prefix: prefix[-1] == 1).to_dict() == by_token.to_dict()
    assert rollout(lambda prefix: coin, 5, stop=lambda prefix: sum(prefix) == 2).prob((1, 0, 1)) == half**3


def test_summaries_merge():
    """Two hundred tokens, where only their sum is wanted."""
    coin = bernoulli(half)
    law = rollout(lambda heads: coin, 200, start=0, update=lambda heads, token: heads + token)
    assert law.to_dict() == total(coin, 200).to_dict()


def test_a_summary_that_stops():
    """The length of a completion that ends with probability 1/3 a token: geometric, cut off at 30."""
    end = bernoulli(Fraction(1, 3))
    law = rollout(lambda length: end, 30, stop=1, start=0, update=lambda length, token: length + 1)
    assert [law.prob(t) for t in range(1, 30)] == [Fraction(1, 3) * Fraction(2, 3) ** (t - 1) for t in range(1, 30)]
    assert law.prob(30) == Fraction(2, 3) ** 29


def test_no_token_is_the_empty_completion():
    assert rollout(lambda prefix: bernoulli(half), 0).to_dict() == {(): 1}


def test_a_certain_token_keeps_the_kind():
    law = rollout(lambda prefix: constant("x") if prefix else bernoulli(0.5), 2)
    assert law.to_dict() == {(0, "x"): 0.5, (1, "x"): 0.5}


@pytest.mark.parametrize("nothing", [None, 3, {"a": 1.0}, indep(bernoulli(0.5))])
def test_a_step_that_returns_no_law(nothing):
    with pytest.raises(TypeError, match=r"rollout: the step returned .* after the prefix \(\)"):
        rollout(lambda prefix: nothing, 2)


def test_a_step_that_fails_is_named_with_its_prefix():
    def step(prefix):
        return bernoulli([0.5][len(prefix)])

    with pytest.raises(UndefinedOutcome, match=r"step raised IndexError.*\(0,\)"):
        rollout(step, 2)


def test_a_tree_past_the_budget():
    with settings(max_atoms=1000), pytest.raises(SupportTooLarge) as refused:
        rollout(lambda prefix: bernoulli(half), 60)
    assert 1000 < refused.value.size <= 1024


@pytest.mark.parametrize("length", [-1, 2.5, True])
def test_a_length_that_is_none(length):
    with pytest.raises((TypeError, ValueError), match="length"):
        rollout(lambda prefix: bernoulli(half), length)


# Importance weights


def test_case_n06():
    shared_row = {"context": lambda prefix: 0}
    sampling, target = (TokenPolicy({0: bernoulli(p)}, **shared_row) for p in (half, Fraction(3, 4)))
    drawn = rollout(sampling, 2)

    def value(o):
        return o[0] + o[0] * o[1]

    def law(weights, f=lambda o: 1):
        return drawn.op(lambda o: weights(o) * f(o))

    def product(o):
        return sequence_ratio(target, sampling)(o)[0]

    def geometric(o):
        return geometric_ratio(target, sampling)(o)[0]

    def arithmetic(o):
        return sum(token_ratios(target, sampling)(o)) / 2

    got = {
        "true_value": expect(rollout(target, 2), value),
        "product": expect(law(product, value)),
        "var_product": variance(law(product, value)),
        "geometric": expect(law(geometric, value)),
        "var_geometric": variance(law(geometric, value)),
        "arithmetic": expect(law(arithmetic, value)),
        "weight_mean_product": expect(law(product)),
        "weight_mean_geometric": expect(law(geometric)),
        "weight_mean_arithmetic": expect(law(arithmetic)),
    }
    agree(got, CASES["N06-sequence-vs-token-vs-geometric-weights"]["expected"], "N06")


def test_case_n07():
    sampling, target = (
        TokenPolicy({(): Var([0, 1, 2], [Fraction(w, 6) for w in weights])}) for weights in ([3, 2, 1], [1, 2, 3])
    )
    advantage = [1, -2, 3].__getitem__
    plain = token_ratios(target, sampling)
    variants = {"plain": plain, "truncated": truncated_weights(plain, 2), "masked": masked_weights(plain, 2)}
    got = {"true_value": expect(rollout(target, 1), lambda o: advantage(o[0]))}
    for name, weights in variants.items():
        law = rollout(sampling, 1).op(lambda o, weights=weights: weights(o)[0] * advantage(o[0]))
        got |= {f"mean_{name}": expect(law), f"var_{name}": variance(law)}
        got[f"weightmean_{name}"] = expect(rollout(sampling, 1), lambda o, weights=weights: weights(o)[0])
    agree(got, CASES["N07-truncated-and-masked-importance-weights"]["expected"], "N07")


@given(tables, tables)
def test_weights_have_mean_one_and_move_the_gradient(target, sampling):
    pi, mu = token_policy(target), token_policy(sampling)
    drawn = rollout(mu, 2, stop="b")
    truth = list(pi.gradient(rollout(pi, 2, stop="b"), reward))
    whole, prefix = sequence_ratio(pi, mu), prefix_ratios(pi, mu)
    assert expect(drawn, lambda o: whole(o)[0]) == expect(drawn, lambda o: prefix(o)[0]) == 1
    moved = token_gradient(drawn, pi, lambda o: [reward(o)] * len(o), weights=whole)
    assert list(expect(moved)) == truth
    assert whole(("a", "b"))[0] == pi.prob("ab") / mu.prob("ab") == prefix(("a", "b"))[1]


@given(tables, tables, gammas)
def test_per_decision_weights_are_unbiased(target, sampling, gamma):
    """sum_t w_{1:t} s_t gamma^t E[return from t on]: with token rewards, w_{1:u} r_u is all that r_u needs."""
    pi, mu = token_policy(target), token_policy(sampling)
    prefix = prefix_ratios(pi, mu)
    truth = pi.gradient(rollout(pi, 2), lambda o: discounted_returns(rewards(o), gamma)[0])

    def weighted_returns(o):
        """sum_{u >= t} gamma^u w_{1:u} r_u."""
        return discounted_returns(np.array(prefix(o)) * discounts(len(o), gamma) * rewards(o))

    assert list(expect(token_gradient(rollout(mu, 2), pi, weighted_returns))) == list(truth)


def test_the_clipped_gradient_is_the_derivative_of_the_objective():
    """Central differences of min(w A, clip(w) A) in log w, away from the corners."""
    ratios, adv, epsilon = [0.5, 0.9, 1.1, 1.6], [2.0, -2.0], 0.25
    for w in ratios:
        for a in adv:
            (kept,) = ppo_clipped(lambda o, w=w: (w,), lambda o, a=a: (a,), epsilon)("x")
            up, down = (ppo_objective(w * math.exp(h), a, epsilon) for h in (1e-6, -1e-6))
            assert kept * a == pytest.approx((up - down) / 2e-6, abs=1e-8)


def test_clipping_higher_above():
    clipped = ppo_clipped(lambda o: (Fraction(5, 4),), lambda o: (1,), Fraction(1, 5), Fraction(3, 10))
    assert clipped("x") == (Fraction(5, 4),)
    assert ppo_clipped(lambda o: (Fraction(5, 4),), lambda o: (1,), Fraction(1, 5))("x") == (0,)


def test_a_sampling_policy_with_a_zero_is_refused():
    mu = TokenPolicy({(): Var("ab", [Fraction(1), Fraction(0)])})
    pi = TokenPolicy({(): Var("ab", [half, half])})
    with pytest.raises(RandvarError, match="probability 0, so that the policy's mass there is never seen"):
        token_ratios(pi, mu)(("b",))
    assert token_ratios(mu, pi)(("b",)) == (0,)


@pytest.mark.parametrize("cut", [truncated_weights, masked_weights])
def test_caps_are_positive(cut):
    for cap in (0, -1, Fraction(-1, 3)):
        with pytest.raises(RandvarError, match=f"{cut.__name__}: cap must be a positive number, got"):
            cut(lambda o: (1,), cap)
    with pytest.raises(RandvarError, match="cap must be a finite number, got nan"):
        cut(lambda o: (1,), math.nan)
    with pytest.raises(TypeError, match="cap must be a number, got str '1'"):
        cut(lambda o: (1,), "1")
    with pytest.raises(TypeError, match="weights must be a function, got int 3"):
        cut(3, 1)
    assert cut(lambda o: (0.25, half), np.float32(0.5))("ab") == (0.25, half)
    assert cut(lambda o: (7.0, 8), math.inf)("ab") == (7.0, 8)


def test_exact_weights_stay_exact_and_are_compared_with_what_is_written():
    """3/10 is at a cap of 0.3 and 6/5 at 1 + 0.2, of which the floats are a little less."""
    weights = [Fraction(3, 10), Fraction(31, 100)]
    cut = truncated_weights(lambda o: weights, 0.3)("ab")
    assert cut == (Fraction(3, 10), Fraction(3, 10))
    assert all(isinstance(w, Fraction) for w in cut)
    assert masked_weights(lambda o: weights, 0.3)("ab") == (Fraction(3, 10), 0)
    assert masked_weights(lambda o: [0.1, 0.2], 0.1)("ab") == (0.1, 0)
    assert ppo_clipped(lambda o: (Fraction(6, 5),), lambda o: (1,), 0.2)("a") == (Fraction(6, 5),)
    assert ppo_objective(Fraction(2), Fraction(1, 3), 0.2) == Fraction(2, 5)
    assert ppo_objective(2.0, Fraction(1, 3), Fraction(1, 5)) == 1.2 / 3


def test_a_geometric_ratio_of_many_tokens():
    """(1/2)^2000 is no float, its root is."""
    pi, mu = (TokenPolicy({0: Var("ab", [p, 1 - p])}, context=lambda prefix: 0) for p in (0.25, 0.5))
    assert geometric_ratio(pi, mu)("a" * 2000)[0] == pytest.approx(half, rel=1e-12)
    assert geometric_ratio(mu, pi)("a" * 2000)[0] == pytest.approx(2, rel=1e-12)
    with pytest.raises(UndefinedOutcome, match="a product of ratios leaves the range of floats"):
        sequence_ratio(mu, pi)("a" * 2000)


@pytest.mark.parametrize("numbers", [(1,), (1, 1, 1), 1, None, "ab", [1, math.nan], [1, "x"], {1, 2}])
def test_functions_of_tokens_give_one_number_a_token(numbers):
    """None is cut to the length of the other one."""
    calls = {
        "truncated_weights: weights": lambda: truncated_weights(lambda o: numbers, 1)("ab"),
        "masked_weights: weights": lambda: masked_weights(lambda o: numbers, 1)("ab"),
        "ppo_clipped: weights": lambda: ppo_clipped(lambda o: numbers, lambda o: (1, 1), 1)("ab"),
        "ppo_clipped: advantages": lambda: ppo_clipped(lambda o: (1, 1), lambda o: numbers, 1)("ab"),
    }
    for what, call in calls.items():
        function, argument = what.split(": ")
        with pytest.raises((RandvarError, TypeError), match=f"{function}: (each of )?{argument} must"):
            call()
    policy = token_policy(([1, 1], [1, 1], [1, 1]))
    completions = rollout(policy, 2)
    for call in (
        lambda: token_gradient(completions, policy, lambda o: numbers),
        lambda: token_gradient(completions, policy, rewards, lambda o: numbers),
        lambda: grpo(completions, policy, reward, 2, weights=lambda o: numbers),
        lambda: dr_grpo(completions, policy, reward, 2, 2, weights=lambda o: numbers),
        lambda: kl_as_loss(completions, policy, policy, "k2", weights=lambda o: numbers),
        lambda: kl_as_reward(completions, policy, policy, weights=lambda o: numbers),
    ):
        with pytest.raises(UndefinedOutcome, match=r"^(?=.* (weights|advantages) must )(?=.* on outcome \('a', 'a'\))"):
            call()


# Gradients of completions


@given(tables, stops, gammas)
def test_returns_with_and_without_gamma_to_the_t(table, stop, gamma):
    policy = token_policy(table)
    completions = rollout(policy, 2, stop)
    exact = policy.gradient(completions, lambda o: discounted_returns(rewards(o), gamma)[0])

    def advantages(o):
        return discounted_returns(rewards(o), gamma)

    weighted = token_gradient(completions, policy, advantages, weights=lambda o: discounts(len(o), gamma))
    assert list(expect(weighted)) == list(exact)
    plain = expect(token_gradient(completions, policy, advantages))
    second = slice(2, 6)  # the logits of the second token
    assert list(plain[:2]) == list(exact[:2])
    assert list(gamma * plain[second]) == list(exact[second])


@given(tables, st.integers(2, 3))
def test_rloo_is_unbiased_and_dr_grpo_is_shrunk(table, n):
    policy = token_policy(table)
    completions = rollout(policy, 2, stop="b")
    truth = policy.gradient(completions, reward)
    assert list(expect(rloo(completions, policy, reward, n))) == list(truth)
    shrunk = [Fraction(n - 1, n) * g / 2 for g in truth]
    assert list(expect(dr_grpo(completions, policy, reward, n, max_length=2))) == shrunk


def test_nine_logits_and_groups_of_four_against_every_tuple():
    """Seven completions, 2401 groups: the full covariance matrix of the gradient."""
    third, quarter, sixth = Fraction(1, 3), Fraction(1, 4), Fraction(1, 6)
    rows = {(): [half, quarter, quarter], ("a",): [third] * 3, ("b",): [sixth, third, half]}
    policy = TokenPolicy({prefix: Var("ab.", row) for prefix, row in rows.items()})
    completions = rollout(policy, 2, stop=".")

    def worth(o):
        return 2 * o.count("b") - len(o)

    rows = [(worth(o), policy.score(o), float(p)) for o, p in completions.to_dict().items()]
    index = np.indices((len(rows),) * 4).reshape(4, -1)
    r = np.array([row[0] for row in rows], float)[index]
    s = np.array([row[1] for row in rows], float)[index]
    p = np.array([row[2] for row in rows])[index].prod(axis=0)
    gradients = {
        "mean": np.mean((r - r.mean(axis=0))[..., None] * s, axis=0),
        "leave_one_out": np.mean((r - (r.sum(axis=0) - r) / 3)[..., None] * s, axis=0),
    }
    laws = {
        "mean": dr_grpo(completions, policy, worth, 4, max_length=1),
        "leave_one_out": rloo(completions, policy, worth, 4),
    }
    for name, g in gradients.items():
        mean = p @ g
        near(expect(laws[name]), mean)
        near(cov_matrix(laws[name]), (p * (g - mean).T) @ (g - mean))


@pytest.mark.parametrize("divide", [False, True])
@pytest.mark.parametrize("lengths", ["each", "group"])
@pytest.mark.parametrize("off_policy", [False, True])
def test_grpo_against_every_tuple(divide, lengths, off_policy):
    policy, sampling = token_policy(([1, 2], [3, 1], [1, 4])), token_policy(([2, 1], [1, 1], [1, 1]))
    completions = rollout(sampling if off_policy else policy, 2, stop="b")
    weights = token_ratios(policy, sampling) if off_policy else None
    exact = completions.to_dict()

    def estimate(group):
        values = [reward(o) for o in group]
        mean = Fraction(sum(values), len(group))
        spread = math.sqrt(sum((v - mean) ** 2 for v in values) / len(group))
        advantages = [0 if not spread else (v - mean) / (spread + 0.25 if divide else 1) for v in values]
        sums = []
        for o in group:
            w = weights(o) if weights else [1] * len(o)
            sums.append(sum(a * row for a, row in zip(w, policy.token_scores(o), strict=True)))
        if lengths == "each":
            terms = [a * row / len(o) for a, row, o in zip(advantages, sums, group, strict=True)]
            return tuple(float(v) / len(group) for v in sum(terms))
        whole = sum(a * row for a, row in zip(advantages, sums, strict=True))
        return tuple(float(v) / sum(map(len, group)) for v in whole)

    law = grpo(
        completions, policy, reward, 3, divide_by_std=divide, epsilon=Fraction(1, 4), lengths=lengths, weights=weights
    )
    every = oracle.law_of_draws(estimate, exact, 3)
    near(expect(law), [oracle.mean(every, lambda v, i=i: v[i]) for i in range(6)])
    near(variance(law), [oracle.variance(every, lambda v, i=i: v[i]) for i in range(6)])
    if not divide:
        assert law.kind == "rational"
        assert all(isinstance(m, (int, Fraction)) for m in expect(law))


def test_one_number_a_token_is_asked_for():
    policy = token_policy(([1, 1], [1, 1], [1, 1]))
    completions = rollout(policy, 2)
    with pytest.raises(RandvarError, match="advantages must give one number a token, 2"):
        token_gradient(completions, policy, lambda o: [reward(o)])
    with pytest.raises(RandvarError, match="weights must give one number a token"):
        token_gradient(completions, policy, rewards, weights=lambda o: 1)
    with pytest.raises(RandvarError, match="lengths must be"):
        grpo(completions, policy, reward, 3, lengths="all")
    for estimator in (grpo, rloo):
        with pytest.raises(RandvarError, match="its own mean"):
            estimator(completions, policy, reward, 1)


@pytest.mark.parametrize("kind", [Fraction, float])
@pytest.mark.parametrize("lengths", ["each", "group"])
@pytest.mark.parametrize("divide", [False, True])
def test_an_empty_completion_has_no_mean_over_its_tokens(kind, lengths, divide):
    policy = TokenPolicy({(): Var("ab", [kind(half), kind(half)])})
    completions = Var([(), ("a",), ("b",)], [kind(half), kind(half) / 2, kind(half) / 2])
    with pytest.raises(UndefinedOutcome, match=r"grpo: a completion is empty \(probability (1/2|0.5)\).*cond\(len\)"):
        grpo(completions, policy, len, 2, divide_by_std=divide, lengths=lengths)
    assert grpo(completions.cond(len), policy, len, 2, divide_by_std=divide, lengths=lengths).dim == 2


def test_an_empty_completion_has_gradient_zero_elsewhere():
    """The mean by hand: 1/4 of 3 (1/2, -1/2) and 1/4 of 5 (-1/2, 1/2)."""
    policy = TokenPolicy({(): Var("ab", [half, half])})
    completions = Var([(), ("a",), ("b",)], [half, half / 2, half / 2])
    gradient = token_gradient(completions, policy, lambda o: [{"a": 3, "b": 5}[token] for token in o])
    assert expect(gradient).tolist() == [Fraction(3 - 5, 8), Fraction(5 - 3, 8)]


@pytest.mark.parametrize("length", [0, -4])
def test_a_maximal_length_is_positive(length):
    policy = token_policy(([1, 1], [1, 1], [1, 1]))
    with pytest.raises(RandvarError, match=f"dr_grpo: max_length must be at least 1, got {length}"):
        dr_grpo(rollout(policy, 2), policy, reward, 2, max_length=length)
    with pytest.raises(TypeError, match=r"dr_grpo: max_length must be a whole number, got 1\.5"):
        dr_grpo(rollout(policy, 2), policy, reward, 2, max_length=1.5)


def test_what_is_no_law_of_completions_and_no_policy():
    policy = token_policy(([1, 1], [1, 1], [1, 1]))
    completions = rollout(policy, 2)
    calls = {
        "token_gradient": lambda x, p: token_gradient(x, p, rewards),
        "reward_and_score": lambda x, p: reward_and_score(x, p, reward),
        "rloo": lambda x, p: rloo(x, p, reward, 2),
        "grpo": lambda x, p: grpo(x, p, reward, 2),
        "dr_grpo": lambda x, p: dr_grpo(x, p, reward, 2, 2),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=f"{name}: completions must be a Var, got int 3"):
            call(3, policy)
        with pytest.raises(TypeError, match=f"{name}: completions must be a law of tuples of tokens, .* outcome int 0"):
            call(bernoulli(half), policy)
        with pytest.raises(TypeError, match=f"{name}: policy must be a TokenPolicy, got Var"):
            call(completions, bernoulli(half))
    calls = {
        "reward_and_score": lambda f: reward_and_score(completions, policy, f),
        "rloo": lambda f: rloo(completions, policy, f, 2),
        "grpo": lambda f: grpo(completions, policy, f, 2),
        "dr_grpo": lambda f: dr_grpo(completions, policy, f, 2, 2),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=f"{name}: reward must be a function, got int 3"):
            call(3)
        with pytest.raises(UndefinedOutcome, match=f"{name} raised TypeError.*{name}: reward must be a number, got N"):
            call(lambda tokens: None)


def test_the_standard_deviation_is_looked_at_where_it_is_not_used():
    policy = token_policy(([1, 1], [1, 1], [1, 1]))
    for wrong in ({"ddof": 2}, {"epsilon": -1}):
        with pytest.raises(RandvarError, match=f"grpo: {next(iter(wrong))} must be at "):
            grpo(rollout(policy, 2), policy, reward, 2, divide_by_std=False, **wrong)
