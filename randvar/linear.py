"""Linear combinations of independent draws: moments in closed form, the law when it is first read.

Sums, means, stratified means and differences of groups are all c + sum_j a_j (X_j1 + ... + X_jn_j) with every draw
independent. Cumulants add: k_r = sum_j n_j a_j^r k_r(X_j), plus c for r = 1 (Kendall & Stuart, vol. 1, section 3.12).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.atoms.outcomes import outcome_array
from randvar.errors import RandvarError, one_line
from randvar.numbers.arrays import Array, is_numeric
from randvar.numbers.kinds import Kind, certainty, check_symbols, common_kind
from randvar.sources import Caveats
from randvar.sums.door import Draws, can_underflow, distribution_function, independent_sum, log_probability
from randvar.var import Var, check_together, kind_together

__all__ = ["LinearCombination", "Summand", "linear_combination", "magnitude"]

_EXACT_FLOAT = 2**53  # whole numbers up to it are floats


@dataclass(frozen=True)
class Summand:
    """`copies` independent draws of `law`, their sum multiplied by `scale`."""

    law: Var
    copies: int
    scale: Any


class LinearCombination:
    """The source (see `randvar.sources.Source`) of shift + sum_j scale_j * (sum of copies_j draws of law_j)."""

    def __init__(self, terms: Sequence[Summand], shift: Any) -> None:
        self.terms = tuple(terms)
        self.shift = shift

    @property
    def kind(self) -> Kind:
        """That of its terms."""
        return kind_together([t.law for t in self.terms])

    def cumulants(self, order: int = 4) -> tuple[Any, ...]:
        """k_r = sum_j copies_j * scale_j^r * k_r(law_j). Cost: O(number of terms), whatever the number of copies."""
        moments = [(t.law._moments(order), t) for t in self.terms if t.copies]
        orders = [_sum_or_nan([(m[r - 1], t.copies * t.scale**r) for m, t in moments]) for r in range(1, order + 1)]
        return (orders[0] + self.shift, *orders[1:])

    def affine(self, scale: Any, shift: Any) -> LinearCombination:
        """The source of scale * X + shift."""
        scale = _exact(scale, self)
        terms = [Summand(t.law, t.copies if scale != 0 else 0, t.scale * scale) for t in self.terms]
        return LinearCombination(terms, _times(self.shift, scale) + shift)

    def atoms(self) -> tuple[Array, Array, float | None]:
        """The law, from the engine of sums. Raises SupportTooLarge past the budget."""
        return independent_sum(self.draws())

    def cdf(self, value: Any) -> Any:
        """P(X <= value) by meeting in the middle."""
        return distribution_function(self.draws(), value)

    def caveats(self) -> Caveats:
        """Those of every draw."""
        return Caveats.together(t.law._stated().times(t.copies) for t in self.terms)

    def underflows(self) -> bool:
        """Whether the least likely combination of draws does."""
        return can_underflow((t.law.probs, t.copies) for t in self.terms)

    def log_prob(self, value: Any) -> float:
        """log P(X = value), also where P underflows."""
        return log_probability(self.draws(), value) if self.underflows() else -math.inf

    def draws(self) -> list[Draws]:
        """The groups of draws as the engine takes them: values scaled, the shift as a draw that is certain."""
        masses = common_kind(*(t.law.probs for t in self.terms)) if self.terms else ()
        exact = any(mass.dtype == object for mass in masses)
        groups = [
            Draws(_scaled(t.law.values, t.scale, exact=exact) if t.copies else t.law.values, mass, t.copies)
            for t, mass in zip(self.terms, masses, strict=True)
        ]
        if self.shift != 0 or not groups:
            shift = _whole(self.shift)
            shift = shift if exact or isinstance(shift, int) else float(shift)
            groups.append(Draws(_as_outcomes([shift], exact=exact), certainty(exact=exact), 1))
        return groups


def linear_combination(parts: Iterable[tuple[Var, int, Any]], shift: Any = 0) -> Var:
    """The Var of shift + sum_j scale_j * (sum of copies_j independent draws of law_j), given (law, copies, scale).

    A part that is itself such a combination is taken apart, so that a mean of means is one sum. Parts that contribute
    nothing (no copies, or scale 0) are left out, but for one where there is no other: it says of which kind 0 is.
    Raises RandvarError for a float law beside an exact one.
    """
    terms: dict[tuple[int, Any], Summand] = {}
    for law, copies, scale in parts:
        inner, moved = _taken_apart(law, copies, _exact(scale, law))
        shift = shift + moved
        for term in inner:
            key = (id(term.law), term.scale)
            known = terms[key].copies if key in terms else 0
            terms[key] = Summand(term.law, known + term.copies, term.scale)
    kept = [t for t in terms.values() if t.copies and t.scale != 0]
    kept = kept or [Summand(t.law, 0, t.scale) for t in itertools.islice(terms.values(), 1)]
    check_together([t.law for t in kept])
    return Var._lazy(LinearCombination(kept, shift))


def magnitude(x: Var) -> float:
    """A bound on E|X| that counts what cancels: |shift| + sum_j |scale_j| n_j sqrt(E[X_j^2]); what rounding acts on."""
    if isinstance(x._source, LinearCombination):
        terms = (t.copies * abs(float(t.scale)) * magnitude(t.law) for t in x._source.terms if t.copies)
        return abs(float(x._source.shift)) + sum(terms)
    mean, spread = x._moments(2)[:2]
    return math.sqrt(float(mean) ** 2 + float(spread))


def _taken_apart(law: Var, copies: int, scale: Any) -> tuple[list[Summand], Any]:
    """The terms of scale * (sum of copies of the law), and what it adds to the shift."""
    source = law._source
    if not isinstance(source, LinearCombination):
        return [Summand(law, copies, scale)], 0
    terms = [Summand(t.law, copies * t.copies, scale * t.scale) for t in source.terms]
    return terms, _times(source.shift, copies * scale)


def _exact(scale: Any, law: Var | LinearCombination) -> Any:
    """A float or int scale as the Fraction it is, so that products of scales do not round.

    A float beside a rational law stays one: the outcomes become floats, and nothing is proved of them.
    """
    check_symbols(law.kind, scale)
    return Fraction(scale) if isinstance(scale, int if law.kind == "rational" else (int, float)) else scale


def _whole(number: Any) -> Any:
    """An integral Fraction as the int it is, so that whole outcomes stay whole."""
    return number.numerator if isinstance(number, Fraction) and number.denominator == 1 else number


def _sum_or_nan(products: Sequence[tuple[Any, Any]]) -> Any:
    """sum_i a_i b_i; NaN where it leaves the range of floats, as in `engine.cumulants`."""
    try:
        return sum((_times(a, b) for a, b in products), 0)
    except OverflowError:
        return math.nan


def _times(number: Any, factor: Any) -> Any:
    """number * factor, for a float number with one rounding for each part of the fraction."""
    if not isinstance(number, (float, np.ndarray)) or not isinstance(factor, Fraction):
        return number * factor
    if max(abs(factor.numerator), factor.denominator) <= _EXACT_FLOAT:
        return number * factor.numerator / factor.denominator
    return number * float(factor)


def _as_outcomes(numbers: list[Any], *, exact: bool) -> Array:
    """Outcomes of draws; in a float law Fractions and the like are floats."""
    outcomes = outcome_array(numbers)
    return outcomes if exact or is_numeric(outcomes) else _as_floats(outcomes)


def _as_floats(values: Array) -> Array:
    """Raises RandvarError for integers that no machine integer holds: floats would make one outcome of many."""
    large = [v for v in values.tolist() if isinstance(v, int) and abs(v) >= 2**63] if values.dtype == object else []
    if large:
        raise RandvarError(
            f"a sum in floats would round the whole number {one_line(large[0])}; x.rational() adds them exactly,"
            " x.op(float) makes floats of them"
        )
    return values.astype(float)


def _scaled(values: Array, scale: Any, *, exact: bool) -> Array:
    """values * scale: machine numbers in a float law, else exact ones; ints stay ints under an integral scale."""
    if isinstance(scale, Fraction) and scale.denominator == 1 and values.dtype.kind in "bi":
        return _as_outcomes([v * scale.numerator for v in values.tolist()], exact=exact)
    if exact or not isinstance(scale, Fraction):
        return outcome_array([_times(v, scale) for v in values.tolist()])
    return np.asarray(_times(_as_floats(values), scale))
