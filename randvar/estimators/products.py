"""Products of independent draws: the weight of a trajectory is the product of the ratios of its steps."""

from __future__ import annotations

import functools
import math
import operator
from decimal import Decimal, Overflow, localcontext
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import all_of, checked
from randvar.atoms.merge import codes_of, runs
from randvar.atoms.outcomes import Axis
from randvar.context import OR_MORE, check_budget, current
from randvar.draws import log_probability_or_refusal
from randvar.errors import RandvarError
from randvar.estimators.sampling import total
from randvar.law import Law
from randvar.law_arguments import a_var, count, numeric
from randvar.lazy import Lazy
from randvar.numbers.arrays import EPS, Array, object_array
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, FRACTIONS
from randvar.numbers.moment_formulas import from_raw_moments
from randvar.numbers.overflow import power
from randvar.numbers.symbolic import is_infinite, is_negative
from randvar.sums.group import Group
from randvar.sums.multinomial import rounding_of_masses
from randvar.sums.multisets import count_chunks, multiset_count
from randvar.var import Var
from randvar.warrant import Warrant

__all__ = ["product_of_draws"]

_DIGITS = 120  # moments about the mean cancel; a float has at most 17 digits, its fourth power 68
_LARGEST_LOG = math.log(np.finfo(float).max)
_LOG_OF_LARGEST_WIDE = float(np.log(np.finfo(np.longdouble).max))
_SMALLEST = math.ulp(0.0)
_WORD = 2.0**62  # whole products up to here fit in int64
_CELLS = 2**23  # powers in all multisets that are looked at one by one, in a second


@checked(x=all_of(a_var, numeric), steps=partial(count, least=0))
def product_of_draws(x: Var, steps: int) -> Var:
    """Law of X1 X2 ... Xn, the Xi independent copies of x >= 0 and n = `steps`.

    >>> from randvar.moments import variance
    >>> ratio = Var([Fraction(9, 10), Fraction(11, 10)], [Fraction(1, 2)] * 2)
    >>> variance(product_of_draws(ratio, 2))
    Fraction(201, 10000)

    E[product^k] = E[X^k]^n: mean and variance, E[X^2]^n - E[X]^(2n), and the third and fourth cumulants are closed
    forms, whatever n is; the law is computed when first read. With ratios p(X)/q(X) of mean 1, X ~ q, the product keeps
    mean 1 while its variance grows exponentially with n. Expressions may have any sign, as nothing is taken for granted
    of it. In floats, products below the smallest float are that float, and never 0.

    Raises RandvarError for negative or infinite outcomes or steps < 0, UndefinedOutcome for a moment beyond the largest
    float and, when the law is read, RandvarError for such an outcome and SupportTooLarge past the budget. Cost: O(1)
    for the moments; of the law, a product a multiset of draws where these are few, else as of `total`.
    Source: Owen, Monte Carlo theory, methods and examples, chapter 9.
    """
    for v in x.values.tolist():
        if is_infinite(v) or is_negative(v):
            raise RandvarError(
                f"product_of_draws takes numbers >= 0, such as ratios of probabilities; {v!r} is an outcome"
            )
    return Var.of(_SOURCES[x.source.numbers](x, steps))


class Product(Lazy):
    """The source (see `randvar.law.Source`) of X1 ... Xn."""

    def __init__(self, x: Var, steps: int) -> None:
        super().__init__()
        self.x, self.steps = x, steps
        self.numbers, self.field = x.source.numbers, x.law.field

    def closed_form(self, order: int) -> tuple[Any, ...]:
        """From the raw moments E[X^k]^n."""
        return from_raw_moments([power(self._raw(k), self.steps) for k in range(1, 5)])

    def _raw(self, k: int) -> Any:
        return self.x.law.average(Axis.of([v**k for v in self.x.values.tolist()]))

    def listed(self) -> Law:
        """Products as they are."""
        check_budget(multiset_count(len(self.x), self.steps), "this product", OR_MORE)
        values = object_array(self.x.values.tolist())
        powers = [object_array([v**c for c in range(self.steps + 1)]) for v in values.tolist()]
        counts, weights = self._multisets()
        found = functools.reduce(operator.mul, (p[c] for p, c in zip(powers, counts.T, strict=True)))
        mass = self.numbers.power_of_mass(self._weights, self.steps)
        return Law.of([Axis.of(found)], weights, mass, self.numbers, self.stated())

    @property
    def _weights(self) -> Array:
        return self.numbers.normalised(self.x.law.weights, self.x.law.mass)

    def _multisets(self) -> tuple[Array, Array]:
        """How often each outcome is drawn, row by row, and the weight of that."""
        chunks = count_chunks(self._weights, self.steps)
        counts, weights = zip(*chunks, strict=True)
        return np.concatenate(counts), np.concatenate(weights)

    def rounding_of_outcomes(self) -> float:
        """How far a listed product may be off, relative to it: of exact numbers, not at all."""
        return 0.0

    def stated(self) -> Warrant:
        """Those of every draw."""
        return self.x.source.warrant.copies(self.steps)

    def underflows(self) -> bool:
        """Whether the least likely sequence of draws does."""
        return self.numbers.underflows([(self.x.probs, self.steps)])

    def log_prob(self, value: Any, slack: float = 0.0) -> float:
        """That of the sum of logarithms with this exponential, given that no factor is 0, and of no factor being 0."""
        if value <= 0 or not self.underflows() or (positive := self.x.prob(lambda v: v > 0)) == 0:
            return -math.inf  # 0 is as likely as one draw of it: it does not underflow
        logs, log = self.x.cond(lambda v: v > 0).op(math.log), math.log(value)
        rounding = 4 * EPS * (len(self.x) + abs(log) + 1) + slack / abs(float(value))
        found = log_probability_or_refusal([Group(logs.values, logs.probs, self.steps)], log, float(rounding))
        return found + self.steps * math.log(positive)


class FloatProduct(Product):
    """The same in floats: moments in so many digits that what cancels does not show."""

    def closed_form(self, order: int) -> tuple[Any, ...]:
        """From the raw moments in decimal digits."""
        try:
            with localcontext(prec=_DIGITS):
                precise = from_raw_moments([self._decimal_raw(k) ** self.steps for k in range(1, 5)])
        except Overflow as error:
            raise OverflowError("a moment of this product has over a million digits") from error
        return tuple(float(k) for k in precise)

    def _decimal_raw(self, k: int) -> Decimal:
        masses = [Decimal(p) for p in self.x.probs.tolist()]
        moment = sum(_decimal(v) ** k * p for v, p in zip(self.x.values.tolist(), masses, strict=True))
        return Decimal(moment) / sum(masses)  # the law is that of p / sum(p)

    def listed(self) -> Law:
        """Products of few outcomes as they are, of many as exponentials of a sum of logarithms."""
        return self._by_multisets() if self._few() else self._by_logarithms()

    def _few(self) -> bool:
        """Whether every multiset can be looked at, and no product leaves the wide floats."""
        logs = [abs(math.log(v)) for v in self.x.values.tolist() if v > 0]
        size = multiset_count(len(self.x), self.steps)
        fits = self.steps * max(logs, default=0.0) < _LOG_OF_LARGEST_WIDE
        return fits and size <= current().max_atoms and size * len(self.x) <= _CELLS

    def rounding_of_outcomes(self) -> float:
        """By what n factors round; of logarithms also by what their sum, and a lattice that they lie on, do."""
        n, k = self.steps, len(self.x)
        logs = [abs(math.log(v)) for v in self.x.values.tolist() if v > 0]
        reach = 0.0 if self._few() else n * max(logs, default=0.0)
        return (2 * (n + k) + (min(n, k) + 12) * reach) * EPS

    def _by_multisets(self) -> Law:
        """Every product of powers, in wide floats, rounded once; whole numbers stay whole.

        A float stands for what rounds to it, so that products of n draws are one within the rounding of their factors:
        then the one of the fewest factors other than 1 stands for all, among these the likeliest.
        """
        values, (counts, masses) = self.x.values, self._multisets()
        whole = values.dtype.kind in "bi" and float(values.max()) ** self.steps < _WORD
        factors = values.astype(np.int64 if whole else np.longdouble)
        powers = (v ** np.arange(self.steps + 1, dtype=factors.dtype) for v in factors)
        products = functools.reduce(operator.mul, (p[c] for p, c in zip(powers, counts.T, strict=True)))
        if not whole:
            positive = counts[:, factors == 0].sum(axis=1) == 0
            products = _as_floats(products, positive)
            products = _simplest(products, 2 * (self.steps + len(factors)) * EPS, counts @ (factors != 1), masses)
        warrant = self.stated().rounded(rounding_of_masses(self._weights, self.steps))
        return Law.of([Axis.of(products)], masses, 1.0, self.numbers, warrant)

    def _by_logarithms(self) -> Law:
        """A product is 0 when a factor is, and else the exponential of the sum of the logarithms."""
        zero = self.x.prob(0)
        if zero == 1:
            return Law.in_order(Axis.of([0.0]), np.ones(1), 1.0, self.numbers, self.stated())
        logs = total(self.x.cond(lambda v: v > 0).op(math.log), self.steps)
        if logs.values[-1] > _LARGEST_LOG:
            raise _too_large(logs.values[-1])
        none_zero = math.exp(self.steps * math.log1p(-zero))
        values, masses = np.maximum(np.exp(logs.values.astype(float)), _SMALLEST), logs.probs * none_zero
        if zero:
            values = np.concatenate(([0.0], values))
            masses = np.concatenate(([-math.expm1(self.steps * math.log1p(-zero))], masses))
        axis = Axis(values, FLOATS)
        near = [FLOATS.tolerance(values, masses)]
        return Law.of([axis], masses, 1.0, self.numbers, logs.law.warrant, near)


def _as_floats(products: Array, positive: Array) -> Array:
    """Rounded once; what is below the smallest float is the smallest one, and not 0."""
    with np.errstate(over="ignore", under="ignore"):
        rounded = products.astype(float)
    if np.isinf(rounded).any():
        raise _too_large(float(np.log(products.max())))
    return np.where(positive, np.maximum(rounded, _SMALLEST), 0.0)


def _simplest(products: Array, within: float, factors: Array, masses: Array) -> Array:
    """Each product as the one of the fewest factors, then of the largest mass, among those that are one with it."""
    order, starts = runs(products, within * products)
    run = codes_of(order, starts, len(products))
    ranked = np.lexsort((-masses, factors, run))
    return np.asarray(products[ranked[np.searchsorted(run[ranked], np.arange(len(starts)))]][run])


def _too_large(log: float) -> RandvarError:
    return RandvarError(
        f"the largest outcome of this product is e^{log:.0f}, beyond the largest float; its moments are closed forms,"
        " and total(x.op(math.log), steps) is the law of its logarithm"
    )


_SOURCES: dict[Numbers, type[Product]] = {FLOATS: FloatProduct, FRACTIONS: Product, EXPRESSIONS: Product}


def _decimal(number: Any) -> Decimal:
    if isinstance(number, Fraction):
        return Decimal(number.numerator) / number.denominator
    return Decimal(int(number) if isinstance(number, bool) else number)
