"""Ready-made laws, against their formulas."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from randvar import (
    InvalidLaw,
    RandvarError,
    Var,
    bernoulli,
    binomial,
    constant,
    empirical,
    expect,
    from_dict,
    from_scipy,
    from_weights,
    indep,
    normal,
    same_law,
    softmax,
    std,
    uniform,
    variance,
    weighted_die,
)

HERMITE = json.loads((Path(__file__).parents[1] / "support" / "reference" / "gauss_hermite.json").read_text())


@pytest.mark.parametrize("nodes", [5, 10, 20, 40])
def test_gauss_hermite_nodes_and_weights(nodes):
    x = normal(nodes=nodes)
    assert x.values == pytest.approx([float(v) for v in HERMITE[str(nodes)]["nodes"]], rel=1e-14, abs=1e-15)
    assert x.probs == pytest.approx([float(w) for w in HERMITE[str(nodes)]["weights"]], rel=1e-11)


@pytest.mark.parametrize("degree", range(12))
def test_normal_is_exact_for_polynomials(degree):
    """Six nodes: exact up to degree 11. E[Z^d] = (d - 1)!! for even d."""
    exact = 0 if degree % 2 else math.prod(range(degree - 1, 0, -2))
    assert expect(normal(nodes=6), lambda v: v**degree) == pytest.approx(exact, rel=1e-12, abs=1e-10)


def test_normal_is_shifted_and_scaled():
    x = normal(10, 3)
    assert (expect(x), std(x)) == pytest.approx((10, 3), rel=1e-13)
    assert len(normal(5, 0)) == 1


@given(st.integers(0, 40), st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(1)]))
def test_binomial(n, p):
    x = binomial(n, p)
    law = {k: math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}
    assert x.to_dict() == {k: q for k, q in law.items() if q}
    assert (expect(x), variance(x)) == (n * p, n * p * (1 - p))


def test_softmax():
    x = softmax([0.0, 1.0, 2.0], temperature=0.5)
    weights = np.exp([0.0, 2.0, 4.0])
    assert x.values.tolist() == [0, 1, 2]
    assert x.probs == pytest.approx(weights / weights.sum(), rel=1e-15)
    assert softmax([0, -math.inf], values=["yes", "no"]).to_dict() == {"yes": 1}
    assert softmax([1000.0, 1000.0]).probs.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    "call",
    [
        lambda: softmax([]),
        lambda: softmax([0, math.nan]),
        lambda: softmax([0, math.inf]),
        lambda: softmax([-math.inf, -math.inf]),
        lambda: softmax([0, 1], temperature=0),
        lambda: softmax([0, 1], temperature=-1),
        lambda: softmax([0, 1], temperature=math.nan),
        lambda: softmax([0, 1], values=["a"]),
        lambda: empirical([]),
        lambda: empirical([1, math.nan]),
        lambda: from_weights([1, 2], [0, 0]),
        lambda: from_weights([1, 2], [1]),
        lambda: bernoulli(1.5),
        lambda: binomial(-1, 0.5),
        lambda: binomial(3, 2),
        lambda: normal(nodes=0),
        lambda: normal(std=-1),
        lambda: normal(mean=math.inf),
        lambda: uniform(3, 3),
        lambda: from_scipy(stats.poisson(3), lost=0),
    ],
)
def test_what_is_no_law(call):
    with pytest.raises(RandvarError):
        call()


def test_weights_keep_their_kind():
    assert from_weights("ab", [1, 3]).prob("b") == 0.75
    assert from_weights("ab", [Fraction(1), Fraction(2)]).prob("b") == Fraction(2, 3)
    assert weighted_die([1, 2, 3, 4, 5, 6]).probs == pytest.approx([k / 21 for k in range(1, 7)], rel=1e-15)
    assert from_dict({"x": 0.25, "y": 0.75}).to_dict() == {"x": 0.25, "y": 0.75}


def test_empirical_counts():
    assert empirical(iter([3, 1, 3, 3])).to_dict() == {1: 0.25, 3: 0.75}
    assert empirical(np.array([1.5, 2.5])).values.tolist() == [1.5, 2.5]


def test_a_constant_goes_with_every_kind():
    assert indep(constant(2), bernoulli(0.5)).mul().to_dict() == {0: 0.5, 2: 0.5}
    assert indep(constant(2), bernoulli(Fraction(1, 2))).mul().prob(2) == Fraction(1, 2)


FINITE = [stats.binom(7, 0.3), stats.randint(2, 9), stats.hypergeom(20, 7, 12), stats.bernoulli(0.25)]


@pytest.mark.parametrize("frozen", FINITE, ids=lambda f: f.dist.name)
def test_from_scipy_with_a_finite_support(frozen):
    x = from_scipy(frozen)
    assert x.lost_mass == 0
    assert x.probs == pytest.approx(frozen.pmf(x.values), rel=1e-12)
    assert (expect(x), variance(x)) == pytest.approx(frozen.stats("mv"), rel=1e-10)
    assert same_law(x, from_scipy(x.to_scipy()))


@pytest.mark.parametrize(
    "frozen", [stats.poisson(3.5), stats.geom(0.2), stats.skellam(2, 5)], ids=lambda f: f.dist.name
)
@pytest.mark.parametrize("lost", [1e-6, 1e-12])
def test_an_infinite_support_is_cut_and_says_so(frozen, lost):
    x = from_scipy(frozen, lost)
    assert 0 < x.lost_mass <= lost
    assert "cut off" in repr(x)
    assert expect(x) == pytest.approx(frozen.mean(), abs=1e3 * lost)


def test_decimal_probabilities_of_scipy():
    """Case R04 through scipy: rounded decimals that sum to 1 are a law, and its numbers are those of the decimals."""
    values, probs = list(range(88, 100)), [0.0833] * 11 + [0.0837]
    assert expect(from_scipy(stats.rv_discrete(values=(values, probs))())) == pytest.approx(93.5022, rel=1e-12)
    assert expect(Var(values, probs).rational()) == Fraction(467511, 5000)


def test_a_continuous_law_is_refused():
    with pytest.raises(TypeError, match="discrete"):
        from_scipy(stats.norm(0, 1))


@pytest.mark.parametrize("p", [2, -0.1, math.nan])
def test_a_probability_outside_its_range(p):
    with pytest.raises(InvalidLaw, match=str(p)):
        bernoulli(p)
