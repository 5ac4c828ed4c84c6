"""P(X_1 + ... + X_n <= t) without the law: two tables whose sizes are near the square root of the law's.

Split the outcomes into two groups.  Every sum is a + b, with a from m draws of the first group and b from n - m of the
second, so that for each m

    P(a + b <= t) = sum over a of w_a * W(t - a),     W = cumulative weights of the sorted b,

one binary search for each a (Horowitz and Sahni 1974).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from randvar.atoms.merging import Atoms
from randvar.context import RAISE_IT, current
from randvar.errors import SupportTooLarge
from randvar.numbers.arrays import EPS, Array
from randvar.sums.multinomial import in_words, multiset_count
from randvar.sums.programme import Programme

__all__ = ["MeetInTheMiddle"]


class MeetInTheMiddle:
    """The distribution function of the sum of n independent draws of floats or integers, one point at a time.

    `probs` are floats (the law is that of p / sum(p)) or exact numbers, which give an exact answer.

    >>> halves = MeetInTheMiddle(np.array([1.0, 2.0, 3.0, 4.0]), np.full(4, 0.25), 2)
    >>> round(halves.cdf(4.0), 15)
    0.375

    Raises SupportTooLarge where a table could hold more than the budget, C(k/2 + n, n) sums, before it is built.
    Memory: about 50 bytes an atom of the two tables.  Cost: O(M log M) to build and for each point, M atoms.
    """

    def __init__(self, values: Array, probs: Array, n: int) -> None:
        if len(values) == 1:  # an impossible outcome, so that neither group is empty
            values, probs = np.append(values, values[:1] * 0), np.append(probs, 0)
        k = len(values)
        half = k // 2
        size = multiset_count(k - half + 1, n)
        if size > current().max_atoms:
            raise SupportTooLarge(
                f"half of the {k} outcomes make {in_words(size)} sums of up to {n} draws, more than"
                f" max_atoms={current().max_atoms:,}; law_bounds encloses the CDF without sums, or {RAISE_IT}",
                size=size,
                budget=current().max_atoms,
            )
        build = Programme.of_floats if values.dtype.kind == "f" else Programme.of_keys
        programme = build(values, probs, n)
        tolerance = programme.ulps * EPS
        self._scale = programme.scale
        self._draws_meet = programme.meeting_factors(n)
        self._left = [_least(atoms, tolerance) for atoms in programme.table(0, half)]
        right = [_least(atoms, tolerance) for atoms in programme.table(half, k)]
        self._right = [(least, np.concatenate(([0], np.cumsum(weights)))) for least, weights in right]

    def cdf(self, t: float) -> Any:
        """P(X_1 + ... + X_n <= t), where a sum that equals t up to its rounding counts as equal; integers do not round.

        For P(X_1 + ... + X_n >= t) to its own relative accuracy, ask the negated values for cdf(-t).
        """
        pairs = zip(self._left, reversed(self._right), self._draws_meet, strict=True)
        parts = [
            ways * (weights @ below[np.searchsorted(right, t - left[::-1], side="right")[::-1]])
            for (left, weights), (right, below), ways in pairs
        ]
        if isinstance(self._scale, float):
            return min(math.fsum(parts) * self._scale, 1.0)
        return sum(parts) * self._scale


def _least(atoms: Atoms, tolerance: float) -> tuple[Array, Array]:
    """The least that each sum can be, given its rounding, in ascending order; and the weights."""
    sizes = np.abs(atoms.sums) if atoms.sizes is None else atoms.sizes
    least = atoms.sums - tolerance * sizes if tolerance else atoms.sums
    order = np.argsort(least)
    return least[order], atoms.weights[order]
