"""The interface of numbers: what a law computes with, chosen once, when an array is made.

The weights of a law have a kind, and so has each column of its outcomes; what is computed from both has the kind in
which they meet (`kinds.meet`). There is one instance of each kind: FLOATS, FRACTIONS, EXPRESSIONS and WORDS, of which
nothing is computed.

Probabilities are shares of a mass: P(row) = weights[row] / mass. So conditioning and mixing divide nothing, and a
number as people read it (`share`) is made when it is read. Floats have the mass 1.0; fractions are integers over one
integer; expressions are taken as they come, and brought into one form when read.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from randvar.errors import InvalidLaw, one_line
from randvar.numbers.arrays import Array, object_array
from randvar.numbers.overflow import within_floats
from randvar.numbers.symbolic import is_zero

__all__ = ["WAY_OUT_OF_SUM", "WORDS", "Kind", "Numbers"]

if TYPE_CHECKING:
    Kind = Literal["float", "rational", "symbolic"]
else:
    Kind = str  # tools that complete names fail on the alias of a Literal


WAY_OUT_OF_SUM = "; pass weights to from_weights to normalise"
_SMALL = 1e-190  # the power 3/2 of a number down to it is right to rounding


class Numbers:
    """One kind of number. Arrays of elements are added and multiplied by numpy; what differs between kinds is here."""

    kind: Kind
    name: str  # as kind_of and messages say it
    exact = True
    cell: type = object  # what arrays of results are made of
    misled_by: frozenset[str] = frozenset()  # names of kinds of outcomes that would look as exact as they are not

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return self.name.upper()  # one instance in every process: the name of a global of its module

    # -- probabilities: weights over a mass --------------------------------------------------------------------------

    def weighed(self, numbers: Sequence[Any]) -> tuple[Array, Any]:
        """Numbers that a person gave as probabilities, as weights and the unit that they are counted in."""
        raise NotImplementedError

    def share(self, part: Any, mass: Any) -> Any:
        """part / mass, as a person reads it."""
        raise NotImplementedError

    def shares(self, weights: Array, mass: Any) -> Array:
        """Probabilities as a person reads them; a symmetric law has each of them twice."""
        numbers = weights.tolist()
        known = {w: self.share(w, mass) for w in set(numbers)}
        return object_array([known[w] for w in numbers])

    def adopted(self, weights: Array, mass: Any, of: Numbers) -> tuple[Array, Any]:
        """The weights of another kind that joins this one, as elements of this one."""
        raise NotImplementedError

    def reduced(self, weights: Array, mass: Any) -> tuple[Array, Any]:
        """The same shares in smaller elements, where that is cheap."""
        return weights, mass

    def normal_mass(self, mass: Any) -> Any:
        """The mass of weights that are known to sum to 1 in their unit."""
        return mass

    def total(self, weights: Array) -> Any:
        """The sum of some weights."""
        raise NotImplementedError

    def check_sum(self, total: Any) -> None:
        """Raise InvalidLaw where probabilities that a person gave do not sum to 1: exactly, or identically."""
        if self.possible(object_array([total - 1])).any():
            raise InvalidLaw(
                f"probabilities sum to {one_line(total)}, not 1; pass weights to from_weights to normalise"
            )

    def normalised(self, weights: Array, mass: Any) -> Array:
        """The weights where their mass is their own sum, which goes without saying."""
        return weights

    def power_of_mass(self, weights: Array, n: int) -> Any:
        """The mass of n draws from normalised weights."""
        return self.total(weights) ** n

    def over_one_mass(self, masses: Sequence[Any]) -> tuple[Any, list[Any]]:
        """A common multiple of the masses, and what the weights over each are multiplied by to be over it."""
        raise NotImplementedError

    def refuse_outcomes(self, column: Array) -> NoReturn:
        """What is raised for outcomes of one of the kinds in `misled_by`."""
        raise NotImplementedError

    def possible(self, weights: Array) -> Array:
        """The mask of what has a probability above 0 (not identically 0, for symbols)."""
        return np.asarray(weights != 0, dtype=bool)

    # -- outcomes ----------------------------------------------------------------------------------------------------

    def tolerance(self, column: Array, weights: Array, unit: float = 0.0) -> Any:
        """How far what a function returned may lie from what it stands for: 0, or an array.

        `unit`: of one that computed in single precision, the rounding unit.
        """
        return 0

    def numbers(self, column: Array) -> Array:
        """A column of a kind that joins this one, as numbers to compute with."""
        return column

    def number(self, constant: Any) -> Any:
        """A constant as a number of this kind."""
        return constant

    def beside(self, constant: Any) -> Any:
        """A constant that one number of this kind is added to or subtracted from."""
        return constant

    def quotient(self, a: Any, b: Any) -> Any:
        """a / b, exact where both are."""
        raise NotImplementedError

    def divided(self, numbers: Array, n: int) -> Array:
        """Each number / n: exact, or rounded once."""
        return np.asarray(numbers.astype(object) / Fraction(n))

    def factor(self, constant: Any) -> Any:
        """A constant that numbers are multiplied by, so that products of constants do not round."""
        return Fraction(constant) if isinstance(constant, int) else constant

    def root(self, number: Any) -> Any:
        """The square root, a float."""
        with within_floats("a square root"):
            return math.sqrt(number)

    def exact_root(self, number: Any) -> Any:
        """The square root, exact where it is a number of this kind."""
        return self.root(number)

    def array(self, numbers: Any) -> Array:
        """An array of results of this kind."""
        return np.array(numbers, dtype=self.cell)

    def averaged(self, column: Array) -> Array:
        """A column of outcomes as numbers of which averages are taken, an int as a Fraction."""
        return object_array([Fraction(v) if isinstance(v, int) else v for v in column.tolist()])

    def without_offset(self, numbers: Array) -> tuple[Array, Any]:
        """Numbers for a formula that no shift changes, and what was taken off: nothing, where it costs no digits."""
        return numbers, 0

    def roots(self, numbers: Array) -> Array:
        """`exact_root` of each."""
        return np.asarray(np.frompyfunc(self.exact_root, 1, 1)(numbers))

    def sizes(self, numbers: Array, exact: float = 0) -> Array:
        """The magnitudes that rounding acts on: none where nothing is rounded, or what is given for it."""
        return np.full(numbers.shape, float(exact))

    def rounding(self, errors: Array) -> Any:
        """What a merge is told of the errors of computed outcomes: 0 where there are none."""
        return 0

    def skewness(self, k2: Any, k3: Any) -> Any:
        """k3 / k2^(3/2), a float."""
        return float(k3) / math.pow(k2, 1.5) if _SMALL < k2 < 1 / _SMALL else k3 / k2 / self.root(k2)

    def correlation(self, covariance: Any, first: Any, second: Any) -> Any:
        """The covariance over the root of the product of the variances, a float."""
        product = float(first) * float(second)
        scale = math.sqrt(product) if _SMALL < product < math.inf else self.root(first) * self.root(second)
        return float(covariance) / scale

    # -- probabilities of two laws -------------------------------------------------------------------------------------

    def added(self, probabilities: Sequence[Any]) -> Any:
        """Their sum."""
        return sum(probabilities)

    def agree(self, a: Any, b: Any, tolerance: float) -> bool:
        """Whether two probabilities are the same; the relative tolerance is for those that were rounded."""
        return is_zero(a - b)

    def underflows(self, draws: Iterable[tuple[Array, int]]) -> bool:
        """Whether a combination of draws, (weights, copies) each, may be less likely than the smallest float."""
        return False

    def rounding_of(self, operations: float) -> float:
        """A bound on the relative error of a probability after so many operations: 0 where nothing is rounded."""
        return 0.0

    def rounding_of_shares(self, weights: Array, mass: Any, underflow: bool) -> float:
        """A bound on the relative error of weights / mass, of those above 1e-290."""
        return 0.0

    # -- means -------------------------------------------------------------------------------------------------------

    def dot(self, values: Array, weights: Array) -> Any:
        """sum_i values_i weights_i, of numbers."""
        return sum(map(operator.mul, values.tolist(), weights.tolist()))

    def mean(self, values: Array, weights: Array, mass: Any) -> Any:
        """E[X], of finite outcomes."""
        raise NotImplementedError

    def cumulants(self, values: Array, weights: Array, mass: Any, order: int) -> tuple[Any, ...]:
        """The first two or four cumulants, of finite outcomes."""
        raise NotImplementedError


class Words(Numbers):
    """Outcomes that are no numbers: words, tuples, anything hashable."""

    name = "words"

    def mean(self, values: Array, weights: Array, mass: Any) -> NoReturn:
        """Refused."""
        raise TypeError("a mean needs numbers, but an outcome is none; map the outcomes first: x.op(lambda a: ...)")

    def cumulants(self, values: Array, weights: Array, mass: Any, order: int) -> NoReturn:
        """Refused."""
        self.mean(values, weights, mass)


WORDS = Words()
