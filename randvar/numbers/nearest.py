"""What a float stands for: the simplest fraction near it."""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["simple_fraction"]


def simple_fraction(number: float, max_denominator: int) -> Fraction | None:
    """The fraction nearest to a float among those with small denominators, if it is within an ulp.

    >>> simple_fraction(0.3, 10**6), simple_fraction(2**0.5, 10**6)
    (Fraction(3, 10), None)
    """
    fraction = Fraction(number).limit_denominator(max_denominator)
    return fraction if abs(float(fraction) - number) <= math.ulp(number) else None
