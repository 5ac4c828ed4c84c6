"""Comparing laws: entropy, divergences, distances, equality. Logarithms are natural."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from randvar.engine.arguments import real
from randvar.engine.symbolic import is_zero
from randvar.joint import Joint
from randvar.var import Var

__all__ = ["entropy", "kl", "mutual_information", "same_law", "total_variation"]


def entropy(x: Var | Joint) -> float:
    """H(X) = -sum_a P(a) log P(a), in nats.

    >>> entropy(Var(["a", "b"], [0.5, 0.5]))
    0.6931471805599453
    """
    weights = _masses(x)
    return -math.fsum(weights * np.log(weights)) + 0.0  # + 0.0: a certain outcome has entropy 0, not -0


def kl(p: Var, q: Var) -> float:
    """KL(p || q) = sum_a p(a) log(p(a) / q(a)), in nats; inf where q misses mass of p.

    >>> kl(Var([0, 1], [0.5, 0.5]), Var([0, 1], [0.25, 0.75]))
    0.14384103622589045

    Cost: O(n log n). Source: Cover & Thomas, Elements of Information Theory, section 2.3.
    """
    _two_laws("kl", p, q)
    below = np.array([q.prob(a) for a in p.values.tolist()], dtype=float)
    if (below == 0).any():
        return math.inf
    mass = p.probs.astype(float)
    return math.fsum(mass * (np.log(mass) - np.log(below)))


def total_variation(p: Var, q: Var) -> Any:
    """max_A |p(A) - q(A)| = sum_a |p(a) - q(a)| / 2.

    >>> total_variation(Var([0, 1], [0.5, 0.5]), Var([1, 2], [0.5, 0.5]))
    0.5
    """
    _two_laws("total_variation", p, q)
    common = math.fsum if "float" in (p.kind, q.kind) else sum
    inside = [abs(mass - q.prob(a)) for a, mass in zip(p.values.tolist(), p.probs.tolist(), strict=True)]
    outside = [mass for a, mass in zip(q.values.tolist(), q.probs.tolist(), strict=True) if p.prob(a) == 0]
    return common([*inside, *outside]) / 2


def mutual_information(j: Joint) -> float:
    """I(X; Y) = H(X) + H(Y) - H(X, Y), summed as P(a, b) log(P(a, b) / (P(a) P(b))) so that nothing cancels.

    >>> from randvar.coupling import shared
    >>> mutual_information(shared(Var([0, 1], [0.5, 0.5])))
    0.6931471805599453
    """
    if not isinstance(j, Joint) or j.dim != 2:
        raise TypeError(
            f"mutual_information takes a Joint with two coordinates, got {j!r:.60}; j.select(i, k) picks two"
        )
    weights = _masses(j)
    parts = (j.marginal(i).to_dict() for i in range(2))
    px, py = (np.array([float(law[v]) for v in c.tolist()]) for law, c in zip(parts, j.columns, strict=True))
    return max(math.fsum(weights * (np.log(weights) - np.log(px) - np.log(py))), 0.0)


def same_law(x: Var | Joint, y: Var | Joint, tolerance: float = 1e-12) -> bool:
    """Whether two laws are one: the same outcomes (floats within 4 ulp) with the same probabilities.

    >>> same_law(Var([0, 1], [0.5, 0.5]), Var([1, 0], [0.5, 0.5]))
    True

    Exact laws are compared exactly, float ones within `tolerance`, relative to each probability.
    """
    tolerance = real("same_law", "tolerance", tolerance, least=0, most=1)
    if isinstance(x, Joint) and isinstance(y, Joint):
        return x.dim == y.dim and same_law(_as_var(x), _as_var(y), tolerance)
    if not isinstance(x, Var) or not isinstance(y, Var):
        raise TypeError(f"same_law compares two Vars or two Joints, got {type(x).__name__} and {type(y).__name__}")
    if len(x) != len(y):
        return False
    exact = "float" not in (x.kind, y.kind)
    pairs = ((mass, y.prob(a)) for a, mass in zip(x.values.tolist(), x.probs.tolist(), strict=True))
    return all(is_zero(p - q) if exact else math.isclose(p, q, rel_tol=tolerance) for p, q in pairs)


def _as_var(j: Joint) -> Var:
    return j.combine(lambda *row: row)


def _masses(x: Any) -> Any:
    if not isinstance(x, (Var, Joint)):
        raise TypeError(f"entropy takes a Var or a Joint, got {type(x).__name__} {x!r:.60}")
    return (x.weights if isinstance(x, Joint) else x.probs).astype(float)


def _two_laws(name: str, p: Any, q: Any) -> None:
    for law in (p, q):
        if not isinstance(law, Var):
            hint = "; indep or shared made a Joint, j[i] is one coordinate" if isinstance(law, Joint) else ""
            raise TypeError(f"{name} compares two Vars, got {type(law).__name__} {law!r:.60}{hint}")
