"""The hostile values of `test_functions` for methods, operators and `randvar.rollouts`."""

import operator
from collections import Counter
from fractions import Fraction
from functools import partial

import pytest
from hostile_values import HOSTILE, HUGE, coin, dependent_pair, die, exact, pair, rough, words
from refusals import Call, attempt, bounded, of, same, trials  # noqa: F401 (a fixture)

from randvar import *
from randvar import plots, rollouts
from randvar.rollouts import *
from tests.refusals import test_pictures
from tests.refusals.test_functions import OF_POLICIES

triple = iid(coin, 3)
sums = total(die, 3)
p = TokenPolicy({(): coin, (0,): coin, (1,): coin}, context=lambda prefix: prefix[:1])
q = TokenPolicy({0: Var([0, 1], [0.25, 0.75])}, context=lambda prefix: 0)
drawn = rollout(q, 2)
ratios = rollouts.token_ratios(q, q)
bounds = law_bounds(die, 5, points=[2.5])
verdict = compare({"a": die}, 2.5)
NUMBERS = [0.5, 1.0]


def advantages(completion):
    """One number a token."""
    return [1.0] * len(completion)


ROLLOUTS = [
    of(rollouts.rollout, lambda prefix: coin, 2),
    of(clipped_value_loss, NUMBERS, NUMBERS, NUMBERS, 0.2),
    of(clipped_value_loss_gradient, NUMBERS, NUMBERS, NUMBERS, 0.2),
    of(discounted_returns, NUMBERS, 0.9, [0, 1], [1, 1]),
    of(discounts, 3, 0.9),
    of(generalized_advantages, NUMBERS, NUMBERS, 0.9, 0.9, [0, 1], [1, 1], 0.5),
    of(masked_mean, NUMBERS, [1, 1], over="sequences"),
    of(vtrace, NUMBERS, NUMBERS, NUMBERS, 0.9, 1.0, 1.0, [0, 1], [1, 1], 0.5),
    *(of(f, q, q) for f in (geometric_ratio, prefix_ratios, sequence_ratio, token_ratios)),
    of(rollouts.masked_weights, ratios, 1.5),
    of(ppo_clipped, ratios, advantages, 0.2, 0.3),
    of(ppo_objective, 1.1, 0.5, 0.2, 0.3),
    of(rollouts.truncated_weights, ratios, 1.5),
    of(dr_grpo, drawn, q, sum, 2, 2, weights=ratios),
    of(grpo, drawn, q, sum, 2, divide_by_std=True, ddof=0, epsilon=1e-6, lengths="each", weights=ratios),
    of(reward_and_score, drawn, q, sum),
    of(rloo, drawn, q, sum, 2),
    of(token_gradient, drawn, q, advantages, ratios),
    of(kl_as_loss, drawn, q, q, "k1", "token", weights=ratios),
    of(kl_as_reward, drawn, q, q, "k1", "token", weights=ratios),
    of(rao_blackwell_kl, drawn, q, q),
    of(rao_blackwell_kl_gradient, drawn, q, q, q),
    of(reverse_kl_gradient, drawn, q, q, q),
    of(sequence_kl, drawn, q, q, "k1"),
    of(topk_kl, drawn, q, q, 1, rest="sampled"),
    *(
        Call(f"results of {name}", lambda sample, f=f: f(sample), ((0, 1),))
        for name, f in {
            "token_ratios": ratios, "masked": rollouts.masked_weights(ratios, 1.5),
            "truncated": rollouts.truncated_weights(ratios, 1.5),
            "ppo_clipped": ppo_clipped(ratios, advantages, 0.2), "sequence_ratio": sequence_ratio(q, q),
        }.items()
    ),
]  # fmt: skip

LAWS = {"die": die, "words": words, "exact": exact, "rough": rough, "sum": sums}
METHODS = {
    "op": (same,), "cond": (lambda a: a is not None,), "prob": (1,), "log_prob": (1,), "cdf": (1,), "quantile": (0.5,),
    "vector": (lambda a: (a, a),), "rational": (100,), "to_pandas": ("name",),
}  # fmt: skip
READ = {"accuracy", "kind", "lost_mass", "probs", "values", "to_dict", "to_float", "to_scipy"}
INSIDE = {"law", "of", "source"}  # what the parts of randvar use, which take no outcome of a person
JOINTS = {"pair": dependent_pair, "triple": triple, "words": shared(words), "mean": monte_carlo(pair, 2)}
OF_A_JOINT = {
    "marginal": (0,), "select": (0, 1), "rational": (100,), "combine": (lambda *row: row[0],),
    "cond": (lambda *row: True,), "prob": (lambda *row: True,), "op": None, "to_pandas": None,
}  # fmt: skip
READ_OF_A_JOINT = {
    "accuracy",
    "add",
    "columns",
    "dim",
    "div",
    "kind",
    "lost_mass",
    "mul",
    "outcomes",
    "probs",
    "sub",
    "table",
    "transpose",
    "weights",
}

OPERATORS = {
    f.__name__: f
    for f in (
        operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
        operator.lt, operator.ge, operator.eq, operator.ne, operator.and_, operator.matmul, operator.lshift, divmod,
    )
}  # fmt: skip

CALLS = [
    *ROLLOUTS,
    *(
        Call(f"{law}.{method}", getattr(x, method), arguments)
        for law, x in LAWS.items()
        for method, arguments in METHODS.items()
    ),
    *(
        Call(f"{law}.{method}", getattr(x, method), arguments or (same,) * x.dim)
        for law, x in JOINTS.items()
        for method, arguments in OF_A_JOINT.items()
    ),
    *(
        Call(f"{name} of {law}{' on the right' * right}", partial(swapped, f, x) if right else partial(f, x), (2,))
        for law, x in {"die": die, "exact": exact, "sum": sums, "pair": pair}.items()
        for name, f in OPERATORS.items()
        for right in (False, True)
        for swapped in [lambda f, x, c: f(c, x)]
    ),
    *(
        Call(f"{name} {law}", f, (1,))
        for law, x in {"die": die, "pair": pair}.items()
        for name, f in {
            "in": lambda c, x=x: c in x, "[] of": lambda c, x=x: x[c],
            "round": lambda c, x=x: round(x, c), "format": lambda c, x=x: format(x, c),
        }.items()
    ),
    *(
        Call(f"TokenPolicy.{method}", getattr(q, method), arguments)
        for method, arguments in {
            "derivative": ((0, 1),), "gradient": (drawn, sum), "local_gradient": ((0,), same), "log_probs": ((0, 1),),
            "prob": ((0, 1),), "score": ((0, 1),), "temperature_score": ((0, 1),), "token_scores": ((0, 1),),
        }.items()
    ),
    Call("a policy", q, ((0,),)),
    Call("LawBounds.cdf", bounds.cdf, (2.5,)),
    Call("law_plot of bounds", plots.law_plot, (bounds,)),
]  # fmt: skip


# Their own operators are asked first: pandas', numpy's of records, and Fraction's power, which makes a float of itself.
ASKED_FIRST = {"a Series", "a Series of text", "a Series with NA", "a DataFrame", "array records", repr(Fraction(HUGE))}


def values_for(call):
    """The names of the values that a call is tried with."""
    return [name for name in HOSTILE if call.name.split(" of ")[0] not in OPERATORS or name not in ASKED_FIRST]


@pytest.mark.parametrize("call", CALLS, ids=[f"{i}-{call.name}" for i, call in enumerate(CALLS)])
def test_every_argument_is_refused_or_answered(call):
    found = {(slot, name): attempt(trial) for slot, name, trial in trials(call, values_for(call))}
    counts = Counter(found.values())
    print(f"{call.name}: {len(found)} tried: {', '.join(f'{n} {what}' for what, n in counts.most_common())}")
    allowed = {"answer", "TypeError", "refusal", "its own exception"}
    assert {trial: what for trial, what in found.items() if what not in allowed} == {}


def public(thing):
    """The names of its attributes that are for people."""
    return {name for name in dir(thing) if not name.startswith("_")}


def test_every_public_name_is_tried():
    """A new function, method or picture fails here until a call of it stands in a list."""
    for call in ROLLOUTS:
        assert attempt(partial(call.function, *call.arguments, **call.keywords)) == "answer", call.name
    tried = {call.function for call in ROLLOUTS}
    assert {name for name in rollouts.__all__ if getattr(rollouts, name) not in tried} == OF_POLICIES
    assert public(Var) == set(METHODS) | READ | INSIDE
    assert public(Joint) == set(OF_A_JOINT) | READ_OF_A_JOINT | INSIDE | {"coordinate"}
    named = {call.name for call in [*CALLS, *test_pictures.METHODS]}
    assert {f"TokenPolicy.{name}" for name in public(TokenPolicy)} - {"TokenPolicy.parameters"} <= named
    of_slider = {f"Slider.{name}" for name in public(plots.Slider)} - {"Slider.values", "Slider.active"}
    assert of_slider <= named
    assert public(verdict) == {"laws", "plot", "reports", "table", "target"}


def test_what_takes_no_argument_answers():
    for x in LAWS.values():
        for name in READ - {"to_scipy", "lost_mass"}:
            value = getattr(x, name)
            assert attempt(value if callable(value) else lambda value=value: value) == "answer", name
    for j in JOINTS.values():
        for name in READ_OF_A_JOINT:
            outcome = attempt(lambda j=j, name=name: v() if callable(v := getattr(j, name)) else v)
            assert outcome in {"answer", "refusal", "TypeError"}, (name, outcome)
    assert attempt(verdict.table) == attempt(verdict.plot) == attempt(report(die, 2.5).rows) == "answer"
