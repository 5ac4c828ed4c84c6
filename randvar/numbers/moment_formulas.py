"""The first four cumulants, from moments: one formula for floats, Decimals and ring elements.

Source: Kendall & Stuart, The Advanced Theory of Statistics, vol. 1, sections 3.13 and 3.14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["Cumulants", "from_central_moments", "from_raw_moments"]

Cumulants = tuple[Any, Any, Any, Any]


def from_central_moments(mean: Any, central: Sequence[Any]) -> Cumulants:
    """(k1, k2, k3, k4) = (mean, mu2, mu3, mu4 - 3 mu2^2), from the mean and the moments about it.

    >>> from_central_moments(0, (1, 0, 3))  # a standard normal law
    (0, 1, 0, 0)
    """
    mu2, mu3, mu4 = central
    return mean, mu2, mu3, mu4 - 3 * mu2**2


def from_raw_moments(raw: Sequence[Any]) -> Cumulants:
    """(k1, k2, k3, k4) from E[X], ..., E[X^4]. They cancel: for exact numbers, or ones of many digits.

    >>> from_raw_moments((1, 2, 5, 15))  # the Poisson law of mean 1, whose cumulants are all 1
    (1, 1, 1, 1)
    """
    m1, m2, m3, m4 = raw
    return (
        m1,
        m2 - m1**2,
        m3 - 3 * m2 * m1 + 2 * m1**3,
        m4 - 4 * m3 * m1 - 3 * m2**2 + 12 * m2 * m1**2 - 6 * m1**4,
    )
