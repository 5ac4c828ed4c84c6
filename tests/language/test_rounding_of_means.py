"""An estimator is never called biased for the rounding of its law, nor unbiased beyond the bound that is stated."""

import math
import random
from fractions import Fraction

import pytest
from accuracies import in_steps

from randvar import (
    Joint,
    Var,
    best_of_n,
    expect,
    from_weights,
    leave_one_out_gradient,
    markov_chain,
    monte_carlo,
    product_of_draws,
    report,
    total,
)
from randvar.rounding_of_means import accuracy_of_mean
from randvar.warrant import Warrant


def mean_of_floats(x):
    """E[X] of a law in fractions, whose outcomes may be floats."""
    return float(sum(p * Fraction(v) for v, p in x.to_dict().items()))


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_laws_made_in_every_way_are_unbiased_for_their_exact_means(first):
    for seed in range(first, first + 50):
        for how, rounded, exact, _ in in_steps(random.Random(seed)):
            target = mean_of_floats(exact)
            found = report(rounded, target)
            assert found.unbiased, f"{seed}, {how}: {found.verdict}"
            assert found.rounding < 1e-9 * max(abs(target), 1), f"{seed}, {how}: {found.verdict}"
            off = report(rounded, target + 3 * found.rounding + 1e-300)
            assert not off.unbiased, f"{seed}, {how}: {off.verdict}"


def law_in_fractions(x):
    mass = sum(map(Fraction, x.probs.tolist()))
    return [Fraction(p) / mass for p in x.probs.tolist()]


def random_pairs(source, offset):
    """The Joint of (reward, score), and its law in fractions of the same floats."""
    size = source.randint(2, 4)
    rows = [(offset + source.random(), source.uniform(-1, 1)) for _ in range(size)]
    law = from_weights(range(size), [source.random() for _ in range(size)])
    return Joint.of(law.vector(rows.__getitem__).law), dict(zip(rows, law_in_fractions(law), strict=True))


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e9])
def test_leave_one_out_is_unbiased_whatever_the_offset_is(offset):
    """Its mean is Cov(R, S), in fractions of the same floats."""
    source = random.Random(11)
    for _ in range(20):
        joint, exact = random_pairs(source, offset)
        r, s = (sum(p * Fraction(row[i]) for row, p in exact.items()) for i in (0, 1))
        target = float(sum(p * (Fraction(a) - r) * (Fraction(b) - s) for (a, b), p in exact.items()))
        gradient = leave_one_out_gradient(joint, 3)
        for law in (gradient, Var.of(gradient.law)):
            assert report(law, target).unbiased
            assert not report(law, target * (1 + 1e-9)).unbiased


def test_products_and_the_best_of_many():
    x = Var([0.9, 1.05, 1.2], [0.3, 0.45, 0.25])
    exact = Var([Fraction(v) for v in x.values.tolist()], [Fraction(p) for p in x.probs.tolist()])
    assert report(product_of_draws(x, 200), float(expect(exact) ** 200)).unbiased
    assert report(Var.of(product_of_draws(x, 200).law), float(expect(exact) ** 200)).unbiased
    assert not report(product_of_draws(x, 200), float(expect(exact) ** 200) * (1 + 1e-10)).unbiased
    best = best_of_n(x, 50)
    assert report(best, float(expect(best_of_n(exact, 50)))).unbiased


def test_a_long_chain():
    step = {a: Var([0, 1, 2], [0.1, 0.2, 0.7] if a else [1 / 3] * 3) for a in range(3)}
    law = markov_chain(Var([0], [1.0]), step.__getitem__, 3000)
    rest = {a: law_in_fractions(row) for a, row in step.items()}
    up = rest[0][1] + rest[0][2]
    zero = rest[1][0] / (rest[1][0] + up)
    target = float(zero * (rest[0][1] + 2 * rest[0][2]) + (1 - zero) * (rest[1][1] + 2 * rest[1][2]))
    found = report(law, target)
    assert found.unbiased
    assert found.rounding < 1e-10


def test_an_accuracy_counts_once_for_each_draw():
    """The mean of a sum is a sum of means: no tail of it comes in."""
    coin = Var.of(Var([0, 1], [0.5, 0.5]).law.warranted(Warrant(accuracy=1e-6)))
    assert accuracy_of_mean(total(coin, 10**6).source) == 1e-6
    assert report(monte_carlo(coin, 100), 0.5 + 1e-7).unbiased
    assert not report(monte_carlo(coin, 100), 0.5 + 3e-6).unbiased


def test_of_unknown_probabilities_nothing_is_decided():
    coin = Var.of(Var([0, 1], [0.5, 0.5]).law.warranted(Warrant(accuracy=math.inf)))
    assert report(coin, 0.5).proof == "not decided"
    assert report(coin, 0.5).unbiased is None
