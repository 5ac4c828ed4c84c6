"""What a discrete distribution of scipy.stats says of itself, as outcomes and their probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from randvar.engine.atoms import Array
from randvar.engine.budget import MAX_ATOMS, check_budget
from randvar.errors import RandvarError, SupportTooLarge, described

__all__ = ["listed_distribution"]

_ROUNDING = 1e-9  # as for probabilities that a person gives


def listed_distribution(frozen: Any, lost: float) -> tuple[Array, Array, float]:
    """Outcomes one apart, their probabilities as scipy gives them, and the mass beyond.

    Raises TypeError for what is not one discrete distribution, SupportTooLarge past the budget, RandvarError where the
    probabilities are not all the mass: `rv_discrete(values=...)` may have outcomes anywhere.
    """
    low, high = _limits(frozen, lost)
    check_budget(int(high - low) + 1, MAX_ATOMS, "this distribution")
    steps = np.arange(int(high - low) + 1)
    values = int(low) + steps if float(low).is_integer() else low + steps
    weights = np.asarray(frozen.pmf(values), dtype=float)
    beyond = max(0.0, float(frozen.cdf(values[0] - 1) + frozen.sf(values[-1])))
    mass = float(np.sum(weights))
    if not (abs(mass + beyond - 1) <= _ROUNDING and beyond <= lost + _ROUNDING):
        raise RandvarError(
            f"from_scipy: the pmf at {values[0]}, {values[0] + 1}, ..., {values[-1]} sums to {mass:.9g}, so there are"
            " outcomes between them; Var(values, probs) takes any outcomes"
        )
    return values, weights, beyond


def _limits(frozen: Any, lost: float) -> tuple[Any, Any]:
    """The first and the last outcome to list."""
    low, high = _support(frozen)
    middle = low if np.isfinite(low) else high if np.isfinite(high) else frozen.median()
    if not np.isfinite(high):
        # scipy would look for a far quantile in an array as long as the way to it
        _check_tail(frozen.sf(middle + MAX_ATOMS), lost)
        high = frozen.isf(lost / 2)
    if not np.isfinite(low):
        _check_tail(frozen.cdf(middle - MAX_ATOMS), lost)
        low = frozen.ppf(lost / 2)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RandvarError(
            f"an infinite support cannot be listed with lost={lost:g}; allow some mass to be cut, as in lost=1e-12"
        )
    return low, high


def _check_tail(mass: float, lost: float) -> None:
    if not mass <= lost / 2:
        raise SupportTooLarge(
            f"this distribution has {mass:.2g} of its mass beyond {MAX_ATOMS:,} outcomes; allow more to be cut than"
            f" lost={lost:g}, half of it at either end",
            size=MAX_ATOMS + 1,
            budget=MAX_ATOMS,
        )


def _support(frozen: Any) -> tuple[Any, Any]:
    if hasattr(frozen, "pmf") and hasattr(frozen, "support") and hasattr(frozen, "isf"):
        try:
            low, high = frozen.support()
        except TypeError:  # without its parameters
            low, high = None, None
        if isinstance(low, (int, float, np.number)) and isinstance(high, (int, float, np.number)):
            return low, high
    raise TypeError(
        f"from_scipy takes one discrete frozen distribution with a pmf, as stats.poisson(3.0), got {described(frozen)}"
    )
