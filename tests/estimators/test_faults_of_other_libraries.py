"""Small questions about estimators that libraries have got wrong, each with its exact answer."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import Cancelling, agree

from randvar import (
    RandvarError,
    Var,
    assert_unbiased,
    bernoulli,
    coverage,
    expect,
    from_dict,
    group_gradient,
    iid,
    importance,
    importance_weights,
    k1,
    k2,
    kl,
    leave_one_out_gradient,
    monte_carlo,
    report,
    sampling_distribution,
    self_normalized,
    shared,
    std,
    total,
    uniform,
    variance,
)
from randvar.estimators import CentredInterval, truncated
from randvar.examples.sampling_to_reinforce import kl_k3

CASES = json.loads((Path(__file__).parents[1] / "support" / "reference" / "cases.json").read_text())
COMPUTED: dict[str, Callable[[], dict[str, Any]]] = {}
die = uniform(1, 7)


def case(name: str) -> Callable[..., Any]:
    """Register the function that answers the case whose id starts with this name."""
    (full_name,) = (full for full in CASES if full.startswith(name + "-"))

    def register(compute: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
        COMPUTED[full_name] = compute
        return compute

    return register


NAMES = [name for name in CASES if name.startswith(("N", "D01"))]


@pytest.mark.parametrize("name", NAMES)
def test_case(name):
    got, expected = COMPUTED[name](), CASES[name]["expected"]
    assert set(got) == set(expected)
    for key, exact in expected.items():
        if exact == "error":
            with pytest.raises(RandvarError):
                got[key]()
        else:
            agree(got[key], exact, f"{name}[{key}]")


@case("N01")
def _():
    p, reference = bernoulli(3 / 4), bernoulli(1 / 5)

    def score(a):
        return a - 3 / 4

    def log_ratio(a):
        return p.log_prob(a) - reference.log_prob(a)

    def ratio(a):
        return reference.prob(a) / p.prob(a)

    def as_loss(derivative):
        """E[d/dt k(A)], the sample held fixed; d log ratio/dt is the score, d ratio/dt is -ratio * score."""
        return Cancelling(expect(p, derivative), 1)

    def as_reward(k):
        return Cancelling(expect(p, lambda a: k(a) * score(a)), 1)

    k3 = kl_k3(p, reference).sub()
    return {
        "KL": kl(p, reference),
        # dKL/dt = sum dp/dt log(p/ref) with dp(1)/dt = p (1 - p); the normalisation contributes nothing.
        "true_gradient": 3 / 16 * (log_ratio(1) - log_ratio(0)),
        "k1_loss": as_loss(score),
        "k2_loss": as_loss(lambda a: log_ratio(a) * score(a)),
        "k3_loss": as_loss(lambda a: score(a) - ratio(a) * score(a)),
        "k1_reward": as_reward(log_ratio),
        "k3_reward": as_reward(lambda a: ratio(a) - 1 + log_ratio(a)),
        "mean_k1": expect(k1(p, reference)),
        "var_k1": variance(k1(p, reference)),
        "mean_k2": expect(k2(p, reference)),
        "var_k2": variance(k2(p, reference)),
        "mean_k3": expect(k3),
        "var_k3": variance(k3),
    }


@case("N03")
def _():
    p = Fraction(1, 4)
    action = bernoulli(p)
    draws = shared(action).op(lambda a: 2 if a else -1, lambda a: a - p)
    mean_reward = expect(draws[0])
    own, none = group_gradient(draws, 3, baseline="mean"), group_gradient(draws, 3, baseline="none")
    loo = group_gradient(draws, 3, baseline="leave_one_out")
    assert variance(loo) == variance(leave_one_out_gradient(draws, 3))
    known = monte_carlo(draws.op(lambda r: r - mean_reward, lambda s: s).mul(), 3)
    return {
        "true_gradient": 3 * p * (1 - p),
        "mean_none": expect(none),
        "var_none": variance(none),
        "mean_own": expect(own),
        "var_own": variance(own),
        "mean_loo": expect(loo),
        "var_loo": variance(loo),
        "mean_known_mean": expect(known),
        "var_known_mean": variance(known),
        "mean_own_G128": expect(group_gradient(draws, 128, baseline="mean")),
    }


@case("N04")
def _():
    def group(p, ddof):
        """The average of advantage * score, advantage = (r - mean)/std and 0 in a group of equal rewards."""

        def gradient(r):
            spread = np.std(r, ddof=ddof)
            return np.mean((r - np.mean(r)) * (r - p)) / spread if len(set(r)) > 1 else 0.0

        return expect(sampling_distribution(gradient, bernoulli(p), 4))

    def row(p, name):
        draws = shared(bernoulli(p)).op(lambda a: a, lambda a: a - p)
        by_library = expect(group_gradient(draws, 4, baseline="mean", divide_by_std=True))
        assert by_library == pytest.approx(group(p, 0), rel=1e-12)
        return {
            f"popstd_{name}": by_library,
            f"samplestd_{name}": group(p, 1),
            f"ratio_popstd_{name}": by_library / (p * (1 - p)),
            f"nostd_{name}": expect(group_gradient(draws, 4, baseline="mean")),
        }

    return row(0.5, "half") | row(0.1, "tenth")


@case("N06")
def _():
    sampling, target = bernoulli(0.5), bernoulli(0.75)

    def reward(a, b):
        return a + a * b

    def ratio(a):
        return target.prob(a) / sampling.prob(a)

    def law(weight, f=lambda a, b: 1):
        return iid(sampling, 2).combine(lambda a, b: weight(ratio(a), ratio(b)) * f(a, b))

    def product(u, v):
        return u * v

    def geometric(u, v):
        return math.sqrt(u * v)

    def arithmetic(u, v):
        return (u + v) / 2

    return {
        "true_value": expect(iid(target, 2).combine(reward)),
        "product": expect(law(product, reward)),
        "var_product": variance(law(product, reward)),
        "geometric": expect(law(geometric, reward)),
        "var_geometric": variance(law(geometric, reward)),
        "arithmetic": expect(law(arithmetic, reward)),
        "weight_mean_product": expect(law(product)),
        "weight_mean_geometric": expect(law(geometric)),
        "weight_mean_arithmetic": expect(law(arithmetic)),
    }


@case("N07")
def _():
    sampling = Var([0, 1, 2], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    target = Var([0, 1, 2], [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)])
    advantage = [1, -2, 3].__getitem__
    cap = 2
    plain, capped = importance(target, sampling, advantage), truncated(target, sampling, advantage, cap)
    masked = truncated(target, sampling, advantage, cap, masked=True)
    one = lambda a: 1
    return {
        "true_value": expect(target, advantage),
        "mean_plain": expect(plain),
        "var_plain": variance(plain),
        "weightmean_plain": expect(importance_weights(target, sampling)),
        "mean_truncated": expect(capped),
        "var_truncated": variance(capped),
        "weightmean_truncated": expect(truncated(target, sampling, one, cap)),
        "mean_masked": expect(masked),
        "var_masked": variance(masked),
        "weightmean_masked": expect(truncated(target, sampling, one, cap, masked=True)),
    }


@case("N09")
def _():
    def unbiased(n, c, k):
        if k > n:
            raise ValueError(f"k = {k} of n = {n}")
        return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))

    def plugin(n, c, k):
        return 1 - (1 - Fraction(c, n)) ** k

    attempt, n, k = bernoulli(Fraction(3, 10)), 5, 3
    by_count = sampling_distribution(lambda v: unbiased(n, sum(v), k), attempt, n)
    resampled = sampling_distribution(lambda v: plugin(n, sum(v), k), attempt, n)
    truth = 1 - Fraction(7, 10) ** k
    assert_unbiased(by_count, truth)
    with pytest.raises(AssertionError):
        assert_unbiased(resampled, truth)
    return {
        "truth": truth,
        "mean_unbiased": expect(by_count),
        "var_unbiased": variance(by_count),
        "mean_plugin": expect(resampled),
        "var_plugin": variance(resampled),
        "n4c1k4_unbiased": unbiased(4, 1, 4),
        "n4c1k4_resample": plugin(4, 1, 4),
        "n2_k3": lambda: sampling_distribution(lambda v: unbiased(2, sum(v), 3), attempt, 2),
    }


@case("N11")
def _():
    target = from_dict({"x": Fraction(4, 5), "y": Fraction(1, 5)})
    logging = from_dict({"x": Fraction(1, 2), "y": Fraction(1, 2)})

    def reward(a):
        return bernoulli(Fraction(3, 4) if a == "x" else Fraction(1, 4))

    truth = expect(target.op(reward))
    plain = monte_carlo(importance(target, logging, reward), 3)
    ratio = self_normalized(target, logging, reward, 3)
    return {
        "true_value": truth,
        "mean_plain": expect(plain),
        "var_plain": variance(plain),
        "mse_plain": report(plain, truth).mse,
        "mean_selfnorm": expect(ratio),
        "var_selfnorm": variance(ratio),
        "mse_selfnorm": report(ratio, truth).mse,
    }


@case("N16")
def _():
    def row(n):
        mean_of = {
            "var_n-1": lambda v: np.var(v, ddof=1),
            "var_n": np.var,
            "sd_n-1": lambda v: np.std(v, ddof=1),
        }
        return {f"{name}_{n}": expect(sampling_distribution(f, die, n)) for name, f in mean_of.items()}

    return {"population_sd": std(die)} | row(2) | row(3)


@case("N17")
def _():
    z2 = Fraction(49, 25) ** 2

    def interval(successes, at_the_ends):
        share = share_in_error = Fraction(successes, 100)
        if at_the_ends and successes in (0, 100):
            share_in_error = Fraction(2 * successes + 1, 202)
        return CentredInterval(share, z2 * share_in_error * (1 - share_in_error) / 100)

    def covered(p, at_the_ends):
        return coverage(lambda sample: interval(int(sum(sample)), at_the_ends), bernoulli(p), 100, symmetric=True)

    return {
        "plain_p002": covered(1 / 50, False),
        "variant_p0014": covered(7 / 500, True),
        "variant_p002": covered(1 / 50, True),
        "zero_width_p002": total(bernoulli(1 / 50), 100).prob(lambda s: s in (0, 100)),
    }


@case("N21")
def _():
    def vote(p, ties):
        spins = total(Var([-1, 1], [1 - p, p]), 4)
        return expect(spins.op(lambda s: ties if s == 0 else (1 if s > 0 else -1)))

    coin = Var([-1, 1], [Fraction(1, 2), Fraction(1, 2)])
    return {
        "tie_plus_p0.4": vote(Fraction(2, 5), 1),
        "tie_coin_p0.4": vote(Fraction(2, 5), coin),
        "tie_plus_p0.5": vote(Fraction(1, 2), 1),
        "tie_coin_p0.5": vote(Fraction(1, 2), coin),
    }


@case("D01")
def _():
    def pool(n):
        """Highest value and one more for each further die that shows it, of n dice."""
        return sampling_distribution(highest_and_how_many, die.rational(), n, symmetric=True, vectorized=True)

    def highest_and_how_many(rolls):
        highest = rolls.max(axis=1)
        return highest + np.sum(rolls == highest[:, None], axis=1) - 1

    def first_n(high, low):
        return next(n for n in range(1, 19) if pools[n].prob(high) > pools[n].prob(low))

    pools = {n: pool(n) for n in range(1, 19)}
    three = {f"n3_P{v}": pools[3].prob(v) for v in range(1, 9)}
    larger = {
        f"n{n}_P{v}": pools[n].prob(v)
        for n, v in [(11, 6), (11, 7), (12, 6), (12, 7), (17, 7), (17, 8), (18, 7), (18, 8)]
    }
    return three | larger | {"claim_7_over_6_first_n": first_n(7, 6), "claim_8_over_7_first_n": first_n(8, 7)}


def test_the_pool_one_die_at_a_time():
    """The state (highest, how many show it) is enough, and small."""

    def one_more(state):
        highest, count = state

        def seen(face):
            return (face, 1) if face > highest else (highest, count + (face == highest))

        return die.rational().op(seen)

    states = list(accumulate(range(12), lambda x, _: x.op(one_more), initial=Var([(0, 0)], [1])))
    assert states[12].op(lambda s: s[0] + s[1] - 1).prob(7) == Fraction(705552925, 2176782336)


def test_the_self_normalised_ratio_is_not_the_ratio_of_means():
    """Numerator and denominator depend on each other, so E[num]/E[den] is another number."""
    target, logging = bernoulli(Fraction(1, 5)), bernoulli(Fraction(1, 2))
    ratio = self_normalized(target, logging, lambda a: a, 3)
    plain = monte_carlo(importance(target, logging, lambda a: a), 3)
    assert expect(ratio) != expect(plain) == Fraction(1, 5)
