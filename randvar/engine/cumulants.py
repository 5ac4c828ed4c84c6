"""Moments about the mean, and the cumulants that add up over independent sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from randvar.engine.atoms import Array, scalar
from randvar.engine.kinds import dot
from randvar.engine.magnitude import within_floats
from randvar.errors import UndefinedOutcome

__all__ = ["central_moment", "cumulants", "mean"]


def mean(values: Array, weights: Array) -> Any:
    """E[X]; +inf or -inf when such an outcome can happen, an error when both can."""
    infinite = _infinities(values)
    if len(infinite) > 1:
        raise UndefinedOutcome("the mean is undefined: both inf and -inf are outcomes; condition one of them away")
    return infinite.pop() if infinite else _about(values, weights)


def _infinities(values: Array) -> set[float]:
    """Which of inf and -inf are outcomes."""
    if values.dtype.kind == "f":
        return set(values[np.isinf(values)].tolist())
    if values.dtype != object:
        return set()
    return {v for v in values.tolist() if isinstance(v, float) and math.isinf(v)}


def _about(values: Array, weights: Array) -> Any:
    """The mean in two passes: the second adds what the first lost by rounding."""
    first = dot(values, weights)
    if isinstance(first, float):
        return scalar(first + dot(values - first, weights))
    return first


def central_moment(values: Array, weights: Array, order: int) -> Any:
    """E[(X - E[X])^order], computed about the mean: 10^9 + {0, 1, 2} has variance 2/3."""
    _check_finite(values)
    with within_floats("a moment about the mean"):
        return dot((values - mean(values, weights)) ** order, weights)


def cumulants(values: Array, weights: Array) -> tuple[Any, Any, Any, Any]:
    """(k1, k2, k3, k4) = (mean, variance, mu3, mu4 - 3 mu2^2), which add over independent sums.

    One that leaves the range of floats is NaN: a variance of 1e200 is a number, though its square is none.
    Source: Kendall & Stuart, The Advanced Theory of Statistics, vol. 1, section 3.12.
    """
    _check_finite(values)
    second, third, fourth = (_moment_or_nan(values, weights, order) for order in (2, 3, 4))
    return mean(values, weights), second, third, fourth if fourth is math.nan else fourth - 3 * second**2


def _check_finite(values: Array) -> None:
    if _infinities(values):
        raise UndefinedOutcome("moments about the mean are undefined: an outcome is infinite; condition it away first")


def _moment_or_nan(values: Array, weights: Array, order: int) -> Any:
    try:
        return central_moment(values, weights, order)
    except UndefinedOutcome:
        return math.nan
