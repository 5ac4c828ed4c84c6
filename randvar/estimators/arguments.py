"""What every estimator asks of its arguments."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from randvar.arguments import real, whole
from randvar.errors import UndefinedOutcome, data_advice, described, one_line
from randvar.joint import Joint
from randvar.moments import check_numeric
from randvar.numbers.nearest import simple_fraction
from randvar.var import Var

__all__ = ["a_joint", "a_var", "check_finite", "count", "draws_with_scores", "exact_number"]


def count(name: str, argument: str, n: Any, least: int = 1) -> int:
    """A whole number, at least `least`."""
    if isinstance(n, Var) and argument == "steps":
        raise TypeError(
            f"{name}: {argument} must be a whole number, got {one_line(n)}; the law comes first, as in {name}(x, 10)"
        )
    return whole(name, argument, n, least=least)


def a_var(name: str, argument: str, x: Any) -> Var:
    """A Var."""
    if not isinstance(x, Var):
        hint = "; j[i] is one coordinate, j.sub() or j.mul() a Var of both" if isinstance(x, Joint) else ""
        raise TypeError(f"{name}: {argument} must be a Var, got {described(x)}{hint or data_advice(x)}")
    return x


def a_joint(name: str, argument: str, j: Any, dim: int = 2) -> Joint:
    """A Joint with `dim` coordinates."""
    if not isinstance(j, Joint):
        raise TypeError(f"{name}: {argument} must be a Joint, got {described(j)}")
    if j.dim != dim:
        raise TypeError(f"{name}: {argument} must have {dim} coordinates, got {j.dim}; j.select(i, k) picks two")
    return j


def exact_number(name: str, argument: str, number: Any) -> Any:
    """An int or a Fraction: a float is read as the simplest fraction within an ulp (0.3 means 3/10), if it has one
    with a denominator up to 10^6, and else as the binary fraction that it is.
    """
    if type(number) is Fraction:
        return number
    number = real(name, argument, number)
    if isinstance(number, (int, Fraction)):
        return int(number) if isinstance(number, bool) else number
    return simple_fraction(number, 10**6) or Fraction(number)


def draws_with_scores(name: str, draws: Any, leading: int = 1) -> Joint:
    """A Joint of `leading` numbers (the reward first) and at least one coordinate of a score."""
    if not isinstance(draws, Joint) or draws.dim <= leading:
        got = f"a Joint of {draws.dim}" if isinstance(draws, Joint) else f"{described(draws)}"
        raise TypeError(
            f"{name}: pair must be a Joint of (reward, score) or (reward, score_1, ..., score_d), got {got};"
            " policy.vector(lambda a: (reward(a), *score(a))) makes one"
        )
    check_numeric(name, draws)
    check_finite(name, draws)
    return draws


def check_finite(name: str, j: Joint) -> None:
    """Raise UndefinedOutcome for a coordinate that can be infinite."""
    for column in j.columns:
        if column.dtype.kind == "f" and np.isinf(column).any():
            raise UndefinedOutcome(
                f"{name}: an outcome is infinite, so that no mean can be subtracted; condition it away"
            )
