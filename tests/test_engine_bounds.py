"""CDF envelopes against enumeration in Fractions: the truth lies inside, to the last bit."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from randvar.engine.bounds import Envelope, rounding_envelope
from randvar.engine.chernoff import independent_sum
from randvar.errors import InvalidLaw


def enumerate_sum(terms) -> dict[Fraction, Fraction]:
    """The exact law of the sum, draw by draw over every tuple of outcomes."""
    draws = []
    for values, probs, copies in terms:
        total = sum(Fraction(p) for p in probs)
        draws += [[(Fraction(v), Fraction(p) / total) for v, p in zip(values, probs, strict=True)]] * copies
    law: dict[Fraction, Fraction] = defaultdict(Fraction)
    for outcome in product(*draws):
        law[sum(v for v, _ in outcome)] += math.prod(p for _, p in outcome)
    return law


def assert_contains(envelope: Envelope, law: dict[Fraction, Fraction], points) -> None:
    for t, lower, upper in zip(points, envelope.lower, envelope.upper, strict=True):
        below = sum((p for v, p in law.items() if v < Fraction(t)), Fraction(0))
        at = law.get(Fraction(t), Fraction(0))
        assert Fraction(float(lower)) <= below, (t, lower, float(below))
        assert below + at <= Fraction(float(upper)), (t, upper, float(below + at))


def points_for(law: dict[Fraction, Fraction]) -> list[float]:
    """Every atom as a float, its neighbours, and points between and beyond."""
    atoms = sorted(float(v) for v in law)
    middles = [a / 2 + b / 2 for a, b in zip(atoms, atoms[1:], strict=False)]
    beside = [math.nextafter(a, side) for a in atoms for side in (-math.inf, math.inf)]
    return [*atoms, *middles, *beside, atoms[0] - 1.0, atoms[-1] + 1.0, -math.inf, math.inf][:60]


def check(method, terms, **options) -> Envelope:
    law = enumerate_sum(terms)
    points = [t for t in points_for(law) if not math.isinf(t)]
    envelope = method(terms, points, **options)
    assert_contains(envelope, law, points)
    return envelope


def test_rounding_of_two_dice():
    check(rounding_envelope, [(range(1, 7), [1] * 6, 2)], size=2**12)
