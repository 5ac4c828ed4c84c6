"""Law: the complete law of one or several variables on one draw, below Var and Joint.

Rows are possible, distinct and in lexicographic order; P(row) = weights[row] / mass (`numbers.base`). Construction,
conditioning, functions of rows, mixtures and independent laws are made here and nowhere else.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from randvar.atoms.merge import heaviest, runs
from randvar.atoms.outcomes import Axis
from randvar.context import check_budget
from randvar.errors import InvalidLaw, UndefinedOutcome, one_line
from randvar.numbers.arrays import EPS, WIDE_EPS, Array, read_only
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import FLOATS, FRACTIONS, meet, together, weighed
from randvar.numbers.overflow import finite, within_floats
from randvar.warrant import SOUND, Warrant

if TYPE_CHECKING:
    from randvar.calls.finer import FunctionRounding

__all__ = ["Law", "Source", "added_up", "certain", "computed_law", "given_law", "listed_law", "numbers_of"]

_KEY_LIMIT = 2**62
_GIVEN = 8  # roundings that float probabilities may have come with: their sum is 1 within 4 eps
_SHORT = 16  # floats that are added as they come


class Source(Protocol):
    """What a variable comes from: a Law, or what computes one when it is first read."""

    @property
    def numbers(self) -> Numbers:
        """Of its probabilities."""

    @property
    def field(self) -> Numbers:
        """Of its moments; raises TypeError where an outcome is no number."""

    @property
    def warrant(self) -> Warrant:
        """As far as it is known: a law that is not listed knows what it was made of."""

    @property
    def dim(self) -> int:
        """The number of coordinates."""

    def law(self) -> Law:
        """The law, listed. Raises SupportTooLarge past the budget."""

    def cumulants(self, order: int = 4) -> tuple[Any, ...]:
        """Mean, variance, third and fourth cumulant of one variable; of order 2 the first two are enough."""

    def mean_vector(self) -> Array:
        """E of each coordinate."""

    def covariance_matrix(self) -> Array:
        """Cov of each pair of coordinates."""


@dataclass(frozen=True, eq=False)
class Law:
    """Rows as codes into the distinct outcomes of each axis; of one axis, the outcomes are the rows (codes = ())."""

    axes: tuple[Axis, ...]
    codes: tuple[Array, ...]
    weights: Array
    mass: Any
    numbers: Numbers
    warrant: Warrant = SOUND
    blur: float = 0.0  # how far the mean may be off as numbers that were given stand for all within a few ulp
    made_by: Callable[[], FunctionRounding] | None = None  # how a person's function rounds, which made the outcomes
    known: dict[int, tuple[Any, ...]] = field(default_factory=dict, init=False, repr=False)  # cumulants that were asked

    def __post_init__(self) -> None:
        for axis in self.axes:
            axis.values.setflags(write=False)
        for array in self.codes:
            array.setflags(write=False)
        self.weights.setflags(write=False)

    def __reduce__(self) -> Any:
        return Law, (self.axes, self.codes, self.weights, self.mass, self.numbers, self.warrant)

    # -- how a law is made -------------------------------------------------------------------------------------------

    @classmethod
    def of(
        cls,
        columns: Sequence[Axis],
        weights: Array,
        mass: Any,
        numbers: Numbers,
        warrant: Warrant = SOUND,
        tolerances: Sequence[Any] = (),
    ) -> Law:
        """From rows in any order: those within the tolerance of each column are one, impossible ones are left out."""
        for column in columns:
            if column.numbers.name in numbers.misled_by:
                numbers.refuse_outcomes(column.values)
        if _vanished(numbers, weights):
            columns, weights, warrant, tolerances = _without_underflow(columns, weights, warrant, tolerances)
        if len(columns) == 1:
            return cls._of_one(columns[0], weights, mass, numbers, warrant, *tolerances)
        pairs = [c.merged(weights, *t) for c, t in zip(columns, _each(tolerances, len(columns)), strict=True)]
        axes, codes = tuple(axis for axis, _ in pairs), tuple(code for _, code in pairs)
        return cls._of_rows(axes, codes, weights, mass, numbers, warrant)

    @classmethod
    def _of_one(
        cls, column: Axis, weights: Array, mass: Any, numbers: Numbers, warrant: Warrant, tolerance: Any = 0
    ) -> Law:
        order, starts = runs(column.values, tolerance)
        values, weights = column.values[order], weights[order]
        radius = None if column.radius is None else column.widest(order, starts)
        if len(starts) < len(values):
            kept = heaviest(values, weights, starts) if isinstance(tolerance, np.ndarray) else starts
            values, (weights, error) = values[kept], _summed(weights, starts)
            warrant = warrant.rounded(error) if error else warrant
        return cls((Axis(values, column.numbers, radius),), (), weights, mass, numbers, warrant)

    @classmethod
    def _of_rows(
        cls,
        axes: tuple[Axis, ...],
        codes: tuple[Array, ...],
        weights: Array,
        mass: Any,
        numbers: Numbers,
        warrant: Warrant,
    ) -> Law:
        """Distinct rows in lexicographic order with their weights added up, and axes without unused outcomes."""
        key = _row_key([len(axis.values) for axis in axes], codes)
        if not bool(np.all(key[1:] > key[:-1])):
            order = np.argsort(key, kind="stable")
            key = key[order]
            starts = np.append(True, key[1:] != key[:-1]).nonzero()[0]
            weights, error = _summed(weights[order], starts)
            warrant = warrant.rounded(error)
            codes = tuple(c[order[starts]] for c in codes)
        pairs = [_pruned(axis, code) for axis, code in zip(axes, codes, strict=True)]
        return cls(tuple(a for a, _ in pairs), tuple(c for _, c in pairs), weights, mass, numbers, warrant)

    @classmethod
    def in_order(cls, column: Axis, weights: Array, mass: Any, numbers: Numbers, warrant: Warrant = SOUND) -> Law:
        """Of one variable whose outcomes are known to be distinct and ascending; impossible ones are left out."""
        if _vanished(numbers, weights):
            (column,), weights, warrant, _ = _without_underflow([column], weights, warrant, ())
        return cls((column,), (), weights, mass, numbers, warrant)

    # -- what it says ------------------------------------------------------------------------------------------------

    @staticmethod
    def joined(parts: Sequence[Law]) -> Law:
        """The rows of several parts of one law, each with weights over its own mass: rounding is merged."""
        if len(parts) == 1:
            return parts[0]
        numbers = numbers_of(parts)
        weights, masses = zip(*(part.weights_in(numbers) for part in parts), strict=True)
        mass, factors = numbers.over_one_mass(masses)
        together = np.concatenate([w if c == 1 else w * c for w, c in zip(weights, factors, strict=True)])
        columns = [_concatenated([part.columns[i] for part in parts]) for i in range(parts[0].dim)]
        warrant = Warrant.of_parts([part.warrant for part in parts])
        near = [c.tolerance(together, warrant.precision) for c in columns]
        return Law.of(columns, together, mass, numbers, warrant, near)

    def law(self) -> Law:
        """Itself: it is listed."""
        return self

    @property
    def dim(self) -> int:
        """The number of coordinates."""
        return len(self.axes)

    @functools.cached_property
    def columns(self) -> tuple[Axis, ...]:
        """The outcome of each row, one column a coordinate."""
        if not self.codes:
            return self.axes
        columns = tuple(axis.take(code) for axis, code in zip(self.axes, self.codes, strict=True))
        read_only(*(column.values for column in columns))
        return columns

    @functools.cached_property
    def probs(self) -> Array:
        """The probability of each row, as a person reads it."""
        probs = self.numbers.shares(self.weights, self.mass)
        probs.setflags(write=False)
        return probs

    @functools.cached_property
    def field(self) -> Numbers:
        """The kind of its moments; a TypeError where an outcome is no number."""
        return meet(self.numbers, *(axis.numbers for axis in self.axes))

    @property
    def row_codes(self) -> tuple[Array, ...]:
        """The codes, also of one axis."""
        return self.codes or (np.arange(len(self.weights)),)

    def rows(self) -> list[list[Any]]:
        """The outcomes as Python's numbers, one list a coordinate."""
        return [column.values.tolist() for column in self.columns]

    def weights_in(self, kind: Numbers) -> tuple[Array, Any]:
        """The weights and their mass as numbers of a kind that this one joins."""
        return (
            (self.weights, self.mass) if kind is self.numbers else kind.adopted(self.weights, self.mass, self.numbers)
        )

    def probability_at(self, row: int) -> Any:
        """P(row)."""
        return self.numbers.share(self.weights[row], self.mass)

    def probability(self, mask: Array) -> Any:
        """P(the rows of the mask): the sum of its own terms, exactly 1 for all of them."""
        if mask.all():
            return self.numbers.share(1, 1)
        return self.numbers.share(self.numbers.total(self.weights[mask]) if mask.any() else 0, self.mass)

    def average(self, column: Axis) -> Any:
        """E of a function of the rows, given by what it is on each; +inf or -inf when that can happen.

        Raises UndefinedOutcome when both can.
        """
        signs = _infinities(column.values)
        if len(signs) > 1:
            raise UndefinedOutcome("the mean is undefined: both inf and -inf are outcomes; condition one of them away")
        if signs:
            return signs.pop()
        values, (weights, mass), numbers = self._to_average(column)
        return numbers.mean(values, weights, mass)

    def mean_vector(self) -> Array:
        """E of each coordinate."""
        return self.field.array([self.average(column) for column in self.columns])

    def covariance_matrix(self) -> Array:
        """Cov of each pair of coordinates, about their means."""
        d = range(self.dim)
        pairs = {(a, b): self._covariance(a, b) for a in d for b in d if a <= b}
        return self.field.array([[pairs[min(a, b), max(a, b)] for b in d] for a in d])

    def _covariance(self, a: int, b: int) -> Any:
        with within_floats("the covariance"):
            centred = [self._centred(i) for i in (a, b)]
            return self.average(Axis.of(centred[0] * centred[1]))

    def _centred(self, i: int) -> Array:
        column = self.columns[i]
        first = self.average(column)
        if isinstance(first, float) and math.isinf(first):
            raise UndefinedOutcome("a covariance is undefined: an outcome is infinite; condition it away first")
        kind = meet(self.numbers, column.numbers)
        centred = np.asarray(kind.numbers(column.values) - first)
        return centred if kind.exact else centred - self.average(Axis.of(centred))  # what rounded the mean

    def cumulants(self, order: int = 4) -> tuple[Any, ...]:
        """(k1, k2, k3, k4) = (mean, variance, mu3, mu4 - 3 mu2^2), which add over independent sums; or the first two.

        One that leaves the range of floats is NaN. Source: Kendall & Stuart, vol. 1, section 3.12.
        """
        if order not in self.known:
            if _infinities(self.axes[0].values):
                raise UndefinedOutcome(
                    "moments about the mean are undefined: an outcome is infinite; condition it away first"
                )
            values, (weights, mass), numbers = self._to_average(self.axes[0])
            with within_floats("a moment about the mean"):
                self.known[order] = numbers.cumulants(values, weights, mass, order)
        return self.known[order]

    def _to_average(self, column: Axis) -> tuple[Array, tuple[Array, Any], Numbers]:
        """A column of numbers, the weights of its rows, and the kind to average it in."""
        numbers = meet(self.numbers, column.numbers)
        return numbers.numbers(column.values), self.weights_in(numbers), numbers

    # -- laws from laws ----------------------------------------------------------------------------------------------

    def pushed(self, *columns: Axis, degree: int | None = None, unit: float = 0.0) -> Law:
        """Of functions of the rows, given by what they returned, one column a function: rounding is merged.

        `degree`: they are polynomials of that degree. `unit`: they were computed in single precision.
        """
        near = [0 if c.numbers.exact else c.tolerance(self.weights, unit) for c in columns]
        warrant = self.warrant if self.warrant is SOUND else self.warrant.through(degree)
        if unit:
            warrant = warrant.and_of(Warrant(precision=unit))
        return Law.of(columns, self.weights, self.mass, self.numbers, warrant, near)

    def by(self, rounding: Callable[[], FunctionRounding]) -> Law:
        """The same, knowing how a person's function may have rounded its outcomes, where they are floats."""
        return replace(self, made_by=rounding) if self.axes[0].numbers is FLOATS else self

    def rounding_of(self, f: Callable[..., Any]) -> FunctionRounding:
        """How a function of the rows rounds (`calls.finer`)."""
        from randvar.calls.finer import function_rounding  # late: few verdicts come here

        return function_rounding(f, [column.values for column in self.columns], self.probs)

    def moved(self, scale: Any, shift: Any) -> Law:
        """Of scale * X + shift in each coordinate."""
        made = self.relabelled(lambda v: finite(scale * v + shift, v, scale, shift), abs(scale))
        return made.blurred(abs(float(scale)) * self.blur) if self.blur else made

    def blurred(self, blur: float) -> Law:
        """The same, with a mean that may be off by so much."""
        return replace(self, blur=blur) if blur else self

    def relabelled(self, f: Callable[[Any], Any], slope: Any = 1) -> Law:
        """Of an injective function of each coordinate: outcomes stay apart, unless rounding makes them equal.

        `slope` is what it multiplies distances by.
        """
        columns = [Axis.of([_on(f, v) for v in c.values.tolist()]) for c in self.columns]
        columns = [
            new if old.radius is None else replace(new, radius=float(slope) * old.radius)
            for new, old in zip(columns, self.columns, strict=True)
        ]
        return Law.of(columns, self.weights, self.mass, self.numbers, self.warrant)

    def given(self, mask: Array) -> Law:
        """Given that the row is one of the mask, which is not empty."""
        kept = self.weights[mask]
        mass_kept = self.numbers.total(kept)
        weights, mass = self.numbers.reduced(kept, mass_kept)
        warrant = self.warrant if self.warrant == SOUND else self.warrant.given(self.probability(mask))
        warrant = warrant.rounded(self.numbers.rounding_of_shares(kept, mass_kept, warrant.underflow))
        if not self.codes:
            return Law.in_order(self.axes[0].take(mask), weights, mass, self.numbers, warrant)
        pairs = [_pruned(axis, code[mask]) for axis, code in zip(self.axes, self.codes, strict=True)]
        return Law(tuple(a for a, _ in pairs), tuple(c for _, c in pairs), weights, mass, self.numbers, warrant)

    def then(self, parts: Sequence[Law], degree: int | None = None) -> Law:
        """(X, Y) with Y drawn from parts[i] after row i was seen; the last marginal of it is a mixture.

        `degree`: the probabilities of Y are polynomials of that degree.
        """
        sizes = [len(part.weights) for part in parts]
        check_budget(sum(sizes), "what is drawn after each outcome")
        numbers = numbers_of([self, *parts])
        outer, mass = self.weights_in(numbers)
        inner, masses = zip(*(part.weights_in(numbers) for part in parts), strict=True)
        common, factors = numbers.over_one_mass(masses)
        weights = np.concatenate([w * (p * c) for p, w, c in zip(outer, inner, factors, strict=True)])
        mass = mass * common
        drawn = Axis.of([v for part in parts for v in part.axes[0].values.tolist()])
        rows = np.repeat(np.arange(len(sizes)), sizes)
        columns = [*(c.take(rows) for c in self.columns), drawn]
        near = [*[0] * len(self.axes), drawn.tolerance(weights)]
        inside = Warrant.mixed([part.warrant for part in parts], self.probs.tolist)
        warrant = self.warrant.through(degree).and_of(inside).rounded(numbers.rounding_of(_GIVEN + 1))
        return Law.of(columns, weights, mass, numbers, warrant, near)

    def times(self, *others: Law) -> Law:
        """Independent: (X, Y, ...) with P(a, b, ...) = P(a) P(b) ..."""
        if not others:
            return self
        laws = (self, *others)
        way_out = "sums and moments of independent coordinates need no table (j.add(), expect, cov_matrix)"
        check_budget(math.prod(len(x.weights) for x in laws), "the table of all combinations", way_out)
        numbers = numbers_of(laws)
        grid = np.indices([len(x.weights) for x in laws], dtype=np.int64).reshape(len(laws), -1)
        weights, masses = zip(*(x.weights_in(numbers) for x in laws), strict=True)
        axes = tuple(axis for x in laws for axis in x.axes)
        codes = tuple(code[at] for x, at in zip(laws, grid, strict=True) for code in x.row_codes)
        joint = functools.reduce(operator.mul, (w[at] for w, at in zip(weights, grid, strict=True)))
        warrant = Warrant.together(x.warrant for x in laws).rounded(numbers.rounding_of((_GIVEN + 1) * len(others)))
        if _vanished(numbers, joint):
            columns = [axis.take(code) for axis, code in zip(axes, codes, strict=True)]
            return Law.of(columns, joint, 1.0, numbers, warrant)
        return Law(axes, codes, joint, math.prod(masses), numbers, warrant)

    def diagonal(self, copies: int) -> Law:
        """The same draw seen several times."""
        if copies == 1:
            return self
        return replace(self, axes=self.axes * copies, codes=self.row_codes * copies)

    def marginal(self, i: int) -> Law:
        """Of one coordinate on its own."""
        if not self.codes:
            return self
        weights, error = added_up(self.codes[i], self.weights, len(self.axes[i].values))
        return Law((self.axes[i],), (), weights, self.mass, self.numbers, self.warrant.rounded(error))

    def select(self, which: Sequence[int]) -> Law:
        """Of some coordinates, in the order named."""
        if len(which) == 1:
            return self.marginal(which[0])
        axes, codes = tuple(self.axes[i] for i in which), tuple(self.row_codes[i] for i in which)
        return Law._of_rows(axes, codes, self.weights, self.mass, self.numbers, self.warrant)

    def with_coordinate(self, i: int, axis: Axis, where: Array) -> Law:
        """With coordinate i replaced by a function of it: `where[code]` is the place of its outcome on the new axis."""
        if not self.codes:
            return Law._of_one(
                Axis(axis.values[where], axis.numbers), self.weights, self.mass, self.numbers, self.warrant
            )
        axes, codes = list(self.axes), list(self.codes)
        axes[i], codes[i] = axis, where[codes[i]]
        return Law._of_rows(tuple(axes), tuple(codes), self.weights, self.mass, self.numbers, self.warrant)

    def warranted(self, warrant: Warrant) -> Law:
        """The same law with another warrant."""
        return self if warrant == self.warrant else replace(self, warrant=warrant)


def listed_law(columns: Sequence[Axis], probs: Any, warrant: Warrant = SOUND) -> Law:
    """From what a person gave: outcomes that are equal are one, probabilities have to sum to 1.

    Exactly if they are fractions, identically if expressions, within 1e-9 if floats (that is then divided out). Raises
    InvalidLaw where they do not.
    """
    numbers, weights, unit = weighed(probs)
    if not len(weights):
        raise InvalidLaw("a law needs at least one outcome; the probabilities are empty")
    for column in columns:
        if len(column.values) != len(weights):
            raise InvalidLaw(f"{len(column.values)} values but {len(weights)} probabilities; each value needs one")
    possible = numbers.possible(weights)
    if not possible.all():
        columns, weights = [c.take(possible) for c in columns], weights[possible]
    mass = numbers.total(weights)
    numbers.check_sum(numbers.share(mass, unit))
    return Law.of(columns, *numbers.reduced(weights, numbers.normal_mass(mass)), numbers, warrant)


def given_law(columns: Sequence[Axis], probs: Array, numbers: Numbers, warrant: Warrant = SOUND) -> Law:
    """From probabilities of one kind that were computed as people read them: outcomes that are equal are one."""
    weights, unit = numbers.weighed(probs.tolist())
    return Law.of(columns, weights, unit, numbers, warrant)


def computed_law(columns: Sequence[Axis], weights: Array, numbers: Numbers, warrant: Warrant = SOUND) -> Law:
    """From rows that were computed, with weights of one kind that sum to what they sum to: rounding is merged."""
    near = [c.tolerance(weights) for c in columns]
    weights, mass = numbers.reduced(weights, numbers.total(weights))
    return Law.of(columns, weights, mass, numbers, warrant, near)


def certain(value: Any) -> Law:
    """One outcome, with an exact 1 that goes with every kind."""
    return Law((Axis.of([value]),), (), _ONE, 1, FRACTIONS)


_ONE = np.array([1], dtype=object)


def numbers_of(sources: Sequence[Source]) -> Numbers:
    """The kind of laws that are combined; what is certain goes with every kind.

    Only where kinds differ is a law listed to see whether it is certain.
    """
    kinds = {x.numbers for x in sources}
    if len(kinds) == 1:
        return kinds.pop()
    varying = {x.numbers for x in sources if len(x.law().weights) > 1}
    return together(varying) if varying else FLOATS if FLOATS in kinds else together(kinds)


# -- parts ----------------------------------------------------------------------------------------------------------


def _vanished(numbers: Numbers, weights: Array) -> bool:
    """Whether a product of tiny probabilities came out as 0, which only floats do."""
    return not numbers.exact and not weights.all()


def _each(tolerances: Sequence[Any], n: int) -> list[tuple[Any, ...]]:
    return [(t,) for t in tolerances] if tolerances else [()] * n


def _without_underflow(
    columns: Sequence[Axis], weights: Array, warrant: Warrant, tolerances: Sequence[Any]
) -> tuple[Sequence[Axis], Array, Warrant, Sequence[Any]]:
    """The rows with p > 0: a product of tiny floats can underflow to 0."""
    kept = weights != 0
    near = [t[kept] if isinstance(t, np.ndarray) else t for t in tolerances]
    return [c.take(kept) for c in columns], weights[kept], replace(warrant, underflow=True), near


def _concatenated(columns: Sequence[Axis]) -> Axis:
    kinds = {column.numbers for column in columns}
    if len(kinds) == 1 and not any(column.values.dtype == object for column in columns):
        return Axis(np.concatenate([column.values for column in columns]), kinds.pop(), _radii(columns))
    return Axis.of([v for column in columns for v in column.values.tolist()])


def _radii(columns: Sequence[Axis]) -> Array | None:
    if all(column.radius is None for column in columns):
        return None
    return np.concatenate([np.zeros(len(c.values)) if c.radius is None else c.radius for c in columns])


def added_up(code: Array, weights: Array, size: int) -> tuple[Array, float]:
    """The weights of the rows with each code, and a bound on the relative error that adding them made."""
    order = np.argsort(code, kind="stable")
    return _summed(weights[order], np.searchsorted(code[order], np.arange(size)))


def _summed(weights: Array, starts: Any) -> tuple[Array, float]:
    """The sum of each run, and a bound on the relative error of those of floats: terms are positive, nothing cancels.

    Long runs are added in wide floats (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2).
    """
    if weights.dtype == object:
        return np.add.reduceat(weights, starts), 0.0
    longest = len(weights) - len(starts) + 1
    if longest > _SHORT:
        longest = int(np.diff(starts, append=len(weights)).max())
    if longest <= _SHORT:
        return np.add.reduceat(weights, starts), (longest - 1) * EPS / 2
    wide = np.add.reduceat(weights.astype(np.longdouble), starts)
    return wide.astype(weights.dtype), EPS / 2 + longest * WIDE_EPS


def _pruned(axis: Axis, code: Array) -> tuple[Axis, Array]:
    """Without the outcomes that no row has."""
    used = np.zeros(len(axis.values), dtype=bool)
    used[code] = True
    return (axis, code) if used.all() else (axis.take(used), (np.cumsum(used) - 1)[code])


def _row_key(sizes: Sequence[int], codes: Sequence[Array]) -> Array:
    """One integer a row, in the lexicographic order of rows (mixed radix; ranks where the radix would overflow)."""
    key, span = codes[0].astype(np.int64), sizes[0]
    for size, code in zip(sizes[1:], codes[1:], strict=True):
        if span * size >= _KEY_LIMIT:
            ranks, key = np.unique(key, return_inverse=True)
            span = len(ranks)
        key, span = key * size + code, span * size
    return key


def _on(f: Callable[[Any], Any], v: Any) -> Any:
    """f(v), or a refusal that names the outcome."""
    try:
        result = f(v)
    except OverflowError as error:
        raise UndefinedOutcome(f"arithmetic raised OverflowError on outcome {one_line(v)}: {error}") from error
    if isinstance(result, float) and math.isnan(result):
        raise UndefinedOutcome(f"arithmetic is undefined on outcome {one_line(v)}; condition that outcome away")
    return result


def _infinities(values: Array) -> set[float]:
    """Those of inf and -inf that are among the outcomes."""
    return _INFINITIES[values.dtype.kind](values)


_INFINITIES: dict[str, Callable[[Array], set[float]]] = {  # by the letter of a numpy array
    "b": lambda values: set(),
    "i": lambda values: set(),
    "f": lambda values: set() if np.isfinite(values).all() else set(values[np.isinf(values)].tolist()),
    "O": lambda values: {v for v in values.tolist() if v in (math.inf, -math.inf)},
}
