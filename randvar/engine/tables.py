"""Laws and tables of pandas, which is imported only when a table is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from randvar.engine.arguments import listed
from randvar.engine.atoms import Array, outcome_array, scalar
from randvar.errors import InvalidLaw

__all__ = ["as_series", "frame_columns", "observations"]


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
    kinds = [object if column.dtype == object else None for column in columns]  # floats would round large integers
    levels = [pd.Index(c.tolist(), dtype=kind, tupleize_cols=False) for c, kind in zip(columns, kinds, strict=True)]
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
