"""Comparing laws: entropy, divergences, distances, equality. Logarithms are natural."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import checked, real
from randvar.atoms.outcomes import Axis
from randvar.atoms.search import an_outcome, find
from randvar.errors import described
from randvar.joint import Joint
from randvar.law import Law, added_up
from randvar.law_arguments import sole_law, sole_pair
from randvar.numbers.arrays import LARGEST_WHOLE, SMALLEST_NORMAL, Array, object_array, scalar
from randvar.numbers.base import Numbers
from randvar.numbers.checks import check_numbers
from randvar.numbers.kinds import EXPRESSIONS, meet
from randvar.numbers.log_ratios import divergence_term, integer_weights, log_quotient
from randvar.numbers.symbolic import dot, log_ratio
from randvar.var import Var

__all__ = ["differences", "entropy", "kl", "log_ratio_of", "mutual_information", "same_law", "total_variation"]


def _compared(name: str, _: str, law: Any) -> Var:
    """One of the two laws that a function compares."""
    if not isinstance(law, Var):
        hint = "; indep or shared made a Joint, j[i] is one coordinate" if isinstance(law, Joint) else ""
        raise TypeError(f"{name} compares two Vars, got {described(law)}{hint}")
    return law


@checked(x=sole_law)
def entropy(x: Var | Joint) -> float:
    """Entropy H(X) = -sum_a P(a) log P(a), in nats.

    >>> entropy(Var(["a", "b"], [0.5, 0.5]))
    0.6931471805599453

    Of a Joint the joint entropy of its coordinates. A float also of a rational law; raises RandvarError for a symbolic
    one. Cost: O(n).
    Source: Cover & Thomas, Elements of Information Theory, sections 2.1 and 2.2.
    """
    check_numbers("entropy", x.kind)
    weights = x.law.probs.astype(float)
    likeliest = int(weights.argmax())
    others = np.delete(weights, likeliest)
    rest = math.fsum(others)
    mass = rest + float(weights[likeliest])
    # of the likeliest outcome log P = log(1 - the others), so that no digit is lost where it is nearly certain
    return (mass - rest) / mass * -math.log1p(-rest / mass) - math.fsum(others / mass * np.log(others / mass)) + 0.0


@checked(p=_compared, q=_compared)
def kl(p: Var, q: Var) -> Any:
    """Kullback-Leibler divergence KL(p || q) = sum_a p(a) log(p(a) / q(a)), in nats; inf where q misses mass of p.

    >>> kl(Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.25, 0.75]))
    0.14384103622589045

    Summed as p log(p/q) - p + q, which is never negative, and the mass of q where p has none: also of close laws every
    digit is right (of floats, those of p / sum(p) and q / sum(q)). An expression if one of the laws is symbolic. Raises
    TypeError for anything but two Vars. Cost: O(n log n).
    Source: Cover & Thomas, Elements of Information Theory, section 2.3.
    """
    outcomes = p.values.tolist()
    if EXPRESSIONS in (p.source.numbers, q.source.numbers):
        ratios = [log_ratio(p.prob(a), q.prob(a)) for a in outcomes]
        return math.inf if math.inf in ratios else dot(ratios, p.probs.tolist())
    pair = _Weights(p, q)
    mass, other = pair.masses
    rows = [pair.at(a) for a in outcomes]
    if any(ratio == math.inf for *_, ratio in rows):
        return math.inf
    terms = (divergence_term(a / mass, b / other, ratio) for a, b, ratio in rows)
    return math.fsum([*terms, (other - sum(b for _, b, _ in rows)) / other])


def log_ratio_of(p: Var, q: Var) -> Callable[[Any], Any]:
    """The function a -> log(p(a) / q(a)), for outcomes of p; inf where q misses a.

    Right to rounding also where p(a) and q(a) are close, or one of them is below the smallest float.
    """
    if EXPRESSIONS in (p.source.numbers, q.source.numbers):
        return lambda a: log_ratio(p.prob(a), q.prob(a))
    pair = _Weights(p, q)
    return lambda a: pair.at(a)[2]


class _Weights:
    """Two laws in floats or fractions, as integers over their sums."""

    def __init__(self, p: Var, q: Var) -> None:
        self.laws = p, q
        (self.p, mass), (self.q, other) = (integer_weights(law.law.weights) for law in (p, q))
        self.masses = mass, other

    def at(self, a: Any) -> tuple[int, int, float]:
        """(weight in p, weight in q, log(p(a) / q(a))) of an outcome of p."""
        p, q = self.laws
        i, j = (find(law.values, an_outcome("log_prob", a)) for law in (p, q))
        v, w = 0 if i is None else self.p[i], 0 if j is None else self.q[j]
        if i is None or j is None or _keeps_few_digits(p.law, i) or _keeps_few_digits(q.law, j):
            return v, w, p.log_prob(a) - q.log_prob(a)
        return v, w, log_quotient(v * self.masses[1], w * self.masses[0])


def _keeps_few_digits(law: Law, row: int) -> bool:
    """Whether a probability is near the smallest float: its logarithm may be known better."""
    return not law.numbers.exact and bool(law.weights[row] < SMALLEST_NORMAL)


@checked(p=_compared, q=_compared)
def total_variation(p: Var, q: Var) -> Any:
    """max_A |p(A) - q(A)| = sum_a |p(a) - q(a)| / 2.

    >>> total_variation(Var([0, 1], [0.5, 0.5]), Var([1, 2], [0.5, 0.5]))
    0.5

    A Fraction of two rational laws. Raises TypeError for anything but two Vars. Cost: O(n log n).
    Source: Cover & Thomas, Elements of Information Theory, section 11.6 (there the L1 distance, twice this).
    """
    numbers = _meeting(p, q)
    inside = [abs(mass - q.prob(a)) for a, mass in zip(p.values.tolist(), p.probs.tolist(), strict=True)]
    outside = [mass for a, mass in zip(q.values.tolist(), q.probs.tolist(), strict=True) if p.prob(a) == 0]
    return numbers.added([*inside, *outside]) / 2


@checked(j=sole_pair)
def mutual_information(j: Joint) -> float:
    """I(X; Y) = H(X) + H(Y) - H(X, Y), the divergence of the joint law from that of independent coordinates.

    >>> from randvar.coupling import shared
    >>> mutual_information(shared(Var([0, 1], [0.5, 0.5])))
    0.6931471805599453

    Right to rounding also of nearly independent coordinates. Raises TypeError for anything but a Joint with two
    coordinates, RandvarError for a symbolic law. Cost: O(rows).
    Source: Cover & Thomas, Elements of Information Theory, section 2.3.
    """
    check_numbers("mutual_information", j.kind)
    law = j.law
    weights, mass = integer_weights(law.weights)
    rows = object_array(weights)
    first, second = (
        added_up(code, rows, len(axis.values))[0][code].tolist() for code, axis in zip(law.codes, law.axes, strict=True)
    )
    met, square = list(map(operator.mul, first, second)), mass * mass
    terms = (
        divergence_term(w / mass, m / square, log_quotient(w * mass, m)) for w, m in zip(weights, met, strict=True)
    )
    return math.fsum([*terms, (square - sum(met)) / square])


@checked(tolerance=partial(real, least=0, most=1))
def same_law(x: Var | Joint, y: Var | Joint, tolerance: float = 1e-12) -> bool:
    """Whether two laws are one: the same outcomes (floats within 4 ulp) with the same probabilities.

    >>> same_law(Var([0, 1], [0.5, 0.5]), Var([1, 0], [0.5, 0.5]))
    True

    Of Joints rows are compared, coordinate by coordinate. Exact laws are compared exactly, float ones within
    `tolerance`, relative to each probability. Raises TypeError for anything but two Vars or two Joints.
    Cost: O(n log n).
    """
    if isinstance(x, Joint) and isinstance(y, Joint) and x.dim != y.dim:
        return False
    return not differences(x, y, tolerance)


def differences(x: Var | Joint, y: Var | Joint, tolerance: float, unit: float = 0.0) -> list[tuple[Any, Any, Any]]:
    """(outcome, its probability in x, and in y) wherever two laws differ. Cost: O(n log n).

    `unit`: of single precision, where a person declares it of the outcomes.
    """
    if not (isinstance(x, Var) and isinstance(y, Var)) and not (isinstance(x, Joint) and isinstance(y, Joint)):
        raise TypeError(f"same_law compares two Vars or two Joints, got {type(x).__name__} and {type(y).__name__}")
    if isinstance(x, Joint) and isinstance(y, Joint) and x.dim != y.dim:
        raise TypeError(f"same_law compares Joints of as many coordinates, got {x.dim} and {y.dim}")
    first, second = (
        (law.columns, law.weights) if isinstance(law, Joint) else ((law.values,), law.probs) for law in (x, y)
    )
    unit = max(unit, x.source.warrant.precision, y.source.warrant.precision)
    axes, codes = zip(*(_one_axis(a, b, unit) for a, b in zip(first[0], second[0], strict=True)), strict=True)
    rows = list(zip(*(code.tolist() for code in codes), strict=True))
    n = len(first[1])
    p, q = _added_up(rows[:n], first[1]), _added_up(rows[n:], second[1])
    numbers = _meeting(x, y)
    pairs = ((row, p.get(row, 0), q.get(row, 0)) for row in {**p, **q})
    return [(_outcome(axes, row), a, b) for row, a, b in pairs if not numbers.agree(a, b, tolerance)]


def _meeting(x: Var | Joint, y: Var | Joint) -> Numbers:
    """The kind that probabilities are compared in: floats with Fractions, but not with symbols."""
    return meet(x.source.numbers, y.source.numbers)


def _added_up(rows: list[tuple[int, ...]], weights: Array) -> dict[tuple[int, ...], Any]:
    law: dict[tuple[int, ...], Any] = {}
    for row, weight in zip(rows, weights.tolist(), strict=True):
        law[row] = law[row] + weight if row in law else weight
    return law


def _one_axis(a: Array, b: Array, unit: float) -> tuple[Array, Array]:
    """The outcomes of two laws on one axis, floats within 4 ulp being one, and where each stands on it."""
    outcomes = [*a.tolist(), *b.tolist()]
    if any(isinstance(v, float) for v in outcomes) and all(map(_is_near_its_float, outcomes)):
        outcomes = [float(v) for v in outcomes]
    axis, codes = Axis.of(outcomes).as_returned(np.ones(len(outcomes), dtype=object), unit)
    return axis.values, codes


def _is_near_its_float(v: Any) -> bool:
    """A number that is one with its float, and with no other integer's."""
    return isinstance(v, (float, Fraction)) or (isinstance(v, int) and abs(v) < LARGEST_WHOLE)


def _outcome(axes: Sequence[Array], row: tuple[int, ...]) -> Any:
    values = tuple(scalar(axis[code]) for axis, code in zip(axes, row, strict=True))
    return values if len(values) > 1 else values[0]
