"""Warrants: what the numbers of a law leave out or take for granted. A law that is made of others carries theirs.

RULES has a row a field: what becomes of it in independent laws, in n draws, in a draw from one of several laws chosen
with these shares, and given an event of this probability. A function of outcomes keeps a warrant as it is.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from randvar.numbers.arrays import EPS

__all__ = ["SOUND", "Warrant"]


_TO_ROUNDING = 16 * EPS  # that float probabilities sum to 1 is taken within 4 ulp


@dataclass(frozen=True, slots=True)
class Warrant:
    """Of a law, or of one that is still to be computed, as far as it is known then.

    `accuracy` bounds the relative error of each probability (0: exact, or as it was given), and `underflow` says that
    possible outcomes may be missing, less likely than the smallest float. `cut` is the mass that was cut off an
    infinite support, `dropped` that of samples on which an estimator is undefined, as a number of the law's kind: the
    law is that given the others. `degree`: the mean of a polynomial of up to that degree is exact (of quadrature);
    beyond it, and for any other function, the law is an approximation, and where its outcomes are `nodes` it has no
    probabilities of events. `precision` is the rounding unit of outcomes that were computed in single precision, 0 for
    others. `assumed` is what a person declared.
    """

    accuracy: float = 0.0
    cut: float = 0.0
    dropped: Any = 0
    degree: float = math.inf
    nodes: bool = False
    precision: float = 0.0
    underflow: bool = False
    assumed: frozenset[str] = frozenset()

    @property
    def lost(self) -> Any:
        """All the mass that the law was not given, in the kind of what was dropped."""
        return _either([self.cut, self.dropped], None) if self.cut and self.dropped else self.dropped or self.cut

    @property
    def defined(self) -> Any:
        """The probability of what the law is given: that the estimator is defined."""
        return 1 - self.dropped

    def lacking(self, mass: Any) -> Warrant:
        """Of the law given all samples but some of this mass, on which nothing is defined."""
        return self.and_of(Warrant(dropped=mass))

    def of_a_number(self, degree: int) -> Warrant:
        """Of the mean of a polynomial of this degree."""
        exact = math.inf if self.degree >= degree and not (self.nodes and degree == 0) else 0
        return Warrant(cut=self.cut, dropped=self.dropped, degree=exact, precision=self.precision, assumed=self.assumed)

    def drawn_after(self) -> Warrant:
        """Of what is drawn from laws chosen by nodes: its probabilities are means of what is smooth in them."""
        return replace(self, nodes=False) if self.nodes else self

    def declared(self, degree: int | None) -> Warrant:
        """Of a law made by a function that a person declared to be a polynomial of this degree."""
        if degree is None or self.degree == math.inf:
            return self
        return replace(self, assumed=self.assumed | {f"the function is a polynomial of degree {degree}"})

    def through(self, degree: int | None) -> Warrant:
        """Of a polynomial of this degree, or of any other function (None): it says how much of `degree` is left."""
        if self.degree == math.inf:
            return self
        return replace(self, degree=self.degree // degree if degree else 0 if degree is None else math.inf)

    @property
    def stated_accuracy(self) -> float | None:
        """The accuracy; None up to 16 ulp, of probabilities that are exact or right to rounding."""
        return self.accuracy if self.accuracy > _TO_ROUNDING else None

    def and_of(self, other: Warrant) -> Warrant:
        """Of a law made of two independent ones, or of a draw and a further one."""
        if self is SOUND or other is SOUND:
            return other if self is SOUND else self
        return _made("independent", (self, other))

    def copies(self, n: int) -> Warrant:
        """Of n independent draws."""
        return _made("draws", (self,), n) if n else SOUND

    def given(self, mass: Any) -> Warrant:
        """Of the law given an event of this probability."""
        return _made("given", (self,), mass)

    def rounded(self, error: float) -> Warrant:
        """With probabilities that are off by this much more, relative to each."""
        if self is SOUND:
            return Warrant(error) if error else self
        return replace(self, accuracy=self.accuracy + error) if error else self

    @staticmethod
    def together(parts: Iterable[Warrant]) -> Warrant:
        """Of independent laws."""
        return functools.reduce(Warrant.and_of, parts, SOUND)

    @staticmethod
    def of_parts(parts: Sequence[Warrant]) -> Warrant:
        """Of a law that comes in parts: each field as in the part that says least."""
        distinct = list(dict.fromkeys(parts))
        if len(distinct) == 1:
            return distinct[0]
        return Warrant(
            accuracy=max(w.accuracy for w in distinct),
            cut=max(w.cut for w in distinct),
            dropped=functools.reduce(lambda a, b: _either([a, b], None), {w.dropped for w in distinct}),
            degree=min(w.degree for w in distinct),
            nodes=any(w.nodes for w in distinct),
            precision=max(w.precision for w in distinct),
            underflow=any(w.underflow for w in distinct),
            assumed=frozenset().union(*(w.assumed for w in distinct)),
        )

    @staticmethod
    def of_draws(parts: Iterable[tuple[Warrant, int]]) -> Warrant:
        """Of independent draws, so many of each law."""
        return functools.reduce(Warrant.and_of, (w.copies(n) for w, n in parts if w is not SOUND), SOUND)

    @staticmethod
    def mixed(parts: Sequence[Warrant], shares: Callable[[], Sequence[Any]]) -> Warrant:
        """Of a draw from one of these laws, chosen with these probabilities."""
        return _made("mixed", parts, shares)


SOUND = Warrant()


def _made(how: str, parts: Sequence[Warrant], by: Any = None) -> Warrant:
    if all(part == SOUND for part in parts):
        return SOUND
    by = by() if callable(by) else by
    return Warrant(**{name: rules[how]([getattr(w, name) for w in parts], by) for name, rules in RULES.items()})


def _either(masses: Sequence[Any], _: Any) -> Any:
    a, b = masses  # as if each cut had gone on to be drawn from
    return a + b - a * b


def _any_of(masses: Sequence[Any], n: int) -> Any:
    (a,) = masses
    if isinstance(a, float) and a < 1:
        return -math.expm1(n * math.log1p(-a))
    return a if a == 1 else 1 - (1 - a) ** n


def _weighted(masses: Sequence[Any], shares: Sequence[Any]) -> Any:
    return sum(a * p for a, p in zip(masses, shares, strict=True) if a)


def _within(masses: Sequence[Any], mass: Any) -> Any:
    (a,) = masses  # all that is missing may lie in the event
    return a and a / (a + (1 - a) * mass)


def _unless_exact(degrees: Sequence[float], _: Any) -> float:
    (degree,) = degrees
    return degree if degree == math.inf else 0  # an event is no polynomial


RULES: dict[str, dict[str, Callable[[Sequence[Any], Any], Any]]] = {
    # relative errors add up, to first order; P(a) and P(event) may both be off, and P(a) and the sum of all n times
    "accuracy": {
        "independent": lambda a, _: sum(a),
        "draws": lambda a, n: 2 * n * a[0],
        "mixed": lambda a, _: max(a),
        "given": lambda a, _: 2 * a[0],
    },
    "cut": {"independent": _either, "draws": _any_of, "mixed": _weighted, "given": _within},
    "dropped": {"independent": _either, "draws": _any_of, "mixed": _weighted, "given": _within},
    "degree": {**dict.fromkeys(("independent", "draws", "mixed"), lambda a, _: min(a)), "given": _unless_exact},
    "precision": {how: lambda a, _: max(a) for how in ("independent", "draws", "mixed", "given")},
    "assumed": {how: lambda a, _: frozenset().union(*a) for how in ("independent", "draws", "mixed", "given")},
    "nodes": {how: lambda a, _: any(a) for how in ("independent", "draws", "mixed", "given")},
    "underflow": {how: lambda a, _: any(a) for how in ("independent", "draws", "mixed", "given")},
}
