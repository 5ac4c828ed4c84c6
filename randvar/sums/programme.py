"""The law of a sum of n independent draws: a dynamic programme over the outcomes, not over the draws.

Let A_j[m] be the atoms of the sums of m draws that use the first j outcomes only, each with the weight
T_1(c_1)...T_j(c_j) of its counts (`multinomial`).  One more outcome v of weight T gives

    A_{j+1}[m] = union over c = 0..m of (A_j[m - c] + c v) with weights times T(c),

and sums that agree are merged at once, so that no stage holds more than the distinct sums times n.  Adding one draw at
a time instead would meet every multiset n times over.

Of floats, v and -v are one step: as many draws of one as of the other cancel exactly, however large v is, and what is
left is rounded as if they had never been drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from randvar.context import MAX_ATOMS, OF_A_SUM, current, over_budget
from randvar.errors import UndefinedOutcome
from randvar.numbers.arrays import WORD, Array, object_array
from randvar.sums.group import Group
from randvar.sums.merging import Atoms, join_all, merge
from randvar.sums.multinomial import count_factors, in_words, multiset_count

__all__ = ["Programme", "combine", "key_programme", "outcome_programme"]

# combine() is given two laws without knowing how many roundings are in them: a few for each
_COMBINE_ULPS = 8.0
_WAYS_PER_ATOM = 64  # some ten seconds of work at the usual budget

_STAGE = 40  # sums that one stage may form for each atom of the budget: 2e8 take ten seconds


def outcome_programme(group: Group) -> tuple[Array, Array, Any]:
    """Law of X_1 + ... + X_n for n independent draws of float values: ascending sums, their weights, and their mass.

    The law is that of weights / sum(weights): floats, over the mass 1, or integers in an object array, over the n-th
    power of their sum. One infinite outcome is absorbing.

    >>> sums, _, _ = outcome_programme(Group(np.array([0.1, 0.2, 0.3]), np.full(3, 1 / 3), 20))
    >>> len(sums)
    41

    Raises SupportTooLarge where a stage would hold more than the budget (never while there are no more than that many
    multisets), and UndefinedOutcome where the sum can be inf - inf or leaves the range of floats.
    Cost: O(N log N) for the N atoms of the largest stage.
    """
    values, weights = _possible(np.asarray(group.values, dtype=float), group.weights)
    n, infinite = group.copies, np.isinf(values)
    if n == 0 or not infinite.any():
        return Programme.of_floats(np.where(infinite, 0.0, values), weights, n).law()
    if n == 1:
        return Programme.of_keys(values, weights, 1).law()
    if len(set(values[infinite].tolist())) == 2:
        raise UndefinedOutcome(
            f"the sum of {n} draws can be inf + (-inf), which has no value; condition on finite outcomes first"
        )
    return _absorbing(values, weights, infinite, n)


def _absorbing(values: Array, weights: Array, infinite: Array, n: int) -> tuple[Array, Array, Any]:
    """The law of a sum that is infinite as soon as one draw is."""
    end, finite, total = values[infinite][:1], weights[~infinite].sum(), weights.sum()
    if not len(values[~infinite]):
        return end, weights[:1] ** 0, 1
    sums, masses, mass = outcome_programme(Group(values[~infinite], weights[~infinite], n))
    if weights.dtype == object:
        escaped, mass = total**n - finite**n, total**n  # finite sums have finite^n ways
    else:
        log_finite = n * math.log1p(-weights[infinite].sum() / total)
        masses, escaped = masses * math.exp(log_finite), -math.expm1(log_finite)
    parts = [(sums, masses), (end, np.array([escaped], dtype=weights.dtype))]
    if end[0] < 0:
        parts.reverse()
    sums, masses = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    possible = masses != 0
    return sums[possible], masses[possible], mass


def key_programme(group: Group) -> tuple[Array, Array, Any]:
    """Law of the sum of n independent draws of integer keys, merged exactly: ascending keys, their weights, their mass.

    The keys are int64 as long as n of them cannot overflow, and Python integers (slower, unbounded) beyond.

    >>> keys, weights, mass = key_programme(Group(np.array([0, 1, 1000]), np.array([0.5, 0.25, 0.25]), 2))
    >>> keys.tolist(), weights.round(15).tolist(), mass
    ([0, 1, 2, 1000, 1001, 2000], [0.25, 0.25, 0.0625, 0.25, 0.125, 0.0625], 1.0)

    Raises SupportTooLarge as `outcome_programme` does.
    """
    integers = [int(key) for key in group.values]
    fits = max(group.copies, 1) * max(map(abs, integers), default=0) < WORD
    values, weights = _possible((np.array if fits else object_array)(integers), group.weights)
    return Programme.of_keys(values, weights, group.copies).law()


def _possible(values: Array, weights: Array) -> tuple[Array, Array]:
    """Outcomes that can happen."""
    positive = weights != 0
    return (values, weights) if positive.all() else (values[positive], weights[positive])


@dataclass(frozen=True)
class Programme:
    """The programme for n draws: multiples[j, c] = c v_j, factors[j, c] = T_j(c); a step is one outcome, or v and -v.

    With integer weights a_j of mass sum(a) the factors are integers a_j^c, and the binomial coefficients that T_j would
    hold as 1/c! enter where two groups of outcomes meet.
    """

    multiples: Array
    factors: Array
    steps: tuple[tuple[int, ...], ...]
    n: int
    exact_sums: bool
    exact_weights: bool
    one_sign: bool
    scale: Any
    mass: Any

    @classmethod
    def of_floats(cls, values: Array, probs: Array, n: int) -> Programme:
        """Sums of float values, merged within their rounding."""
        if len(values) and not math.isfinite(n * float(np.abs(values).max())):
            raise UndefinedOutcome(
                f"the sum of {n} draws leaves the range of floats: the largest outcome is {np.abs(values).max():g};"
                " rescale the values"
            )
        order = np.argsort(np.abs(values), kind="stable")
        one_sign = bool((values >= 0).all() or (values <= 0).all())
        return cls._build(values[order], probs[order], n, exact_sums=False, one_sign=one_sign)

    @classmethod
    def of_keys(cls, keys: Array, probs: Array, n: int) -> Programme:
        """Sums of integer keys, merged where they are equal."""
        return cls._build(keys, probs, n, exact_sums=True, one_sign=True)

    @classmethod
    def _build(cls, values: Array, probs: Array, n: int, *, exact_sums: bool, one_sign: bool) -> Programme:
        # n draws of k distinct numbers have at least n (k - 1) + 1 distinct sums
        # (and the first two of three or more outcomes are met in n^2/2 ways)
        too_long = len(values) > 2 and n * n > _WAYS_PER_ATOM * max(current().max_atoms, MAX_ATOMS)
        if n * (len(values) - 1) >= current().max_atoms or too_long:
            _refuse(_described(len(values), n), multiset_count(len(values), n))
        # the second outcome alone takes a merge of m + 1 sums for each m: a coming refusal should not take minutes
        if len(values) > 2 and (n + 1) * (n + 2) // 2 > _STAGE * current().max_atoms:
            _refuse(_described(len(values), n), multiset_count(len(values), n))
        exact_weights = probs.dtype == object
        factors: Array
        scale: Any
        mass: Any
        if exact_weights:
            weights = probs.tolist()
            factors = np.array([[a**c for c in range(n + 1)] for a in weights], dtype=object)
            scale, mass = 1, sum(weights) ** n
        else:
            law = count_factors(probs, n)
            factors, scale, mass = law.tables, law.scale, 1.0
        counts = np.arange(n + 1, dtype=values.dtype)
        with np.errstate(invalid="ignore"):  # 0 times an infinite outcome, which one draw never forms
            multiples = np.multiply.outer(values, counts)
        multiples[:, :1] = 0
        steps = _singly(len(values)) if one_sign else _opposites(values.tolist())
        return cls(multiples, factors, steps, n, exact_sums, exact_weights, one_sign, scale, mass)

    def law(self) -> tuple[Array, Array, Any]:
        """Ascending sums of all n draws, their weights, and the mass of these."""
        k = len(self.steps)
        split = self._split(0, k)
        atoms = self.table(0, 1)[self.n] if k == 1 else self._meet(self.table(0, split), self.table(split, k), self.n)
        return atoms.sums, atoms.weights if self.exact_weights else atoms.weights * self.scale, self.mass

    def _split(self, low: int, high: int) -> int:
        # One outcome at a time finds every coincidence as early as it can be found, but costs k/n times the last stage
        # where nothing coincides; so many outcomes with few draws are halved instead.
        return high - 1 if high - low <= self.n + 1 else (low + high) // 2

    def table(self, low: int, high: int) -> list[Atoms]:
        """A[m], m = 0..n: the sums of m draws out of the outcomes of the steps low..high-1."""
        if high - low > self.n + 1:
            split = self._split(low, high)
            left, right = self.table(low, split), self.table(split, high)
            return [self._meet(left, right, m) for m in range(self.n + 1)]
        table = self._one_step(low)
        for j in range(low + 1, high):
            table = self._extend(table, j)
        return table

    def _one_step(self, step: int) -> list[Atoms]:
        """The sums of m = 0..n draws out of the outcomes of one step."""
        first, *opposite = self.steps[step]
        if opposite:
            return [self._net(first, opposite[0], m) for m in range(self.n + 1)]
        return [self._one_outcome(first, slice(m, m + 1)) for m in range(self.n + 1)]

    def _net(self, i: int, j: int, m: int) -> Atoms:
        """The sums of m draws out of v_i and v_j = -v_i: c of the first and m - c of the other leave 2c - m."""
        first = np.arange(m + 1)
        sums = (2 * first - m) * self.multiples[i, min(1, self.n)]
        weights = self.factors[i, first] * self.factors[j, m - first]
        return Atoms(sums, weights * self.meeting_factors(m) if self.exact_weights else weights, np.abs(sums))

    def _one_outcome(self, j: int, counts: Any) -> Atoms:
        sums = self.multiples[j, counts]
        return Atoms(sums, self.factors[j, counts], None if self.one_sign else np.abs(sums))

    def _extend(self, table: list[Atoms], step: int) -> list[Atoms]:
        """The table with the outcomes of one more step allowed."""
        j, *opposite = self.steps[step]
        if opposite:
            more = self._one_step(step)
            return [self._meet(table, more, m) for m in range(self.n + 1)]
        lengths = [len(atoms) for atoms in table]
        draws = np.repeat(np.arange(self.n + 1), lengths)
        ends = np.cumsum(lengths)
        if int(ends.sum()) > _STAGE * current().max_atoms:
            self._reserve(current().max_atoms + 1)
        flat = join_all(table)
        extended: list[Atoms] = []
        kept = 0
        for m in range(self.n + 1):
            self._reserve(max(kept, int(ends[m])))
            head = slice(ends[m])
            count = m - draws[head]
            atoms = flat[head].times(self._one_outcome(j, count))
            if self.exact_weights:
                atoms = Atoms(atoms.sums, atoms.weights * self.meeting_factors(m)[count], atoms.sizes)
            extended.append(merge(atoms, self.ulps))
            kept += len(extended[-1])
        return extended

    def _meet(self, left: list[Atoms], right: list[Atoms], m: int) -> Atoms:
        """The sums of m draws, c of them from the left group of outcomes and m - c from the right one."""
        pairs = [(left[c], right[m - c]) for c in range(m + 1)]
        size = sum(len(a) * len(b) for a, b in pairs)
        self._reserve(size)
        like = left[0]
        union = Atoms(
            np.empty(size, like.sums.dtype),
            np.empty(size, like.weights.dtype),
            None if self.one_sign else np.empty(size),
        )
        start = 0
        for (a, b), ways in zip(pairs, self.meeting_factors(m), strict=True):
            shape = (len(a), len(b))
            cells = union[start : start + len(a) * len(b)]
            np.add.outer(a.sums, b.sums, out=cells.sums.reshape(shape))
            np.multiply.outer(a.weights, b.weights, out=cells.weights.reshape(shape))
            if self.exact_weights:
                cells.weights[:] *= ways
            if cells.sizes is not None and a.sizes is not None and b.sizes is not None:
                np.add.outer(a.sizes, b.sizes, out=cells.sizes.reshape(shape))
            start += len(cells)
        return merge(union, self.ulps)

    def meeting_factors(self, m: int) -> Array:
        """What the weights of c draws of one group and m - c of another are multiplied by, for c = 0..m."""
        if not self.exact_weights:
            return np.ones(m + 1)
        return np.array([math.comb(m, c) for c in range(m + 1)], dtype=object)

    def _reserve(self, size: int) -> None:
        if size > current().max_atoms:
            k = len(self.multiples)
            _refuse(_described(k, self.n), multiset_count(k, self.n))

    @property
    def ulps(self) -> float:
        """Two sums are the same within this many eps of S (`merging`); 0 for exact sums."""
        return 0.0 if self.exact_sums else min(self.n, len(self.multiples)) + 2.0


def _singly(k: int) -> tuple[tuple[int, ...], ...]:
    """A step an outcome."""
    return tuple((j,) for j in range(k))


def _opposites(values: list[float]) -> tuple[tuple[int, ...], ...]:
    """A step an outcome, but for v and -v, which stand side by side."""
    steps: list[tuple[int, ...]] = []
    for j, v in enumerate(values):
        if steps and len(steps[-1]) == 1 and v == -values[j - 1] != 0:
            steps[-1] = (j - 1, j)
        else:
            steps.append((j,))
    return tuple(steps)


def _described(k: int, n: int) -> str:
    return f"the sum of {n} draws out of {k} outcomes"


def _refuse(what: str, size: int) -> None:
    raise over_budget(f"{what} has up to {in_words(size)} atoms", size, OF_A_SUM)


def combine(a: tuple[Array, Array, Any], b: tuple[Array, Array, Any]) -> tuple[Array, Array, Any]:
    """Law of A + B for independent A and B, each (sums, weights, mass): all pairs, merged within 8 eps (|a| + |b|).

    >>> a = np.array([0.0, 0.1]), np.array([0.5, 0.5]), 1.0
    >>> b = np.array([0.2, 0.3]), np.array([0.25, 0.75]), 1.0
    >>> sums, weights, _ = combine(a, b)
    >>> sums.tolist(), weights.tolist()
    ([0.2, 0.3, 0.4], [0.125, 0.5, 0.375])

    Raises SupportTooLarge past the budget of pairs, and UndefinedOutcome where a sum can be inf - inf.
    """
    size = len(a[0]) * len(b[0])
    if size > current().max_atoms:
        _refuse(f"the sum of two independent laws of {len(a[0])} and {len(b[0])} atoms", size)
    left, right = np.asarray(a[0], dtype=float), np.asarray(b[0], dtype=float)
    with np.errstate(invalid="ignore", over="ignore"):
        sums = np.add.outer(left, right).ravel()
    if np.isnan(sums).any():
        raise UndefinedOutcome("the sum can be inf + (-inf), which has no value; condition on finite outcomes first")
    if np.isinf(sums).any() and not (np.isinf(left).any() or np.isinf(right).any()):
        raise UndefinedOutcome("the sum leaves the range of floats; rescale the values")
    sizes = np.where(sums == 0, 0.0, np.add.outer(np.abs(left), np.abs(right)).ravel())  # v - v is exactly 0
    weights = np.multiply.outer(a[1], b[1]).ravel()
    merged = merge(Atoms(sums, weights, sizes), _COMBINE_ULPS)
    return merged.sums, merged.weights, a[2] * b[2]
