"""x.vector(f): the joint law of the components of f(X)."""

import numpy as np
import pytest

from randvar import RandvarError, Var, covar, expect, softmax, uniform, variance

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
