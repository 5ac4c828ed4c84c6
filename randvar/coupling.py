"""The only four ways to couple variables: independent, shared, iid, dependent. Each says which it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from randvar.arguments import function, whole
from randvar.calls.call import apply
from randvar.context import check_budget
from randvar.errors import data_advice, described, one_line
from randvar.independent import Independent
from randvar.joint import Joint
from randvar.law import Source
from randvar.var import Var, atoms_of, laws_of

__all__ = ["dependent", "iid", "indep", "shared"]


def indep(*variables: Var | Joint) -> Joint:
    """Independent draws: P(X = a, Y = b) = P(X = a) P(Y = b).

    >>> coin = Var([0, 1], [0.5, 0.5])
    >>> indep(coin, coin).table
    array([[0.25, 0.25],
           [0.25, 0.25]])

    One coordinate a Var. Joints may stand among the `variables`; their coordinates keep their own dependence. The rows
    are listed when first read: sums, marginals and moments of independent variables need none.

    Raises TypeError for anything but Vars and Joints; when the rows are read, SupportTooLarge past the budget of atoms
    and RandvarError for a float law beside an exact one. Cost: the product of the numbers of outcomes, in rows.
    """
    if not variables:
        raise TypeError("indep takes at least one variable, as in indep(x, y)")
    for x in variables:
        if not isinstance(x, (Var, Joint)):
            advice = data_advice(x) or "; constant(v) makes a Var"
            raise TypeError(f"indep couples Vars and Joints, got {described(x)}{advice}")
    sources = [x.source for x in variables]
    if not any(map(_is_coupled, sources)):
        return Joint.of(Independent([part for x in sources for part in _parts(x)]))
    first, *others = (x.law() for x in sources)
    return Joint.of(first.times(*others))


def _is_coupled(x: Source) -> bool:
    """Whether it has coordinates that may depend on each other."""
    return x.dim > 1 and not isinstance(x, Independent)


def _parts(x: Source) -> tuple[Source, ...]:
    return x.sources if isinstance(x, Independent) else (x,)


def shared(x: Var, copies: int = 2) -> Joint:
    """The same draw, seen `copies` times: Y = X, a Joint of so many equal coordinates.

    >>> shared(Var([0, 1], [0.5, 0.5])).table
    array([[0.5, 0. ],
           [0. , 0.5]])

    Raises TypeError for anything but a Var, RandvarError for less than one copy. Cost: one row an outcome, whatever the
    number of copies.
    """
    _check_var("shared", x)
    copies = whole("shared", "copies", copies, least=1)
    check_budget(copies * len(x), f"shared: {one_line(copies)} copies")
    return Joint.of(x.law.diagonal(copies))


def iid(x: Var, n: int) -> Joint:
    """n independent copies of x, the coordinates of a Joint: P(a_1, ..., a_n) = P(a_1) ... P(a_n).

    >>> iid(Var([0, 1], [0.5, 0.5]), 3).add().probs
    array([0.125, 0.375, 0.375, 0.125])

    `indep(x, ..., x)`, also in what is said there of rows. Raises TypeError for anything but a Var, RandvarError for n
    < 1. Cost: none for sums and moments; k^n rows of k outcomes when they are read.
    """
    _check_var("iid", x)
    n = whole("iid", "n", n, least=1)
    check_budget(n, f"iid: {one_line(n)} copies")
    return Joint.of(Independent([x.source] * n))


def dependent(x: Var | Joint, kernel: Callable[..., Any]) -> Joint:
    """(X, Y) with Y drawn from `kernel(a)` after X = a was seen: P(a, b) = P(X = a) P(kernel(a) = b).

    >>> rain = Var(["dry", "wet"], [0.75, 0.25])
    >>> late = dependent(rain, lambda sky: Var([0, 1], [0.5, 0.5]) if sky == "wet" else Var([0, 1], [0.875, 0.125]))
    >>> late.marginal(1).prob(1)
    0.21875

    The kernel returns a Var, or an outcome that is then certain. Of a Joint, it is called with all coordinates, and the
    draw becomes a further one. Cost: one call a row, and a row for each outcome of the law returned.

    Raises UndefinedOutcome when the kernel fails on a possible outcome, SupportTooLarge past the budget of atoms.
    """
    if not isinstance(x, (Var, Joint)):
        raise TypeError(f"dependent takes a Var or a Joint and a kernel, got {described(x)}{data_advice(x)}")
    law = x.law
    columns = [column.values for column in law.columns]
    laws = laws_of(apply(function("dependent", "kernel", kernel), columns, law.probability_at, atoms_of))
    return Joint.of(law.then(laws))


def _check_var(name: str, x: Any) -> None:
    if not isinstance(x, Var):
        raise TypeError(f"{name} takes a Var, got {described(x)}{data_advice(x)}")
