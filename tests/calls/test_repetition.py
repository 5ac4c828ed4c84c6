"""A function that draws random numbers, or keeps a state, is refused wherever a person's function is taken."""

import itertools
import random

import pytest

from randvar import Var, coverage, markov_chain, sampling_distribution, uniform, without_replacement
from randvar.calls.repetition import same
from randvar.errors import RandvarError

DIE = uniform(1, 7)


def _stateful():
    count = itertools.count()
    return lambda *_: next(count)


def _random():
    return lambda *_: random.random()


def _random_law():
    return lambda *_: Var([0, 1], [p := random.uniform(0.1, 0.9), 1 - p])


PLACES = {
    "op": lambda f: DIE.op(f),
    "sampling_distribution": lambda f: sampling_distribution(f, DIE, 2),
    "sampling_distribution, symmetric": lambda f: sampling_distribution(f, DIE, 2, symmetric=True),
    "without_replacement": lambda f: without_replacement(range(1, 8), 2, f),
    "markov_chain": lambda f: markov_chain(DIE, f, 2),
}
EVENTS = {
    "prob": lambda f: DIE.prob(lambda v: f(v) < 0.5),
    "coverage": lambda f: coverage(lambda s: (f(s) - 1, 1e3), DIE, 2, 1),
    "coverage by sums": lambda f: coverage(lambda s: (f(s) - 1, 1e3), DIE, 2, 1, of=lambda v: v + f(v)),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("function", [_stateful, _random, _random_law])
def test_what_is_no_function_is_refused(place, function):
    with pytest.raises(
        RandvarError, match=r"not a function of its (sample|outcome) \(it draws .* enumerated"
    ) as refused:
        PLACES[place](function())
    assert "wrapped" not in str(refused.value)


@pytest.mark.parametrize("place", ["coverage", "coverage by sums"])
def test_nor_in_an_interval(place):
    with pytest.raises(RandvarError, match="not a function of its"):
        EVENTS[place](_random())


def test_a_state_that_flips_is_seen_in_an_event():
    count = itertools.count()
    with pytest.raises(RandvarError, match="not a function of its outcome"):
        DIE.prob(lambda v: next(count) < 3)


def test_functions_pass():
    assert len(DIE.op(lambda v: hash((v, "a")))) == 6
    assert DIE.op(lambda v: (v, "a")).prob((1, "a")) == pytest.approx(1 / 6)
    assert len(DIE.op(lambda v: uniform(0, v))) == 6


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(1, 1.0, True), ((1, 2), (1, 3), False), ("a", "b", False), (1, None, True)]
)
def test_what_is_the_same(a, b, expected):
    assert same(a, b) is expected
