"""Paths of programs that are none, or have no end."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest

import randvar
from randvar import RandvarError, SupportTooLarge, Var, enumerated, uniform

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
COIN, DIE = Var([0, 1], [HALF, HALF]), uniform(1, 7).rational()


@pytest.mark.parametrize(
    "program",
    [
        lambda draw: random.random(),
        lambda draw: draw(DIE) if random.random() < 0.5 else draw.flip(HALF),
        lambda draw: max(draw(DIE) for _ in range(random.choice([1, 9]))),
    ],
    ids=["returns", "draws", "goes on"],
)
def test_programs_that_are_no_functions_of_their_draws(program):
    random.seed(3)
    with pytest.raises(RandvarError, match="not a function of its draws"):
        enumerated(program)


def test_a_refusal_is_not_swallowed_by_the_program():
    calls = itertools.count()

    def program(draw):
        try:
            return draw(DIE) if next(calls) < 4 else draw(COIN)
        except Exception:
            return 0

    with pytest.raises(RandvarError, match="not a function of its draws"):
        enumerated(program)


def endless(draw):
    flips = 0
    while draw.flip(HALF):
        flips += 1
    return flips


def test_programs_without_an_end_are_refused():
    with randvar.settings(max_atoms=10**5), pytest.raises(SupportTooLarge, match="20 draws and not ended"):
        enumerated(endless)
    with randvar.settings(max_atoms=10_000), pytest.raises(SupportTooLarge, match="more than 10,000 paths"):
        enumerated(lambda draw: draw(uniform(0, 101)) + draw(uniform(0, 101)))
