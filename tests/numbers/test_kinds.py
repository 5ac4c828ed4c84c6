"""Which kind holds these numbers, and one clear error where two kinds do not meet."""

import itertools
import math
from fractions import Fraction

import pytest
import sympy

from randvar import Joint, RandvarError, Var, expect, shared, total
from randvar.atoms.outcomes import Axis
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, FRACTIONS, WORDS, kind_of, meet
from randvar.sums.door import independent_sum
from randvar.sums.group import Group

HALF = Fraction(1, 2)
p = sympy.Symbol("p", positive=True)
COLUMNS = {FLOATS: [0.5, 0.25], FRACTIONS: [HALF, 2], EXPRESSIONS: [p, 2], WORDS: ["a", "b"]}
PROBS = {FLOATS: [0.25, 0.75], FRACTIONS: [Fraction(1, 4), Fraction(3, 4)], EXPRESSIONS: [p, 1 - p]}
MEET = {
    FLOATS: (FLOATS, FLOATS, RandvarError, TypeError),
    FRACTIONS: (FLOATS, FRACTIONS, EXPRESSIONS, TypeError),
    EXPRESSIONS: (RandvarError, EXPRESSIONS, EXPRESSIONS, TypeError),
    WORDS: (TypeError, TypeError, TypeError, TypeError),
}
CELLS = [(row, column, found) for row, cells in MEET.items() for column, found in zip(MEET, cells, strict=True)]


@pytest.mark.parametrize(("a", "b", "found"), CELLS)
def test_the_table_of_what_meets_what(a, b, found):
    if isinstance(found, type):
        with pytest.raises(found):
            meet(a, b)
    else:
        assert meet(a, b) is found


@pytest.mark.parametrize(("weights", "outcomes"), list(itertools.product(PROBS, COLUMNS)))
def test_a_sum_is_made_or_refused_as_the_table_says(weights, outcomes):
    """Of the law, of its rows, and at the door of the sums: never a KeyError."""
    found = MEET[weights][list(MEET).index(outcomes)]
    values, (numbers, units, _) = COLUMNS[outcomes], (weights, *weights.weighed(PROBS[weights]))
    group = Group(Axis.of(values).values, numbers.normalised(units, numbers.total(units)), 2)
    programs = (
        lambda: independent_sum([group], weights, outcomes),
        lambda: total(Var(values, PROBS[weights]), 2).values,
        lambda: total(shared(Var(values, PROBS[weights]), 2), 2)[0].values,
    )
    for program in programs:
        if isinstance(found, type):
            with pytest.raises(found):
                program()
        else:
            assert program() is not None


def test_floats_beside_symbols_are_labels_until_they_are_added():
    x = Var([0.5, 0.25], [p, 1 - p])
    assert x.prob(0.5) == p
    for program in (lambda: total(x, 2).values, lambda: expect(x), lambda: total(shared(x), 2)[0].values):
        with pytest.raises(RandvarError, match="symbols beside a float"):
            program()


@pytest.mark.parametrize("values", [[1, math.inf], [HALF, math.inf], [HALF, 1, -math.inf]])
def test_an_infinity_makes_floats_of_a_column(values):
    axis = Axis.of(values)
    assert kind_of(values) is axis.numbers is FLOATS
    assert axis.values.dtype == float


def test_an_infinity_beside_symbols_decides_the_mean_alone():
    x = Var([p, math.inf], [HALF, HALF])
    assert expect(x) == math.inf
    with pytest.raises(RandvarError, match="inf cannot be computed with beside symbols"):
        total(x, 2).values.tolist()


def test_sums_with_an_infinity():
    assert total(Var([HALF, math.inf], [HALF, HALF]), 2).values.tolist() == [1, math.inf]
    assert total(Var([HALF, math.inf], [HALF, HALF]), 2).prob(1) == Fraction(1, 4)


def test_an_attribute_error_inside_a_property_is_told_as_it_is():
    class Faulty(Var):
        __slots__ = ()

        @property
        def kind(self):
            return self.source.no_such_thing

    faulty = Faulty([0, 1], [0.5, 0.5])
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = faulty.kind
    with pytest.raises(AttributeError, match="'Joint' object has no attribute 'mean'; write expect"):
        _ = Joint([0, 1], [0, 1], [[0.5, 0], [0, 0.5]]).mean
