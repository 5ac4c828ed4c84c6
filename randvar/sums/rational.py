"""Sums in exact rational arithmetic: integers over one denominator, fractions only when read.

On a lattice the weights of n draws are the coefficients of (a_0 + a_1 z + ... + a_d z^d)^n. Where they are short, they
are digits of one integer, the power of a_0 + a_1 B + ... (Kronecker substitution: von zur Gathen and Gerhard, Modern
Computer Algebra, section 8.4); else they come from J. C. P. Miller's recurrence (Knuth, TAOCP 2, 4.7), which serves a
product of such powers too, or from FLINT where it is installed. Other values go through the programme over outcomes,
on a dictionary. Nothing here uses the rooms for floats, which are tested against it.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from randvar.context import RAISE_IT, current, over_budget
from randvar.numbers.fractions import over_one_unit
from randvar.sums.group import Group
from randvar.sums.multinomial import in_words, multiset_count

__all__ = ["ExactLaw", "by_polynomials", "by_recurrence", "flint_polynomial", "product_of_powers", "rational_sum"]

# a lattice point costs a few products of integers, a multiset several look-ups in a dictionary
_LATTICE_POINTS_PER_MULTISET = 8
_FEW = 256  # lattice points that are added before multisets are counted
_SHORT = 512  # coefficients that one power of an integer gives sooner than the recurrence
_WORD = 2**64


class ExactLaw(NamedTuple):
    """P(S = values[i] / unit) = weights[i] / mass, in integers, ascending, each weight positive."""

    values: list[int]
    unit: int
    weights: list[int]
    mass: int

    def outcomes(self) -> list[Fraction]:
        """The values in lowest terms."""
        return [Fraction(v, self.unit) for v in self.values]


def product_of_powers(factors: list[tuple[list[int], int]]) -> list[int]:
    """The coefficients of f = prod a^n over factors (a, n) of integers >= 0, the first and last of which are not 0.

    >>> product_of_powers([([1, 1, 1], 3)])
    [1, 3, 6, 7, 6, 3, 1]
    """
    size, mass = 1 + sum([n * (len(a) - 1) for a, n in factors]), math.prod([sum(a) ** n for a, n in factors])
    return _as_digits(factors, size) if size <= _SHORT and mass < _WORD else by_polynomials(factors)


def _as_digits(factors: list[tuple[list[int], int]], size: int) -> list[int]:
    """As digits to the base 2^64, where their sum is smaller, and so each of them."""
    number = math.prod([sum([a_i << (64 * i) for i, a_i in enumerate(a)]) ** n for a, n in factors])
    return np.frombuffer(number.to_bytes(8 * size, "little"), dtype="<u8").tolist()  # type: ignore[no-any-return]


def by_polynomials(factors: list[tuple[list[int], int]]) -> list[int]:
    """By FLINT where python-flint is installed, which is faster and gives the same integers; else by recurrence."""
    polynomial = flint_polynomial()
    if polynomial is None:
        return by_recurrence(factors)
    product = polynomial([1])
    for a, n in factors:
        product *= polynomial(a) ** n
    coefficients = product.coeffs()
    if all(a == a[::-1] for a, _ in factors):  # half of them are enough, and Python's integers are what takes time
        half = list(map(int, coefficients[: (len(coefficients) + 1) // 2]))
        return half + half[: len(coefficients) // 2][::-1]
    return list(map(int, coefficients))


@functools.cache
def flint_polynomial() -> Any:
    """Polynomials with integer coefficients of python-flint, if it is installed."""
    try:
        from flint import fmpz_poly
    except ImportError:
        return None
    return fmpz_poly


def by_recurrence(factors: list[tuple[list[int], int]]) -> list[int]:
    """`product_of_powers` in Python's integers.

    Since f'/f = sum n a'/a, the short polynomials A = prod a and B = A sum n a'/a satisfy A f' = B f.  The coefficient
    of z^(k-1) is an exact division for f_k, Miller's recurrence when there is one factor:

        k A_0 f_k = sum_{i >= 1} (B_{i-1} - (k - i) A_i) f_{k-i}.
    """
    A, B = [1], [0]
    for a, n in factors:
        slope = [n * i * a_i for i, a_i in enumerate(a)][1:]
        A, B = _times(A, a), _plus(_times(B, a), _times(A, slope))
    steps = [(i, b + i * a, a) for i, (a, b) in enumerate(zip(A[1:], B, strict=False), start=1) if a or b]
    size = 1 + sum([n * (len(a) - 1) for a, n in factors])
    symmetric = all(a == a[::-1] for a, _ in factors)
    f = [math.prod(a[0] ** n for a, n in factors)]
    for k in range(1, (size + 1) // 2 if symmetric else size):
        f.append(sum([(b - k * a) * f[k - i] for i, b, a in steps if i <= k]) // (k * A[0]))
    return f + f[: size // 2][::-1] if symmetric else f


def _times(f: list[int], g: list[int]) -> list[int]:
    product = [0] * (len(f) + len(g) - 1)
    for i, a in enumerate(f):
        for j, b in enumerate(g):
            product[i + j] += a * b
    return product


def _plus(f: list[int], g: list[int]) -> list[int]:
    return [a + b for a, b in zip_longest(f, g, fillvalue=0)]


def rational_sum(groups: Sequence[Group]) -> ExactLaw:
    """Law of the sum of all draws, whose values are ints or Fractions and whose weights are integers over their sum.

    >>> import numpy as np
    >>> two_flips = Group(np.array([0, 1]), np.array([1, 1], dtype=object), 2)
    >>> half = Group(np.array([0, Fraction(1, 2)]), np.array([1, 2], dtype=object), 1)
    >>> law = rational_sum([two_flips, half])
    >>> [str(v) for v in law.outcomes()], law.weights, law.mass
    (['0', '1/2', '1', '3/2', '2', '5/2'], [1, 2, 2, 4, 1, 2], 12)

    Raises SupportTooLarge where neither the lattice of the values nor a stage of the programme fits the budget.
    """
    laws, unit = _over_one_unit([group for group in groups if group.copies])
    origin = sum([copies * min(law) for law, copies in laws])
    step = math.gcd(*[v - low for law, _ in laws for low in [min(law)] for v in law]) or 1
    points = 1 + sum([copies * (max(law) - min(law)) for law, copies in laws]) // step
    mass = math.prod([sum(law.values()) ** copies for law, copies in laws])
    if points <= min(current().max_atoms, _FEW) or _is_for_a_lattice(laws, points):
        weights = product_of_powers([(_coefficients(law, step), copies) for law, copies in laws])
        if all(weights):
            return ExactLaw(list(range(origin, origin + step * points, step)), unit, weights, mass)
        atoms = {origin + i * step: weight for i, weight in enumerate(weights) if weight}
    else:
        atoms = _sparse_sum(laws, _Budget(min(points, _multisets(laws))))
    values = sorted(atoms)
    return ExactLaw(values, unit, [atoms[v] for v in values], mass)


def _is_for_a_lattice(laws: list[tuple[_Law, int]], points: int) -> bool:
    return points <= min(current().max_atoms, _LATTICE_POINTS_PER_MULTISET * _multisets(laws))


def _multisets(laws: list[tuple[_Law, int]]) -> int:
    return math.prod([multiset_count(len(law), copies) for law, copies in laws])


# {value: weight} in integers
_Law = dict[int, int]


def _over_one_unit(groups: Sequence[Group]) -> tuple[list[tuple[_Law, int]], int]:
    """Each group as integers, the values over one common denominator, equal values added up."""
    flat, unit = over_one_unit([v for group in groups for v in group.values.tolist()])
    laws, begin = [], 0
    for group in groups:
        end = begin + len(group.weights)
        law: _Law = {}
        for v, weight in zip(flat[begin:end], group.weights.tolist(), strict=True):
            law[v] = law.get(v, 0) + weight
        laws.append((law, group.copies))
        begin = end
    return laws, unit


def _coefficients(law: _Law, step: int) -> list[int]:
    """The weights of one draw as those of a polynomial, one a lattice point."""
    low = min(law)
    weights = [0] * ((max(law) - low) // step + 1)
    for v, weight in law.items():
        weights[(v - low) // step] = weight
    return weights


@dataclass(frozen=True)
class _Budget:
    """What a stage may hold, and how many atoms the law could have."""

    size: int

    def reserve(self, stage: int) -> None:
        if stage > current().max_atoms:
            what = f"the exact law of the sum has up to {in_words(self.size)} atoms"
            fewer = "its moments need none of them; stochastic_rounding(x, step) has fewer and the same mean"
            raise over_budget(what, self.size, f"{fewer}, or {RAISE_IT}")


def _sparse_sum(laws: list[tuple[_Law, int]], budget: _Budget) -> _Law:
    """The sum on dictionaries, for values so far apart that a lattice would be nearly empty."""
    total: _Law = {0: 1}
    for law, copies in laws:
        power = _sparse_power(law, copies, budget)
        budget.reserve(len(total) * len(power))
        product: Counter[int] = Counter()
        for u, a in total.items():
            for v, b in power.items():
                product[u + v] += a * b
        total = product
    return total


def _sparse_power(law: _Law, n: int, budget: _Budget) -> _Law:
    """The programme over outcomes: table[m] holds the sums of m draws from the outcomes seen so far."""
    table: list[_Law] = [{0: 1}] + [{} for _ in range(n)]
    for v, weight in law.items():
        extended: list[_Law] = []
        for m in range(n + 1):
            budget.reserve(sum(map(len, table[: m + 1])))
            sums: Counter[int] = Counter()
            for c in range(m + 1):
                ways = math.comb(m, c) * weight**c
                for u, a in table[m - c].items():
                    sums[u + c * v] += ways * a
            extended.append(sums)
        table = extended
    return table[n]
