"""randvar: an exact calculator for discrete random variables. It never draws a sample.

Write an estimator with `Var`, `Joint` and functions from laws to laws; get its complete law, mean, variance and bias.

a law           Var, from_dict, from_weights, from_scipy, empirical (data), uniform, bernoulli, binomial, weighted_die
a number        expect, variance, std, moment, median, covar, correlation, entropy, kl; x.prob, x.cdf, x.quantile
a condition     x.cond(event), j.cond(event), dependent (the law of the second given the first)
two variables   indep (two draws), shared (one draw seen twice), iid, dependent, Joint (a table)
n draws         monte_carlo (their mean), total, sampling_distribution (any function of them), law_bounds (too many)
a verdict       report, compare, assert_unbiased, assert_same_law, coverage (of an interval)
less variance   control_variate, stratified, antithetic, importance, rao_blackwell; randvar.estimators: ...
policy gradient reinforce, group_gradient (GRPO, leave-one-out), leave_one_out_gradient, optimal_baseline
step by step    markov_chain (early stopping, peeking), rollout (tokens); randvar.rollouts: TokenPolicy, grpo, ...
pictures        histogram, density, law_plot, explore (a slider); randvar.plots: ...

`help` of each shows its formula, an example, what it raises and what it costs.
The examples go on from `from randvar import *` (and `randvar.rollouts` likewise, for its own), `from fractions import
Fraction` and `import numpy as np`.
"""

from typing import TYPE_CHECKING, Any

from randvar.context import settings
from randvar.coupling import dependent, iid, indep, shared
from randvar.errors import ImpossibleEvent, InvalidLaw, RandvarError, SupportTooLarge, UndefinedOutcome
from randvar.estimators.sampling import monte_carlo, total
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
from randvar.joint import Joint
from randvar.late import found_in
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
from randvar.plots.first_pictures import density, explore, histogram, law_plot
from randvar.var import Fn, Var

if TYPE_CHECKING:
    from randvar import plots as plots
    from randvar import rollouts as rollouts
    from randvar.chains import markov_chain
    from randvar.enumeration import enumerated
    from randvar.estimators.attempts import best_of_n, majority_vote, pass_at_k
    from randvar.estimators.bounds import law_bounds
    from randvar.estimators.clusters import clustered
    from randvar.estimators.controls import best_coefficient, control_variate
    from randvar.estimators.count_intervals import wilson_interval
    from randvar.estimators.coverage import coverage
    from randvar.estimators.divergence import k1, k2, k3, topk
    from randvar.estimators.groups import group_gradient
    from randvar.estimators.importance import effective_sample_size, importance, importance_weights, self_normalized
    from randvar.estimators.mean_intervals import t_interval, wald_interval
    from randvar.estimators.pairing import antithetic, common_draws
    from randvar.estimators.populations import without_replacement
    from randvar.estimators.post_stratification import post_stratified
    from randvar.estimators.products import product_of_draws
    from randvar.estimators.rao_blackwell import rao_blackwell
    from randvar.estimators.reinforce import leave_one_out, leave_one_out_gradient, optimal_baseline, reinforce
    from randvar.estimators.rounding import stochastic_rounding
    from randvar.estimators.sampling_distribution import sampling_distribution
    from randvar.estimators.strata import allocate, stratified, stratify
    from randvar.folds import fold
    from randvar.information import entropy, kl, mutual_information, same_law, total_variation
    from randvar.rollouts.trees import rollout
    from randvar.verdict import assert_same_law, assert_unbiased, compare, report

__version__ = "0.2.0"

__all__ = [
    # the language
    "Var", "Joint", "Fn", "indep", "shared", "iid", "dependent",
    # laws
    "uniform", "bernoulli", "binomial", "weighted_die", "softmax", "constant", "empirical",
    "from_dict", "from_weights", "from_scipy", "mixture", "normal", "continuous_uniform",
    # numbers about a law
    "expect", "variance", "std", "moment", "skewness", "kurtosis", "median", "covar", "correlation", "cov_matrix",
    "entropy", "kl", "total_variation", "mutual_information", "same_law",
    # estimators (more in randvar.estimators)
    "monte_carlo", "total", "sampling_distribution", "product_of_draws", "law_bounds", "stochastic_rounding",
    "stratify", "stratified", "allocate", "post_stratified", "without_replacement", "clustered",
    "control_variate", "best_coefficient", "antithetic", "common_draws", "rao_blackwell", "k1", "k2", "k3", "topk",
    "importance", "self_normalized", "importance_weights", "effective_sample_size",
    "reinforce", "optimal_baseline", "leave_one_out", "leave_one_out_gradient", "group_gradient",
    "pass_at_k", "best_of_n", "majority_vote",
    # intervals
    "coverage", "wald_interval", "t_interval", "wilson_interval",
    # step by step (more in randvar.rollouts)
    "markov_chain", "rollout", "fold", "enumerated",
    # the verdict
    "report", "compare", "assert_unbiased", "assert_same_law",
    # settings
    "settings",
    # errors
    "RandvarError", "InvalidLaw", "ImpossibleEvent", "SupportTooLarge", "UndefinedOutcome",
    # pictures (more in randvar.plots)
    "histogram", "density", "law_plot", "explore",
]  # fmt: skip

# {module: names}: imported when a name is first asked for, so that `import randvar` stays quick
_LATE = {
    "chains": "markov_chain",
    "enumeration": "enumerated",
    "estimators.attempts": "best_of_n majority_vote pass_at_k",
    "estimators.bounds": "law_bounds",
    "estimators.clusters": "clustered",
    "estimators.controls": "best_coefficient control_variate",
    "estimators.count_intervals": "wilson_interval",
    "estimators.coverage": "coverage",
    "estimators.divergence": "k1 k2 k3 topk",
    "estimators.groups": "group_gradient",
    "estimators.importance": "effective_sample_size importance importance_weights self_normalized",
    "estimators.mean_intervals": "t_interval wald_interval",
    "estimators.pairing": "antithetic common_draws",
    "estimators.populations": "without_replacement",
    "estimators.post_stratification": "post_stratified",
    "estimators.products": "product_of_draws",
    "estimators.rao_blackwell": "rao_blackwell",
    "estimators.reinforce": "leave_one_out leave_one_out_gradient optimal_baseline reinforce",
    "estimators.rounding": "stochastic_rounding",
    "estimators.sampling_distribution": "sampling_distribution",
    "estimators.strata": "allocate stratified stratify",
    "folds": "fold",
    "information": "entropy kl mutual_information same_law total_variation",
    "rollouts.trees": "rollout",
    "verdict": "assert_same_law assert_unbiased compare report",
    "plots": "",
    "rollouts": "",
}

_ELSEWHERE = {
    "randvar.estimators": (
        "CentredInterval antithetic_pair bootstrap_interval clopper_pearson_interval design_effect estimated_control"
        " importance_control intraclass_correlation kish_efficiency optimal_proposal truncated"
    ),
    "randvar.rollouts": "TokenPolicy logit_score policy_gradient",
    "randvar.plots": "Slider compare_plot histogram_row",
    "randvar.examples.sampling_to_reinforce": (
        "ab_control_widget ab_sampling ab_test add coin_variance_slider covariance_3d covariance_interpolation_slider"
        " div kl_k3 kl_topk linear_control linear_control_widget marginal monte_carlo_samples_slider"
        " monte_carlo_with_control mul polling_sketch quadratic_control reinforce_baseline_slider"
        " scaled_variance_slider show_control sub sum_variance_slider temperature_policy_slider transpose variance_3d"
        " variance_reduction_3d"
    ),
}
_GONE = {name: f"from {home} import {name}" for home, names in _ELSEWHERE.items() for name in names.split()}
_GONE |= {"product": "it is called product_of_draws", "weights": "it is called importance_weights"}

if not TYPE_CHECKING:  # a checker would take any name for one that this function knows

    def __getattr__(name: str) -> Any:
        return found_in(globals(), _LATE, name, _GONE)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
