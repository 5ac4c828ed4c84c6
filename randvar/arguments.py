"""What a public function asks of its arguments, before it computes anything: numbers, sequences, functions, choices.

Each is declared once, beside the signature: `@checked(n=partial(whole, least=1))`.

Every refusal names the function, the argument and the value. The wrong type is a TypeError, a value of the right type
that is out of range a RandvarError.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator
from fractions import Fraction
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from randvar.context import check_budget, current
from randvar.errors import InvalidLaw, RandvarError, described, one_line
from randvar.numbers.arrays import scalar
from randvar.numbers.overflow import within_floats
from randvar.numbers.symbolic import is_expression, is_undefined

__all__ = [
    "Rule",
    "aligned",
    "all_of",
    "checked",
    "choice",
    "coefficient",
    "flag",
    "floating",
    "function",
    "listed",
    "one_of",
    "optional",
    "real",
    "sequence",
    "whole",
]


P = ParamSpec("P")
R = TypeVar("R")
Rule = Callable[[str, str, Any], Any]  # from the names of a function and of its argument, and a value, to the value


def whole(name: str, argument: str, n: Any, least: int | None = None, most: int | None = None) -> int:
    """An int, from `least` to `most`; a float that is one (1e6) counts as one.

    >>> whole("total", "steps", 1e6), whole("total", "steps", np.int8(3))
    (1000000, 3)
    """
    number = n if type(n) is int else scalar(n)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    try:
        if isinstance(number, bool):
            raise TypeError
        number = operator.index(number)
    except TypeError:
        raise TypeError(f"{name}: {argument} must be a whole number, got {one_line(n)}") from None
    if least is not None and number < least:
        raise RandvarError(f"{name}: {argument} must be at least {least}, got {one_line(number)}")
    if most is not None and number > most:
        raise RandvarError(f"{name}: {argument} must be at most {most}, got {one_line(number)}")
    return number


def real(
    name: str, argument: str, x: Any, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> Any:
    """A finite real number as int, float or Fraction, with least <= x <= most and x > above.

    >>> real("truncated", "cap", np.float32(0.5), above=0)
    0.5
    """
    number = scalar(x)
    if not isinstance(number, (int, float, Fraction)):
        raise TypeError(f"{name}: {argument} must be a number, got {described(x)}")
    if isinstance(number, float) and not math.isfinite(number):
        raise RandvarError(f"{name}: {argument} must be a finite number, got {number}")
    if not (least <= number <= most and number > above):
        raise RandvarError(f"{name}: {argument} must be {_range(least, above, most)}, got {one_line(number)}")
    return number


def floating(name: str, argument: str, x: Any, **limits: float) -> float:
    """A number as `real` takes it, as a float."""
    with within_floats(f"{name}: {argument}"):
        return float(real(name, argument, float(real(name, argument, x, **limits)), **limits))


def _range(least: float, above: float, most: float) -> str:
    below = f" and at most {most:g}" if most < math.inf else ""
    if above == 0:
        return f"a positive number{below}"
    if above > -math.inf:
        return f"larger than {above:g}{below}"
    return f"at least {least:g}{below}" if least > -math.inf else f"at most {most:g}"


def coefficient(name: str, argument: str, x: Any, **limits: float) -> Any:
    """A finite real number within limits as of `real`, or an expression that can be a real number."""
    number = scalar(x)
    if not is_expression(number):
        return real(name, argument, number, **limits)
    if is_undefined(number) or number.is_real is False or number.is_finite is False:
        raise RandvarError(f"{name}: {argument} must be a real number, got {number}")
    return number


def checked(reader_calls: str | None = None, /, **rules: Rule) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare what a function asks of its arguments: each is what its rule makes of it, in the order of the rules.

    A rule is called with the name of the function, that of the argument, and the value; it returns the value in the
    form that the function works with, or raises. A default stands for itself. `reader_calls` is the name that messages
    give where it is not the function's own: of `__init__` the class, of a method the class and the method.

    >>> @checked(n=partial(whole, least=1), how=one_of("mean", "sum"))
    ... def draws(n: int, how: str = "mean") -> int:
    ...     return n
    >>> draws(1e3)
    1000
    >>> draws(0)
    Traceback (most recent call last):
    randvar.errors.RandvarError: draws: n must be at least 1, got 0
    """

    def declared(f: Callable[P, R]) -> Callable[P, R]:
        code = f.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        places = [(names.index(argument), argument, rule) for argument, rule in rules.items()]
        name = reader_calls or f.__name__

        @wraps(f)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            given: list[Any] = list(args)
            for at, argument, rule in places:
                if argument in kwargs:
                    kwargs[argument] = rule(name, argument, kwargs[argument])
                elif at < min(len(given), code.co_argcount):  # behind are those of *args
                    given[at] = rule(name, argument, given[at])
            return f(*given, **kwargs)

        return called

    return declared


def optional(rule: Rule) -> Rule:
    """None, or what the rule takes."""
    return lambda name, argument, value: None if value is None else rule(name, argument, value)


def all_of(*rules: Rule) -> Rule:
    """What all rules take, one after the other."""

    def followed(name: str, argument: str, value: Any) -> Any:
        for rule in rules:
            value = rule(name, argument, value)
        return value

    return followed


def one_of(*choices: str) -> Rule:
    """One of a few words."""
    return partial(choice, choices=choices)


def listed(what: str, items: Any) -> list[Any]:
    """The items of a sequence, an array, a Series or an iterator, which may not be endless."""
    if isinstance(items, (dict, type, bytes, bytearray)) or not isinstance(items, Iterable):
        raise TypeError(f"{what} must be a sequence, got {described(items)}")
    if getattr(items, "ndim", 1) != 1:
        raise InvalidLaw(
            f"{what} must be one list, got {type(items).__name__} of shape {getattr(items, 'shape', None)}"
        )
    if isinstance(items, np.ma.MaskedArray) and np.ma.is_masked(items):
        raise InvalidLaw(f"{what} must all be there, got masked ones in {one_line(items)}; drop them: a.compressed()")
    if isinstance(items, range):
        check_budget(len(items), f"{what} {items!r}")
    if isinstance(items, Iterator):
        items = list(itertools.islice(items, current().max_atoms + 1))
        check_budget(len(items), f"{what} of an iterator that does not end there")
    return list(items)


def sequence(name: str, argument: str, items: Any) -> list[Any]:
    """Something that can be listed, as its list."""
    return listed(f"{name}: {argument}", items)


def aligned(what: str, items: Any) -> Iterable[Any]:
    """Items that stand in an order: the i-th value has the i-th probability."""
    if isinstance(items, dict):
        raise TypeError(f"{what} given as a dict; from_dict(d) makes a law of {{outcome: probability}}")
    if isinstance(items, (set, frozenset)):
        raise TypeError(f"{what} given as a set, which has no order: {one_line(items)}; a list has one")
    if isinstance(items, np.ndarray) and items.ndim == 1 and not np.ma.is_masked(items):
        return items
    return listed(what, items)


def function(name: str, argument: str, f: Any) -> Callable[..., Any]:
    """Something that can be called."""
    if not callable(f):
        raise TypeError(f"{name}: {argument} must be a function, got {described(f)}")
    return f  # type: ignore[no-any-return]


def choice(name: str, argument: str, value: Any, choices: Collection[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        words = [f'"{word}"' for word in choices]
        raise RandvarError(f"{name}: {argument} must be {', '.join(words[:-1])} or {words[-1]}, got {one_line(value)}")
    return value


def flag(name: str, argument: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: {argument} must be True or False, got {described(value)}")
    return bool(value)
