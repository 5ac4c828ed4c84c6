"""Coupled draws, Rao-Blackwell and estimated coefficients, against enumeration in fractions."""

import math
from fractions import Fraction

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_laws import assert_same, laws

from randvar import (
    Joint,
    RandvarError,
    Var,
    antithetic,
    assert_unbiased,
    bernoulli,
    common_draws,
    constant,
    covar,
    dependent,
    expect,
    from_dict,
    indep,
    normal,
    rao_blackwell,
    shared,
    uniform,
    variance,
)
from randvar.estimators import antithetic_pair, estimated_control, estimated_controls

die = uniform(1, 7)
small = st.builds(
    lambda atoms: oracle.law(map(Fraction, atoms), atoms.values()),
    st.dictionaries(st.integers(-4, 4), st.integers(1, 9), min_size=1, max_size=4),
)


def exact(law):
    return Var(law.keys(), law.values())


def floats(law):
    return Var([float(v) for v in law], [float(p) for p in law.values()])


def opposed(law):
    """(Q(U), Q(1 - U)) for U in each of the intervals between the steps of both: a grid of equally likely U."""
    parts = math.lcm(*(p.denominator for p in law.values()))
    ascending = sorted(law.items())

    def quantile(u):
        below = Fraction(0)
        for value, p in ascending:
            below += p
            if u < below:
                return value
        raise AssertionError(u)

    middles = [Fraction(2 * i + 1, 2 * parts) for i in range(parts)]
    return oracle.law([(quantile(u), quantile(1 - u)) for u in middles], [1] * parts)


def rows(j):
    return {tuple(row): w for row, w in zip(j.outcomes.tolist(), j.weights.tolist(), strict=True)}


@given(small)
def test_antithetic_pair(law):
    pair = antithetic_pair(exact(law))
    assert rows(pair) == opposed(law)
    assert pair[0].to_dict() == pair[1].to_dict() == law
    in_floats = rows(antithetic_pair(floats(law)))
    assert in_floats == pytest.approx({row: float(p) for row, p in opposed(law).items()}, rel=1e-12)


@given(laws, st.integers(1, 3))
def test_antithetic_estimator(law, steps):
    def f(a):
        return a * a + a

    means = oracle.law_of(lambda ab: (f(ab[0]) + f(ab[1])) / 2, opposed(law))
    answer = oracle.law_of(lambda s: s / steps, oracle.total(means, steps))
    got = antithetic(exact(law), f, steps)
    assert got.to_dict() == answer
    assert variance(antithetic(exact(law), f, steps)) == oracle.variance(answer)
    assert_same(antithetic(floats(law), f, steps), answer)


def test_antithetic_draws_of_odd_functions_cancel():
    assert len(antithetic(normal(), lambda v: v**3, 1)) == 1
    assert len(antithetic(die, lambda v: 2 * v, 5)) == 1
    monotone = variance(antithetic(die, lambda v: 2**v, 4))
    assert monotone < variance(die.op(lambda v: 2**v)) / 8


def test_antithetic_pairs_far_into_the_tail():
    pair = antithetic_pair(Var([0, 1, 2, 3], [1e-20, 0.5, 0.4, 0.1]))
    assert rows(pair) == pytest.approx(
        {(0, 3): 1e-20, (3, 0): 1e-20, (1, 3): 0.1, (3, 1): 0.1, (1, 2): 0.4, (2, 1): 0.4}
    )


def test_antithetic_refusals():
    with pytest.raises(TypeError, match="order"):
        antithetic_pair(Var([1, "a"], [0.5, 0.5]))
    with pytest.raises(TypeError, match="must be a Var, got list"):
        antithetic_pair([1, 2])
    sympy = pytest.importorskip("sympy")
    with pytest.raises(RandvarError, match="depends on the symbols"):
        antithetic_pair(bernoulli(sympy.Symbol("p")))


@given(small)
def test_common_draws(law):
    pair = common_draws(exact(law), lambda a: a * a, lambda a: 3 * a)
    both = oracle.law_of(lambda a: (a * a, 3 * a), law)
    assert rows(pair) == both
    assert variance(pair.sub()) == oracle.variance(law, lambda a: a * a - 3 * a)
    assert covar(pair) == oracle.covariance(both)


# Rao-Blackwell

tables = st.dictionaries(st.tuples(st.integers(0, 2), st.integers(-2, 2)), st.integers(1, 5), min_size=1, max_size=7)


@given(tables, st.integers(0, 1))
def test_rao_blackwell(table, given_):
    law = oracle.law(table.keys(), table.values())
    j = from_dict(law)  # a Var of pairs, taken apart
    pair = dependent(j.op(lambda row: row[0]), lambda a: j.cond(lambda row: row[0] == a).op(lambda row: row[1]))

    def f(a, b):
        return a * b + b * b

    def conditional(value):
        return oracle.mean(oracle.given(law, lambda row: row[given_] == value), lambda row: f(*row))

    answer = oracle.law_of(lambda row: conditional(row[given_]), law)
    got = rao_blackwell(pair, f, given_)
    assert got.to_dict() == answer
    within = sum(
        p * oracle.variance(oracle.given(law, lambda row, v=v: row[given_] == v), lambda row: f(*row))
        for v, p in oracle.law_of(lambda row: row[given_], law).items()
    )
    assert expect(got) == expect(pair.combine(f))
    assert variance(got) + within == variance(pair.combine(f))


def test_rao_blackwell_averages_a_draw_out():
    rolls = dependent(Var([1, 2], [0.5, 0.5]), lambda n: die if n == 1 else constant(10))
    direct = rao_blackwell(rolls, lambda n, roll: roll)
    drawn = rao_blackwell(rolls, lambda n, roll: die if n == 1 else 10)
    assert direct.values.tolist() == drawn.values.tolist() == [3.5, 10]
    assert direct.probs.tolist() == [0.5, 0.5]
    with pytest.raises(TypeError, match="must be a Joint, got Var"):
        rao_blackwell(die, lambda a: a)


def test_rao_blackwell_in_symbols():
    sympy = pytest.importorskip("sympy")
    p = sympy.Symbol("p", positive=True)
    two = indep(bernoulli(p), bernoulli(p))
    successes = two.combine(lambda a, b: a + b)
    given_sum = dependent(successes, lambda s: s if s != 1 else bernoulli(Fraction(1, 2)).op(lambda c: 2 * c))
    first = rao_blackwell(given_sum, lambda s, twice_the_first: twice_the_first / Fraction(2))
    assert_unbiased(first, p)
    assert sympy.expand(variance(first) - p * (1 - p) / 2) == 0


# Estimated coefficients


def slope(sample):
    """Cov/Var of pairs (f, h), 0 where h does not vary."""
    n = len(sample)
    f, h = (Fraction(sum(column)) / n for column in zip(*sample, strict=True))
    spread = sum((b - h) ** 2 for _, b in sample)
    return sum((a - f) * (b - h) for a, b in sample) / spread if spread else Fraction(0)


def adjusted(sample, b, known_mean):
    """mean(F) - b (mean(H) - known_mean)."""
    return Fraction(sum(f - b * (h - known_mean) for f, h in sample)) / len(sample)


def same(sample, known_mean):
    return adjusted(sample, slope(sample), known_mean)


def leave_one_out(sample, known_mean):
    others = [sample[:i] + sample[i + 1 :] for i in range(len(sample))]
    return sum(adjusted([s], slope(rest), known_mean) for s, rest in zip(sample, others, strict=True)) / len(sample)


def split(sample, known_mean):
    m = len(sample) // 2
    first, second = sample[:m], sample[m:]
    halves = m * adjusted(first, slope(second), known_mean) + (len(sample) - m) * adjusted(
        second, slope(first), known_mean
    )
    return halves / len(sample)


HOW = {"same": same, "leave_one_out": leave_one_out, "split": split}


def pair_of(law):
    """(X^2 + X, X) on one draw."""
    return oracle.law_of(lambda a: (a * a + a, a), law)


@given(small, st.integers(2, 4), st.sampled_from(sorted(HOW)))
def test_estimated_control(law, n, how):
    centre = oracle.mean(law)
    answer = oracle.law_of_draws(lambda v: HOW[how](list(v), centre), pair_of(law), n)
    got = estimated_control(shared(exact(law)).op(lambda a: a * a + a, lambda a: a), n, centre, how)
    assert got.to_dict() == answer
    if how != "same":
        assert expect(got) == oracle.mean(law, lambda a: a * a + a)
    in_floats = estimated_control(shared(floats(law)).op(lambda a: a * a + a, lambda a: a), n, float(centre), how)
    assert expect(in_floats) == pytest.approx(float(oracle.mean(answer)), rel=1e-12, abs=1e-12)
    assert variance(in_floats) == pytest.approx(float(oracle.variance(answer)), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("how", sorted(HOW))
@pytest.mark.parametrize("few", [2**17, 0])
def test_estimated_control_in_floats_splits_no_outcome(how, few, monkeypatch):
    """In fractions where samples are few, and in floats within the rounding of the formula."""
    monkeypatch.setattr(estimated_controls, "_FEW", few)
    rows = [(-1, -1), (0, -1), (3, 1), (2, 0)]
    weights = [Fraction(w, 10) for w in (2, 5, 2, 1)]
    answer = oracle.law_of_draws(lambda v: HOW[how](list(v), Fraction(-1)), dict(zip(rows, weights, strict=True)), 4)
    got = estimated_control(from_dict(dict(zip(rows, map(float, weights), strict=True))).vector(tuple), 4, -1, how)
    assert got.values.tolist() == pytest.approx([float(v) for v in sorted(answer)], rel=1e-13, abs=1e-14)
    assert got.probs.tolist() == pytest.approx([float(answer[v]) for v in sorted(answer)], rel=1e-12)
    assert got.prob(0) == pytest.approx(float(answer[0]), rel=1e-12)


def test_a_coefficient_that_floats_cannot_tell_is_refused():
    pair = from_dict({(1.3**0.5, 1e8 + 0.1): 0.5, (2.7**0.5, 1e8 + 0.1 + 2e-7): 0.5}).vector(tuple)
    assert len(estimated_control(pair, 2, 1e8)) == 3  # counted from the least of H, its draws are apart
    far = from_dict({(0.3, 0.0): 0.25, (2**0.5, 1e8 + 0.1): 0.5, (3**0.5, 1e8 + 0.1 + 2e-7): 0.25}).vector(tuple)
    with pytest.raises(RandvarError, match="rounding"):
        estimated_control(far, 2, 1e8)


def test_a_coefficient_from_the_same_draws_biases():
    """By a known amount on a skewed law; integers, whose quotients would not be exact in Python."""
    x = Var([0, 1, 3], [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)])
    pair = shared(x).op(lambda a: a**3, lambda a: a)
    law = oracle.law_of(lambda a: (a**3, a), dict(zip([0, 1, 3], x.probs, strict=True)))
    got = estimated_control(pair, 4, expect(x))
    assert expect(got) == oracle.mean(oracle.law_of_draws(lambda v: same(list(v), expect(x)), law, 4)) != 7
    with pytest.raises(AssertionError, match="biased"):
        assert_unbiased(got, 7)
    for how in ("split", "leave_one_out"):
        assert_unbiased(estimated_control(pair, 4, expect(x), how), 7)


def test_estimated_control_in_symbols():
    """Cross-fitting is unbiased for every p; the same draws are not."""
    sympy = pytest.importorskip("sympy")
    p, q = sympy.symbols("p q", positive=True)
    x = Var([0, 1, 2], [1 - p - q, p, q])
    pair = shared(x).op(lambda a: a**2, lambda a: a)
    assert_unbiased(estimated_control(pair, 3, p + 2 * q, "leave_one_out"), p + 4 * q)
    assert_unbiased(estimated_control(pair, 4, p + 2 * q, "split"), p + 4 * q)
    with pytest.raises(AssertionError):
        assert_unbiased(estimated_control(pair, 3, p + 2 * q), p + 4 * q)


def test_estimated_control_refusals():
    pair = shared(die).op(lambda a: a * a, lambda a: a)
    with pytest.raises(RandvarError, match='"same", "split" or "leave_one_out", got \'none\''):
        estimated_control(pair, 3, 3.5, "none")
    with pytest.raises(RandvarError, match="at least 2, got 1"):
        estimated_control(pair, 1, 3.5)
    with pytest.raises(RandvarError, match="budget"):
        estimated_control(pair, 40, 3.5, "split")
    with pytest.raises(TypeError, match="numbers"):
        estimated_control(Joint(["a"], [1], [[1]]), 2)
