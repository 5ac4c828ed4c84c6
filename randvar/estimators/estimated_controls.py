"""Control variates whose coefficient is estimated from draws: from the same ones, which biases, or from others.

The estimates cancel, so that floats miss the coincidences of samples. In a float law of few samples whose outcomes are
simple fractions they are computed in fractions, and rounded once; else outcomes are one within the rounding of the
formula: with d = h - mean(h), V = sum d^2 and u = (n + 4) eps, the error of b is at most about

    (sum |f| u max|h| + u sum |f d| + |b| (2 u max|h| sum |d| + u V)) / V.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from randvar.arguments import all_of, checked, coefficient, one_of
from randvar.atoms.outcomes import Axis
from randvar.context import OR_MORE, check_budget, check_draws
from randvar.errors import RandvarError
from randvar.estimators.sampling_distribution import sampling_distribution
from randvar.estimators.symmetry import blind_to_order
from randvar.joint import Joint
from randvar.law import Law, computed_law
from randvar.law_arguments import a_joint, count, finite, numeric
from randvar.numbers.arrays import EPS, OP_ULPS, Array, object_array
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, FRACTIONS
from randvar.numbers.nearest import simple_fraction
from randvar.numbers.overflow import within_floats
from randvar.sums.multinomial import rounding_of_masses
from randvar.sums.multisets import multiset_chunks, multiset_count
from randvar.var import Var

__all__ = ["estimated_control"]

_FEW = 2**17  # draws in all samples that fractions take a second or two for
_SIMPLE = 10**4  # the largest denominator of what is taken for a fraction
_CHANCE = 1e-5  # that a random number is


@checked(
    pair=all_of(a_joint, numeric, finite),
    steps=partial(count, least=2),
    known_mean=coefficient,
    how=one_of("same", "split", "leave_one_out"),
)
def estimated_control(
    pair: Joint,
    steps: int,
    known_mean: Any = 0,
    how: Literal["same", "split", "leave_one_out"] = "same",
) -> Var:
    """Law of mean(F) - b (mean(H) - known_mean) over n = `steps` draws of (F, H), b estimated as Cov/Var of draws.

    >>> from randvar.coupling import shared
    >>> from randvar.moments import expect
    >>> die = Var([1, 2, 3, 4, 5, 6], [Fraction(1, 6)] * 6)
    >>> pair = shared(die).op(lambda a: a * a, lambda a: a)
    >>> [expect(estimated_control(pair, 3, Fraction(7, 2), how)) - Fraction(91, 6) for how in ("same", "split")]
    [Fraction(-7955, 5187), Fraction(0, 1)]

    "same": b from the same n draws, the regression estimator; biased by O(1/n), since b and mean(H) are dependent.
    "split": each half with the b of the other half. "leave_one_out": draw i with the b of the n - 1 others. Both are
    unbiased when known_mean is E[H]. Where H does not vary among the draws that b is estimated from, b is 0.

    Raises RandvarError for steps < 2 or another `how`, and where floats cannot tell b (draws of H that hardly differ);
    SupportTooLarge for more samples than the budget.
    Cost: one evaluation a multiset of n draws (for "split", a pair of multisets of n/2).
    Source: Owen, Monte Carlo theory, methods and examples, section 8.9; Avramidis & Wilson 1993 (splitting).
    """
    with within_floats("estimated_control: an estimate"):
        if how == "split":
            return _split(pair, steps, known_mean)
        return _ALL_SAMPLES[pair.source.numbers](pair, steps, known_mean, how)


def _exactly(pair: Joint, n: int, known_mean: Any, how: str) -> Var:
    """The law of a statistic, as any other."""
    estimate = _same if how == "same" else _leave_one_out

    def statistic(samples: Array) -> Array:
        f, h = samples[..., 0].astype(object), samples[..., 1].astype(object)
        return estimate(_EXACT, f, h, known_mean)[0]

    return sampling_distribution(blind_to_order(statistic), pair, n, vectorized=True)


class _Given(NamedTuple):
    """F, H and the known mean, from the least of H, and the least of F: in floats F is counted from there as well."""

    by: _Exact
    f: Array
    h: Array
    known_mean: Any
    origin: Any
    size: float = 0.0  # of the known mean as it was given, a float


def _in_floats(pair: Joint, n: int, known_mean: Any, how: str) -> Var:
    size = multiset_count(len(pair), n)
    check_budget(size, f"estimated_control of {n} draws", OR_MORE)
    check_draws(size, n, "estimated_control")
    given = _few_fractions(pair, known_mean, size * n * (1 if how == "same" else n))
    estimate = _same if how == "same" else _leave_one_out
    found = [
        (*estimate(given.by, given.f[i], given.h[i], given.known_mean), masses)
        for i, masses in multiset_chunks(pair.weights, n)
    ]
    values, roundings, slopes, masses = (np.concatenate(part) for part in zip(*found, strict=True))
    return Var.of(_rounded_law(values, roundings, slopes, masses, given, pair.source, n))


def _rounded_law(
    values: Array, roundings: Array, slopes: Array, masses: Array, given: _Given, source: Any, n: int
) -> Law:
    """Outcomes of a float law: fractions are rounded, floats merged within their roundings.

    The known mean stands for every number within a few ulp, which moves all outcomes by b times as much.
    """
    axis = Axis.of((values + given.origin).astype(float))
    near = np.maximum(axis.tolerance(masses), roundings + 2 * EPS * abs(given.origin))
    warrant = source.warrant.copies(n).through(None).rounded(rounding_of_masses(masses, n))
    blur = OP_ULPS * EPS * given.size * float(np.sum(slopes.astype(float) * masses))
    return Law.of([replace(axis, radius=near)], masses, 1.0, FLOATS, warrant, [near]).blurred(blur)


def _exact_law(values: Array, _: Array, __: Array, masses: Array, given: _Given, source: Any, n: int) -> Law:
    numbers, warrant = source.numbers, source.warrant.copies(n).through(None)
    return computed_law([Axis.of(values)], numbers.weighed(masses.tolist())[0], numbers, warrant)


def _as_they_are(pair: Joint, known_mean: Any, _: int) -> _Given:
    """Of an exact law."""
    f, h = (column.astype(object) for column in pair.columns)
    return _Given(_EXACT, f, h, known_mean, 0)


def _few_fractions(pair: Joint, known_mean: Any, cells: int) -> _Given:
    """Fractions where the floats are simple fractions and there are few cells; else floats."""
    if cells <= _FEW:
        exact = [_fractions(column) for column in (*pair.columns, np.array([float(known_mean)]))]
        if all(column is not None for column in exact):
            return _Given(_EXACT, exact[0], exact[1], exact[2][0], 0)  # type: ignore[index, arg-type]
    f, h = (column.astype(float) for column in pair.columns)
    return _Given(
        _ROUNDED, f - f.min(), h - h.min(), float(known_mean) - float(h.min()), float(f.min()), abs(float(known_mean))
    )


def _fractions(column: Array) -> Array | None:
    """The column as the Fractions that its numbers stand for, if they all stand for one."""
    fractions = [Fraction(v) if isinstance(v, int) else _fraction(float(v)) for v in column.tolist()]
    return None if any(v is None for v in fractions) else object_array(fractions)


def _fraction(v: float) -> Fraction | None:
    """A fraction p/q that chance would rarely put within an ulp of v."""
    fraction = Fraction(v) if v.is_integer() else simple_fraction(v, _SIMPLE)
    believed = fraction is not None and (fraction == v or fraction.denominator**2 * math.ulp(v) < _CHANCE)
    return fraction if believed else None


class _Exact:
    """Arithmetic of objects, which does not round."""

    numbers: Numbers = FRACTIONS

    def slope(self, f: Array, h: Array) -> tuple[Array, Array]:
        """Cov/Var of the draws along the last axis, 0 where all h are equal; and how far it may be off."""
        slope = self._slope(f, h)[0]
        return slope, np.zeros(slope.shape)

    def difference(
        self, f: Array, h: Array, slope: tuple[Array, Array], known_mean: Any, n: int
    ) -> tuple[Array, Array, Array]:
        """f - b (h - known_mean), how far it may be off, and the size of b."""
        values = np.asarray(f - slope[0] * (h - known_mean))
        return values, np.zeros(values.shape), np.zeros(values.shape)

    def mean(self, draws: Array) -> Array:
        """Along the last axis."""
        return self.numbers.divided(draws.sum(axis=-1), draws.shape[-1])

    def _slope(self, f: Array, h: Array) -> tuple[Array, Array, Array, Array]:
        """The slope, the distances of h from its mean, the sum of their squares, and where all are equal."""
        from_mean = h - self.mean(h)[..., None]
        constant = np.asarray(np.asarray(h == h[..., :1], dtype=bool).all(axis=-1))
        spread = np.where(constant, 1, (from_mean * from_mean).sum(axis=-1))
        slope = np.asarray(np.where(constant, 0, (f * from_mean).sum(axis=-1) / spread))
        return slope, from_mean, spread, constant


class _Rounded(_Exact):
    """Arithmetic of floats, with the rounding that the head of this file counts."""

    numbers = FLOATS

    def slope(self, f: Array, h: Array) -> tuple[Array, Array]:
        """Where all h are equal, floats too are equal to the last bit."""
        slope, from_mean, spread, constant = self._slope(f, h)
        unit = (h.shape[-1] + 4) * EPS
        shift = unit * np.abs(h).max(axis=-1)
        distances = np.abs(from_mean)
        doubt = 2 * shift * distances.sum(axis=-1) + unit * spread
        if bool((~constant & (doubt > spread / 4)).any()):
            raise RandvarError(
                "estimated_control: draws of H differ by no more than their rounding, so that floats cannot tell the"
                " coefficient; use Fractions (pair.rational())"
            )
        above = shift * np.abs(f).sum(axis=-1) + unit * (np.abs(f) * distances).sum(axis=-1)
        return slope, np.where(constant, 0.0, (above + np.abs(slope) * doubt) / spread)

    def difference(
        self, f: Array, h: Array, slope: tuple[Array, Array], known_mean: Any, n: int
    ) -> tuple[Array, Array, Array]:
        """With the rounding of the terms, and that of b."""
        b, doubt = slope
        sizes = np.abs(f) + np.abs(b) * (np.abs(h) + abs(known_mean))
        values = np.asarray(f - b * (h - known_mean))
        return values, (n + 4) * EPS * sizes + doubt * np.abs(h - known_mean), np.abs(b) + 0 * values


_EXACT, _ROUNDED = _Exact(), _Rounded()


def _same(by: _Exact, f: Array, h: Array, known_mean: Any) -> tuple[Array, Array, Array]:
    return by.difference(by.mean(f), by.mean(h), by.slope(f, h), known_mean, f.shape[-1])


def _leave_one_out(by: _Exact, f: Array, h: Array, known_mean: Any) -> tuple[Array, Array, Array]:
    n = h.shape[-1]
    slopes = [by.slope(np.delete(f, i, axis=-1), np.delete(h, i, axis=-1)) for i in range(n)]
    b, doubt = (np.stack(part, axis=-1) for part in zip(*slopes, strict=True))
    terms, roundings, sizes = by.difference(f, h, (b, doubt), known_mean, n)
    return by.mean(terms), roundings.mean(axis=-1), sizes.mean(axis=-1)


def _split(pair: Joint, n: int, known_mean: Any) -> Var:
    """Sum over the halves of share * (mean(F) - b of the other half * (mean(H) - known_mean))."""
    sizes = n // 2, n - n // 2
    rows = [multiset_count(len(pair), m) for m in sizes]
    check_budget(rows[0] * rows[1], 'estimated_control with how="split"', OR_MORE)
    read, law = _SPLIT[pair.source.numbers]
    given = read(pair, known_mean, rows[0] * rows[1])
    by, center = given.by, given.known_mean
    (f1, h1, b1, p1), (f2, h2, b2, p2) = (_half(given, pair.weights, m) for m in sizes)
    first, rounding1, slope1 = by.difference(f1[:, None], h1[:, None], b2, center, n)
    second, rounding2, slope2 = by.difference(f2, h2, (b1[0][:, None], b1[1][:, None]), center, n)
    w1, w2 = (by.numbers.quotient(m, n) for m in sizes)
    values, masses = (w1 * first + w2 * second).ravel(), np.multiply.outer(p1, p2).ravel()
    roundings = (rounding1 * float(w1) + rounding2 * float(w2)).ravel()
    slopes = (slope1 * float(w1) + slope2 * float(w2)).ravel()
    return Var.of(law(values, roundings, slopes, masses, given, pair.source, n))


def _half(given: _Given, weights: Array, m: int) -> tuple[Array, Array, tuple[Array, Array], Array]:
    """mean(F), mean(H), b with its rounding, and the mass of every multiset of m draws."""
    parts = list(multiset_chunks(weights, m))
    indices, masses = np.concatenate([i for i, _ in parts]), np.concatenate([p for _, p in parts])
    f, h = given.f[indices], given.h[indices]
    return given.by.mean(f), given.by.mean(h), given.by.slope(f, h), masses


_ALL_SAMPLES = {FLOATS: _in_floats, FRACTIONS: _exactly, EXPRESSIONS: _exactly}
_SPLIT: dict[Numbers, tuple[Callable[..., _Given], Callable[..., Law]]] = {
    # how the numbers are read, and the law of what is computed of them
    FLOATS: (_few_fractions, _rounded_law),
    FRACTIONS: (_as_they_are, _exact_law),
    EXPRESSIONS: (_as_they_are, _exact_law),
}
