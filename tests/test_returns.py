"""Returns, advantages and value targets against their definitions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_policies import gammas, half, near, rewards, tables, token_policy

from randvar import (
    expect,
    rollout,
)
from randvar.rollouts import (
    clipped_value_loss,
    discounted_returns,
    generalized_advantages,
    masked_mean,
    token_ratios,
    vtrace,
)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6), gammas, st.data())
def test_returns_by_their_definition(given_rewards, gamma, data):
    """G_t is the discounted sum up to and including the first terminal token from t on; padding counts for nothing."""
    n = len(given_rewards)
    done = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    exact = []
    for t in range(n):
        last = next((u for u in range(t, n) if done[u]), n - 1)
        exact.append(sum(gamma ** (u - t) * given_rewards[u] * mask[u] for u in range(t, last + 1)))
    got = discounted_returns(given_rewards, gamma, done, mask)
    assert got.tolist() == exact
    assert discounted_returns(given_rewards, gamma, [int(d) for d in done], np.array(mask, float)).tolist() == exact
    floats = discounted_returns(np.array([given_rewards] * 2, float), float(gamma), [done] * 2, np.array([mask] * 2))
    near(floats, [exact, exact])


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
        return vtrace(rewards(tokens), values, ratios(tokens), gamma, None, None)[0][0]

    value = expect(rollout(pi, 2), lambda o: discounted_returns(rewards(o), gamma)[0])
    assert expect(rollout(mu, 2), first_target) == value


def test_vtrace_with_caps_by_hand():
    """Ratios (3, 1/2): delta_1 = 1/2 (4 - 1), v_1 = 1 + 3/2, and, cut to 2, delta_0 = 2 (1 + 1 - 2), v_0 = 2 + 3/2."""
    targets, advantages = vtrace([1, 4], [2, 1], [3, half], 1, rho_cap=2, c_cap=1)
    assert targets.tolist() == [Fraction(7, 2), Fraction(5, 2)]
    assert advantages.tolist() == [2 * (1 + Fraction(5, 2) - 2), half * (4 - 1)]


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
        (lambda: discounted_returns([1, 2], gamma=1.5), r"gamma must lie in \[0, 1\], got 1.5"),
        (lambda: discounted_returns([1, 2], gamma=-0.1), r"gamma must lie in \[0, 1\]"),
        (lambda: discounted_returns([1, 2], gamma=math.nan), r"gamma must lie in \[0, 1\]"),
        (lambda: discounted_returns([1, 2], gamma="1"), "gamma must be a number"),
        (lambda: discounted_returns([1, 2], done=[True]), r"done has shape \(1,\), .* \(2,\)"),
        (lambda: discounted_returns([1, 2], mask=[[True, True]]), r"mask has shape \(1, 2\)"),
        (lambda: discounted_returns([1, 2], done=[0, 2]), "must hold booleans, or 0 and 1"),
        (lambda: discounted_returns([1, 2], mask=["yes", "no"]), "must hold booleans, or 0 and 1"),
        (lambda: discounted_returns([[1, 2], [3]]), "rewards"),
        (lambda: discounted_returns([]), "rows of equal length"),
        (lambda: discounted_returns(["a", "b"]), "must be numbers"),
        (lambda: generalized_advantages([1, 2], [1]), r"values have shape \(1,\)"),
        (lambda: generalized_advantages([1, 2], [1, 2], lam=2), "lam must lie in"),
        (lambda: clipped_value_loss([1], [1], [1], -1), "epsilon must be at least 0"),
        (lambda: masked_mean([1, 2], over="rows"), "over must be"),
    ],
)
def test_mistakes_in_returns(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
