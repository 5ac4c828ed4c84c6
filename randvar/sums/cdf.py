"""P(X_1 + ... + X_n <= t) without the law: two tables whose sizes are near the square root of the law's.

Split the outcomes into two groups.  Every sum is a + b, with a from m draws of the first group and b from n - m of the
second, so that for each m

    P(a + b <= t) = sum over a of w_a * W(t - a),     W = cumulative weights of the sorted b,

one binary search for each a (Horowitz and Sahni 1974).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.context import OF_A_SUM, RAISE_IT, check_budget, current, over_budget
from randvar.errors import described
from randvar.numbers.arrays import EPS, WORD, Array, object_array, one_number
from randvar.numbers.kinds import WORDS, kind_of
from randvar.sums.door import floats_of
from randvar.sums.grid import exact_grid
from randvar.sums.group import Group
from randvar.sums.merging import Atoms
from randvar.sums.multinomial import in_words, multiset_count
from randvar.sums.programme import Programme

__all__ = ["MeetInTheMiddle", "distribution_function"]


def distribution_function(groups: Sequence[Group], value: Any) -> tuple[Any, Any]:
    """P(sum <= value) = part / mass without the law, for one group of draws (and shifts), given as (part, mass).

    Raises SupportTooLarge where those are too large as well, or where several groups of draws vary.
    """
    varying = [g for g in groups if g.copies and len(g.values) > 1]
    if len(varying) != 1:
        size = math.prod(multiset_count(len(g.values), g.copies) for g in varying)
        check_budget(max(size, current().max_atoms + 1), "this sum of several groups of draws", OF_A_SUM)
    if kind_of([value]) is WORDS:
        raise TypeError(f"cdf takes a value that can be compared with a sum of numbers, got {described(value)}")
    group = varying[0]
    certain = [(g.copies, g.values.tolist()[0]) for g in groups if g.copies and len(g.values) == 1]
    values, target = _from_the_least(group.values, group.copies, certain, value)
    return MeetInTheMiddle(values, group.weights, group.copies).part(target)


def _from_the_least(
    values: Array, copies: int, certain: Sequence[tuple[int, Any]], value: Any
) -> tuple[Array, float | int]:
    """The values of a draw, and what to compare sums with: whole steps from the least where sums are exact, which
    floats would round.
    """
    numbers = values.tolist()
    if not all(map(_is_rational, (value, *(shift for _, shift in certain)))):
        return floats_of(values).astype(float), float(value) - float(sum(n * shift for n, shift in certain))
    shift = sum((n * Fraction(v) for n, v in certain), Fraction(0))
    if not all(isinstance(v, (int, Fraction)) for v in numbers) and exact_grid([values], [copies]) is None:
        return floats_of(values).astype(float), _nearest_float(Fraction(value) - shift)
    exact = [Fraction(v) for v in numbers]
    step = Fraction(1, math.lcm(*(v.denominator for v in exact)))
    least = min(exact)
    lowest = copies * least + shift
    target = (Fraction(value) - lowest) / step
    if one_number(lowest + round(target) * step, value):
        target = Fraction(round(target))
    keys = [int((v - least) / step) for v in exact]
    highest = copies * max(keys)
    within = max(-1, min(math.floor(target), highest))
    return (np.array(keys) if highest < WORD else object_array(keys)), within


def _is_rational(v: Any) -> bool:
    return isinstance(v, (int, Fraction)) or (isinstance(v, float) and math.isfinite(v))


def _nearest_float(number: Any) -> float:
    """An infinity for what is beyond the floats: no sum of floats is."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


class MeetInTheMiddle:
    """The distribution function of the sum of n independent draws of floats or integers, one point at a time.

    `probs` are floats (the law is that of p / sum(p)) or exact numbers, which give an exact answer.

    >>> halves = MeetInTheMiddle(np.array([1.0, 2.0, 3.0, 4.0]), np.full(4, 0.25), 2)
    >>> round(halves.part(4.0)[0], 15)
    0.375

    Raises SupportTooLarge where a table could hold more than the budget, C(k/2 + n, n) sums, before it is built.
    Memory: about 50 bytes an atom of the two tables.  Cost: O(M log M) to build and for each point, M atoms.
    """

    def __init__(self, values: Array, probs: Array, n: int) -> None:
        if len(set(map(abs, values.tolist()))) == 1:  # an impossible outcome, so that neither group is empty
            values, probs = np.append(values, values[:1] * 0), np.append(probs, 0)
        k = len(values)
        size = multiset_count(k - k // 2 + 1, n)
        if size > current().max_atoms:
            what = f"half of the {k} outcomes make {in_words(size)} sums of up to {n} draws"
            raise over_budget(what, size, f"law_bounds encloses the CDF without sums, or {RAISE_IT}")
        build = Programme.of_floats if values.dtype.kind == "f" else Programme.of_keys
        programme = build(values, probs, n)
        tolerance = programme.ulps * EPS
        self._scale, self._mass = programme.scale, programme.mass
        self._draws_meet = programme.meeting_factors(n)
        half, steps = len(programme.steps) // 2, len(programme.steps)
        self._left = [_least(atoms, tolerance) for atoms in programme.table(0, half)]
        right = [_least(atoms, tolerance) for atoms in programme.table(half, steps)]
        self._right = [(least, np.concatenate(([0], np.cumsum(weights)))) for least, weights in right]

    def part(self, t: float) -> tuple[Any, Any]:
        """P(X_1 + ... + X_n <= t) as (part, mass), where a sum that equals t up to its
        rounding counts as equal; integers do not round.

        For P(X_1 + ... + X_n >= t) to its own relative accuracy, ask the negated values for part(-t).
        """
        pairs = zip(self._left, reversed(self._right), self._draws_meet, strict=True)
        parts = [
            ways * (weights @ below[np.searchsorted(right, t - left[::-1], side="right")[::-1]])
            for (left, weights), (right, below), ways in pairs
        ]
        if isinstance(self._scale, float):
            return min(math.fsum(parts) * self._scale, 1.0), 1.0
        return sum(parts), self._mass


def _least(atoms: Atoms, tolerance: float) -> tuple[Array, Array]:
    """The least that each sum can be, given its rounding, in ascending order; and the weights."""
    sizes = np.abs(atoms.sums) if atoms.sizes is None else atoms.sizes
    least = atoms.sums - tolerance * sizes if tolerance else atoms.sums
    order = np.argsort(least)
    return least[order], atoms.weights[order]
