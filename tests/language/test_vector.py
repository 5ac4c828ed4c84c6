"""x.vector(f): the joint law of the components of f(X)."""

import math

import numpy as np
import pytest

from randvar import (
    Joint,
    RandvarError,
    Var,
    best_of_n,
    covar,
    dependent,
    expect,
    from_weights,
    shared,
    softmax,
    total,
    uniform,
    variance,
)

die = uniform(1, 7)


def test_components_keep_their_dependence():
    j = die.vector(lambda a: (a, a**2))
    assert expect(j) == pytest.approx([3.5, 91 / 6], rel=1e-15)
    assert covar(j) == pytest.approx(expect(die.op(lambda a: a**3)) - 3.5 * 91 / 6, rel=1e-12)


def test_score_of_a_softmax_has_mean_zero():
    policy = softmax([0.5, -0.2, 0.1])
    score = policy.vector(lambda a: np.eye(3)[a] - policy.probs)
    assert expect(score) == pytest.approx([0, 0, 0], abs=1e-16)
    assert variance(score) == pytest.approx(policy.probs * (1 - policy.probs), rel=1e-13)


def test_rows_that_agree_are_one():
    assert len(die.vector(lambda a: (a % 2, a > 3))) == 4


@pytest.mark.parametrize(
    ("f", "error", "says"),
    [
        (lambda a: range(a), RandvarError, r"\[1, 2, 3, 4, 5, 6\]"),
        (lambda a: [], RandvarError, "empty"),
        (lambda a: a, TypeError, "int 1"),
        (lambda a: "ab", TypeError, "'ab'"),
        (lambda a: (a, float("nan")), RandvarError, "NaN"),
    ],
)
def test_what_is_no_vector(f, error, says):
    with pytest.raises(error, match=says):
        die.vector(f)


def test_symbols_and_words_may_be_components():
    assert Var(["a", "b"], [0.25, 0.75]).vector(lambda v: (v, v.upper())).marginal(1).prob("B") == 0.75


EPS = float(np.finfo(float).eps)


@pytest.mark.parametrize("steps", [(0, 3, 6, 9, 12, 17), (0, 3, 6, 20, 23), (0, 5, 10), (17, 12, 9, 6, 3, 0)])
def test_a_chain_of_near_values_is_broken_up_alike_in_a_var_and_in_a_joint(steps):
    """Values are one when all of them lie within 4 ulp, not when each is near the next."""
    values = dict(enumerate(1 + k * EPS for k in steps))
    x = from_weights(list(values), range(1, len(values) + 1))
    want = x.op(values.get)
    assert len(want) == runs_within(sorted(values.values()), 4 * EPS)
    assert same_atoms(x.vector(lambda i: (values[i], 0)).marginal(0), want)
    assert same_atoms(shared(x).op(values.get, lambda i: i).marginal(0), want)
    assert same_atoms(dependent(x, values.get).marginal(1), want)


def runs_within(ascending, tolerance):
    """How many runs no wider than the tolerance, each begun at the first value that the one before does not reach."""
    count, first = 0, -math.inf
    for value in ascending:
        if value - first > tolerance * value:
            count, first = count + 1, value
    return count


def same_atoms(x, y):
    return x.values.tolist() == y.values.tolist() and np.allclose(x.probs, y.probs, rtol=1e-14)


def test_best_of_n_ranks_by_the_same_rule():
    """Keys within 4 ulp are one rank, as x.op(key) makes one outcome of them: then those draws keep their law."""
    x = Var(range(4), [0.1, 0.2, 0.3, 0.4])
    assert best_of_n(x, 4, lambda i: 1 + (0, 1, 3, 4)[i] * EPS).probs == pytest.approx(x.probs)
    two_ranks = best_of_n(x, 4, lambda i: 1 + (0, 3, 6, 9)[i] * EPS)
    assert two_ranks.probs == pytest.approx([0.3**4 / 3, 0.3**4 * 2 / 3, (1 - 0.3**4) * 3 / 7, (1 - 0.3**4) * 4 / 7])


def test_a_whole_coordinate_stays_exact_beside_an_irrational_one():
    values, roots = [0, 1, 2**47], [0.2**0.5, 0.3**0.5, 0.7**0.5]
    pair = Joint(values, roots, [[0.25, 0, 0], [0, 0.25, 0], [0, 0, 0.5]])
    sums = total(pair, 6)
    alone = total(Var(values, [0.25, 0.25, 0.5]), 6)
    assert sums[0].values.tolist() == alone.values.tolist()
    assert sums[0].probs.tolist() == pytest.approx(alone.probs.tolist(), rel=1e-12)
