"""Numbers that were read off a law keep what it rests on."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from randvar import (
    Var,
    constant,
    coverage,
    expect,
    from_scipy,
    moment,
    normal,
    report,
    sampling_distribution,
    uniform,
    variance,
    wald_interval,
)
from randvar.provenance import warrant_of
from randvar.warrant import SOUND

DIE = uniform(1, 7).rational()
HALF = Fraction(1, 2)
AS_DECLARED = "if the order of the draws does not matter, as declared"


@pytest.fixture
def declared() -> Var:
    """A false declaration: the first draw depends on the order. What is read off it rests on it."""
    return sampling_distribution(lambda s: int(s[0] == 36), uniform(0, 60).rational(), 3, symmetric=True)


def dropped() -> Var:
    """Defined with probability 1/2."""
    return sampling_distribution(lambda s: Fraction(1, int(s[0])), Var([0, 1], [HALF, HALF]), 1, undefined="drop")


def test_a_declaration_is_not_laundered(declared):
    number = expect(declared)
    assert AS_DECLARED in report(constant(number), number).verdict
    assert AS_DECLARED in report(constant(HALF), number).verdict
    assert AS_DECLARED in report(Var(declared.values, declared.probs), HALF).verdict
    assert AS_DECLARED in report(constant(2 * number - 1), Fraction(1)).verdict
    assert AS_DECLARED in report(constant(declared.prob(1)), HALF).verdict


def test_lost_mass_goes_with_outcomes_and_probabilities():
    law = dropped()
    again = Var(law.values, law.probs)
    assert again.lost_mass == law.lost_mass == HALF
    assert "given that it is defined (probability 1/2)" in report(again, 1).verdict
    assert "given that it is defined (probability 1/2)" in report(law, expect(law)).verdict
    cut = from_scipy(stats.poisson(3))
    assert Var(cut.values, cut.probs).lost_mass == cut.lost_mass > 0


def test_arithmetic_keeps_it(declared):
    number = expect(declared)
    for made in (number + 1, 1 - number, number / 3, number**2, -number, abs(number), 2.0 * number, number + HALF):
        assert warrant_of([made]).assumed
    assert warrant_of([number, 1]).assumed
    assert warrant_of(declared.probs * 2).assumed
    for copied in (pickle.loads(pickle.dumps(number)), copy.copy(number), copy.deepcopy(number)):
        assert copied == number
        assert warrant_of([copied]) == warrant_of([number])
    assert repr(number) == repr(Fraction(number))


def test_moments_by_quadrature_rest_on_their_degree():
    x = normal(0, 1, nodes=2)  # exact to degree 3
    assert warrant_of([expect(x)]) == warrant_of([variance(x)]) == warrant_of([moment(x, 3)]) == SOUND
    assert warrant_of([moment(x, 4)]) != SOUND
    assert "an approximation" in report(constant(3.0), moment(x, 4)).verdict


def test_sound_laws_give_plain_numbers():
    assert type(expect(DIE)) is Fraction
    assert type(DIE.probs) is np.ndarray
    assert type(DIE.prob(3)) is Fraction
    assert type(coverage(wald_interval, Var([0, 1], [0.5, 0.5]), 5)) is float
