"""Laws from other libraries and for them: tables of pandas, distributions of scipy; imported only when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from randvar.arguments import listed
from randvar.atoms.outcomes import outcome_array
from randvar.context import check_budget, current
from randvar.errors import InvalidLaw, RandvarError, SupportTooLarge, described
from randvar.numbers.arrays import Array, scalar

__all__ = ["as_series", "frame_columns", "listed_distribution", "observations"]

_ROUNDING = 1e-9  # as for probabilities that a person gives


def as_series(columns: Sequence[Array], probs: Array, names: Sequence[Any]) -> Any:
    """The probabilities as a Series named "probability"; its index are the outcomes, a level a coordinate."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "to_pandas needs pandas, which is not installed: pip install pandas; arrays and dicts need nothing else:"
            " x.values and x.probs, j.columns and j.weights, x.to_dict()"
        ) from None

    # a tuple is one outcome, no row of a MultiIndex
    names = [scalar(name) for name in names]
    # of its own dtype: floats would round large integers
    levels = [pd.Index(c.tolist(), dtype=c.dtype, tupleize_cols=False) for c in columns]
    index = levels[0].rename(names[0]) if len(levels) == 1 else pd.MultiIndex.from_arrays(levels, names=names)
    return pd.Series(probs.tolist(), index=index, name="probability")


def observations(what: str, data: Any) -> list[Any]:
    """The items of a list, an array or a Series; raises InvalidLaw for what pandas or polars calls missing."""
    missing = getattr(data, "isna", None) or getattr(data, "is_null", None)
    if callable(missing) and np.asarray(missing()).any():
        raise InvalidLaw(f"{what} have missing values, and NaN is no outcome; drop them first (dropna, drop_nulls)")
    return listed(what, data)


def frame_columns(frame: Any) -> list[Array]:
    """The columns of a DataFrame; raises InvalidLaw when there is none, or no row."""
    names = list(frame.columns)
    if repeated := {name for name in names if names.count(name) > 1}:
        raise InvalidLaw(f"empirical: two columns of the table are called {repeated.pop()!r}; rename one of them")
    columns = [outcome_array(observations(f"the data in {name!r}", frame[name])) for name in names]
    if not columns or not len(columns[0]):
        raise InvalidLaw("empirical needs at least one observation; the table has no rows or no columns")
    return columns


def listed_distribution(frozen: Any, lost: float) -> tuple[Array, Array, float]:
    """Outcomes one apart, their probabilities as scipy gives them, and the mass beyond.

    Raises TypeError for what is not one discrete distribution, SupportTooLarge past the budget, RandvarError where the
    probabilities are not all the mass: `rv_discrete(values=...)` may have outcomes anywhere.
    """
    low, high = _limits(frozen, lost)
    check_budget(int(high - low) + 1, "this distribution")
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
        _check_tail(frozen.sf(middle + current().max_atoms), lost)
        high = frozen.isf(lost / 2)
    if not np.isfinite(low):
        _check_tail(frozen.cdf(middle - current().max_atoms), lost)
        low = frozen.ppf(lost / 2)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RandvarError(
            f"an infinite support cannot be listed with lost={lost:g}; allow some mass to be cut, as in lost=1e-12"
        )
    return low, high


def _check_tail(mass: float, lost: float) -> None:
    if not mass <= lost / 2:
        budget = current().max_atoms
        raise SupportTooLarge(
            f"this distribution has {mass:.2g} of its mass beyond {budget:,} outcomes; allow more to be cut than"
            f" lost={lost:g}, half of it at either end",
            size=budget + 1,
            budget=budget,
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
