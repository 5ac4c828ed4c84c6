"""Floats: their mass is 1.0; few are added correctly rounded, many pairwise, and moments are taken about the mean."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from randvar.errors import InvalidLaw, RandvarError, UndefinedOutcome, one_line
from randvar.numbers.arrays import EPS, OP_ULPS, Array, scalar
from randvar.numbers.base import WAY_OUT_OF_SUM, Numbers
from randvar.numbers.overflow import within_floats
from randvar.numbers.symbolic import is_expression

__all__ = ["FLOATS"]

_FEW = 4096  # floats that are summed without error; more are summed pairwise
_HANDFUL = 64  # which Python multiplies and adds before numpy has begun
_ROUNDING = 1e-9  # how far probabilities that a person gave may sum from 1
_ONE = 4 * EPS  # a mass so near 1 is what rounding 1/n leaves: then the numbers given are kept
_FAINT = 1e-290  # down to here probabilities are right to their accuracy
_SQUARED = 1e153  # a variance up to it has a square, three times over
_LIKELY = 1e-15  # of an event: what is faint beside it is far above the smallest float
_LOG_SMALLEST = -700.0  # of a probability that is surely a float: e^-708 is the last normal one


class Floats(Numbers):
    kind = "float"
    name = "floats"
    exact = False
    cell = float
    misled_by = frozenset({"expressions"})

    def weighed(self, numbers: Sequence[Any]) -> tuple[Array, Any]:
        """Raises InvalidLaw for a negative or infinite number, or NaN."""
        with within_floats("a probability"):
            array = np.array(numbers, dtype=float)
        wrong = ~((array >= 0) & (array < np.inf))  # NaN fails every comparison
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise InvalidLaw(f"a probability must be a number between 0 and 1, got {array[at]:g} at position {at}")
        return array, 1.0

    def share(self, part: Any, mass: Any) -> float:
        """The float itself: the mass is 1."""
        return float(part / mass)

    def shares(self, weights: Array, mass: Any) -> Array:
        """The floats themselves."""
        return weights

    def adopted(self, weights: Array, mass: Any, of: Numbers) -> tuple[Array, Any]:
        """Fractions, each rounded once."""
        return np.array([w / mass for w in weights.tolist()], dtype=float), 1.0

    def reduced(self, weights: Array, mass: Any) -> tuple[Array, Any]:
        """Divided by their mass, which is then 1."""
        if mass == 0:
            raise RandvarError(
                "the probability of a condition is below the smallest float, 5e-324, and nothing can be divided by it;"
                " use Fractions (x.rational()) for the law"
            )
        return (weights if abs(mass - 1) <= _ONE else weights / mass), 1.0

    def power_of_mass(self, weights: Array, n: int) -> float:
        """1, as their sum is but for its rounding."""
        return 1.0

    def over_one_mass(self, masses: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Each is 1."""
        return 1.0, [1.0] * len(masses)

    def refuse_outcomes(self, column: Array) -> NoReturn:
        """Symbols beside floats."""
        raise RandvarError(
            "symbols among the outcomes of a float law: its numbers would quietly stop being exact; give the"
            f" probabilities as Fractions, or x.rational(); got {next(filter(is_expression, column.tolist()))}"
        )

    def total(self, weights: Array) -> float:
        """Correctly rounded if they are few, else pairwise."""
        with within_floats("the sum of these weights"):
            return math.fsum(weights.tolist()) if len(weights) <= _FEW else float(np.sum(weights))

    def check_sum(self, total: Any) -> None:
        """Within 1e-9, which is divided out."""
        if abs(total - 1) > _ROUNDING:
            raise InvalidLaw(f"probabilities sum to {total:.10g}, not 1 (off by {total - 1:.3g}){WAY_OUT_OF_SUM}")

    def tolerance(self, column: Array, weights: Array, unit: float = 0.0) -> Any:
        """4 ulp of each: what is small beside others is no rounding of 0 for that."""
        return OP_ULPS * (unit or EPS) * np.abs(column) if column.dtype.kind == "f" else 0

    def numbers(self, column: Array) -> Array:
        """As machine numbers; raises RandvarError for an integer that no float is near."""
        if column.dtype != object:
            return column
        with within_floats("an outcome"):
            return column.astype(float)

    def number(self, constant: Any) -> float:
        """The nearest float."""
        with within_floats(f"the number {one_line(constant)}"):
            return float(constant)

    def quotient(self, a: Any, b: Any) -> Any:
        """One rounding."""
        return a / b

    def divided(self, numbers: Array, n: int) -> Array:
        """Rounded once."""
        return np.asarray(numbers.astype(float) / n)

    def factor(self, constant: Any) -> Any:
        """A float as the fraction that it is."""
        return Fraction(constant) if isinstance(constant, (int, float)) else constant

    def averaged(self, column: Array) -> Array:
        """As machine numbers."""
        return column.astype(float)

    def without_offset(self, numbers: Array) -> tuple[Array, Any]:
        """Less the one nearest to 0 along the last axis: the differences of close floats are exact."""
        offset = np.take_along_axis(numbers, np.abs(numbers).argmin(axis=-1, keepdims=True), axis=-1)
        return numbers - offset, offset

    def roots(self, numbers: Array) -> Array:
        """Of machine numbers."""
        return np.asarray(np.sqrt(numbers))

    def sizes(self, numbers: Array, exact: float = 0) -> Array:
        """Their magnitudes."""
        return np.abs(numbers)

    def rounding(self, errors: Array) -> Array:
        """As they are."""
        return errors

    def added(self, probabilities: Sequence[Any]) -> float:
        """Rounded once."""
        return math.fsum(probabilities)

    def agree(self, a: Any, b: Any, tolerance: float) -> bool:
        """Up to the tolerance."""
        return math.isclose(a, b, rel_tol=tolerance)

    def underflows(self, draws: Iterable[tuple[Array, int]]) -> bool:
        """Whether the least likely combination does."""
        return sum(copies * math.log(float(weights.min())) for weights, copies in draws if copies) <= _LOG_SMALLEST

    def rounding_of(self, operations: float) -> float:
        """Half an ulp each."""
        return operations * EPS / 2

    def rounding_of_shares(self, weights: Array, mass: Any, underflow: bool) -> float:
        """Of their sum and the division; and of weights, or missing ones, that are as faint as the smallest float."""
        rounding = self.rounding_of(2 + math.log2(len(weights)))
        if mass > _LIKELY:
            return rounding
        faintest = _FAINT * mass if underflow else max(float(weights.min()), _FAINT * mass)
        return rounding + (math.ulp(0.0) / faintest if faintest else math.inf)

    def dot(self, values: Array, weights: Array) -> Any:
        """sum_i values_i weights_i: products rounded, then added without error if they are few, else pairwise."""
        with within_floats("a mean over these outcomes"):
            if len(weights) <= _HANDFUL:
                return math.fsum(map(float.__mul__, map(float, values.tolist()), weights.tolist()))
            products = values * weights
            return math.fsum(products) if len(products) <= _FEW else float(np.sum(products))

    def mean(self, values: Array, weights: Array, mass: Any) -> float:
        """In two passes: the second adds what the first lost by rounding."""
        first = self.dot(values, weights)
        return float(first + self.dot(values - first, weights))

    def cumulants(self, values: Array, weights: Array, mass: Any, order: int) -> tuple[Any, ...]:
        """About the mean: 10^9 + {0, 1, 2} has variance 2/3. One that leaves the range of floats is NaN."""
        mean, central = (_of_a_handful if len(weights) <= _HANDFUL else self._of_many)(values, weights, order)
        if order == 2:
            return mean, *central
        second, third, fourth = central
        return mean, second, third, fourth - 3 * second * second if second < _SQUARED else math.nan

    def _of_many(self, values: Array, weights: Array, order: int) -> tuple[float, list[float]]:
        with within_floats("a moment about the mean"):
            mean = self.mean(values, weights, 1.0)
            centred = values - mean
            centred = centred - self.dot(centred, weights)  # what the mean lost when it was rounded: 1e-4 of 10^12
        return mean, [_finite_or_nan(self, centred, weights, k) for k in range(2, order + 1)]


def _of_a_handful(values: Array, weights: Array, order: int) -> tuple[float, list[float]]:
    """The mean and the moments about it, by Python's floats, which go past 1.8e308 as infinity."""
    return _about_the_mean(list(map(float, values.tolist())), weights.tolist(), order)


def _about_the_mean(values: list[float], weights: list[float], order: int) -> tuple[float, list[float]]:
    first = _sum_of_products(values, weights)
    mean = first + _sum_of_products([v - first for v in values], weights)
    if not math.isfinite(mean):
        raise OverflowError
    centred = [v - mean for v in values]
    lost = _sum_of_products(centred, weights)  # when the mean was rounded: 1e-4 of 10^12
    centred = [v - lost for v in centred]
    powers, moments = weights, []
    for _ in range(order):
        powers = list(map(operator.mul, powers, centred))
        moments.append(_sum_of_products(powers, _ONES[: len(powers)]))
    shift, *about = (m if math.isfinite(m) else math.nan for m in moments)
    return mean, _about_it(shift, about)


def _about_it(shift: float, about: Sequence[float]) -> list[float]:
    """Moments about the mean from those about a rounded mean, which is below it by `shift`.

    It is below by half an ulp of the mean at most: nothing, unless the outcomes are close for their size.
    """
    squared = shift * shift
    second = max(about[0] - squared, 0.0) if math.isfinite(squared) else math.nan
    if len(about) == 1:
        return [second]
    third = about[1] - shift * (3 * about[0] - 2 * squared)
    return [second, third, about[2] - shift * (4 * about[1] - shift * (6 * about[0] - 3 * squared))]


def _sum_of_products(a: list[float], b: list[float]) -> float:
    try:
        return math.fsum(map(operator.mul, a, b))
    except ValueError:  # inf - inf
        return math.nan
    except OverflowError:  # an intermediate sum
        return math.inf


_ONES = [1.0] * _HANDFUL


def _finite_or_nan(numbers: Floats, centred: Array, weights: Array, order: int) -> float:
    """E[(X - E[X])^order]: a variance of 1e200 is a number, though its square is none."""
    try:
        with within_floats("a moment about the mean"):
            return scalar(numbers.dot(centred**order, weights))  # type: ignore[no-any-return]
    except UndefinedOutcome:
        return math.nan


FLOATS = Floats()
