"""randvar: an exact calculator for discrete random variables. It never draws a sample.

Write an estimator with `Var`, `Joint` and functions from laws to laws; get its complete law, mean, variance and bias.

a law           Var, from_dict, from_weights, from_scipy, empirical (data), uniform, bernoulli, binomial, weighted_die
a number        expect, variance, std, moment, median, covar, correlation, entropy, kl; x.prob, x.cdf, x.quantile
a condition     x.cond(event), j.cond(event), dependent (the law of the second given the first)
two variables   indep (two draws), shared (one draw seen twice), iid, dependent, Joint (a table)
n draws         monte_carlo (their mean), total, sampling_distribution (any function of them), law_bounds (too many)
a verdict       report, compare, assert_unbiased, assert_same_law, coverage (of an interval)
less variance   control_variate, best_coefficient, stratified, antithetic, importance, rao_blackwell
policy gradient reinforce, group_gradient (GRPO, leave-one-out), policy_gradient, logit_score, TokenPolicy
step by step    markov_chain (early stopping, peeking), rollout (tokens); randvar.rollouts: grpo, sequence_kl, ...
pictures        `randvar.plots`: histogram, density, explore (a slider)

`help` of each shows its formula, an example, what it raises and what it costs.
The examples go on from `from randvar import *` (and `randvar.rollouts` likewise, for its own), `from fractions import
Fraction` and `import numpy as np`.
"""

from typing import TYPE_CHECKING, Any

from randvar.chains import markov_chain
from randvar.context import settings
from randvar.coupling import dependent, iid, indep, shared
from randvar.errors import ImpossibleEvent, InvalidLaw, RandvarError, SupportTooLarge, UndefinedOutcome
from randvar.estimators.attempts import best_of_n, majority_vote, pass_at_k
from randvar.estimators.bootstrap import bootstrap_interval
from randvar.estimators.bounds import law_bounds
from randvar.estimators.clusters import clustered, design_effect, intraclass_correlation
from randvar.estimators.controls import (
    ab_sampling,
    ab_test,
    best_coefficient,
    control_variate,
    linear_control,
    monte_carlo_with_control,
    quadratic_control,
)
from randvar.estimators.count_intervals import clopper_pearson_interval, wilson_interval
from randvar.estimators.coverage import coverage
from randvar.estimators.divergence import k1, k2, k3, kl_k3, kl_topk, topk
from randvar.estimators.estimated_controls import estimated_control
from randvar.estimators.groups import group_gradient
from randvar.estimators.importance import (
    effective_sample_size,
    importance,
    importance_control,
    kish_efficiency,
    optimal_proposal,
    self_normalized,
    truncated,
    weights,
)
from randvar.estimators.intervals import CentredInterval
from randvar.estimators.mean_intervals import t_interval, wald_interval
from randvar.estimators.pairing import antithetic, antithetic_pair, common_draws
from randvar.estimators.populations import without_replacement
from randvar.estimators.post_stratification import post_stratified
from randvar.estimators.products import product
from randvar.estimators.rao_blackwell import rao_blackwell
from randvar.estimators.reinforce import leave_one_out, leave_one_out_gradient, optimal_baseline, reinforce
from randvar.estimators.rounding import stochastic_rounding
from randvar.estimators.sampling import monte_carlo, total
from randvar.estimators.sampling_distribution import sampling_distribution
from randvar.estimators.strata import allocate, stratified, stratify
from randvar.families import (
    bernoulli,
    binomial,
    constant,
    continuous_uniform,
    empirical,
    from_dict,
    from_scipy,
    from_weights,
    mixture,
    normal,
    softmax,
    uniform,
    weighted_die,
)
from randvar.information import entropy, kl, mutual_information, same_law, total_variation
from randvar.joint import Joint
from randvar.joint_functions import add, div, marginal, mul, sub, transpose
from randvar.moments import (
    correlation,
    cov_matrix,
    covar,
    expect,
    kurtosis,
    median,
    moment,
    skewness,
    std,
    variance,
)
from randvar.policies import TokenPolicy, logit_score, policy_gradient
from randvar.rollouts import rollout
from randvar.var import Fn, Var
from randvar.verdict import assert_same_law, assert_unbiased, compare, report

if TYPE_CHECKING:
    from randvar import plots as plots
    from randvar.plots import (
        Slider,
        ab_control_widget,
        coin_variance_slider,
        compare_plot,
        covariance_3d,
        covariance_interpolation_slider,
        density,
        explore,
        histogram,
        histogram_row,
        law_plot,
        linear_control_widget,
        monte_carlo_samples_slider,
        polling_sketch,
        reinforce_baseline_slider,
        scaled_variance_slider,
        show_control,
        sum_variance_slider,
        temperature_policy_slider,
        variance_3d,
        variance_reduction_3d,
    )

__version__ = "0.1.0"

__all__ = [
    # the language
    "Var", "Joint", "Fn", "indep", "shared", "iid", "dependent",
    "add", "sub", "mul", "div", "marginal", "transpose",
    # laws
    "uniform", "bernoulli", "binomial", "weighted_die", "softmax", "constant", "empirical",
    "from_dict", "from_weights", "from_scipy", "mixture", "normal", "continuous_uniform",
    # numbers about a law
    "expect", "variance", "std", "moment", "skewness", "kurtosis", "median", "covar", "correlation", "cov_matrix",
    "entropy", "kl", "total_variation", "mutual_information", "same_law",
    # estimators
    "monte_carlo", "total", "sampling_distribution", "law_bounds", "stochastic_rounding",
    "stratify", "stratified", "allocate",
    "control_variate", "best_coefficient", "monte_carlo_with_control", "linear_control", "quadratic_control",
    "ab_sampling", "ab_test", "k1", "k2", "k3", "kl_k3", "kl_topk", "topk",
    "importance", "importance_control", "self_normalized", "truncated", "weights", "optimal_proposal",
    "effective_sample_size", "kish_efficiency", "product",
    "antithetic", "antithetic_pair", "common_draws", "rao_blackwell", "estimated_control",
    "without_replacement", "post_stratified", "clustered", "intraclass_correlation", "design_effect",
    "reinforce", "optimal_baseline", "leave_one_out", "leave_one_out_gradient", "group_gradient",
    "pass_at_k", "best_of_n", "majority_vote",
    # intervals
    "coverage", "wald_interval", "t_interval", "wilson_interval", "clopper_pearson_interval", "bootstrap_interval",
    "CentredInterval",
    # sequences and policies (more in randvar.rollouts)
    "markov_chain", "rollout", "TokenPolicy", "logit_score", "policy_gradient",
    # the verdict
    "report", "compare", "assert_unbiased", "assert_same_law",
    # settings
    "settings",
    # errors
    "RandvarError", "InvalidLaw", "ImpossibleEvent", "SupportTooLarge", "UndefinedOutcome",
    # pictures
    "Slider", "ab_control_widget", "coin_variance_slider", "compare_plot", "covariance_3d",
    "covariance_interpolation_slider", "density", "explore", "histogram", "histogram_row", "law_plot",
    "linear_control_widget", "monte_carlo_samples_slider", "polling_sketch", "reinforce_baseline_slider",
    "scaled_variance_slider", "show_control", "sum_variance_slider", "temperature_policy_slider", "variance_3d",
    "variance_reduction_3d",
]  # fmt: skip

# drawn by matplotlib, which is imported when the first of these is asked for
_PICTURES = frozenset(__all__) - globals().keys()

if not TYPE_CHECKING:  # a checker would take any name for one that this function knows

    def __getattr__(name: str) -> Any:
        """Pictures are imported when first asked for, so that `import randvar` stays quick."""
        if name in _PICTURES or name == "plots":
            import importlib

            plots = importlib.import_module("randvar.plots")
            return plots if name == "plots" else getattr(plots, name)
        raise AttributeError(f"module 'randvar' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PICTURES])
