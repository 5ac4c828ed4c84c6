"""Rao-Blackwell: what is left of an estimator when all that is drawn after X is averaged out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import checked, function
from randvar.atoms.outcomes import Axis
from randvar.calls.call import apply
from randvar.joint import Joint
from randvar.law import Law
from randvar.law_arguments import a_joint, check_values
from randvar.moments import expect
from randvar.var import Var

__all__ = ["rao_blackwell"]


@checked(j=partial(a_joint, dim=None, hint="; dependent(x, f) makes one"), f=function)
def rao_blackwell(j: Joint, f: Callable[..., Any], given: int = 0) -> Var:
    """Law of E[f(X, Y, ...) | X], X the coordinate `given` of the Joint.

    >>> from randvar.coupling import dependent
    >>> from randvar.moments import variance
    >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
    >>> rolls = dependent(Var([1, 2], [0.5, 0.5]), lambda n: die if n == 1 else Var([10], [1]))
    >>> rao_blackwell(rolls, lambda n, roll: roll).values
    array([ 3.5, 10. ])

    Its mean is E[f], and its variance is that of f less E[Var(f | X)] (the law of total variance). f may return a Var,
    which is averaged out too. Raises TypeError for anything but a Joint, UndefinedOutcome where f has no value. Cost:
    one call a row.
    Source: Owen, Monte Carlo theory, methods and examples, section 8.7.
    """
    law, at = j.law, j.coordinate(given)
    values = Axis.of([expect(r) if isinstance(r, Var) else r for r in apply(f, j.columns, law.probability_at)])
    check_values("rao_blackwell", values.values)
    groups = [law.row_codes[at] == code for code in range(len(law.axes[at].values))]
    means = Axis.of([law.given(rows).average(values.take(rows)) for rows in groups])
    weights = np.array([law.numbers.total(law.weights[rows]) for rows in groups], dtype=law.weights.dtype)
    near = [means.tolerance(weights)]
    return Var.of(Law.of([means], weights, law.mass, law.numbers, law.warrant, near))
