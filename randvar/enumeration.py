"""Programs that draw as they go: every path of one is run, by replaying it, and its law is exact."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.arguments import checked, function
from randvar.atoms.outcomes import Axis
from randvar.context import RAISE_IT, current
from randvar.errors import RandvarError, SupportTooLarge, UndefinedOutcome, one_line
from randvar.law import Law
from randvar.numbers.arrays import scalar
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import FLOATS, FRACTIONS, together
from randvar.numbers.symbolic import is_undefined
from randvar.paths import Draw, no_function
from randvar.progress import reported
from randvar.var import Var, returned
from randvar.warrant import Warrant

__all__ = ["enumerated"]

_CHUNK = 2**14  # paths that are merged together
_MILLIONTHS = 10**6


@checked(program=function)
def enumerated(program: Callable[[Draw], Any]) -> Var:
    """Law of program(draw), a program that draws as it goes: every path of it is run, by replaying it.

    A fair coin from a biased one (von Neumann), given up after three pairs of flips:

    >>> from fractions import Fraction
    >>> def fair(draw):
    ...     for _ in range(3):
    ...         first, second = draw.flip(Fraction(1, 3)), draw.flip(Fraction(1, 3))
    ...         if first != second:
    ...             return int(first)
    ...     return "none"
    >>> enumerated(fair).to_dict()
    {'none': Fraction(125, 729), 0: Fraction(302, 729), 1: Fraction(302, 729)}

    `draw(x)` is an outcome of a Var x, or the coordinates of a Joint as a tuple, independent of all that was drawn
    before; `draw.flip(p)` is True or False; `draw.generator()` stands in for numpy's `Generator` (choice, integers,
    permutation, permuted, shuffle, binomial), so that code that takes `rng=` runs as it is. How a bootstrap of three
    draws sees the variance of a sum:

    >>> import numpy as np
    >>> def resampled(draw):
    ...     data = [draw(Var([0, 1], [Fraction(1, 2)] * 2)) for _ in range(3)]
    ...     return int(draw.generator().choice(data, size=3).sum())
    >>> from randvar.moments import variance
    >>> variance(enumerated(resampled)), variance(Var([0, 1], [Fraction(1, 2)] * 2)) * 3
    (Fraction(5, 4), Fraction(3, 4))

    The program must be a function of its draws: all that is random in it comes from `draw`. It returns an outcome, or a
    Var (a fresh draw). Probabilities are exact if all laws are. A program in which equal situations come up on many
    paths is a `fold` or a `markov_chain`, which merge them.

    Raises UndefinedOutcome, with the draws, where the program raises or returns NaN; RandvarError if it is no function
    of its draws; SupportTooLarge past the budget of paths, or for a path of more than 1,000 draws. Cost: one run a
    path. Source: Goodman and Stuhlmueller, The Design and Implementation of Probabilistic Programming Languages,
    chapter 3 (exploring executions).
    """
    draw = Draw()
    first = _run(program, draw)
    draw.begin()
    if _unlike(first, _run(program, draw)):
        raise no_function(f"it returned {one_line(first)} and then something else on {draw.shown()}")
    draw = Draw()
    parts = list(reported(_chunks(program, draw), _MILLIONTHS, "enumerated (millionths of probability)"))
    law = Law.joined([_in_kind(together(draw.kinds), part) for part in parts] if draw.kinds else parts)
    if _unlike(first, _run(program, Draw())):
        raise no_function(
            f"it returned {one_line(first)} at the start and something else at the end, after the same draws"
        )
    return Var.of(law)


def _chunks(program: Callable[[Draw], Any], draw: Draw) -> Iterator[tuple[int, Law]]:
    """The paths, in laws of some thousands, each with how likely it is in millionths."""
    results: list[Any] = []
    probs: list[Any] = []
    paths, more, budget = 0, True, current().max_atoms
    while more:
        draw.begin()
        results.append(_run(program, draw))
        probs.append(draw.end())
        paths += 1
        if paths > budget:
            raise _too_many(budget)
        more = draw.to_the_next()
        if len(results) == _CHUNK or not more:
            yield _merged(results, probs, draw)
            results, probs = [], []


def _merged(results: list[Any], probs: list[Any], draw: Draw) -> tuple[int, Law]:
    numbers = together(draw.kinds) if draw.kinds else FRACTIONS
    weights, unit = numbers.weighed(list(map(float, probs)) if numbers is FLOATS else probs)
    warrant = Warrant.together(draw.warrants).through(None)
    rows = Law((Axis(np.arange(len(probs)), FRACTIONS),), (), weights, unit, numbers, warrant)
    share = sum(probs)
    return int(share * _MILLIONTHS) if isinstance(share, (float, Fraction)) else 0, returned(rows, results)


def _in_kind(numbers: Numbers, law: Law) -> Law:
    """Paths on which only 1/n was drawn go with every kind."""
    if law.numbers is numbers:
        return law
    weights, mass = numbers.adopted(law.weights, law.mass, law.numbers)
    return replace(law, weights=weights, mass=mass, numbers=numbers)


def _run(program: Callable[[Draw], Any], draw: Draw) -> Any:
    """One path to its end."""
    try:
        result = scalar(program(draw))
    except Exception as error:
        misuse = isinstance(error, TypeError) and "positional argument" in str(error)
        if error is draw.refusal or misuse or isinstance(error, RandvarError):
            raise
        raise UndefinedOutcome(
            f"the program raised {type(error).__name__}: {error} after {draw.shown()}; let it return a value there"
        ) from error
    if is_undefined(result):
        raise UndefinedOutcome(f"the program returned NaN after {draw.shown()}; let it return a value there")
    return result


def _unlike(a: Any, b: Any) -> bool:
    """Whether two results of one path differ."""
    if a is b or isinstance(a, Var):
        return False
    try:
        return not bool(np.all(operator.eq(a, b)))
    except (TypeError, ValueError):  # of things that do not compare
        return type(a) is not type(b)


def _too_many(budget: int) -> SupportTooLarge:
    return SupportTooLarge(
        f"enumerated: the program has more than {budget:,} paths, the budget; equal situations on many paths are merged"
        f" by fold or markov_chain, and samples by sampling_distribution; or {RAISE_IT}",
        size=budget + 1,
        budget=budget,
    )
