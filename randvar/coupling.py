"""The only four ways to couple variables: independent, shared, iid, dependent. Each says which it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from randvar.arguments import function, whole
from randvar.atoms.rows import canonical_rows
from randvar.blocks import Block, expand, product_of_blocks
from randvar.calls.call import apply
from randvar.context import check_budget
from randvar.errors import data_advice, described, one_line
from randvar.joint import Joint
from randvar.sources import Caveats
from randvar.var import Var, atoms_of

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
    factors: list[Var] = []
    for x in variables:
        if isinstance(x, Joint):
            if x._factors is None:
                rows = product_of_blocks([_block(v) for v in variables])
                return Joint._of(*rows, Caveats.together(v._stated() for v in variables))
            factors.extend(x._factors)
        else:
            factors.append(x)
    return Joint._lazy(factors=tuple(factors))


def _block(x: Var | Joint) -> Block:
    return x._rows() if isinstance(x, Joint) else ((x.values,), (np.arange(len(x)),), x.probs)


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
    rows = np.arange(len(x))
    return Joint._of((x.values,) * copies, (rows,) * copies, x.probs, x._stated())


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
    return Joint._lazy(factors=(x,) * n)


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
    axes, codes, weights = _block(x)
    columns = tuple(axis[code] for axis, code in zip(axes, codes, strict=True))
    laws = apply(function("dependent", "kernel", kernel), columns, weights, atoms_of)
    row = np.arange(len(weights))
    rows, of_draws = expand(((*axes, row), (*codes, row), weights), len(axes), laws)
    return Joint._of(*canonical_rows(*rows), x._stated().then(of_draws))


def _check_var(name: str, x: Any) -> None:
    if not isinstance(x, Var):
        raise TypeError(f"{name} takes a Var, got {described(x)}{data_advice(x)}")
