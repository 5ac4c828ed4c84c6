"""The right answers: integers, fractions and 70-digit numbers, by textbook formulas, without randvar."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["deviation_law", "dice_probability", "dice_reach", "dice_ways", "multisets", "power_law"]

_NEGLIGIBLE = 1e-300


def dice_ways(n: int, totals: Iterable[int]) -> list[int]:
    """How many of the 6^n throws of n dice have each total t: sum_j (-1)^j C(n, j) C(t - 6j - 1, n - 1) (de Moivre)."""
    signed = [(-1) ** j * math.comb(n, j) for j in range(5 * n // 12 + 1)]
    rising = [1]
    for m in range(1, 5 * n // 2 + 1):
        rising.append(rising[-1] * (m + n - 1) // m)  # C(m + n - 1, n - 1)

    def ways(t: int) -> int:
        m = min(t, 7 * n - t) - n
        return sum(signed[j] * rising[m - 6 * j] for j in range(m // 6 + 1))

    return [ways(t) for t in totals]


def dice_probability(n: int, total: int) -> Any:
    """P(sum of n dice = total) as an mpmath number right to 50 digits.

    Cauchy's integral for the coefficient, on the circle through the saddle point, as a sum over equally spaced angles.
    The sum adds the tilted probabilities of total + i*N, which lie 60 standard deviations away (nothing to 50 digits).
    """
    import mpmath

    with mpmath.workdps(70):
        near, deviation = _saddle_point(n, total)
        tilt = mpmath.mpf(near)
        points = min(5 * n + 1, math.ceil(60 * deviation) + 60) | 1  # odd: angles come in pairs
        at_zero = sum(mpmath.exp(tilt * face) for face in range(1, 7)) / 6
        whole = mpmath.mpf(1)
        for m in range(1, points // 2 + 1):
            angle = 2 * mpmath.pi * m / points
            z = mpmath.exp(mpmath.mpc(tilt, angle))
            term = n * mpmath.log(sum(z**face for face in range(1, 7)) / 6 / at_zero) - mpmath.mpc(0, angle * total)
            if term.real < -140:  # below 1e-60, and the terms fall from here on
                break
            whole += 2 * mpmath.re(mpmath.exp(term))
        return mpmath.exp(n * mpmath.log(at_zero) - tilt * total) * whole / points


def _saddle_point(n: int, total: int) -> tuple[float, float]:
    """The tilt under which the expected sum is the total, and the standard deviation of the tilted sum."""
    faces = np.arange(1, 7)

    def moments(tilt: float) -> tuple[float, float]:
        weights = np.exp(tilt * (faces - 3.5))
        mean = float(faces @ weights / weights.sum())
        return n * mean, math.sqrt(n * float((faces - mean) ** 2 @ weights / weights.sum()))

    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if moments(middle)[0] < total else (low, middle)
    return low, moments(low)[1]


def dice_reach(n: int) -> int:
    """The smallest total of n dice whose probability is above 1e-300; the probabilities rise from there to 3.5 n."""
    low, high = n, 7 * n // 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if dice_probability(n, middle) > _NEGLIGIBLE else (middle + 1, high)
    return low


def power_law(faces: Sequence[int], weights: Sequence[int], n: int) -> dict[int, int]:
    """The products of n draws, each with the number of ways (draws in order, times the weights)."""
    law = {1: 1}
    for _ in range(n):
        longer: Counter[int] = Counter()
        for product, ways in law.items():
            for face, weight in zip(faces, weights, strict=True):
                longer[product * face] += ways * weight
        law = dict(longer)
    return law


def multisets(weights: Sequence[int], n: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every multiset of n draws as how often each outcome came, with n!/(c_1! ... c_k!) w_1^c_1 ... w_k^c_k."""
    k = len(weights)
    for bars in itertools.combinations(range(n + k - 1), k - 1):
        counts = tuple(b - a - 1 for a, b in itertools.pairwise((-1, *bars, n + k - 1)))
        ways, left = 1, n
        for count, weight in zip(counts, weights, strict=True):
            ways *= math.comb(left, count) * weight**count
            left -= count
        yield counts, ways


def deviation_law(outcomes: Sequence[int], weights: Sequence[int], n: int) -> dict[int, Fraction]:
    """The law of n^2 times the variance of n draws, n sum x^2 - (sum x)^2, an integer; draw by draw."""
    law: dict[tuple[int, int], int] = {(0, 0): 1}
    for _ in range(n):
        longer: Counter[tuple[int, int]] = Counter()
        for (total, squares), ways in law.items():
            for x, weight in zip(outcomes, weights, strict=True):
                longer[total + x, squares + x * x] += ways * weight
        law = dict(longer)
    spread: Counter[int] = Counter()
    for (total, squares), ways in law.items():
        spread[n * squares - total * total] += ways
    return {v: Fraction(ways, sum(weights) ** n) for v, ways in spread.items()}
