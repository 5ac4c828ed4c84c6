"""How far the mean of a float law can be from the true one, beside the rounding of the mean itself.

Probabilities may be off by the accuracy of their law, outcomes by the rounding inside the function that made them. Both
are counted relative to the size that rounding acts on (`draws.magnitude`), so that scales and sums change neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from randvar.draws import Sum, magnitude
from randvar.law import Law, Source

if TYPE_CHECKING:
    from randvar.calls.finer import FunctionRounding

__all__ = ["Judgement", "accuracy_of_mean", "judged"]

_SMALL = 1e-3  # of the size of an estimator: a larger bias is no rounding, and needs no second look


class Judgement(NamedTuple):
    """Whether a bias counts as none, None where that is not decided, and the bound that it was compared with."""

    unbiased: bool | None
    bound: float


def accuracy_of_mean(source: Source) -> float:
    """The relative error of probabilities in a mean, and of numbers that were given on the way to its outcomes.

    Of a sum, whose mean is a sum of means, it is the worst of its draws.
    """
    if isinstance(source, Sum):
        return max((accuracy_of_mean(d.source) for d in source.draws), default=0.0)
    blur = source.blur / magnitude(source) if isinstance(source, Law) and source.blur else 0.0
    return source.warrant.accuracy + blur


def judged(source: Source, bias: float, rounding: float, size: float) -> Judgement:
    """A bias that exceeds the rounding of a mean of this size: it may still be that of a person's function.

    Where finer numbers measured that, it decides; where they could not be had, nothing is decided up to the rounding of
    the largest number that may have occurred.
    """
    found = [rounding() for rounding in _of_functions(source)] if abs(bias) < _SMALL * size else []
    measured = rounding + size * sum(r.relative for r in found if r.measured)
    possible = rounding + size * sum(r.relative for r in found)
    if measured < abs(bias) <= possible:
        return Judgement(None, possible)
    return Judgement(abs(bias) <= measured, measured)


def _of_functions(source: Source) -> Iterator[Callable[[], FunctionRounding]]:
    """How the functions round whose results an estimator is a mean of."""
    if isinstance(source, Sum):
        for d in source.draws:
            yield from _of_functions(d.source)
    elif isinstance(source, Law) and source.made_by:
        yield source.made_by
