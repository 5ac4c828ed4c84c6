"""Bad input, over the public functions: one clear error each, which names the value and the way out.

Each row: what is wrong, the call, the class of the error, and two patterns that its message must contain, one for the
value and one for the way out. Misuse of types is a TypeError; everything else is of the one family, RandvarError.
"""

import math
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from randvar import (
    ImpossibleEvent,
    InvalidLaw,
    Joint,
    RandvarError,
    SupportTooLarge,
    UndefinedOutcome,
    Var,
    allocate,
    bernoulli,
    best_coefficient,
    binomial,
    constant,
    control_variate,
    covar,
    coverage,
    dependent,
    empirical,
    expect,
    from_dict,
    from_weights,
    iid,
    indep,
    k1,
    k2,
    kl,
    leave_one_out,
    leave_one_out_gradient,
    median,
    moment,
    monte_carlo,
    report,
    sampling_distribution,
    shared,
    softmax,
    std,
    stratified,
    stratify,
    topk,
    total,
    uniform,
    variance,
    wald_interval,
    weighted_die,
)
from randvar.examples.sampling_to_reinforce import (
    ab_sampling,
    ab_test,
    kl_k3,
    kl_topk,
    linear_control,
    monte_carlo_with_control,
)

NAN = math.nan
die = uniform(1, 7)
coin = bernoulli(0.5)
words = from_dict({"red": 0.5, "blue": 0.5})
pair = control_variate(die, lambda a: a**2, lambda a: a, known_mean=3.5)


class Bad(NamedTuple):
    """A call that must be refused, the class of the error, and patterns of the value and the way out in its message."""

    what: str
    call: Callable[[], object]
    error: type[Exception] | tuple[type[Exception], ...]
    value: str
    way_out: str


def boom(a):
    """A user's function that fails on one outcome."""
    if a == 4:
        raise KeyError("no such face")
    return a


LAWS = [
    Bad("sum below 1", lambda: Var([1, 2], [0.5, 0.4]), InvalidLaw, "0.9", "from_weights"),
    Bad("sum off by 9e-6", lambda: Var([0, 1], [0.5, 0.500009]), InvalidLaw, "1.000009", "from_weights"),
    Bad("sum above 1", lambda: Var([1, 2], [1, 1]), InvalidLaw, "sum to 2", "from_weights"),
    Bad("negative", lambda: Var([1, 2, 3], [0.5, 1.2, -0.7]), InvalidLaw, "-0.7", "must be|between|>= 0"),
    Bad("NaN probability", lambda: Var([1, 2], [NAN, 1]), InvalidLaw, "NaN|nan", "between 0 and 1"),
    Bad("infinite probability", lambda: Var([1, 2], [math.inf, 0]), InvalidLaw, "inf", "must be|between|>= 0"),
    Bad("NaN value", lambda: Var([NAN, 1], [0.5, 0.5]), InvalidLaw, "NaN", "drop|replace"),
    Bad("NaN inside a tuple", lambda: Var([(1, NAN), (1, 2)], [0.5, 0.5]), InvalidLaw, r"\(1, nan\)", "not equal"),
    Bad("empty", lambda: Var([], []), InvalidLaw, "empty", "at least one"),
    Bad("all zero", lambda: Var([1, 2], [0, 0]), InvalidLaw, "sum to 0", "from_weights"),
    Bad("lengths", lambda: Var([1, 2, 3], [0.5, 0.5]), InvalidLaw, "3 values but 2", "each"),
    Bad("unhashable outcome", lambda: Var([[1], [2]], [0.5, 0.5]), TypeError, r"\[1\]", "tuple"),
    Bad("words for probabilities", lambda: Var([1, 2], ["a", "b"]), TypeError, "'a'", "must be one number"),
    Bad("a word for a symbol", lambda: bernoulli("p"), TypeError, "'p'", r'pip install "randvar\[sympy\]"'),
    Bad("words for symbols", lambda: Var([0, 1], ["1 - p", "p"]), TypeError, "'1 - p'", r'"randvar\[sympy\]"'),
    Bad(
        "two-dimensional probabilities",
        lambda: Var([1, 2], [[0.5, 0.5]]),
        TypeError,
        r"\[0.5, 0.5\]",
        "must be one number",
    ),
    Bad("a single number as values", lambda: Var(1, [1.0]), TypeError, "int", "must be a sequence"),
    Bad("from_dict below 1", lambda: from_dict({0: 0.1, 1: 0.2, 2: 0.3}), InvalidLaw, "0.6", "from_weights"),
    Bad("from_dict empty", lambda: from_dict({}), InvalidLaw, "empty", "at least one"),
    Bad("from_weights negative", lambda: from_weights([1, 2], [3, -1]), InvalidLaw, "-1", "must be|>= 0|positive"),
    Bad("from_weights all zero", lambda: from_weights([1, 2], [0, 0]), InvalidLaw, "sum to 0", "positive"),
    Bad("from_weights NaN", lambda: from_weights([1, 2], [NAN, 1]), InvalidLaw, "NaN|nan", "must be|>= 0|\\bfinite"),
    Bad("from_weights lengths", lambda: from_weights([1, 2], [1, 1, 1]), InvalidLaw, "2 values but 3", "each"),
    Bad("empirical of nothing", lambda: empirical([]), InvalidLaw, "empty", "at least one"),
    Bad("empirical with NaN", lambda: empirical([1.0, NAN]), InvalidLaw, "NaN", "drop|replace"),
    Bad("constant NaN", lambda: constant(NAN), InvalidLaw, "NaN", "not equal even to itself"),
    Bad("uniform empty", lambda: uniform(3, 3), RandvarError, r"\(3, 3\)", "range"),
    Bad("uniform backwards", lambda: uniform(7, 1), RandvarError, r"\(7, 1\)", "range"),
    Bad("uniform of floats", lambda: uniform(0.5, 2), TypeError, "0.5", "whole number"),
    Bad("bernoulli above 1", lambda: bernoulli(1.5), InvalidLaw, "1.5", "between 0 and 1"),
    Bad("bernoulli below 0", lambda: bernoulli(-0.1), InvalidLaw, "-0.1", "between 0 and 1"),
    Bad("bernoulli NaN", lambda: bernoulli(NAN), InvalidLaw, "nan", "between 0 and 1"),
    Bad("bernoulli of a word", lambda: bernoulli("half"), TypeError, "half", "number"),
    Bad("binomial negative", lambda: binomial(-1, 0.5), RandvarError, "-1", "at least 0"),
    Bad("binomial float count", lambda: binomial(2.5, 0.5), TypeError, "2.5", "whole number"),
    Bad("binomial probability", lambda: binomial(3, 2), InvalidLaw, "got 2", "between 0 and 1"),
    Bad("weighted_die of nothing", lambda: weighted_die([]), InvalidLaw, "", "at least one"),
    Bad("weighted_die negative", lambda: weighted_die([1, -2]), InvalidLaw, "-2", "must be|>= 0|positive"),
    Bad(
        "softmax at temperature 0",
        lambda: softmax([1, 2], temperature=0),
        RandvarError,
        "got 0",
        "positive number",
    ),
    Bad("softmax below 0", lambda: softmax([1, 2], temperature=-1), RandvarError, "-1", "positive number"),
    Bad("softmax NaN", lambda: softmax([1, NAN]), RandvarError, "nan", "finite logit"),
    Bad("softmax of nothing", lambda: softmax([]), RandvarError, r"\[\]", "at least one"),
    Bad("softmax lengths", lambda: softmax([1, 2], values=[1]), RandvarError, "1 values but 2", "each"),
]

JOINTS = [
    Bad("table below 1", lambda: Joint([0, 1], [0, 1], [[0.1, 0.2], [0.3, 0.3]]), InvalidLaw, "0.9", "not 1"),
    Bad(
        "table negative",
        lambda: Joint([0, 1], [0, 1], [[0.6, 0.6], [-0.2, 0]]),
        InvalidLaw,
        "-0.2",
        "must be|between|>= 0",
    ),
    Bad(
        "table NaN",
        lambda: Joint([0, 1], [0, 1], [[NAN, 0.5], [0.5, 0]]),
        InvalidLaw,
        "NaN|nan",
        "must be|between|>= 0",
    ),
    Bad(
        "table of the wrong shape",
        lambda: Joint([0, 1, 2], [0, 1], np.eye(2) / 2),
        InvalidLaw,
        r"\(2, 2\)",
        r"\(3, 2\)",
    ),
    Bad(
        "table transposed",
        lambda: Joint([0, 1], [0, 1, 2], np.full((3, 2), 1 / 6)),
        InvalidLaw,
        r"\(3, 2\)",
        r"\(2, 3\)",
    ),
    Bad("coordinate with NaN", lambda: Joint([0, NAN], [0], [[0.5], [0.5]]), InvalidLaw, "NaN", "drop|replace"),
    Bad("indep of a number", lambda: indep(die, 3), TypeError, "3", "constant"),
    Bad("indep of nothing", lambda: indep(), TypeError, "at least one", r"indep\(x, y\)"),
    Bad("shared no copies", lambda: shared(die, copies=0), RandvarError, "got 0", "at least 1"),
    Bad("shared of a number", lambda: shared(3), TypeError, "int 3", "takes a Var"),
    Bad("iid zero", lambda: iid(die, 0), RandvarError, "got 0", "at least 1"),
    Bad("iid negative", lambda: iid(die, -2), RandvarError, "-2", "at least 1"),
    Bad("iid float", lambda: iid(die, 2.5), TypeError, "2.5", "whole number"),
    Bad(
        "kernel that fails", lambda: dependent(die, lambda a: constant(boom(a))), UndefinedOutcome, "4", "no such face"
    ),
    Bad("too few functions", lambda: pair.op(lambda a: a), TypeError, "1 function", "one function a coordinate"),
    Bad(
        "too many functions", lambda: pair.op(*[lambda a: a] * 3), TypeError, "3 functions", "one function a coordinate"
    ),
    Bad("marginal out of range", lambda: pair.marginal(2), IndexError, "coordinate 2", "0 to 1"),
    Bad("select out of range", lambda: pair.select(0, 5), IndexError, "coordinate 5", "0 to 1"),
    Bad(
        "joint condition impossible",
        lambda: indep(die, die).cond(lambda a, b: a + b == 13),
        ImpossibleEvent,
        "36",
        "probability is 0",
    ),
    Bad(
        "joint with NaN on one row",
        lambda: indep(die, coin).combine(lambda a, c: NAN if a == 4 else c),
        UndefinedOutcome,
        "4",
        "cond",
    ),
    Bad("joint division by zero", lambda: indep(die, uniform(0, 3)).div(), UndefinedOutcome, "0", "cond"),
    Bad("covar of a Var", lambda: covar(die), TypeError, "got Var", "shared"),
    Bad("sum of words and numbers", lambda: indep(die, words).add(), (TypeError, UndefinedOutcome), "blue", "str"),
    Bad("difference of words", lambda: shared(words).sub(), UndefinedOutcome, "blue", "condition that outcome away"),
]

OUTCOMES = [
    Bad("Var + Var", lambda: die + die, TypeError, r"indep\(x, y\)\.add\(\)", r"shared\(x\)\.op\(f, g\)\.add\(\)"),
    Bad("Var - Var", lambda: die - die, TypeError, r"indep\(x, y\)", r"\.sub\(\)"),
    Bad("Var * Var", lambda: die * die, TypeError, r"indep\(x, y\)", r"\.mul\(\)"),
    Bad("Var / Var", lambda: die / die, TypeError, r"indep\(x, y\)", r"\.div\(\)"),
    Bad("truth of a Var", lambda: bool(die), TypeError, "neither true nor false", r"x\.prob\("),
    Bad("a comparison", lambda: die > 3, TypeError, "random variable|Var", "prob|op"),
    Bad("np.mean", lambda: np.mean(die), TypeError, "mean", "expect"),
    Bad("np.median", lambda: np.median(die), TypeError, "median", "median|op"),
    Bad("the larger of two Vars", lambda: max(die, die), TypeError, "random variable|Var", "prob|combine"),
    Bad("a value that raises", lambda: die.op(boom), UndefinedOutcome, "4", "no such face"),
    Bad("a value that is NaN", lambda: die.op(lambda a: NAN if a == 4 else a), UndefinedOutcome, "4", "cond"),
    Bad("log of a negative number", lambda: uniform(-1, 3).op(np.log), UndefinedOutcome, "-1", "cond"),
    Bad("1 / 0", lambda: uniform(-1, 3).op(lambda a: 1 / a), UndefinedOutcome, "0", "cond"),
    Bad("numpy's 0 / 0", lambda: uniform(0, 3).op(lambda a: np.float64(0) / a), UndefinedOutcome, "0", "cond"),
    Bad("an unhashable value", lambda: die.op(lambda a: [a]), TypeError, r"\[1\]", "tuple"),
    Bad("op without a function", lambda: die.op(3), TypeError, "got int 3", "function"),
    Bad("an impossible condition", lambda: die.cond(lambda a: a > 6), ImpossibleEvent, r"\[1, 2", "probability is 0"),
    Bad("a condition that raises", lambda: die.cond(lambda a: boom(a) > 2), UndefinedOutcome, "4", "no such face"),
    Bad("a condition that is a number", lambda: die.cond(3), TypeError, "got 3", "lambda"),
    Bad("quantile above 1", lambda: die.quantile(1.5), RandvarError, "1.5", "between 0 and 1"),
    Bad("quantile below 0", lambda: die.quantile(-0.1), RandvarError, "-0.1", "between 0 and 1"),
    Bad("quantile NaN", lambda: die.quantile(NAN), RandvarError, "nan", "between 0 and 1"),
    Bad("cdf of NaN", lambda: die.cdf(NAN), RandvarError, "got nan", "a value to compare with"),
    Bad("quantile of words in no order", lambda: Var(["a", 1], [0.5, 0.5]).quantile(0.5), TypeError, "'a', 1", "order"),
]

MOMENTS = [
    Bad("mean of words", lambda: expect(words), TypeError, "blue", r"x\.op\("),
    Bad("variance of words", lambda: variance(words), TypeError, "blue", r"x\.op\("),
    Bad("std of words", lambda: std(words), TypeError, "blue", r"x\.op\("),
    Bad("mean of tuples", lambda: expect(die.op(lambda a: (a, a))), TypeError, r"\(1, 1\)", r"x\.op\("),
    Bad(
        "mean of inf - inf",
        lambda: expect(Var([-math.inf, math.inf], [0.5, 0.5])),
        UndefinedOutcome,
        "-inf",
        "condition",
    ),
    Bad(
        "variance of an infinite outcome",
        lambda: variance(Var([0, math.inf], [0.5, 0.5])),
        UndefinedOutcome,
        "infinite",
        "condition",
    ),
    Bad("mean of a function that fails", lambda: expect(die, boom), UndefinedOutcome, "4", "no such face"),
    Bad(
        "mean of a function that is NaN",
        lambda: expect(die, lambda a: NAN if a == 4 else a),
        UndefinedOutcome,
        "outcome 4",
        "condition",
    ),
    Bad("mean of a number", lambda: expect(3), TypeError, "int 3", "takes a Var"),
    Bad("negative moment order", lambda: moment(die, -1), RandvarError, "-1", "k must be at least 0"),
    Bad("fractional moment order", lambda: moment(die, 1.5), TypeError, "1.5", "k must be a whole number"),
    Bad("median of a Joint", lambda: median(pair), TypeError, "got Joint", "takes a Var"),
    Bad("kl of numbers", lambda: kl(0.5, 0.5), TypeError, "float 0.5", "two Vars"),
]

STEPS = [
    Bad(f"{name} with {steps!r} draws", lambda f=f, steps=steps: f(steps), error, str(steps), way_out)
    for name, f in {
        "monte_carlo": lambda n: monte_carlo(die, n),
        "monte_carlo_with_control": lambda n: monte_carlo_with_control(pair, n),
        "ab_sampling": lambda n: ab_sampling(die, lambda a: a, lambda a: a, steps=n),
        "ab_test": lambda n: ab_test(die, lambda a: a, lambda a: a, lambda a: a, b=1, steps=n),
        "stratify": lambda n: stratify(coin, die, red_share=0.5, red_steps=n, blue_steps=2),
        "leave_one_out_gradient": lambda n: leave_one_out_gradient(pair, n),
    }.items()
    for steps, error, way_out in (
        (0, RandvarError, "at least [12]"),
        (-3, RandvarError, "at least [12]"),
        (2.5, TypeError, "whole number"),
        (NAN, TypeError, "whole number"),
        ("ten", TypeError, "whole number"),
    )
]

ESTIMATORS = [
    Bad("sum of -1 draws", lambda: total(die, -1), RandvarError, "-1", "at least 0"),
    Bad("sum of 2.5 draws", lambda: total(die, 2.5), TypeError, "2.5", "whole number"),
    Bad("monte_carlo of words", lambda: monte_carlo(words, 3), TypeError, "blue", r"x\.op\("),
    Bad("total of words", lambda: total(words, 3), TypeError, "blue", r"x\.op\("),
    Bad("a share above 1", lambda: stratify(coin, die, 1.5, 2, 2), RandvarError, "1.5", "between 0 and 1"),
    Bad("a negative share", lambda: stratify(coin, die, -0.5, 2, 2), RandvarError, "-0.5", "between 0 and 1"),
    Bad("shares that do not add up", lambda: stratified([coin, die], [0.5, 0.4], [2, 2]), RandvarError, "0.9", "not 1"),
    Bad(
        "shares and strata",
        lambda: stratified([coin, die], [0.5, 0.3, 0.2], [2, 2]),
        RandvarError,
        "2 strata but 3",
        "each",
    ),
    Bad("steps and strata", lambda: stratified([coin, die], [0.5, 0.5], [2]), RandvarError, "2 strata but 1", "each"),
    Bad("no strata", lambda: stratified([], [], []), RandvarError, "", "at least one stratum"),
    Bad(
        "an unknown rule",
        lambda: allocate([coin, die], [0.5, 0.5], 10, rule="fair"),
        RandvarError,
        "fair",
        "proportional",
    ),
    Bad("fewer draws than strata", lambda: allocate([coin, die], [0.5, 0.5], 1), RandvarError, "got 1", "at least 2"),
    Bad(
        "a control of words",
        lambda: control_variate(words, len, str, known_mean=0),
        UndefinedOutcome,
        "blue",
        "condition",
    ),
    Bad(
        "a known mean that is NaN",
        lambda: control_variate(die, abs, abs, known_mean=NAN),
        RandvarError,
        "NaN|nan",
        "mean|condition",
    ),
    Bad(
        "a constant control",
        lambda: best_coefficient(pair.op(abs, lambda h: 1)),
        UndefinedOutcome,
        "control",
        "does not vary",
    ),
    Bad("best coefficient of a Var", lambda: best_coefficient(die), TypeError, "got Var", "must be a Joint"),
    Bad("linear control of words", lambda: linear_control(words, len, b=1), TypeError, "blue", r"x\.op\("),
    Bad("top -1", lambda: topk(die, abs, -1), RandvarError, "-1", "at least 0"),
    Bad("top 2.5", lambda: topk(die, abs, 2.5), TypeError, "2.5", "whole number"),
    Bad("leave-one-out of one", lambda: leave_one_out(die, 1), RandvarError, "got 1", "at least 2"),
    Bad("leave-one-out of none", lambda: leave_one_out(die, 0), RandvarError, "got 0", "at least 2"),
    Bad("leave-one-out of a temperature", lambda: leave_one_out(3.0, 3), TypeError, "float 3.0", "must be a Var"),
    Bad("group of one", lambda: leave_one_out_gradient(pair, 1), RandvarError, "got 1", "at least 2"),
    Bad("group of a Var", lambda: leave_one_out_gradient(die, 3), TypeError, "got Var", "must be a Joint"),
    Bad("too many atoms", lambda: iid(uniform(0, 1000), 4).outcomes, SupportTooLarge, r"1e\+?12", "moments"),
]

TABLE = LAWS + JOINTS + OUTCOMES + MOMENTS + STEPS + ESTIMATORS


@pytest.mark.parametrize("bad", TABLE, ids=[bad.what for bad in TABLE])
def test_refusal_names_the_value_and_the_way_out(bad):
    with pytest.raises(bad.error) as refusal:
        bad.call()
    message = str(refusal.value)
    assert re.search(bad.value, message), message
    assert re.search(bad.way_out, message), message


def test_one_family():
    """Whoever catches ValueError or RandvarError catches them all."""
    for child in (InvalidLaw, ImpossibleEvent, SupportTooLarge, UndefinedOutcome):
        assert issubclass(child, RandvarError)
    assert issubclass(RandvarError, ValueError)


def test_the_cause_is_kept():
    """The user's own exception is the cause of the refusal, so that a traceback leads to their line."""
    with pytest.raises(UndefinedOutcome) as refusal:
        die.op(boom)
    assert isinstance(refusal.value.__cause__, KeyError)


def test_impossible_outcomes_are_never_asked():
    """A function is not called where it cannot matter: at an outcome of probability 0."""
    assert expect(Var([0, 1, 2], [0, 0.5, 0.5]).op(lambda a: 1 / a)) == 0.75
    assert kl(Var([0, 1], [0, 1]), Var([0, 1], [0.5, 0.5])) == pytest.approx(math.log(2), rel=1e-15)


def test_a_divergence_without_support_is_infinite():
    """Where q misses an outcome of p the log ratio is +inf, as the divergence is; never NaN, never left out."""
    p, q = die, uniform(1, 4)
    assert kl(p, q) == math.inf
    for estimator in (k1(p, q), k2(p, q), kl_k3(p, q).sub(), kl_topk(p, q, 2)):
        assert estimator.prob(math.inf) > 0
        assert expect(estimator) == math.inf


def test_a_refusal_by_size_allocates_nothing():
    with pytest.raises(SupportTooLarge) as refusal:
        indep(uniform(0, 10**6), uniform(0, 10**6)).outcomes
    assert refusal.value.size == 10**12
    assert refusal.value.budget < refusal.value.size


def test_integers_of_numpy_count_as_integers():
    assert len(total(die, np.int64(2))) == 11
    assert len(uniform(np.int64(1), np.int32(7))) == 6


def test_a_sum_that_will_be_refused_is_refused_at_once():
    """Four irrational outcomes a million times: the merges alone would take hours before the budget is passed."""
    x = Var([math.sqrt(2), math.pi, math.e, math.sqrt(3)], [0.1, 0.2, 0.3, 0.4])
    with pytest.raises(SupportTooLarge, match="law_bounds"):
        monte_carlo(x, 10**6).values
    with pytest.raises(SupportTooLarge):
        monte_carlo(x, 10**6).cdf(2.28)


def test_a_dict_and_a_law_are_no_observations():
    for data, way_out in (
        ({"a": 0.5}, "from_dict"),
        (indep(bernoulli(0.5)), "law already"),
        (bernoulli(0.5), "sequence"),
    ):
        with pytest.raises(TypeError, match=way_out):
            empirical(data)


# -- what users of other libraries write first ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempt", "instead"),
    [
        (lambda: uniform(1, 7).mean(), r"write expect\(x\)"),
        (lambda: uniform(1, 7).var(), r"write variance\(x\)"),
        (lambda: uniform(1, 7).sample(10), r"rng\.choice"),
        (lambda: indep(uniform(1, 7), uniform(1, 7)).std(), r"write std\(x\)"),
    ],
)
def test_an_attribute_of_other_libraries_says_what_to_write(attempt, instead):
    with pytest.raises(AttributeError, match=instead):
        attempt()


def test_other_attributes_are_just_missing():
    with pytest.raises(AttributeError, match=r"'Var' object has no attribute 'meen'$"):
        uniform(1, 7).meen
    assert not hasattr(uniform(1, 7), "mean")


@pytest.mark.parametrize("data", [[6, 4, 4], np.array([6, 4, 4]), (1, 2), {1: 2}])
def test_observations_in_the_place_of_a_law(data):
    for attempt in (
        lambda: expect(data),
        lambda: indep(data),
        lambda: monte_carlo(data, 3),
        lambda: iid(data, 2),
        lambda: dependent(data, len),
        lambda: sampling_distribution(max, data, 2),
        lambda: coverage(wald_interval, data, 3),
        lambda: report(data, 3),
    ):
        with pytest.raises(TypeError, match=r"empirical\(data\)"):
            attempt()


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0, 1.0), (np.float32(0), np.float32(6))])
def test_the_uniform_law_of_an_interval_is_another_one(ends):
    with pytest.raises(TypeError, match="continuous_uniform"):
        uniform(*ends)
