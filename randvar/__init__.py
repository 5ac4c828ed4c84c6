"""randvar: an exact calculator for discrete random variables. It never draws a sample.

Write an estimator with `Var`, `Joint` and functions from laws to laws; get its complete law, mean, variance and bias.
"""

from typing import Any

from randvar.errors import ImpossibleEvent, InvalidLaw, RandvarError, SupportTooLarge, UndefinedOutcome
from randvar.estimators.controls import (
    ab_sampling,
    ab_test,
    best_coefficient,
    control_variate,
    linear_control,
    monte_carlo_with_control,
    quadratic_control,
)
from randvar.estimators.divergence import k1, k2, k3, kl_k3, kl_topk, topk
from randvar.estimators.sampling import monte_carlo, total
from randvar.estimators.strata import allocate, stratified, stratify
from randvar.families import (
    bernoulli,
    binomial,
    constant,
    empirical,
    from_dict,
    from_scipy,
    from_weights,
    normal,
    softmax,
    uniform,
    weighted_die,
)
from randvar.information import entropy, kl, mutual_information, same_law, total_variation
from randvar.joint import Joint, add, dependent, div, iid, indep, marginal, mul, shared, sub, transpose
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
from randvar.var import Fn, Var

__version__ = "0.1.0"
