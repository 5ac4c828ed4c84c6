"""Numbers read off a law that rests on something keep its warrant, so that a verdict made with them does not forget it.

The mean of a law that was declared, cut off, conditioned on being defined or found by quadrature is a float or a
Fraction like any other, and carries the warrant of the law; so do the arrays of its outcomes and probabilities, and
what is computed of them by arithmetic. What goes through `float`, `tolist` or text is a bare number again. Numbers of
all other laws are plain ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.numbers.arrays import Array
from randvar.warrant import SOUND, Warrant

__all__ = ["bare", "carried_by", "read_off", "read_off_array", "warrant_of"]


class _Float(float):
    __slots__ = ("warrant",)
    warrant: Warrant

    def __reduce__(self) -> Any:
        return _carrying, (float(self), self.warrant)


class _Fraction(Fraction):
    __slots__ = ("warrant",)
    warrant: Warrant

    def __reduce__(self) -> Any:
        return _carrying, (Fraction(self), self.warrant)

    def __copy__(self) -> _Fraction:
        return self

    def __deepcopy__(self, memo: Any) -> _Fraction:
        return self

    def __repr__(self) -> str:
        return repr(Fraction(self))


class _Array(np.ndarray[Any, Any]):
    """Outcomes or probabilities, and what numpy computes of them elementwise."""

    warrant: Warrant = SOUND

    def __array_finalize__(self, made_of: Any) -> None:
        self.warrant = getattr(made_of, "warrant", SOUND)

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def _carrying(number: Any, warrant: Warrant) -> Any:
    made = (_Float if isinstance(number, float) else _Fraction)(number)
    made.warrant = warrant
    return made


def _kept(name: str, plain: type) -> Callable[..., Any]:
    """An operator of plain numbers whose result carries the warrants of both."""
    operate = getattr(plain, name)

    def operator(self: Any, *others: Any) -> Any:
        result = operate(self, *others)
        if type(result) not in (float, Fraction):
            return result
        return _carrying(result, warrant_of([self, *others]))

    operator.__name__ = name
    return operator


for _plain, _class in ((float, _Float), (Fraction, _Fraction)):
    for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "neg", "abs"):
        setattr(_class, f"__{_name}__", _kept(f"__{_name}__", _plain))

_CARRYING = frozenset({_Float, _Fraction})


def read_off(number: Any, warrant: Warrant, degree: int = 1) -> Any:
    """A number about a law, of which it is the mean of a polynomial of that degree; it carries what it rests on.

    >>> type(read_off(0.5, SOUND)).__name__, read_off(0.5, Warrant(cut=1e-9)).warrant.cut
    ('float', 1e-09)
    """
    if warrant is SOUND or type(number) not in (float, int, Fraction):
        return number
    told = warrant.of_a_number(degree)
    return number if told == SOUND else _carrying(number, told)


def read_off_array(numbers: Array, warrant: Warrant) -> Array:
    """Outcomes or probabilities of a law, with its warrant."""
    if warrant is SOUND or warrant.of_a_number(0) == SOUND:
        return numbers
    made = numbers.view(_Array)
    made.warrant = warrant
    return made


def carried_by(*columns: Any) -> Warrant:
    """What columns of numbers rest on together; nothing for nearly all."""
    return _together([warrant_of(column) for column in columns]) if any(map(_may_carry, columns)) else SOUND


def _may_carry(column: Any) -> bool:
    return type(column) is _Array or (type(column) in (list, tuple) and not _CARRYING.isdisjoint(map(type, column)))


def warrant_of(numbers: Any) -> Warrant:
    """What numbers rest on, as far as they carry it: an array, or a list of numbers."""
    if isinstance(numbers, np.ndarray):
        return numbers.warrant if type(numbers) is _Array else SOUND
    if not isinstance(numbers, (list, tuple)) or _CARRYING.isdisjoint(map(type, numbers)):
        return SOUND
    return _together(number.warrant for number in numbers if type(number) in _CARRYING)


def _together(warrants: Iterable[Warrant]) -> Warrant:
    """Of numbers that may come from one law: what several of them carry counts once."""
    return Warrant.together(set(warrants) - {SOUND})


def bare(numbers: Any) -> Any:
    """The numbers themselves, for a law that carries their warrant itself."""
    if type(numbers) is _Array:
        return np.asarray(numbers).view(np.ndarray)
    return [v if type(v) not in _CARRYING else float(v) if isinstance(v, float) else Fraction(v) for v in numbers]
