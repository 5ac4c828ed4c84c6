"""A function that a person wrote is a function of its outcome: run again on one, it gives the same.

That is a standing assumption of exact laws. It is tried, on the first outcome, when all have been run: a function that
draws random numbers, or keeps a state, gives itself away. Words, numbers and listed laws are compared, also inside
tuples; of other results nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.errors import RandvarError, one_line

__all__ = ["check_repeated", "not_a_function", "same"]

_COMPARED = (bool, int, float, complex, str, Fraction, np.generic)


def same(a: Any, b: Any) -> bool:
    """Whether two results of one outcome are one; True of what cannot be compared.

    >>> same((1, "a"), (1, "a")), same(0.5, 0.25), same(float("nan"), float("nan")), same(object(), object())
    (True, False, True, True)
    """
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, _COMPARED) and isinstance(b, _COMPARED):
        return bool(a == b) or bool(a != a and b != b)
    one, other = _listed(a), _listed(b)
    return one is None or other is None or same(one, other)


def _listed(result: Any) -> Any:
    """What a law lists, if it has been listed (a lazy one is not, only to be compared), or an array holds."""
    if isinstance(result, np.ndarray):
        return result.ravel().tolist()
    law: Any = getattr(result, "source", None)
    return [law.axes[0].values.tolist(), law.weights.tolist()] if hasattr(law, "weights") else None


def check_repeated(name: str, f: Callable[..., Any], row: Sequence[Any], first: Any, shown: Callable[[], str]) -> None:
    """Refuse f if it does not give `first` on this row when it is run again."""
    try:
        with np.errstate(invalid="ignore"):
            again = f(*row)
    except Exception as error:
        again = f"{type(error).__name__}: {error}"
    if first is not again and not same(first, again):
        raise not_a_function(f"{name} is not a function of its outcome", shown(), first, again)


def not_a_function(what: str, where: str, first: Any, again: Any) -> RandvarError:
    """The refusal."""
    return RandvarError(
        f"{what} (it draws random numbers, or keeps a state): on {where} it gave {one_line(first)} and then"
        f" {one_line(again)}; where it draws, let it draw from a Var: enumerated(program) is the law of a program that"
        " draws as it goes"
    )
