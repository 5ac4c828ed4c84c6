"""Comparing laws: entropy, divergences, distances, equality. Logarithms are natural."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import checked, real
from randvar.atoms.outcomes import Axis
from randvar.errors import described
from randvar.joint import Joint
from randvar.law_arguments import sole_law, sole_pair
from randvar.numbers.arrays import LARGEST_WHOLE, Array, scalar
from randvar.numbers.base import Numbers
from randvar.numbers.checks import check_numbers
from randvar.numbers.kinds import EXPRESSIONS, meet
from randvar.numbers.symbolic import dot, log_ratio
from randvar.var import Var

__all__ = ["differences", "entropy", "kl", "mutual_information", "same_law", "total_variation"]


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
    weights = _masses("entropy", x)
    return -math.fsum(weights * np.log(weights)) + 0.0  # + 0.0: a certain outcome has entropy 0, not -0


@checked(p=_compared, q=_compared)
def kl(p: Var, q: Var) -> Any:
    """Kullback-Leibler divergence KL(p || q) = sum_a p(a) log(p(a) / q(a)), in nats; inf where q misses mass of p.

    >>> kl(Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.25, 0.75]))
    0.14384103622589045

    An expression if one of the laws is symbolic. Raises TypeError for anything but two Vars. Cost: O(n log n).
    Source: Cover & Thomas, Elements of Information Theory, section 2.3.
    """
    if EXPRESSIONS in (p.source.numbers, q.source.numbers):
        ratios = [log_ratio(p.prob(a), q.prob(a)) for a in p.values.tolist()]
        return math.inf if math.inf in ratios else dot(ratios, p.probs.tolist())
    # either probability may underflow, or keep few digits
    above, below = (np.array([law.log_prob(a) for a in p.values.tolist()], dtype=float) for law in (p, q))
    if (below == -math.inf).any():
        return math.inf
    return math.fsum(p.probs.astype(float) * (above - below))


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
    """I(X; Y) = H(X) + H(Y) - H(X, Y), summed as P(a, b) log(P(a, b) / (P(a) P(b))) so that nothing cancels.

    >>> from randvar.coupling import shared
    >>> mutual_information(shared(Var([0, 1], [0.5, 0.5])))
    0.6931471805599453

    Raises TypeError for anything but a Joint with two coordinates, RandvarError for a symbolic law. Cost: O(rows).
    Source: Cover & Thomas, Elements of Information Theory, section 2.3.
    """
    weights = _masses("mutual_information", j)
    parts = (j.marginal(i).to_dict() for i in range(2))
    px, py = (np.array([float(law[v]) for v in c.tolist()]) for law, c in zip(parts, j.columns, strict=True))
    return max(math.fsum(weights * (np.log(weights) - np.log(px) - np.log(py))), 0.0)


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


def _masses(name: str, x: Var | Joint) -> Any:
    check_numbers(name, x.kind)
    return (x.weights if isinstance(x, Joint) else x.probs).astype(float)
