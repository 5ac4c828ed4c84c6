"""A float beside a fraction inside a predicate is refused where Python and `cdf` would read it differently."""

from fractions import Fraction

import pytest

from randvar import *

tenths = monte_carlo(bernoulli(Fraction(3, 10)), 10)


@pytest.mark.parametrize(
    "predicate",
    [
        lambda v: v <= 0.3,
        lambda v: v < 0.3,
        lambda v: v == 0.3,
        lambda v: v != 0.3,
        lambda v: v >= 0.3,
        lambda v: v > 0.3,
        lambda v: min(0.3, v) == v,
        lambda v: v in (0.3, 0.4),
        lambda v: max(v, 0.3) > 0.5,
    ],
)
def test_a_fraction_beside_its_rounding_is_refused(predicate):
    with pytest.raises(
        RandvarError, match=r"3/10 with the float 0.3, which is a little less.* write Fraction\(3, 10\)"
    ):
        tenths.prob(predicate)
    with pytest.raises(RandvarError, match="compares 3/10"):
        tenths.cond(predicate)
    with pytest.raises(RandvarError, match="compares 3/10"):
        shared(tenths).prob(lambda a, b: predicate(b))


def test_what_is_clear_passes():
    assert tenths.prob(lambda v: v <= Fraction(3, 10)) == tenths.cdf(0.3) == tenths.cdf(Fraction(3, 10))
    assert tenths.prob(lambda v: v <= 0.35) == tenths.cdf(Fraction(35, 100))
    assert tenths.prob(lambda v: v <= 0.5) == tenths.cdf(Fraction(1, 2))  # 1/2 is a float
    assert tenths.prob(lambda v: 10 * v <= 3) == tenths.cdf(0.3)
    assert tenths.prob(lambda v: v > float("-inf")) == 1
    assert tenths.prob(lambda v: {v: True}.get(Fraction(1, 10), False)) == tenths.prob(Fraction(1, 10))
    assert monte_carlo(bernoulli(0.3), 10).prob(lambda v: v <= 0.3) == pytest.approx(0.6496, abs=1e-4)
    words = Var([("a", Fraction(1, 3)), ("b", Fraction(1, 7))], [Fraction(1, 2)] * 2)
    assert words.prob(lambda v: v[0] == "a") == Fraction(1, 2)


@pytest.mark.parametrize(
    "predicate",
    [
        lambda v: 2 * v <= 0.6,
        lambda v: -v >= -0.3,
        lambda v: v + 0 <= 0.3,
        lambda v: abs(v) < 0.3,
        lambda v: 1 - v >= 0.7,
    ],
)
def test_what_is_computed_of_a_fraction_is_watched_too(predicate):
    with pytest.raises(RandvarError, match="in a law of fractions write Fraction"):
        tenths.prob(predicate)


def test_a_sum_of_two_coordinates_is_watched():
    pair = iid(Var([Fraction(1, 10), Fraction(2, 10)], [Fraction(1, 2)] * 2), 2)
    with pytest.raises(RandvarError, match=r"compares 3/10 with the float 0\.3"):
        pair.prob(lambda a, b: a + b <= 0.3)
    assert pair.prob(lambda a, b: a + b <= Fraction(3, 10)) == Fraction(3, 4)
