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
    control_variate,
    expect,
    from_weights,
    indep,
    leave_one_out_gradient,
    markov_chain,
    monte_carlo,
    product_of_draws,
    report,
    total,
)
from randvar.estimators import estimated_control
from randvar.examples.sampling_to_reinforce import monte_carlo_with_control
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
    assert "some probabilities are not known" in report(coin, 0.5).verdict
    assert report(coin, 0.5).proof == "not decided"
    assert report(coin, 0.5).unbiased is None


def in_fractions(x):
    return Var(list(map(Fraction, x.values.tolist())), law_in_fractions(x))


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e9, 1e12])
def test_controls_and_differences_with_an_offset_are_not_called_biased(offset):
    """The known mean is a float, which stands for every number within a few ulp."""
    source = random.Random(7)
    for _ in range(10):
        size = source.randint(2, 4)
        x = from_weights([offset + source.random() for _ in range(size)], [source.random() for _ in range(size)])
        exact, known, b = in_fractions(x), expect(x), source.random()
        square = float(expect(exact.op(lambda a: (a - Fraction(offset)) ** 2)))
        pair = Joint.of(x.vector(lambda a: ((a - offset) ** 2, a)).law)
        control = control_variate(x, lambda a: (a - offset) ** 2, lambda a: a, known_mean=known, b=b)
        estimators = {
            "one draw": (control.sub(), square),
            "a mean": (monte_carlo_with_control(control, 4), square),
            "split": (estimated_control(pair, 4, known, "split"), square),
            "leave one out": (estimated_control(pair, 3, known, "leave_one_out"), square),
            "difference": (indep(monte_carlo(x, 2), monte_carlo(x, 3)).sub(), 0.0),
        }
        for name, (estimator, target) in estimators.items():
            for law in (estimator, Var.of(estimator.law)):
                assert report(law, target).unbiased, f"{name}: {report(law, target).verdict}"
                assert report(law, target + 0.05).unbiased is False, f"{name}: {report(law, target + 0.05).verdict}"
