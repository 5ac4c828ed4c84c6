"""Fractions: weights are integers over one integer, their mass, and a Fraction is made when one is read.

An outcome is an int or a Fraction; whole outcomes stay machine integers where they fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from randvar.errors import InvalidLaw
from randvar.numbers.arrays import Array, object_array
from randvar.numbers.base import Numbers
from randvar.numbers.moment_formulas import from_raw_moments

__all__ = ["FRACTIONS", "exact_quotient", "lowest_terms", "over_one_unit"]


def over_one_unit(numbers: Sequence[Any]) -> tuple[list[int], int]:
    """Ints and Fractions as integers over their least common denominator.

    >>> over_one_unit([1, Fraction(1, 2), Fraction(2, 3)])
    ([6, 3, 4], 6)
    """
    unit = math.lcm(*[n.denominator for n in numbers])
    if unit == 1:
        return [int(n) for n in numbers], 1
    return [n.numerator * (unit // n.denominator) for n in numbers], unit


def lowest_terms(numerators: Sequence[int], denominator: int) -> Iterable[Fraction]:
    """Each numerator / denominator, where gcds of thousands of digits would cost more than the law did.

    Let M be a short divisor of the denominator with the same prime factors, and g = gcd(w, M).  If M/g still holds each
    of them, then no higher power divides w, and g = gcd(w, denominator).
    """
    primes = _prime_factors(denominator) if denominator.bit_length() > _LONG_BITS else None
    return [Fraction(w, denominator) for w in numerators] if primes is None else _long(numerators, denominator, primes)


def _long(numerators: Sequence[int], denominator: int, primes: int) -> Iterator[Fraction]:
    modulus = math.gcd(denominator, primes ** max(1, _SHORT_BITS // primes.bit_length()))
    holds_all: dict[int, bool] = {}
    reduced: dict[int, int] = {}
    for w in numerators:
        g = math.gcd(w % modulus, modulus)
        if g not in holds_all:
            holds_all[g] = pow(modulus // g, primes.bit_length(), primes) == 0
        if not holds_all[g]:
            g = math.gcd(w, denominator)
        if g not in reduced:
            reduced[g] = denominator // g
        yield _coprime(w // g, reduced[g])


def _prime_factors(number: int) -> int | None:
    """The product of the primes that divide it, if all of them are small: a mass is a power of a short one."""
    found = 1
    for p in _SMALL_PRIMES:
        if number % p == 0:
            found *= p
            while number % (p**64) == 0:
                number //= p**64
            while number % p == 0:
                number //= p
        if number == 1:
            return found
    return None


# a Fraction of two integers that are known to be coprime: Python 3.12 has a constructor, before it was a flag
_coprime = getattr(Fraction, "_from_coprime_ints", None) or partial(Fraction, _normalize=False)
_LONG_BITS = 256  # of a denominator from which its factors are looked for
_SHORT_BITS = 60  # of an integer that arithmetic does in a word or two
_SMALL_PRIMES = [p for p in range(2, 1000) if all(p % q for q in range(2, math.isqrt(p) + 1))]


def exact_quotient(a: Any, b: Any) -> Any:
    """a / b, exact when both are exact (int / int is a Fraction)."""
    return Fraction(a, b) if isinstance(a, int) and isinstance(b, int) else a / b


class Fractions(Numbers):
    kind = "rational"
    name = "fractions"

    def weighed(self, numbers: Sequence[Any]) -> tuple[Array, Any]:
        """Raises InvalidLaw for a negative number."""
        for number in numbers:
            if number < 0:
                raise InvalidLaw(f"a probability must be a number between 0 and 1, got {number}")
        whole, unit = over_one_unit(numbers)
        return object_array(whole), unit

    def share(self, part: Any, mass: Any) -> Fraction:
        """In lowest terms."""
        return Fraction(part, mass)

    def adopted(self, weights: Array, mass: Any, of: Numbers) -> tuple[Array, Any]:
        """Nothing but fractions joins fractions."""
        return weights, mass

    def reduced(self, weights: Array, mass: Any) -> tuple[Array, Any]:
        """Divided by what all of them share."""
        common = math.gcd(mass, *weights.tolist())
        return (weights, mass) if common == 1 else (weights // common, mass // common)

    def over_one_mass(self, masses: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Their least common multiple."""
        common = math.lcm(*masses)
        return common, [common // mass for mass in masses]

    def shares(self, weights: Array, mass: Any) -> Array:
        """In lowest terms."""
        distinct = list(set(weights.tolist()))  # a symmetric law has each of them twice
        known = dict(zip(distinct, lowest_terms(distinct, mass), strict=True))
        return object_array([known[w] for w in weights.tolist()])

    def total(self, weights: Array) -> int:
        """Exact."""
        return sum(weights.tolist())

    def quotient(self, a: Any, b: Any) -> Any:
        """Of two ints a Fraction."""
        return exact_quotient(a, b)

    def exact_root(self, number: Any) -> Any:
        """A Fraction where it is one, else a float; floats and expressions among exact outcomes have their own."""
        if not isinstance(number, (int, Fraction)):
            return number ** Fraction(1, 2)
        root = Fraction(math.isqrt(number.numerator), math.isqrt(number.denominator))
        return root if root**2 == number else self.root(number)

    def mean(self, values: Array, weights: Array, mass: Any) -> Fraction:
        """Exact."""
        whole, unit = over_one_unit(values.tolist())
        return Fraction(sum(map(int.__mul__, whole, weights.tolist())), unit * mass)

    def cumulants(self, values: Array, weights: Array, mass: Any, order: int) -> tuple[Any, ...]:
        """From the moments about 0: nothing is lost where exact numbers cancel."""
        whole, unit = over_one_unit(values.tolist())
        terms, raw = weights.tolist(), []
        for k in range(1, order + 1):
            terms = list(map(int.__mul__, terms, whole))
            raw.append(Fraction(sum(terms), mass * unit**k))
        return (raw[0], raw[1] - raw[0] ** 2) if order == 2 else from_raw_moments(raw)


FRACTIONS = Fractions()
