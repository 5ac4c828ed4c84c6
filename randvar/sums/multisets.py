"""Every sample of n draws, a chunk at a time: as multisets with their multinomial mass, or as ordered tuples.

A statistic that does not care for the order of its draws needs C(n + k - 1, n) multisets instead of k^n tuples.  The
r-th multiset is found from its rank alone, so any range of ranks is a chunk that a worker can expand on its own.

Ranks are those of the combinatorial number system (Lehmer 1964; Knuth, TAOCP 4A, 7.2.1.3): every r >= 0 is in exactly
one way r = C(x_1, 1) + C(x_2, 2) + ... + C(x_s, s) with 0 <= x_1 < x_2 < ... < x_s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from randvar.errors import SupportTooLarge
from randvar.numbers.arrays import Array, object_array
from randvar.sums.multinomial import count_factors, in_words, multiset_count

__all__ = [
    "Chunk",
    "count_chunks",
    "expand",
    "indices_of",
    "multiset_chunks",
    "multiset_count",
    "multiset_parts",
    "tuple_parts",
]

_CHUNK = 2**18
_CELLS = 2**23  # of one chunk, rows times draws
_LARGEST_RANK = 2**62  # ranks are int64


@dataclass(frozen=True, eq=False)
class Chunk:
    """The samples of n draws with ranks start..stop-1: small, and ready to be sent to another process."""

    probs: Array
    n: int
    start: int
    stop: int
    ordered: bool

    def __len__(self) -> int:
        return self.stop - self.start


def multiset_chunks(probs: Array, n: int, *, chunk: int = _CHUNK) -> Iterator[tuple[Array, Array]]:
    """Every multiset of n draws once: (m, n) indices of outcomes, ascending in each row, and (m,) masses.

    The order of the rows is not promised.  The masses are those of p / sum(p) within a few roundings, and exact for an
    object array of exact probabilities.  Memory: O(chunk * n) however many multisets there are, with fewer rows in a
    chunk where n is large.

    >>> for indices, masses in multiset_chunks(np.array([0.5, 0.25, 0.25]), 2):
    ...     print(indices.tolist(), masses.tolist())
    [[0, 0], [0, 1], [1, 1], [0, 2], [1, 2], [2, 2]] [0.25, 0.25, 0.0625, 0.25, 0.125, 0.0625]
    """
    return map(expand, multiset_parts(probs, n, chunk=chunk))


def count_chunks(probs: Array, n: int) -> Iterator[tuple[Array, Array]]:
    """The same as counts: (m, k) of how often each outcome is drawn, and (m,) masses.

    >>> next(count_chunks(np.array([0.5, 0.5]), 2))[0].tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    masses = _ExactMasses if probs.dtype == object else _FloatMasses
    for part in multiset_parts(probs, n):
        counts = _counts(len(probs), n, part.start, part.stop)
        yield counts, masses.of_counts(probs, counts, n)


def multiset_parts(probs: Array, n: int, *, chunk: int = _CHUNK) -> Iterator[Chunk]:
    """The chunks of `multiset_chunks`, not yet expanded: for an executor.

    Raises SupportTooLarge from 2^62 multisets on, as `tuple_parts` does.
    """
    return _parts(probs, n, multiset_count(len(probs), n), chunk, ordered=False)


def tuple_parts(probs: Array, n: int, *, chunk: int = _CHUNK) -> Iterator[Chunk]:
    """Every ordered tuple of n draws once, in lexicographic order; its chunks not yet expanded.

    >>> (part,) = tuple_parts(np.array([0.5, 0.5]), 2)
    >>> indices, masses = expand(part)
    >>> indices.tolist(), masses.tolist()
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [0.25, 0.25, 0.25, 0.25])
    """
    return _parts(probs, n, len(probs) ** n, chunk, ordered=True)


def _parts(probs: Array, n: int, count: int, chunk: int, *, ordered: bool) -> Iterator[Chunk]:
    if count >= _LARGEST_RANK:
        raise SupportTooLarge(
            f"{n} draws out of {len(probs)} outcomes make {in_words(count)} samples, more than anyone can enumerate;"
            " take fewer draws, or group the outcomes",
            size=count,
            budget=_LARGEST_RANK,
        )
    rows = min(chunk, max(_CELLS // max(n, 1), 1))
    return (Chunk(probs, n, start, min(start + rows, count), ordered) for start in range(0, count, rows))


def expand(part: Chunk) -> tuple[Array, Array]:
    """The indices and masses of a chunk.  O(min(n, k)) searches a row."""
    k, n = len(part.probs), part.n
    masses = _ExactMasses if part.probs.dtype == object else _FloatMasses
    if part.ordered or n < k:
        indices = indices_of(part)
        return indices, (masses.of_tuples if part.ordered else masses.of_indices)(part.probs, indices)
    counts = _counts(k, n, part.start, part.stop)
    return _indices_of_counts(counts, n), masses.of_counts(part.probs, counts, n)


def indices_of(part: Chunk) -> Array:
    """The samples of a chunk alone, where their masses do not matter."""
    k, n = len(part.probs), part.n
    if part.ordered:
        return _tuples(k, n, part.start, part.stop)
    if n < k:
        return _multisets(k, n, part.start, part.stop)
    return _indices_of_counts(_counts(k, n, part.start, part.stop), n)


def _tuples(k: int, n: int, start: int, stop: int) -> Array:
    """The digits of start..stop-1 to base k, the first draw first."""
    indices = np.empty((stop - start, n), _index_type(k))
    rank = np.arange(start, stop)
    for draw in range(n - 1, -1, -1):
        rank, indices[:, draw] = np.divmod(rank, k)
    return indices


def _multisets(k: int, n: int, start: int, stop: int) -> Array:
    """Multisets as x_t - (t - 1) for the combinations x of n out of n + k - 1."""
    indices = np.empty((stop - start, n), _index_type(k))
    for position, x in _combinations(n + k - 1, n, start, stop):
        indices[:, position] = x - position
    return indices


def _counts(k: int, n: int, start: int, stop: int) -> Array:
    """Multisets as counts: how often each outcome is drawn, the gaps between k - 1 bars among n + k - 1 places."""
    counts = np.empty((stop - start, k), _index_type(n + 1))
    above = np.full(stop - start, n + k - 1)
    for position, bar in _combinations(n + k - 1, k - 1, start, stop):
        counts[:, position + 1] = above - bar - 1
        above = bar
    counts[:, 0] = above
    return counts


def _combinations(places: int, size: int, start: int, stop: int) -> Iterator[tuple[int, Array]]:
    """For the combinations of `size` out of `places` with ranks start..stop-1: (t - 1, x_t), t from size down to 1."""
    rank = np.arange(start, stop)
    for t in range(size, 0, -1):
        binomials = np.array([math.comb(x, t) for x in range(places)])
        x = np.searchsorted(binomials, rank, side="right") - 1
        rank = rank - binomials[x]
        yield t - 1, x


def _indices_of_counts(counts: Array, n: int) -> Array:
    rows, k = counts.shape
    outcomes = np.tile(np.arange(k, dtype=_index_type(k)), rows)
    return np.repeat(outcomes, counts.ravel()).reshape(rows, n)


class _FloatMasses:
    """The masses of samples, each product scaled so that it underflows only where the mass does."""

    @staticmethod
    def of_counts(probs: Array, counts: Array, n: int) -> Array:
        """n!/(c_1!...c_k!) p^c."""
        law = count_factors(probs, n)
        masses = np.full(len(counts), law.scale)
        for table, count in zip(law.tables, counts.T, strict=True):
            masses *= table[count]
        return masses

    @staticmethod
    def of_indices(probs: Array, indices: Array) -> Array:
        """The same from ascending rows; n p in place of p keeps the product within e^n of the mass."""
        n = indices.shape[1]
        rates = n * (probs / math.fsum(probs))
        masses: Array = math.factorial(n) / n**n * rates[indices].prod(axis=1) / _repeats(indices, float)
        return masses

    @staticmethod
    def of_tuples(probs: Array, indices: Array) -> Array:
        """p_{i_1}...p_{i_n}."""
        masses: Array = (probs / math.fsum(probs))[indices].prod(axis=1)
        return masses


class _ExactMasses:
    """The same of exact probabilities."""

    @staticmethod
    def of_counts(probs: Array, counts: Array, n: int) -> Array:
        """n!/(c_1!...c_k!) p^c."""
        if len(probs) == 1:
            return object_array([probs[0] ** n] * len(counts))  # without n!, which has millions of digits
        arrangements: Array = np.full(len(counts), math.factorial(n), dtype=object)
        powers: Any = 1
        for p, count in zip(probs.tolist(), counts.T, strict=True):
            present, at = np.unique(count, return_inverse=True)
            found = present.tolist()
            arrangements = arrangements // np.array([math.factorial(c) for c in found], dtype=object)[at]
            powers = powers * np.array([p**c for c in found], dtype=object)[at]
        masses: Array = arrangements * powers
        return masses

    @staticmethod
    def of_indices(probs: Array, indices: Array) -> Array:
        """The same from ascending rows."""
        factorial = math.factorial(indices.shape[1])
        masses: Array = factorial // _repeats(indices, object) * probs[indices].prod(axis=1)
        return masses

    @staticmethod
    def of_tuples(probs: Array, indices: Array) -> Array:
        """p_{i_1}...p_{i_n}."""
        masses: Array = probs[indices].prod(axis=1)
        return masses


def _repeats(indices: Array, cell: type) -> Array:
    """c_1!...c_k! of ascending rows: the product of how often each draw's outcome came so far."""
    rows, n = indices.shape
    run = np.ones(rows, dtype=int)
    repeats: Array = np.ones(rows, dtype=cell)
    for draw in range(1, n):
        run = np.where(indices[:, draw] == indices[:, draw - 1], run + 1, 1)
        repeats = repeats * run
    return repeats


def _index_type(k: int) -> type[np.signedinteger[Any]]:
    return np.int16 if k <= 2**15 else np.int64
