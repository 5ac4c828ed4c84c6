"""A public docstring is law, example and contract: one sentence, an example that is run, what is refused, cost, source.

The examples are run where they stand (`--doctest-modules`), with all that their module imports; here as a reader runs
them, with the public names alone.
"""

import doctest
import inspect
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import randvar
from randvar import estimators, plots, rollouts
from randvar.estimators.bounds import LawBounds
from randvar.estimators.count_intervals import ClopperPearsonInterval, WilsonInterval
from randvar.estimators.mean_intervals import TInterval, WaldInterval
from randvar.examples import sampling_to_reinforce as article
from randvar.plots.picture import Picture
from randvar.verdict import Comparison, Report

PUBLIC = (randvar, estimators, rollouts, plots, article)

# What a user holds: these classes themselves, or what report, compare, law_bounds, histogram and the intervals return.
CLASSES: list[type] = [
    randvar.Var,
    randvar.Joint,
    rollouts.TokenPolicy,
    estimators.CentredInterval,
    Report,
    Comparison,
    LawBounds,
    WaldInterval,
    TInterval,
    WilsonInterval,
    ClopperPearsonInterval,
    plots.Slider,
    Picture,
]

# Every other docstring says "Raises" or "Raised"; these have nothing to refuse.
REFUSES_NOTHING = {
    "Var.of": "a source is not looked at before it is read",
    "Joint.of": "a source is not looked at before it is read",
    "Joint.dim": "a number that every Joint has",
    "Joint.kind": "known without the law",
    "Joint.lost_mass": "known without the law",
    "Var.lost_mass": "known without the law",
    "Joint.transpose": "there is an order to reverse in every Joint",
    "transpose": "there is an order to reverse in every Joint",
    "Var.kind": "known without the law",
    "Report.rows": "the numbers are there",
    "Report.verdict": "the numbers are there",
    "Comparison.table": "the numbers are there",
    "LawBounds.mean": "computed when the bounds were",
    "LawBounds.std": "computed when the bounds were",
    "LawBounds.variance": "computed when the bounds were",
    "LawBounds.width": "computed when the bounds were",
    "Picture": "the functions that draw one refuse",
    "Picture.parts": "a picture that exists is shown",
    "Slider.active": "a slider begins somewhere",
    "Slider.values": "a slider has values",
    "TInterval.squared_multiple": "refused before it is asked for",
    "polling_sketch": "takes nothing",
}

# Functions of the estimators and policies whose formula is a definition or plain arithmetic.
NEEDS_NO_SOURCE = {
    "CentredInterval": "the interval is its own definition",
    "ab_sampling": "the difference of two independent means",
    "rollout": "the definition: a product of the probabilities of tokens",
}
SOURCED = ("randvar.estimators", "randvar.rollouts", "randvar.policies", "randvar.chains")

# Arguments that say how much there is to do.
SIZES = {"n", "steps", "length", "max_samples"}

# Arguments that a formula writes as X or (X, Y, ...).
IN_THE_FORMULA = {"x", "y", "j", "axes_and_table"}


def is_error(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


def named() -> Iterator[tuple[str, Any]]:
    """The names of the public modules; not Fn, a type, nor the toys of an article."""
    for module in PUBLIC:
        for name in module.__all__:
            thing = getattr(module, name)
            if getattr(thing, "__module__", "").startswith("randvar.") and thing.__module__ != article.__name__:
                yield name, thing


def methods(cls: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties, as functions; not those that only override one of matplotlib's."""
    for name in dir(cls):
        if name.startswith("_") or (issubclass(cls, Figure) and hasattr(Figure, name)):
            continue
        member = inspect.getattr_static(cls, name)
        function = getattr(member, "fget", None) or getattr(member, "__func__", None) or member
        if inspect.isfunction(function) and function.__module__.startswith("randvar."):
            yield f"{cls.__name__}.{name}", function


NAMES = dict(named())
ERRORS = {name: thing for name, thing in NAMES.items() if is_error(thing)}
METHODS = {name: member for cls in CLASSES for name, member in methods(cls)}
RESULTS = {cls.__name__: cls for cls in CLASSES}
DOCUMENTED = NAMES | RESULTS | METHODS
FUNCTIONS = {name: thing for name, thing in DOCUMENTED.items() if inspect.isfunction(thing)}

# `import randvar` tells the reader to begin with these.
READERS_NAMES = {name: getattr(module, name) for module in reversed(PUBLIC) for name in module.__all__}
READERS_NAMES |= {"Fraction": Fraction, "np": np}


def text_of(name: str) -> str:
    return inspect.getdoc(DOCUMENTED[name]) or ""


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_law_is_one_line(name):
    first, _, rest = text_of(name).partition("\n")
    assert first.endswith((".", ":"))
    assert not rest or rest.startswith("\n")


@pytest.mark.parametrize("name", DOCUMENTED)
def test_there_is_an_example(name):
    assert ">>> " in text_of(name)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_example_runs_for_a_reader(name):
    example = doctest.DocTestParser().get_doctest(text_of(name), dict(READERS_NAMES), name, None, None)
    found: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(example, out=found.append)
    assert found == []


@pytest.mark.parametrize("name", DOCUMENTED)
def test_what_is_refused_is_said(name):
    says = re.search(r"\b([Rr]aises|Raised)\b", text_of(name)) is not None
    assert says != (name in REFUSES_NOTHING)


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_says_the_way_out(name):
    assert "Traceback" in text_of(name)
    assert "The way out" in text_of(name)


@pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if SIZES & inspect.signature(FUNCTIONS[name]).parameters.keys()]
)
def test_what_a_size_costs_is_said(name):
    assert "Cost" in text_of(name)


@pytest.mark.parametrize("name", [name for name in NAMES if NAMES[name].__module__.startswith(SOURCED)])
def test_an_estimator_has_a_source(name):
    says = re.search(r"\bSources?:", text_of(name)) is not None
    assert says != (name in NEEDS_NO_SOURCE)


@pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if "Array" in FUNCTIONS[name].__annotations__.get("return", "")]
)
def test_an_array_has_its_shape(name):
    assert re.search(r"\b[Ss]hapes?\b", text_of(name))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "Joint" in str(FUNCTIONS[name].__annotations__)])
def test_a_joint_has_its_coordinates(name):
    assert re.search(r"coordinate|\bpair\b|\bJoint of\b|\(reward, score|\(X, Y", text_of(name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_is_named(name):
    arguments = inspect.signature(FUNCTIONS[name]).parameters.keys() - IN_THE_FORMULA - {"self", "cls"}
    assert {argument for argument in arguments if not re.search(rf"\b{argument}\b", text_of(name))} == set()


def test_the_lists_of_exceptions_are_of_names_that_exist():
    assert (REFUSES_NOTHING | NEEDS_NO_SOURCE).keys() <= DOCUMENTED.keys()


def test_all_subjects_are_looked_at():
    subjects = {thing.__module__ for thing in DOCUMENTED.values()}
    assert {"randvar.var", "randvar.joint", "randvar.moments", "randvar.verdict", "randvar.rollouts.trees"} <= subjects
    assert {
        "randvar.errors",
        "randvar.plots.first_pictures",
        "randvar.plots.histograms",
        "randvar.plots.picture",
        "randvar.policies",
    } <= subjects
    assert {
        "Joint.add",
        "Report.verdict",
        "Var.values",
        "TokenPolicy.score",
        "Slider.save",
        "Joint.probs",
    } <= METHODS.keys()
    assert "Fn" not in DOCUMENTED
