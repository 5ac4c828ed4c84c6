"""Moments about the mean, and the cumulants that add up over independent sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from randvar.errors import UndefinedOutcome
from randvar.numbers import symbolic
from randvar.numbers.arrays import Array, scalar
from randvar.numbers.kinds import dot
from randvar.numbers.overflow import within_floats
from randvar.numbers.symbolic import is_expression

__all__ = ["central_moment", "cumulants", "mean"]


def mean(values: Array, weights: Array) -> Any:
    """E[X]; +inf or -inf when such an outcome can happen, an error when both can."""
    signs = _infinities(values)
    if len(signs) > 1:
        raise UndefinedOutcome("the mean is undefined: both inf and -inf are outcomes; condition one of them away")
    return signs.pop() if signs else _about(values, weights)


def _infinities(values: Array) -> set[float]:
    """Those of inf and -inf that are among the outcomes."""
    if values.dtype.kind == "f":
        return set(np.unique(values[np.isinf(values)]).tolist())
    return {v for v in values.tolist() if v in (math.inf, -math.inf)} if values.dtype == object else set()


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


def _check_finite(values: Array) -> None:
    if _infinities(values):
        raise UndefinedOutcome("moments about the mean are undefined: an outcome is infinite; condition it away first")


def cumulants(values: Array, weights: Array, order: int = 4) -> tuple[Any, ...]:
    """(k1, k2, k3, k4) = (mean, variance, mu3, mu4 - 3 mu2^2), which add over independent sums; or the first two.

    One that leaves the range of floats is NaN: a variance of 1e200 is a number, though its square is none.
    Source: Kendall & Stuart, The Advanced Theory of Statistics, vol. 1, section 3.12.
    """
    _check_finite(values)
    if any(map(is_expression, weights[:1])) or (values.dtype == object and any(map(is_expression, values))):
        return symbolic.cumulants(values.tolist(), weights.tolist(), order)
    second = _moment_or_nan(values, weights, 2)
    if order == 2:
        return mean(values, weights), second
    third, fourth = _moment_or_nan(values, weights, 3), _moment_or_nan(values, weights, 4)
    return mean(values, weights), second, third, fourth if fourth is math.nan else fourth - 3 * second**2


def _moment_or_nan(values: Array, weights: Array, order: int) -> Any:
    try:
        return central_moment(values, weights, order)
    except UndefinedOutcome:
        return math.nan
