"""Random programs agree in floats, in fractions and with naive enumeration; so do those that once did not.

`make fuzz` runs many more of them.
"""

import itertools
from fractions import Fraction

import numpy as np
import oracle
import pytest
from naive_programs import Naive
from programs import EVENTS, FUNCTIONS, STATISTICS, Call, Package
from random_programs import random_program
from three_ways import check, failure

from randvar import (
    Joint,
    Var,
    bernoulli,
    constant,
    covar,
    iid,
    indep,
    leave_one_out_gradient,
    monte_carlo,
    same_law,
    sampling_distribution,
)

PROGRAMS = 480
BATCHES = 12
coin = Call("flip", Fraction(1, 2))
die = Call("integers", 1, 7)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_agree(batch):
    for seed in range(batch * PROGRAMS // BATCHES, (batch + 1) * PROGRAMS // BATCHES):
        found = failure(random_program(seed))
        assert found is None, f"seed {seed}: {found[0]}: {found[1]}"


FOUND = {
    "nothing is drawn of an exact law": Call("binomial", 0, Fraction(7, 8)),
    "nothing is drawn of a mean": Call("total", Call("monte_carlo", die, 2), 0),
    "a vector of whole moments": Call("iid", Call("binomial", 0, Fraction(1, 2)), 1),
    "no top to sum": Call("topk", Call("law", (-5, 4, 3), (5, 4, 4)), "sign", 0),
    "a mask over the top": Call("masked_topk", Call("law", (-5, 4, 3), (5, 4, 4)), "size", 2),
    "the likeliest of equals that rounding tells apart": Call(
        "masked_topk", Call("op", Call("law", (-1, 1, 0, 2), (1, 2, 3, 4)), "square"), "itself", 2
    ),
    "vectors of fractions with float probabilities": Call(
        "leave_one_out_gradient", Call("vector", Call("integers", -1, 3), "third", "itself"), 2
    ),
    "sums of fractions with float probabilities": Call("total", Call("vector", die, "third", "itself"), 2),
    "a difference of fractions and floats": Call(
        "ab_test", Call("integers", -12, 13), "sign", "third", Fraction(1, 3), 1
    ),
    "a product of whole numbers": Call("product", Call("integers", 1, 4), 3),
    "the difference of booleans": Call("sampling", Call("event", die, "above"), "last less first", 3),
    "a share of something certain": Call(
        "stratified", Call("constant", 3), Call("constant", -2), Fraction(7, 10), 2, 4
    ),
    "a product that is certain beside a float law": Call(
        "post_stratified", Call("product", Call("constant", 3), 2), die, Fraction(4, 5), 2
    ),
}


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_programs_that_once_disagreed(program):
    check(program)


def test_a_float_finds_the_fraction_it_is():
    """P(X = 1/3) of a law whose outcome is Fraction(1, 3) was 0, so that `same_law(x, y)` was not `same_law(y, x)`."""
    thirds = bernoulli(0.75).op(lambda a: a * Fraction(1, 3))
    assert thirds.prob(1 / 3) == thirds.prob(Fraction(1, 3)) == 0.75
    assert thirds.cdf(1 / 3) == 1
    assert thirds.prob(0.3333) == 0
    assert same_law(thirds, bernoulli(0.75) / 3)
    assert same_law(bernoulli(0.75) / 3, thirds)


def test_booleans_add_up_in_numpy():
    """numpy's True + True is True; a sample of booleans is one of zeros and ones."""
    wins = bernoulli(0.75).op(lambda a: a == 1)
    assert sampling_distribution(lambda v: v[0] + v[1], wins, 2).to_dict() == {0: 0.0625, 1: 0.375, 2: 0.5625}
    assert iid(wins, 2).combine(np.add).to_dict() == {0: 0.0625, 1: 0.375, 2: 0.5625}
    assert wins.op(np.invert).prob(False) == 0.75


def test_whole_numbers_are_divided_once():
    """The group average of whole rewards and scores is a fraction, correctly rounded: -1/6 is found as -1/6."""
    pair = Joint([1, 2, 3], [-2, -1, 2], np.ones((3, 3)) / 9)
    found = leave_one_out_gradient(pair, 3)
    exact = oracle.law(itertools.product((1, 2, 3), (-2, -1, 2)), [1] * 9)
    averages = Naive().leave_one_out_gradient(exact, 3)
    assert found.values.tolist() == [float(v) for v in sorted(averages)]


def test_the_kind_of_a_law_is_known_without_computing_it():
    """A certain first coordinate does not make the whole Joint exact, nor need a law be listed to tell its kind."""
    assert indep(constant(1), bernoulli(0.3)).kind == indep(bernoulli(0.3), constant(1)).kind == "float"
    too_large_to_list = monte_carlo(Var(np.sqrt(np.arange(2, 52)), np.full(50, 0.02)), 1000)
    assert too_large_to_list.kind == "float"
    assert covar(indep(too_large_to_list, bernoulli(0.3))) == 0


def test_the_generator_reaches_the_whole_language():
    """Every call that the interpreters know, every function, event and statistic occurs in the programs of the gate."""
    calls = {call for seed in range(PROGRAMS) for call in random_program(seed).walk()}
    spoken = {name for name in vars(Naive) if not name.startswith("_")}
    assert {call.name for call in calls} == spoken
    assert spoken <= {name for name in vars(Package) if not name.startswith("_")}
    words = {word for call in calls for word in call.arguments if isinstance(word, str)}
    assert words == FUNCTIONS.keys() | EVENTS.keys() | STATISTICS.keys()


def test_a_wrong_number_would_be_noticed(monkeypatch):
    """The comparison itself: an interpreter that is off by one part in 10^9, or that forgets an atom, fails."""
    check(Call("total", die, 2))
    honest = Naive.total
    monkeypatch.setattr(
        Naive, "total", lambda self, x, n: {v * (1 + Fraction(1, 10**9)): p for v, p in honest(self, x, n).items()}
    )
    with pytest.raises(AssertionError):
        check(Call("total", die, 2))
    monkeypatch.setattr(Naive, "total", lambda self, x, n: {v: p for v, p in honest(self, x, n).items() if v != 7})
    with pytest.raises(AssertionError):
        check(Call("total", die, 2))
    assert failure(Call("op", Call("total", die, 2), "square"))[0] == Call("total", die, 2)


def test_a_program_prints_as_it_is_written():
    program = random_program(7)
    assert eval(repr(program)) == program
