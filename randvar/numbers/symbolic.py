"""Exact decisions about expressions: sums, equality and zero in a polynomial ring or fraction field, never `simplify`.

Expressions are converted once into sparse polynomials or fractions over the rationals (sympy's `ring` and `field`);
logarithms, roots and powers become further generators. An element that is 0 proves the expression identically 0. One
that is not is only evidence where generators are related (sqrt(2), sqrt(3), sqrt(6)): then a numeric value at a
rational point proves that it is not, and what neither proves is refused.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from randvar.errors import RandvarError
from randvar.numbers.moment_formulas import from_raw_moments
from randvar.numbers.rings import as_expression, elements, in_one_ring, is_rational_function

__all__ = [
    "aliases",
    "collected",
    "cumulants",
    "dot",
    "float_or",
    "is_expression",
    "is_infinite",
    "is_negative",
    "is_number",
    "is_undefined",
    "is_zero",
    "log_ratio",
    "normal_form",
    "plain_number",
    "product_sum",
    "sign",
    "total",
]

_DIGITS = 40
_LONG = 200  # operations in an expression that nobody would factor to read it
_NEAR = 1e-12  # of two outcomes at a point: then it is asked whether they are the same


def is_expression(value: Any) -> bool:
    """Whether it is a sympy expression, or a class of them (sympy itself need not be imported to tell)."""
    return hasattr(value, "free_symbols") and hasattr(value, "as_expr")


def is_number(value: Any) -> bool:
    """Whether it is a real number of Python's, or an expression."""
    return isinstance(value, (int, float, Fraction)) or is_expression(value)


def plain_number(value: Any) -> Any:
    """A sympy constant as int, Fraction, float or bool where it is one; sqrt(2) and pi stay as they are."""
    if getattr(value, "is_Boolean", False):
        return bool(value)
    if value.is_Rational:
        return int(value) if value.is_Integer else Fraction(int(value.p), int(value.q))
    return float(value) if value.is_Float or (value.is_infinite and value.is_extended_real) else value


def is_undefined(value: Any) -> bool:
    """Whether it is NaN, or an expression with NaN, the 1/0 that has no sign, or an infinity beside a symbol."""
    if not is_expression(value):
        return isinstance(value, float) and math.isnan(value)
    from sympy import nan, oo, zoo

    return bool(value.has(nan, zoo) or (value.free_symbols and value.has(oo, -oo)))


def is_infinite(number: Any) -> bool:
    """Whether a number is, or an expression is known to be."""
    return number.is_finite is False if is_expression(number) else number in (math.inf, -math.inf)


def is_negative(number: Any) -> bool:
    """Whether a number is, or an expression is known to be."""
    return bool(number.is_negative) if is_expression(number) else number < 0


def sign(number: Any) -> int:
    """-1, 0 or 1; 0 for an expression, whose sign is that of no number yet."""
    return 0 if is_expression(number) else (number > 0) - (number < 0)


def float_or(number: Any, otherwise: Any) -> Any:
    """The nearest float; `otherwise` for an expression, which has none."""
    return otherwise if is_expression(number) else float(number)


def total(expressions: Sequence[Any]) -> Any:
    """The sum, as a polynomial or fraction in lowest terms."""
    return _plain(_sum(elements(expressions)))


def dot(values: Sequence[Any], weights: Sequence[Any]) -> Any:
    """sum_i values_i * weights_i, in lowest terms."""
    return _plain(_dot(*in_one_ring(values, weights)))


def _dot(values: Sequence[Any], weights: Sequence[Any]) -> Any:
    return _sum([v * w for v, w in zip(values, weights, strict=True)])


def cumulants(values: Sequence[Any], weights: Sequence[Any], order: int) -> tuple[Any, ...]:
    """The first two or four cumulants, from the moments about 0: nothing is lost when exact numbers cancel.

    The third and fourth take most of the time, and are left out for order 2.
    """
    values, weights = in_one_ring(values, weights)
    raw = [_dot([v**k for v in values], weights) for k in range(1, order + 1)]
    found = (raw[0], raw[1] - raw[0] ** 2) if order == 2 else from_raw_moments(raw)
    return tuple(map(_plain, found))


def _sum(parts: Sequence[Any]) -> Any:
    return functools.reduce(operator.add, parts)


def _plain(element: Any) -> Any:
    return element.as_expr()


def log_ratio(a: Any, b: Any) -> Any:
    """log a - log b as an expression, for numbers or expressions of which b may be 0 (then it is inf)."""
    from sympy import log

    return math.inf if b == 0 else log(as_expression(a)) - log(as_expression(b))


def normal_form(expression: Any) -> Any:
    """One expression for all that are identical to it, so that equal outcomes are found equal."""
    return _plain(elements([expression])[0])


def collected(expression: Any) -> Any:
    """The expression factored, as a person would write it; a long one stays as it is, for factors take long too.

    A constant is a plain number, and a number stays one.
    """
    if not is_expression(expression):
        return expression
    from sympy import factor

    expression = as_expression(expression)
    return expression if expression.count_ops() > _LONG else factor(expression)


def is_zero(expression: Any) -> bool:
    """Whether the expression is identically 0: proved either way.

    Raises RandvarError where neither is: not 0 in the ring, but 0 at every point tried.
    """
    if not is_expression(expression):
        return bool(expression == 0)
    if is_undefined(expression):
        raise RandvarError(f"{expression} is undefined, neither 0 nor anything else; a ratio in it is 0/0 or 1/0")
    element = elements([expression])[0]
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
    symbols = sorted(expression.free_symbols, key=str)
    for shift in (1, 2, 3):
        point = _allowed_point(symbols, shift)
        value = expression.subs(point).evalf(_DIGITS) if len(point) == len(symbols) else None
        if value is not None and value.is_number and abs(value) > 10 ** (-_DIGITS // 2):
            return True
    return False


def _allowed_point(symbols: Sequence[Any], shift: int) -> dict[Any, Any]:
    """A number for each symbol that its assumptions allow (integer, negative, even, ...), if one of those tried is."""
    point = {}
    for i, s in enumerate(symbols):
        number = next((number for number in _tried(i, shift) if _allows(s, number)), None)
        if number is not None:
            point[s] = number
    return point


def _tried(i: int, shift: int) -> list[Any]:
    from sympy import Rational, prime

    between, whole = Rational(2 * i + shift, 7 * i + 3 * shift + 5), 3 * i + shift + 1
    numbers = [
        between,
        Rational(whole),
        Rational(2 * whole),
        Rational(2 * whole + 1),
        Rational(prime(whole)),
        1 / between,
    ]
    below = [-number for number in numbers]
    return [*below, *numbers, Rational(0)] if shift % 2 == 0 else [*numbers, *below, Rational(0)]


def _allows(symbol: Any, number: Any) -> bool:
    """Whether a number has each property that a symbol is assumed to have or not."""
    return all(getattr(number, f"is_{name}", told) in (told, None) for name, told in symbol.assumptions0.items())


def _at_a_point(expression: Any, symbols: Sequence[Any], shift: int) -> Any:
    from sympy import Rational

    point = {s: Rational(2 * i + shift, 7 * i + 3 * shift + 5) for i, s in enumerate(symbols)}
    return expression.subs(point).evalf(_DIGITS)


def aliases(outcomes: Sequence[Any]) -> dict[Any, Any]:
    """Which outcomes are identical to an earlier one although their normal forms differ: sqrt(2) - 1 = 1/(1 + sqrt(2)).

    Candidates agree in number at one point; `is_zero` then decides, or refuses.
    """
    if all(is_rational_function(e) for e in outcomes if is_expression(e)):
        return {}  # their normal forms are unique
    numbers = [as_expression(e) for e in outcomes if is_expression(e) or isinstance(e, (int, Fraction))]
    symbols = sorted({s for e in numbers for s in e.free_symbols}, key=str)
    values = [_at_a_point(e, symbols, 1) for e in numbers]
    ranked = sorted((complex(v).real, complex(v).imag, i) for i, v in enumerate(values) if v.is_finite)
    same: dict[Any, Any] = {}
    for (u, _, i), (v, _, j) in itertools.pairwise(ranked):
        if abs(u - v) <= _NEAR * max(1.0, abs(u)) and is_zero(numbers[i] - numbers[j]):
            earlier, later = sorted((i, j))  # which of two near numbers is the larger is rounding
            same[numbers[later]] = same.get(numbers[earlier], numbers[earlier])
    return same


def product_sum(laws: Sequence[tuple[Sequence[Any], Sequence[Any], int]]) -> tuple[list[Any], list[Any]]:
    """Law of a sum of independent draws, each group (values, probabilities, copies): outcomes and their probabilities.

    One dictionary from outcome to probability, both elements of one field; draws are added by repeated squaring.
    """
    flat = [e for values, probs, _ in laws for e in (*values, *probs)]
    converted = iter(elements(flat))
    factors = []
    for values, probs, copies in laws:
        outcomes = [next(converted) for _ in values]
        factors.append((_added_up(zip(outcomes, [next(converted) for _ in probs], strict=True)), copies))
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
