"""Arithmetic of a random variable with constants; with a second variable it is refused, with advice.

dyce and icepool read x - x as two independent copies, Lea and sympy as 0. Here neither is guessed: `indep` and `shared`
say which of them is meant.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn, Self

import numpy as np

from randvar.advice import Advised
from randvar.calls.call import of_two
from randvar.context import at_least
from randvar.draws import Draws, Sum
from randvar.errors import RandvarError, described
from randvar.lazy import Lazy
from randvar.numbers.arrays import is_numeric, scalar
from randvar.numbers.checks import check_symbols
from randvar.numbers.fractions import exact_quotient
from randvar.numbers.overflow import finite, power
from randvar.numbers.symbolic import is_expression, is_undefined

__all__ = ["Arithmetic"]


class Arithmetic(Advised):
    """The operators of `Var`, from its source and `op`."""

    __slots__ = ()

    op: Callable[..., Self]
    _through: Callable[..., Self]
    source: Any
    values: Any
    of: Callable[[Any], Self]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        name = ufunc.__name__
        if method != "__call__" or kwargs:
            raise TypeError(f"np.{name}.{method} does not take a random variable; x.op(f) maps its outcomes")
        if ufunc.nout != 1 or len(inputs) > 2:
            raise TypeError(f"np.{name} is no function from one or two numbers to one; x.op(f) maps outcomes by any f")
        if sum(isinstance(i, Arithmetic) for i in inputs) > 1:
            raise TypeError(_advice(f"combine(np.{name})"))
        constants = [scalar(i) for i in inputs if not isinstance(i, Arithmetic)]
        if any(isinstance(c, (np.ndarray, list, tuple)) for c in constants):
            raise TypeError(
                f"np.{name} of a random variable and an array: which outcome goes with which number is not said; use"
                " x.op(f), or x + c with one constant c"
            )
        if not constants:
            return self.op(ufunc)
        (c,) = constants
        first = inputs[0] is self
        if ufunc in _OPERATORS:
            return _OPERATORS[ufunc](self, c) if first else _OPERATORS[ufunc](c, self)
        return self.op(lambda a: of_two(ufunc, a, c) if first else of_two(ufunc, c, a))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> NoReturn:
        raise TypeError(
            f"np.{function.__name__} works on samples, and a random variable is none: expect(x), variance(x), median(x)"
            " are its numbers, sampling_distribution(f, x, n) the law of a function of n draws"
        )

    def __add__(self, other: Any) -> Self:
        c = _constant(other, "add()")
        return NotImplemented if c is None else self._affine(1, c)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        c = _constant(other, "sub()")
        return NotImplemented if c is None else self._affine(1, -c)

    def __rsub__(self, other: Any) -> Self:
        c = _constant(other, "sub()")
        return NotImplemented if c is None else self._affine(-1, c)

    def __mul__(self, other: Any) -> Self:
        c = _constant(other, "mul()")
        return NotImplemented if c is None else self._affine(c, 0)

    __rmul__ = __mul__

    def __neg__(self) -> Self:
        return self._affine(-1, 0)

    def __pos__(self) -> Self:
        return self._affine(1, 0)

    def __truediv__(self, other: Any) -> Self:
        c = _constant(other, "div()")
        if c is None:
            return NotImplemented
        if c == 0:
            raise RandvarError("division of a random variable by the constant 0")
        return self._divided(c)

    def __rtruediv__(self, other: Any) -> Self:
        quotient = self.source.numbers.quotient
        return self._with(other, "div()", lambda a, c: quotient(c, a))

    def __pow__(self, other: Any) -> Self:
        whole = isinstance(other, int) and other >= 0
        return self._with(other, "combine(pow)", power, degree=int(other) if whole else None)

    def __rpow__(self, other: Any) -> Self:
        return self._with(other, "combine(pow)", lambda a, c: power(c, a))

    def __floordiv__(self, other: Any) -> Self:
        return self._with(other, "combine(operator.floordiv)", operator.floordiv)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._with(other, "combine(operator.floordiv)", lambda a, c: c // a)

    def __mod__(self, other: Any) -> Self:
        return self._with(other, "combine(operator.mod)", operator.mod)

    def __rmod__(self, other: Any) -> Self:
        return self._with(other, "combine(operator.mod)", lambda a, c: c % a)

    def _affine(self, scale: Any, shift: Any) -> Self:
        """scale * X + shift, keeping a closed form where X has one."""
        check_symbols(self.source.numbers, scale, shift)
        if isinstance(self.source, Lazy) and _is_closed(scale) and _is_closed(shift):
            with at_least(self.source.made_under):
                return self.of(Sum([Draws(self.source, 1, scale)], shift))
        self._check_arithmetic()
        return self.of(self.source.law().moved(scale, shift))

    def _divided(self, divisor: Any) -> Self:
        """X / divisor: exact in an exact law, one rounding an outcome in a float one."""
        if isinstance(self.source, Lazy) and _is_closed(divisor):
            return self._affine(exact_quotient(1, self.source.numbers.factor(divisor)), 0)
        self._check_arithmetic()
        quotient = self.source.numbers.quotient
        return self.of(self.source.law().relabelled(lambda a: finite(quotient(a, divisor), a)))

    def _check_arithmetic(self) -> None:
        """Refuse words and tuples, which Python multiplies by repeating them."""
        for value in self.values.tolist() if not is_numeric(self.values) else ():
            if isinstance(value, (str, bytes, tuple)):
                raise TypeError(
                    f"arithmetic needs numbers, but an outcome is {described(value)}; x.op(f) maps outcomes"
                )

    def _with(self, other: Any, method: str, f: Callable[[Any, Any], Any], degree: int | None = None) -> Self:
        """The law of f(X, c), or advice where the constant c is a second variable."""
        c = _constant(other, method)
        return NotImplemented if c is None else self._through(lambda a: finite(f(a, c), a, c), degree)

    def __abs__(self) -> Self:
        return self.op(abs)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a random variable is neither true nor false; write x.prob(lambda a: a > 3) for a probability or"
            " x.op(lambda a: a > 3) for the law of the comparison"
        )

    def __lt__(self, other: Any) -> NoReturn:
        raise TypeError(
            "a random variable is not smaller or larger than anything: x.prob(lambda a: a > 3) is the probability of a"
            " comparison, indep(x, y).prob(lambda a, b: a > b) that of one with another variable"
        )

    __le__ = __gt__ = __ge__ = __lt__


_OPERATORS: dict[Any, Callable[[Any, Any], Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.power: operator.pow,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
}


def _advice(method: str) -> str:
    return (
        f"two random variables cannot be combined until it is said how they were drawn: indep(x, y).{method} for"
        f" independent draws, shared(x).op(f, g).{method} for one draw seen twice"
    )


def _constant(other: Any, method: str) -> Any:
    """The constant as a plain number or an expression, so that no machine integer wraps around; None for anything else.

    A second variable gets the advice; NaN and complex numbers are refused.
    """
    if isinstance(other, Arithmetic):
        raise TypeError(_advice(method))
    number = scalar(other)
    if is_expression(number):
        if is_undefined(number) or number.is_real is False:
            raise RandvarError(f"arithmetic of a random variable with {number}, which is no real number")
        return number
    if not isinstance(number, (int, float, Fraction)):
        return None
    if number != number:
        raise RandvarError("arithmetic of a random variable with NaN, which is no number")
    return int(number) if isinstance(number, bool) else number


def _is_closed(constant: Any) -> bool:
    """Whether closed forms take it: not an infinity, which only single outcomes do."""
    return not isinstance(constant, float) or math.isfinite(constant)
