"""Transforming, conditioning and summarising laws with many outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.judges import number
from benchmarks.workload import Contender, Workload

__all__ = ["WORKLOADS"]

_MANY = 10**6
_SOME = 10**4
_LEAST = 1000  # squares above it are kept


def _randvar_ufunc() -> Callable[[], float]:
    from randvar import expect, uniform

    x = uniform(0, _MANY)
    return lambda: expect(x.op(np.log).cond(np.isfinite))


def _numpy_ufunc() -> Callable[[], float]:
    values, probs = np.arange(_MANY), np.full(_MANY, 1 / _MANY)

    def work() -> float:
        with np.errstate(divide="ignore"):
            logs = np.log(values)
        kept = np.isfinite(logs)
        return float(logs[kept] @ probs[kept] / probs[kept].sum())

    return work


def _square(a: int) -> int:
    return a * a


def _is_large(a: int) -> bool:
    return a > _LEAST


def _randvar() -> Callable[[], float]:
    from randvar import expect, uniform

    x = uniform(0, _MANY)
    return lambda: expect(x.op(_square).cond(_is_large))


def _dyce() -> Callable[[], float]:
    """H.apply maps outcomes; an H is a Mapping that is made from a mapping, which is how a part of it is kept."""
    from dyce import H

    h = H(range(_MANY))
    return lambda: H({a: c for a, c in h.apply(_square).items() if _is_large(a)}).mean()


def _icepool() -> Callable[[], Any]:
    from icepool import Die

    die = Die(range(_MANY))
    return lambda: die.map(_square).filter(_is_large, depth="inf").mean()


def _lea() -> Callable[[], float]:
    import lea

    x = lea.vals(*range(_MANY), prob_type="f")

    def work() -> float:
        y = x.map(_square)
        return y.given(y > _LEAST).mean()

    return work


def _sympy() -> Callable[[], Any]:
    from sympy.stats import DiscreteUniform, E

    x = DiscreteUniform("X", range(_MANY))
    return lambda: E(x**2, x**2 > _LEAST)


def _mean_square() -> Fraction:
    first = math.isqrt(_LEAST) + 1
    return Fraction(sum(a * a for a in range(first, _MANY)), _MANY - first)


def _mean_log() -> float:
    return math.fsum(math.log(a) for a in range(1, _MANY)) / (_MANY - 1)


def _randvar_covariance() -> Callable[[], float]:
    from randvar import covar, shared, uniform

    x = uniform(0, _SOME)
    return lambda: covar(shared(x).op(np.positive, np.square))


def _numpy_covariance() -> Callable[[], float]:
    values, probs = np.arange(_SOME, dtype=float), np.full(_SOME, 1 / _SOME)

    def work() -> float:
        squares = values**2
        return float(((values - values @ probs) * (squares - squares @ probs)) @ probs)

    return work


def _dyce_covariance() -> Callable[[], float]:
    """There is no covariance; E[X X^2] - E[X] E[X^2] has three means, each exact before it is rounded."""
    from dyce import H

    h = H(range(_SOME))
    return lambda: (h**3).mean() - h.mean() * (h**2).mean()


def _icepool_covariance() -> Callable[[], Any]:
    from icepool import Die

    die = Die(range(_SOME))
    return lambda: die.map(lambda a: (a, a * a)).covariance(0, 1)


def _lea_covariance() -> Callable[[], float]:
    import lea

    x = lea.vals(*range(_SOME), prob_type="f")
    return lambda: x.cov(x**2)


def _sympy_covariance() -> Callable[[], Any]:
    from sympy.core.cache import clear_cache
    from sympy.stats import DiscreteUniform, covariance

    clear_cache()
    x = DiscreteUniform("X", range(_SOME))
    return lambda: covariance(x, x**2)


def _exact_covariance() -> Fraction:
    means = [Fraction(sum(a**r for a in range(_SOME)), _SOME) for r in (1, 2, 3)]
    return means[2] - means[0] * means[1]


WORKLOADS = [
    Workload(
        key="condition-ufunc",
        title="op, cond, expect on 1,000,000 outcomes, numpy functions",
        goal="30 ms",
        contenders=(Contender("randvar", _randvar_ufunc), Contender("numpy, by hand", _numpy_ufunc)),
        judge=number(_mean_log),
    ),
    Workload(
        key="condition-python",
        title="op, cond, expect on 1,000,000 outcomes, Python functions",
        goal="250 ms",
        contenders=(
            Contender("randvar", _randvar),
            Contender("dyce", _dyce, distribution="dyce"),
            Contender("lea", _lea, distribution="lea"),
            Contender("icepool", _icepool, distribution="icepool"),
            Contender("sympy.stats", _sympy, distribution="sympy"),
        ),
        judge=number(_mean_square),
    ),
    Workload(
        key="covariance",
        title="Cov(X, X^2) on 10,000 outcomes",
        goal="1 ms",
        contenders=(
            Contender("randvar", _randvar_covariance),
            Contender("numpy, by hand", _numpy_covariance),
            Contender("dyce, by hand", _dyce_covariance, distribution="dyce"),
            Contender("lea", _lea_covariance, distribution="lea"),
            Contender("icepool", _icepool_covariance, distribution="icepool"),
            Contender("sympy.stats", _sympy_covariance, lambda v: Fraction(int(v.p), int(v.q)), "sympy"),
        ),
        judge=number(_exact_covariance),
    ),
]
