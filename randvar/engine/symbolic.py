"""Exact decisions about expressions: sums, equality and zero in a polynomial ring or fraction field, never `simplify`.

Expressions are converted once into sparse polynomials or fractions over the rationals (sympy's `ring` and `field`);
logarithms, roots and powers become further generators. An element that is 0 proves the expression identically 0. One
that is not is only evidence where generators are related (sqrt(2), sqrt(3), sqrt(6)): then a numeric value at a
rational point proves that it is not, and what neither proves is refused.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from randvar.errors import RandvarError

__all__ = [
    "aliases",
    "as_expression",
    "collected",
    "dot",
    "is_expression",
    "is_undefined",
    "is_zero",
    "normal_form",
    "plain_number",
    "product_sum",
    "total",
]

_DIGITS = 40
_NEAR = 1e-12  # of two outcomes at a point: then it is asked whether they are the same


def is_expression(value: Any) -> bool:
    """Whether it is a sympy expression, or a class of them (sympy itself need not be imported to tell)."""
    return hasattr(value, "free_symbols") and hasattr(value, "as_expr")


def plain_number(value: Any) -> Any:
    """A sympy constant as int, Fraction, float or bool where it is one; sqrt(2) and pi stay as they are."""
    if getattr(value, "is_Boolean", False):
        return bool(value)
    if value.is_Rational:
        return int(value) if value.is_Integer else Fraction(int(value.p), int(value.q))
    return float(value) if value.is_Float or (value.is_infinite and value.is_extended_real) else value


def is_undefined(value: Any) -> bool:
    """Whether an expression is NaN, or the 1/0 that has no sign."""
    return type(value).__name__ in ("NaN", "ComplexInfinity")


def as_expression(number: Any) -> Any:
    """An int, Fraction, expression, or a float as the rational number that it is (also inside an expression)."""
    from sympy import Float, Rational, sympify

    if isinstance(number, bool):
        return sympify(int(number))
    if isinstance(number, float) and math.isfinite(number):
        exact = Fraction(number)
        return Rational(exact.numerator, exact.denominator)
    if isinstance(number, Fraction):
        return Rational(number.numerator, number.denominator)
    expression = sympify(number)
    floats = expression.atoms(Float)
    return expression.xreplace({f: Rational(f) for f in floats}) if floats else expression


def _elements(expressions: Iterable[Any]) -> list[Any]:
    """The expressions as elements of one ring, or of one field where something is divided by a symbol.

    The logarithm of a rational number becomes those of its primes, of which no sum is 0.
    """
    from sympy import Pow, expand_log, log
    from sympy.polys.fields import sfield
    from sympy.polys.rings import sring

    converted = [as_expression(e) for e in expressions]
    converted = [expand_log(e, factor=True) if e.has(log) else e for e in converted]
    symbols = sorted({s for e in converted for s in e.free_symbols}, key=str)
    polynomial = all(e.is_polynomial(*symbols) for e in converted) and not any(
        p.exp.is_number and not p.exp.is_Integer for e in converted for p in e.atoms(Pow)
    )
    if symbols and polynomial:
        return list(sring(converted, *symbols, field=True)[1])
    return list(sfield(converted)[1])


def total(expressions: Sequence[Any]) -> Any:
    """The sum, as a polynomial or fraction in lowest terms."""
    return _plain(_sum(_elements(expressions)))


def dot(values: Sequence[Any], weights: Sequence[Any]) -> Any:
    """sum_i values_i * weights_i, in lowest terms."""
    elements = _elements([*values, *weights])
    n = len(values)
    return _plain(_sum([v * w for v, w in zip(elements[:n], elements[n:], strict=True)]))


def _sum(elements: list[Any]) -> Any:
    result = elements[0]
    for element in elements[1:]:
        result = result + element
    return result


def _plain(element: Any) -> Any:
    return element.as_expr()


def normal_form(expression: Any) -> Any:
    """One expression for all that are identical to it, so that equal outcomes are found equal."""
    return _plain(_elements([expression])[0])


def collected(expression: Any) -> Any:
    """The expression factored, as a person would write it."""
    from sympy import factor

    return factor(as_expression(expression))


def is_zero(expression: Any) -> bool:
    """Whether the expression is identically 0: proved either way.

    Raises RandvarError where neither is: not 0 in the ring, but 0 at every point tried.
    """
    if not is_expression(expression):
        return bool(expression == 0)
    if is_undefined(expression):
        raise RandvarError(f"{expression} is undefined, neither 0 nor anything else; a ratio in it is 0/0 or 1/0")
    element = _elements([expression])[0]
    if element == 0:
        return True
    if _independent(element) or _differs_from_zero(element):
        return False
    raise RandvarError(
        f"it cannot be decided whether {as_expression(expression)} is identically 0; rewrite it with fewer related"
        " functions (such as logarithms of products), or put numbers in"
    )


def _independent(element: Any) -> bool:
    """Whether the generators are symbols, between which there is no relation: then the ring decides."""
    return all(g.as_expr().is_Symbol for g in element.parent().gens)


def _differs_from_zero(element: Any) -> bool:
    """Whether it is clearly not 0 at one of a few rational points (40 digits, far beyond the error of `evalf`).

    The numerator is looked at, divided by its largest coefficient: 10^-30 sqrt(2) is not 0.
    """
    numerator = getattr(element, "numer", element)
    expression = numerator.as_expr() / max(abs(as_expression(c)) for c in numerator.coeffs())
    for shift in (1, 2, 3):
        value = _at_a_point(expression, sorted(expression.free_symbols, key=str), shift)
        if value.is_number and abs(value) > 10 ** (-_DIGITS // 2):
            return True
    return False


def _at_a_point(expression: Any, symbols: Sequence[Any], shift: int) -> Any:
    from sympy import Rational

    point = {s: Rational(2 * i + shift, 7 * i + 3 * shift + 5) for i, s in enumerate(symbols)}
    return expression.subs(point).evalf(_DIGITS)


def aliases(outcomes: Sequence[Any]) -> dict[Any, Any]:
    """Which outcomes are identical to an earlier one although their normal forms differ: sqrt(2) - 1 = 1/(1 + sqrt(2)).

    Candidates agree in number at one point; `is_zero` then decides, or refuses.
    """
    if all(_is_rational_function(e) for e in outcomes if is_expression(e)):
        return {}  # their normal forms are unique
    numbers = [as_expression(e) for e in outcomes if is_expression(e) or isinstance(e, (int, Fraction, float))]
    symbols = sorted({s for e in numbers for s in e.free_symbols}, key=str)
    values = [_at_a_point(e, symbols, 1) for e in numbers]
    ranked = sorted((complex(v).real, complex(v).imag, i) for i, v in enumerate(values) if v.is_finite)
    same: dict[Any, Any] = {}
    for (u, _, i), (v, _, j) in itertools.pairwise(ranked):
        if abs(u - v) <= _NEAR * max(1.0, abs(u)) and is_zero(numbers[i] - numbers[j]):
            same[numbers[j]] = same.get(numbers[i], numbers[i])
    return same


def _is_rational_function(expression: Any) -> bool:
    """Whether only fractions and symbols are added, multiplied and divided in it."""
    from sympy import preorder_traversal

    return all(
        part.is_Symbol or part.is_Rational or part.is_Add or part.is_Mul or (part.is_Pow and part.exp.is_Integer)
        for part in preorder_traversal(expression)
    )


def product_sum(laws: Sequence[tuple[Sequence[Any], Sequence[Any], int]]) -> tuple[list[Any], list[Any]]:
    """Law of a sum of independent draws, each group (values, probabilities, copies): outcomes and their probabilities.

    One dictionary from outcome to probability, both elements of one field; draws are added by repeated squaring.
    """
    flat = [e for values, probs, _ in laws for e in (*values, *probs)]
    elements = iter(_elements(flat))
    factors = []
    for values, probs, copies in laws:
        outcomes = [next(elements) for _ in values]
        factors.append((_added_up(zip(outcomes, [next(elements) for _ in probs], strict=True)), copies))
    law = _power(*factors[0])
    for factor, copies in factors[1:]:
        law = _convolve(law, _power(factor, copies))
    return [_plain(v) for v in law], [_plain(p) for p in law.values()]


def _power(law: dict[Any, Any], copies: int) -> dict[Any, Any]:
    result = law
    for bit in f"{copies:b}"[1:]:
        result = _convolve(result, result)
        if bit == "1":
            result = _convolve(result, law)
    return result


def _convolve(a: dict[Any, Any], b: dict[Any, Any]) -> dict[Any, Any]:
    return _added_up((v + w, p * q) for v, p in a.items() for w, q in b.items())


def _added_up(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    law: dict[Any, Any] = {}
    for value, p in pairs:
        law[value] = law[value] + p if value in law else p
    return {value: p for value, p in law.items() if p != 0}
