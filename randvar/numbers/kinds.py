"""The number kinds of a probability: float, exact rational, symbolic.

A law keeps the kind of its inputs. Floats live in float64 arrays, `Fraction`s and sympy expressions in object arrays,
so that the same numpy expression (`values * weights`, `np.add.reduceat`) serves all three; what differs (adding up,
testing for zero, normalising) is here and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from numbers import Rational
from typing import Any, Literal

import numpy as np

from randvar.arguments import listed
from randvar.errors import InvalidLaw, RandvarError, UndefinedOutcome, described, one_line, symbol_advice
from randvar.numbers import symbolic
from randvar.numbers.arrays import EPS, Array, object_array, scalar
from randvar.numbers.overflow import within_floats
from randvar.numbers.rings import as_expression
from randvar.numbers.symbolic import is_expression, is_zero, normal_form

__all__ = [
    "Kind",
    "any_floats",
    "as_fractions",
    "certainty",
    "check_kinds",
    "check_numbers",
    "check_symbols",
    "common_kind",
    "divide",
    "dot",
    "exact_quotient",
    "kind_of",
    "mass_where",
    "possible",
    "probabilities",
    "simple_fraction",
    "total",
    "underflowed",
    "weights_array",
]

Kind = Literal["float", "rational", "symbolic"]
_ROUNDING = 1e-9  # how far float probabilities may sum from 1
_FEW = 4096  # floats that are summed without error; more are summed pairwise
_FLOAT_ONE = 4 * EPS


def kind_of(weights: Array) -> Kind:
    """The kind of an array of probabilities (homogeneous by construction)."""
    if weights.dtype.kind == "f":
        return "float"
    return "symbolic" if len(weights) and is_expression(weights[0]) else "rational"


def weights_array(items: Iterable[Any]) -> Array:
    """Non-negative weights as float64, or as an object array of Fractions or of expressions.

    Ints and Fractions alone make an exact array; one float makes them all floats, unless a Fraction stands beside it:
    that mixture is refused, since it would quietly stop being exact.
    """
    if isinstance(items, np.ndarray) and items.ndim == 1 and items.dtype.kind == "f" and not np.ma.is_masked(items):
        return _float_weights(items.astype(float))
    numbers = [scalar(item) for item in listed("probabilities", items)]
    for number in numbers:
        if isinstance(number, complex) or not _is_number(number):
            raise TypeError(f"each probability must be one number, got {described(number)}{symbol_advice(number)}")
    if all(isinstance(number, (Rational, bool)) for number in numbers):
        return object_array([_nonnegative(Fraction(number)) for number in numbers])
    if all(isinstance(number, (int, float)) for number in numbers):
        with within_floats("a probability"):
            return _float_weights(np.array([float(number) for number in numbers]))
    if any(isinstance(number, float) for number in numbers):
        raise RandvarError(
            "float and exact probabilities cannot be mixed in one law (it would quietly stop being exact);"
            f" got {numbers[:4]}; give all as Fraction or all as float"
        )
    return object_array([_nonnegative(as_expression(number)) for number in numbers])


def _is_number(number: Any) -> bool:
    return isinstance(number, (bool, int, float, Fraction)) or is_expression(number)


def _nonnegative(number: Any) -> Any:
    """An expression is refused only where its sign is known."""
    if number.is_negative if is_expression(number) else number < 0:
        raise InvalidLaw(f"a probability must be a number between 0 and 1, got {number}")
    return number


def _float_weights(array: Array) -> Array:
    wrong = ~((array >= 0) & (array < np.inf))  # NaN fails every comparison
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise InvalidLaw(f"a probability must be a number between 0 and 1, got {array[at]:g} at position {at}")
    return array


def probabilities(items: Iterable[Any]) -> Array:
    """Weights that sum to 1: exactly if rational, identically if symbolic, within 1e-9 if float (then divided out)."""
    weights = weights_array(items)
    if not len(weights):
        raise InvalidLaw("a law needs at least one outcome; the probabilities are empty")
    mass = total(weights)
    if kind_of(weights) == "float":
        _check_float_mass(mass)
        # a last-digit difference is what rounding 1/n leaves: then the numbers given are kept
        return weights if abs(mass - 1) <= _FLOAT_ONE else weights / mass
    if not is_zero(mass - 1):
        raise InvalidLaw(f"probabilities sum to {one_line(mass)}, not 1; pass weights to from_weights to normalise")
    return weights


def _check_float_mass(mass: float) -> None:
    if abs(mass - 1) > _ROUNDING:
        raise InvalidLaw(
            f"probabilities sum to {mass:.10g}, not 1 (off by {mass - 1:.3g});"
            " pass weights to from_weights to normalise"
        )


def total(weights: Array) -> Any:
    """The sum, exact for exact numbers; of floats correctly rounded if they are few, and pairwise if they are many."""
    if weights.dtype.kind == "f":
        with within_floats("the sum of these weights"):
            return math.fsum(weights) if len(weights) <= _FEW else float(np.sum(weights))
    if kind_of(weights) == "rational":
        return _exact_sum(weights.tolist())
    return symbolic.total(weights.tolist())


def _exact_sum(fractions: list[Fraction]) -> Fraction:
    """One common denominator and integer sums: adding Fractions pairwise would reduce every partial sum."""
    denominator = math.lcm(*(f.denominator for f in fractions))
    return Fraction(sum(f.numerator * (denominator // f.denominator) for f in fractions), denominator)


def dot(values: Array, weights: Array) -> Any:
    """sum_i values_i * weights_i, exact for exact numbers.

    Of floats, the rounded products are added without further error if they are few, and pairwise (error O(eps log n))
    if they are many.
    """
    if weights.dtype.kind == "f":
        with within_floats("a mean over these outcomes"):
            products = values * weights
            if products.dtype.kind != "f" or len(products) > _FEW:
                return scalar(np.sum(products))
            if np.isinf(products).any():
                return _infinite_sum(set(products[np.isinf(products)].tolist()))
            return math.fsum(products)
    if kind_of(weights) == "rational":
        if values.dtype.kind == "f":
            return float(np.sum(values * weights.astype(float)))
        return _rational_dot(values.tolist(), weights)
    return symbolic.dot(values.tolist(), weights.tolist())


def _infinite_sum(infinities: set[float]) -> float:
    if len(infinities) > 1:
        raise UndefinedOutcome("a mean is undefined: it adds inf and -inf; condition one of them away")
    return infinities.pop()


def _rational_dot(values: list[Any], weights: Array) -> Any:
    if any(map(is_expression, values)):
        return symbolic.dot(values, weights.tolist())
    if all(isinstance(v, (int, Fraction)) for v in values):
        return _exact_sum([v * w for v, w in zip(values, weights.tolist(), strict=True)])
    return sum(v * w for v, w in zip(values, weights.tolist(), strict=True))


def mass_where(mask: Array, weights: Array) -> Any:
    """The probability of the outcomes in the mask: the sum of its own terms, and exactly 1 for all of them."""
    one: Any = 1.0 if weights.dtype.kind == "f" else Fraction(1)
    if mask.all():
        return one
    return scalar(total(weights[mask])) if mask.any() else 0 * one


def divide(weights: Array, mass: Any) -> Array:
    """weights / mass: what conditioning on an event of that mass does. Raises RandvarError where the mass is 0."""
    if mass == 0:
        raise RandvarError(
            "the probability of a condition is below the smallest float, 5e-324, and nothing can be divided by it;"
            " use Fractions (x.rational()) for the law"
        )
    shares = np.asarray(weights / mass)
    return object_array([normal_form(s) for s in shares.tolist()]) if kind_of(weights) == "symbolic" else shares


def possible(weights: Array) -> Array:
    """The mask of outcomes with probability > 0 (not identically 0, for symbols)."""
    if kind_of(weights) == "symbolic":
        return np.array([not is_zero(w) for w in weights.tolist()])
    return np.asarray(weights != 0, dtype=bool)


def underflowed(weights: Array) -> bool:
    """Whether a product of tiny probabilities came out as 0, which only floats do."""
    return weights.dtype.kind == "f" and not weights.all()


def certainty(*, exact: bool) -> Array:
    """The probabilities of a law with one outcome."""
    return object_array([Fraction(1)]) if exact else np.ones(1)


def common_kind(*arrays: Array) -> tuple[Array, ...]:
    """The arrays in one kind, so that they can be multiplied. An outcome that is certain belongs to every kind.

    Rational beside symbolic is symbolic; float beside an exact kind is refused.
    """
    kinds = {kind_of(a) for a in arrays if len(a) > 1}
    check_kinds(kinds)
    if not kinds and any(a.dtype.kind == "f" for a in arrays):
        kinds = {"float"}
    if "float" in kinds:
        return tuple(a if a.dtype.kind == "f" else a.astype(float) for a in arrays)
    exact = (a if a.dtype == object else object_array([Fraction(1)] * len(a)) for a in arrays)
    if "symbolic" in kinds:
        return tuple(object_array([as_expression(w) for w in a.tolist()]) for a in exact)
    return tuple(exact)


def check_kinds(kinds: set[Kind]) -> None:
    """Refuse to combine floats with an exact kind."""
    if "float" in kinds and len(kinds) > 1:
        other = "rational" if "rational" in kinds else "symbolic"
        raise RandvarError(
            f"a float law and a {other} law cannot be combined: the result would quietly stop being exact;"
            " use x.rational() on the float one or x.to_float() on the other"
        )


def check_symbols(kind: Kind, *numbers: Any) -> None:
    """Refuse symbols in arithmetic with a float law."""
    if kind == "float" and any(map(is_expression, numbers)):
        raise RandvarError(
            "symbols beside a float law: its numbers would quietly stop being exact; use x.rational(), or put numbers"
            " in the place of the symbols"
        )


def check_numbers(name: str, kind: Kind) -> None:
    """Refuse symbols where only a number will do."""
    if kind == "symbolic":
        raise RandvarError(f"{name} needs numbers, but these probabilities depend on symbols; put numbers there")


def exact_quotient(a: Any, b: Any) -> Any:
    """a / b, exact when both are exact (int / int is a Fraction)."""
    if isinstance(a, int) and isinstance(b, int):
        return Fraction(a, b)
    return a / b


def any_floats(numbers: Array) -> bool:
    """Whether there is a float among the outcomes."""
    return numbers.dtype.kind == "f" or (
        numbers.dtype == object and any(isinstance(n, float) for n in numbers.tolist())
    )


def as_fractions(numbers: Array, max_denominator: int, what: str) -> list[Any]:
    """Floats as the simplest fractions within an ulp; ints and everything that is no number stay."""
    return [_simplest(n, max_denominator, what) if isinstance(n, float) else n for n in numbers.tolist()]


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


def simple_fraction(number: float, max_denominator: int) -> Fraction | None:
    """The fraction nearest to a float among those with small denominators, if it is within an ulp.

    >>> simple_fraction(0.3, 10**6), simple_fraction(2**0.5, 10**6)
    (Fraction(3, 10), None)
    """
    fraction = Fraction(number).limit_denominator(max_denominator)
    return fraction if abs(float(fraction) - number) <= math.ulp(number) else None
