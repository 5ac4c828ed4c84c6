"""Mixed moments of sums of n independent vectors, in closed form: their cost does not grow with n."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from randvar.atoms.outcomes import Axis
from randvar.law import Law
from randvar.numbers.arrays import Array

__all__ = ["sum_moments", "sum_of"]


def sum_moments(columns: Sequence[Array], law: Law, n: int, degrees: Sequence[int]) -> dict[tuple[int, ...], Any]:
    """E[S_1^a_1 ... S_d^a_d] for all a <= degrees, S the sum of n independent rows of functions of a law's rows.

    The moment generating function of S is M(t)^n, with M(t) = sum_a E[Y^a] t^a / a!. Its coefficients g follow from the
    Euler operator D = sum_i t_i d/dt_i applied to g = f^n, f D g = n g D f (Miller's recurrence in d variables):

        |a| g_a = sum_{0 < b <= a} (n |b| - |a - b|) f_b g_{a-b}.

    Cost: O(k prod degrees + (prod degrees)^2) for k rows. Centre the columns first: then little cancels.
    Source: Knuth, The Art of Computer Programming, vol. 2, section 4.7, (9), for one variable.
    """
    exponents = list(itertools.product(*(range(d + 1) for d in degrees)))
    powers = [[column**k for k in range(d + 1)] for column, d in zip(columns, degrees, strict=True)]
    f = {a: law.average(Axis.of(_product(powers, a))) / _factorial(a) for a in exponents}
    g: dict[tuple[int, ...], Any] = {exponents[0]: f[exponents[0]]}
    for a in exponents[1:]:
        size = sum(a)
        terms = [
            (n * sum(b) - (size - sum(b))) * f[b] * g[tuple(i - j for i, j in zip(a, b, strict=True))]
            for b in itertools.product(*(range(i + 1) for i in a))
            if any(b)
        ]
        g[a] = sum_of(terms) / size
    return {a: g[a] * _factorial(a) for a in exponents}


def _product(powers: Sequence[Sequence[Array]], a: tuple[int, ...]) -> Array:
    result = powers[0][a[0]]
    for column, k in zip(powers[1:], a[1:], strict=True):
        result = result * column[k]
    return np.asarray(result)


def _factorial(a: tuple[int, ...]) -> int:
    return math.prod(map(math.factorial, a))


def sum_of(terms: Sequence[Any]) -> Any:
    """The sum of numbers of one kind: of floats correctly rounded, of others as it is."""
    return math.fsum(terms) if terms and all(isinstance(t, float) for t in terms) else sum(terms)
