"""Entry 001.A4.T1000_missing_mass: quantiles of a lognormal weight, on a normal law cut into cells.

log w ~ N(-5, 10). Cell ends fall on every threshold asked about, so that probabilities are those of the normal itself;
inside a cell of width h the midpoint stands for all, which costs E[w] a relative h^2/12 at most.
"""

import math

import numpy as np
import pytest
from scipy import stats

from randvar import Var, expect, from_weights

EXACT = {"quantile_w": 4850.169252182917, "share_above": 0.13509760211035457, "P(w>1)": 0.056923149003329024}
CELL = 1e-3


@pytest.fixture(scope="module")
def log_weight() -> Var:
    log_w = stats.norm(-5, math.sqrt(10))
    ends = np.union1d(np.arange(-40.0, 40.0, CELL), [-5.0, 0.0, math.log(EXACT["quantile_w"])])
    low, high = ends[:-1], ends[1:]
    # the smaller of the two tails, whose difference does not cancel
    masses = np.where(low > -5, log_w.sf(low) - log_w.sf(high), log_w.cdf(high) - log_w.cdf(low))
    return from_weights((low + high) / 2, masses)


def test_the_median_weight_is_far_below_its_mean(log_weight):
    assert log_weight.quantile(0.5) == pytest.approx(math.log(0.0067379469990854670966), abs=CELL)
    assert expect(log_weight.op(math.exp)) == pytest.approx(1, rel=1e-6)


def test_how_rarely_a_weight_exceeds_its_mean(log_weight):
    assert log_weight.prob(lambda s: s > 0) == pytest.approx(EXACT["P(w>1)"], rel=1e-12)


def test_what_a_hundred_thousand_draws_miss(log_weight):
    """Beyond the 1 - 1e-5 quantile lies 13.5% of E[w] = 1."""
    rare = math.log(EXACT["quantile_w"])
    assert log_weight.prob(lambda s: s > rare) == pytest.approx(1e-5, rel=1e-10)
    assert log_weight.quantile(1 - 1e-5) == pytest.approx(rare, abs=CELL)
    above = expect(log_weight.op(lambda s: math.exp(s) if s > rare else 0.0))
    assert above == pytest.approx(EXACT["share_above"], rel=1e-6)
    assert 1 - above == pytest.approx(0.86490239788964542, rel=1e-6)
