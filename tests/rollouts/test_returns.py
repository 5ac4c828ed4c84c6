"""Returns, advantages and value targets against their definitions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_policies import gammas, half, near, rewards, tables, token_policy

from randvar import RandvarError, expect, rollout
from randvar.rollouts import (
    clipped_value_loss,
    clipped_value_loss_gradient,
    discounted_returns,
    discounts,
    generalized_advantages,
    masked_mean,
    token_ratios,
    vtrace,
)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6), gammas, st.data())
def test_returns_by_their_definition(given_rewards, gamma, data):
    """G_t is the discounted sum of what counts from t on, up to the first terminal token; what does not count has 0."""
    n = len(given_rewards)
    done = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    exact = []
    for t in range(n):
        last = next((u for u in range(t, n) if done[u]), n - 1)
        counted = [given_rewards[u] for u in range(t, last + 1) if mask[u]]
        exact.append(sum(gamma**i * r for i, r in enumerate(counted)) if mask[t] else 0)
    got = discounted_returns(given_rewards, gamma, done, mask)
    assert got.tolist() == exact
    assert discounted_returns(given_rewards, gamma, [int(d) for d in done], np.array(mask, float)).tolist() == exact
    floats = discounted_returns(np.array([given_rewards] * 2, float), float(gamma), [done] * 2, np.array([mask] * 2))
    near(floats, [exact, exact])


def padded(row, kept, filling):
    """The row with something else at the positions that do not count."""
    numbers = iter(row)
    return [next(numbers) if keep else filling for keep in kept]


PADDINGS = [[1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [1, 0, 1, 0, 1], [0, 1, 1, 1, 0], [1, 1, 1]]


@pytest.mark.parametrize("kept", PADDINGS)
@pytest.mark.parametrize("filling", [0, 99, math.nan])
@given(st.lists(st.integers(-5, 5), min_size=3, max_size=3), gammas, gammas)
def test_what_does_not_count_is_as_if_it_were_not_there(kept, filling, given_rewards, gamma, lam):
    """Padding on either side or in between: the value behind the last token that counts is `last_value`."""
    r, v = given_rewards, [2, -1, 3]
    rows = [padded(row, kept, filling) for row in (r, v, [half, 2, Fraction(5, 2)])]
    rewards_, values, ratios = rows

    def at_kept(result):
        assert [x for x, keep in zip(result.tolist(), kept, strict=True) if not keep] == [0] * kept.count(0)
        return [x for x, keep in zip(result.tolist(), kept, strict=True) if keep]

    assert at_kept(discounted_returns(rewards_, gamma, mask=kept)) == discounted_returns(r, gamma).tolist()
    plain = generalized_advantages(r, v, gamma, lam, last_value=10)
    assert at_kept(generalized_advantages(rewards_, values, gamma, lam, None, kept, 10)) == plain.tolist()
    plain = vtrace(r, v, [half, 2, Fraction(5, 2)], gamma, 2, 1, last_value=10)
    got = vtrace(rewards_, values, ratios, gamma, 2, 1, None, kept, 10)
    assert [at_kept(part) for part in got] == [part.tolist() for part in plain]


small = st.integers(-3, 3)
tokens = st.lists(st.tuples(small, small, st.integers(0, 3), st.booleans(), st.booleans()), min_size=1, max_size=6)


@given(tokens, gammas, gammas, small)
def test_advantages_and_targets_position_by_position(row, gamma, lam, last):
    """The definitions, looking ahead for the next token that counts, without one unless a terminal token is between."""
    r, v, ratio, done, mask = (list(column) for column in zip(*row, strict=True))

    def ahead(numbers, t, end):
        for u in range(t, len(row)):
            if done[u]:
                return 0
            if u + 1 < len(row) and mask[u + 1]:
                return numbers(u + 1)
        return end

    def advantage(t):
        delta = r[t] + gamma * ahead(lambda u: v[u], t, last) - v[t]
        return delta + gamma * lam * ahead(advantage, t, 0)

    def error(t):
        """v_t - V_t of V-trace with rho cut at 2 and c at 1."""
        delta = min(ratio[t], 2) * (r[t] + gamma * ahead(lambda u: v[u], t, last) - v[t])
        return delta + gamma * min(ratio[t], 1) * ahead(error, t, 0)

    def trace_advantage(t):
        return min(ratio[t], 2) * (r[t] + gamma * ahead(lambda u: v[u] + error(u), t, last) - v[t])

    def exact(f):
        return [f(t) if mask[t] else 0 for t in range(len(row))]

    assert generalized_advantages(r, v, gamma, lam, done, mask, last).tolist() == exact(advantage)
    targets, advantages = vtrace(r, v, ratio, gamma, 2, 1, done, mask, last)
    assert targets.tolist() == exact(lambda t: v[t] + error(t))
    assert advantages.tolist() == exact(trace_advantage)


@given(st.lists(st.tuples(*[st.tuples(small, st.booleans())] * 3), min_size=1, max_size=3))
def test_means_over_sequences_and_over_tokens(rows):
    x, mask = ([[pair[i] for pair in row] for row in rows] for i in (0, 1))
    kept = [[n for n, keep in row if keep] for row in rows]
    means = [Fraction(sum(row), len(row)) if row else 0 for row in kept]
    every = [n for row in kept for n in row]
    assert masked_mean(x, mask) == Fraction(sum(means), len(means))
    assert masked_mean(x, mask, over="tokens") == (Fraction(sum(every), len(every)) if every else 0)


def test_padding_on_the_right_by_hand():
    """A_0 = 1 + 10 - 1/2, as without the padding; a terminal token leaves no value behind it."""
    padding = {"mask": [1, 0], "last_value": 10}
    assert generalized_advantages([1, 0], [0.5, 0], **padding).tolist() == [10.5, 0]
    assert generalized_advantages([1, 0], [0.5, 0], done=[1, 0], **padding).tolist() == [0.5, 0]
    targets, advantages = vtrace([1, 0], [0.5, 0], [1, 1], **padding)
    assert (targets.tolist(), advantages.tolist()) == ([11, 0], [10.5, 0])


def test_one_value_behind_the_end_of_each_row():
    rows = {"rewards": [[1, 2], [3, 0]], "values": [[0, 1], [1, 0]], "mask": [[1, 1], [1, 0]]}
    assert generalized_advantages(**rows, last_value=[10, 20]).tolist() == [[13, 11], [22, 0]]
    with pytest.raises(RandvarError, match="last_value must be one number, or one a row, got list"):
        generalized_advantages(**rows, last_value=[10])


@given(st.lists(st.integers(-5, 5), min_size=4, max_size=4), gammas, gammas, st.data())
def test_generalized_advantages(given_rewards, gamma, lam, data):
    values = data.draw(st.lists(st.integers(-3, 3), min_size=4, max_size=4))
    done = data.draw(st.lists(st.booleans(), min_size=4, max_size=4))
    after = [*values[1:], 7]
    deltas = [r + gamma * (not d) * v1 - v for r, d, v1, v in zip(given_rewards, done, after, values, strict=True)]
    exact = []
    for t in range(4):
        last = next((u for u in range(t, 4) if done[u]), 3)
        exact.append(sum((gamma * lam) ** (u - t) * deltas[u] for u in range(t, last + 1)))
    assert generalized_advantages(given_rewards, values, gamma, lam, done, last_value=7).tolist() == exact


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=3), gammas)
def test_lambda_one_is_return_minus_value(given_rewards, gamma):
    values = [2, -1, 3]
    plain = discounted_returns(given_rewards, gamma) - values
    assert generalized_advantages(given_rewards, values, gamma, 1).tolist() == plain.tolist()


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=3), gammas)
def test_vtrace_on_policy_is_the_return(given_rewards, gamma):
    targets, advantages = vtrace(given_rewards, [2, -1, 3], [1, 1, 1], gamma)
    returns = discounted_returns(given_rewards, gamma)
    assert targets.tolist() == returns.tolist()
    assert advantages.tolist() == (returns - [2, -1, 3]).tolist()


@given(tables, tables, gammas)
def test_uncut_vtrace_is_unbiased_off_policy(target, sampling, gamma):
    """E[v_0] over the sampling policy is the value of the target policy, whatever the values are."""
    pi, mu = token_policy(target), token_policy(sampling)
    ratios = token_ratios(pi, mu)

    def first_target(tokens):
        values = [3 if prefix_end == "a" else -2 for prefix_end in ("", *tokens[:-1])]
        uncut = vtrace(rewards(tokens), values, ratios(tokens), gamma, None, math.inf)[0]
        assert all(isinstance(target, Fraction) for target in uncut)
        return uncut[0]

    value = expect(rollout(pi, 2), lambda o: discounted_returns(rewards(o), gamma)[0])
    assert expect(rollout(mu, 2), first_target) == value


def test_vtrace_with_caps_by_hand():
    """Ratios (3, 1/2): delta_1 = 1/2 (4 - 1), v_1 = 1 + 3/2, and, cut to 2, delta_0 = 2 (1 + 1 - 2), v_0 = 2 + 3/2."""
    targets, advantages = vtrace([1, 4], [2, 1], [3, half], 1, rho_cap=2, c_cap=1)
    assert targets.tolist() == [Fraction(7, 2), Fraction(5, 2)]
    assert advantages.tolist() == [2 * (1 + Fraction(5, 2) - 2), half * (4 - 1)]


def test_a_float_among_exact_numbers_makes_floats_of_all():
    targets, advantages = vtrace([1, 4], [2, 1], [3, half], 1, rho_cap=2.0, c_cap=1)
    assert targets.dtype == advantages.dtype == float
    assert targets.tolist() == [3.5, 2.5]


def test_returns_in_symbols():
    sympy = pytest.importorskip("sympy")
    gamma, r = sympy.symbols("gamma r")
    assert sympy.expand(discounted_returns([r, 1, r], gamma)[0] - (r + gamma + gamma**2 * r)) == 0


def test_the_clipped_branch_is_never_below():
    losses = clipped_value_loss([[1, 2], [0, 3]], [[0, 2], [1, 1]], [[2, 2], [-1, 0]], half)
    assert losses.tolist() == [[Fraction(9, 8), 0], [Fraction(9, 8), Fraction(9, 2)]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: discounted_returns([1, 2], gamma=1.5), "discounted_returns: gamma must be at least 0 and at most 1, "),
        (lambda: discounted_returns([1, 2], gamma=-0.1), "gamma must be at least 0 and at most 1, got -0.1"),
        (lambda: discounted_returns([1, 2], gamma=math.nan), "gamma must be a finite number"),
        (lambda: discounted_returns([1, 2], gamma="1"), "gamma must be a number"),
        (lambda: discounted_returns([1, 2], done=[True]), r"done has shape \(1,\), .* \(2,\)"),
        (lambda: discounted_returns([1, 2], mask=[[True, True]]), r"mask has shape \(1, 2\)"),
        (lambda: discounted_returns([1, 2], done=[0, 2]), "must hold booleans, or 0 and 1"),
        (lambda: discounted_returns([1, 2], mask=["yes", "no"]), "must hold booleans, or 0 and 1"),
        (lambda: discounted_returns([[1, 2], [3]]), "rewards"),
        (lambda: discounted_returns([]), "rows of equal length"),
        (lambda: discounted_returns(["a", "b"]), "each of rewards must be a number, got str 'a'"),
        (lambda: discounted_returns([1, math.nan]), "each of rewards must be a finite number, got nan"),
        (lambda: discounted_returns({1, 2}), "given as a set, which has no order"),
        (lambda: discounts(0, 0.5), "discounts: length must be at least 1, got 0"),
        (lambda: discounts(1.5, 0.5), "discounts: length must be a whole number, got 1.5"),
        (lambda: discounts(10**7, 0.5), "discounts of 10000000 tokens"),
        (lambda: discounts(10**6, Fraction(9, 10)), "discounts of 1000000 tokens"),
        (lambda: discounts(2, -1), "discounts: gamma must be at least 0 and at most 1, got -1"),
        (lambda: vtrace([1], [1], [1], rho_cap=-1), "vtrace: rho_cap must be a positive number, got -1"),
        (lambda: vtrace([1], [1], [1], c_cap=0), "vtrace: c_cap must be a positive number, got 0"),
        (lambda: vtrace([1], [1], [1], c_cap="1"), "vtrace: c_cap must be a number, got str '1'"),
        (lambda: vtrace([1], [1], [-2]), "vtrace: each of ratios must be at least 0, got -2"),
        (lambda: vtrace([1], [1], [1], last_value="v"), "vtrace: last_value must be a number"),
        (lambda: generalized_advantages([1, 2], [1]), r"values has shape \(1,\)"),
        (lambda: generalized_advantages([1, 2], [1, 2], lam=2), "lam must be at least 0 and at most 1, got 2"),
        (lambda: clipped_value_loss([1], [1], [1], -1), "clipped_value_loss: epsilon must be at least 0"),
        (lambda: clipped_value_loss([1], [1], [1], "1"), "epsilon must be a number, got str '1'"),
        (lambda: clipped_value_loss_gradient([1], [1], [1], -1), "clipped_value_loss_gradient: epsilon must be"),
        (lambda: masked_mean([1, 2], over="rows"), "over must be"),
    ],
)
def test_mistakes_in_returns(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
