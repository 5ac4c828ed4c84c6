"""What can be drawn: the atoms of a law as machine numbers, or an error that says why they are none."""

from __future__ import annotations

import math
import numbers
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.errors import RandvarError, described
from randvar.numbers.arrays import EPS, Array, is_numeric, scalar
from randvar.numbers.symbolic import is_expression
from randvar.var import Var

__all__ = [
    "atoms",
    "check_drawable",
    "check_size",
    "drawable",
    "floats",
    "is_number_law",
    "mean_of",
    "real",
    "outside_tails",
    "without_tails",
]

_LARGEST = 1e150
_UNSEEN = 1e-6  # of the probability and of the variance: a tail this light is no pixel high


def is_number_law(x: Any) -> bool:
    """True when every outcome of x is a number, so that x has a mean and an axis. Raises TypeError for no Var."""
    if not isinstance(x, Var):
        raise TypeError(f"a picture shows the law of a Var, got {described(x)}")
    return is_numeric(x.values) or all(isinstance(value, numbers.Real) for value in x.values.tolist())


def atoms(x: Any) -> tuple[Array, Array]:
    """The outcomes of x in ascending order and their probabilities, as floats.

    Raises RandvarError for outcomes that are no numbers, symbolic, infinite, or too large for a machine number.
    """
    if not is_number_law(x):
        other = next(value for value in x.values.tolist() if not isinstance(value, numbers.Real))
        if is_expression(other):
            raise _symbolic(other)
        raise RandvarError(
            f"this picture needs numbers, and {other!r} is none: it has no mean and no place on an axis;"
            " map the outcomes to numbers with x.op(f), or look at histogram(x)"
        )
    values, probs = floats(x.values), floats(x.probs)
    if not np.isfinite(values).all():
        bad = values[~np.isfinite(values)][0]
        raise RandvarError(
            f"{bad:+g} is an outcome, and no axis reaches it; draw the law given a finite one, x.cond(math.isfinite)"
        )
    reach = float(values[-1]) - float(values[0])
    if not math.isfinite(reach * reach):
        raise RandvarError(f"outcomes from {values[0]:g} to {values[-1]:g} are too far apart: their variance overflows")
    return values, probs


def check_drawable(*laws: Any) -> None:
    """Raise RandvarError, as `atoms` does, unless each of the laws can be drawn over an axis of numbers with room."""
    for law in laws:
        check_size(*atoms(law)[0][[0, -1]].tolist())


def drawable(_: str, __: str, law: Any) -> Any:
    """A rule for an argument: a law that can be drawn, as `check_drawable` says."""
    check_drawable(law)
    return law


def check_size(*numbers: float) -> None:
    """Raise RandvarError for what has no square among the floats: axes leave room, and variances are squares."""
    for number in numbers:
        if abs(number) > _LARGEST:
            raise RandvarError(f"{number:g} is too large for the axes of a picture, {_LARGEST:g}; divide the outcomes")


def floats(numbers: Array) -> Array:
    """An array of numbers of any kind as floats. Raises RandvarError as `real` does."""
    return np.array([real(number) for number in numbers]) if numbers.dtype == object else numbers.astype(float)


def real(number: Any) -> float:
    """A float, Fraction or integer as a float. Raises RandvarError for symbols, and for what no float can hold."""
    if is_expression(number):
        raise _symbolic(number)
    number = scalar(number)
    if not isinstance(number, (int, float, Fraction)):
        raise TypeError(f"a picture needs numbers, got {described(number)}")
    try:
        return float(number)
    except OverflowError:
        raise RandvarError("a number of the law is too large for a picture (over 1e308); divide the outcomes") from None


def _symbolic(expression: Any) -> RandvarError:
    return RandvarError(
        f"{expression} is symbolic, and a picture needs numbers: build the law with a number in the place of each"
        " symbol; explore(function, name=..., values=...) shows it for many"
    )


def mean_of(values: Array, probs: Array) -> float:
    """The mean, and 0 where it is only the rounding of one; about a value, so that 1e9 + 1 keeps its digits."""
    centre = float(values[len(values) // 2])
    mean = centre + float(((values - centre) * probs).sum() / probs.sum())
    size = float((np.abs(values) * probs).sum())
    return mean if abs(mean) > 32 * EPS * size else 0.0


def without_tails(values: Array, probs: Array) -> tuple[Array, Array]:
    """The atoms without the tails that hold less than a millionth of both the probability and the variance."""
    shares = probs * (values - mean_of(values, probs)) ** 2
    kept = outside_tails(probs, shares)
    return values[kept], probs[kept]


def outside_tails(*masses: Array) -> Array:
    """Where, on an ascending axis, at least one of the masses is outside its lightest millionth at either end."""
    light = np.ones(len(masses[0]), dtype=bool)
    for mass in masses:
        light &= np.minimum(np.cumsum(mass), np.cumsum(mass[::-1])[::-1]) < _UNSEEN * mass.sum()
    return ~light
