"""Small questions that libraries of this kind have got wrong, each with its exact answer.

Each function returns what the package says, under the keys of the case's expected answers; where the answer is a
refusal it returns a `Refused` with the call that must raise.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import agree

from randvar import (
    ImpossibleEvent,
    InvalidLaw,
    Joint,
    RandvarError,
    UndefinedOutcome,
    Var,
    bernoulli,
    entropy,
    expect,
    from_dict,
    from_weights,
    iid,
    indep,
    kl,
    leave_one_out,
    shared,
    total,
    uniform,
    variance,
)

CASES = json.loads((Path(__file__).parents[1] / "support" / "reference" / "cases.json").read_text())
COMPUTED: dict[str, Callable[[], dict[str, Any]]] = {}
die = uniform(1, 7)


@dataclass(frozen=True)
class Refused:
    """A call that must raise this error, with a message that contains this text."""

    call: Callable[[], Any]
    error: type[RandvarError]
    says: str = ""


def case(name: str) -> Callable[..., Any]:
    """Register the function that answers the case whose id starts with this name."""
    (full_name,) = (full for full in CASES if full.startswith(name + "-"))

    def register(compute: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
        COMPUTED[full_name] = compute
        return compute

    return register


def answers():
    """(case id, key, expected answer) of every case about the language."""
    for name, content in CASES.items():
        if name.startswith("R") or name[:3] in ("D03", "D04"):
            yield from ((name, key, expected) for key, expected in content["expected"].items())


@pytest.mark.parametrize(("name", "key", "expected"), [pytest.param(*a, id=f"{a[0]}-{a[1]}") for a in answers()])
def test_case(name, key, expected):
    got = COMPUTED[name]()[key]
    if expected.startswith("error"):
        with pytest.raises(got.error) as refusal:
            got.call()
        assert got.says in str(refusal.value)
    elif expected == "+inf":
        assert got == math.inf
    else:
        agree(got, expected, f"{name}[{key}]")


def test_every_case_answers_every_key():
    for name, compute in COMPUTED.items():
        assert set(compute()) == set(CASES[name]["expected"]), name


@case("D03")
def _():
    x_and_y, twice_x = indep(die, die), shared(die)
    return {
        "P_X_gt_Y": x_and_y.prob(lambda a, b: a > b),
        "P_X_gt_X": twice_x.prob(lambda a, b: a > b),
        "Var_X_plus_Y": variance(x_and_y.add()),
        "Var_X_plus_X": variance(twice_x.add()),
        "P_XX_eq_7": twice_x.add().prob(7),
        "P_XY_eq_7": x_and_y.add().prob(7),
        "Var_X_minus_X": variance(twice_x.sub()),
    }


@case("D04")
def _():
    fire_alarm = Joint([0, 1], [0, 1], [[9889 / 10000, 1 / 100], [1 / 10000, 1 / 1000]])
    fire, alarm = fire_alarm[0], fire_alarm[1]
    return {
        "P_fire_given_alarm": fire_alarm.cond(lambda f, a: a == 1)[0].prob(1),
        "P_fire": fire.prob(1),
        "P_if_independent": indep(fire, alarm).cond(lambda f, a: a == 1)[0].prob(1),
        "P_or": die.prob(lambda a: a > 2 or a < 3),
        "P_and": die.prob(lambda a: a > 3 and a > 2),
    }


@case("R01")
def _():
    listed_but_impossible = Var([1, 2, 3], [1 / 2, 1 / 2, 0])
    return {
        "a": Refused(lambda: indep(die, die).cond(lambda a, b: a + b == 13), ImpossibleEvent),
        "b": Refused(lambda: listed_but_impossible.cond(lambda v: v == 3), ImpossibleEvent),
        "c": listed_but_impossible.prob(3),
    }


@case("R02")
def _():
    return {"build": Refused(lambda: Var([1, 2, 3], [0.5, 1.2, -0.7]), InvalidLaw, "-0.7")}


@case("R03")
def _():
    def not_normalised():
        return kl(Var([0, 1], [1 / 2, 1 / 2]), Var([0, 1], [3 / 10, 3 / 10]))

    # What a library returns that neither checks nor normalises q. There is no such q here to be asked about.
    silent_answer = math.fsum(0.5 * math.log(0.5 / weight) for weight in (0.3, 0.3))
    return {
        "a": Refused(lambda: from_dict({0: 0.1, 1: 0.2, 2: 0.3}), InvalidLaw, "0.6"),
        "b": Refused(not_normalised, InvalidLaw, "0.6"),
        "b_if_normalised_on_request": kl(Var([0, 1], [1 / 2, 1 / 2]), from_weights([0, 1], [3, 3])),
        "b_unnormalised_value_for_reference": silent_answer,
        "c": Refused(lambda: Var([0, 1], [0.5, 0.500009]), InvalidLaw, "1.000009"),
    }


@case("R04")
def _():
    ages = Var(range(88, 100), [0.0833] * 11 + [0.0837])
    digits = Var(range(10), [0.1] * 10)
    return {
        "mean_a": expect(ages),
        "mean_b": expect(digits),
        "total_a": math.fsum(ages.probs),
        "total_b": math.fsum(digits.probs),
    }


@case("R05")
def _():
    a, b = Var([1, 1], [0.6, 0.4]), Var([1, 2, 1], [1 / 4, 1 / 2, 1 / 4])
    return {
        "a_P1": a.prob(1),
        "a_P_ge_0": a.prob(lambda v: v >= 0),
        "a_support": len(a),
        "b_P1": b.prob(1),
        "b_support": len(b),
        "b_mean": expect(b),
        "b_var": variance(b),
    }


@case("R06")
def _():
    x = Var([0.1, 0.2, 0.3], [1 / 3, 1 / 3, 1 / 3])
    s = total(x, 3)
    return {
        "support": len(s),
        "P_0_3": s.prob(0.3),
        "P_0_6": s.prob(0.6),
        "P_le_0_6": s.cdf(0.6),
        "P_zero_sample_variance": iid(x, 3).combine(lambda *sample: np.var(sample, ddof=1)).prob(0),
    }


@case("R07")
def _():
    return {
        "kl_missing_support": kl(Var([0, 1, 2], [0.3, 0.3, 0.4]), Var([0, 1, 2], [0.5, 0.5, 0])),
        "kl_shared_zero": kl(Var([0, 1, 2], [0.5, 0.5, 0]), Var([0, 1, 2], [0.5, 0.5, 0])),
        "kl_zero_in_p": kl(Var([0, 1, 2], [0, 0.1, 0.9]), Var([0, 1, 2], [0.1, 0.1, 0.8])),
        "entropy_a": entropy(Var([0, 1, 2], [0, 0.5, 0.5])),
        "entropy_b": entropy(Var([0, 1, 2], [0, 0, 1])),
    }


@case("R09")
def _():
    return {
        "a": Refused(lambda: Var([math.nan, math.nan], [0.5, 0.5]), InvalidLaw, "NaN"),
        "b": Refused(lambda: Var([1, 2], [math.nan, 1]), InvalidLaw, "nan"),
        "c": Refused(lambda: expect(die.op(lambda a: math.nan if a == 4 else a)), UndefinedOutcome, "4"),
    }


@case("R10")
def _():
    def sample_variance_of_one():
        return iid(die, 1).combine(lambda a: (a - a) ** 2 / (1 - 1))

    return {
        "sum_zero_dice_P0": total(die, 0).prob(0),
        "count_zero_dice_P0": total(die.op(lambda a: a == 6), 0).prob(0),
        "highest_of_zero": Refused(lambda: iid(die, 0).combine(max), RandvarError, "0"),
        "sample_variance_n1": Refused(sample_variance_of_one, UndefinedOutcome, "ZeroDivisionError"),
        "leave_one_out_n1": Refused(lambda: leave_one_out(die, 1), RandvarError, "1"),
        "reroll_everything": Refused(lambda: die.cond(lambda a: False), ImpossibleEvent),
    }


@case("R12")
def _():
    biased, fair = total(bernoulli(0.9), 800), total(bernoulli(0.5), 2000)
    return {
        # 1e-800 is no float, so prob(0) is 0; its logarithm is one.
        "log10_P0": biased.log_prob(0) / math.log(10),
        "quantile_at_1": biased.quantile(1),
        "P_gt_777": biased.prob(lambda s: s > 777),
        "P_le_700": biased.cdf(700),
        "P_half_2000": fair.prob(1000),
    }


@case("R15")
def _():
    x = Var([1, True, 1.0], [1 / 4, 1 / 4, 1 / 2])
    zero = Var([0, False, -0.0], [1 / 4, 1 / 4, 1 / 2])
    return {"P1": x.prob(1), "support": len(x), "total": math.fsum(x.probs), "P0": zero.prob(0)}
