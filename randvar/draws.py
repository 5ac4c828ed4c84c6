"""Sums of independent draws: moments in closed form, the law when it is first read.

Sums, means, stratified means, differences of groups and scale * X + shift are all shift + sum_j scale_j * (sum of
copies_j draws), with every draw independent. Cumulants add: k_r = sum_j copies_j scale_j^r k_r(law_j), plus the shift
for r = 1 (Kendall & Stuart, vol. 1, section 3.12).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.atoms.outcomes import Axis
from randvar.law import Law, Source, numbers_of
from randvar.lazy import Lazy, no_log_probability
from randvar.numbers.arrays import EPS, LARGEST_WHOLE, OP_ULPS, Array
from randvar.numbers.base import Numbers
from randvar.numbers.checks import check_symbols
from randvar.numbers.kinds import FLOATS, kind_of, meet
from randvar.sums.door import independent_sum, log_probability
from randvar.sums.group import Group
from randvar.warrant import Warrant

__all__ = ["Draws", "Sum", "log_probability_or_refusal", "magnitude", "mean_radius"]


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The sum of `copies` independent draws, times `scale`."""

    source: Source
    copies: int
    scale: Any = 1


class Sum(Lazy):
    """The source of shift + the sum of all draws."""

    def __init__(self, draws: Iterable[Draws], shift: Any = 0) -> None:
        self.draws, self.shift = _taken_apart(draws, shift)
        self.numbers = numbers_of([d.source for d in self.draws])
        self.dim = self.draws[0].source.dim
        super().__init__()

    @functools.cached_property
    def field(self) -> Numbers:  # type: ignore[override]
        """The kind of its moments: where those of the draws, the scales and the shift meet."""
        return meet(*(d.source.field for d in self.draws), self.constants)

    @functools.cached_property
    def constants(self) -> Numbers:
        """The kind of the scales and the shift."""
        return kind_of([self.shift, *[d.scale for d in self.draws]])

    def stated(self) -> Warrant:
        """Those of every draw."""
        return Warrant.of_draws((d.source.warrant, d.copies) for d in self.draws)

    # -- moments -----------------------------------------------------------------------------------------------------

    def closed_form(self, order: int) -> tuple[Any, ...]:
        """k_r = sum_j copies_j * scale_j^r * k_r(law_j). Cost: O(number of terms), whatever the number of copies."""
        known = [(d.copies, d.scale, d.source.cumulants(order)) for d in self.draws if d.copies]
        orders = [_sum_or_nan((n, a, r, k[r - 1]) for n, a, k in known) for r in range(1, order + 1)]
        return (orders[0] + self.shift, *orders[1:])

    def mean_vector(self) -> Array:
        """copies * scale * E of each coordinate of a draw."""
        if self.dim == 1:
            return super().mean_vector()
        (d,) = self.draws
        return _each_times(d.source.mean_vector(), d.copies * d.scale)

    def covariance_matrix(self) -> Array:
        """copies * scale^2 * Cov of a draw."""
        if self.dim == 1:
            return super().covariance_matrix()
        (d,) = self.draws
        return _each_times(d.source.covariance_matrix(), d.copies * d.scale**2)

    # -- the law -----------------------------------------------------------------------------------------------------

    def listed(self) -> Law:
        """From the rooms of `sums`. Raises SupportTooLarge past the budget."""
        laws = [d.source.law() for d in self.draws]
        if self._is_one_draw:
            return laws[0].moved(_whole(self.draws[0].scale), _whole(self.shift))
        warrants = [(x.warrant, d.copies) for x, d in zip(laws, self.draws, strict=True)]
        if self.dim > 1:
            return self._listed_rows(laws[0], Warrant.of_draws(warrants))
        outcomes = meet(*[x.axes[0].numbers for x in laws], self.constants)
        found = independent_sum(self._groups(laws), self.numbers, outcomes)
        warrant = Warrant.of_draws(warrants)
        if found.accuracy:
            warrant = warrant.and_of(Warrant(accuracy=found.accuracy))
        if found.ascending:
            law = Law.in_order(found.outcomes, found.weights, found.mass, self.numbers, warrant)
        else:
            law = Law.of([found.outcomes], found.weights, found.mass, self.numbers, warrant)
        blur = self._blur(laws, law)
        return law.blurred(blur) if blur else law

    def _blur(self, laws: Sequence[Law], law: Law) -> float:
        """How far the mean of the listed sum may be off: as the draws are, and by the rounding of terms that cancel."""
        given = sum(d.copies * abs(float(d.scale)) * x.blur for d, x in zip(self.draws, laws, strict=True) if x.blur)
        cancels = law.axes[0].numbers is FLOATS and (len(self.draws) > 1 or self.shift != 0)
        return given + (OP_ULPS * EPS * self._mean_size(laws) if cancels else 0.0)

    def _mean_size(self, laws: Sequence[Law]) -> float:
        """|shift| + sum_j n_j |scale_j| E|X_j|: no squares, which would leave the floats before a sum does."""
        sizes = (np.sum(np.abs(x.axes[0].values.astype(float)) * x.probs.astype(float)) for x in laws)
        terms = (d.copies * abs(float(d.scale)) * size for d, size in zip(self.draws, sizes, strict=True) if d.copies)
        return abs(float(self.shift)) + float(sum(terms))

    def _listed_rows(self, law: Law, warrant: Warrant) -> Law:
        (d,) = self.draws
        weights = self.numbers.normalised(*law.weights_in(self.numbers))
        columns = [Axis.of(_scaled(c.values, d.scale, exact=self.numbers.exact)) for c in law.columns]
        from randvar.sums.vectors import independent_rows  # late, for `import randvar` to stay quick

        found = independent_rows(columns, weights, d.copies, self.numbers)
        warrant = warrant.rounded(found.accuracy)
        return Law.of(found.columns, found.weights, found.mass, self.numbers, warrant, found.tolerances)

    def groups(self) -> list[Group]:
        """The draws as the rooms of `sums` take them: values scaled, weights of one kind, the shift certain."""
        return self._groups([d.source.law() for d in self.draws])

    def _groups(self, laws: Sequence[Law]) -> list[Group]:
        exact, groups = self.numbers.exact, []
        for d, law in zip(self.draws, laws, strict=True):
            weights = self.numbers.normalised(*law.weights_in(self.numbers))
            values = law.axes[0].values
            groups.append(Group(_scaled(values, d.scale, exact=exact) if d.copies else values, weights, d.copies))
        if self.shift != 0 or not groups:
            groups.append(Group(Axis.of([_whole(self.shift)]).values, self.numbers.weighed([1])[0], 1))
        return groups

    def cdf(self, value: Any) -> Any:
        """P(X <= value) by meeting in the middle."""
        from randvar.sums.cdf import distribution_function

        part, mass = distribution_function(self.groups(), value)
        return self.numbers.share(part, mass)

    def underflows(self) -> bool:
        """Whether the least likely combination of draws does; of one draw nothing is multiplied."""
        return not self._is_one_draw and self.numbers.underflows([(d.source.law().probs, d.copies) for d in self.draws])

    @property
    def _is_one_draw(self) -> bool:
        return len(self.draws) == 1 and self.draws[0].copies == 1

    def log_prob(self, value: Any, slack: float = 0.0) -> float:
        """log P(X = value), also where P underflows."""
        if self._is_one_draw:
            return self._log_prob_of_one(value, slack)
        if any(d.copies and d.source.law().warrant.underflow for d in self.draws):
            raise no_log_probability(value, "outcomes of a draw that hardly ever happen are not listed")
        if not self.underflows():
            return -math.inf
        return log_probability_or_refusal(self.groups(), value, slack)

    def _log_prob_of_one(self, value: Any, slack: float) -> float:
        (d,) = self.draws
        if d.scale == 0:
            return -math.inf
        if not isinstance(d.source, Lazy):
            return super().log_prob(value, slack)
        rounding = 4 * EPS * float(abs(value) + abs(self.shift))
        return d.source.log_prob((value - self.shift) / d.scale, (slack + rounding) / abs(float(d.scale)))


def log_probability_or_refusal(groups: Sequence[Group], value: Any, slack: float = 0.0) -> float:
    """log P(sum of draws in floats = value), also where P underflows. Raises RandvarError where it cannot be told."""
    told = log_probability(groups, value, slack)
    if told is None:
        raise no_log_probability(value, "the outcomes lie on no lattice")
    return told


def magnitude(source: Source) -> float:
    """A bound on E|X| that counts what cancels: |shift| + sum_j |scale_j| n_j sqrt(E[X_j^2]); what rounding acts on."""
    if isinstance(source, Sum):
        terms = (d.copies * abs(float(d.scale)) * magnitude(d.source) for d in source.draws if d.copies)
        return abs(float(source.shift)) + sum(terms)
    mean, spread = source.cumulants(2)[:2]
    return math.sqrt(float(mean) ** 2 + float(spread))


def mean_radius(source: Source) -> float:
    """A bound on the mean error of outcomes in whose computation rounding was magnified, beyond a few ulp of each."""
    if isinstance(source, Sum):
        return sum(d.copies * abs(float(d.scale)) * mean_radius(d.source) for d in source.draws if d.copies)
    radius = source.axes[0].radius if isinstance(source, Law) else None
    return 0.0 if radius is None else float(np.sum(radius * source.law().probs))


def _taken_apart(draws: Iterable[Draws], shift: Any) -> tuple[tuple[Draws, ...], Any]:
    """The draws with a sum among them taken apart, so that a mean of means is one sum; and the whole shift.

    Parts that contribute nothing (no copies, or scale 0) are left out, but for one where there is no other: it says of
    which kind 0 is.
    """
    parts: dict[tuple[int, Any], Draws] = {}
    for d in draws:
        scale = _exact(d.scale, d.source.numbers)
        taken = [(d.source, d.copies, scale)]
        if isinstance(d.source, Sum) and d.source.dim == 1:
            shift = shift + _times(d.source.shift, d.copies * scale)
            taken = [(e.source, d.copies * e.copies, scale * e.scale) for e in d.source.draws]
        for source, copies, factor in taken:
            key = id(source), factor
            known = parts.get(key)
            parts[key] = Draws(source, copies + known.copies if known else copies, factor)
    kept = [d for d in parts.values() if d.copies and d.scale != 0]
    return tuple(kept or [Draws(d.source, 0, d.scale) for d in itertools.islice(parts.values(), 1)]), shift


def _exact(scale: Any, numbers: Numbers) -> Any:
    """An int, or a float beside a float law, as the Fraction it is, so that products of scales do not round.

    A float beside an exact law stays one: the outcomes become floats, and nothing is proved of them.
    """
    if isinstance(scale, (int, Fraction)):
        return scale if type(scale) is Fraction else Fraction(scale)
    check_symbols(numbers, scale)
    return numbers.factor(scale)


def _whole(number: Any) -> Any:
    """An integral Fraction as the int it is, so that whole outcomes stay whole."""
    return number.numerator if isinstance(number, Fraction) and number.denominator == 1 else number


def _sum_or_nan(terms: Iterable[tuple[int, Any, int, Any]]) -> Any:
    """The sum of all n a^r k; NaN where it leaves the range of floats, as the cumulants of floats."""
    try:
        return sum(itertools.starmap(_term, terms))
    except OverflowError:
        return math.nan


def _term(n: int, a: Any, r: int, k: Any) -> Any:
    """n * a^r * k, of Fractions with one reduction."""
    if type(a) is not Fraction:
        return _times(k, n * a**r)
    over, under = n * a.numerator**r, a.denominator**r
    return (
        Fraction(over * k.numerator, under * k.denominator) if type(k) is Fraction else _times(k, Fraction(over, under))
    )


def _times(number: Any, factor: Any) -> Any:
    """number * factor, for a float number with one rounding for each part of the fraction."""
    if not isinstance(number, (float, np.ndarray)) or not isinstance(factor, Fraction):
        return number * factor
    if max(abs(factor.numerator), factor.denominator) <= LARGEST_WHOLE:
        return number * factor.numerator / factor.denominator
    return number * float(factor)


def _each_times(numbers: Array, factor: Fraction) -> Array:
    return np.asarray(numbers * factor if numbers.dtype == object else _times(numbers, factor))


def _scaled(values: Array, scale: Any, *, exact: bool) -> Array:
    """values * scale: exact numbers stay so; floats are rounded once for each part of the fraction."""
    if scale == 1:
        return values
    if values.dtype.kind == "f" and isinstance(scale, Fraction):
        return np.asarray(_times(values, scale))
    whole = _whole(scale)
    if values.dtype.kind == "i":
        if type(whole) is Fraction:
            over, unit = whole.numerator, whole.denominator
            return np.array([Fraction(v * over, unit) for v in values.tolist()], dtype=object)
        return Axis.of([v * whole for v in values.tolist()]).values
    return Axis.of([_times(v, whole) for v in values.tolist()]).values
