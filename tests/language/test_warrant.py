"""What a law leaves out goes with every law that is made of it: rounding, mass that was cut off, what underflowed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from randvar import (
    Joint,
    RandvarError,
    Var,
    bernoulli,
    best_of_n,
    binomial,
    dependent,
    entropy,
    expect,
    from_scipy,
    group_gradient,
    iid,
    indep,
    kl,
    leave_one_out_gradient,
    majority_vote,
    mixture,
    monte_carlo,
    product_of_draws,
    rollout,
    same_law,
    sampling_distribution,
    shared,
    stochastic_rounding,
    total,
    uniform,
    without_replacement,
)
from randvar.estimators import optimal_proposal
from randvar.numbers.kinds import FLOATS
from randvar.warrant import Warrant

LOST = 1e-6
FEW_ROUNDINGS = 32 * 2.0**-52  # of products of probabilities, and of sums of a few of them


@pytest.fixture(scope="module")
def cut() -> Var:
    """A law that was not given all its mass."""
    return from_scipy(stats.poisson(3.0), lost=LOST)


@pytest.fixture(scope="module")
def rough() -> Var:
    """A law whose probabilities are not right to rounding."""
    x = total(Var([0, 1], [0.3, 0.7]), 5000)
    assert x.accuracy is not None
    return x


@pytest.fixture(scope="module")
def unknown() -> Var:
    """A law whose valleys nobody knows, as the engine leaves them between far clusters (`sums/test_lattice`)."""
    return Var.of(Var(range(5), [0.2] * 5).law.warranted(Warrant(accuracy=math.inf)))


SAME = {
    "op": lambda x: x.op(lambda a: a * a),
    "a ufunc": lambda x: x.op(np.square),
    "x + 1": lambda x: x + 1,
    "x / 3": lambda x: x / 3,
    "x ** 2": lambda x: x**2,
    "vector": lambda x: x.vector(lambda a: (a, 1)),
    "shared": shared,
    "marginal": lambda x: shared(x).marginal(1),
    "select": lambda x: shared(x, 3).select(0, 2),
    "Joint.op": lambda x: shared(x).op(abs, lambda a: a + 1),
    "combine": lambda x: shared(x).combine(max),
    "add": lambda x: shared(x).add(),
    "mul": lambda x: shared(x).mul(),
    "indep": lambda x: indep(x, uniform(0, 3)),
    "indep of Joints": lambda x: indep(shared(x), uniform(0, 3)),
    "dependent": lambda x: dependent(x, lambda a: uniform(a, a + 2)),
    "stochastic_rounding": lambda x: stochastic_rounding(x, 2),
    "a mean of one": lambda x: monte_carlo(x, 1),
    "a mean of vectors": lambda x: monte_carlo(shared(x), 1),
}


@pytest.mark.parametrize("made", SAME.values(), ids=SAME.keys())
def test_a_function_of_outcomes_keeps_what_is_said_of_the_law(made, cut, rough):
    assert 0 < cut.lost_mass == made(cut).lost_mass < LOST
    assert rough.accuracy <= made(rough).accuracy <= rough.accuracy + FEW_ROUNDINGS
    assert made(uniform(0, 3)).lost_mass == 0
    assert (made(uniform(0, 3)).accuracy or 0) < 1e-15


def test_the_unknown_is_not_forgotten(unknown):
    for law in (unknown.op(lambda a: -a), unknown.cond(lambda a: a > 3), shared(unknown)[0], mixture([unknown], [1.0])):
        assert law.accuracy == math.inf
        assert "tails of unknown accuracy" in repr(law)
    assert "tails of unknown accuracy" in repr(shared(unknown))


def test_other_forms_of_a_law(cut):
    half = Fraction(1, 2)
    exact = Var([0, 1], [half, half])
    assert exact.to_float().lost_mass == 0
    short = Var.of(from_scipy(stats.bernoulli(0.5)).law.warranted(cut.law.warrant))
    assert short.rational().lost_mass == short.rational().to_float().lost_mass == cut.lost_mass
    assert shared(short).rational().lost_mass == cut.lost_mass


def test_independent_draws(cut, rough):
    """Nothing was lost when nothing was lost in any of them."""
    kept = 1 - Fraction(cut.lost_mass)
    for law, n in [(total(cut, 7), 7), (monte_carlo(cut, 7), 7), (iid(cut, 3), 3), (total(shared(cut), 4), 4)]:
        assert law.lost_mass == pytest.approx(float(1 - kept**n), rel=1e-12)
        assert len(law)
        assert law.lost_mass == pytest.approx(float(1 - kept**n), rel=1e-12)
    assert best_of_n(cut, 5).lost_mass == pytest.approx(float(1 - kept**5), rel=1e-12)
    assert indep(rough, rough).select(1).accuracy == rough.accuracy
    assert rough.accuracy <= indep(rough, Var([0], [1.0])).accuracy <= rough.accuracy + FEW_ROUNDINGS
    assert (rough + 0.5).accuracy == rough.accuracy
    assert monte_carlo(rough.op(float), 2).accuracy >= 2 * rough.accuracy


def test_a_mixture_weighs_what_its_parts_lost(cut):
    law = mixture([cut, uniform(0, 3)], [0.25, 0.75])
    assert law.lost_mass == pytest.approx(0.25 * cut.lost_mass)
    drawn = dependent(Var([0, 1], [0.25, 0.75]), lambda a: uniform(0, 3) if a else cut)
    assert drawn.lost_mass == pytest.approx(0.25 * cut.lost_mass)
    in_a_row = shared(Var([0, 1], [0.25, 0.75])).op(lambda a: uniform(0, 3) if a else cut, lambda a: a)
    assert in_a_row.lost_mass == pytest.approx(0.25 * cut.lost_mass)


def test_a_condition_may_lie_where_the_mass_was_lost(cut):
    """The bound is met where all that was cut off belongs to the event."""
    whole = from_scipy(stats.poisson(3.0), lost=1e-15)
    tail = cut.cond(lambda a: a >= 8)
    true = whole.prob(lambda a: a > cut.values[-1]) / whole.prob(lambda a: a >= 8)
    assert true <= tail.lost_mass < 3 * true
    assert shared(cut).cond(lambda a, b: a >= 8).lost_mass == tail.lost_mass


def test_accuracy_of_a_condition(rough):
    given = rough.cond(lambda a: a > 3400)
    assert 2 * rough.accuracy <= given.accuracy <= 2 * rough.accuracy + FEW_ROUNDINGS


def test_what_was_lost_is_said(cut):
    assert "cut off" in repr(cut + 1)
    assert "cut off" in repr(shared(cut))


# Probabilities below the smallest float


def hypergeometric(k: int, N: int, n: int) -> Fraction:
    return Fraction(math.comb(N // 2, k) * math.comb(N // 2, n - k), math.comb(N, n))


def test_no_outcome_has_probability_0():
    x = without_replacement([0] * 600 + [1] * 600, 600)
    assert (x.probs > 0).all()
    assert math.isfinite(entropy(x))
    assert kl(x, x) == 0
    low = x.cond(lambda a: a < 0.2)
    assert (low.probs > 0).all()
    assert expect(low) < 0.2


def test_the_log_probability_of_a_rare_sample():
    x = without_replacement([0] * 600 + [1] * 600, 600)
    for k in (0, 3, 300, 599):
        p = hypergeometric(k, 1200, 600)
        true = math.log(p.numerator) - math.log(p.denominator)
        assert x.log_prob(k / 600) == pytest.approx(true, rel=1e-12)
        assert (2 * x + 1).log_prob(2 * k / 600 + 1) == pytest.approx(true, rel=1e-12)
    assert x.log_prob(0.1 / 600) == -math.inf


def test_kl_where_a_probability_underflows():
    x = without_replacement([0] * 600 + [1] * 600, 600)
    assert kl(Var([0.0], [1.0]), x) == pytest.approx(math.log(math.comb(1200, 600)), rel=1e-12)


def test_a_statistic_of_rare_samples_is_refused_where_it_cannot_be_told():
    x = without_replacement([0] * 700 + [1] * 700, 700, sum)
    assert (x.probs > 0).all()
    assert x.log_prob(350) == pytest.approx(math.log(x.prob(350)))
    with pytest.raises(RandvarError, match="cannot be told"):
        x.log_prob(0)
    exact = without_replacement([0] * 700 + [1] * 700, 700, sum, exact=True)
    assert exact.log_prob(0) == pytest.approx(-math.log(math.comb(1400, 700)))


@pytest.mark.parametrize("zero", [0.0, 0.25])
def test_the_log_probability_of_a_rare_product(zero):
    """Twice as likely down as up, and perhaps 0: P(product = r^(2k - n)) is binomial."""
    n, r = 1200, 1.1
    up, down = (1 - zero) / 3, 2 * (1 - zero) / 3
    x = product_of_draws(Var([0.0, 1 / r, r], [zero, down, up]), n)
    assert (x.probs > 0).all()
    for k in (n, n - 1, n - 7):
        true = math.log(math.comb(n, k)) + k * math.log(up) + (n - k) * math.log(down)
        assert true < -745
        assert x.log_prob(math.exp((2 * k - n) * math.log(r))) == pytest.approx(true, rel=1e-9)
    near = n // 2 + 100
    true = math.log(math.comb(n, near)) + near * math.log(up) + (n - near) * math.log(down)
    assert x.log_prob(r**200) == pytest.approx(true, rel=1e-6)
    assert x.log_prob(-1.0) == -math.inf
    assert x.log_prob(1.05) == -math.inf


def test_few_rare_factors():
    x = product_of_draws(Var([1, 2, 3], [1e-200, 1e-200, 1]), 2)
    assert x.values.tolist() == [3, 6, 9]
    with pytest.raises(RandvarError, match="cannot be told"):
        x.log_prob(4)
    assert product_of_draws(Var([2.0, 4.0], [1e-200, 1.0]), 2).log_prob(4.0) == pytest.approx(2 * math.log(1e-200))
    assert (product_of_draws(Var([2.0, 4.0], [1e-200, 1.0]), 2) * 0).log_prob(4.0) == -math.inf


def test_rare_groups_are_refused():
    pair = Joint([0, 1, 2], [-1, 0, 1], np.diag([1e-200, 1.0, 1e-200]))
    law = leave_one_out_gradient(pair, 2)
    assert (law.probs > 0).all()
    with pytest.raises(RandvarError, match="cannot be told"):
        law.log_prob(2.0)
    likely = leave_one_out_gradient(Joint([0, 1], [-0.5, 0.5], [[0.5, 0], [0, 0.5]]), 2)
    assert likely.log_prob(7.0) == -math.inf


def test_what_underflowed_is_remembered():
    rare = Var([0, 1], [1e-200, 1])
    both = indep(rare, rare)
    assert len(both) == 3
    for law in (both.combine(lambda a, b: (a, b)), both.mul().op(str), total(rare, 2).op(lambda a: a + 1)):
        with pytest.raises(RandvarError, match="cannot be told"):
            law.log_prob("no outcome" if law.kind != "float" else 17)
    assert total(rare, 2).log_prob(0) == pytest.approx(2 * math.log(1e-200))
    assert Var([0, 1], [0.0, 1.0]).log_prob(0) == -math.inf


def test_a_sum_of_vectors_remembers_what_underflowed():
    rare = Var([0, 1], [0.999, 0.001])
    for law in (total(shared(rare), 400)[0], total(shared(rare, 2), 400)[1], total(total(rare, 400).op(float), 2)):
        with pytest.raises(RandvarError, match="cannot be told"):
            law.log_prob(300)
    alone = total(rare, 400).log_prob(300)
    assert alone == pytest.approx(math.log(math.comb(400, 300)) + 300 * math.log(0.001) + 100 * math.log(0.999))
    pair = shared(Var([0, 1, 3], [1e-30, 0.5, 0.5 - 1e-30]), 3).op(lambda a: a, lambda a: a, lambda a: a**2)
    with pytest.raises(RandvarError, match="cannot be told"):
        group_gradient(pair, 12)[0].log_prob(17.0)
    assert total(shared(Var([0, 1], [0.5, 0.5])), 4)[0].log_prob(7) == -math.inf


def test_a_probability_of_few_digits_is_not_taken_for_all_of_them():
    law = total(shared(Var([0, 1], [1.0, 1e-40]), 2), 8)[0]
    assert 0 < law.prob(8) < 1e-319
    with pytest.raises(RandvarError, match="cannot be told"):
        law.log_prob(8)
    assert Var([0, 1], [1.0, 1e-320]).log_prob(1) == pytest.approx(math.log(1e-320), rel=1e-12)  # as it was given


def test_one_draw_multiplies_nothing():
    rare = Var([0, 1], [1e-310, 1])
    assert (rare * 2 + 1).log_prob(7) == -math.inf
    assert (rare * 2 + 1).log_prob(1) == pytest.approx(math.log(1e-310))


def test_a_mixture_leaves_out_what_underflows():
    rare = Var([0, 1], [1e-200, 1])
    law = rare.op(lambda a: rare if a == 0 else Var([5], [1.0]))
    assert law.values.tolist() == [1, 5]
    drawn = dependent(rare, lambda a: rare)
    assert (drawn.weights > 0).all()
    assert len(drawn) == 3


def test_nothing_is_divided_by_a_mass_of_0():
    with pytest.raises(RandvarError, match="smallest float"):
        FLOATS.reduced(np.zeros(2), 0.0)


# Joints in fractions


def test_two_floats_that_are_one_fraction_are_one_row():
    x = Var([0.3, 0.1 + 0.2, 1.0], [0.25, 0.25, 0.5])
    assert len(x) == 3
    j = shared(x).rational()
    assert j.columns[0].tolist() == [Fraction(3, 10), 1]
    assert j.weights.tolist() == [Fraction(1, 2)] * 2
    assert j.prob((Fraction(3, 10), Fraction(3, 10))) == Fraction(1, 2)
    assert same_law(j[0], x.rational())


def test_what_samples_and_completions_leave_out():
    cut = from_scipy(stats.poisson(3.0), lost=1e-3)
    lost = cut.lost_mass
    assert sampling_distribution(max, cut, 2).lost_mass == pytest.approx(1 - (1 - lost) ** 2, rel=1e-12)
    dropped = sampling_distribution(lambda s: 1 / max(s), cut, 2, undefined="drop")
    none = cut.prob(0) ** 2
    assert dropped.lost_mass == pytest.approx(1 - (1 - lost) ** 2 * (1 - none), rel=1e-12)
    assert majority_vote(cut, 3).lost_mass == pytest.approx(1 - (1 - lost) ** 3, rel=1e-12)
    completions = rollout(lambda prefix: cut, 2)
    assert completions.lost_mass == pytest.approx(1 - (1 - lost) ** 2, rel=1e-12)
    stopped = rollout(lambda prefix: cut, 2, stop=0)
    assert stopped.lost_mass == pytest.approx(lost + (1 - lost) * lost * (1 - cut.prob(0)), rel=1e-12)


def test_what_a_law_leaves_out_is_read_only():
    with pytest.raises(AttributeError):
        uniform(1, 7).lost_mass = 0.3


def test_log_prob_where_a_float_has_few_digits_left():
    assert total(bernoulli(2.7e-162), 2).log_prob(2) == pytest.approx(2 * math.log(2.7e-162), rel=1e-13)
    likely = 300 * math.log(0.0835)
    for law, outcome in ((monte_carlo(bernoulli(0.0835), 300), 1), (binomial(300, 0.0835), 300)):
        assert law.log_prob(outcome) == pytest.approx(likely, rel=1e-13)


def test_the_optimal_proposal_keeps_what_its_law_left_out():
    cut = from_scipy(stats.poisson(3.0), lost=1e-3)
    assert optimal_proposal(cut, lambda a: a + 1).lost_mass == cut.lost_mass
