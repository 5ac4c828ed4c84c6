"""Has a statistic of whole numbers wrapped around? Other numbers are its witnesses.

numpy's integers have 64 bits and say nothing (`randvar.calls.wrapping`). The statistic is run again on the same draws
in floats, in Fractions and in Python's integers: what none of them gives is no result.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.calls.finer import as_fraction
from randvar.calls.wrapping import LARGE, as_float, as_in_bytes, as_unwrapped, differ, reads_bytes, wrapped
from randvar.errors import UndefinedOutcome
from randvar.estimators.order import UNDEFINED, magnitudes
from randvar.estimators.symmetry import is_blind_to_order
from randvar.numbers.arrays import Array, is_numeric
from randvar.sums.multisets import Chunk, indices_of, multiset_count
from randvar.var import Var

__all__ = ["Witnessed"]

_EXTREMES, _BETWEEN = 8, 16  # samples that are tried for integers that wrap around
_WORD_BITS = 62


class Witnessed:
    """What `Statistic` does about integers that wrap around, from its columns, samples and results."""

    columns: tuple[Array, ...]
    cells: Any
    vectorized: bool
    function: Callable[[Any], Any]
    results: Callable[[Array], tuple[list[Any] | Array, str | None]]
    samples: Callable[[Array], Iterator[Any]]
    _with: Callable[[Any], Any]
    _shown: Callable[[Array], str]

    def without_wrapping(self, weights: Array, n: int) -> Any:
        """The same statistic, handed Python's integers in object arrays if numpy's wrap around on some sample tried.

        Tried are the samples of one outcome, those of the two extremes in turn, and some between: a result that neither
        floats nor Fractions give has wrapped around. Raises UndefinedOutcome where Python's integers do so too (numpy
        makes its own of them, in np.prod of a list say), or are not taken.
        """
        if n == 0 or not self._of_numbers():
            return self
        integers = any(map(_has_integer, self.columns))
        known = self._small(n) and is_blind_to_order(self.function)
        rows = self._extremes(n) if known else self._telling(weights, n, _BETWEEN if integers else 0)
        given = self._again(None, rows)
        floats = self._again(as_float, rows) if integers else given
        if given is None:  # it fails, and will say so
            return self
        if _unlike([floats], given) == []:
            self._check_casts(given, floats, rows)
            return self
        objects, read = reads_bytes(lambda: self._again(as_in_bytes, rows))
        fractions = self._again(as_fraction, rows)
        if objects is None and floats is None:  # it indexes with them, say: `_check_large` looks at its results
            return self
        witnesses = [floats, fractions] if floats is not None or fractions is not None else [objects]
        doubted = _unlike(witnesses, given)
        if not doubted or (read and _unlike([objects], given) == []):
            return self
        if objects is not None and not _unlike(witnesses, objects):
            return self._with(as_in_bytes if read else object)
        raise wrapped("the statistic", f"the sample {self._shown(rows[doubted[0]])}")

    def _check_casts(self, given: Any, floats: Any, rows: Array) -> None:
        """Where it makes integers even of floats, compare with what it gives when astype(int) makes Python's."""
        if any(isinstance(r, (int, np.integer)) for r in _listed(floats)):
            doubted = _unlike([self._again(as_unwrapped, rows)], given)
            if doubted:
                raise wrapped("the statistic", f"the sample {self._shown(rows[doubted[0]])}")

    def _of_numbers(self) -> bool:
        """Whether numpy may make integers of what it is handed."""
        return self.cells in (None, object, as_in_bytes) and any(map(_has_number, self.columns))

    def _extremes(self, n: int) -> Array:
        """The samples of one outcome, the smallest and the largest."""
        return np.repeat(np.array(sorted({0, len(self.columns[0]) - 1}))[:, None], n, axis=1)

    def _small(self, n: int) -> bool:
        """Whether no product of the draws, nor a sum of squares, leaves the machine's integers (of a known one)."""
        largest = max(float(magnitudes(c).max(initial=0)) for c in self.columns)
        return max(n, 2) * math.log2(largest + 1) + math.log2(n) < _WORD_BITS

    def _telling(self, weights: Array, n: int, more: int) -> Array:
        """Samples on which an integer is likely to wrap around if it does on any."""
        sizes = sum(map(magnitudes, self.columns))
        outcomes = np.unique([0, len(weights) - 1, *np.argsort(sizes)[-_EXTREMES:], *np.argsort(sizes)[:_EXTREMES]])
        constant = np.repeat(outcomes[:, None], n, axis=1)
        in_turn = np.resize([0, len(weights) - 1], n)
        size = multiset_count(len(weights), n)
        starts = sorted({(size - 1) * i // more for i in range(more + 1)}) if more else []
        between = [indices_of(Chunk(weights, n, start, start + 1, False)) for start in starts]
        return np.unique(np.concatenate([constant, in_turn[None], in_turn[None, ::-1], *between]), axis=0)

    def _again(self, cells: Any, rows: Array) -> list[Any] | Array | None:
        """Its results when these samples are made of these numbers; None if it takes none."""
        try:
            results: list[Any] | Array = self._with(cells).results(rows)[0]
            return results
        except UndefinedOutcome:
            return None

    def _check_large(self, results: list[Any] | Array, indices: Array) -> None:
        """Compare integers beyond 2^53 with what floats, Fractions or objects give."""
        if not self._of_numbers() or (isinstance(results, np.ndarray) and results.dtype.kind not in "iuO"):
            return
        large = [i for i, r in enumerate(results) if isinstance(r, (int, np.integer)) and abs(int(r)) > LARGE]
        if large:
            rows = indices[large]
            given = [int(results[i]) for i in large]
            at = self._doubtful(given, rows)
            if at is None:
                outcomes = {v for c in self.columns for v in c.tolist()}
                made = next((i for i, r in enumerate(given) if r not in outcomes), None)
                at = made if made is not None and self._casts(rows[made : made + 1]) else None
            if at is not None:
                raise wrapped("the statistic", f"the sample {self._shown(rows[at])}")

    def _doubtful(self, given: list[Any], rows: Array) -> int | None:
        """The first of these results that other numbers do not give."""
        floats = self._again(as_float, rows)
        if _unlike([floats], given) == []:
            return None
        witnesses = [floats, self._again(as_fraction, rows)]
        if all(witness is None for witness in witnesses):
            witnesses = [self._again(object, rows)]
        doubted = _unlike(witnesses, given)
        if self._hashes(given, rows):
            return None
        if doubted is None:
            return 0
        return doubted[0] if doubted else None

    def _hashes(self, given: Any, rows: Array) -> bool:
        """Whether it reads the bytes of its samples, and of Python's integers in these bytes makes the same."""
        again, read = reads_bytes(lambda: self._again(as_in_bytes, rows))
        return read and _unlike([again], given) == []

    def _casts(self, row: Array) -> bool:
        """Whether it makes integers of numpy of floats, or where it takes none of Python's: nothing can be compared."""
        result = self._raw(as_float, row)
        result = self._raw(object, row) if result is None else result
        return isinstance(result, (np.generic, np.ndarray)) and result.dtype.kind in "iu"

    def _raw(self, cells: Any, row: Array) -> Any:
        """What it returns, with its type; None if it fails."""
        with warnings.catch_warnings(), np.errstate(all="ignore"), suppress(Exception):
            warnings.simplefilter("ignore", RuntimeWarning)
            made = self._with(cells)
            return self.function(made._array(row) if self.vectorized else next(iter(made.samples(row))))
        return None


def _unlike(witnesses: list[Any], given: Any) -> list[int] | None:
    """Where no witness, another run of the statistic, gives the same up to rounding; None if there are no witnesses.

    One that is undefined where the other is a number differs; a word may be made of integers only, f"{a:d}".
    """
    runs = [_plain_results(witness) for witness in witnesses if witness is not None]
    if not runs:
        return None
    rows = enumerate(zip(_plain_results(given), *runs, strict=True))
    return [i for i, (a, *others) in rows if all(_contradict(a, b) for b in others)]


def _contradict(a: Any, b: Any) -> bool:
    if a is UNDEFINED or b is UNDEFINED:
        return a is not b and not isinstance(a, str) and not isinstance(b, str)
    return differ(a, b)


def _plain_results(results: Any) -> list[Any]:
    listed = results.tolist() if isinstance(results, np.ndarray) else results
    return [(*r.values.tolist(), *r.probs.tolist()) if isinstance(r, Var) else r for r in listed]


def _has_integer(column: Array) -> bool:
    return _holds(column.tolist(), int)


def _has_number(column: Array) -> bool:
    return is_numeric(column) or _holds(column.tolist(), (int, float, Fraction))


def _holds(outcomes: Iterable[Any], kinds: Any) -> bool:
    """Whether there is one of these kinds among them, also inside tuples."""
    return any(_holds(v, kinds) if isinstance(v, tuple) else isinstance(v, kinds) for v in outcomes)


def _listed(results: list[Any] | Array) -> list[Any]:
    return results.tolist() if isinstance(results, np.ndarray) else results
