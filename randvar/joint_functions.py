"""The methods of a Joint as functions, as the articles write them: add(j) is j.add()."""

from __future__ import annotations

from randvar.arguments import checked
from randvar.joint import Joint
from randvar.law_arguments import sole_joint
from randvar.var import Var

__all__ = ["add", "div", "marginal", "mul", "sub", "transpose"]


@checked(j=sole_joint)
def add(j: Joint) -> Var:
    """The law of X + Y + ..., the coordinates of a Joint (`Joint.add`, also for what it raises).

    >>> from randvar.coupling import indep
    >>> coin = Var([0, 1], [0.5, 0.5])
    >>> add(indep(coin, coin)).probs
    array([0.25, 0.5 , 0.25])
    """
    return j.add()


@checked(j=sole_joint)
def sub(j: Joint) -> Var:
    """The law of X - Y, the two coordinates of a Joint (`Joint.sub`, also for what it raises).

    >>> from randvar.coupling import shared
    >>> sub(shared(Var([0, 1], [0.5, 0.5]))).values
    array([0])
    """
    return j.sub()


@checked(j=sole_joint)
def mul(j: Joint) -> Var:
    """The law of X * Y * ..., the coordinates of a Joint (`Joint.mul`, also for what it raises).

    >>> from randvar.coupling import shared
    >>> mul(shared(Var([-1, 1], [0.5, 0.5]))).values
    array([1])
    """
    return j.mul()


@checked(j=sole_joint)
def div(j: Joint) -> Var:
    """The law of X / Y, the two coordinates of a Joint (`Joint.div`, also for what it raises).

    >>> from randvar.coupling import shared
    >>> div(shared(Var([1, 2], [0.5, 0.5]))).values
    array([1.])
    """
    return j.div()


@checked(j=sole_joint)
def marginal(j: Joint, i: int = 0) -> Var:
    """The law of coordinate i on its own (`Joint.marginal`, also for what it raises).

    >>> from randvar.coupling import shared
    >>> marginal(shared(Var([0, 1], [0.25, 0.75])), 1).probs
    array([0.25, 0.75])
    """
    return j.marginal(i)


@checked(j=sole_joint)
def transpose(j: Joint) -> Joint:
    """The coordinates in reverse order: (Y, X) for (X, Y) (`Joint.transpose`).

    >>> transpose(Joint([0, 1], [5, 6, 7], [[0.1, 0.2, 0.3], [0.2, 0.1, 0.1]])).table.shape
    (3, 2)
    """
    return j.transpose()
