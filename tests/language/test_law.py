"""Laws as properties: on random small laws the package agrees with enumeration in fractions, atom by atom."""

import itertools
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_laws import assert_same, laws, near, var

from randvar import (
    Joint,
    Var,
    bernoulli,
    covar,
    dependent,
    entropy,
    expect,
    from_dict,
    from_weights,
    iid,
    indep,
    k1,
    kl,
    leave_one_out,
    median,
    monte_carlo,
    same_law,
    shared,
    stratified,
    total,
    total_variation,
    uniform,
    variance,
    weighted_die,
)
from randvar.examples.sampling_to_reinforce import kl_k3
from randvar.sums.cdf import distribution_function
from randvar.sums.group import Group

functions = st.sampled_from(
    [
        lambda a: a * a,
        abs,
        lambda a: a - 1,
        lambda a: 3 * a + 2,
        lambda a: a > 0,
        lambda a: min(a, 1),
        lambda a: 0,
    ]
)
# Sums and differences are j.add() and j.sub(), which know what rounding a sum makes; these cannot cancel.
functions_of_two = st.sampled_from([max, min, lambda a, b: a * b, lambda a, b: a > b, lambda a, b: a])


# One variable


@given(laws, st.randoms())
def test_atoms_are_canonical(law, random):
    """Reordered, split in two and with impossible outcomes added, it is the same law, in ascending order."""
    atoms = [(v, p / 2) for v, p in law.items()] * 2 + [(Fraction(99), Fraction(0))]
    random.shuffle(atoms)
    x = Var([float(v) for v, _ in atoms], [float(p) for _, p in atoms])
    assert_same(x, law)
    assert (np.diff(x.values) > 0).all()
    assert (x.probs > 0).all()
    assert math.isclose(math.fsum(x.probs), 1, rel_tol=1e-15)


@given(laws)
def test_canonical_form_is_a_fixed_point(law):
    x = var(law)
    again = Var(x.values, x.probs)
    np.testing.assert_array_equal(again.values, x.values)
    np.testing.assert_array_equal(again.probs, x.probs)


@given(laws, functions)
def test_op(law, f):
    assert_same(var(law).op(f), oracle.law_of(f, law))


@given(laws)
def test_ufunc_and_function_give_one_law(law):
    by_array, by_atom = np.exp(var(law)), var(law).op(math.exp)
    np.testing.assert_allclose(by_array.values, by_atom.values, rtol=1e-15)
    np.testing.assert_array_equal(by_array.probs, by_atom.probs)


@given(laws, st.integers(-4, 4))
def test_variance_is_quadratic(law, b):
    assert near(variance(var(law).op(lambda a: b * a)), b**2 * oracle.variance(law))
    assert near(variance(b * var(law)), b**2 * oracle.variance(law))


@given(laws, st.sampled_from([0, 10**3, 10**6, 10**9]))
def test_variance_does_not_cancel(law, shift):
    whole = oracle.law([round(60 * v) for v in law], law.values())
    moved = Var([int(v) + shift for v in whole], [float(p) for p in whole.values()])
    assert math.isclose(variance(moved), oracle.variance(whole), rel_tol=1e-12, abs_tol=1e-300)


@given(laws, functions)
def test_expect_of_a_function(law, f):
    assert near(expect(var(law), f), oracle.mean(law, f), oracle.mean(law, lambda v: abs(f(v))))


@given(laws, st.integers(-6, 6))
def test_condition(law, cut):
    def event(a):
        return a <= cut

    mass = oracle.probability(law, event)
    assert math.isclose(var(law).prob(event), mass, rel_tol=1e-14)
    if mass:
        assert_same(var(law).cond(event), oracle.given(law, event))


@given(laws)
def test_condition_by_a_ufunc(law):
    mass = oracle.probability(law, lambda a: a < 0)
    assert math.isclose(var(law).prob(np.signbit), mass, rel_tol=1e-14)
    if mass:
        assert_same(var(law).cond(np.signbit), oracle.given(law, lambda a: a < 0))


@given(laws, st.integers(-6, 6))
def test_law_of_total_probability(law, cut):
    """Conditioning on an event and on its complement and mixing the two is the law again."""
    x = var(law)
    if 0 < oracle.probability(law, lambda a: a <= cut) < 1:
        share = x.prob(lambda a: a <= cut)
        below, above = x.cond(lambda a: a <= cut), x.cond(lambda a: a > cut)
        assert_same(bernoulli(share).op(lambda is_below: below if is_below else above), law)


@given(laws, st.lists(laws, min_size=5, max_size=5))
def test_mixture(law, branches):
    """op with a function that returns a Var: a fresh draw made after X was seen."""
    exact = dict(zip(law, branches, strict=False))
    by_float = {float(a): var(branch) for a, branch in exact.items()}
    assert_same(var(law).op(by_float.get), oracle.mixture(law, exact.get))


@given(laws)
def test_quantile_is_the_inverse_of_cdf(law):
    x = var(law)
    for v in x.values:
        assert x.quantile(x.cdf(v)) == v
    below = Fraction(0)
    for v, p in sorted(law.items()):
        assert x.quantile(float(below + p / 2)) == pytest.approx(float(v))
        below += p
        assert math.isclose(x.cdf(float(v)), below, rel_tol=1e-14)


@pytest.mark.parametrize("n", [*range(1, 60), 307, 308, 309, 1000, 3333, 4096, 4097, 4098, 10**4, 10**6])
def test_quantile_of_many_outcomes(n):
    """Cumulative sums round more the longer they are; a quantile is decided by the sums that cdf makes."""
    x = uniform(0, n)
    assert median(x) == (n - 1) // 2
    for v in {0, n // 40, n // 3, n // 2, 3 * n // 4, n - 2, n - 1} - {-1}:
        assert x.quantile(x.cdf(v)) == v
    for u in (0.025, 0.1, 0.3, 0.7, 0.975):
        assert x.quantile(u) == math.ceil(Fraction(str(u)) * n) - 1


def test_medians_of_all_sizes():
    assert [n for n in range(1, 3000) if median(uniform(0, n)) != (n - 1) // 2] == []


@given(st.lists(st.integers(1, 10**6), min_size=300, max_size=5000), st.floats(0, 1, exclude_max=True))
@settings(max_examples=30)
def test_quantile_and_cdf_agree_on_long_laws(weights, u):
    x = from_weights(range(len(weights)), weights)
    for v in range(0, len(weights), 97):
        assert x.quantile(x.cdf(v)) == v
    v = x.quantile(u)
    assert x.cdf(v) >= u - 1e-14
    assert v == 0 or x.cdf(v - 1) < u


def test_quantile_keeps_small_steps_apart():
    """Tails far below the rounding of 1, on both sides of the middle."""
    x = Var([1, 2, 3, 4], [1e-200, 1e-100, 0.5, 0.5])
    assert [x.quantile(u) for u in (0.0, 1e-200, 2e-200, 1e-100, 2e-100, 0.6, 1)] == [1, 1, 2, 2, 3, 4, 4]
    assert Var([1, 2, 3], [0.5, 0.5, 1e-30]).quantile(1) == 3


def test_quantile_of_a_float_in_an_exact_law():
    x = Var(range(1, 11), [Fraction(1, 10)] * 10)
    assert [x.quantile(k / 10) for k in range(1, 11)] == list(range(1, 11))
    assert [x.quantile(Fraction(k, 10) + Fraction(1, 10**30)) for k in range(1, 10)] == list(range(2, 11))
    tiny = Fraction(1, 10**9)
    assert Var([0, 1], [tiny, 1 - tiny]).quantile(1e-9) == 0
    assert Var([0, 1], [1 - tiny**5, tiny**5]).quantile(1.0) == 1


# Finding an outcome


def test_whole_numbers_are_found_exactly():
    stamp = 1_700_000_000 * 10**9
    x = Var([stamp, stamp + 5000], [0.5, 0.5])
    assert x.prob(stamp + 1000) == 0
    assert x.prob(stamp) == 0.5
    assert kl(x, x + 1000) == math.inf
    assert total_variation(x, x + 1000) == 1
    assert Var([5, 2 * 10**15], [0.5, 0.5]).prob(2 * 10**15 + 1) == 0
    assert Var([5, 2 * 10**15], [0.5, 0.5]).prob(Fraction(4 * 10**15 + 1, 2)) == 0
    assert Var([Fraction(1, 3), 10**16], [0.5, 0.5]).prob(10**16 + 1) == 0


def test_an_underflowing_whole_number_is_found_exactly():
    twice = total(Var([0, 2 * 10**15], [1e-300, 1]), 2)
    assert twice.log_prob(0) == pytest.approx(2 * math.log(1e-300))
    rare = total(Var([0, 2 * 10**15], [1, 1e-300]), 2)
    assert rare.log_prob(4 * 10**15) == rare.log_prob(4e15) == pytest.approx(2 * math.log(1e-300))
    assert rare.log_prob(4 * 10**15 + 1) == -math.inf


def test_a_float_finds_its_atom_within_rounding():
    """Whichever of the two is the float, and in an array of any kind."""
    exact = Var([Fraction(3, 10), 2**60 + 1], [0.25, 0.75])
    assert exact.prob(0.3) == exact.prob(0.1 + 0.2) == 0.25
    assert exact.prob(2.0**60) == 0.75
    assert Var([1, 2**60 + 1], [0.25, 0.75]).prob(2.0**60) == 0.75
    assert Var([0.5, 2.0**60], [0.25, 0.75]).prob(2**60 + 1) == 0.75
    assert Var([0.3, "a"], [0.25, 0.75]).prob(Fraction(3, 10)) == 0.25
    assert Var([2**60, 2**60 + 300], [0.25, 0.75]).prob(2.0**60 + 256) == 0.75  # the nearest of two


def test_numbers_beyond_the_floats_are_looked_for():
    half = Fraction(1, 2)
    huge = Var([Fraction(10**400), 1], [half, half])
    assert huge.prob(1.0) == huge.prob(10**400) == half
    assert huge.prob(1.5) == huge.prob(math.inf) == 0
    assert Var([0.5, math.inf], [0.5, 0.5]).prob(10**400) == 0


@given(laws)
def test_entropy_and_divergence(law):
    flat = oracle.uniform(list(law))
    assert near(entropy(var(law)), oracle.entropy(law))
    assert near(kl(var(law), var(flat)), oracle.kl(law, flat))
    assert near(expect(k1(var(law), var(flat))), oracle.kl(law, flat))
    assert near(expect(kl_k3(var(law), var(flat)).sub()), oracle.kl(law, flat))


@given(laws, st.integers(-4, 4))
def test_arithmetic_with_a_constant(law, c):
    x = var(law)
    for got, f in [
        (x + c, lambda a: a + c),
        (c + x, lambda a: a + c),
        (x - c, lambda a: a - c),
        (c - x, lambda a: c - a),
        (x * c, lambda a: a * c),
        (x / 4, lambda a: a / 4),
        (-x, lambda a: -a),
        (x**2, lambda a: a**2),
        (abs(x), abs),
    ]:
        assert_same(got, oracle.law_of(f, law))


# Several variables


@given(laws, laws, functions_of_two)
def test_independent_draws(first, second, f):
    j = indep(var(first), var(second))
    assert_same(j.combine(f), oracle.law_of(f, first, second))
    assert_same(j.add(), oracle.law_of(lambda a, b: a + b, first, second))
    assert_same(j.sub(), oracle.law_of(lambda a, b: a - b, first, second))
    assert_same(j.mul(), oracle.law_of(lambda a, b: a * b, first, second))


@given(laws, functions, functions)
def test_shared_draw(law, f, g):
    """Functions of the same draw add up inside one function."""
    x = var(law)
    assert_same(shared(x).op(f, g).add(), oracle.law_of(lambda a: f(a) + g(a), law))


@given(laws, laws)
def test_variance_of_a_difference(first, second):
    """Var A + Var B - 2 Cov(A, B) = Var(A - B), here for A = X*Y and B = X + Y."""
    draw = indep(var(first), var(second)).combine(lambda a, b: (a * b, a + b))
    j = shared(draw).op(lambda ab: ab[0], lambda ab: ab[1])
    a, b, c = variance(j[0]), variance(j[1]), covar(j)
    exact = oracle.law_of(lambda a, b: (a * b, a + b), first, second)
    size = a + b
    assert near(c, oracle.covariance(exact), size)
    assert near(a + b - 2 * c, variance(j.sub()), size)
    assert near(a + b + 2 * c, variance(j.add()), size)


@given(laws, st.lists(laws, min_size=5, max_size=5))
def test_tower_property(law, branches):
    """E[E[Y | X]] = E[Y], and Var(Y) = E[Var(Y | X)] + Var(E[Y | X])."""
    exact = dict(zip(law, branches, strict=False))
    by_float = {float(a): var(branch) for a, branch in exact.items()}
    j = dependent(var(law), by_float.get)
    pair = oracle.dependent(law, exact.get)
    given_x = {a: j.cond(lambda x, y, a=a: x == a)[1] for a in by_float}
    size = oracle.mean(pair, lambda ab: ab[1] ** 2)
    assert near(expect(j[0], lambda a: expect(given_x[a])), expect(j[1]), size)
    within = expect(j[0], lambda a: variance(given_x[a]))
    between = variance(j[0].op(lambda a: expect(given_x[a])))
    assert near(within + between, variance(j[1]), size)
    assert near(variance(j[1]), oracle.variance(pair, lambda ab: ab[1]), size)
    assert near(covar(j), oracle.covariance(pair), size)


tables = st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=4).filter(
    lambda rows: any(any(row) for row in rows)
)


@given(tables, st.randoms())
def test_table(rows, random):
    """A Joint from a table: dense and sparse forms, marginals, transposition and reordering say the same."""
    weights = np.array(rows) / np.sum(rows)
    xs, ys = list(range(len(rows))), [0, 5, 7]
    exact = oracle.law([(x, y) for x in xs for y in ys], [w for row in rows for w in row])
    order = random.sample(xs, len(xs))
    j = Joint(order, ys, weights[order])
    sparse = {tuple(row): p for row, p in zip(j.outcomes, j.weights, strict=True)}
    assert sparse == pytest.approx({xy: float(p) for xy, p in exact.items()}, rel=1e-14)
    assert_same(j[0], oracle.law_of(lambda xy: xy[0], exact))
    assert_same(j.marginal(1), oracle.law_of(lambda xy: xy[1], exact))
    assert_same(j.sub(), oracle.law_of(lambda xy: xy[0] - xy[1], exact))
    assert_same(j.transpose().sub(), oracle.law_of(lambda xy: xy[1] - xy[0], exact))
    assert_same(j.select(1, 0).sub(), oracle.law_of(lambda xy: xy[1] - xy[0], exact))
    assert near(covar(j.transpose()), oracle.covariance(exact), 49)
    assert j.table.shape == (len(j[0]), len(j[1]))
    np.testing.assert_allclose(j.table.sum(axis=1), j[0].probs, rtol=1e-14)
    np.testing.assert_allclose(j.table.sum(axis=0), j[1].probs, rtol=1e-14)


@given(laws, functions_of_two)
def test_iid_is_indep_of_copies(law, f):
    x = var(law)
    assert_same(iid(x, 2).combine(f), oracle.law_of_draws(lambda sample: f(*sample), law, 2))


@given(laws, laws, functions_of_two)
def test_condition_of_a_joint(first, second, f):
    pair = oracle.law_of(lambda a, b: (a, b), first, second)
    if oracle.probability(pair, lambda ab: ab[0] > ab[1]):
        above = oracle.given(pair, lambda ab: ab[0] > ab[1])
        j = indep(var(first), var(second)).cond(lambda a, b: a > b)
        assert len(j.weights) == len(above)
        assert_same(j.combine(f), oracle.law_of(lambda ab: f(*ab), above))


# Sums


@given(laws, st.integers(1, 6))
def test_total_and_mean(law, n):
    s = oracle.total(law, n)
    assert_same(total(var(law), n), s)
    assert_same(monte_carlo(var(law), n), oracle.law_of(lambda v: v / n, s))


@given(laws, st.integers(1, 6))
def test_moments_of_a_mean_are_those_of_its_law(law, n):
    m = monte_carlo(var(law), n)
    written_out = Var(m.values, m.probs)
    assert near(expect(m), expect(written_out))
    assert near(variance(m), variance(written_out))
    assert near(variance(m), oracle.variance(law) / n)


@given(laws, laws, st.integers(1, 3), st.integers(1, 3))
def test_strata(first, second, n, m):
    share = Fraction(1, 3)
    exact = oracle.law_of(
        lambda a, b: share * a / n + (1 - share) * b / m, oracle.total(first, n), oracle.total(second, m)
    )
    assert_same(stratified([var(first), var(second)], [1 / 3, 2 / 3], [n, m]), exact)


@given(laws, st.integers(2, 5))
def test_leave_one_out_is_the_mean_of_the_others(law, n):
    assert_same(leave_one_out(var(law), n), oracle.law_of(lambda v: v / (n - 1), oracle.total(law, n - 1)))


# Supports: how many outcomes there are is part of the answer


def test_tenths_twenty_times():
    x = uniform(1, 4).op(lambda a: a / 10)
    exact = oracle.total(oracle.uniform([Fraction(k, 10) for k in (1, 2, 3)]), 20)
    assert len(exact) == 41
    assert_same(total(x, 20), exact)
    assert_same(total(Var([0.1, 0.2, 0.3], [1 / 3, 1 / 3, 1 / 3]), 20), exact)


@pytest.mark.parametrize(("n", "atoms"), [(1, 6), (5, 126), (10, 726)])
def test_means_of_log_ratios(n, atoms):
    """A mean of k1 is the logarithm of a product of ratios; equal products are equal outcomes."""
    p = oracle.law(range(1, 7), range(1, 7))
    products = oracle.fold(lambda a, b: a * b, oracle.law_of(lambda a: 6 * p[a], p), n)
    assert len(products) == atoms
    got = monte_carlo(k1(weighted_die([1, 2, 3, 4, 5, 6]), uniform(1, 7)), n)
    exact = sorted((float(oracle.log(product)) / n, float(weight)) for product, weight in products.items())
    assert len(got) == atoms
    np.testing.assert_allclose(got.values, [v for v, _ in exact], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(got.probs, [w for _, w in exact], rtol=1e-12)


def test_small_outcomes_stay_apart_beside_large_ones():
    x = Var([1e-8, 1, 1e8], [1 / 3, 1 / 3, 1 / 3])
    exact = oracle.total(oracle.uniform([Fraction(1, 10**8), Fraction(1), Fraction(10**8)]), 2)
    assert_same(total(x, 2), exact)
    assert len(total(x, 2)) == 6


@pytest.mark.parametrize(
    "values", [["red", "blue"], [(0, "a"), (0, "b")], [True, False], [None, "x"], [frozenset({1})]]
)
def test_any_hashable_outcome(values):
    x = from_weights(values, [1] * len(values))
    for value in values:
        assert x.prob(value) == pytest.approx(1 / len(values))
    assert x.op(lambda v: v).to_dict() == pytest.approx(from_dict(dict.fromkeys(values, 1 / len(values))).to_dict())


def test_numbers_that_are_equal_are_one_outcome():
    x = Var([1, True, 1.0, 0, False, -0.0], [1 / 6] * 6)
    assert len(x) == 2
    assert x.prob(True) == x.prob(1) == pytest.approx(0.5)


def test_infinite_outcomes_are_legal():
    x = Var([-math.inf, 0, math.inf], [0.25, 0.5, 0.25])
    assert x.prob(math.inf) == 0.25
    assert x.cdf(0) == 0.75
    assert x.log_prob(3) == -math.inf


def test_large_laws_are_sparse():
    """A million outcomes on one draw are a million rows, not a table of 10^12."""
    j = shared(uniform(0, 10**6))
    assert len(j.weights) == 10**6
    assert variance(j.sub()) == 0
    root = uniform(0, 10**6).op(np.sqrt)
    assert len(root) == 10**6
    assert root.values[-1] == math.sqrt(10**6 - 1)


# Integers beside floats


def test_integers_beyond_the_floats_stay_what_they_are():
    big = 2**53 + 1
    for values in ([0.5, big], [big, 0.5], [1, 0.5, -big]):
        x = Var(values, [1 / len(values)] * len(values))
        assert set(x.values.tolist()) == set(values)
        assert x.op(lambda a: a).to_dict() == x.to_dict()
    rows = indep(Var([big], [1.0]), Var([0.5], [1.0])).outcomes.tolist()
    assert rows == [[big, 0.5]]
    assert indep(Var([1], [1.0]), Var([0.5], [1.0])).outcomes.dtype == float
    assert indep(Var([big], [1.0]), Var([True], [1.0])).outcomes.tolist() == [[big, 1]]
    assert not same_law(Var([0.5, big], [0.5, 0.5]), Var([0.5, big - 1], [0.5, 0.5]))
    assert same_law(Var([0.5, big], [0.5, 0.5]), Var([0.5, big], [0.5, 0.5]))


# An outcome is one value


class Tensor:
    """As torch's: hashed by its address, compared element by element."""

    def __init__(self, *numbers):
        self.numbers, self.ndim = numbers, 1

    def __ne__(self, other):
        return self

    def __bool__(self):
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")

    __hash__ = object.__hash__


@pytest.mark.parametrize("several", [Tensor(1, 2), Tensor(1), np.array([1.0, 2.0]), np.ones((2, 2))])
def test_several_numbers_are_no_outcome(several):
    x = uniform(0, 3)
    for made in (
        lambda: x.op(lambda a: several),
        lambda: Var([several], [1]),
        lambda: shared(x).combine(lambda *_: several),
    ):
        with pytest.raises(TypeError, match=r"one value.*x\.vector\(f\)"):
            made()
    with pytest.raises(TypeError, match="takes an outcome"):
        x.prob(several)


WIDE = {
    "two to the 47": ([0, 1, 2**47], 10),
    "beyond 2^53": ([0, 1, 2**53], 4),
    "odd and beyond 2^53": ([0, 1, 2**60 + 1], 4),
    "nearly proportional": ([0, 3 * 2**50, 5 * 2**50 + 1], 5),
    "both signs": ([-(2**58), -1, 2, 2**58 + 1], 3),
    "beyond the machine's integers": ([1, 2**62, 2**62 + 1], 3),
}


@pytest.mark.parametrize("name", WIDE)
def test_whole_numbers_far_apart_keep_every_sum(name):
    values, n = WIDE[name]
    exact = total(Var(values, [Fraction(1, len(values))] * len(values)), n)
    law = total(Var(values, [1 / len(values)] * len(values)), n)
    assert law.values.tolist() == exact.values.tolist()
    assert all(type(v) is int for v in law.values.tolist())
    assert law.probs.tolist() == pytest.approx([float(p) for p in exact.probs], rel=1e-12)


die = uniform(1, 7)
far_apart = st.one_of(st.integers(-3, 3), st.sampled_from([2**20, 2**45 + 1, 2**53, 2**53 + 1, -(2**61), 2**62]))


@given(st.lists(st.tuples(st.lists(far_apart, min_size=1, max_size=4, unique=True), st.integers(1, 4)), max_size=3))
@settings(max_examples=60)
def test_sums_of_several_groups_of_whole_numbers(groups):
    exact = indep(die.rational(), *(total(Var(v, [Fraction(1, len(v))] * len(v)), n) for v, n in groups)).add()
    law = indep(die, *(total(Var(v, [1 / len(v)] * len(v)), n) for v, n in groups)).add()
    assert law.values.tolist() == exact.values.tolist()
    assert law.probs.tolist() == pytest.approx([float(p) for p in exact.probs], rel=1e-12)


@pytest.mark.parametrize("gap", [2**49, 2**53, 2**62])
def test_whole_numbers_of_independent_coordinates_keep_every_sum(gap):
    pair = indep(Var([0, 1], [0.5, 0.5]), Var([0, gap], [0.5, 0.5]))
    assert pair.add().to_dict() == dict.fromkeys([0, 1, gap, gap + 1], 0.25)
    assert pair.sub().to_dict() == dict.fromkeys([-gap, 1 - gap, 0, 1], 0.25)


def test_floats_that_add_without_rounding_keep_every_sum():
    x = Var([0.25, 0.5, 2.0**45], [0.25, 0.25, 0.5])
    truth = {sum(row) for row in itertools.combinations_with_replacement(x.values.tolist(), 10)}
    law = total(x, 10)
    assert law.values.tolist() == sorted(truth)
    assert total(x.rational(), 10).values.tolist() == sorted(truth)
    assert indep(Var([0.0, 1.0], [0.5, 0.5]), Var([0.0, 2.0**49], [0.5, 0.5])).add().values.tolist() == [
        0.0,
        1.0,
        2.0**49,
        2.0**49 + 1,
    ]


def test_sums_that_are_one_float_are_one_outcome():
    law = indep(Var([0.0, 1.0], [0.5, 0.5]), Var([0.0, 2.0**53], [0.5, 0.5])).add()
    assert law.to_dict() == {0.0: 0.25, 1.0: 0.25, 2.0**53: 0.5}


def test_rows_of_whole_floats_beside_integers_keep_every_sum():
    rows = Joint([2**52, 2**52 + 1], [0.0, 1.0, 4.0], [[0.25, 0.125, 0.125], [0.25, 0.125, 0.125]])
    added, taken = (
        {0: 0.25, 1: 0.375, 2: 0.125, 4: 0.125, 5: 0.125},
        {-4: 0.125, -3: 0.125, -1: 0.125, 0: 0.375, 1: 0.25},
    )
    assert rows.add().to_dict() == {2.0**52 + k: p for k, p in added.items()}
    assert rows.sub().to_dict() == {2.0**52 + k: p for k, p in taken.items()}


@pytest.mark.parametrize("values", [[0, 1, 2**47], [0.5, 1.0, 2.0**46], [0, 1, 2**60 + 1]])
def test_the_cdf_between_whole_sums_that_are_close(values):
    x = Var(values, [0.25, 0.25, 0.5])
    law = total(x, 10)
    for t in [-1, 3, values[2] + 2, values[2] + 2.5, 5 * values[2], 2**70]:
        truth = sum(p for v, p in law.to_dict().items() if v <= t)
        part, mass = distribution_function([Group(x.values, x.probs, 10)], t)
        assert part / mass == pytest.approx(truth, rel=1e-12)
