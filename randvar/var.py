"""Var: the complete law of one random variable with finitely many outcomes."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from randvar.display import UNKNOWN, counted, law_html, law_text, moments_line, short
from randvar.engine.atoms import EPS, Array, canonical, is_numeric, outcome_array, scalar
from randvar.engine.budget import MAX_ATOMS, check_budget
from randvar.engine.cumulants import cumulants
from randvar.engine.functions import apply, apply_ufunc, holds
from randvar.engine.kinds import (
    as_fractions,
    common_kind,
    divide,
    exact_quotient,
    kind_of,
    mass_where,
    possible,
    probabilities,
    total,
)
from randvar.engine.symbolic import is_expression
from randvar.errors import ImpossibleEvent, InvalidLaw, RandvarError, SupportTooLarge

if TYPE_CHECKING:
    from randvar.joint import Joint

__all__ = ["Fn", "Source", "Var"]

Fn = Callable[[Any], Any]


def _advice(method: str) -> str:
    return (
        f"two random variables cannot be combined until it is said how they were drawn: indep(x, y).{method} for"
        f" independent draws, shared(x).op(f, g).{method} for one draw seen twice"
    )


class Source(Protocol):
    """Where a law comes from that is computed when it is first read (a sum of many draws, say)."""

    def atoms(self) -> tuple[Array, Array, float | None]:
        """Canonical values and probabilities, and the relative accuracy of the probabilities (None: to rounding)."""

    def cumulants(self) -> tuple[Any, Any, Any, Any]:
        """Mean, variance, third and fourth cumulant in closed form."""

    def affine(self, scale: Any, shift: Any) -> Source:
        """The source of scale * X + shift."""

    def cdf(self, value: Any) -> Any:
        """P(X <= value) of a law that is too large to list; raises SupportTooLarge where that takes the list."""

    def log_prob(self, value: Any) -> float:
        """log P(X = value) of an outcome whose probability underflows; -inf when it is none."""


class Var:
    """A random variable: `values` with their probabilities `probs`, two aligned 1-D arrays.

    >>> eight = Var([1, 2, 3, 4, 5, 6, 7, 8], [1/16, 3/16, 1/16, 3/16, 1/16, 3/16, 1/16, 3/16])
    >>> eight.op(lambda a: a % 2)
    Var: 2 outcomes, mean 0.25
      0  0.75
      1  0.25

    Atoms are canonical: possible (p > 0), distinct, ascending where the outcomes have an order. Values are numbers or
    any hashable outcome; NaN is refused. Probabilities are floats that sum to 1 within 1e-9, `Fraction`s or ints that
    sum to 1 exactly, or sympy expressions that sum to 1 identically. Immutable; `==` is identity (`same_law` compares).

    Raises InvalidLaw for what is no law. Cost: O(n log n).
    """

    __slots__ = ("__weakref__", "_accuracy", "_cumulants", "_probs", "_source", "_values", "lost_mass")

    lost_mass: float  # what `from_scipy` cut off an infinite support

    _source: Source | None
    _values: Array | None
    _probs: Array | None

    def __init__(self, values: Iterable[Any], probs: Iterable[Any]) -> None:
        outcomes = outcome_array(_iterable(values, "values"))
        weights = probabilities(_iterable(probs, "probabilities"))
        if len(outcomes) != len(weights):
            raise InvalidLaw(f"{len(outcomes)} values but {len(weights)} probabilities; each value needs one")
        mask = possible(weights)
        self._set(*canonical(outcomes[mask], weights[mask]))

    def _set(self, values: Array, probs: Array, accuracy: float | None = None) -> None:
        values.flags.writeable = False
        probs.flags.writeable = False
        self._values, self._probs, self._accuracy = values, probs, accuracy
        self._source = None
        self._cumulants: tuple[Any, Any, Any, Any] | None = None
        self.lost_mass = 0.0

    @classmethod
    def _of(cls, values: Array, probs: Array) -> Var:
        """From canonical atoms that are known to be a law."""
        x = cls.__new__(cls)
        x._set(values, probs)
        return x

    @classmethod
    def _returned(cls, results: Iterable[Any], probs: Array) -> Var:
        """From what a function returned, outcome by outcome: rounding is merged, a returned Var is a fresh draw."""
        if isinstance(results, list) and Var in set(map(type, results)):
            return cls._mixture(results, probs)
        return cls._of(*canonical(outcome_array(results), probs, rounded=True))

    @classmethod
    def _mixture(cls, laws: list[Any], probs: Array) -> Var:
        """Law of total probability: P(Y = y) = sum_i p_i P(Y_i = y)."""
        parts = [law if isinstance(law, Var) else _certain(law) for law in laws]
        check_budget(sum(len(part) for part in parts), MAX_ATOMS, "a mixture")
        outer, *inner = common_kind(probs, *(part.probs for part in parts))
        weights = np.concatenate([p * w for p, w in zip(outer, inner, strict=True)])
        values = outcome_array([value for part in parts for value in part.values.tolist()])
        return cls._of(*canonical(values, weights, rounded=True))

    @classmethod
    def _lazy(cls, source: Source) -> Var:
        """A law whose atoms are computed when first read."""
        x = cls.__new__(cls)
        x._values = x._probs = x._accuracy = x._cumulants = None
        x._source = source
        x.lost_mass = 0.0
        return x

    # -- the law ------------------------------------------------------------------------------------------------------

    @property
    def values(self) -> Array:
        """The distinct outcomes, ascending; read-only."""
        return self._law()[0]

    @property
    def probs(self) -> Array:
        """The probability of each outcome; read-only."""
        return self._law()[1]

    @property
    def accuracy(self) -> float | None:
        """Bound on the relative error of each probability: None when they are exact or right to rounding."""
        self._law()
        return self._accuracy

    @property
    def kind(self) -> str:
        """ "float", "rational" or "symbolic": what the probabilities are made of."""
        return kind_of(self.probs)

    def _law(self) -> tuple[Array, Array]:
        if self._values is None or self._probs is None:
            assert self._source is not None
            values, probs, accuracy = self._source.atoms()
            values.flags.writeable = False
            probs.flags.writeable = False
            self._probs, self._accuracy = probs, accuracy
            self._values = values
        return self._values, self._probs

    def __len__(self) -> int:
        """The number of outcomes."""
        return len(self.values)

    # -- transforming -------------------------------------------------------------------------------------------------

    def op(self, f: Fn) -> Var:
        """The law of f(X).

        >>> Var([1, 2, 3], [0.2, 0.3, 0.5]).op(lambda a: a % 2 == 1)
        Var: 2 outcomes, mean 0.7
          False  0.3
          True   0.7

        A numpy ufunc is applied to the whole array. If f returns a Var, that is a fresh draw made after X was seen,
        and the result is the mixture. Results equal within 4 ulp are one outcome. Raises UndefinedOutcome, naming the
        outcome, when f raises or returns NaN. Cost: one call an outcome, O(n log n).
        """
        if isinstance(f, np.ufunc) and is_numeric(self.values):
            return Var._returned(apply_ufunc(f, [self.values], self.probs), self.probs)
        if not callable(f):
            raise TypeError(f"op takes a function of one outcome, got {f!r:.60}")
        return Var._returned(apply(f, [self.values], self.probs), self.probs)

    def vector(self, f: Callable[[Any], Iterable[Any]]) -> Joint:
        """The Joint of the components of f(X): a score vector, a gradient.

        >>> Var([0, 1], [0.75, 0.25]).vector(lambda a: (a - 0.25, 0.25 - a)).weights
        array([0.75, 0.25])

        f returns a sequence, of the same length for every outcome, or RandvarError is raised.
        """
        from randvar.joint import Joint

        rows = [_components(row) for row in apply(f, [self.values], self.probs)]
        lengths = sorted({len(row) for row in rows})
        if len(lengths) > 1 or not lengths[0]:
            raise RandvarError(f"vector takes a function with as many components for every outcome, got {lengths}")
        return Joint._of_columns([outcome_array(column) for column in zip(*rows, strict=True)], self.probs)

    def cond(self, event: Callable[[Any], Any]) -> Var:
        """The law of X given that the predicate holds.

        >>> Var([1, 2, 3, 4], [0.25] * 4).cond(lambda a: a < 3).probs
        array([0.5, 0.5])

        Raises ImpossibleEvent when it holds for no outcome.
        """
        mask = holds(event, [self.values], self.probs)
        if not mask.any():
            raise ImpossibleEvent(
                f"the condition holds for none of the outcomes {_some(self.values)}: its probability is 0,"
                " and there is no law given an impossible event"
            )
        kept = self.probs[mask]
        return Var._of(self.values[mask], divide(kept, total(kept)))

    # -- probabilities ------------------------------------------------------------------------------------------------

    def prob(self, event: Any) -> Any:
        """P(X = value), or P(event) for a predicate.

        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> die.prob(6), die.prob(lambda a: a > 2)
        (0.16666666666666666, 0.6666666666666666)

        A float value finds its atom within 4 ulp. Tails are sums of their own terms: 1e-80 comes out right.
        """
        if callable(event):
            return mass_where(holds(event, [self.values], self.probs), self.probs)
        at = self._find(event)
        return mass_where(np.arange(len(self)) == at, self.probs)

    def log_prob(self, value: Any) -> float:
        """log P(X = value); -inf off the support. Right also where P itself is below the smallest float.

        >>> Var([0, 1], [0.5, 0.5]).log_prob(1)
        -0.6931471805599453
        """
        p = self.prob(value)
        if p == 0 and self._source is not None:
            return self._source.log_prob(value)
        return _log(p)

    def cdf(self, v: Any) -> Any:
        """P(X <= v).

        >>> Var([1, 2, 3], [0.2, 0.3, 0.5]).cdf(2)
        0.5

        Of a sum that is too large to list it is found by meeting in the middle where that fits, else SupportTooLarge is
        raised (`law_bounds` encloses it).
        """
        if v != v:
            raise RandvarError(f"cdf takes a value to compare with, got {v!r}, which no outcome is below or above")
        try:
            values = self._ordered("cdf")
        except SupportTooLarge:
            if self._source is None:
                raise
            return self._source.cdf(v)
        at = self._find(v)
        upto = at + 1 if at is not None else int(np.searchsorted(values, v, side="right"))
        return mass_where(np.arange(len(values)) < upto, self.probs)

    def quantile(self, u: Any) -> Any:
        """The smallest outcome v with P(X <= v) >= u, robust at the steps.

        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> die.quantile(0.5), die.quantile(1/3), die.quantile(1)
        (3, 2, 6)

        Up to u = 1/2 the lower tail is compared with u, beyond it the upper tail with 1 - u, each with a few ulp of
        tolerance, so that 3 * (1/6) >= 0.5 holds and the quantile at 1 is the largest outcome. u is in [0, 1].
        """
        values = self._ordered("quantile")
        if not isinstance(u, (int, float, Fraction)) or not 0 <= u <= 1:
            raise RandvarError(f"quantile takes a probability between 0 and 1, got {u!r}")
        if self.kind == "symbolic":
            raise RandvarError("quantile needs numbers, but these probabilities depend on symbols; put numbers there")
        return scalar(values[_first_reaching(u, self.probs)])

    def _find(self, value: Any) -> int | None:
        """Where the atom of this value stands, or None."""
        values = self.values
        value = scalar(value)
        if not is_numeric(values):
            hits = [i for i, v in enumerate(values.tolist()) if v == value]
            return hits[0] if hits else None
        if not isinstance(value, (bool, int, float, Fraction)):
            return None
        at = int(np.searchsorted(values, float(value)))
        near = [i for i in (at - 1, at, at + 1) if 0 <= i < len(values)]
        for i in near:
            if values[i] == value:
                return i
        if values.dtype.kind != "f" or math.isinf(value):
            return None
        return next((i for i in near if abs(values[i] - value) <= 4 * EPS * abs(float(value))), None)

    def _ordered(self, name: str) -> Array:
        values = self.values
        if not is_numeric(values):
            try:
                ordered = all(a < b for a, b in itertools.pairwise(values))
            except TypeError:
                ordered = False
            if not ordered:
                raise TypeError(f"{name} needs outcomes with an order; these have none: {_some(values)}")
        return values

    # -- arithmetic with constants ------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            raise TypeError(f"np.{ufunc.__name__}.{method} does not take a random variable; x.op(f) maps its outcomes")
        if sum(isinstance(i, Var) for i in inputs) > 1:
            raise TypeError(_advice(f"combine(np.{ufunc.__name__})"))
        if any(np.ndim(i) for i in inputs if not isinstance(i, Var)):
            raise TypeError(
                f"np.{ufunc.__name__} of a random variable and an array: which outcome goes with which number is not"
                " said; use x.op(f), or x + c with one constant c"
            )
        if len(inputs) == 1:
            return self.op(ufunc)
        arithmetic = _UFUNC_OPERATORS.get(ufunc)
        if arithmetic is not None:
            return arithmetic(*(i if isinstance(i, Var) else scalar(i) for i in inputs))
        arguments = [self.values if isinstance(i, Var) else i for i in inputs]
        return Var._returned(np.asarray(ufunc(*arguments)), self.probs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> NoReturn:
        raise TypeError(
            f"np.{function.__name__} works on samples, and a random variable is none: expect(x), variance(x), median(x)"
            " are its numbers, sampling_distribution(f, x, n) the law of a function of n draws"
        )

    def _affine(self, scale: Any, shift: Any) -> Var:
        """scale * X + shift, keeping a closed form where X has one."""
        if self._source is not None and scale != 0:
            return Var._lazy(self._source.affine(scale, shift))
        return self.op(lambda a: scale * a + shift)

    def __add__(self, other: Any) -> Var:
        return self._affine(1, other) if _constant(other, "add()") else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Var:
        return self._affine(1, -other) if _constant(other, "sub()") else NotImplemented

    def __rsub__(self, other: Any) -> Var:
        return self._affine(-1, other) if _constant(other, "sub()") else NotImplemented

    def __mul__(self, other: Any) -> Var:
        return self._affine(other, 0) if _constant(other, "mul()") else NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> Var:
        return self._affine(-1, 0)

    def __truediv__(self, other: Any) -> Var:
        if not _constant(other, "div()"):
            return NotImplemented
        if other == 0:
            raise RandvarError("division of a random variable by the constant 0")
        if self._source is not None:
            return self._affine(exact_quotient(1, other) if isinstance(other, (int, Fraction)) else 1 / other, 0)
        exact = self.kind != "float"
        return self.op(lambda a: exact_quotient(a, other) if exact else a / other)

    def __rtruediv__(self, other: Any) -> Var:
        if not _constant(other, "div()"):
            return NotImplemented
        exact = self.kind != "float"
        return self.op(lambda a: exact_quotient(other, a) if exact else other / a)

    def __pow__(self, other: Any) -> Var:
        return self.op(lambda a: a**other) if _constant(other, "combine(pow)") else NotImplemented

    def __rpow__(self, other: Any) -> Var:
        return self.op(lambda a: other**a) if _constant(other, "combine(pow)") else NotImplemented

    def __floordiv__(self, other: Any) -> Var:
        return self.op(lambda a: a // other) if _constant(other, "combine(operator.floordiv)") else NotImplemented

    def __mod__(self, other: Any) -> Var:
        return self.op(lambda a: a % other) if _constant(other, "combine(operator.mod)") else NotImplemented

    def __abs__(self) -> Var:
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

    # -- other forms --------------------------------------------------------------------------------------------------

    def rational(self, max_denominator: int = 10**6) -> Var:
        """The same law in exact fractions: after it, every mean, variance and probability is a `Fraction`.

        >>> Var([0, 1], [0.75, 0.25]).rational().prob(1)
        Fraction(1, 4)

        Each float becomes the simplest fraction with a denominator up to `max_denominator`; an error if one is not
        within an ulp of such a fraction, or if the fractions do not sum to 1.
        """
        if kind_of(self.probs) != "float":
            return self
        values = as_fractions(self.values, max_denominator, "value")
        return Var(values, as_fractions(self.probs, max_denominator, "probability"))

    def to_float(self) -> Var:
        """The same law with float probabilities (and floats for Fraction values).

        >>> Var([0, 1], [Fraction(1, 3), Fraction(2, 3)]).to_float().prob(1)
        0.6666666666666666
        """
        if kind_of(self.probs) == "float":
            return self
        values = [float(v) if isinstance(v, Fraction) else v for v in self.values.tolist()]
        return Var(values, [float(p) for p in self.probs])

    def to_dict(self) -> dict[Any, Any]:
        """{outcome: probability}.

        >>> Var([0, 1], [0.75, 0.25]).to_dict()
        {0: 0.75, 1: 0.25}
        """
        return dict(zip(self.values.tolist(), self.probs.tolist(), strict=True))

    def to_scipy(self) -> Any:
        """The same law as a frozen `scipy.stats.rv_discrete`, whose outcomes must be integers.

        >>> float(Var([0, 1], [0.75, 0.25]).to_scipy().pmf(1))
        0.25
        """
        from scipy import stats

        if not is_numeric(self.values) or not bool(np.all(self.values == np.floor(self.values))):
            raise TypeError(f"scipy's rv_discrete needs integer outcomes; got {_some(self.values)}")
        return stats.rv_discrete(values=(self.values.astype(np.int64), self.probs.astype(np.float64)))()

    def _moments(self) -> tuple[Any, Any, Any, Any]:
        """The first four cumulants: closed forms of the source, else from the atoms."""
        if self._cumulants is None:
            source = self._source
            self._cumulants = source.cumulants() if source is not None else cumulants(*self._law())
        return self._cumulants

    def __repr__(self) -> str:
        return law_text("Var", *self._shown())

    def _repr_html_(self) -> str:
        return law_html("Var", *self._shown())

    def _shown(self) -> tuple[str, list[tuple[Any, ...]], list[Any]]:
        """What a table of this law says: a headline, its outcomes as rows, their probabilities."""
        try:
            values, probs = self._law()
        except SupportTooLarge as refused:
            return f"too many outcomes to list ({refused.size:.3g}), {moments_line(self._moments())}", [], []
        numeric = is_numeric(values) and bool(np.all(np.isfinite(values)))
        head = [counted(len(values), "outcome")]
        if numeric or all(isinstance(v, Fraction) or is_expression(v) for v in values.tolist()):
            head.append(f"mean {short(self._moments()[0])}")
        if self._accuracy is not None and self._accuracy > _SHOWN_ACCURACY:
            head.append(f"probabilities right to {self._accuracy:.0e}" if math.isfinite(self._accuracy) else UNKNOWN)
        if self.lost_mass:
            head.append(f"mass {self.lost_mass:.1g} cut off")
        return ", ".join(head), [(v,) for v in values.tolist()], probs.tolist()


def _constant(other: Any, method: str) -> bool:
    if isinstance(other, Var):
        raise TypeError(_advice(method))
    return isinstance(scalar(other), (bool, int, float, Fraction)) or is_expression(other)


_SHOWN_ACCURACY = 1e-9  # a law whose probabilities are worse than this says so

_UFUNC_OPERATORS: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.power: operator.pow,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
}


def _components(row: Any) -> list[Any]:
    if isinstance(row, (str, bytes, dict, set, Var)) or not hasattr(row, "__iter__"):
        raise TypeError(f"vector takes a function that returns a sequence, got {type(row).__name__} {row!r:.60}")
    return list(row)


def _certain(value: Any) -> Var:
    """The law that is `value` with probability 1 (an exact 1, which goes with every kind)."""
    return Var([value], [1])


def _iterable(items: Any, what: str) -> Iterable[Any]:
    if isinstance(items, dict):
        raise TypeError(f"{what} given as a dict; from_dict(d) makes a law of {{outcome: probability}}")
    if isinstance(items, Var) or not hasattr(items, "__iter__"):
        raise TypeError(
            f"{what} must be a sequence, got {type(items).__name__} {items!r:.60}; constant(v) is one value"
        )
    return items  # type: ignore[no-any-return]


def _some(values: Array) -> str:
    shown = ", ".join(repr(v) for v in values[:4].tolist())
    return f"[{shown}, ...]" if len(values) > 4 else f"[{shown}]"


def _log(p: Any) -> float:
    if p == 0:
        return -math.inf
    if isinstance(p, Fraction):  # integers of any size have a logarithm
        return math.log(p.numerator) - math.log(p.denominator)
    if isinstance(p, float):
        return math.log(p)
    from sympy import log

    return log(p)  # type: ignore[no-any-return]


def _first_reaching(u: Any, probs: Array) -> int:
    """The first index whose lower tail reaches u (see `Var.quantile`)."""
    if probs.dtype.kind != "f":
        lower: Any = 0
        for i, p in enumerate(probs.tolist()):
            lower += p
            if lower >= u:
                return i
        return len(probs) - 1
    u = float(u)
    if u <= 0.5:
        lower = np.cumsum(probs)
        return min(int(np.searchsorted(lower, u * (1 - 16 * EPS))), len(probs) - 1)
    upper = np.append(np.cumsum(probs[::-1])[::-1][1:], 0.0)  # upper[i] = P(X > values[i])
    allowed = (1 - u) * (1 + 16 * EPS) + (EPS / 4 if u < 1 else 0.0)  # half an ulp of u: 0.975 is not quite 39/40
    return int(np.argmax(upper <= allowed))
