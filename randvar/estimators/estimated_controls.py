"""Control variates whose coefficient is estimated from draws: from the same ones, which biases, or from others.

The estimates cancel, so that floats miss the coincidences of samples. In a float law of few samples whose outcomes are
simple fractions they are computed in fractions, and rounded once; else outcomes are one within the rounding of the
formula: with d = h - mean(h), V = sum d^2 and u = (n + 4) eps, the error of b is at most about

    (sum |f| u max|h| + u sum |f d| + |b| (2 u max|h| sum |d| + u V)) / V.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any, Literal

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
from randvar.numbers.arrays import EPS, Array, object_array
from randvar.numbers.kinds import FLOATS
from randvar.numbers.nearest import simple_fraction
from randvar.numbers.overflow import within_floats
from randvar.sums.multisets import multiset_chunks, multiset_count
from randvar.var import Var
from randvar.warrant import Warrant

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
        if not pair.source.numbers.exact:
            return _in_floats(pair, steps, known_mean, how)
    estimate = _same if how == "same" else _leave_one_out

    def statistic(samples: Array) -> Array:
        return estimate(samples[..., 0].astype(object), samples[..., 1].astype(object), known_mean)[0]

    return sampling_distribution(blind_to_order(statistic), pair, steps, vectorized=True)


def _in_floats(pair: Joint, n: int, known_mean: Any, how: str) -> Var:
    size = multiset_count(len(pair), n)
    check_budget(size, f"estimated_control of {n} draws", OR_MORE)
    check_draws(size, n, "estimated_control")
    f, h, known_mean, origin = _numbers(pair, known_mean, size * n * (1 if how == "same" else n))
    estimate = _same if how == "same" else _leave_one_out
    parts = [(*estimate(f[i], h[i], known_mean), masses) for i, masses in multiset_chunks(pair.weights, n)]
    values, roundings, masses = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Var.of(_merged(values, roundings, masses, origin, pair.source.warrant.copies(n)))


def _merged(values: Array, roundings: Array, masses: Array, origin: Any, warrant: Warrant) -> Law:
    """Outcomes of a float law: fractions are rounded, floats merged within their roundings."""
    axis = Axis.of((values + origin).astype(float))
    near = axis.numbers.tolerance(axis.values, masses)
    if values.dtype != object:
        near = np.maximum(near, roundings + 2 * EPS * np.abs(origin))
    return Law.of([axis], masses, 1.0, FLOATS, warrant, [near])


def _numbers(pair: Joint, known_mean: Any, cells: int) -> tuple[Array, Array, Any, Any]:
    """F, H and the known mean, from the least of H, and the least of F: F is counted from there as well.

    Fractions where the law is exact, or where the floats are simple fractions and there are few cells; else floats.
    """
    f, h = (column.astype(object if pair.source.numbers.exact else float) for column in pair.columns)
    if pair.source.numbers.exact:
        return f, h, known_mean, 0
    if cells <= _FEW:
        exact = [_fractions(column) for column in (*pair.columns, np.array([float(known_mean)]))]
        if all(column is not None for column in exact):
            return exact[0], exact[1], exact[2][0], Fraction(0)  # type: ignore[index, return-value]
    return f - f.min(), h - h.min(), float(known_mean) - float(h.min()), float(f.min())


def _fractions(column: Array) -> Array | None:
    """The column as the Fractions that its numbers stand for, if they all stand for one."""
    fractions = [Fraction(v) if isinstance(v, int) else _fraction(float(v)) for v in column.tolist()]
    return None if any(v is None for v in fractions) else object_array(fractions)


def _fraction(v: float) -> Fraction | None:
    """A fraction p/q that chance would rarely put within an ulp of v."""
    fraction = Fraction(v) if v.is_integer() else simple_fraction(v, _SIMPLE)
    believed = fraction is not None and (fraction == v or fraction.denominator**2 * math.ulp(v) < _CHANCE)
    return fraction if believed else None


def _mean(draws: Array) -> Array:
    """Along the last axis; exact for exact numbers, where int / int would not be."""
    n = draws.shape[-1]
    return np.asarray(draws.sum(axis=-1) / (Fraction(n) if draws.dtype == object else n))


def _slope(f: Array, h: Array) -> tuple[Array, Array]:
    """Cov/Var of the draws along the last axis, 0 where all h are equal (floats too are then equal to the last bit).

    And how far it may be off in floats.
    """
    from_mean = h - _mean(h)[..., None]
    constant = np.asarray(h == h[..., :1], dtype=bool).all(axis=-1)
    spread = np.where(constant, 1, (from_mean * from_mean).sum(axis=-1))
    slope = np.asarray(np.where(constant, 0, (f * from_mean).sum(axis=-1) / spread))
    if f.dtype == object:
        return slope, np.zeros(slope.shape)
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


def _difference(f: Array, h: Array, slope: tuple[Array, Array], known_mean: Any, n: int) -> tuple[Array, Array]:
    """f - b (h - known_mean), and how far it may be off in floats."""
    b, doubt = slope
    values = np.asarray(f - b * (h - known_mean))
    if f.dtype == object:
        return values, np.zeros(values.shape)
    unit = (n + 4) * EPS
    sizes = np.abs(f) + np.abs(b) * (np.abs(h) + abs(known_mean))
    return values, unit * sizes + doubt * np.abs(h - known_mean)


def _same(f: Array, h: Array, known_mean: Any) -> tuple[Array, Array]:
    return _difference(_mean(f), _mean(h), _slope(f, h), known_mean, f.shape[-1])


def _leave_one_out(f: Array, h: Array, known_mean: Any) -> tuple[Array, Array]:
    n = h.shape[-1]
    slopes = [_slope(np.delete(f, i, axis=-1), np.delete(h, i, axis=-1)) for i in range(n)]
    b, doubt = (np.stack(part, axis=-1) for part in zip(*slopes, strict=True))
    terms, roundings = _difference(f, h, (b, doubt), known_mean, n)
    return _mean(terms), roundings.mean(axis=-1)


def _split(pair: Joint, n: int, known_mean: Any) -> Var:
    """Sum over the halves of share * (mean(F) - b of the other half * (mean(H) - known_mean))."""
    sizes = n // 2, n - n // 2
    rows = [multiset_count(len(pair), m) for m in sizes]
    check_budget(rows[0] * rows[1], 'estimated_control with how="split"', OR_MORE)
    f, h, known_mean, origin = _numbers(pair, known_mean, rows[0] * rows[1])
    (f1, h1, b1, p1), (f2, h2, b2, p2) = (_half(f, h, pair.weights, m) for m in sizes)
    first, rounding1 = _difference(f1[:, None], h1[:, None], b2, known_mean, n)
    second, rounding2 = _difference(f2, h2, (b1[0][:, None], b1[1][:, None]), known_mean, n)
    w1, w2 = (Fraction(m, n) if f.dtype == object else m / n for m in sizes)
    values, masses = (w1 * first + w2 * second).ravel(), np.multiply.outer(p1, p2).ravel()
    if not pair.source.numbers.exact:
        roundings = (rounding1 * float(w1) + rounding2 * float(w2)).ravel()
        return Var.of(_merged(values, roundings, masses, origin, pair.source.warrant.copies(n)))
    numbers = pair.source.numbers
    return Var.of(
        computed_law([Axis.of(values)], numbers.weighed(masses.tolist())[0], numbers, pair.source.warrant.copies(n))
    )


def _half(f: Array, h: Array, weights: Array, m: int) -> tuple[Array, Array, tuple[Array, Array], Array]:
    """mean(F), mean(H), b with its rounding, and the mass of every multiset of m draws."""
    parts = list(multiset_chunks(weights, m))
    indices, masses = np.concatenate([i for i, _ in parts]), np.concatenate([p for _, p in parts])
    return _mean(f[indices]), _mean(h[indices]), _slope(f[indices], h[indices]), masses
