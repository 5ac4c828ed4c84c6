"""What public functions ask of laws, and of numbers beside them: rules for `checked` (see `randvar.arguments`)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from randvar.arguments import function, real, whole
from randvar.errors import UndefinedOutcome, data_advice, described, one_line
from randvar.independent import Independent
from randvar.joint import Joint
from randvar.law import Law, Source
from randvar.numbers.arrays import Array, is_numeric
from randvar.numbers.base import WORDS
from randvar.numbers.nearest import simple_fraction
from randvar.numbers.symbolic import is_number
from randvar.var import Var

__all__ = [
    "a_joint",
    "a_law",
    "a_var",
    "check_numeric",
    "check_values",
    "count",
    "draws_with_scores",
    "exact_number",
    "finite",
    "function_of_a_sample",
    "numeric",
    "sole_joint",
    "sole_law",
    "sole_pair",
    "sole_var",
]

AnyLaw = TypeVar("AnyLaw", bound=Var | Joint)


def count(name: str, argument: str, n: Any, least: int = 1) -> int:
    """A whole number, at least `least`."""
    if isinstance(n, Var) and argument == "steps":
        raise TypeError(
            f"{name}: {argument} must be a whole number, got {one_line(n)}; the law comes first, as in {name}(x, 10)"
        )
    return whole(name, argument, n, least=least)


def exact_number(name: str, argument: str, number: Any, **limits: float) -> Any:
    """An int or a Fraction, within limits as of `real`: a float is read as the simplest fraction within an ulp (0.3
    means 3/10), if it has one with a denominator up to 10^6, and else as the binary fraction that it is.
    """
    if type(number) is Fraction and not limits:
        return number
    number = real(name, argument, number, **limits)
    if isinstance(number, (int, Fraction)):
        return int(number) if isinstance(number, bool) else number
    return simple_fraction(number, 10**6) or Fraction(number)


def a_var(name: str, argument: str, x: Any) -> Var:
    """A Var."""
    if not isinstance(x, Var):
        hint = "; j[i] is one coordinate, j.sub() or j.mul() a Var of both" if isinstance(x, Joint) else ""
        raise TypeError(f"{name}: {argument} must be a Var, got {described(x)}{hint or data_advice(x)}")
    return x


def a_joint(name: str, argument: str, j: Any, dim: int | None = 2, hint: str = "") -> Joint:
    """A Joint with `dim` coordinates; None: with any number of them."""
    if not isinstance(j, Joint):
        raise TypeError(f"{name}: {argument} must be a Joint, got {described(j)}{hint}")
    if dim is not None and j.dim != dim:
        raise TypeError(f"{name}: {argument} must have {dim} coordinates, got {j.dim}; j.select(i, k) picks two")
    return j


def a_law(name: str, argument: str, x: Any) -> Var | Joint:
    """A Var or a Joint."""
    if not isinstance(x, (Var, Joint)):
        raise TypeError(f"{name}: {argument} must be a Var or a Joint, got {described(x)}{data_advice(x)}")
    return x


def sole_var(name: str, _: str, x: Any) -> Var:
    """A Var, where it is the one law that a function is about: the message need not say which."""
    if not isinstance(x, Var):
        raise TypeError(f"{name} takes a Var, got {described(x)}{data_advice(x)}")
    return x


def sole_joint(name: str, _: str, j: Any) -> Joint:
    """A Joint, where it is the one law that a function is about."""
    if not isinstance(j, Joint):
        raise TypeError(f"{name} takes a Joint, got {described(j)}; indep or shared make one")
    return j


def sole_pair(name: str, argument: str, j: Any, way_out: str = "j.select(i, k) picks two") -> Joint:
    """A Joint of two coordinates, where it is the one law that a function is about."""
    if sole_joint(name, argument, j).dim != 2:
        raise TypeError(f"{name} needs two coordinates, this Joint has {j.dim}; {way_out}")
    return j  # type: ignore[no-any-return]


def sole_law(name: str, _: str, x: Any) -> Var | Joint:
    """A Var or a Joint, where it is the one law that a function is about."""
    if not isinstance(x, (Var, Joint)):
        raise TypeError(f"{name} takes a Var or a Joint, got {described(x)}{data_advice(x)}")
    return x


def numeric(name: str, _: str, law: AnyLaw) -> AnyLaw:
    """A law of numbers."""
    check_numeric(name, law)
    return law


def check_numeric(name: str, x: Any) -> None:
    """Raise TypeError unless x is a Var or a Joint of numbers (a law that is still to be computed is one)."""
    if isinstance(x, Joint):
        for source in x.source.sources if isinstance(x.source, Independent) else [x.source]:
            _check_source(name, source)
    else:
        _check_source(name, sole_var(name, "x", x).source)


def _check_source(name: str, source: Source) -> None:
    """A law that is still to be computed is one of numbers."""
    for axis in source.axes if isinstance(source, Law) else ():
        if axis.numbers is WORDS:
            check_values(name, axis.values)


def check_values(name: str, values: Array) -> None:
    """Raise TypeError unless every one of the values is a real number or an expression."""
    if is_numeric(values):
        return
    for v in values.tolist():
        if not is_number(v):
            raise TypeError(
                f"{name} needs numbers, but {v!r} is a {type(v).__name__}; map the outcomes first: x.op(lambda a: ...)"
            )


def finite(name: str, _: str, j: Joint) -> Joint:
    """A Joint none of whose coordinates can be infinite."""
    for column in j.columns:
        if column.dtype.kind == "f" and np.isinf(column).any():
            raise UndefinedOutcome(
                f"{name}: an outcome is infinite, so that no mean can be subtracted; condition it away"
            )
    return j


def draws_with_scores(name: str, argument: str, draws: Any) -> Joint:
    """A Joint of a reward and at least one coordinate of a score, all finite numbers."""
    if not isinstance(draws, Joint) or draws.dim < 2:
        got = f"a Joint of {draws.dim}" if isinstance(draws, Joint) else f"{described(draws)}"
        raise TypeError(
            f"{name}: {argument} must be a Joint of (reward, score) or (reward, score_1, ..., score_d), got {got};"
            " policy.vector(lambda a: (reward(a), *score(a))) makes one"
        )
    return finite(name, argument, numeric(name, argument, draws))


def function_of_a_sample(name: str, argument: str, f: Any) -> Callable[..., Any]:
    """A function that takes the draws of a sample: it stands before the law that they are drawn from."""
    if isinstance(f, (Var, Joint)):
        raise TypeError(
            f"{name}: {argument} must be a function, got {described(f)}; the function comes first, then the law, then"
            f" how many draws: {name}({argument}, x, n)"
        )
    return function(name, argument, f)
