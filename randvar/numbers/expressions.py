"""Expressions of symbols: exact decisions are made in a polynomial ring or fraction field (`symbolic`, `rings`).

Weights are expressions as they come; they are brought into one ring where they are added, and into lowest terms where
they are read.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from randvar.errors import InvalidLaw
from randvar.numbers import symbolic
from randvar.numbers.arrays import Array, object_array, scalar
from randvar.numbers.base import Numbers
from randvar.numbers.fractions import exact_quotient
from randvar.numbers.rings import as_expression
from randvar.numbers.symbolic import is_zero, normal_form

__all__ = ["EXPRESSIONS"]


class Expressions(Numbers):
    kind = "symbolic"
    name = "expressions"

    def weighed(self, numbers: Sequence[Any]) -> tuple[Array, Any]:
        """Raises InvalidLaw for a number that is known to be negative."""
        expressions = [as_expression(number) for number in numbers]
        for expression in expressions:
            if expression.is_negative:
                raise InvalidLaw(f"a probability must be a number between 0 and 1, got {expression}")
        return object_array(expressions), 1

    def share(self, part: Any, mass: Any) -> Any:
        """In lowest terms where it is divided, else as it came; a constant as a Fraction."""
        return part if mass == 1 else scalar(normal_form(as_expression(part) / mass))

    def shares(self, weights: Array, mass: Any) -> Array:
        """As `share`; expressions throughout, so that a law of constants is still symbolic."""
        return weights if mass == 1 else object_array([normal_form(as_expression(w) / mass) for w in weights.tolist()])

    def adopted(self, weights: Array, mass: Any, of: Numbers) -> tuple[Array, Any]:
        """Fractions as expressions."""
        return (weights, mass) if of is self else self.weighed(of.shares(weights, mass).tolist())

    def normalised(self, weights: Array, mass: Any) -> Array:
        """Over the mass 1."""
        return self.shares(weights, mass)

    def normal_mass(self, mass: Any) -> Any:
        """Identically 1."""
        return 1

    def power_of_mass(self, weights: Array, n: int) -> int:
        """Identically 1."""
        return 1

    def over_one_mass(self, masses: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Their product, each counted once."""
        distinct = {mass for mass in masses if mass != 1}
        common = functools.reduce(operator.mul, distinct, as_expression(1)) if distinct else 1
        return common, [common if mass == 1 else common / mass for mass in masses]

    def total(self, weights: Array) -> Any:
        """As a polynomial or fraction in lowest terms."""
        return symbolic.total(weights.tolist())

    def possible(self, weights: Array) -> Array:
        """Proved either way, or refused."""
        return np.array([not is_zero(w) for w in weights.tolist()], dtype=bool)

    def quotient(self, a: Any, b: Any) -> Any:
        """Of two ints a Fraction."""
        return exact_quotient(a, b)

    def beside(self, constant: Any) -> Any:
        """As an expression; a float as the rational number that it is."""
        return as_expression(constant)

    def root(self, number: Any) -> Any:
        """An expression."""
        from sympy import sqrt

        return sqrt(as_expression(number))

    def skewness(self, k2: Any, k3: Any) -> Any:
        """An expression."""
        return k3 / k2 / self.root(k2)

    def correlation(self, covariance: Any, first: Any, second: Any) -> Any:
        """An expression."""
        return covariance / (self.root(first) * self.root(second))

    def dot(self, values: Array, weights: Array) -> Any:
        """In lowest terms."""
        return symbolic.dot(values.tolist(), weights.tolist())

    def mean(self, values: Array, weights: Array, mass: Any) -> Any:
        """In lowest terms."""
        return self.share(symbolic.dot(values.tolist(), weights.tolist()), mass)

    def cumulants(self, values: Array, weights: Array, mass: Any, order: int) -> tuple[Any, ...]:
        """In one ring, from the moments about 0."""
        return symbolic.cumulants(values.tolist(), self.shares(weights, mass).tolist(), order)


EXPRESSIONS = Expressions()
