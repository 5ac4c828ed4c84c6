"""What "Mathematical Tools" prints, computed as its cells do, with the laws in place of the samples.

Most of its numbers were sampled. Beside each stands the truth, and how far a sample of the article's size strays from
it: a standard error, which is itself computed from the law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from statistics import NormalDist

import numpy as np

from randvar import (
    Joint,
    Var,
    bernoulli,
    best_coefficient,
    control_variate,
    correlation,
    coverage,
    dependent,
    expect,
    importance,
    importance_weights,
    indep,
    k1,
    k2,
    k3,
    kl,
    kurtosis,
    moment,
    monte_carlo,
    normal,
    product_of_draws,
    sampling_distribution,
    softmax,
    std,
    variance,
    wald_interval,
)
from randvar.estimators import kish_efficiency
from randvar.examples.mathematical_tools import policy, reference, two_token_model
from tools.tour.table import Article, Mistaken, Printed, Row, Sampled

__all__ = ["article"]


def article() -> Article:
    """All numbers of the article, in its order."""
    return Article(
        "Mathematical Tools",
        [
            *_error_bars(),
            *_variance_of_sums(),
            *_control_variates(),
            *_importance_sampling(),
            *_products_of_ratios(),
            *_log_derivative(),
            *_divergence(),
            *_divergence_from_samples(),
        ],
    )


def _error_bars() -> list[Row]:
    section, n, experiments = "A.1 Error bars", 200, 10_000
    reward = bernoulli(0.3)
    estimated = sampling_distribution(lambda v: np.std(v, ddof=1) / math.sqrt(n), reward, n, symmetric=True)
    covered = bernoulli(coverage(wald_interval, reward, n))
    return [
        Printed(section, "theoretical stderr", "0.0324", lambda: std(monte_carlo(reward, n))),
        _mean(section, "average estimated stderr", "0.0324", estimated, experiments),
        _mean(section, "coverage of the 95% interval", "0.946", covered, experiments),
    ]


def _variance_of_sums() -> list[Row]:
    section, n, trials = "A.2 The variance of sums", 16, 200_000
    rows: list[Row] = []
    printed = {0.0: ("0.0626", "0.0625", "16.00"), 0.2: ("0.2505", "0.2500", "4.00"), 0.5: ("0.5315", "0.5312", "1.88")}
    for rho, (measured, predicted, n_eff) in printed.items():
        own = monte_carlo(math.sqrt(1 - rho) * normal(), n)
        mean = indep(math.sqrt(rho) * normal(), own).add()
        rows += [
            _variance(section, f"rho = {rho}: measured Var(mean)", measured, mean, trials),
            Printed(section, f"rho = {rho}: predicted Var(mean)", predicted, partial(variance, mean)),
            Printed(section, f"rho = {rho}: n_eff", n_eff, partial(_worth, variance(normal()), mean)),
        ]
    return rows


def _worth(spread: float, mean: Var) -> float:
    """How many independent draws of variance `spread` have a mean that varies as little."""
    return spread / float(variance(mean))


def _control_variates() -> list[Row]:
    section, n = "A.3 Control variates", 1_000_000
    pair = control_variate(normal(), np.exp, lambda a: a, known_mean=0)
    best = best_coefficient(pair)
    raw, adjusted = pair[0], pair.combine(lambda f, g: f - best * g)
    truth = expect(raw)
    # The least-squares slope strays by the mean of residual * g / Var(g).
    slope = pair.combine(lambda f, g: (f - truth - best * g) * g) / variance(pair[1]) + best
    return [
        _mean(section, "no control: mean", "1.6468", raw, n),
        _variance(section, "no control: variance", "4.6666", raw, n),
        _mean(section, "c = c*: mean", "1.6474", adjusted, n),
        _variance(section, "c = c*: variance", "1.9541", adjusted, n),
        Printed(section, "true mean", "1.6487", lambda: truth),
        _mean(section, "c*", "1.6488", slope, n),
        Printed(section, "share of variance removed: about", "0.6", lambda: correlation(pair) ** 2),
    ]


def _importance_sampling() -> list[Row]:
    section, n = "A.4 Importance sampling", 100_000
    values = [1, 2, 3, 4]
    p = Var(values, [0.1, 0.2, 0.3, 0.4])
    near, far = Var(values, [0.15, 0.2, 0.3, 0.35]), Var(values, [0.7, 0.2, 0.08, 0.02])
    rows: list[Row] = []
    for name, q, printed in (
        ("near", near, ("3.0004", "0.0043", "0.977")),
        ("far", far, ("2.9571", "0.0356", "0.108")),
    ):
        weighted, w = importance(p, q, lambda a: a), importance_weights(p, q)
        rows += [
            _mean(section, f"q {name}: estimate", printed[0], weighted, n),
            _std(section, f"q {name}: standard error", printed[1], weighted / math.sqrt(n), n),
            _ess(section, f"q {name}: ESS fraction", printed[2], w, [moment(w, k) for k in range(5)], n),
        ]
    return [*rows, Printed(section, "exact E_p[f]", "3.0000", lambda: expect(p))]


def _products_of_ratios() -> list[Row]:
    section, sigma, n = "A.4 Products of ratios", 0.1, 100_000
    ratio = normal(-(sigma**2) / 2, sigma).op(np.exp)
    rows: list[Row] = []
    for T, printed in (
        (1, ("1.000", "0.100", "1.6", "0.9900")),
        (10, ("0.999", "0.324", "3.7", "0.9048")),
        (100, ("1.002", "1.321", "38.2", "0.3654")),
    ):
        w = product_of_draws(ratio, T)
        rows += [
            _mean(section, f"T = {T}: mean(w)", printed[0], w, n),
            _std(section, f"T = {T}: std(w)", printed[1], w, n),
            _largest(section, f"T = {T}: max(w)", printed[2], -T * sigma**2 / 2, sigma * math.sqrt(T), n),
            _ess(section, f"T = {T}: ESS fraction", printed[3], w, [moment(ratio, k) ** T for k in range(5)], n),
        ]
    return [*rows, *_where_the_sample_misleads(section, product_of_draws(ratio, 1000), sigma**2 * 1000, n)]


def _where_the_sample_misleads(section: str, w: Var, var_log: float, n: int) -> list[Row]:
    """At T = 1000 the largest weights are too rare to be drawn, so the sample sees neither the spread nor the ESS."""
    why = "sample misleads"
    return [
        _mean(section, "T = 1000: mean(w)", "0.813", w, n),
        Mistaken(section, "T = 1000: std(w)", "18.737", lambda: std(w), lambda: math.sqrt(math.expm1(var_log)), why),
        _largest(section, "T = 1000: max(w)", "2858.7", -var_log / 2, math.sqrt(var_log), n),
        Mistaken(
            section, "T = 1000: ESS fraction", "0.0019", lambda: kish_efficiency(w), lambda: math.exp(-var_log), why
        ),
    ]


def _log_derivative() -> list[Row]:
    section, n = "A.5 The log-derivative trick", 200_000
    action, reward = softmax([0.5, -0.2, 0.1, 0.0, 0.3]), (1, 0, 0, 1, 0)

    def score(a: int) -> list[float]:
        return [(a == k) - action.prob(k) for k in range(5)]

    scores = action.vector(score)
    terms = action.vector(lambda a: [reward[a] * s for s in score(a)])
    gradient = ("0.1539", "-0.0618", "-0.0835", "0.0933", "-0.1019")
    estimate = ("0.1538", "-0.0617", "-0.0833", "0.0929", "-0.1017")
    mean_score = ("-0.0003", "-0.0001", "0.0007", "-0.0005", "0.0002")
    return [
        *(Printed(section, f"exact gradient {k}", gradient[k], partial(expect, terms[k])) for k in range(5)),
        *(_mean(section, f"score estimate {k}", estimate[k], terms[k], n) for k in range(5)),
        *(_mean(section, f"mean score {k}", mean_score[k], scores[k], n) for k in range(5)),
    ]


def _divergence() -> list[Row]:
    section = "A.6 KL divergence"
    (p_first, p_second), (q_first, q_second) = two_token_model("p"), two_token_model("q")
    p, q = (_sequences(dependent(*model)) for model in ((p_first, p_second), (q_first, q_second)))

    def per_token() -> float:
        return float(kl(p_first, q_first)) + float(expect(p_first, lambda a: kl(p_second(a), q_second(a))))

    return [
        Printed(section, "KL over sequences", "0.436340", lambda: kl(p, q)),
        Printed(section, "sum of per-token KLs", "0.436340", per_token),
        Printed(section, "reverse direction", "0.517034", lambda: kl(q, p)),
    ]


def _sequences(tokens: Joint) -> Var:
    return tokens.combine(lambda *sequence: sequence)


def _divergence_from_samples() -> list[Row]:
    section, n = "A.7 Estimating KL from samples", 200_000
    q = policy()
    rows: list[Row] = []
    for scale, true_kl, printed in (
        (0.1, "0.0040", (("0.0040", "0.0900"), ("0.0041", "0.0053"), ("0.0040", "0.0050"))),
        (1.0, "0.5571", (("0.5581", "1.0667"), ("0.7247", "0.6300"), ("0.5583", "0.4170"))),
    ):
        p = reference(scale)
        rows.append(Printed(section, f"scale {scale}: true KL", true_kl, partial(kl, q, p)))
        for estimator, (mean, spread) in zip((k1, k2, k3), printed, strict=True):
            draw = estimator(q, p)
            rows += [
                _mean(section, f"scale {scale}: {estimator.__name__} mean", mean, draw, n),
                _std(section, f"scale {scale}: {estimator.__name__} std", spread, draw, n),
            ]
    return [*rows, _missing_condition(section)]


def _missing_condition(section: str) -> Row:
    """E_q[r - 1] = 0 takes a reference that puts no mass where the policy has none."""
    q, p = Var(["a", "b"], [0.5, 0.5]), Var(["a", "b", "c"], [0.25, 0.25, 0.5])
    return Mistaken(
        section,
        "E_q[r - 1], half of p outside q",
        "0.0",
        lambda: expect(q, lambda a: p.prob(a) / q.prob(a) - 1),
        lambda: -p.prob("c"),
        "needs p within q",
    )


def _mean(section: str, what: str, stated: str, x: Var, n: int) -> Row:
    """The mean of n draws of x strays from E[X] by std / sqrt(n)."""
    return _sampled(section, what, stated, lambda: expect(x), lambda: std(x) / math.sqrt(n))


def _variance(section: str, what: str, stated: str, x: Var, n: int) -> Row:
    """The variance of a sample of n strays by Var(X) sqrt((kurtosis + 2) / n). Source: Cramér 1946, section 27.4."""
    error = math.sqrt((kurtosis(x) + 2) / n)
    return _sampled(section, what, stated, lambda: variance(x), lambda: variance(x) * error)


def _std(section: str, what: str, stated: str, x: Var, n: int) -> Row:
    """The standard deviation of a sample strays by half of that, relative to its size."""
    error = math.sqrt((kurtosis(x) + 2) / n) / 2
    return _sampled(section, what, stated, lambda: std(x), lambda: std(x) * error)


def _ess(section: str, what: str, stated: str, w: Var, moments: list[float], n: int) -> Row:
    """(mean w)^2 / mean w^2 strays as the mean of its linear part 2 w / m2 - w^2 / m2^2, m_k = E[w^k] and m1 = 1."""
    _, _, m2, m3, m4 = moments
    error = math.sqrt((4 / m2 - 4 * m3 / m2**3 + m4 / m2**4 - 1 / m2**2) / n)
    return _sampled(section, what, stated, lambda: kish_efficiency(w), lambda: error)


def _sampled(section: str, what: str, stated: str, truth: Callable[[], float], error: Callable[[], float]) -> Row:
    return Sampled(section, what, stated, truth, lambda v: (v - truth()) / error())


def _largest(section: str, what: str, stated: str, mean_log: float, std_log: float, n: int) -> Row:
    """The largest of n draws of e^Z, Z normal: below v with probability Phi((log v - mean) / std)^n.

    The truth is its median; how far v lies from it is said as for a normal variable with that probability below v.
    """
    z = NormalDist()

    def median() -> float:
        return math.exp(mean_log + std_log * z.inv_cdf(0.5 ** (1 / n)))

    def deviation(v: float) -> float:
        above = z.cdf((mean_log - math.log(v)) / std_log)
        return z.inv_cdf(math.exp(n * math.log1p(-above)))

    return Sampled(section, what, stated, median, deviation)
