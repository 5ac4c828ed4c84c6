"""Bounds on the CDF of a sum by rounding its values to a fine lattice, whose law one FFT computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from randvar.bounds.chernoff import UNIT_ROUNDOFF, IndependentSum
from randvar.numbers.arrays import Array
from randvar.sums.fourier import irfft, rfft

__all__ = ["complex_power", "rounding_bounds"]

_MASS = 1e-9  # given away at each tail: far below the width that rounding reaches


def rounding_bounds(total: IndependentSum, points: Sequence[Fraction], size: int) -> tuple[Array, Array]:
    """lower, upper with lower <= P(S < t) and P(S <= t) <= upper at each point t (not yet clipped to [0, 1]).

    Write each centred value as h*(k + r) with k an integer and |r| <= 1/2. Then (S - C)/h = K + R, where K and R add up
    the k and the r of all draws, and for any D+, D- with P(R > D+) <= eps and P(R < -D-) <= eps

        P(S <= t) <= P(K <= x + D-) + eps,      P(S < t) >= P(K < x - D+) - eps,      x = (t - C)/h,

    because S <= t and R >= -D- force K <= x + D-, and K < x - D+ and R <= D+ force S < t. The k and the x are exact,
    D+- come from Chernoff: about h*sqrt(n/12 * 2*log(1/eps)), not the h*n/2 of the worst case.

    The law of K is computed modulo L = `size` (rounded up to a power of two). With a window of L integers starting at
    a, mass outside the window lands somewhere within it, so that sum_{a <= s <= m} of the circular law differs from
    P(K <= m) by at most P(K < a) + P(K >= a + L), bounded by Chernoff again. `_circular_law` bounds its own rounding.

    Width about 3*sigma*D*density: 6e-4 for 50 irregular values, n = 1000, L = 2^20. Cost: O(L log L).
    """
    length = 1 << max(4, (size - 1).bit_length())
    low, high = total.window(_MASS)
    step = Fraction(float((high - low) / total.unit) * 17 / 16 / length or 1.0) * total.unit
    cells = total.multiples_of(step)
    first = math.floor(low / step) - length // 40

    residuals = [
        [offset / step - cell for offset, cell in zip(term.offsets, row, strict=True)]
        for term, row in zip(total.terms, cells, strict=True)
    ]
    above = Fraction(total.upper_tail(residuals).quantile(_MASS))
    below = Fraction(total.upper_tail([[-r for r in row] for row in residuals]).quantile(_MASS))
    outside = total.upper_tail(cells).probability(float(first + length - 1))
    outside += total.upper_tail([[-cell for cell in row] for row in cells]).probability(float(-first))

    law, error = _circular_law(total, cells, first, length)
    cumulative = np.concatenate(([0.0], np.cumsum(law)))
    places = [(t - total.centre) / step for t in points]
    upper_cells = np.array([min(max(math.floor(x + below) - first + 1, 0), length) for x in places], dtype=int)
    lower_cells = np.array([min(max(math.ceil(x - above) - first, 0), length) for x in places], dtype=int)
    pad = (error + outside + _MASS) * (1 + 1e-9)
    return cumulative[lower_cells] - pad, cumulative[upper_cells] + pad


def _circular_law(
    total: IndependentSum, cells: Sequence[Sequence[int]], first: int, length: int
) -> tuple[Array, float]:
    """Law of (K - first) mod length, and a bound on the error of any partial sum of it added up from the left.

    With u = 2^-53, N draws and F_j the transform of the law of one draw of term j:

    * probabilities within u, up to k in a cell: one draw's law is off by k_j*u in l1, K's by (1 + k*u)^N - 1;
    * forward FFT: ||dF_j||_2 <= delta_j = eta * sqrt(L) * ||law_j||_2, eta = 16*u*log2(L). Higham 2002, theorem 24.2
      has log2(L) * (mu + 4u*(sqrt 2 + mu)) for radix 2 and twiddles good to mu, under 7u a stage for mu = u; a
      radix-4 stage does no more operations than two of radix 2, and the factor left over is for implementation;
    * powers: |F_j| <= 1 + k_j*u, so ||d prod F_j^n_j||_2 <= d*exp(d + N*k*u), d = sum n_j*delta_j; computing them by
      products (`complex_power`) adds 3*u*N*||F||_2, with ||F||_2 <= sqrt(L) times the same exponential;
    * inverse FFT: eta*||F||_2 / sqrt(L) in l2, and l1 <= sqrt(L) * l2: so far the sum of the l2 errors on the spectrum;
    * negative probabilities are set to 0, which only helps; adding up L numbers of total mass about 1 costs L*u.
    """
    eta = 16 * UNIT_ROUNDOFF * math.log2(length)
    spectrum = np.ones(length // 2 + 1, dtype=complex)
    forward = weights = 0.0
    for term, row in zip(total.terms, cells, strict=True):
        places = np.array([cell % length for cell in row])
        law = np.bincount(places, weights=term.probs, minlength=length)
        spectrum *= complex_power(rfft(law), term.copies)
        forward += term.copies * eta * math.sqrt(length) * float(np.linalg.norm(law))
        weights += term.copies * (len(row) + 2) * UNIT_ROUNDOFF
    law = np.maximum(irfft(spectrum, length), 0.0)
    draws = total.copies + len(total.terms)
    relative = eta + 3 * UNIT_ROUNDOFF * draws
    spectral = (forward + math.sqrt(length) * relative) * math.exp(min(forward + weights, 1.0))
    error = math.expm1(min(weights, 1.0)) + spectral + length * UNIT_ROUNDOFF
    return np.roll(law, -first % length), 1.01 * error


def complex_power(base: Array, exponent: int) -> Array:
    """base ** exponent for complex numbers, within a relative (1 + 3u)^exponent - 1 (underflow apart).

    By squarings, since a complex product is good to sqrt(5)*u (Brent, Percival, Zimmermann 2007) and the errors of a
    product of `exponent` factors add up, whatever the bracketing; exp(exponent * log(base)) has no such bound.
    """
    result = np.ones_like(base)
    while exponent:
        if exponent & 1:
            result = result * base
        exponent >>= 1
        if exponent:
            base = base * base
    return result
