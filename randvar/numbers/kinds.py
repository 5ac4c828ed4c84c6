"""Which kind of number is it, and what meets what: the only place that looks at a number to learn what it is.

    meet          floats   fractions    expressions   words
    floats        floats   floats       refused       TypeError
    fractions     floats   fractions    expressions   TypeError
    expressions   refused  expressions  expressions   TypeError
    words         TypeError wherever they meet anything

Fractions join either side: they are floats, and expressions, too. Floats beside symbols would quietly stop being exact.
An infinity is a float; beside symbols it stands among expressions, as it decides a mean there and is refused elsewhere.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.errors import RandvarError, described, symbol_advice
from randvar.numbers.arrays import Array, scalar
from randvar.numbers.base import WORDS, Numbers
from randvar.numbers.expressions import EXPRESSIONS
from randvar.numbers.floats import FLOATS
from randvar.numbers.fractions import FRACTIONS
from randvar.numbers.symbolic import is_number

__all__ = [
    "EXPRESSIONS",
    "FLOATS",
    "FRACTIONS",
    "WORDS",
    "cell_of",
    "kind_of",
    "meet",
    "together",
    "weighed",
]


@functools.cache
def _kind_of_type(t: type) -> Numbers:
    if issubclass(t, (int, Fraction, np.integer, np.bool_)):
        return FRACTIONS
    if issubclass(t, (float, np.floating)):
        return FLOATS
    return EXPRESSIONS if hasattr(t, "free_symbols") and hasattr(t, "as_expr") else WORDS


def kind_of(items: Iterable[Any]) -> Numbers:
    """The kind that holds all of these numbers; WORDS if one of them is none.

    >>> kind_of([1, Fraction(1, 2)]), kind_of([1, 0.5]), kind_of([1, math.inf]), kind_of(["a", 1])
    (fractions, floats, floats, words)
    """
    kinds = set(map(_kind_of_type, set(map(type, items))))
    if len(kinds) == 1:
        return kinds.pop()
    if WORDS in kinds:
        return WORDS
    if {FLOATS, EXPRESSIONS} <= kinds and all(map(math.isinf, (v for v in items if isinstance(v, float)))):
        kinds.discard(FLOATS)
    return meet(*kinds)


def meet(*kinds: Numbers) -> Numbers:
    """The kind of what is computed from all of these (the table above).

    >>> meet(FRACTIONS, FLOATS), meet(EXPRESSIONS, FRACTIONS), meet()
    (floats, expressions, fractions)
    """
    others = {kind for kind in kinds if kind is not FRACTIONS}
    if not others:
        return FRACTIONS
    if WORDS in others:
        raise TypeError("this needs numbers, but an outcome is none; map the outcomes first: x.op(lambda a: ...)")
    if len(others) > 1:
        raise RandvarError(
            "symbols beside a float law, or beside a float: the result would quietly stop being exact; give Fractions"
            " (an int divided by an int is a float: write Fraction(a, b)), use x.rational(), or put numbers in the"
            " place of the symbols"
        )
    return others.pop()


def together(kinds: Iterable[Numbers]) -> Numbers:
    """The kind of laws that are combined: floats beside an exact law would quietly stop it from being exact."""
    found = set(kinds)
    if FLOATS in found and len(found) > 1:
        (other, *_) = (k.kind for k in (EXPRESSIONS, FRACTIONS) if k in found)
        raise RandvarError(
            f"a float law and a {other} law cannot be combined: the result would quietly stop being exact;"
            " use x.rational() on the float one or x.to_float() on the other"
        )
    return meet(*found)


def cell_of(numbers: Iterable[Any]) -> type:
    """What an array of these results is made of: floats if one is a float and none is symbolic, else objects."""
    found = set(map(_kind_of_type, set(map(type, numbers))))
    return float if FLOATS in found and EXPRESSIONS not in found else object


def weighed(items: Sequence[Any] | Array) -> tuple[Numbers, Array, Any]:
    """Non-negative weights that a person gave: their kind, the weights, and the unit that these are counted in.

    Ints and Fractions alone are exact; one float makes them all floats, unless a Fraction stands beside it: that
    mixture is refused. Raises TypeError for what is no number, InvalidLaw for a negative one.
    """
    if isinstance(items, np.ndarray) and items.dtype.kind == "f":
        return FLOATS, *FLOATS.weighed(items)  # type: ignore[arg-type]
    numbers = [scalar(item) for item in items]
    for number in numbers:
        if not is_number(number):
            raise TypeError(f"each probability must be one number, got {described(number)}{symbol_advice(number)}")
    types = set(map(type, numbers))
    if any(issubclass(t, float) for t in types) and not all(issubclass(t, (int, float)) for t in types):
        raise RandvarError(
            "float and exact probabilities cannot be mixed in one law (it would quietly stop being exact);"
            f" got {numbers[:4]}; give all as Fraction or all as float"
        )
    kind = FLOATS if any(issubclass(t, float) for t in types) else kind_of(numbers)
    return kind, *kind.weighed(numbers)
