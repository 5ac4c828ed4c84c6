"""Bad arguments, systematically: every argument of every public function is given each of 220 hostile values in turn.

What a call does with one is a right answer (a law that is one, a number that is no NaN), or one RandvarError, or a
TypeError, in bounded processor time and memory. Nothing else comes out: no IndexError or AttributeError from below, no
warning of numpy, no endless loop. An exception of the caller's own iterator passes unchanged.

How many triples (function, argument, value) were tried, and what became of them: docs/reliability.md, and
`pytest -rP tests/refusals/test_functions.py`. The values are in `hostile_values`.
"""

import resource
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hostile_values import HOSTILE, coin, dependent_pair, die, exact, pair, rough, s, words
from refusals import Call, attempt, bounded, of, same, trials  # noqa: F401 (a fixture)
from scipy import stats

import randvar
from randvar import *
from randvar import estimators, plots, rollouts
from randvar.estimators import (
    CentredInterval,
    antithetic_pair,
    bootstrap_interval,
    clopper_pearson_interval,
    design_effect,
    estimated_control,
    importance_control,
    intraclass_correlation,
    kish_efficiency,
    optimal_proposal,
    truncated,
)
from randvar.examples import sampling_to_reinforce as article
from randvar.examples.sampling_to_reinforce import (
    ab_sampling,
    ab_test,
    add,
    div,
    kl_k3,
    kl_topk,
    linear_control,
    marginal,
    monte_carlo_with_control,
    mul,
    quadratic_control,
    sub,
    transpose,
)
from randvar.rollouts import TokenPolicy, logit_score, policy_gradient

KILOBYTES = 1_500_000


with settings(max_atoms=50):
    too_many = monte_carlo(rough, 100)
skill = Var([0.25, 0.75], [0.5, 0.5])
pairs = dependent_pair


def in_force(**chosen):
    """What these settings make of a law."""
    with settings(**chosen):
        return monte_carlo(coin, 3).probs


FUNCTIONS = [
    of(Var, [0, 1], [0.5, 0.5]),
    of(Joint, [0, 1], [0, 1], [[0.25, 0.25], [0.25, 0.25]]),
    of(indep, coin, die),
    of(shared, coin, 2),
    of(iid, coin, 2),
    of(dependent, coin, same),
    *(of(f, pairs) for f in (add, sub, mul, transpose, covar, correlation, cov_matrix, mutual_information)),
    of(div, indep(die, die)),
    of(marginal, pairs, 0),
    of(uniform, 0, 3),
    of(bernoulli, 0.5),
    of(binomial, 3, 0.5),
    of(weighted_die, [1, 2]),
    of(softmax, [0.0, 1.0], ["a", "b"], 1.0),
    of(constant, 1),
    of(empirical, [1, 2]),
    of(from_dict, {0: 0.5, 1: 0.5}),
    of(from_weights, [0, 1], [1, 2]),
    of(from_scipy, stats.poisson(3.0), 1e-12),
    of(mixture, [coin, die], [0.5, 0.5]),
    of(normal, 0.0, 1.0, 5),
    of(continuous_uniform, 0.0, 1.0, 5),
    of(expect, die, same),
    of(moment, die, 2),
    *(
        of(f, die)
        for f in (expect, variance, std, skewness, kurtosis, median, entropy, kish_efficiency, antithetic_pair)
    ),
    of(kl, die, die),
    of(total_variation, die, coin),
    of(same_law, die, die, 1e-12),
    of(assert_same_law, die, die, 1e-12),
    of(monte_carlo, die, 3),
    of(total, die, 3),
    of(sampling_distribution, max, die, 2, True, False, "raise", executor=None),
    of(sampling_distribution, lambda a: a.max(axis=1), die, 2, None, True, "drop"),
    of(law_bounds, die, 5, [2.5], width=1e-2),
    of(stochastic_rounding, die, 0.5),
    of(stratify, coin, die, 0.5, 2, 2),
    of(stratified, [coin, die], [0.5, 0.5], [2, 2]),
    of(allocate, [coin, die], [0.5, 0.5], 8, "optimal"),
    of(control_variate, die, same, same, 3.0, 1),
    of(best_coefficient, pair),
    of(monte_carlo_with_control, pair, 3),
    of(linear_control, die, same, 1.0),
    of(quadratic_control, die, same, 1.0, 1.0),
    of(ab_sampling, coin, same, same, 2),
    of(ab_test, coin, same, same, same, 1.0, 2),
    *(of(f, die, coin) for f in (k1, k2, k3)),
    of(kl_k3, coin, die, -1),
    of(kl_topk, coin, coin, 1),
    of(topk, die, same, 2, masked=True),
    of(topk, die, same, 2),
    of(importance, coin, coin, same),
    of(importance_control, coin, coin, same, 1),
    of(self_normalized, coin, coin, same, 2, "raise"),
    of(truncated, coin, coin, same, 1.5, 2, masked=False),
    of(importance_weights, coin, coin),
    of(optimal_proposal, die, same),
    of(effective_sample_size, coin, coin, same),
    of(product_of_draws, die, 2),
    of(antithetic, die, same, 2),
    of(common_draws, die, same, same),
    of(rao_blackwell, pairs, lambda a, b: a + b, 0),
    of(estimated_control, pair, 3, 0, "same"),
    of(estimated_control, pair, 4, 0, "split"),
    of(without_replacement, [1, 2, 2], 2, None, exact=False),
    of(without_replacement, [1, 2, 2], 2, max, exact=True),
    of(post_stratified, [coin, die], [0.5, 0.5], 3, "drop"),
    of(clustered, skill, bernoulli, 2, 2),
    of(intraclass_correlation, skill, bernoulli),
    of(design_effect, 3, 0.5),
    of(reinforce, pair, 2, 0),
    of(optimal_baseline, pair),
    of(leave_one_out, coin, 3),
    of(leave_one_out_gradient, pair, 3),
    of(group_gradient, pair, 3, "mean", False, ddof=0, epsilon=0),
    of(group_gradient, pair, 3, "mean", True, ddof=0, epsilon=0),
    of(pass_at_k, coin, 3, 2),
    of(best_of_n, die, 2, None),
    of(majority_vote, die, 2, "random"),
    of(coverage, wald_interval, coin, 3, None, of=None),
    of(coverage, lambda sample: (0, 1), coin, 3, 0.5, of=None),
    of(coverage, lambda total: (0, 1), coin, 3, 0.5, of=same),
    *(of(f, [0, 1, 1]) for f in (wald_interval, t_interval, wilson_interval, clopper_pearson_interval)),
    of(bootstrap_interval, np.mean, 0.9),
    Call("a bootstrap_interval", bootstrap_interval(np.mean, 0.9), ([0, 1, 1],)),
    of(CentredInterval, 0.5, 0.1),
    Call("in CentredInterval", CentredInterval(0.5, 0.1).__contains__, (0.5,)),
    of(settings, max_atoms=1000, progress=False),
    Call("with settings", in_force, (), {"max_atoms": 1000, "progress": False}),
    of(markov_chain, coin, lambda state: coin, 2, stop=None),
    of(fold, coin, 2, start=0, step=lambda s, a: s + a, finish=same, vectorized=False),
    of(enumerated, lambda draw: draw(coin)),
    of(rollout, lambda prefix: coin, 2, 0, start=()),
    of(rollout, lambda count: coin, 2, None, start=0, update=lambda a, b: a + b),
    of(TokenPolicy, {(): coin}, temperature=1.0, context=None),
    of(logit_score, coin, 1.0),
    Call("a logit_score", logit_score(coin), (0,)),
    of(policy_gradient, coin, same, 1.0),
    of(report, die, 3.0),
    of(compare, {"a": die}, 3.0, 2),
    of(assert_unbiased, die, 3.0),
]

CALLS = [
    *FUNCTIONS,
    *(
        Call(f"{name}.{method}", getattr(law, method), (argument,))
        for name, law, inside in (
            ("die", die, 2), ("words", words, "a"), ("exact", exact, 1), ("symbolic", bernoulli(s), 1),
            ("rough", rough, 0.7), ("sum", total(die, 50), 100),
        )
        for method, argument in (
            ("op", same), ("cond", lambda a, inside=inside: a == inside), ("prob", inside), ("log_prob", inside),
            ("cdf", inside), ("quantile", 0.5), ("vector", lambda a: (a, a)), ("rational", 100),
        )
    ),
    Call("a context", lambda f: TokenPolicy({0: coin}, context=f).score((0,)), (lambda prefix: 0,)),
    Call("a temperature", lambda t: TokenPolicy({(): coin}, temperature=t).score((0,)), (1.0,)),
    Call("refused sum.cdf", too_many.cdf, (1,)),
    Call("Joint.op", pairs.op, (same, same)),
    Call("Joint.combine", pairs.combine, (max,)),
    Call("Joint.cond", pairs.cond, (lambda a, b: a > 0,)),
    Call("Joint.prob", lambda *row: pairs.prob(row), (1, 1)),
    Call("Joint.prob of an event", pairs.prob, (lambda a, b: a > 0,)),
    Call("Joint.select", pairs.select, (0, 1)),
    Call("Joint.rational", pairs.rational, (100,)),
    *(
        Call(name, operation, (1,))
        for law in (die, total(die, 3), exact, total(exact, 2), leave_one_out_gradient(pair, 2), words)
        for name, operation in {
            "x + c": lambda c, x=law: x + c, "x - c": lambda c, x=law: x - c, "c - x": lambda c, x=law: c - x,
            "x * c": lambda c, x=law: x * c, "x / c": lambda c, x=law: x / c, "x == c": lambda c, x=law: x == c,
        }.items()
    ),
    *(
        Call(name, operation, (1,))
        for name, operation in {
            "c + x": lambda c: c + die, "c * x": lambda c: c * die, "c / x": lambda c: c / die,
            "x ** c": lambda c: die**c, "x // c": lambda c: die // c, "x % c": lambda c: die % c,
            "x < c": lambda c: die < c, "np.add": lambda c: np.add(die, c), "np.maximum": lambda c: np.maximum(c, die),
        }.items()
    ),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=[f"{i}-{call.name}" for i, call in enumerate(CALLS)])
def test_every_argument_is_refused_or_answered(call):
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = {(slot, name): attempt(trial) for slot, name, trial in trials(call)}
    counts = Counter(found.values())
    print(f"{call.name}: {len(found)} tried: {', '.join(f'{n} {what}' for what, n in counts.most_common())}")
    if call.function in (assert_unbiased, assert_same_law):
        found = {trial: what for trial, what in found.items() if not what.startswith("AssertionError: the ")}
    allowed = {"answer", "TypeError", "refusal", "its own exception"}
    assert {trial: what for trial, what in found.items() if what not in allowed} == {}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < KILOBYTES


OF_POLICIES = {"TokenPolicy", "logit_score", "policy_gradient"}  # of randvar.rollouts; `test_methods` has the others


def test_every_public_function_is_tried():
    tried = {call.function for call in FUNCTIONS}
    errors_and_types = {"Fn", "RandvarError", "InvalidLaw", "ImpossibleEvent", "SupportTooLarge", "UndefinedOutcome"}
    for call in FUNCTIONS:
        assert attempt(partial(call.function, *call.arguments, **call.keywords)) == "answer", call.name
    public = {(module, name) for module in (randvar, estimators, article) for name in module.__all__}
    not_here = errors_and_types | set(plots.__all__) | {"np", "check", "f", "linear_f", "quadratic_f", "response"}
    untried = {name for module, name in public if name not in not_here and getattr(module, name) not in tried}
    assert untried - {"leave_one_out"} == set()  # the article has another one, of its policy
    assert {randvar.leave_one_out, *(getattr(rollouts, name) for name in OF_POLICIES)} <= tried


@pytest.mark.parametrize("call", FUNCTIONS, ids=[f"{i}-{call.name}" for i, call in enumerate(FUNCTIONS)])
@pytest.mark.parametrize("value", ["None", "b'by'", "1j", "an object", "Ellipsis"])
def test_a_refusal_names_the_value_or_its_type(call, value):
    """In every argument where it is refused: what cannot be meant is quoted."""
    given = HOSTILE[value]()
    for slot, _, trial in trials(call, [value]):
        try:
            trial()
        except (RandvarError, TypeError) as error:
            message = str(error)
            assert type(given).__name__ in message or repr(given)[:20] in message, (slot, message)
        except AssertionError:
            assert call.function in (assert_unbiased, assert_same_law)
