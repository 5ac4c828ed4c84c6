"""Statistics in which rounding is magnified: zeros that cancellation left, near results, verdicts that hold."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from randvar import (
    Joint,
    Var,
    assert_unbiased,
    expect,
    indep,
    monte_carlo,
    report,
    sampling_distribution,
    variance,
)
from randvar.estimators.controls import control_variate
from randvar.finer import meant

R, S = [0.1, 0.2, 0.7], [-0.5, 0.5]
TABLE = [[0.2, 0.1], [0.2, 0.2], [0.1, 0.2]]
PAIR = Joint(R, S, TABLE)


def covariance(sample, cast=float):
    r, s = (np.asarray([row[i] for row in sample]).astype(cast) for i in (0, 1))
    return np.mean((r - np.mean(r)) * s)


def fine_covariance(sample):
    r, s = sample[:, 0], sample[:, 1]
    return np.mean((r - np.mean(r)) * s)


def exact_covariances(n):
    law: Counter = Counter()
    rows = [(Fraction(str(r)), Fraction(str(s)), i, j) for i, r in enumerate(R) for j, s in enumerate(S)]
    for sample in itertools.combinations_with_replacement(rows, n):
        ways = math.factorial(n)
        for copies in Counter(sample).values():
            ways //= math.factorial(copies)
        mean = sum(r for r, *_ in sample) / n
        mass = math.prod(Fraction(str(TABLE[i][j])) for *_, i, j in sample)
        law[sum((r - mean) * s for r, s, *_ in sample) / n] += ways * mass
    return law


EXACT = exact_covariances(5)


def test_cancellation_leaves_one_zero():
    found = sampling_distribution(fine_covariance, PAIR, 5)
    assert len(found) == len(EXACT) == 61
    assert found.prob(0) == pytest.approx(float(EXACT[0]), rel=1e-13)
    assert found.prob(lambda v: v < 0) == pytest.approx(float(sum(p for v, p in EXACT.items() if v < 0)), rel=1e-13)
    assert found.values == pytest.approx([float(v) for v in sorted(EXACT)], rel=1e-15, abs=0)


def test_cancellation_leaves_one_zero_inside_tuples():
    for symmetric in (True, None):  # in one chunk of samples, and in two
        found = sampling_distribution(lambda s: (fine_covariance(s), "r"), PAIR, 5, symmetric)
        assert len(found) == 61
        assert found.prob((0, "r")) == pytest.approx(float(EXACT[0]), rel=1e-13)


def test_single_precision_is_merged_as_such():
    found = sampling_distribution(lambda s: covariance(s, np.float32), PAIR, 5)
    assert len(found) == 61
    assert found.prob(0) == pytest.approx(float(EXACT[0]), rel=1e-13)
    assert report(found, 0.0).proof == "to single precision"
    declared = sampling_distribution(lambda s: covariance(s, np.float32), PAIR, 5, symmetric=True)
    assert len(declared) == 61


def test_what_is_small_is_not_zero():
    tiny = sampling_distribution(np.prod, Var([1e-9, 1e-8, 3e-10], [0.3, 0.3, 0.4]), 2)
    assert len(tiny) == 6
    beside_huge = sampling_distribution(lambda s: s[0] * 1.0, Var([0.0, 1e-9, 6e23], [0.3, 0.3, 0.4]), 1)
    assert beside_huge.prob(lambda a: a > 0) == pytest.approx(0.7, rel=1e-15)


def test_draws_are_meant_as_simple_fractions():
    tenths = meant(np.array([0.1, 0.2, 0.7]))
    assert (tenths * 10 == np.array([1, 2, 7], dtype=np.longdouble)).all()
    assert meant(np.array([math.pi, math.e, 17.1])).tolist() == [math.pi, math.e, 17.1]


def _law(rng):
    k = int(rng.integers(2, 5))
    base = [
        rng.random(k),
        np.round(rng.random(k), 2),
        np.log(rng.random(k)),
        rng.integers(1, 60, k) / 7,
        rng.standard_normal(k) * 10.0 ** rng.integers(-6, 7, k),
    ][int(rng.integers(0, 5))]
    values = np.unique(base + rng.choice([0, 1e3, 1e6, 1e9, 1e12, 1e15]))
    weights = rng.random(len(values)) + 0.05
    return Var(values.tolist(), (weights / weights.sum()).tolist())


def _exact_mean(x, f=lambda v: v):
    shares = [Fraction(p) for p in x.probs.tolist()]
    return sum(f(Fraction(v)) * p for v, p in zip(x.values.tolist(), shares, strict=True)) / sum(shares)


def _variance(x):
    mean = _exact_mean(x)
    return _exact_mean(x, lambda v: (v - mean) ** 2)


def _control(x, _):
    known, slope = expect(x), 2 * expect(x)
    pair = control_variate(x, lambda a: a * a, lambda a: a, known, slope)
    return pair.sub(), _exact_mean(x, lambda v: v * v - Fraction(slope) * (v - Fraction(known)))


ESTIMATORS = {
    "sample variance": lambda x, _: (
        sampling_distribution(lambda s: np.var(s, ddof=1), x, 3, symmetric=True),
        _variance(x),
    ),
    "difference": lambda x, y: (indep(monte_carlo(x, 2), monte_carlo(y, 3)).sub(), _exact_mean(x) - _exact_mean(y)),
    "control variate": _control,
    "mean of squares": lambda x, _: (monte_carlo(x.op(lambda a: a * a), 2), _exact_mean(x, lambda v: v * v)),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_unbiased_estimator_is_never_called_biased_and_a_bias_above_the_bound_is_seen(name):
    for seed in range(25):
        rng = np.random.default_rng([seed, len(name)])
        estimator, target = ESTIMATORS[name](_law(rng), _law(rng))
        assert_unbiased(estimator, target)
        bound = report(estimator, target).rounding
        assert report(estimator, target + 3 * Fraction(bound)).unbiased is False


def test_the_variance_does_not_lose_what_the_mean_was_rounded_by():
    x = Var([1e12 + 0.25, 1e12 + 0.5, 1e12 + 1.0], [0.3, 0.3, 0.4])
    assert variance(x) == pytest.approx(float(_variance(x)), rel=1e-14)
