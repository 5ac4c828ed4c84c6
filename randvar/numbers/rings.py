"""Expressions as elements of one polynomial ring or fraction field over the rationals (sympy's `ring` and `field`).

Symbols are generators; where other functions occur (logarithms, roots, powers), they become further ones. Elements are
added and multiplied far faster than expressions, and two that are equal are equal objects.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from randvar.errors import RandvarError, one_line

__all__ = ["as_expression", "elements", "in_one_ring", "is_rational_function"]


def as_expression(number: Any) -> Any:
    """An int, Fraction, expression, or a float as the rational number that it is.

    Raises RandvarError for a float inside an expression: what is computed from it would look as exact as it is not.
    """
    from sympy import Float, Rational, sympify

    if isinstance(number, bool):
        return sympify(int(number))
    if isinstance(number, float):
        if not math.isfinite(number):
            raise RandvarError(f"{number} cannot be computed with beside symbols; condition that outcome away first")
        exact = Fraction(number)
        return Rational(exact.numerator, exact.denominator)
    if isinstance(number, Fraction):
        return Rational(number.numerator, number.denominator)
    expression = sympify(number)
    floats = expression.atoms(Float)
    if floats:
        raise RandvarError(
            f"{min(floats, key=str)} is a float inside the expression {one_line(expression)}, where results are exact;"
            " write Rational(1, 2) or Fraction(1, 2), or make fractions of all floats in it:"
            " sympy.nsimplify(expression, rational=True)"
        )
    return expression


def elements(expressions: Iterable[Any]) -> list[Any]:
    """The expressions as elements of one ring, or of one field where something is divided by a symbol.

    The logarithm of a rational number becomes those of its primes, of which no sum is 0.
    """
    from sympy import QQ, expand_log, field, log, ring

    converted = [as_expression(e) for e in expressions]
    if all(map(is_rational_function, converted)):
        symbols = sorted({s for e in converted for s in e.free_symbols}, key=str)
        whole = not any(p.exp.is_negative for e in converted for p in _powers(e))
        return _Conversion(*(ring if whole else field)(symbols, QQ)).all(converted)
    from sympy.polys.fields import sfield

    return list(sfield([expand_log(e, factor=True) if e.has(log) else e for e in converted])[1])


def in_one_ring(*lists: Sequence[Any]) -> list[list[Any]]:
    """Lists of expressions as lists of elements of one ring or field; `element.as_expr()` leads back."""
    converted = iter(elements([e for each in lists for e in each]))
    return [list(itertools.islice(converted, len(each))) for each in lists]


def _powers(expression: Any) -> Any:
    from sympy import Pow

    return expression.atoms(Pow)


def is_rational_function(expression: Any) -> bool:
    """Whether only fractions and symbols are added, multiplied and divided in it."""
    from sympy import preorder_traversal

    return all(
        part.is_Symbol or part.is_Rational or part.is_Add or part.is_Mul or (part.is_Pow and part.exp.is_Integer)
        for part in preorder_traversal(expression)
    )


class _Conversion:
    """Expressions computed in the ring, from the inside out; a subexpression that returns is computed once.

    (sympy's `sring` expands each expression first, which takes longer than everything that follows.)
    """

    def __init__(self, domain: Any, *generators: Any) -> None:
        self.one = domain.one
        self.known = {g.as_expr(): g for g in generators}

    def all(self, expressions: Sequence[Any]) -> list[Any]:
        return [self.element(e) for e in expressions]

    def element(self, expression: Any) -> Any:
        if expression not in self.known:
            self.known[expression] = self._computed(expression)
        return self.known[expression]

    def _computed(self, expression: Any) -> Any:
        from sympy import QQ

        if expression.is_Rational:
            return self.one * QQ(int(expression.p), int(expression.q))
        if expression.is_Pow:
            base, exponent = self.element(expression.base), int(expression.exp)
            return base**exponent if exponent > 0 else self.one / base**-exponent
        parts = self.all(expression.args)
        return functools.reduce(operator.add if expression.is_Add else operator.mul, parts)
