"""The rounding inside a person's function: measured in finer numbers, or left undecided, and never guessed."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randvar import (
    Joint,
    Var,
    assert_unbiased,
    importance_weights,
    indep,
    kl,
    monte_carlo,
    report,
    sampling_distribution,
    variance,
)
from randvar.calls.finer import function_rounding
from randvar.numbers.arrays import WIDE_EPS

P, Q = Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.50001, 0.49999])
TABLE = Var([0.5, 0.75], [0.3, 0.7])
RATIO = importance_weights(Q, P)  # q/p of draws of p


def k3_of_probabilities(a):
    return math.log(P.prob(a) / Q.prob(a)) + Q.prob(a) / P.prob(a) - 1


def mean(numbers, weights):
    return sum(w * v for v, w in zip(numbers, weights, strict=True))


@given(st.lists(st.floats(0.9, 1.1), min_size=1, max_size=5, unique=True))
def test_what_is_measured_is_the_error(values):
    weights = np.full(len(values), 1 / len(values))
    pairs = [
        (1.1, lambda a: a - 1 - np.log(a), lambda a: a - 1 - mpmath.log(a)),
        (1.1e16, lambda a: (1e8 + a) ** 2 - 1e16, lambda a: (mpmath.mpf(10**8) + a) ** 2 - 10**16),
        (1.1, lambda a: a / 3 - a**2 / 7, lambda a: a / 3 - a**2 / 7),
    ]
    for largest, coarse, fine in pairs:
        found = function_rounding(coarse, [np.array(values)], weights)
        results = [float(coarse(v)) for v in values]
        if any(results):
            with mpmath.workdps(60):
                errors = [float(abs(fine(mpmath.mpf(v)) - r)) for v, r in zip(values, results, strict=True)]
            bound = found.relative * math.sqrt(mean([r * r for r in results], weights))
            assert found.measured
            assert (
                mean(errors, weights) * (1 - 1e-12) <= bound <= 1.01 * mean(errors, weights) + 40 * WIDE_EPS * largest
            )


@pytest.mark.parametrize(
    "f",
    [
        lambda a: a - 1 - math.log(a),  # math makes floats of finer numbers: half the function would not be measured
        lambda a: float(a) ** 2,
        lambda a: {0.5: 0.1, 0.75: 0.2}[float(a)],
        lambda a: P.prob(0) * Q.prob(0) * 3.0,
        lambda a: TABLE.prob(a) * a,  # another function of a finer number, which is no outcome of the law
    ],
)
def test_what_cannot_be_measured_is_not(f):
    found = function_rounding(f, [np.array([0.5, 0.75])], np.array([0.5, 0.5]))
    assert not found.measured
    assert found.relative > 0


def test_an_unbiased_estimator_that_rounds_is_not_called_biased():
    target = kl(P, Q)
    measured = RATIO.op(lambda r: r - 1 - np.log(r))
    for estimator in (measured, monte_carlo(measured, 10), indep(measured, measured).sub() + target):
        assert report(estimator, target).unbiased
    found = report(measured, target)
    assert found.unbiased, found.verdict  # doubtful outcomes were computed again, or the bound counts their rounding
    assert 1e-24 < found.rounding < 1e-17
    assert not report(measured, target * (1 + 1e-6)).unbiased
    assert_unbiased(measured, target)


def test_what_finer_numbers_cannot_tell_is_not_decided():
    estimator = P.op(k3_of_probabilities)
    found = report(estimator, kl(P, Q))
    assert (found.unbiased, found.proof) == (None, "not decided")
    assert found.verdict.startswith("not decided (the mean is off by 1.65")
    with pytest.raises(AssertionError, match=r"not decided.* in numpy's functions instead of math's"):
        assert_unbiased(estimator, kl(P, Q))
    assert report(estimator, 1.1 * kl(P, Q)).verdict.startswith("biased by -2e-11 (to rounding")


def test_the_way_out_of_what_is_not_decided():
    """Followed word for word: a function of its argument alone, in numpy's functions."""
    undecided = report(RATIO.op(lambda r: r - 1 - math.log(r)), kl(P, Q))
    assert undecided.proof == "not decided"
    assert report(RATIO.op(lambda r: r - 1 - np.log(r)), kl(P, Q)).unbiased


def test_a_bias_is_not_taken_for_rounding():
    """Each is off by a millionth of what it estimates, or by more than any rounding."""
    die = Var([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1 / 6] * 6)
    for f in (lambda a: a / 3, lambda a: math.sqrt(a) ** 2 / 3, lambda a: (a + 1e6 - 1e6) / 3):
        for off in (1e-6, 1e-9):
            assert report(die.op(f), (3.5 / 3) * (1 + off)).verdict.startswith("biased")
    assert report(die.op(lambda a: (a + 1e6 - 1e6) / 3), Fraction(7, 6)).unbiased


# -- of samples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, 1e12])
def test_a_sample_variance_with_an_offset_is_not_called_biased(offset):
    x = Var([offset + 0.1, offset + 0.35, offset + 0.9], [0.2, 0.3, 0.5])
    mass = sum(map(Fraction, x.probs.tolist()))
    masses = [Fraction(p) / mass for p in x.probs.tolist()]
    values = list(map(Fraction, x.values.tolist()))
    mean_value = sum(p * v for p, v in zip(masses, values, strict=True))
    target = float(sum(p * (v - mean_value) ** 2 for p, v in zip(masses, values, strict=True)))
    for statistic in (lambda s: np.var(s, ddof=1), lambda s: ((s - s.mean()) ** 2).sum() / (len(s) - 1)):
        for n in (2, 4):
            law = sampling_distribution(statistic, x, n)
            assert report(law, target).unbiased
            assert report(law, target * 1.001).unbiased is False
    vectorized = sampling_distribution(lambda s: np.var(s, axis=1, ddof=1), x, 3, vectorized=True)
    assert report(vectorized, target).unbiased


def test_a_statistic_of_pairs_is_measured():
    pair = Joint([1e9 + 0.1, 1e9 + 0.7], [-0.5, 0.5], [[0.25, 0.25], [0.125, 0.375]])

    def covariance(s):
        return ((s[:, 0] - s[:, 0].mean()) * s[:, 1]).sum() / (len(s) - 1)

    law = sampling_distribution(covariance, pair, 3)
    p = {(Fraction(a), Fraction(b)): Fraction(w) for a, b, w in zip(*pair.columns, pair.weights, strict=True)}
    first, second = (sum(w * row[i] for row, w in p.items()) for i in (0, 1))
    target = float(sum(w * (a - first) * (b - second) for (a, b), w in p.items()))
    found = report(law, target)
    assert found.unbiased
    assert found.rounding < 1e-5


def test_a_biased_sample_variance_stays_biased():
    x = Var([1e6 + 0.1, 1e6 + 0.35, 1e6 + 0.9], [0.2, 0.3, 0.5])
    assert report(sampling_distribution(np.var, x, 3), variance(x)).unbiased is False
