"""A law in other numbers: floats as the simplest fractions that they stand for, and the way back."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from randvar.atoms.outcomes import Axis
from randvar.errors import RandvarError
from randvar.law import Law, listed_law
from randvar.numbers.arrays import is_numeric
from randvar.numbers.kinds import FLOATS
from randvar.numbers.nearest import simple_fraction

__all__ = ["float_law", "rational_law"]


def rational_law(law: Law, max_denominator: int) -> Law:
    """Each float, probability or outcome, as the simplest fraction within an ulp of it; everything else as it is.

    Raises RandvarError if a float is not within an ulp of such a fraction, InvalidLaw if the fractions do not sum to 1.
    """
    if FLOATS not in (law.numbers, *(axis.numbers for axis in law.axes)):
        return law
    axes = [_as_fractions(axis, max_denominator) for axis in law.axes]
    columns = [a.take(c) for a, c in zip(axes, law.row_codes, strict=True)]  # two floats may be one fraction
    if law.numbers is not FLOATS:
        return Law.of(columns, law.weights, law.mass, law.numbers, law.warrant)
    return listed_law(columns, [_simplest(p, max_denominator, "probability") for p in law.probs.tolist()], law.warrant)


def _as_fractions(axis: Axis, max_denominator: int) -> Axis:
    if axis.numbers is not FLOATS:
        return axis
    values = axis.values.tolist()
    return Axis.of([_simplest(v, max_denominator, "value") if isinstance(v, float) else v for v in values])


def _simplest(number: float, max_denominator: int, what: str) -> Fraction:
    if not math.isfinite(number):
        raise RandvarError(f"the {what} {number} is not finite and has no fraction")
    fraction = simple_fraction(number, max_denominator)
    if fraction is None:
        raise RandvarError(
            f"the {what} {number!r} is not within an ulp of a fraction with denominator up to {max_denominator};"
            " give Fractions, or a larger max_denominator"
        )
    return fraction


def float_law(law: Law) -> Law:
    """Float probabilities, and floats for Fraction values."""
    if law.numbers is FLOATS:
        return law
    weights, mass = law.weights_in(FLOATS)
    axes = tuple(_as_floats(axis) for axis in law.axes)
    made = replace(law, axes=axes, weights=weights, mass=mass, numbers=FLOATS)
    return Law.of(made.columns, weights, mass, FLOATS, law.warrant)


def _as_floats(axis: Axis) -> Axis:
    if is_numeric(axis.values) or not any(isinstance(v, Fraction) for v in axis.values.tolist()):
        return axis
    return Axis.of([float(v) if isinstance(v, Fraction) else v for v in axis.values.tolist()])
