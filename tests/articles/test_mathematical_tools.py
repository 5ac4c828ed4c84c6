"""Every number of the appendix "Mathematical Tools", against exact values computed without the package.

Each function below returns what the package says, in the shape of the exact entry of the same name. Left out is what
concerns the appendix's own samples; the quantiles of a lognormal weight are in `test_mathematical_tools_missing_mass`.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from agreement import Cancelling, agree
from exact_entries import ExactEntries

from randvar import (
    RandvarError,
    Var,
    bernoulli,
    best_coefficient,
    binomial,
    clustered,
    continuous_uniform,
    control_variate,
    correlation,
    covar,
    coverage,
    dependent,
    effective_sample_size,
    expect,
    importance,
    importance_weights,
    k1,
    k2,
    k3,
    kl,
    moment,
    monte_carlo,
    normal,
    product_of_draws,
    shared,
    softmax,
    std,
    t_interval,
    total,
    variance,
    wald_interval,
)
from randvar.estimators import design_effect, intraclass_correlation, kish_efficiency, optimal_proposal

ENTRIES = ExactEntries("mathematical_tools")
DATA, EXACT, entry = ENTRIES.data, ENTRIES.exact, ENTRIES.entry


@pytest.mark.parametrize("name", EXACT)
def test_entry(name):
    agree(ENTRIES.computed[name](), EXACT[name], name)


def test_no_entry_is_left_out():
    assert set(ENTRIES.computed) == set(EXACT)
    assert len(EXACT) == 43


def itself(a):
    return a


# A.1 Monte Carlo estimates and error bars

p = bernoulli(0.3)


def standard_error(n):
    """s/sqrt(n) of n draws that are 0 or 1, from the number of ones."""
    return lambda k: math.sqrt(k * (n - k) / (n**2 * (n - 1)))


def test_coverage_is_exact_in_fractions():
    assert coverage(wald_interval, bernoulli(Fraction(3, 10)), 200) == Fraction(EXACT["001.A1.coverage"]["coverage"])
    assert coverage(wald_interval, p, 200) == pytest.approx(0.944031044937726, abs=1e-14)


@entry("001.A1.coverage")
def _():
    covering = [k for k in range(201) if Fraction(3, 10) in wald_interval.from_sums(200, k, k)]
    return {
        "coverage": coverage(wald_interval, p, 200),
        "covered_k_min": covering[0],
        "covered_k_max": covering[-1],
        "contiguous": covering == list(range(covering[0], covering[-1] + 1)),
    }


@entry("001.A1.avg_stderr")
def _():
    estimated = total(p, 200).op(standard_error(200))
    theoretical = std(monte_carlo(p, 200))
    return {
        "E[stderr]": expect(estimated),
        "theoretical": theoretical,
        "relative_bias": Cancelling(expect(estimated) / theoretical - 1, 1),
        "E[stderr^2]": moment(estimated, 2),
    }


@entry("001.A1.theoretical_stderr")
def _():
    mean = monte_carlo(p, 200)
    return {"stderr": std(mean), "stderr_squared": variance(mean)}


@entry("001.A1.var_of_mean")
def _():
    means = {n: monte_carlo(p, n) for n in (50, 200, 800)}
    return {f"n={n}": {"mean": expect(mean), "variance": variance(mean)} for n, mean in means.items()}


@entry("001.A1.degrades")
def _():
    def row(n, share):
        x = bernoulli(share)
        successes = total(x, n)
        return {
            "coverage": coverage(wald_interval, x, n),
            "E[stderr]": expect(successes.op(standard_error(n))),
            "theoretical": std(monte_carlo(x, n)),
            "P(zero width)": successes.prob(lambda k: k in (0, n)),
        }

    shares = {"1/100": 0.01, "1/20": 0.05, "3/10": 0.3, "1/2": 0.5}
    return {f"n={n},p={name}": row(n, share) for n in (5, 10, 20, 50, 200) for name, share in shares.items()}


# A.2 The variance of sums


def correlated_mean(rho):
    """The mean of 16 draws that share a normal component, with correlation rho and variance 1."""
    own = normal(nodes=3) * (1 - rho) ** 0.5
    return clustered(normal(nodes=3) * rho**0.5, lambda common: own + common, size=16)


@entry("001.A2.formula")
def _():
    def row(rho):
        effect = design_effect(16, rho)
        return {"var_mean": variance(correlated_mean(rho)), "n_eff": 16 / effect, "design_effect": effect}

    return {f"rho={rho}": row(rho) for rho in (0.0, 0.2, 0.5)}


@entry("001.A2.sampled")
def _():
    return {"exact": [design_effect(16, rho) / 16 for rho in (0.0, 0.2, 0.5)]}


@entry("001.A2.discrete_rational")
def _():
    coin = Var([-1, 1], [Fraction(1, 2)] * 2)
    rho = intraclass_correlation(coin, lambda common: (3 * common + 4 * coin) / 5)
    return {
        "var_mean": variance(clustered(coin, lambda common: (3 * common + 4 * coin) / 5, size=16)),
        "formula": design_effect(16, rho) / 16,
        "cov_pair": rho,
        "n_eff": 16 / design_effect(16, rho),
    }


@entry("001.A2.limit")
def _():
    many = 10**14
    limits = {
        f"rho={rho}": {"limit_var": design_effect(many, rho) / many, "limit_n_eff": many / design_effect(many, rho)}
        for rho in (0.2, 0.5)
    }
    return limits | {"n=1000": {f"rho={rho}": design_effect(1000, rho) / 1000 for rho in (0.2, 0.5)}}


# A.3 Control variates: f(X) = e^X of a standard normal X

bell = normal()
f_x = control_variate(bell, math.exp, itself, known_mean=0)
f_x2 = control_variate(bell, math.exp, lambda v: v**2, known_mean=1)


def reduced(pair):
    """The variance that the best multiple of the control leaves."""
    return variance(pair.op(itself, lambda h: best_coefficient(pair) * h).sub())


@entry("001.A3.exact")
def _():
    return {
        "mean": expect(f_x[0]),
        "var_f": variance(f_x[0]),
        "c_star": best_coefficient(f_x),
        "reduced_variance": reduced(f_x),
        "corr_sq": correlation(f_x) ** 2,
        "stderr_raw_1e6": std(monte_carlo(f_x[0], 10**6)),
        "stderr_cv_1e6": math.sqrt(reduced(f_x) / 10**6),
    }


@entry("001.A3.gauss_hermite")
def _():
    def row(nodes):
        x = normal(nodes=nodes)
        pair = control_variate(x, math.exp, itself, known_mean=0)
        square = control_variate(x, math.exp, lambda v: v**2, known_mean=1)
        return {
            "mean": expect(pair[0]),
            "var_f": variance(pair[0]),
            "c_star": best_coefficient(pair),
            "reduced_variance": reduced(pair),
            "corr_sq": correlation(pair) ** 2,
            "mean_err": Cancelling(expect(pair[0]) - math.exp(0.5), 2),
            "var_err": Cancelling(variance(pair[0]) - math.exp(2) + math.e, 5),
            "g=X^2": {
                "mean_g": expect(x, lambda v: v**2),
                "var_g": variance(square[1]),
                "c_star": best_coefficient(square),
                "reduced_variance": reduced(square),
                "corr_sq": correlation(square) ** 2,
            },
        }

    return {f"m={nodes}": row(nodes) for nodes in (5, 10, 20, 40)}


@entry("001.A3.ex4")
def _():
    return {
        "cov": covar(f_x2),
        "var_g": variance(f_x2[1]),
        "c_star": best_coefficient(f_x2),
        "reduced_variance": reduced(f_x2),
        "corr_sq": correlation(f_x2) ** 2,
    }


@entry("001.A3.both_controls")
def _():
    c1, c2 = best_coefficient(f_x), best_coefficient(f_x2)
    left = variance(bell.op(lambda v: math.exp(v) - c1 * v - c2 * (v**2 - 1)))
    return {
        "reduced_variance": left,
        "R_sq": 1 - left / variance(f_x[0]),
        "var_series_k1_to_30": variance(f_x[0]),
    }


@entry("001.A3.c_sweep")
def _():
    return {
        f"c={c}": variance(control_variate(bell, math.exp, itself, 0, b=c).sub()) for c in (0, 0.5, 1, 1.5, 2, 3, 3.5)
    }


# A.4 Importance sampling: f(x) = x

target = Var([1, 2, 3, 4], [Fraction(k, 10) for k in (1, 2, 3, 4)])
near = Var([1, 2, 3, 4], [Fraction(k, 20) for k in (3, 4, 6, 7)])
far = Var([1, 2, 3, 4], [Fraction(k, 100) for k in (70, 20, 8, 2)])


@entry("001.A4.exact_mean")
def _():
    return {
        "E_p[f]": expect(target),
        "E_qnear[wf]": expect(importance(target, near, itself)),
        "E_qfar[wf]": expect(importance(target, far, itself)),
        "E_q[w]": expect(importance_weights(target, far)),
        "var_p_f": variance(target),
    }


def proposal(q):
    estimator = importance(target, q, itself)
    return {
        "weights": [target.prob(a) / q.prob(a) for a in (1, 2, 3, 4)],
        "mean": expect(estimator),
        "variance": variance(estimator),
        "stderr_1e5": std(monte_carlo(estimator, 10**5)),
        "E[w^2]": moment(importance_weights(target, q), 2),
        "ESS_fraction": effective_sample_size(target, q),
        "var_w": variance(importance_weights(target, q)),
    }


@entry("001.A4.near")
def _():
    return proposal(near)


@entry("001.A4.far")
def _():
    return proposal(far)


@entry("001.A4.ratio")
def _():
    return {"ratio": std(importance(target, far, itself)) / std(importance(target, near, itself))}


@entry("001.A4.ex1_optimal_q")
def _():
    best = optimal_proposal(target, itself)
    constant = importance(target, best, itself)
    return {"q_star": best.probs, "wf_values": [*constant.values] * 4, "variance": variance(constant)}


@entry("001.A4.ex1_signed")
def _():
    signed = {1: 1, 2: -2, 3: 3, 4: -4}.get
    best = optimal_proposal(target, signed)
    return {
        "q_star": best.probs,
        "E_f": expect(target, signed),
        "E_abs_f": expect(target, lambda a: abs(signed(a))),
        "min_variance": variance(importance(target, best, signed)),
    }


@entry("001.A4.support_violation")
def _():
    q = Var([2, 3, 4], [Fraction(1, 3)] * 3)
    with pytest.raises(RandvarError, match="misses 1, which p draws with probability 1/10"):
        importance(target, q, itself)
    return {"E_q[wf]": expect(q, lambda a: target.prob(a) / q.prob(a) * a), "target": expect(target)}


# Products of ratios


def log_normal_ratio(sigma, nodes=40):
    """A ratio of mean 1 whose logarithm is normal with standard deviation sigma."""
    return normal(-(sigma**2) / 2, sigma, nodes).op(math.exp)


@entry("001.A4.products")
def _():
    def row(steps):
        w = product_of_draws(log_normal_ratio(0.1), steps)
        return {"E[w]": expect(w), "variance": variance(w), "std": std(w), "ESS_fraction": kish_efficiency(w)}

    return {f"T={steps}": row(steps) for steps in (1, 10, 100, 1000)}


@entry("001.A4.products_two_point")
def _():
    ratio = Var([Fraction(9, 10), Fraction(11, 10)], [Fraction(1, 2)] * 2)

    def row(steps):
        w = product_of_draws(ratio, steps)
        return {"variance": variance(w), "std": std(w), "ESS_fraction": kish_efficiency(w)}

    return {f"T={steps}": row(steps) for steps in (1, 10, 100, 1000)}


@entry("001.A4.products_gauss_hermite")
def _():
    def row(nodes):
        ratio = log_normal_ratio(0.1, nodes)
        trajectories = {f"T={steps}": product_of_draws(ratio, steps) for steps in (1, 10, 100, 1000)}
        return {"E[r]": expect(ratio), "E[r^2]": moment(ratio, 2)} | {
            steps: {"E[w]": expect(w), "var": variance(w), "ESS": kish_efficiency(w)}
            for steps, w in trajectories.items()
        }

    return {f"m={nodes}": row(nodes) for nodes in (2, 3, 5, 10)}


@entry("001.A4.ex2")
def _():
    def row(sigma):
        ratio = log_normal_ratio(sigma)
        threshold = math.log(10) / math.log1p(variance(ratio) / expect(ratio) ** 2)
        first = math.ceil(threshold)
        assert (
            kish_efficiency(product_of_draws(ratio, first)) < 0.1 < kish_efficiency(product_of_draws(ratio, first - 1))
        )
        return {"threshold": threshold, "T_first": first}

    small = log_normal_ratio(0.03)
    sizes = {
        f"T={steps}": kish_efficiency(product_of_draws(small, steps)) for steps in (1, 10, 100, 1000, 2558, 2559, 10000)
    }
    return {"sigma=0.03": row(0.03), "sigma=0.1": row(0.1), "ess_sigma0.03": sizes}


# A.5 The log-derivative trick

policy = softmax(DATA["A5"]["logits"])
passes = DATA["A5"]["f"].__getitem__


def score(a):
    """d log p(a) / d logits: the one-hot vector of the outcome minus the probabilities."""
    return [(a == k) - policy.prob(k) for k in range(5)]


def gradient(baseline=0.0):
    """The score-function estimator (f(X) - b) * score(X), one draw."""
    return policy.vector(lambda a: [(passes(a) - baseline) * s for s in score(a)])


def of_component(k):
    """(f(X) * score_k(X), score_k(X)): a baseline is a multiple of the second."""
    return shared(policy).op(lambda a: passes(a) * score(a)[k], lambda a: score(a)[k])


@entry("001.A5.exact_gradient")
def _():
    return {
        "probs": policy.probs,
        "E_f": expect(policy, passes),
        "gradient": expect(gradient()),
        "sum_gradient": Cancelling(math.fsum(expect(gradient())), 1),
    }


@entry("001.A5.score_estimator_variance")
def _():
    return {"variance": variance(gradient()), "stderr": std(monte_carlo(gradient(), 200_000))}


@entry("001.A5.score_mean_zero")
def _():
    scores = policy.vector(score)
    return {
        "mean": [Cancelling(m, 1) for m in expect(scores)],
        "variance": variance(scores),
        "stderr": std(monte_carlo(scores, 200_000)),
    }


@entry("001.A5.baseline")
def _():
    pairs = [of_component(k) for k in range(5)]
    best = sum(map(covar, pairs)) / sum(variance(pair[1]) for pair in pairs)
    return {
        "trace_b0": sum(variance(gradient())),
        "trace_bEf": sum(variance(gradient(expect(policy, passes)))),
        "b_star_trace": best,
        "trace_bstar": sum(variance(gradient(best))),
        "per_component_b_star": list(map(best_coefficient, pairs)),
    }


# A.6 KL divergence: sequences of two tokens

p1, q1 = softmax(DATA["A6"]["p1_logits"]), softmax(DATA["A6"]["q1_logits"])
p2, q2 = ([softmax(row) for row in DATA["A6"][name]] for name in ("p2_logits", "q2_logits"))


def sequences(first, second):
    return dependent(first, second.__getitem__).combine(lambda a, b: (a, b))


p_sequence, q_sequence = sequences(p1, p2), sequences(q1, q2)


def per_token(first, other_first, second, other_second):
    """KL of the first token, plus the expected KL of the second given the first."""
    return kl(first, other_first) + expect(first, lambda a: kl(second[a], other_second[a]))


@entry("001.A6.kl")
def _():
    return {
        "sequence_kl": kl(p_sequence, q_sequence),
        "per_token_sum": per_token(p1, q1, p2, q2),
        "reverse": kl(q_sequence, p_sequence),
        "reverse_per_token_sum": per_token(q1, p1, q2, p2),
        "first_token_kl": kl(p1, q1),
        "second_token_kls": [kl(a, b) for a, b in zip(p2, q2, strict=True)],
        "p1": p1.probs,
        "q1": q1.probs,
        "p2": [row.probs for row in p2],
        "q2": [row.probs for row in q2],
    }


@entry("001.A6.k1_sequence")
def _():
    draw = k1(p_sequence, q_sequence)
    return {
        "mean": expect(draw),
        "variance": variance(draw),
        "P(negative)": draw.prob(lambda v: v < 0),
        "min": draw.values[0],
        "max": draw.values[-1],
    }


@entry("001.A6.properties")
def _():
    return {
        "forward": kl(p_sequence, q_sequence),
        "reverse": kl(q_sequence, p_sequence),
        "kl(p,p)": kl(p_sequence, p_sequence),
    }


# A.7 Estimating KL from samples: of the policy q, against the reference p

sampler = softmax(DATA["A7"]["q_logits"])
reference = {
    scale: softmax(np.array(DATA["A7"]["q_logits"]) + float(scale) * np.array(z))
    for scale, z in DATA["A7"]["z"].items()
}


def estimators(scale):
    other = reference[scale]
    truth = kl(sampler, other)

    def row(draw):
        return {
            "mean": expect(draw),
            "std": std(draw),
            "min": Cancelling(draw.values[0], 1),
            "max": draw.values[-1],
            "P(negative)": draw.prob(lambda v: v < 0),
        }

    return {
        "true_kl": truth,
        "reverse_kl": kl(other, sampler),
        "k2_bias": Cancelling(expect(k2(sampler, other)) - truth, 1),
        "k1": row(k1(sampler, other)),
        "k2": row(k2(sampler, other)),
        "k3": row(k3(sampler, other)),
    }


@entry("001.A7.scale_0.1")
def _():
    return estimators("0.1")


@entry("001.A7.scale_1.0")
def _():
    return estimators("1.0")


@entry("001.A7.k3_support")
def _():
    q, other = Var([0, 1], [0.5, 0.5]), Var([0, 1, 2], [0.25, 0.25, 0.5])
    return {
        "KL": kl(q, other),
        "E_q[r]": expect(q, lambda a: other.prob(a) / q.prob(a)),
        "E_q[k3]": expect(k3(q, other)),
        "k1_mean": expect(k1(q, other)),
    }


@entry("001.A7.k3_not_always_better")
def _():
    q, other = bernoulli(0.01), bernoulli(0.5)
    spread = variance(k1(q, other)), variance(k3(q, other))
    return {"KL": kl(q, other), "var_k1": spread[0], "var_k3": spread[1], "ratio": spread[1] / spread[0]}


@entry("001.A7.ex3")
def _():
    return {"min_k3": {scale: Cancelling(k3(sampler, other).values[0], 1) for scale, other in reference.items()}}


# Exercises 5 and 6: groups that share a success probability, uniform on [0, 0.6]

skill = continuous_uniform(0, 0.6, nodes=5)
group = skill.op(lambda share: binomial(8, share))


def naive(n):
    """The interval that takes n attempts for independent, from the number of successes."""
    return lambda successes: wald_interval.from_sums(n, successes, successes)


@entry("001.ex5.group_pmf")
def _():
    return {"pmf": group.probs, "mean": expect(group), "variance": variance(group)}


@entry("001.ex5.design_effect")
def _():
    rho = intraclass_correlation(skill, bernoulli)
    return {
        "var_p": variance(skill),
        "var_x": variance(skill.op(bernoulli)),
        "rho": rho,
        "design_effect": design_effect(8, rho),
        "n_eff": 200 / design_effect(8, rho),
        "var_mean": variance(clustered(skill, bernoulli, size=8, groups=25)),
        "naive_var": variance(monte_carlo(skill.op(bernoulli), 200)),
    }


def normal_coverage(effect):
    """P(|Z| <= 1.96 / sqrt(effect)): what an interval covers that is too narrow by sqrt(effect)."""
    return math.erf(1.96 / math.sqrt(2 * effect))


def test_coverage_over_groups_is_exact_in_fractions():
    law = Var(range(9), [Fraction(mass) for mass in EXACT["001.ex5.group_pmf"]["pmf"]])
    exact = Fraction(EXACT["001.ex5.naive_coverage"]["coverage"])
    assert coverage(naive(200), law, 25, target=Fraction(3, 10), of=itself) == exact
    assert coverage(naive(200), group, 25, target=0.3, of=itself) == pytest.approx(0.823723831524258, abs=1e-14)


@entry("001.ex5.naive_coverage")
def _():
    return {
        "coverage": coverage(naive(200), group, 25, target=0.3, of=itself),
        "normal_approximation": normal_coverage(design_effect(8, intraclass_correlation(skill, bernoulli))),
        "E[naive stderr]": expect(total(group, 25).op(standard_error(200))),
        "true_sd_of_mean": std(clustered(skill, bernoulli, size=8, groups=25)),
    }


@entry("001.ex5.cluster_coverage")
def _():
    means = group / 8
    squares = expect(total(means.op(lambda m: m**2), 25))
    square = variance(total(means, 25)) + expect(total(means, 25)) ** 2
    return {
        "coverage_1.96": coverage(wald_interval, means, 25),
        "coverage_t24": coverage(t_interval, means, 25),
        "E[se^2]": (squares - square / 25) / (24 * 25),
    }


@entry("001.ex6")
def _():
    effect = design_effect(8, intraclass_correlation(skill, bernoulli))
    return {
        "naive_stderr": std(monte_carlo(skill.op(bernoulli), 4000)),
        "true_stderr": std(clustered(skill, bernoulli, size=8, groups=500)),
        "design_effect": effect,
        "naive_coverage": coverage(naive(4000), group, 500, target=0.3, of=itself),
        "normal_limit": normal_coverage(effect),
    }


@entry("001.ex6.design_effect_by_m")
def _():
    effects = {m: design_effect(m, intraclass_correlation(skill, bernoulli)) for m in (1, 2, 4, 8, 16)}
    return {f"m={m}": {"design_effect": e, "n_eff_of_4000": 4000 / e} for m, e in effects.items()}
