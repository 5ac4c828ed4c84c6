"""Rational laws through the whole language: what goes in as fractions comes out as fractions, and equals by `==`."""

import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_laws import laws

from randvar import (
    Joint,
    RandvarError,
    Var,
    antithetic,
    bernoulli,
    best_coefficient,
    binomial,
    constant,
    control_variate,
    correlation,
    cov_matrix,
    covar,
    dependent,
    expect,
    from_dict,
    from_weights,
    group_gradient,
    importance,
    indep,
    kurtosis,
    leave_one_out,
    leave_one_out_gradient,
    moment,
    monte_carlo,
    pass_at_k,
    product_of_draws,
    rao_blackwell,
    reinforce,
    report,
    same_law,
    sampling_distribution,
    shared,
    skewness,
    stratified,
    topk,
    total,
    total_variation,
    uniform,
    variance,
    without_replacement,
)
from randvar.estimators import truncated
from randvar.examples.sampling_to_reinforce import (
    ab_sampling,
    ab_test,
    linear_control,
    monte_carlo_with_control,
    quadratic_control,
)

THIRD, HALF = Fraction(1, 3), Fraction(1, 2)
die = uniform(1, 7).rational()


def exact(law):
    """An exact law of the oracle, for the package."""
    return from_dict(law)


def is_exact(number):
    return isinstance(number, Fraction)


# -- laws --------------------------------------------------------------------------------------------------------------


def dice_ways(n):
    """How many of the 6^n rolls have each sum, n..6n, by one running sum a die."""
    ways = [1]
    for _ in range(n):
        running, sums = 0, []
        for k in range(len(ways) + 5):
            running += (ways[k] if k < len(ways) else 0) - (ways[k - 6] if k >= 6 else 0)
            sums.append(running)
        ways = sums
    return ways


def test_the_law_of_a_thousand_exact_dice():
    law = total(die, 1000)
    assert law.values.tolist() == list(range(1000, 6001))
    assert law.probs.tolist() == [Fraction(ways, 6**1000) for ways in dice_ways(1000)]


def test_a_sum_of_two_groups_with_unlike_denominators():
    """Denominators 7 and 12 have no prime in common, and each probability is in lowest terms all the same."""
    first, second = oracle.law([0, 1, 3], [2, 4, 1]), oracle.law([0, 2], [5, 7])
    got = indep(total(exact(first), 9), total(exact(second), 8)).add()
    assert got.to_dict() == oracle.law_of(lambda a, b: a + b, oracle.total(first, 9), oracle.total(second, 8))
    assert all(math.gcd(p.numerator, p.denominator) == 1 for p in got.probs)


@given(laws, st.integers(0, 5))
def test_masses_are_in_lowest_terms(law, n):
    got = total(exact(law), n)
    assert got.to_dict() == (oracle.total(law, n) if n else {0: 1})
    assert all(is_exact(p) and math.gcd(p.numerator, p.denominator) == 1 for p in got.probs)


def test_probabilities_with_long_denominators():
    """A float has a denominator of up to 2^53, so that no word holds its square."""
    p = Fraction(0.3)
    law = binomial(40, p)
    assert law.probs.tolist() == [math.comb(40, k) * p**k * (1 - p) ** (40 - k) for k in range(41)]


def test_whole_values_stay_whole_and_floats_stay_floats():
    for law in (
        die,
        total(die, 3),
        total(die, 0),
        2 * die,
        3 - total(die, 2),
        indep(die, die).sub(),
        shared(die).add(),
    ):
        assert law.values.dtype.kind == "i"
        assert all(map(is_exact, law.probs))
    tenths = Var([0.1, 0.2, 0.3], [HALF, THIRD, Fraction(1, 6)])
    assert tenths.values.tolist() == [0.1, 0.2, 0.3]
    assert total(tenths, 2).values.tolist() == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6], rel=1e-15)
    assert total(tenths, 2).prob(0.4) == Fraction(1, 4) * 0 + THIRD**2 + 2 * HALF * Fraction(1, 6)
    assert isinstance(expect(tenths), float)


def test_a_float_factor_makes_floats_of_the_outcomes_at_once_and_lazily():
    """Not the fraction 3602879701896397/36028797018963968 that the float 0.1 is: that would prove nothing of 1/10."""
    for law in (die * 0.1, monte_carlo(die, 1) * 0.1, stratified([die, die], [0.5, 0.5], [1, 1])):
        assert law.values.dtype.kind == "f"
        assert all(map(is_exact, law.probs))
        assert isinstance(expect(law), float)
    assert (monte_carlo(die, 1) * 0.1).values.tolist() == (die * 0.1).values.tolist()


def test_rational_gives_the_simplest_fractions_or_refuses():
    assert Var([0.1, 0.25], [0.3, 0.7]).rational().to_dict() == {
        Fraction(1, 10): Fraction(3, 10),
        Fraction(1, 4): Fraction(7, 10),
    }
    assert die.rational() is die
    with pytest.raises(RandvarError, match="not within an ulp"):
        Var([math.sqrt(2), 1], [0.5, 0.5]).rational()
    with pytest.raises(RandvarError, match="not within an ulp"):
        Var([0, 1], [1 / math.pi, 1 - 1 / math.pi]).rational()
    with pytest.raises(RandvarError, match="not finite"):
        Var([0, math.inf], [0.5, 0.5]).rational()


# -- kinds -------------------------------------------------------------------------------------------------------------

floats = bernoulli(0.25)


@pytest.mark.parametrize(
    "combined",
    [
        lambda: indep(die, floats).add(),
        lambda: indep(floats, die).sub(),
        lambda: expect(indep(die, floats).add()),
        lambda: indep(die, floats).mul(),
        lambda: indep(die, floats).outcomes,
        lambda: indep(total(die, 2), monte_carlo(floats, 3)).add(),
        lambda: die.op(lambda a: floats if a > 3 else 0),
        lambda: floats.op(lambda a: die),
        lambda: dependent(die, lambda a: floats),
        lambda: shared(die).op(lambda a: floats, lambda a: a),
        lambda: stratified([die, floats], [HALF, HALF], [1, 1]),
        lambda: Var([0, 1], [Fraction(1, 4), 0.75]),
    ],
    ids=range(12),
)
def test_floats_and_fractions_do_not_mix(combined):
    with pytest.raises(RandvarError, match=r"cannot be (combined|mixed).*quietly stop being exact"):
        combined()


def test_a_constant_goes_with_every_kind():
    for law in (die, uniform(1, 7)):
        for both in (indep(law, constant(2)), indep(constant(2), law)):
            assert both.add().kind == both.mul().kind == both.kind == law.kind
            assert both.add().values.tolist() == [3, 4, 5, 6, 7, 8]
        assert law.op(lambda a: law if a > 3 else constant(0)).kind == law.kind  # noqa: B023
        assert stratified([constant(2), law], [HALF, HALF], [1, 1]).kind == law.kind
        assert indep(total(constant(1), 3), law).add().values.tolist() == [4, 5, 6, 7, 8, 9]


# -- numbers and estimators --------------------------------------------------------------------------------------------


@given(laws.filter(lambda law: len(law) > 1), st.integers(-3, 3))
def test_every_number_about_a_law_is_a_fraction(law, c):
    x = exact(law)
    pair = shared(x).op(lambda a: a, lambda a: (a - c) ** 2)
    numbers = [
        *(expect(x), variance(x), moment(x, 3), kurtosis(x), covar(pair), x.prob(max(law)), x.cdf(c)),
        *(
            x.prob(lambda a: a > c),
            total_variation(x, x + 1),
            *expect(pair),
            *variance(pair),
            *cov_matrix(pair).ravel(),
        ),
    ]
    assert all(map(is_exact, numbers)), [type(n) for n in numbers]
    assert expect(x) == oracle.mean(law)
    assert kurtosis(x) == oracle.central_moment(law, 4) / oracle.variance(law) ** 2 - 3
    assert isinstance(skewness(x), float)  # a root of fractions
    assert isinstance(correlation(pair.cond(lambda a, b: True)) if min(variance(pair)) else 0.0, float)


fractions = st.fractions(-2, 2, max_denominator=6)


@settings(max_examples=15)
@given(laws, laws, fractions, st.integers(2, 3))
def test_unbiased_estimators_are_proved(law, other, b, n):
    """The mean of each equals its target by `==`, and report says that this is a proof."""
    x, y = exact(law), exact(other)
    mean, square = oracle.mean(law), oracle.mean(law, lambda a: a * a)
    share = Fraction(2, 7)
    mixed = share * mean + (1 - share) * oracle.mean(other)
    pair = oracle.law_of(lambda a: (a * a, a), law)
    centred = shared(x).op(lambda a: a * a, lambda a: a - mean)
    proposal = exact(dict.fromkeys(law, Fraction(1, len(law))))
    claims = [
        (monte_carlo(x, n), mean),
        (sampling_distribution(lambda v: sum(v) / Fraction(n), x, n), mean),
        (stratified([x, y], [share, 1 - share], [n, 2]), mixed),
        (control_variate(x, lambda a: a * a, lambda a: a, mean, b).sub(), square),
        (monte_carlo_with_control(linear_control(x, lambda a: a * a, b), n), square),
        (quadratic_control(x, lambda a: a, b, 1).sub(), mean),
        (ab_sampling(x, lambda a: a * a, lambda a: a, n), square - mean),
        (ab_test(x, lambda a: a * a, lambda a: a, lambda a: a, b, n), square - mean),
        (topk(x, lambda a: a * a, 1), square),
        (topk(x, lambda a: a * a, 1, masked=True), square),
        (leave_one_out(x, n), mean),
        (leave_one_out_gradient(shared(x).op(lambda a: a * a, lambda a: a), n), oracle.covariance(pair)),
        (reinforce(centred, n, baseline=b), oracle.covariance(pair)),
        (group_gradient(centred, n, baseline="mean"), oracle.covariance(pair) * Fraction(n - 1, n)),
        (importance(x, proposal, lambda a: a * a), square),
        (antithetic(x, lambda a: a * a, 2), square),
        (rao_blackwell(indep(x, y), lambda a, c: a * c), mean * oracle.mean(other)),
    ]
    for estimator, target in claims:
        found = report(estimator, target)
        assert found.unbiased
        assert found.proof == "proved"
        assert found.bias == 0
        assert is_exact(found.variance)
        assert found.mse == found.variance
        assert all(map(is_exact, estimator.probs))


def test_estimators_of_fractions_are_fractions():
    """Biased ones, and those of a sample without replacement: against enumeration, by `==`."""
    assert expect(without_replacement([1, 2, 4], 2, exact=True)) == Fraction(7, 3)
    assert variance(without_replacement([1, 2, 4], 2, exact=True)) == Fraction(7, 18)
    assert expect(pass_at_k(bernoulli(Fraction(3, 10)), 5, 3)) == 1 - Fraction(7, 10) ** 3
    assert expect(product_of_draws(die, 5)) == Fraction(7, 2) ** 5
    p, q = Var([1, 2], [HALF, HALF]), Var([1, 2], [Fraction(3, 4), Fraction(1, 4)])
    assert report(truncated(p, q, lambda a: a, cap=1), Fraction(3, 2)).bias == HALF + HALF - Fraction(3, 2)
    assert best_coefficient(control_variate(die, lambda a: a * a, lambda a: a, Fraction(7, 2))) == 7


@given(laws, laws)
def test_the_law_of_total_variance_is_an_equation(law, other):
    j = dependent(exact(law), lambda a: exact(other) if a > 0 else a)
    inner = rao_blackwell(j, lambda a, b: (a + b) ** 2)
    spread = j.op(lambda a: a, lambda b: b).combine(lambda a, b: (a + b) ** 2)
    conditional = {a: j.cond(lambda u, v, a=a: u == a).combine(lambda u, v: (u + v) ** 2) for a in law}
    within = sum(p * variance(conditional[a]) for a, p in law.items())
    assert expect(inner) == expect(spread)
    assert variance(spread) == variance(inner) + within


def test_infinite_outcomes_of_an_exact_law():
    """An infinite mean is one, an undefined one is refused, and so is a variance."""
    assert expect(Var([math.inf, Fraction(1, 2)], [HALF, HALF])) == math.inf
    assert expect(Var([math.inf, 1.5], [HALF, HALF])) == math.inf
    with pytest.raises(RandvarError, match="both inf and -inf"):
        expect(Var([math.inf, -math.inf], [HALF, HALF]))
    with pytest.raises(RandvarError, match="infinite"):
        variance(Var([math.inf, Fraction(1, 2)], [HALF, HALF]))


def test_same_law_of_exact_laws_is_exact():
    assert same_law(indep(die, die).add(), total(die, 2))
    nudged = Var([0, 1], [HALF + Fraction(1, 10**30), HALF - Fraction(1, 10**30)])
    assert not same_law(nudged, bernoulli(HALF))
    assert same_law(nudged.to_float(), bernoulli(0.5))
    j = Joint([0, 1], [0, 1], np.array([[HALF, 0], [0, HALF]], dtype=object))
    assert same_law(j, shared(bernoulli(HALF)))


def test_floats_among_the_outcomes_of_an_exact_law_become_fractions():
    """After rational() every mean is a Fraction, whichever of the numbers was the float."""
    half = Fraction(1, 2)
    x = Var([0.5, 0.3], [half, half])
    assert expect(x.rational()) == Fraction(2, 5)
    assert isinstance(expect(x.rational()), Fraction)
    assert shared(x).rational().columns[0].tolist() == [Fraction(3, 10), half]
    mixed = Var([0.5, Fraction(1, 3)], [half, half])
    assert expect(mixed.rational()) == Fraction(5, 12)
    with pytest.raises(RandvarError, match="ulp"):
        Var([2**0.5, 1], [half, half]).rational()


def test_ints_beside_fractions_are_exact_weights():
    x = from_weights(["a", "b", "c"], [1, Fraction(1, 2), np.int64(0)])
    assert x.to_dict() == {"a": Fraction(2, 3), "b": Fraction(1, 3)}
    assert from_weights(["a", "b"], [1, 3]).kind == "float"
    with pytest.raises(RandvarError, match="cannot be mixed"):
        from_weights(["a", "b", "c"], [1, Fraction(1, 2), 0.5])
