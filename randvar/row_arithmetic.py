"""Arithmetic between the coordinates of a Joint: the laws of X + Y, X - Y, X * Y and X / Y on one draw."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from randvar.advice import Advised
from randvar.column_sums import signed_sum
from randvar.draws import Draws, Sum
from randvar.errors import UndefinedOutcome
from randvar.independent import Independent
from randvar.law import Source
from randvar.lazy import Lazy
from randvar.numbers.kinds import FLOATS, FRACTIONS
from randvar.numbers.overflow import finite
from randvar.var import Var

__all__ = ["RowArithmetic"]


class RowArithmetic(Advised):
    """The arithmetic of `Joint`: from its rows and `combine`, or from its independent coordinates if it has them."""

    __slots__ = ()

    dim: Any
    source: Source
    law: Any
    marginal: Callable[[int], Var]
    combine: Callable[[Callable[..., Any]], Var]

    def add(self) -> Var:
        """The law of X + Y + ...; of independent coordinates in closed form, computed when read.

        >>> from randvar.coupling import indep, shared
        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> indep(die, die).add().values, shared(die).add().values
        (array([ 2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12]), array([ 2,  4,  6,  8, 10, 12]))

        All coordinates are added, numbers or (as Python adds them) strings. Raises UndefinedOutcome where inf and -inf
        meet; when the law is read, SupportTooLarge past the budget of atoms. Cost: O(rows log(rows)); of independent
        coordinates no rows are listed.
        """
        return self._signed_sum([1] * self.dim, operator.add)

    def sub(self) -> Var:
        """The law of X - Y, in closed form as in `add`.

        >>> from randvar.coupling import indep, shared
        >>> coin = Var([0, 1], [0.5, 0.5])
        >>> indep(coin, coin).sub().to_dict(), shared(coin).sub().to_dict()
        ({-1: 0.25, 0: 0.5, 1: 0.25}, {0: 1.0})

        Raises TypeError unless there are two coordinates, UndefinedOutcome where there is no difference: two strings.
        """
        self._two("sub")
        return self._signed_sum([1, -1], operator.sub)

    def mul(self) -> Var:
        """The law of X * Y * ..., the product of all coordinates.

        >>> from randvar.coupling import indep, shared
        >>> sign = Var([-1, 1], [0.5, 0.5])
        >>> indep(sign, sign).mul().to_dict(), shared(sign).mul().to_dict()
        ({-1: 0.5, 1: 0.5}, {1: 1.0})

        Raises UndefinedOutcome where there is no product: inf * 0, or two strings. Cost: O(rows).
        """
        product = self.combine(lambda *row: finite(functools.reduce(operator.mul, row), *row))
        return Var.of(product.law.warranted(self.law.warrant.through(self.dim)))

    def div(self) -> Var:
        """The law of X / Y, the first coordinate over the second; exact when both are exact.

        >>> from fractions import Fraction
        >>> from randvar.coupling import shared
        >>> half = Fraction(1, 2)
        >>> shared(Var([1, 3], [half, half])).op(lambda a: a, lambda a: a + 1).div().values
        array([Fraction(1, 2), Fraction(3, 4)], dtype=object)

        Raises UndefinedOutcome when Y can be 0, TypeError unless there are two coordinates. Cost: O(rows).
        """
        self._two("div")
        if self.marginal(1).prob(0) != 0:
            raise UndefinedOutcome(
                f"X / Y is undefined: Y is 0 with probability {self.marginal(1).prob(0)}; condition it away first:"
                " j.cond(lambda x, y: y != 0).div()"
            )
        quotient = self.source.numbers.quotient
        return self.combine(lambda a, b: finite(quotient(a, b), a, b))

    def _two(self, name: str) -> None:
        if self.dim != 2:
            raise TypeError(f"{name} needs two coordinates, this Joint has {self.dim}; j.select(i, k) picks two")

    def _signed_sum(self, signs: Sequence[int], plain: Callable[[Any, Any], Any]) -> Var:
        """sum_i sign_i * X_i, by machine arithmetic where it can be; `plain` is what Python makes of other outcomes."""
        if isinstance(self.source, Independent) and all(map(_summable, self.source.sources)):
            return Var.of(Sum([Draws(x, 1, s) for x, s in zip(self.source.sources, signs, strict=True)]))
        summed = signed_sum(self.law, signs)
        return self.combine(lambda *row: functools.reduce(plain, row)) if summed is None else Var.of(summed)

    def __add__(self, other: Any) -> NoReturn:
        raise TypeError(
            "a Joint is not added to anything as it stands: j.add() is the law of the sum of its coordinates,"
            " j.op(f, g) maps each of them, j.combine(f) any function of all"
        )

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__

    def __bool__(self) -> NoReturn:
        raise TypeError("a Joint is neither true nor false; j.prob(lambda a, b: a > b) is a probability")


def _summable(x: Source) -> bool:
    """Whether a sum takes it: numbers, not strings or tuples."""
    return isinstance(x, Lazy) or x.law().axes[0].numbers in (FLOATS, FRACTIONS)
