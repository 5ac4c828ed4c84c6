"""What a statistic of floats stands for: results in which rounding was magnified are computed again in finer numbers.

Cancellation leaves of 0 a rounding of what cancelled, and of one number two that differ by as much. No tolerance tells
them from numbers that are small: 1e-17 may be a result. So suspects, results nearer to 0 or to one another than draws
of this size could be told apart, are run again on the draws as they are meant (1/10 for 0.1), in long doubles. A result
that shrinks with the precision is 0; of the others the finer one is kept, rounded once, with what it was off by.

Where a few trials show that rounding is magnified throughout (a variance of timestamps), all results are suspects.
Single precision, which a statistic may make of its draws, is as it is: nothing finer comes out (`in_single_precision`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from randvar.atoms.outcomes import SHRUNK, Axis
from randvar.numbers.arrays import EPS, OP_ULPS, Array, is_numeric
from randvar.numbers.floats import FLOATS
from randvar.sums.grid import find_grid

__all__ = ["Refined", "as_meant", "in_single_precision", "meant", "merged_components", "refined", "refined_rows"]

_FINE = np.longdouble
_FINE_EPS = float(np.finfo(_FINE).eps)
_SUSPECT = 64  # roundings of the largest number
_FEW = 64  # results that Python looks through
_TRIED = 8  # results, to see whether rounding is magnified
_AGREED = 2.0**-20  # of a result: noise agrees with noise to no digit
_WORD = 2**62
_FLOATS = {float, np.float64, _FINE}

Again = Callable[[Array], Any]


class Refined(NamedTuple):
    """Results in their order, and how far each may be off (None: no further than a few ulp of itself)."""

    results: Any
    radius: Array | None = None


def as_meant(value: Any) -> Any:
    """A number as a long double: what marks samples that are made of `meant` columns."""
    return _FINE(value)


def meant(column: Array) -> Array:
    """A column of numbers as long doubles of what they are meant as: 1/10 for 0.1, if all lie on a rational lattice.

    >>> bool(meant(np.array([0.1, 0.2]))[0] * 10 == 1), float(meant(np.array([0.1, 0.7]))[1])
    (True, 0.7)
    """
    grid = find_grid([column], [1], max_span=2**53)
    fine = column.astype(_FINE)
    if grid is None or isinstance(grid.step, float) or _reach(grid) >= _WORD:
        return np.asarray(fine)
    numerators = int(grid.starts[0]) + grid.step * grid.positions[0]
    return np.asarray(numerators.astype(_FINE) / _FINE(grid.denominator))


def _reach(grid: Any) -> int:
    return max(abs(int(grid.starts[0])) + int(grid.step) * int(grid.positions[0].max()), int(grid.denominator))


def refined_rows(f: Callable[..., Any], columns: Sequence[Array], results: Any) -> Refined:
    """What f returned on rows of machine numbers, with suspects run again; there are no trials.

    >>> x = np.array([0.1, 0.3])
    >>> refined_rows(lambda a: (a - 0.2) * 0, [x], [0.0, 0.0]).results, refined_rows(abs, [x], ["a", "b"]).results
    ([0.0, 0.0], ['a', 'b'])
    """
    if not all(map(is_numeric, columns)):
        return Refined(results)

    def again(which: Array) -> Any:
        rows = zip(*(meant(column)[which] for column in columns), strict=True)
        try:
            with np.errstate(all="ignore"):
                return [f(*row) for row in rows]
        except Exception:  # it takes no long doubles: nothing finer comes out
            return None

    size = max(float(np.abs(column.astype(float)).max(initial=0)) for column in columns)
    return Refined(results) if _clear(results, size) else refined(results, size, None, again)


def _clear(results: Any, size: float) -> bool:
    """Whether none of a few results is near another one or 0, which Python sees before numpy has begun."""
    if not isinstance(results, list) or len(results) > _FEW or not set(map(type, results)) <= _FLOATS:
        return False
    near, ascending = _SUSPECT * EPS * size, sorted({0.0, *results})
    return all(b - a > near + _SUSPECT * EPS * abs(b) for a, b in itertools.pairwise(ascending))


def refined(results: Any, size: float, draws: int | None, again: Again) -> Refined:
    """Results of which those that rounding made doubtful are right to rounding.

    `size` is the largest magnitude of a draw, `draws` how many a sample has (None: no trials); `again(which)` gives the
    results on those samples, of the draws as they are meant, in long doubles, or None. Cost: as many more calls as
    there are suspects, and eight. Results that are no floats are returned as they are; of tuples, each component is
    looked at.
    """
    columns = _columns(results)
    if not columns or size == 0 or not np.isfinite(size) or _FINE_EPS >= EPS:
        return Refined(results)
    suspects = np.any([_suspects(column, size) for column in columns.values()], axis=0)
    tried = np.unique(np.linspace(0, len(results) - 1, _TRIED).astype(int))
    if draws is not None and not suspects[tried].all():
        trial = _columns(again(tried))
        if trial.keys() != columns.keys():
            return Refined(results)
        if any(_magnified(columns[i][tried], trial[i], draws) for i in columns):
            suspects[:] = True
    which = suspects.nonzero()[0]
    finer = _columns(again(which)) if len(which) else {}
    if finer.keys() != columns.keys():
        return Refined(results)
    found = {i: _settled(column, finer[i], which, size) for i, column in columns.items()}
    if None in columns:
        return Refined(*found[None])
    return Refined(_with_components(results, {i: _one_float_each(*settled) for i, settled in found.items()}))


def in_single_precision(results: Any, size: float, unit: float) -> Refined:
    """Results that were rounded to single precision: they are one within two roundings of what they were made of."""
    if not isinstance(results, np.ndarray) and not all(isinstance(r, (float, np.floating)) for r in results):
        return Refined(results)
    values = np.asarray(results, dtype=float)
    return Refined(results, 2 * unit / SHRUNK * (size + np.abs(values)))


def _columns(results: Any) -> dict[int | None, Array]:
    """The columns of floats among the results: of numbers one (None), of tuples those of each component."""
    if results is None:
        return {}
    if isinstance(results, np.ndarray):
        return {None: results} if results.dtype.kind == "f" else {}
    if not results:
        return {}
    kinds = set(map(type, results))
    if kinds <= _FLOATS:
        return {None: np.array(results)}
    if kinds != {tuple} or len(set(map(len, results))) > 1:
        return {}
    parts = enumerate(zip(*results, strict=True))
    return {i: np.array(part) for i, part in parts if set(map(type, part)) <= _FLOATS}


def _with_components(results: Sequence[tuple[Any, ...]], columns: dict[int | None, Array]) -> list[tuple[Any, ...]]:
    parts: list[Sequence[Any]] = list(zip(*results, strict=True))
    for i, column in columns.items():
        parts[i] = column.tolist()  # type: ignore[index]
    return list(zip(*parts, strict=True))


def merged_components(outcomes: Sequence[Any]) -> Sequence[Any]:
    """Tuples that were refined in chunks: in each component, floats that are one become the same float."""
    columns = _columns(outcomes)
    if not columns or None in columns:
        return outcomes
    merged = {i: _one_float_each(column, np.zeros(len(column))) for i, column in columns.items()}
    return _with_components(outcomes, merged)


def _one_float_each(values: Array, radius: Array) -> Array:
    """Values in which those that are one are the same float: inside a tuple nothing is merged."""
    axis = Axis(values, FLOATS, radius)
    merged, codes = axis.as_returned(np.ones(len(values)))
    return merged.values[codes]


def _clusters(column: Array, size: float) -> tuple[Array, Array, Array]:
    """(order, starts, ends): runs of ascending results that are nearer than draws of this size are told apart."""
    order = np.argsort(column, kind="stable")
    v = column[order]
    with np.errstate(invalid="ignore", over="ignore"):
        new = ~(np.diff(v) <= _SUSPECT * EPS * (size + np.abs(v[1:])))
    starts = np.append(True, new).nonzero()[0]
    return order, starts, np.append(starts[1:], len(v)) - 1


def _suspects(column: Array, size: float) -> Array:
    """Results near 0, or near one another but not within 4 ulp."""
    order, starts, ends = _clusters(column, size)
    v = column[order]
    with np.errstate(invalid="ignore", over="ignore"):
        apart = v[ends] - v[starts] > OP_ULPS * EPS * np.maximum(np.abs(v[starts]), np.abs(v[ends]))
        tiny = (np.abs(v) <= _SUSPECT * EPS * size) & (v != 0)
    tiny = tiny | ((v == 0) & tiny.any())
    suspects = np.zeros(len(v), dtype=bool)
    suspects[order] = np.repeat(apart, ends - starts + 1) | tiny
    return suspects


def _magnified(column: Array, finer: Array, draws: int) -> bool:
    """Whether a result is further off than adding up the draws explains."""
    with np.errstate(invalid="ignore"):
        return bool((np.abs(column - finer) > (draws + OP_ULPS) * EPS * np.abs(finer)).any())


def _settled(column: Array, finer: Array, which: Array, size: float) -> tuple[Array, Array]:
    """The column with the finer results, 0 where they shrank, and how far each may have been off.

    A single error may be small by luck, so that of its neighbours counts. What both precisions agree on is no rounding.
    """
    values, radius = column.astype(float), np.zeros(len(column))
    with np.errstate(invalid="ignore"):
        error = np.abs(values[which] - finer).astype(float)
        agreed = error <= _AGREED * np.abs(finer)
    error = np.where(np.isfinite(error), error, 0.0)
    order, starts, ends = _clusters(values[which], size)
    around = np.empty(len(which))
    around[order] = np.repeat(np.maximum.reduceat(error[order], starts), ends - starts + 1)
    shrunk = np.abs(finer) <= np.minimum(SHRUNK * around, _SUSPECT * _FINE_EPS * size)
    zero = shrunk & ~agreed
    values[which] = np.where(zero, 0.0, finer)
    radius[which] = np.where(zero | agreed, error, around)
    return values, radius
