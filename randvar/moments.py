"""Numbers about a law: means, variances, covariances. Variances are computed about the mean, so nothing cancels."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, overload

import numpy as np

from randvar.arguments import all_of, checked, function, optional, whole
from randvar.atoms.outcomes import Axis
from randvar.errors import UndefinedOutcome, one_line
from randvar.joint import Joint
from randvar.law_arguments import check_numeric, numeric, sole_joint, sole_law, sole_pair, sole_var
from randvar.lazy import Lazy
from randvar.numbers.arrays import Array, scalar
from randvar.numbers.kinds import kind_of
from randvar.numbers.overflow import powers, within_floats
from randvar.provenance import read_off
from randvar.var import Var

__all__ = [
    "correlation",
    "cov_matrix",
    "covar",
    "expect",
    "kurtosis",
    "median",
    "moment",
    "skewness",
    "std",
    "variance",
]


@overload
def expect(x: Var, f: Callable[..., Any] | None = None) -> Any: ...
@overload
def expect(x: Joint, f: None = None) -> Array: ...
@overload
def expect(x: Joint, f: Callable[..., Any]) -> Any: ...
@checked(x=sole_law, f=optional(function))
def expect(x: Var | Joint, f: Callable[..., Any] | None = None) -> Any:
    """Expectation (mean) E[X], or E[f(X)]; of a Joint the vector of means, or E[f(X, Y, ...)].

    >>> expect(Var([1, 2, 3], [0.2, 0.3, 0.5])), expect(Var([1, 2, 3], [0.2, 0.3, 0.5]), lambda a: a**2)
    (2.3, 5.9)

    A float, or a Fraction or expression if the law is exact; of a Joint without f an array of shape (coordinates,).
    +inf when +inf is an outcome. Raises TypeError for outcomes that are no numbers, UndefinedOutcome when both
    infinities are outcomes, or f fails on one. Cost: O(n), with f one call an outcome; of a sum of independent draws, a
    closed form.
    """
    if f is not None:
        return expect(x.combine(f) if isinstance(x, Joint) else x.op(f))
    check_numeric("expect", x)
    if isinstance(x, Joint):
        return _finite_array("mean", x.source.mean_vector())
    if isinstance(x.source, Lazy):
        return read_off(_finite("mean", scalar(x.source.cumulants(2)[0])), x.source.warrant)
    law = x.law
    return read_off(scalar(law.average(law.axes[0])), law.warrant)  # infinite where an outcome is


@overload
def variance(x: Var) -> Any: ...
@overload
def variance(x: Joint) -> Array: ...
@checked(x=all_of(sole_law, numeric))
def variance(x: Var | Joint) -> Any:
    """Variance Var(X) = E[(X - E[X])^2]; of a Joint the vector of variances, one a coordinate.

    >>> variance(Var([0, 1], [0.5, 0.5]))
    0.25

    Computed about the mean: 10^9 + {0, 1, 2} has the variance of {0, 1, 2}. Raises TypeError for outcomes that are no
    numbers, UndefinedOutcome for infinite ones. Cost: O(n); of a sum of independent draws, a closed form.
    """
    if isinstance(x, Joint):
        return np.diag(_covariances(x))
    return read_off(scalar(_finite("variance", _cumulants(x, 2)[1])), x.source.warrant, 2)


@overload
def std(x: Var) -> Any: ...
@overload
def std(x: Joint) -> Array: ...
@checked(x=sole_law)
def std(x: Var | Joint) -> Any:
    """The standard deviation, sqrt(Var(X)); of a Joint the vector, one a coordinate.

    >>> std(Var([0, 1], [0.5, 0.5]))
    0.5

    A float, or an expression of a symbolic law. Raises as `variance` does.
    """
    if isinstance(x, Joint):
        return _vector([_root(v) for v in variance(x)])
    return _root(variance(x))


@checked(k=partial(whole, least=0), x=all_of(sole_var, numeric))
def moment(x: Var, k: int) -> Any:
    """The raw moment E[X^k], k = 0, 1, 2, ...

    >>> moment(Var([1, 2, 3], [0.2, 0.3, 0.5]), 2)
    5.9

    Raises RandvarError for any other k, TypeError for outcomes that are no numbers, UndefinedOutcome where infinities
    of both signs are powers of outcomes. Cost: O(n), from the atoms: a law that is too large to list raises
    SupportTooLarge (its cumulants are closed forms: `variance`, `skewness`, `kurtosis`).
    """
    if k == 0:
        return x.source.numbers.share(1, 1)
    with within_floats(f"the moment of order {one_line(k)}"):
        return read_off(scalar(x.law.average(Axis.of(powers(x.law.axes[0].values, k)))), x.source.warrant, k)


@checked(x=all_of(sole_var, numeric))
def skewness(x: Var) -> Any:
    """E[(X - mean)^3] / std^3, a float or an expression.

    >>> skewness(Var([0, 2], [0.8, 0.2]))
    1.5

    Raises UndefinedOutcome for a law without spread or with an infinite outcome, TypeError for outcomes that are no
    numbers.
    """
    _, k2, k3, _ = _cumulants(x)
    _spread("skewness", k2)
    return _finite("skewness", kind_of([k2]).skewness(k2, k3))


@checked(x=all_of(sole_var, numeric))
def kurtosis(x: Var) -> Any:
    """The excess kurtosis E[(X - mean)^4] / Var^2 - 3: 0 for a normal law (Fisher's definition, as in scipy).

    >>> kurtosis(Var([0, 1], [0.5, 0.5]))
    -2.0

    A Fraction of a rational law. Raises as `skewness` does.
    """
    _, k2, _, k4 = _cumulants(x)
    _spread("kurtosis", k2)
    return _finite("kurtosis", k4 / k2 / k2)


@checked(j=all_of(partial(sole_pair, way_out="cov_matrix(j) gives all pairs"), numeric))
def covar(j: Joint) -> Any:
    """Covariance of a Joint with two coordinates: Cov(X, Y) = E[(X - E[X]) (Y - E[Y])].

    >>> from randvar.coupling import shared
    >>> covar(shared(Var([0, 1], [0.5, 0.5])))
    0.25

    0 for independent coordinates, whose rows are not listed. Raises TypeError for outcomes that are no numbers or
    another number of coordinates, UndefinedOutcome for an infinite outcome. Cost: O(rows).
    """
    return scalar(_covariances(j)[0, 1])


@checked(j=all_of(sole_pair, numeric))
def correlation(j: Joint) -> Any:
    """Correlation of a Joint with two coordinates: Cov(X, Y) / (std X std Y), a float or an expression.

    >>> from randvar.coupling import shared
    >>> correlation(shared(Var([0, 1], [0.5, 0.5])).op(lambda a: a, lambda b: 1 - b))
    -1.0

    Raises UndefinedOutcome when a coordinate is constant, and as `covar` does.
    """
    both = variance(j)
    for v in both:
        _spread("correlation", v)
    return kind_of(both).correlation(covar(j), *both)


@checked(j=all_of(sole_joint, numeric))
def cov_matrix(j: Joint) -> Array:
    """Covariance matrix Cov(X_a, X_b) of the coordinates, shape (dim, dim): floats, or objects in an exact law.

    >>> from randvar.coupling import shared
    >>> cov_matrix(shared(Var([0, 1], [0.5, 0.5])))
    array([[0.25, 0.25],
           [0.25, 0.25]])

    Raises TypeError for outcomes that are no numbers, UndefinedOutcome for infinite ones. Cost: O(rows * dim^2).
    """
    return _covariances(j)


@checked(x=sole_var)
def median(x: Var) -> Any:
    """The lower median: the smallest v with P(X <= v) >= 1/2 (`x.quantile(0.5)`).

    >>> median(Var([1, 2, 3, 4], [0.25] * 4))
    2

    Raises TypeError for outcomes without an order, RandvarError for probabilities that depend on symbols.
    """
    return x.quantile(Fraction(1, 2))


def _cumulants(x: Var, order: int = 4) -> tuple[Any, ...]:
    return x.source.cumulants(order)


def _covariances(j: Joint) -> Array:
    return _finite_array("covariance", j.source.covariance_matrix())


def _finite_array(name: str, numbers: Array) -> Array:
    for number in numbers.ravel().tolist() if isinstance(numbers.ravel()[0], float) else ():
        if math.isnan(number):
            _finite(name, number)
    return numbers


def _vector(items: list[Any]) -> Array:
    machine = any(isinstance(item, float) for item in items) and all(isinstance(item, (int, float)) for item in items)
    return np.array(items, dtype=float if machine else object)


def _root(v: Any) -> Any:
    return kind_of([v]).root(v)


def _finite(name: str, number: Any) -> Any:
    """The number, refused where its size left the range of floats (`cumulants` then says NaN)."""
    if isinstance(number, float) and not math.isfinite(number):
        raise UndefinedOutcome(f"the {name} leaves the range of floats, 1.8e308; rescale the outcomes, as in x / 1e100")
    return number


def _spread(name: str, v: Any) -> None:
    if v == 0:
        raise UndefinedOutcome(f"{name} is undefined for a law without spread (its variance is 0)")
