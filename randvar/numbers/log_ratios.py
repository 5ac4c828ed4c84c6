"""Logarithms of ratios of probabilities, right to the last digits also where the ratio is near 1.

log p - log q loses what p and q have in common, and r - 1 - log r, r = q/p, loses twice as many digits. Probabilities
are integers over their sum (a float is one over a power of two), so that p - q rounds once:

    log(p/q) = log1p((p - q)/q),      p log(p/q) - p + q = p (e^x - 1 - x) with x = -log(p/q), by its series.
"""

from __future__ import annotations

import math

from randvar.numbers.arrays import Array

__all__ = ["divergence_term", "exp_remainder", "integer_weights", "log_quotient"]

_TERMS = 20  # of the series: 1/22! is below an ulp of 1/2


def integer_weights(weights: Array) -> tuple[list[int], int]:
    """Floats or exact numbers w_j as integers a_j over their sum: w_j / sum(w) = a_j / sum(a).

    >>> import numpy as np
    >>> integer_weights(np.array([0.5, 0.375, 0.125]))
    ([4, 3, 1], 8)
    """
    ratios = [w.as_integer_ratio() for w in weights.tolist()]
    unit = math.lcm(*{below for _, below in ratios})
    whole = [above * (unit // below) for above, below in ratios]
    return whole, sum(whole)


def log_quotient(a: int, b: int) -> float:
    """log(a/b) of positive integers of any size; inf for b = 0.

    >>> log_quotient(10**20 + 1, 10**20), log_quotient(3, 1) == math.log(3)
    (1e-20, True)
    """
    if b == 0:
        return math.inf
    if a <= 2 * b and b <= 2 * a:
        return math.log1p((a - b) / b)
    if abs(a.bit_length() - b.bit_length()) < 1000:
        return math.log(a / b)
    return math.log(a) - math.log(b)  # beyond floats: the difference is large, and loses nothing


def exp_remainder(x: float) -> float:
    """e^x - 1 - x >= 0, by its series x^2/2 (1 + x/3 (1 + x/4 (...))) for small x.

    >>> exp_remainder(1e-9), exp_remainder(1.0) == math.e - 2
    (5.000000001666667e-19, True)

    Raises OverflowError past the largest float.
    """
    if abs(x) >= 1:
        return math.expm1(x) - x
    series = 1.0
    for k in range(_TERMS, 2, -1):
        series = 1.0 + x / k * series
    return x * x / 2 * series


def divergence_term(p: float, q: float, log_ratio: float) -> float:
    """p log(p/q) - p + q >= 0, the term of one outcome in a divergence of p from q, given log(p/q).

    >>> divergence_term(0.5, 0.25, math.log(2)) == 0.5 * math.log(2) - 0.25
    True
    """
    if abs(log_ratio) < 1:
        return p * exp_remainder(-log_ratio)
    return p * log_ratio - p + q
