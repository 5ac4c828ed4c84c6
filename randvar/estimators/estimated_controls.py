"""Control variates whose coefficient is estimated from draws: from the same ones, which biases, or from others."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np

from randvar.engine.arguments import budget, choice, coefficient
from randvar.engine.atoms import Array, canonical
from randvar.engine.budget import MAX_ATOMS, OR_MORE, check_budget
from randvar.engine.magnitude import within_floats
from randvar.engine.multisets import multiset_chunks, multiset_count
from randvar.estimators.arguments import a_joint, check_finite, count
from randvar.estimators.sampling_distribution import sampling_distribution
from randvar.joint import Joint
from randvar.moments import check_numeric
from randvar.var import Var

__all__ = ["estimated_control"]


def estimated_control(
    pair: Joint,
    steps: int,
    known_mean: Any = 0,
    how: Literal["same", "split", "leave_one_out"] = "same",
    *,
    max_atoms: int = MAX_ATOMS,
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

    Raises RandvarError for steps < 2 or another `how`, SupportTooLarge past `max_atoms` samples.
    Cost: one evaluation a multiset of n draws (for "split", a pair of multisets of n/2).
    Source: Owen, Monte Carlo theory, methods and examples, section 8.9; Avramidis & Wilson 1993 (splitting).
    """
    a_joint("estimated_control", "pair", pair)
    check_numeric("estimated_control", pair)
    check_finite("estimated_control", pair)
    steps = count("estimated_control", "steps", steps, least=2)
    known_mean = coefficient("estimated_control", "known_mean", known_mean)
    choice("estimated_control", "how", how, ("same", "split", "leave_one_out"))
    if how == "split":
        with within_floats("estimated_control: an estimate"):
            return _split(pair, steps, known_mean, max_atoms)
    estimate = _same if how == "same" else _leave_one_out
    numbers = _numbers(pair)

    def statistic(samples: Array) -> Array:
        return estimate(samples[..., 0].astype(numbers), samples[..., 1].astype(numbers), known_mean)

    return sampling_distribution(statistic, pair, steps, symmetric=True, vectorized=True, max_atoms=max_atoms)


def _numbers(pair: Joint) -> type:
    """Python numbers for an exact law, floats for a float one."""
    return float if pair.kind == "float" else object


def _mean(draws: Array) -> Array:
    """Along the last axis; exact for exact numbers, where int / int would not be."""
    n = draws.shape[-1]
    return np.asarray(draws.sum(axis=-1) / (Fraction(n) if draws.dtype == object else n))


def _slope(f: Array, h: Array) -> Array:
    """Cov/Var of the draws along the last axis, 0 where all h are equal (floats too are then equal to the last bit)."""
    from_mean = h - _mean(h)[..., None]
    constant = np.asarray(h == h[..., :1], dtype=bool).all(axis=-1)
    spread = np.where(constant, 1, (from_mean * from_mean).sum(axis=-1))
    return np.asarray(np.where(constant, 0, (f * from_mean).sum(axis=-1) / spread))


def _same(f: Array, h: Array, known_mean: Any) -> Array:
    return np.asarray(_mean(f) - _slope(f, h) * (_mean(h) - known_mean))


def _leave_one_out(f: Array, h: Array, known_mean: Any) -> Array:
    slopes = [_slope(np.delete(f, i, axis=-1), np.delete(h, i, axis=-1)) for i in range(h.shape[-1])]
    return _mean(f - np.stack(slopes, axis=-1) * (h - known_mean))


def _split(pair: Joint, n: int, known_mean: Any, max_atoms: int) -> Var:
    """Sum over the halves of share * (mean(F) - b of the other half * (mean(H) - known_mean))."""
    sizes = n // 2, n - n // 2
    rows = [multiset_count(len(pair), m) for m in sizes]
    check_budget(rows[0] * rows[1], budget(max_atoms), 'estimated_control with how="split"', OR_MORE)
    (f1, h1, b1, p1), (f2, h2, b2, p2) = (_half(pair, m) for m in sizes)
    w1, w2 = (Fraction(m, n) if pair.kind != "float" else m / n for m in sizes)
    first = f1[:, None] - b2 * (h1 - known_mean)[:, None]
    second = f2 - b1[:, None] * (h2 - known_mean)
    atoms = canonical((w1 * first + w2 * second).ravel(), np.multiply.outer(p1, p2).ravel(), rounded=True)
    return Var._of(*atoms, pair._stated().times(n))


def _half(pair: Joint, m: int) -> tuple[Array, Array, Array, Array]:
    """mean(F), mean(H), b and the mass of every multiset of m draws."""
    f: Array
    h: Array
    f, h = (column.astype(_numbers(pair)) for column in pair.columns)
    parts = list(multiset_chunks(pair.weights, m))
    indices, masses = np.concatenate([i for i, _ in parts]), np.concatenate([p for _, p in parts])
    return _mean(f[indices]), _mean(h[indices]), _slope(f[indices], h[indices]), masses
