"""Symbolic laws: proofs for every value of the symbols, refutations with their bias, and what is refused."""

import itertools
import math
import os
import subprocess
import sys
from fractions import Fraction

import pytest

from randvar import (
    RandvarError,
    Var,
    assert_same_law,
    assert_unbiased,
    bernoulli,
    binomial,
    constant,
    control_variate,
    correlation,
    covar,
    expect,
    from_weights,
    group_gradient,
    importance,
    indep,
    k1,
    k2,
    k3,
    kl,
    leave_one_out_gradient,
    monte_carlo,
    reinforce,
    report,
    same_law,
    sampling_distribution,
    shared,
    skewness,
    std,
    stratified,
    total,
    variance,
)
from randvar.examples.sampling_to_reinforce import linear_control

sympy = pytest.importorskip("sympy")

p, q, r, b, c = sympy.symbols("p q r b c")
s, t, u = sympy.symbols("s t u", positive=True)
v0, v1, v2, v3 = values = sympy.symbols("v0:4")

coin = bernoulli(p)
three = Var([v0, v1, v2], [p, q, 1 - p - q])
four = Var(values, [p, q, r, 1 - p - q - r])
LAWS = {"a coin": coin, "three outcomes": three, "four outcomes": four}
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def identical(found, expected):
    """By sympy's own expansion, which the package does not use to decide."""
    return sympy.cancel(sympy.expand(found - expected)) == 0


def sample_variance(draws, divisor):
    n = len(draws)
    return Fraction(1, divisor) * (sum(a * a for a in draws) - Fraction(1, n) * sum(draws) ** 2)


# -- proofs ------------------------------------------------------------------------------------------------------------


@every_law
@pytest.mark.parametrize("n", [1, 2, 8])
def test_the_mean_of_n_draws(law, n):
    assert_unbiased(monte_carlo(law, n), expect(law))
    assert identical(variance(monte_carlo(law, n)), variance(law) / n)


@pytest.mark.parametrize("n", [2, 3, 8])
def test_the_sample_variance_with_divisor_n_less_1(n):
    law = Var([0, 1, 2, 5], [p, q, r, 1 - p - q - r])
    s2 = sampling_distribution(lambda draws: sample_variance(draws, n - 1), law, n)
    assert_unbiased(s2, variance(law))
    assert report(s2, variance(law)).proof == "proved"


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_sample_variance_of_unknown_outcomes(n):
    """Four values and three probabilities unknown: the statement holds for every law of four outcomes."""
    s2 = sampling_distribution(lambda draws: sample_variance(draws, n - 1), four, n, symmetric=True)
    assert_unbiased(s2, variance(four))


def test_importance_weights():
    """E_q[p/q f] = E_p[f], whatever p, q and f are."""
    target = Var([0, 1, 2], [p, q, 1 - p - q])
    proposal = Var([0, 1, 2], [s / (s + t + u), t / (s + t + u), u / (s + t + u)])
    estimate = importance(target, proposal, lambda a: values[a])
    assert_unbiased(monte_carlo(estimate, 3), p * v0 + q * v1 + (1 - p - q) * v2)


def test_the_control_variate_for_any_b():
    law = Var([0, 1, 2], [p, q, 1 - p - q])
    pair = control_variate(law, lambda a: a**2, lambda a: a, expect(law), b)
    assert_unbiased(pair.sub(), expect(law.op(lambda a: a**2)))
    at_best = variance(pair.sub()).subs(b, covar(control_variate(law, lambda a: a**2, lambda a: a, 0)) / variance(law))
    squares, product = variance(law.op(lambda a: a**2)), covar(shared(law).op(lambda a: a**2, lambda a: a))
    assert identical(at_best, squares - product**2 / variance(law))
    assert_unbiased(linear_control(three, lambda a: a**3, b).sub(), expect(three.op(lambda a: a**3)))


def policy_draws():
    """(reward, score) of a policy with two free probabilities; the score is that of d/dp."""
    law = Var([0, 1, 2], [p, q, 1 - p - q])
    scores = [1 / p, 0, -1 / (1 - p - q)]
    return shared(law).op(lambda a: values[a], lambda a: scores[a]), law


@pytest.mark.parametrize("n", [2, 3])
def test_the_baseline_for_any_b_and_leave_one_out(n):
    """Both estimate the derivative of the exact expectation, which sympy takes."""
    draws, law = policy_draws()
    gradient = sympy.diff(expect(law, lambda a: values[a]), p)
    assert identical(gradient, v0 - v2)
    assert_unbiased(reinforce(draws, n, baseline=b), gradient)
    assert_unbiased(leave_one_out_gradient(draws, n), gradient)
    assert_unbiased(group_gradient(draws, n, baseline="leave_one_out"), gradient)


def test_the_gradient_of_a_softmax_policy_is_a_derivative():
    logits = sympy.symbols("l0:3", real=True)
    policy = from_weights([0, 1, 2], [sympy.exp(logit) for logit in logits])
    reward = policy.op(lambda a: values[a])
    scores = [sympy.diff(sympy.log(policy.prob(a)), logits[1]) for a in range(3)]
    draws = shared(policy).op(lambda a: values[a], lambda a: scores[a])
    assert_unbiased(reinforce(draws, 2, baseline=b), sympy.diff(expect(reward), logits[1]))


@pytest.mark.parametrize(("n", "k"), [(3, 2), (5, 3), (8, 4)])
def test_pass_at_k_for_any_p(n, k):
    def estimate(attempts):
        failures = n - sum(attempts)
        return 1 - Fraction(math.comb(failures, k), math.comb(n, k))

    assert_unbiased(sampling_distribution(estimate, coin, n), 1 - (1 - p) ** k)


def test_strata_with_any_shares():
    other = Var([1, 2], [q, 1 - q])
    assert_unbiased(stratified([coin, other], [s, 1 - s], [2, 3]), s * p + (1 - s) * (2 - q))
    assert identical(variance(stratified([coin, coin], [s, 1 - s], [1, 1])), p * (1 - p) * (s**2 + (1 - s) ** 2))


def test_kl_estimators():
    """k1 and k3 are unbiased for every pair of coins, with logarithms as generators of the ring."""
    first, second = bernoulli(s), bernoulli(t)
    divergence = s * sympy.log(s / t) + (1 - s) * (sympy.log(1 - s) - sympy.log(1 - t))
    assert_unbiased(k1(first, second), kl(first, second))
    assert_unbiased(k3(first, second), kl(first, second))
    assert_unbiased(k3(first, second), divergence)
    assert kl(first, bernoulli(Fraction(1, 2))).has(sympy.log(2))  # exact beside a rational law too


def test_laws_are_compared_for_every_p():
    assert_same_law(binomial(3, p), total(coin, 3))
    assert_same_law(binomial(2, p), Var([0, 1, 2], [1 - 2 * p + p**2, 2 * p - 2 * p**2, p**2]))
    assert_same_law(indep(coin, coin).cond(lambda i, j: i + j == 1)[0], bernoulli(Fraction(1, 2)))
    with pytest.raises(AssertionError, match="most at 1"):
        assert_same_law(binomial(2, p), Var([0, 1, 2], [(1 - p) ** 2, 2 * p - 2 * p**2 - q, p**2 + q]))


# -- refutations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 8])
def test_divisor_n_is_biased(n):
    law = Var([0, 1, 2], [p, q, 1 - p - q])
    found = report(sampling_distribution(lambda draws: sample_variance(draws, n), law, n), variance(law))
    assert not found.unbiased
    assert found.proof == "proved"
    assert identical(found.bias, -variance(law) / n)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_baseline_that_contains_its_own_draw_shrinks_the_gradient(n):
    draws, _ = policy_draws()
    found = report(group_gradient(draws, n, baseline="mean"), v0 - v2)
    assert not found.unbiased
    assert identical(found.mean, Fraction(n - 1, n) * (v0 - v2))
    assert identical(found.bias, (v2 - v0) / n)


def test_plug_in_pass_at_k_is_biased():
    plug_in = sampling_distribution(lambda attempts: 1 - (1 - Fraction(1, 3) * sum(attempts)) ** 2, coin, 3)
    found = report(plug_in, 1 - (1 - p) ** 2)
    assert identical(found.bias, -p * (1 - p) / 3)
    assert "biased by" in found.verdict
    with pytest.raises(AssertionError, match=r"biased by .*\(proved\)"):
        assert_unbiased(plug_in, 1 - (1 - p) ** 2)


def test_k2_is_biased():
    first, second = bernoulli(s), bernoulli(t)
    found = report(k2(first, second), kl(first, second))
    assert not found.unbiased
    half_square = [(sympy.log(a) - sympy.log(b)) ** 2 / 2 for a, b in ((s, t), (1 - s, 1 - t))]
    assert identical(found.mean, s * half_square[0] + (1 - s) * half_square[1])


# -- equal outcomes, however they are written --------------------------------------------------------------------------


SAME = {
    "expanded": ((p + 1) ** 2, p**2 + 2 * p + 1),
    "common denominators": ((p / 2 + Fraction(1, 3)) / (q + Fraction(1, 5)), (15 * p + 10) / (30 * q + 6)),
    "cancelled": ((p**2 - 1) / (p - 1), p + 1),
    "conjugates": (1 / (1 + sympy.sqrt(2)), sympy.sqrt(2) - 1),
    "products of roots": (sympy.sqrt(2) * sympy.sqrt(3), sympy.sqrt(6)),
    "logarithms of products": (sympy.log(6), sympy.log(2) + sympy.log(3)),
    "logarithms of ratios": (sympy.log(s / t), sympy.log(s) - sympy.log(t)),
    "powers": (sympy.exp(2 * p), sympy.exp(p) ** 2),
    "roots of symbols": (sympy.sqrt(s) ** 3, s * sympy.sqrt(s)),
}


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_two_forms_of_one_outcome_are_one(pair):
    first, second = pair
    both = Var(pair, [t, 1 - t])
    assert len(both) == 1
    assert both.prob(first) == both.prob(second) == 1
    assert same_law(Var([first, 0], [t, 1 - t]), Var([second, 0], [t, 1 - t]))
    lists = Var([0, 1], [t, 1 - t]).op(lambda a: (pair[a], "a state"))
    assert len(lists) == 1
    assert len(Var([0, 1], [t, 1 - t]).vector(lambda a: [a, pair[a]]).outcomes) == 2
    assert identical(expect(total(Var([first, 0], [t, 1 - t]), 2)), 2 * t * second)


OTHER = {
    "roots": (sympy.sqrt(2) + sympy.sqrt(3), sympy.sqrt(10)),
    "a digit after thirty": (sympy.sqrt(2), sympy.sqrt(2) + Fraction(1, 10**30)),
    "equal at the point that is tried first": (p, sympy.Rational(1, 8)),
    "a polynomial that is 0 at every point tried": (
        (p - Fraction(1, 8)) * (p - Fraction(2, 11)) * (p - Fraction(3, 14)),
        0,
    ),
}


@pytest.mark.parametrize("pair", OTHER.values(), ids=OTHER)
def test_different_outcomes_stay_apart(pair):
    both = Var(pair, [t, 1 - t])
    assert len(both) == 2
    assert both.prob(pair[0]) == t


def test_what_cannot_be_decided_is_refused():
    """sqrt(5 + 2 sqrt(6)) = sqrt(2) + sqrt(3), but neither the ring nor a number proves it: no guess is made."""
    nested = sympy.sqrt(5 + 2 * sympy.sqrt(6))
    with pytest.raises(ValueError, match="cannot be decided whether"):
        Var([nested, sympy.sqrt(2) + sympy.sqrt(3)], [t, 1 - t])
    with pytest.raises(ValueError, match="cannot be decided whether"):
        Var([0, 1], [sympy.sin(p) ** 2, sympy.cos(p) ** 2])
    with pytest.raises(ValueError, match="cannot be decided whether"):
        assert_unbiased(Var([abs(p), 0], [t, 1 - t]), sympy.sqrt(p**2) * t)


def test_probabilities_that_are_laws_after_expansion_only():
    assert len(Var([0, 1, 2], [(1 - p) ** 2, 2 * p * (1 - p), p**2])) == 3
    assert len(Var([0, 1, 2], [p, 1 - p, (p + 1) ** 2 - p**2 - 2 * p - 1])) == 2  # the last is identically 0
    assert expect(Var([0, 1], [1 / (1 + sympy.exp(p)), 1 / (1 + sympy.exp(-p))])).has(sympy.exp(p))
    assert len(Var([0, 1], [sympy.sqrt(2) / 2, 1 - 1 / sympy.sqrt(2)])) == 2
    assert Var([0, 1], [sympy.Rational(1, 3), sympy.Rational(2, 3)]).kind == "rational"


def test_probabilities_that_are_none_are_refused():
    for probs in ([p, q], [p, -p], [-s, 1 + s], [p, 1 - p + Fraction(1, 10**30)], [sympy.sqrt(2), 1 - sympy.sqrt(2)]):
        with pytest.raises(ValueError, match=r"sum to|between 0 and 1"):
            Var([0, 1], probs)


def test_conditions_on_values_and_mixtures():
    law = Var([0, 1, 2], [p, q, 1 - p - q])
    given = law.cond(lambda a: a > 0)
    assert identical(given.prob(1), q / (1 - p))
    mixed = coin.op(lambda side: law if side else 7)
    assert identical(mixed.prob(7), 1 - p)
    assert identical(mixed.prob(0), p**2)
    assert identical(law.cdf(1), p + q)
    assert Var([s, -s], [p, 1 - p]).prob(lambda a: a > 0) == p  # decided by the sign that s has


def test_numbers_that_are_expressions():
    assert identical(std(coin) ** 2, p * (1 - p))
    assert identical(skewness(coin) ** 2, (1 - 2 * p) ** 2 / (p * (1 - p)))
    assert correlation(shared(coin)) == 1
    assert coin.log_prob(1) == sympy.log(p)
    assert coin.log_prob(7) == -math.inf
    assert identical(variance(binomial(10**6, p)), 10**6 * p * (1 - p))


def test_moments_against_enumeration_at_numbers():
    """Put numbers in the symbols afterwards, or before: the moments are the same fractions."""
    at = {p: Fraction(1, 5), q: Fraction(1, 2), v0: 3, v1: -1, v2: Fraction(2, 7)}
    numbers = [at[v] for v in (v0, v1, v2)]
    law = Var(numbers, [at[p], at[q], 1 - at[p] - at[q]])
    mean = sum(v * w for v, w in zip(numbers, (Fraction(1, 5), Fraction(1, 2), Fraction(3, 10)), strict=True))
    assert expect(law) == mean
    for symbolic, rational in (
        *zip(three.source.cumulants(), law.source.cumulants(), strict=True),
        *zip(total(three, 3).source.cumulants(), total(law, 3).source.cumulants(), strict=True),
        (covar(shared(three).op(lambda a: a, lambda a: a**2)), covar(shared(law).op(lambda a: a, lambda a: a**2))),
    ):
        assert sympy.nsimplify(symbolic.subs(at)) == sympy.Rational(rational.numerator, rational.denominator)


# -- one clear error each ----------------------------------------------------------------------------------------------

floats = bernoulli(0.25)
REFUSED = {
    "a condition on a symbol": (lambda: three.cond(lambda a: a > 0), "neither true nor false.*a number in the place"),
    "an event on a symbol": (lambda: three.prob(lambda a: a > 0), "neither true nor false.*a number in the place"),
    "the larger of two symbols": (lambda: indep(three, three).combine(max), "truth value"),
    "a float law beside it": (lambda: indep(coin, floats).add(), "float law and a symbolic law"),
    "a product with a float law": (lambda: indep(coin, floats).mul(), "float law and a symbolic law"),
    "a float law in a mixture": (lambda: coin.op(lambda a: floats), "float law and a symbolic law"),
    "a symbol added to a float law": (lambda: floats + p, "symbols beside a float law"),
    "a symbol times a float mean": (lambda: monte_carlo(floats, 2) * p, "symbols beside a float law"),
    "a symbol as the share of a float stratum": (
        lambda: stratified([floats, floats], [p, 1 - p], [1, 1]),
        "symbols beside",
    ),
    "a symbolic target of a float law": (lambda: report(floats, p), "symbols beside a float law"),
    "floats among its probabilities": (lambda: Var([0, 1, 2], [p, 0.5, 0.5 - p]), "cannot be mixed"),
    "a quantile": (lambda: coin.quantile(0.5), "needs numbers.*depend on symbols"),
    "a float form": (lambda: coin.to_float(), "needs numbers.*depend on symbols"),
    "a ratio that is 1/0": (lambda: coin.op(lambda a: p / sympy.Integer(a)), "NaN on outcome 0"),
    "a ratio that is 0/0": (lambda: coin.op(lambda a: (p - p) / sympy.Integer(a)), "NaN on outcome 0"),
    "a quotient by 0": (lambda: indep(coin, coin).div(), "Y is 0 with probability"),
    "NaN as an outcome": (lambda: Var([sympy.nan, 1], [p, 1 - p]), "NaN"),
    "a variance with an infinite outcome": (lambda: variance(Var([sympy.oo, 1], [p, 1 - p])), "infinite"),
}


@pytest.mark.parametrize(("program", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_with_one_clear_error(program, message):
    with pytest.raises(ValueError, match=message):
        program()


def test_a_constant_goes_with_symbols():
    assert indep(constant(2), coin).add().values.tolist() == [2, 3]
    assert identical(expect(coin + c), p + c)
    assert expect(Var([sympy.oo, 1], [p, 1 - p])) == math.inf
    with pytest.raises(RandvarError, match="beside a float"):  # which would quietly stop being exact
        expect(Var([0.5, 1.5], [p, 1 - p]))


def test_every_sample_is_run_once():
    """The multisets of two draws out of four symbols: each with its number of orders."""
    pairs = sampling_distribution(lambda draws: tuple(sorted(draws, key=str)), four, 2, symmetric=True)
    weights = dict(zip(four.values, four.probs, strict=True))
    for first, second in itertools.combinations(values, 2):
        assert identical(pairs.prob((first, second)), 2 * weights[first] * weights[second])


def test_log_prob_of_a_symbolic_law():
    p = sympy.Symbol("p", positive=True)
    assert bernoulli(p).log_prob(1) == sympy.log(p)
    assert total(bernoulli(p), 2).log_prob(2) == sympy.log(p**2)


def test_two_forms_of_one_number_have_one_name_whatever_the_order():
    forms = [1 / (1 + sympy.sqrt(2)), sympy.sqrt(2) - 1]
    for order in itertools.permutations(forms):
        both = Var([*order], [t, 1 - t])
        assert len(both) == 1
        assert all(both.prob(form) == 1 for form in order)


def test_laws_of_expressions_do_not_depend_on_the_hashes_of_a_process():
    program = (
        "import sympy; from randvar import *; t = sympy.Symbol('t', positive=True); r = sympy.sqrt(2);"
        "x = Var([1 / (1 + r), r - 1], [t, 1 - t]); print(x.values, x.prob(r - 1), x.prob(1 / (1 + r)))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
        ).stdout
        for seed in ("1", "8", "9")
    }
    assert len(said) == 1
    assert said.pop().endswith(" 1 1\n")
