"""A person's statistic, run on samples: what it is handed, and what counts as undefined."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from randvar.engine.atoms import Array, canonical, is_numeric, object_array, outcome_array, scalar
from randvar.engine.functions import numbers
from randvar.engine.kinds import total
from randvar.engine.multisets import Chunk, expand, indices_of, multiset_count
from randvar.engine.wrapping import LARGE, as_float, differ, wrapped
from randvar.errors import UndefinedOutcome
from randvar.var import Var

__all__ = ["Found", "Statistic", "is_symmetric", "same_result"]

_RUNS, _RUN_LENGTH = 10, 10  # samples, in runs spread over all multisets, whose permutations are compared
_EXTREMES, _BETWEEN = 8, 16  # samples that are tried for integers that wrap around
_LARGEST = 10**300
_NOTHING = object()  # stands for a result that is undefined


@dataclass(frozen=True)
class Found:
    """The atoms of one chunk (weights sum to the chunk's mass), and what was undefined in it."""

    values: Array
    weights: Array
    undefined: str | None = None
    mass: Any = 0


@dataclass(frozen=True)
class Statistic:
    """The statistic with the outcomes it draws from; picklable if the function is."""

    function: Callable[[Any], Any]
    columns: tuple[Array, ...]
    rows: bool
    vectorized: bool
    exact: bool
    cells: Any = (
        None  # what numeric samples are made of: None as the outcomes are, float, or object (Python's integers)
    )

    @property
    def width(self) -> int:
        """Numbers in one draw."""
        return len(self.columns)

    def run(self, part: Chunk) -> Found:
        """Its atoms on the samples of a chunk."""
        indices, weights = expand(part)
        results, reason = self.results(indices)
        self._check_large(results, indices)
        if isinstance(results, np.ndarray):
            return Found(*_atoms(results, weights))  # all defined
        bad = np.fromiter((r is _NOTHING for r in results), bool, len(results))
        if not bad.any():
            return Found(*_atoms(results, weights))
        first = int(np.flatnonzero(bad)[0])
        why = f"{reason or 'NaN'} on the sample {self._shown(indices[first])}"
        kept = [r for r in results if r is not _NOTHING]
        values, masses = _atoms(kept, weights[~bad]) if kept else (np.empty(0), weights[:0])
        return Found(values, masses, why, total(weights[bad]))

    def results(self, indices: Array) -> tuple[list[Any] | Array, str | None]:
        """What it returns on the samples with these indices of outcomes, and why the first undefined one is."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # 0/0 in numpy: found below, as NaN
            return self._whole(indices) if self.vectorized else self._each(indices)

    def _each(self, indices: Array) -> tuple[list[Any], str | None]:
        results: list[Any] = []
        reason = None
        for at, sample in enumerate(self.samples(indices)):
            try:
                result = scalar(_called(self.function, sample))
            except (ArithmeticError, ValueError) as error:
                result, reason = _NOTHING, reason or f"{type(error).__name__}: {error}"
            except Exception as error:
                raise UndefinedOutcome(
                    f"the statistic raised {type(error).__name__}: {error} on the sample {self._shown(indices[at])}"
                ) from error
            results.append(_or_nothing(result))
        return results, reason

    def _whole(self, indices: Array) -> tuple[list[Any] | Array, str | None]:
        try:
            results = np.asarray(_called(self.function, self._array(indices)))
        except FloatingPointError:
            return self._one_by_one(indices)
        except Exception as error:
            raise UndefinedOutcome(
                f"the vectorized statistic raised {type(error).__name__}: {error} on an array of {len(indices)} samples"
            ) from error
        if results.shape != (len(indices),):
            raise UndefinedOutcome(
                f"a vectorized statistic returns one outcome a sample, shape ({len(indices)},); got {results.shape}"
            )
        if results.dtype.kind != "f" or not np.isnan(results).any():
            return results, None
        return [_NOTHING if r != r else r for r in results.tolist()], None

    def _one_by_one(self, indices: Array) -> tuple[list[Any], str | None]:
        """A vectorized statistic that divides by 0 somewhere: find out where."""
        results: list[Any] = []
        for row in indices:
            try:
                result = scalar(np.asarray(_called(self.function, self._array(row[None])))[0])
            except FloatingPointError:
                result = _NOTHING
            results.append(_or_nothing(result))
        return results, "FloatingPointError: divide by zero"

    # -- numpy's integers, which wrap around (`randvar.engine.wrapping`) ----------------------------------------------

    def without_wrapping(self, weights: Array, n: int) -> Statistic:
        """The same statistic, handed Python's integers in object arrays if numpy's wrap around on some sample tried.

        Tried are the samples of one outcome, those of the two extremes in turn, and some between. Raises
        UndefinedOutcome where they wrap around and the statistic takes no objects.
        """
        if not self._of_machine_integers() or n == 0:
            return self
        rows = self._telling(weights, n)
        given, floats = self._again(None, rows), self._again(float, rows)
        if given is None:  # it fails, and will say so
            return self
        if floats is not None and _first_difference(given, floats) is None:
            return self
        objects = self._again(object, rows)
        if objects is None and floats is None:  # it indexes with them, say: `_check_large` looks at its results
            return self
        if objects is not None and _first_difference(given, objects) is None:
            return self
        if objects is not None and (floats is None or _first_difference(objects, floats) is None):
            return replace(self, cells=object)
        at = _first_difference(given, floats if floats is not None else objects)
        raise wrapped("the statistic", f"the sample {self._shown(rows[at or 0])}")

    def _of_machine_integers(self) -> bool:
        """Whether numpy computes with them: in an array of integers, or in what it makes of tuples of integers."""
        if self.cells is not None or (self.exact and not self.rows):
            return False
        if self._plain():
            return all(c.dtype.kind in "bi" for c in self.columns)
        return any(isinstance(v, int) for c in self.columns for v in c.tolist())

    def _telling(self, weights: Array, n: int) -> Array:
        """Samples on which an integer is likely to wrap around if it does on any."""
        sizes = sum(
            np.array([min(abs(v), _LARGEST) if isinstance(v, int) else 0.0 for v in c.tolist()], float)
            for c in self.columns
        )
        outcomes = np.unique([0, len(weights) - 1, *np.argsort(sizes)[-_EXTREMES:], *np.argsort(sizes)[:_EXTREMES]])
        constant = np.repeat(outcomes[:, None], n, axis=1)
        in_turn = np.resize([0, len(weights) - 1], n)
        size = multiset_count(len(weights), n)
        starts = sorted({(size - 1) * i // _BETWEEN for i in range(_BETWEEN + 1)})
        between = [indices_of(Chunk(weights, n, start, start + 1, False)) for start in starts]
        return np.concatenate([constant, in_turn[None], in_turn[None, ::-1], *between])

    def _again(self, cells: Any, rows: Array) -> list[Any] | Array | None:
        """Its results when these samples are made of these numbers; None if it takes none."""
        try:
            return replace(self, cells=cells).results(rows)[0]
        except UndefinedOutcome:
            return None

    def _check_large(self, results: list[Any] | Array, indices: Array) -> None:
        """Compare integers beyond 2^53 with what floats or objects give."""
        if not self._of_machine_integers() or (isinstance(results, np.ndarray) and results.dtype.kind not in "iuO"):
            return
        large = [i for i, r in enumerate(results) if isinstance(r, (int, np.integer)) and abs(int(r)) > LARGE]
        if large:
            rows = indices[large]
            given = [int(results[i]) for i in large]
            again = self._again(float, rows)
            again = self._again(object, rows) if again is None else again
            at = 0 if again is None else _first_difference(given, again)
            if at is None and self._casts(rows[:1]) and not any(given[0] in c for c in self.columns):
                at = 0
            if at is not None:
                raise wrapped("the statistic", f"the sample {self._shown(rows[at])}")

    def _casts(self, row: Array) -> bool:
        """Whether it makes integers of numpy even of floats, so that nothing can be compared."""
        with warnings.catch_warnings(), np.errstate(all="ignore"), suppress(Exception):
            warnings.simplefilter("ignore", RuntimeWarning)
            floats = replace(self, cells=float)
            result = self.function(floats._array(row) if self.vectorized else next(iter(floats.samples(row))))
            return isinstance(result, (np.generic, np.ndarray)) and result.dtype.kind in "iu"
        return False

    def samples(self, indices: Array) -> Iterator[Any]:
        """Each sample as the statistic is handed it."""
        if self._plain():
            return iter(self._array(indices))
        lists = [list(map(as_float, c.tolist())) if self.cells is float else c.tolist() for c in self.columns]
        draws = list(zip(*lists, strict=True)) if self.rows else lists[0]
        tuples = (tuple(draws[i] for i in row) for row in indices.tolist())
        return map(object_array, tuples) if self.exact and not self.rows else tuples

    def _plain(self) -> bool:
        return not self.exact and all(is_numeric(c) for c in self.columns)

    def _array(self, indices: Array) -> Array:
        columns = [numbers(c) if self.cells is None else c.astype(self.cells) for c in self.columns]
        if not self.rows:
            return columns[0][indices]
        dtype = np.result_type(*columns) if all(map(is_numeric, columns)) else object
        return np.stack([c.astype(dtype)[indices] for c in columns], axis=-1)

    def _shown(self, row: Array) -> str:
        picked = [c[row].tolist() for c in self.columns]
        return repr(tuple(zip(*picked, strict=True)) if self.rows else tuple(picked[0]))


def _first_difference(given: Any, again: Any) -> int | None:
    """Where two runs of the statistic first differ by more than rounding, or only one is undefined."""
    pairs = enumerate(zip(_plain_results(given), _plain_results(again), strict=True))
    return next((i for i, (a, b) in pairs if (a is _NOTHING) != (b is _NOTHING) or differ(a, b)), None)


def _plain_results(results: Any) -> list[Any]:
    listed = results.tolist() if isinstance(results, np.ndarray) else results
    return [tuple(r.values.tolist()) if isinstance(r, Var) else r for r in listed]


def _or_nothing(result: Any) -> Any:
    return _NOTHING if isinstance(result, float) and math.isnan(result) else result


class _DivisionByZero:
    """What numpy tells of a division by 0: a logarithm of 0 is -inf, and passes."""

    def write(self, message: str) -> None:
        """Raise FloatingPointError unless it was a logarithm."""
        if " log" not in message:
            raise FloatingPointError(message.removeprefix("Warning: ").strip())


def _called(function: Callable[[Any], Any], sample: Any) -> Any:
    """function(sample), where dividing by 0 is as undefined in numpy as it is in Python; log(0) is -inf."""
    with np.errstate(divide="log", call=_DivisionByZero()):
        return function(sample)


def _atoms(results: Any, weights: Array) -> tuple[Array, Array]:
    if isinstance(results, list) and Var in set(map(type, results)):
        mixed = Var._returned(results, weights)
        return mixed.values, mixed.probs
    return canonical(outcome_array(results), weights, rounded=True)


def is_symmetric(task: Statistic, weights: Array, n: int) -> bool:
    """Whether the statistic agrees on permutations of up to a hundred samples, spread over all multisets."""
    if n < 2:
        return True
    size = multiset_count(len(weights), n)
    starts = sorted({max(0, size - _RUN_LENGTH) * i // (_RUNS - 1) for i in range(_RUNS)})
    parts = [Chunk(weights, n, start, min(start + _RUN_LENGTH, size), False) for start in starts]
    rows = np.concatenate([indices_of(part) for part in parts])
    orders = [rows[:, ::-1], np.roll(rows, 1, axis=1), rows[:, [1, 0, *range(2, n)]], rows[:, _riffle(n)]]
    given, _ = task.results(rows)
    others = (task.results(order)[0] for order in orders)  # one at a time: the first that differs ends it
    parts_of_results = [v for r in given for v in (r if isinstance(r, tuple) else (r,)) if isinstance(v, (int, float))]
    largest = max((abs(v) for v in parts_of_results if math.isfinite(v)), default=0.0)
    tolerance = 1e-12 * largest  # what the order of summation may change
    return all(same_result(a, b, tolerance) for other in others for a, b in zip(given, other, strict=True))


def _riffle(n: int) -> list[int]:
    """A perfect shuffle: with the swap of two neighbours and the rotation, it moves every place."""
    return [*range(0, n, 2), *range(1, n, 2)]


def same_result(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two results of a statistic are one, up to the rounding of floats, of Vars and of tuples."""
    if isinstance(a, Var) and isinstance(b, Var):
        pairs = zip(a.values.tolist(), b.values.tolist(), strict=False)
        return len(a) == len(b) and all(same_result(v, w, tolerance) for v, w in pairs)
    if isinstance(a, (float, np.floating)) and isinstance(b, (float, np.floating)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=tolerance)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same_result(v, w, tolerance) for v, w in zip(a, b, strict=True))
    return bool(a is b or a == b)
