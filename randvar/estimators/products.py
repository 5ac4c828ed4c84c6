"""Products of independent draws: the weight of a trajectory is the product of the ratios of its steps."""

from __future__ import annotations

import functools
import math
import operator
from decimal import Decimal, Overflow, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.atoms.outcomes import canonical, merge_within, outcome_array
from randvar.context import OR_MORE, check_budget
from randvar.errors import RandvarError
from randvar.estimators.arguments import a_var, count
from randvar.estimators.sampling import total
from randvar.moments import check_numeric
from randvar.numbers.arrays import EPS, Array, object_array
from randvar.numbers.kinds import Kind, dot, kind_of
from randvar.numbers.moment_formulas import from_raw_moments, rescaled
from randvar.numbers.overflow import power
from randvar.numbers.symbolic import is_expression
from randvar.sources import Caveats, Source
from randvar.sums.door import Draws, can_underflow, log_probability
from randvar.sums.multisets import multiset_chunks, multiset_count
from randvar.var import Var

__all__ = ["product"]

_DIGITS = 120  # moments about the mean cancel; a float has at most 17 digits, its fourth power 68
_LARGEST_LOG = 700.0  # exp of it is still a float
_CELLS = 2**21  # draws in all multisets that are looked at one by one, in a fraction of a second
_WORD = 2.0**62  # whole products up to here fit in int64


def product(x: Var, steps: int) -> Var:
    """Law of X1 X2 ... Xn, the Xi independent copies of x >= 0 and n = `steps`.

    >>> from randvar.moments import variance
    >>> ratio = Var([Fraction(9, 10), Fraction(11, 10)], [Fraction(1, 2)] * 2)
    >>> variance(product(ratio, 2))
    Fraction(201, 10000)

    E[product^k] = E[X^k]^n: mean and variance, E[X^2]^n - E[X]^(2n), and the third and fourth cumulants are closed
    forms, whatever n is; the law is computed when first read. With ratios p(X)/q(X) of mean 1, X ~ q, the product keeps
    mean 1 while its variance grows exponentially with n. Raises RandvarError for negative or infinite outcomes or
    steps < 0, UndefinedOutcome for a moment beyond the largest float and, when the law is read, RandvarError for such
    an outcome and SupportTooLarge past the budget. Cost: O(1) for the moments; of the law as of `total`, for the
    logarithms.
    Source: Owen, Monte Carlo theory, methods and examples, chapter 9.
    """
    check_numeric("product", a_var("product", "x", x))
    steps = count("product", "steps", steps, least=0)
    for v in x.values.tolist():
        if not is_expression(v) and not 0 <= v < math.inf:
            raise RandvarError(f"product takes numbers >= 0, such as ratios of probabilities; {v!r} is an outcome")
    return Var._lazy(Product(x, steps))


class Product(Source):
    """The source (see `randvar.sources.Source`) of scale * (X1 ... Xn) + shift."""

    def __init__(self, x: Var, steps: int, scale: Any = 1, shift: Any = 0) -> None:
        self.x, self.steps, self.scale, self.shift = x, steps, scale, shift

    @property
    def kind(self) -> Kind:
        """What the probabilities are made of."""
        return self.x.kind

    def affine(self, scale: Any, shift: Any) -> Product:
        """The source of scale * X + shift."""
        return Product(self.x, self.steps, self.scale * scale, self.shift * scale + shift)

    def cumulants(self, order: int = 4) -> tuple[Any, ...]:
        """From the raw moments E[X^k]^n: exact, or in so many digits that what cancels does not show."""
        if kind_of(self.x.probs) != "float":
            exact = from_raw_moments([power(self._raw(k), self.steps) for k in range(1, 5)])
            return rescaled(exact, self.scale, self.shift)
        try:
            with localcontext(prec=_DIGITS):
                precise = from_raw_moments([self._decimal_raw(k) ** self.steps for k in range(1, 5)])
        except Overflow as error:
            raise OverflowError("a moment of this product has over a million digits") from error
        return rescaled([float(k) for k in precise], self.scale, self.shift)

    def _raw(self, k: int) -> Any:
        return dot(outcome_array([v**k for v in self.x.values.tolist()]), self.x.probs)

    def _decimal_raw(self, k: int) -> Decimal:
        masses = [Decimal(p) for p in self.x.probs.tolist()]
        moment = sum(_decimal(v) ** k * p for v, p in zip(self.x.values.tolist(), masses, strict=True))
        return Decimal(moment) / sum(masses)  # the law is that of p / sum(p)

    def atoms(self) -> tuple[Array, Array, float | None]:
        """The law: products of exact numbers as they are, of floats as exponentials of a sum of logarithms."""
        accuracy = None
        if kind_of(self.x.probs) != "float":
            values, masses = self._exactly()
        else:
            values, masses, accuracy = self._by_multisets() if self._few() else self._by_logarithms()
        moved = outcome_array([self.scale * v + self.shift for v in values.tolist()])
        return *canonical(moved, masses, rounded=True), accuracy

    def _exactly(self) -> tuple[Array, Array]:
        """Every multiset of draws: the product of v^c over the outcomes v, each drawn c times."""
        check_budget(multiset_count(len(self.x), self.steps), "this product", OR_MORE)
        return self._products(object_array(self.x.values.tolist()))

    def _products(self, values: Array) -> tuple[Array, Array]:
        powers = [np.array([v**c for c in range(self.steps + 1)], dtype=values.dtype) for v in values.tolist()]
        products, masses = [], []
        for indices, weights in multiset_chunks(self.x.probs, self.steps):
            counts = (np.sum(indices == j, axis=1) for j in range(len(powers)))
            products.append(functools.reduce(operator.mul, (p[c] for p, c in zip(powers, counts, strict=True))))
            masses.append(weights)
        return np.concatenate(products), np.concatenate(masses)

    def _few(self) -> bool:
        """Whether every multiset can be looked at, and no product leaves the floats."""
        logs = [abs(math.log(v)) for v in self.x.values.tolist() if v > 0]
        cells = multiset_count(len(self.x), self.steps) * max(self.steps, 1)
        return cells <= min(_CELLS) and self.steps * max(logs, default=0.0) < _LARGEST_LOG

    def _by_multisets(self) -> tuple[Array, Array, None]:
        """As the exact law, in floats (whole numbers stay whole): a product of k powers has about 2 k roundings."""
        values = self.x.values
        whole = values.dtype.kind in "bi" and float(values.max()) ** self.steps < _WORD
        products, masses = self._products(values.astype(np.int64 if whole else float))
        return *merge_within(products, masses, 0 if whole else 2 * (len(values) + 1) * EPS * products), None

    def _by_logarithms(self) -> tuple[Array, Array, float | None]:
        """A product is 0 when a factor is, and else the exponential of the sum of the logarithms."""
        positive = self.x.prob(lambda v: v > 0)
        if positive == 0:
            return np.zeros(1), np.ones(1), None
        logs = total(self.x.cond(lambda v: v > 0).op(math.log), self.steps)
        if logs.values[-1] > _LARGEST_LOG:
            raise RandvarError(
                f"the largest outcome of this product is e^{logs.values[-1]:.0f}, beyond the largest float; its moments"
                " are closed forms, and total(x.op(math.log), steps) is the law of its logarithm"
            )
        none_zero = positive**self.steps
        values, masses = np.exp(logs.values.astype(float)), logs.probs * none_zero
        if none_zero < 1:
            values = np.concatenate(([0.0], values))
            masses = np.concatenate(([-math.expm1(self.steps * math.log1p(-self.x.prob(0)))], masses))
        return values, masses, logs.accuracy

    def caveats(self) -> Caveats:
        """Those of every draw."""
        return self.x._stated().times(self.steps)

    def underflows(self) -> bool:
        """Whether the least likely sequence of draws does."""
        return can_underflow([(self.x.probs, self.steps)])

    def log_prob(self, value: Any) -> float:
        """That of the sum of logarithms with this exponential, given that no factor is 0, and of no factor being 0."""
        outcome = (value - self.shift) / self.scale if self.scale != 0 else 0
        if outcome <= 0 or not self.underflows() or (positive := self.x.prob(lambda v: v > 0)) == 0:
            return -math.inf  # 0 is as likely as one draw of it: it does not underflow
        logs, log = self.x.cond(lambda v: v > 0).op(math.log), math.log(outcome)
        rounding = len(self.x) + abs(log) + (abs(value) + abs(self.shift)) / abs(self.scale * outcome)
        draws = Draws(logs.values, logs.probs, self.steps)
        return log_probability([draws], log, float(4 * EPS * rounding)) + self.steps * math.log(positive)


def _decimal(number: Any) -> Decimal:
    if isinstance(number, Fraction):
        return Decimal(number.numerator) / number.denominator
    return Decimal(int(number) if isinstance(number, bool) else number)
