"""What a verdict may say: each word of the table, what `.unbiased` is with it, and how words combine."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from randvar import (
    RandvarError,
    Var,
    assert_unbiased,
    binomial,
    compare,
    constant,
    continuous_uniform,
    expect,
    from_scipy,
    indep,
    law_bounds,
    mixture,
    monte_carlo,
    normal,
    report,
    sampling_distribution,
    shared,
    total,
    uniform,
)

HALF = Fraction(1, 2)
DIE = uniform(1, 7).rational()
P = sympy.Symbol("p", positive=True)


def ratio(sample):
    return Fraction(int(sample[0]), int(sample[1]))


# -- mass that was cut off ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frozen", "target"),
    [
        (stats.poisson(3), 3),
        (stats.geom(0.2), 5),
        (stats.nbinom(4, 0.3), 4 * 0.7 / 0.3),
        (stats.zipf(4.0), float(stats.zipf(4.0).mean())),
    ],
)
def test_what_the_tail_explains_is_no_bias(frozen, target):
    x = from_scipy(frozen, lost=1e-9)
    found = report(x, target)
    assert (found.unbiased, found.proof) == (True, "up to the mass cut off")
    assert "of mass that was cut off" in found.verdict
    assert_unbiased(x, target)
    assert_unbiased(from_scipy(stats.poisson(3)), 3)
    assert report(monte_carlo(x, 3), target).proof == "up to the mass cut off"
    assert report(x + 0.5, target).unbiased is False
    with pytest.raises(AssertionError, match=r"biased by 0\.(5|49999)"):
        assert_unbiased(x + 0.5, target)


def test_what_the_tail_may_explain_is_not_decided():
    x = from_scipy(stats.poisson(3), lost=1e-6)
    found = report(x, 3 + 1e-3)
    assert (found.unbiased, found.proof) == (None, "not decided")
    assert "from_scipy(..., lost=)" in found.verdict
    with pytest.raises(AssertionError, match="not decided"):
        assert_unbiased(x, 3 + 1e-3)
    assert report(from_scipy(stats.poisson(3), lost=1e-14), 3 + 1e-3).unbiased is False


# -- samples that were dropped -----------------------------------------------------------------------------------------


def test_dropped_samples_are_told_of_everywhere():
    kept = sampling_distribution(ratio, Var([0, 1, 2], [Fraction(1, 3)] * 3), 2, undefined="drop")
    assert kept.lost_mass == Fraction(1, 3)
    words = "given that it is defined (probability 2/3)"
    assert words in repr(kept)
    assert words in report(kept, 1).verdict
    assert words in repr(compare({"ratio": kept}, 1))
    with pytest.raises(AssertionError, match=r"given that it is defined \(probability 2/3\)"):
        assert_unbiased(kept, 1)


def test_dropped_samples_of_a_symbolic_law():
    kept = sampling_distribution(ratio, Var([0, 1], [1 - P, P]), 2, undefined="drop")
    assert sympy.expand(kept.lost_mass - (1 - P)) == 0
    assert report(kept, P).verdict == "unbiased (proved, given that it is defined (probability p))"


# -- quadrature --------------------------------------------------------------------------------------------------------


def test_quadrature_is_exact_to_its_degree():
    x = normal(1, 2, nodes=3)  # to degree 5
    assert report(x, 1).proof == "to rounding"
    assert report(x**2, 5).proof == report(x**5, 161).proof == "to rounding"
    assert report(x**5, 1 + 10 * 4 + 15 * 16 - 120).unbiased is not None
    assert report(x**6, 1).unbiased is None
    assert report((x**2) ** 2, 73).unbiased is not False  # degree 4
    assert report((x**2) ** 3, 1).proof == "an approximation"
    assert report(shared(x).op(lambda a: a, lambda a: a).mul(), 5).proof == "an approximation"  # a lambda tells nothing
    assert report(indep(x, x).mul(), 1).proof == "to rounding"
    assert report(total(x, 4), 4).proof == "to rounding"
    assert report(mixture([x, constant(1.0)], [0.5, 0.5]), 1).proof == "to rounding"


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x.op(math.exp),
        lambda x: x.op(np.exp),
        lambda x: abs(x),
        lambda x: x.cond(lambda v: v > 0),
        lambda x: x.vector(lambda v: (v, v * v)).combine(lambda a, b: a * b),
        lambda x: sampling_distribution(np.var, x, 2),
        lambda x: 2.0**x,
    ],
)
def test_other_functions_of_quadrature_are_approximations(made):
    law = made(normal(0, 1, nodes=6))
    found = report(law, float(expect(law)))
    assert (found.unbiased, found.proof) == (None, "an approximation")
    assert "by quadrature, an approximation" in found.verdict
    assert "by quadrature: an approximation" in repr(law)
    with pytest.raises(AssertionError, match="an approximation"):
        assert_unbiased(law, float(expect(law)))


def test_a_degree_may_be_declared():
    skill = continuous_uniform(0, 1, nodes=5)  # to degree 9
    solved = skill.op(lambda p: binomial(8, p), degree=8)
    assert solved.prob(8) == pytest.approx(1 / 9, rel=1e-14)
    assert report(solved, 4).verdict.endswith("if the function is a polynomial of degree 8, as declared)")
    assert report(skill.op(lambda p: binomial(10, p), degree=10), 5).unbiased is None
    assert report(DIE.op(lambda a: a * a, degree=2), Fraction(91, 6)).verdict == "unbiased (proved)"


def test_nodes_have_no_probabilities_of_events():
    x = normal(0, 1)
    for ask in (
        lambda: x.prob(lambda v: v > 1),
        lambda: x.prob(0),
        lambda: x.cdf(1),
        lambda: x.quantile(0.9),
        lambda: indep(x, x).prob(lambda a, b: a > b),
        lambda: (x * 2 + 1).cdf(1),
    ):
        with pytest.raises(RandvarError, match=r"scipy\.stats"):
            ask()
    nodes = Var(x.values.tolist(), x.probs.tolist())  # the way out, word for word
    assert nodes.prob(lambda v: v > 1) == pytest.approx(0.159, abs=1e-3)
    assert report(x, 0.5).wrong_sign is None


# -- symbols -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "made",
    [
        lambda: Var([0, 1], [1 - 0.5 * P, 0.5 * P]),
        lambda: Var([0.5 * P, 1], [HALF, HALF]),
        lambda: Var([0, 1], [1 - P, P]) * (0.5 * P),
        lambda: report(Var([0, 1], [1 - P, P]), 1.0 * P),
        lambda: Var([0, 1], [1 - P, P]).op(lambda a: a * P * 0.1),
        lambda: constant(P**0.5),
    ],
)
def test_floats_inside_expressions_are_refused(made):
    with pytest.raises(RandvarError, match=r"is a float inside the expression .* sympy\.nsimplify"):
        made()


def test_the_way_out_for_floats_in_expressions():
    mended = sympy.nsimplify(0.5 * P, rational=True)
    assert report(Var([0, 1], [1 - mended, mended]), P / 2).verdict == "unbiased (proved)"


@pytest.mark.parametrize("assumed", [{"integer": True}, {"negative": True}, {"even": True, "positive": True}, {}])
def test_not_zero_is_proved_where_assumptions_hold(assumed):
    """sqrt(x^2) is |x|: -x for a negative x, and what is proved of one kind of symbol need not hold for another."""
    x = sympy.Symbol("x", **assumed, **({} if "negative" in assumed or "even" in assumed else {"real": True}))
    size = sympy.sqrt(x**2)
    law = Var([0, size], [HALF, HALF])
    if size == x or assumed == {"negative": True}:
        assert report(law, x / 2).unbiased == (size == x)
    else:  # |x| - x is 0 for some real numbers, and not for others
        assert report(law, x / 2).unbiased is False


# -- floats are never proved -------------------------------------------------------------------------------------------


def test_what_floats_touched_is_not_proved():
    assert report(Var([1, 0.1, Fraction(1, 3)], [Fraction(1, 3)] * 3), Fraction(43, 90)).proof == "to rounding"
    assert report(Var([0, 1], [HALF, HALF]), 0.5).proof == "to rounding"
    assert report(Var([0, 1], [HALF, HALF]) * 0.5, Fraction(1, 4)).proof == "to rounding"


STEPS = {
    "float": lambda x: x * 0.5,
    "declared": lambda x: sampling_distribution(lambda s: s[0] + s[1], x, 2, symmetric=True),
    "dropped": lambda x: sampling_distribution(
        lambda s: s[0] if s[0] != x.values[0] else math.nan, x, 1, undefined="drop"
    ),
    "quadrature": lambda x: indep(x, normal(0, 1, nodes=3)).add(),
}
AFTER = [
    lambda x: x + 1,
    lambda x: total(x, 2),
    lambda x: monte_carlo(x, 3),
    lambda x: x.op(lambda a: a),
    lambda x: x.cond(lambda a: a != 10**6),
    lambda x: indep(x, x).add(),
    lambda x: shared(x).op(lambda a: a, lambda a: a).sub(),
    lambda x: mixture([x, x], [0.5, 0.5] if x.kind == "float" else [HALF, HALF]),
    lambda x: sampling_distribution(max, x, 2),
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(STEPS)), st.lists(st.sampled_from(AFTER), max_size=2))
def test_no_program_forgets_what_it_rests_on(step, after):
    start = Var([0, 1, 2], [0.25, 0.5, 0.25]) if step == "quadrature" else Var([0, 1, 2], [HALF, HALF / 2, HALF / 2])
    law = STEPS[step](start)
    for f in after:
        law = f(law)
    found = report(law, 1)
    assert found.verdict not in ("unbiased (proved)", f"biased by {found.bias} (proved)")
    if step == "declared":
        assert "as declared" in found.verdict
    if step == "dropped":
        assert "given that it is defined" in found.verdict


def test_bounds_widen_by_the_mass_that_was_cut():
    x = from_scipy(stats.poisson(3), lost=1e-3)
    low, high = law_bounds(x, points=[4.5]).cdf(4.5)
    assert low <= stats.poisson(3).cdf(4.5) <= high
    assert high - low == pytest.approx(x.lost_mass, rel=1e-3)
    with pytest.raises(RandvarError, match="law_bounds: the outcomes are nodes"):
        law_bounds(normal(0, 1), 5)


def test_what_laws_rest_on_that_come_late_is_not_forgotten():
    """A statistic may return laws, and samples come in chunks: here only the last sample's law was declared."""
    declared = STEPS["declared"](Var([0, 1], [HALF, HALF]))
    x = uniform(0, 70).rational()
    law = sampling_distribution(lambda s: declared if s[0] == s[1] == 69 else 0, x, 2)
    assert "as declared" in report(law, 1).verdict
    cut = from_scipy(stats.poisson(3), lost=1e-6)
    law = sampling_distribution(lambda s: cut if s[0] == s[1] == 69 else 0, uniform(0, 70), 2)
    assert law.lost_mass > 0
