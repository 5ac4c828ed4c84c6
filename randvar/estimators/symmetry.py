"""Does the order of the draws matter?  It is known, or declared, or every order is run: it is never guessed.

A statistic that does not look at the order is run once for each multiset of draws instead of once for each ordered
sample. Which statistics are known not to is a closed list, each entry with its reason. A person may declare it of any
other (`symmetric=True`): trials may then refute it, they never confirm it.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Mapping
from functools import partial
from typing import Any

__all__ = ["ORDER", "blind_to_order", "computes_nothing", "is_blind_to_order"]

ORDER = "the order of the draws does not matter"  # what symmetric=True declares

_SUMS = "a sum, or a function of sums, of the draws: addition commutes"
_PRODUCT = "multiplication commutes"
_SORTED = "a function of the sorted draws"
_SET = "a function of which outcomes were drawn"
_COUNT = "the number of draws"

# module and name of a function, and why it is blind to the order
_KNOWN = {
    "builtins": dict.fromkeys(["max", "min", "sorted"], _SORTED)
    | dict.fromkeys(["set", "frozenset", "any", "all"], _SET)
    | {"sum": _SUMS, "len": _COUNT},
    "math": {"fsum": _SUMS, "prod": _PRODUCT},
    "statistics": dict.fromkeys(["mean", "fmean", "variance", "pvariance", "stdev", "pstdev"], _SUMS)
    | dict.fromkeys(["median", "median_low", "median_high"], _SORTED),
    "numpy": dict.fromkeys(["mean", "sum", "var", "std"], _SUMS)
    | dict.fromkeys(["median", "max", "min", "amax", "amin", "ptp"], _SORTED)
    | {"prod": _PRODUCT},
}
# those that choose among the draws or count them: they make no number of which it could be asked whether it is right
_CHOOSING = {
    "builtins": {"max", "min", "sorted", "set", "frozenset", "any", "all", "len"},
    "numpy": {"max", "min", "amax", "amin"},
}
_HARMLESS = {"ddof"}  # a keyword that no order hides in


def is_blind_to_order(statistic: Any) -> bool:
    """Whether a statistic is known not to look at the order of its draws.

    >>> from functools import partial
    >>> import numpy as np
    >>> is_blind_to_order(max), is_blind_to_order(partial(np.var, ddof=1)), is_blind_to_order(lambda s: max(s))
    (True, True, False)
    """
    if isinstance(statistic, partial):
        return not statistic.args and statistic.keywords.keys() <= _HARMLESS and is_blind_to_order(statistic.func)
    if getattr(statistic, "blind_to_order", False) is True:
        return True
    return _is_among(_KNOWN, statistic)


def computes_nothing(statistic: Any) -> bool:
    """Whether a statistic is known to choose among its draws, or to count them: no integer wraps around in it."""
    return _is_among(_CHOOSING, statistic)


def _is_among(known: Mapping[str, Container[str]], function: Any) -> bool:
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    named = isinstance(module, str) and name in known.get(module, ())
    return named and getattr(sys.modules[str(module)], str(name), None) is function


def blind_to_order(statistic: Any) -> Any:
    """Say so of a statistic of our own, which does not look at the order of its draws."""
    statistic.blind_to_order = True
    return statistic
