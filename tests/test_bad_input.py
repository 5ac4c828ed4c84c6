"""Bad input, over the public functions: one clear error each, which names the value and the way out.

Each row: what is wrong, the call, the class of the error, what its message must contain (the value), and a pattern for
the way out. Misuse of types is a TypeError; everything else is of the one family, RandvarError.
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
    ab_sampling,
    ab_test,
    allocate,
    bernoulli,
    best_coefficient,
    binomial,
    constant,
    control_variate,
    covar,
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
    kl_k3,
    kl_topk,
    leave_one_out,
    leave_one_out_gradient,
    linear_control,
    median,
    moment,
    monte_carlo,
    monte_carlo_with_control,
    shared,
    softmax,
    std,
    stratified,
    stratify,
    topk,
    total,
    uniform,
    variance,
    weighted_die,
)

NAN = math.nan
die = uniform(1, 7)
coin = bernoulli(0.5)
words = from_dict({"red": 0.5, "blue": 0.5})
pair = control_variate(die, lambda a: a**2, lambda a: a, known_mean=3.5)


class Bad(NamedTuple):
    """A call that must be refused, the class of the error, the value and the way out that the message names."""

    what: str
    call: Callable[[], object]
    error: type[Exception]
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
    Bad("sum above 1", lambda: Var([1, 2], [1, 1]), InvalidLaw, "2", "from_weights"),
    Bad("negative", lambda: Var([1, 2, 3], [0.5, 1.2, -0.7]), InvalidLaw, "-0.7", "0"),
    Bad("NaN probability", lambda: Var([1, 2], [NAN, 1]), InvalidLaw, "nan", "1|position|drop|outcome"),
    Bad("infinite probability", lambda: Var([1, 2], [math.inf, 0]), InvalidLaw, "inf", "0|1"),
    Bad("NaN value", lambda: Var([NAN, 1], [0.5, 0.5]), InvalidLaw, "NaN", "drop|replace"),
    Bad("NaN inside a tuple", lambda: Var([(1, NAN), (1, 2)], [0.5, 0.5]), InvalidLaw, "nan", "NaN"),
    Bad("empty", lambda: Var([], []), InvalidLaw, "0|empty|no", "at least|one"),
    Bad("all zero", lambda: Var([1, 2], [0, 0]), InvalidLaw, "0", "from_weights|normalise|possible"),
    Bad("lengths", lambda: Var([1, 2, 3], [0.5, 0.5]), InvalidLaw, "3", "2"),
    Bad(
        "unhashable outcome",
        lambda: Var([[1], [2]], [0.5, 0.5]),
        (TypeError, InvalidLaw),
        r"\[1\]|list|shape",
        "tuple|1-D",
    ),
    Bad("words for probabilities", lambda: Var([1, 2], ["a", "b"]), (TypeError, InvalidLaw), "a", "number"),
    Bad(
        "two-dimensional probabilities",
        lambda: Var([1, 2], [[0.5, 0.5]]),
        (TypeError, InvalidLaw),
        "",
        "1-D|length|one",
    ),
    Bad(
        "a single number as values", lambda: Var(1, [1.0]), (TypeError, InvalidLaw), "1", "constant|sequence|list|iter"
    ),
    Bad("from_dict below 1", lambda: from_dict({0: 0.1, 1: 0.2, 2: 0.3}), InvalidLaw, "0.6", "from_weights"),
    Bad("from_dict empty", lambda: from_dict({}), InvalidLaw, "0|empty|no", "at least|one"),
    Bad("from_weights negative", lambda: from_weights([1, 2], [3, -1]), InvalidLaw, "-1", "0|negative"),
    Bad("from_weights all zero", lambda: from_weights([1, 2], [0, 0]), InvalidLaw, "0", "positive"),
    Bad("from_weights NaN", lambda: from_weights([1, 2], [NAN, 1]), InvalidLaw, "nan", ""),
    Bad("from_weights lengths", lambda: from_weights([1, 2], [1, 1, 1]), InvalidLaw, "2", "3"),
    Bad("empirical of nothing", lambda: empirical([]), InvalidLaw, "0|empty|no", "at least|one"),
    Bad("empirical with NaN", lambda: empirical([1.0, NAN]), InvalidLaw, "NaN", "drop|replace"),
    Bad("constant NaN", lambda: constant(NAN), InvalidLaw, "NaN", ""),
    Bad("uniform empty", lambda: uniform(3, 3), RandvarError, "3", "range|empty|below|less"),
    Bad("uniform backwards", lambda: uniform(7, 1), RandvarError, "7", "range|empty|below|less"),
    Bad("uniform of floats", lambda: uniform(0.5, 2), (TypeError, RandvarError), "0.5", "int"),
    Bad("bernoulli above 1", lambda: bernoulli(1.5), InvalidLaw, "1.5", "0"),
    Bad("bernoulli below 0", lambda: bernoulli(-0.1), InvalidLaw, "-0.1", "0"),
    Bad("bernoulli NaN", lambda: bernoulli(NAN), InvalidLaw, "nan", "0"),
    Bad("bernoulli of a word", lambda: bernoulli("half"), (TypeError, RandvarError), "half", "number"),
    Bad("binomial negative", lambda: binomial(-1, 0.5), RandvarError, "-1", "0|negative"),
    Bad("binomial float count", lambda: binomial(2.5, 0.5), (TypeError, RandvarError), "2.5", "int|whole"),
    Bad("binomial probability", lambda: binomial(3, 2), InvalidLaw, "2", "0"),
    Bad("weighted_die of nothing", lambda: weighted_die([]), InvalidLaw, "0|empty|no", ""),
    Bad("weighted_die negative", lambda: weighted_die([1, -2]), InvalidLaw, "-2", ""),
    Bad("softmax at temperature 0", lambda: softmax([1, 2], temperature=0), RandvarError, "0", "temperature"),
    Bad("softmax at negative temperature", lambda: softmax([1, 2], temperature=-1), RandvarError, "-1", "temperature"),
    Bad("softmax NaN", lambda: softmax([1, NAN]), RandvarError, "nan|NaN", ""),
    Bad("softmax of nothing", lambda: softmax([]), RandvarError, "0|empty|no", ""),
    Bad("softmax lengths", lambda: softmax([1, 2], values=[1]), RandvarError, "2", "1"),
]

JOINTS = [
    Bad("table below 1", lambda: Joint([0, 1], [0, 1], [[0.1, 0.2], [0.3, 0.3]]), InvalidLaw, "0.9", ""),
    Bad("table negative", lambda: Joint([0, 1], [0, 1], [[0.6, 0.6], [-0.2, 0]]), InvalidLaw, "-0.2", ""),
    Bad("table NaN", lambda: Joint([0, 1], [0, 1], [[NAN, 0.5], [0.5, 0]]), InvalidLaw, "nan", ""),
    Bad("table of the wrong shape", lambda: Joint([0, 1, 2], [0, 1], [[0.5, 0], [0, 0.5]]), InvalidLaw, "3", "2"),
    Bad("table transposed", lambda: Joint([0, 1], [0, 1, 2], np.full((3, 2), 1 / 6)), InvalidLaw, "3, 2", "2, 3"),
    Bad("coordinate with NaN", lambda: Joint([0, NAN], [0], [[0.5], [0.5]]), InvalidLaw, "NaN", ""),
    Bad("indep of a number", lambda: indep(die, 3), TypeError, "3", "constant"),
    Bad("indep of nothing", lambda: indep(), (TypeError, RandvarError), "", ""),
    Bad("shared no copies", lambda: shared(die, copies=0), RandvarError, "0", "1"),
    Bad("shared of a number", lambda: shared(3), TypeError, "3", "constant|Var"),
    Bad("iid zero", lambda: iid(die, 0), RandvarError, "0", "1"),
    Bad("iid negative", lambda: iid(die, -2), RandvarError, "-2", "1"),
    Bad("iid float", lambda: iid(die, 2.5), (TypeError, RandvarError), "2.5", "int|whole"),
    Bad(
        "kernel that returns a number",
        lambda: dependent(die, lambda a: a),
        (TypeError, RandvarError),
        "1",
        "constant|Var",
    ),
    Bad(
        "kernel that fails", lambda: dependent(die, lambda a: constant(boom(a))), UndefinedOutcome, "4", "no such face"
    ),
    Bad("too few functions", lambda: pair.op(lambda a: a), (TypeError, RandvarError), "1", "2"),
    Bad("too many functions", lambda: pair.op(*[lambda a: a] * 3), (TypeError, RandvarError), "3", "2"),
    Bad("marginal out of range", lambda: pair.marginal(2), (IndexError, RandvarError), "2", "0|1"),
    Bad("select out of range", lambda: pair.select(0, 5), (IndexError, RandvarError), "5", "0|1"),
    Bad(
        "joint condition impossible",
        lambda: indep(die, die).cond(lambda a, b: a + b == 13),
        ImpossibleEvent,
        "",
        "possible",
    ),
    Bad(
        "joint with NaN on one row",
        lambda: indep(die, coin).combine(lambda a, c: NAN if a == 4 else c),
        UndefinedOutcome,
        "4",
        "cond",
    ),
    Bad("joint division by zero", lambda: indep(die, uniform(0, 3)).div(), UndefinedOutcome, "0", "cond"),
    Bad("covar of a Var", lambda: covar(die), TypeError, "Var", "shared|Joint"),
    Bad("sum of words and numbers", lambda: indep(die, words).add(), (TypeError, RandvarError), "red|blue", ""),
]

OUTCOMES = [
    Bad("Var + Var", lambda: die + die, TypeError, "indep(x, y).add()", "shared"),
    Bad("Var - Var", lambda: die - die, TypeError, "indep(x, y).sub()", "shared"),
    Bad("Var * Var", lambda: die * die, TypeError, "indep(x, y).mul()", "shared"),
    Bad("Var / Var", lambda: die / die, TypeError, "indep(x, y).div()", "shared"),
    Bad("truth of a Var", lambda: bool(die), (TypeError, RandvarError), "", "prob"),
    Bad("the larger of two Vars", lambda: max(die, die), (TypeError, RandvarError), "", "prob|combine|indep"),
    Bad("a value that raises", lambda: die.op(boom), UndefinedOutcome, "4", "no such face"),
    Bad("a value that is NaN", lambda: die.op(lambda a: NAN if a == 4 else a), UndefinedOutcome, "4", "cond"),
    Bad("log of a negative number", lambda: uniform(-1, 3).op(np.log), UndefinedOutcome, "-1", "cond"),
    Bad("1 / 0", lambda: uniform(-1, 3).op(lambda a: 1 / a), UndefinedOutcome, "0", "cond"),
    Bad("numpy's 0 / 0", lambda: uniform(0, 3).op(lambda a: np.float64(0) / a), UndefinedOutcome, "0", "cond"),
    Bad("an unhashable value", lambda: die.op(lambda a: [a]), TypeError, r"\[1\]", "tuple"),
    Bad("op without a function", lambda: die.op(3), TypeError, "3", "function|callable"),
    Bad("an impossible condition", lambda: die.cond(lambda a: a > 6), ImpossibleEvent, "", "possible"),
    Bad("a condition that raises", lambda: die.cond(lambda a: boom(a) > 2), UndefinedOutcome, "4", "no such face"),
    Bad("a condition that is a number", lambda: die.cond(3), TypeError, "3", "function|lambda|predicate|callable"),
    Bad("quantile above 1", lambda: die.quantile(1.5), RandvarError, "1.5", "0"),
    Bad("quantile below 0", lambda: die.quantile(-0.1), RandvarError, "-0.1", "1"),
    Bad("quantile NaN", lambda: die.quantile(NAN), RandvarError, "nan", "0"),
    Bad("cdf of NaN", lambda: die.cdf(NAN), RandvarError, "nan|NaN", ""),
    Bad(
        "quantile of words in no order",
        lambda: Var(["a", 1], [0.5, 0.5]).quantile(0.5),
        (TypeError, RandvarError),
        "a|order",
        "",
    ),
]

MOMENTS = [
    Bad("mean of words", lambda: expect(words), TypeError, "blue|red", "number|op"),
    Bad("variance of words", lambda: variance(words), TypeError, "blue|red", "number|op"),
    Bad("std of words", lambda: std(words), TypeError, "blue|red", "number|op"),
    Bad("mean of tuples", lambda: expect(die.op(lambda a: (a, a))), TypeError, r"\(1, 1\)", "number|op|vector"),
    Bad("mean of inf - inf", lambda: expect(Var([-math.inf, math.inf], [0.5, 0.5])), RandvarError, "inf", ""),
    Bad("variance of an infinite outcome", lambda: variance(Var([0, math.inf], [0.5, 0.5])), RandvarError, "inf", ""),
    Bad("mean of a function that fails", lambda: expect(die, boom), UndefinedOutcome, "4", "no such face"),
    Bad(
        "mean of a function that is NaN", lambda: expect(die, lambda a: NAN if a == 4 else a), UndefinedOutcome, "4", ""
    ),
    Bad("mean of a number", lambda: expect(3), TypeError, "3", "Var"),
    Bad("negative moment order", lambda: moment(die, -1), RandvarError, "-1", "0|1"),
    Bad("fractional moment order", lambda: moment(die, 1.5), (TypeError, RandvarError), "1.5", "int|whole"),
    Bad("median of a Joint", lambda: median(pair), TypeError, "Joint", "marginal|Var"),
    Bad("kl of numbers", lambda: kl(0.5, 0.5), TypeError, "0.5", "Var"),
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
        (0, RandvarError, "1|2"),
        (-3, RandvarError, "1|2"),
        (2.5, (TypeError, RandvarError), "int|whole"),
        (NAN, (TypeError, RandvarError), "int|whole"),
        ("ten", (TypeError, RandvarError), "int|whole"),
    )
]

ESTIMATORS = [
    Bad("sum of -1 draws", lambda: total(die, -1), RandvarError, "-1", "0|1"),
    Bad("sum of 2.5 draws", lambda: total(die, 2.5), (TypeError, RandvarError), "2.5", "int|whole"),
    Bad("mean of words", lambda: monte_carlo(words, 3), TypeError, "blue|red", "number|op"),
    Bad("sum of words", lambda: total(words, 3), TypeError, "blue|red", "number|op"),
    Bad("a share above 1", lambda: stratify(coin, die, 1.5, 2, 2), RandvarError, "1.5", "0"),
    Bad("a negative share", lambda: stratify(coin, die, -0.5, 2, 2), RandvarError, "-0.5", "0"),
    Bad("shares that do not add up", lambda: stratified([coin, die], [0.5, 0.4], [2, 2]), RandvarError, "0.9", "1"),
    Bad("shares and strata", lambda: stratified([coin, die], [0.5, 0.3, 0.2], [2, 2]), RandvarError, "3", "2"),
    Bad("steps and strata", lambda: stratified([coin, die], [0.5, 0.5], [2]), RandvarError, "1", "2"),
    Bad("no strata", lambda: stratified([], [], []), RandvarError, "0|empty|no", ""),
    Bad(
        "an unknown rule",
        lambda: allocate([coin, die], [0.5, 0.5], 10, rule="fair"),
        RandvarError,
        "fair",
        "proportional",
    ),
    Bad("fewer draws than strata", lambda: allocate([coin, die], [0.5, 0.5], 1), RandvarError, "1", "2"),
    Bad(
        "a control of words",
        lambda: control_variate(words, len, lambda w: w, known_mean=0),
        (TypeError, RandvarError),
        "blue|red",
        "",
    ),
    Bad(
        "a known mean that is NaN", lambda: control_variate(die, abs, abs, known_mean=NAN), RandvarError, "nan|NaN", ""
    ),
    Bad(
        "a constant control",
        lambda: best_coefficient(control_variate(die, abs, lambda a: 1, known_mean=1)),
        RandvarError,
        "0",
        "constant|vary|varies",
    ),
    Bad("best coefficient of a Var", lambda: best_coefficient(die), TypeError, "Var", "Joint"),
    Bad("linear control of words", lambda: linear_control(words, len, b=1), TypeError, "blue|red", ""),
    Bad("k1 without support", lambda: k1(die, uniform(1, 4)), RandvarError, "4", "support|mass"),
    Bad("k2 without support", lambda: k2(die, uniform(1, 4)), RandvarError, "4", "support|mass"),
    Bad("k3 without support", lambda: kl_k3(die, uniform(1, 4)), RandvarError, "4", "support|mass"),
    Bad("top-k without support", lambda: kl_topk(die, uniform(1, 4), 2), RandvarError, "4", "support|mass"),
    Bad("top -1", lambda: topk(die, abs, -1), RandvarError, "-1", "0"),
    Bad("top 2.5", lambda: topk(die, abs, 2.5), (TypeError, RandvarError), "2.5", "int|whole"),
    Bad("leave-one-out of one", lambda: leave_one_out(die, 1), RandvarError, "1", "2"),
    Bad("leave-one-out of none", lambda: leave_one_out(die, 0), RandvarError, "0", "2"),
    Bad("leave-one-out of a temperature", lambda: leave_one_out(3.0, 3), TypeError, "3.0", "Var"),
    Bad("group of one", lambda: leave_one_out_gradient(pair, 1), RandvarError, "1", "2"),
    Bad("group of a Var", lambda: leave_one_out_gradient(die, 3), TypeError, "Var", "Joint"),
    Bad(
        "too many atoms",
        lambda: iid(uniform(0, 1000), 4),
        SupportTooLarge,
        "1000000000000|1e+12|10\\^12|1,000,000,000,000|1.0e12",
        "max_atoms|moments|monte_carlo",
    ),
]

TABLE = LAWS + JOINTS + OUTCOMES + MOMENTS + STEPS + ESTIMATORS


@pytest.mark.parametrize("bad", TABLE, ids=[bad.what for bad in TABLE])
def test_refusal_names_the_value_and_the_way_out(bad):
    with pytest.raises(bad.error) as refusal:
        bad.call()
    message = str(refusal.value)
    assert re.search(bad.value, message) or bad.value in message, message
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


def test_a_refusal_by_size_allocates_nothing():
    with pytest.raises(SupportTooLarge) as refusal:
        indep(*[uniform(0, 10**6)] * 2)
    assert refusal.value.size == 10**12
    assert refusal.value.budget < refusal.value.size


def test_integers_of_numpy_count_as_integers():
    assert len(total(die, np.int64(2))) == 11
    assert len(uniform(np.int64(1), np.int32(7))) == 6
