"""report, compare and the assertions: their numbers, their words, and an honest bound where floats round."""

import math
import re
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_programs import Naive
from programs import Call, Package
from random_programs import random_program
from three_ways import is_sturdy

from randvar import (
    Joint,
    RandvarError,
    Var,
    assert_same_law,
    assert_unbiased,
    bernoulli,
    compare,
    constant,
    dependent,
    expect,
    iid,
    indep,
    k1,
    k2,
    k3,
    kl,
    monte_carlo,
    report,
    same_law,
    sampling_distribution,
    shared,
    total,
    uniform,
    variance,
)

HALF = Fraction(1, 2)
die = uniform(1, 7)
NAUGHTY = "<img src=x onerror=alert(1)>"


# -- numbers and words -------------------------------------------------------------------------------------------------


def test_a_refutation_in_fractions():
    found = report(sampling_distribution(max, die.rational(), 2), target=6)
    exact = oracle.law_of_draws(max, oracle.uniform(range(1, 7)), 2)
    assert found.mean == oracle.mean(exact) == Fraction(161, 36)
    assert found.bias == Fraction(-55, 36)
    assert found.variance == oracle.variance(exact) == Fraction(2555, 1296)
    assert found.mse == oracle.mean(exact, lambda v: (v - 6) ** 2) == Fraction(155, 36)
    assert (found.unbiased, found.proof, found.rounding, found.wrong_sign) == (False, "proved", 0, 0)
    assert found.verdict == "biased by -55/36 (proved)"
    assert repr(found).splitlines()[0].split(maxsplit=1) == ["verdict", "biased by -55/36 (proved)"]


def test_a_confirmation_in_floats_says_how_sure_it_is():
    found = report(sampling_distribution(lambda v: np.var(v, ddof=1), die, 3), target=variance(die))
    assert found.unbiased
    assert found.proof == "to rounding"
    assert 0 < found.rounding < 1e-13
    assert re.fullmatch(r"unbiased \(to rounding, \d+e-1\d\)", found.verdict)
    assert dict(found.rows())["bias"] == "0"
    assert found.mse == pytest.approx(found.variance, rel=1e-13)


def test_a_refutation_in_floats():
    found = report(sampling_distribution(np.var, die, 3), target=variance(die))
    assert not found.unbiased
    assert found.bias == pytest.approx(-35 / 36, rel=1e-13)
    assert re.fullmatch(r"biased by -0\.972222 \(to rounding, \d+e-1\d\)", found.verdict)


def test_the_probability_of_the_wrong_sign():
    """Of the sign of the target; none is named where the target is 0, or where the law cannot be listed."""
    law = Var([-2, 0, 3], [Fraction(1, 4), Fraction(1, 4), HALF])
    assert report(law, target=1).wrong_sign == Fraction(1, 4)
    assert report(law, target=-1).wrong_sign == HALF
    assert report(law, target=0).wrong_sign is None
    assert "P(wrong sign)" not in repr(report(law, target=0))
    too_large = monte_carlo(Var(np.sqrt(np.arange(2, 52)), np.full(50, 0.02)), 1000)
    found = report(too_large, expect(too_large))
    assert found.unbiased
    assert found.wrong_sign is None


def test_targets_that_are_none_are_refused():
    for target, error in (("six", TypeError), (None, TypeError), (math.nan, RandvarError), (math.inf, RandvarError)):
        with pytest.raises(error, match="target must be"):
            report(die, target)
    with pytest.raises(TypeError, match="estimator must be a Var"):
        report(shared(die), 1)
    with pytest.raises(TypeError, match="needs numbers"):
        report(Var(["a", "b"], [0.5, 0.5]), 1)


def test_compare_side_by_side():
    p, q = Var([0, 1, 2], [0.5, 0.25, 0.25]), Var([0, 1, 2], [0.25, 0.25, 0.5])
    verdicts = compare({"k1": k1(p, q), "k2": k2(p, q), "k3": k3(p, q)}, target=kl(p, q), steps=5)
    header, *rows = verdicts.table()
    assert header == ["estimator", "verdict", "bias", "variance", "mean squared error"]
    assert [row[0] for row in rows] == ["k1", "k2", "k3"]
    assert [r.unbiased for r in verdicts.reports.values()] == [True, False, True]
    for name, law in (("k1", k1(p, q)), ("k2", k2(p, q)), ("k3", k3(p, q))):
        assert verdicts[name].variance == pytest.approx(variance(law) / 5, rel=1e-13)
        assert verdicts[name].mean == pytest.approx(expect(law), rel=1e-13)
    assert len(repr(verdicts).splitlines()) == 4
    with pytest.raises(TypeError, match="mapping of names"):
        compare([k1(p, q)], target=1)


def test_names_cannot_break_out_of_the_page():
    x = bernoulli(HALF)
    page = compare({NAUGHTY: x, "<b>": x * 2}, target=HALF)._repr_html_()
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<b>" not in page
    assert "<script" not in report(x, HALF)._repr_html_()
    assert "unbiased (proved)" in report(x, HALF)._repr_html_()


def test_assertions_say_what_is_wrong():
    assert_unbiased(bernoulli(HALF), target=HALF)
    with pytest.raises(AssertionError, match=r"biased by 1/4 \(proved\): its mean is 1/2, the target 1/4"):
        assert_unbiased(bernoulli(HALF), target=Fraction(1, 4))
    assert_same_law(indep(die, die).add(), total(die, 2))
    loaded = Var(range(1, 7), [1 / 4, 1 / 4, 1 / 8, 1 / 8, 1 / 8, 1 / 8])
    with pytest.raises(AssertionError, match=r"6 and 6 outcomes\), most at [12]: probability 0.166667 and 0.25"):
        assert_same_law(die, loaded)
    with pytest.raises(AssertionError, match=r"2 and 1 outcomes\), most at 0: probability 1/2 and 0"):
        assert_same_law(bernoulli(HALF), constant(1))


# -- is the bound honest? ----------------------------------------------------------------------------------------------

seeds = st.integers(0, 10**6)


def float_and_exact(seed):
    """A random program as a float law and as the dictionary that it is.

    None for a Joint, and where rounded outcomes are fed to a function that may cancel: what that leaves of a number is
    all that a law can know of it.
    """
    program = random_program(seed)
    laws = {part: part.run(Naive()) for part in program.walk()}
    if isinstance(next(iter(laws[program])), tuple) or not is_sturdy(program, laws):
        return None, None
    return program.run(Package(exact=False)), laws[program]


@given(seeds)
def test_an_unbiased_float_estimator_is_never_called_biased(seed):
    estimator, exact = float_and_exact(seed)
    if estimator is not None:
        found = report(estimator, float(oracle.mean(exact)))
        assert found.unbiased, (found.bias, found.rounding)


@given(seeds, st.integers(0, 8), st.sampled_from([-1, 1]))
def test_a_biased_float_estimator_is_never_called_unbiased(seed, digits, sign):
    """Off by 10^-9 of its size or more; and the bias reported is the true one to within the bound."""
    estimator, exact = float_and_exact(seed)
    if estimator is None:
        return
    mean = oracle.mean(exact)
    size = math.sqrt(mean**2 + oracle.variance(exact)) or 1.0
    target = float(mean) + sign * size / 10**digits
    found = report(estimator, target)
    assert not found.unbiased, (found.bias, found.rounding)
    assert abs(found.bias - float(mean - Fraction(target))) <= found.rounding


def test_a_bias_of_a_few_roundings_is_not_a_bias():
    """Ten times 0.1 is 1, whatever floats say; a thousand times too."""
    tenth = Var([0.1, 0.3], [0.5, 0.5]) * 1
    assert report(total(tenth, 1000), 200).unbiased
    assert not report(total(tenth, 1000), 200 + 1e-9).unbiased


def test_a_difference_rounds_as_what_it_is_the_difference_of():
    """Two groups near 1 whose difference is near 0: the bound is that of 1."""
    near_one = Var([1 - 0.1, 1 + 0.1, 1.3], [0.3, 0.3, 0.4])
    found = report(indep(monte_carlo(near_one, 3), monte_carlo(near_one * 1, 7)).sub(), 0)
    assert found.unbiased
    assert found.rounding > 1e-15


# -- a user's own estimator --------------------------------------------------------------------------------------------


def own_estimator(sample):
    """Plain numpy: the mean without the largest and the smallest value."""
    return np.sort(sample)[1:-1].mean()


def test_an_estimator_in_plain_numpy_gets_its_verdict():
    """Unbiased where the law is symmetric, and not where it is not."""
    symmetric = sampling_distribution(own_estimator, die, 4)
    exact = oracle.law_of_draws(lambda v: Fraction(sum(sorted(v)[1:-1]), 2), oracle.uniform(range(1, 7)), 4)
    assert symmetric.to_dict() == pytest.approx({float(v): float(w) for v, w in exact.items()}, rel=1e-12)
    assert report(symmetric, 3.5).unbiased
    squares = die.op(np.square)
    assert not report(sampling_distribution(own_estimator, squares, 4), expect(squares)).unbiased


def test_a_ratio_estimator_on_rows():
    """sum(y) / sum(x) of an (n, 2) array: consistent, and biased for E[y] / E[x]."""
    rows = dependent(uniform(1, 4), lambda a: Var([0.0, float(a * a)], [0.5, 0.5]))
    ratio = sampling_distribution(lambda sample: sample[:, 1].sum() / sample[:, 0].sum(), rows, 3)
    first, second = expect(rows)
    found = report(ratio, second / first)
    assert not found.unbiased
    assert abs(found.bias) < abs(
        report(sampling_distribution(lambda s: s[:, 1].sum() / s[:, 0].sum(), rows, 1), second / first).bias
    )


def test_an_estimator_in_torch_gets_its_verdict():
    torch = pytest.importorskip("torch")
    unbiased = sampling_distribution(lambda v: torch.tensor(v, dtype=torch.float64).var(), die, 3)
    assert_unbiased(unbiased, variance(die))
    plug_in = sampling_distribution(lambda v: torch.tensor(v, dtype=torch.float64).var(unbiased=False), die, 3)
    assert report(plug_in, variance(die)).bias == pytest.approx(-35 / 36, rel=1e-12)


# -- the same law ------------------------------------------------------------------------------------------------------


def test_joint_laws_are_compared_within_rounding_too():
    """0.1 + 0.2 and 0.3 are one coordinate, in a Joint as in a Var."""
    added = shared(Var([0.2, 0.5], [0.5, 0.5])).op(lambda a: a + 0.1, lambda a: a)
    given = Joint([0.3, 0.6], [0.2, 0.5], [[0.5, 0], [0, 0.5]])
    assert same_law(added, given)
    assert same_law(given, added)
    assert_same_law(added, given)
    assert not same_law(added, given.transpose())
    assert not same_law(shared(die), iid(die, 2))
    with pytest.raises(
        AssertionError, match=r"6 and 36 outcomes\), most at \(1, 1\): probability 0.166667 and 0.0277778"
    ):
        assert_same_law(shared(die), iid(die, 2))
    assert not same_law(iid(die, 2), iid(die, 3))
    with pytest.raises(TypeError, match="as many coordinates"):
        assert_same_law(iid(die, 2), iid(die, 3))
    with pytest.raises(TypeError, match="two Vars or two Joints"):
        same_law(die, iid(die, 2))


def test_laws_of_different_kinds_are_compared_in_floats():
    assert same_law(die / 3, die.rational() / 3)
    assert same_law(die.rational() / 3, die / 3)
    assert not same_law(Var([0, 1], [0.5 + 1e-9, 0.5 - 1e-9]), bernoulli(HALF))
    assert same_law(Call("total", Call("integers", 1, 4), 3).run(Package(exact=True)), total(uniform(1, 4), 3))


@given(seeds)
def test_the_float_law_is_the_rational_one_where_no_rounding_is_fed_back(seed):
    law = Call("monte_carlo", Call("law", (1, Fraction(1, 10), Fraction(1, 3)), (1 + seed % 7, 2, 3)), 1 + seed % 5)
    assert_same_law(law.run(Package(exact=False)), law.run(Package(exact=True)))
