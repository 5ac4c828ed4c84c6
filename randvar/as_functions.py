"""The methods of a Joint as functions, as the articles write them: add(j) is j.add()."""

from __future__ import annotations

from typing import Any

from randvar.errors import described
from randvar.joint import Joint
from randvar.var import Var

__all__ = ["add", "div", "marginal", "mul", "sub", "transpose"]


def _joint(name: str, j: Any) -> Joint:
    if not isinstance(j, Joint):
        raise TypeError(f"{name} takes a Joint, got {described(j)}; indep or shared make one")
    return j


def add(j: Joint) -> Var:
    """The law of X + Y + ..., the coordinates of a Joint (`Joint.add`, also for what it raises).

    >>> from randvar.coupling import indep
    >>> coin = Var([0, 1], [0.5, 0.5])
    >>> add(indep(coin, coin)).probs
    array([0.25, 0.5 , 0.25])
    """
    return _joint("add", j).add()


def sub(j: Joint) -> Var:
    """The law of X - Y, the two coordinates of a Joint (`Joint.sub`, also for what it raises).

    >>> from randvar.coupling import shared
    >>> sub(shared(Var([0, 1], [0.5, 0.5]))).values
    array([0])
    """
    return _joint("sub", j).sub()


def mul(j: Joint) -> Var:
    """The law of X * Y * ..., the coordinates of a Joint (`Joint.mul`, also for what it raises).

    >>> from randvar.coupling import shared
    >>> mul(shared(Var([-1, 1], [0.5, 0.5]))).values
    array([1])
    """
    return _joint("mul", j).mul()


def div(j: Joint) -> Var:
    """The law of X / Y, the two coordinates of a Joint (`Joint.div`, also for what it raises).

    >>> from randvar.coupling import shared
    >>> div(shared(Var([1, 2], [0.5, 0.5]))).values
    array([1.])
    """
    return _joint("div", j).div()


def marginal(j: Joint, i: int = 0) -> Var:
    """The law of coordinate i on its own (`Joint.marginal`, also for what it raises).

    >>> from randvar.coupling import shared
    >>> marginal(shared(Var([0, 1], [0.25, 0.75])), 1).probs
    array([0.25, 0.75])
    """
    return _joint("marginal", j).marginal(i)


def transpose(j: Joint) -> Joint:
    """The coordinates in reverse order: (Y, X) for (X, Y) (`Joint.transpose`).

    >>> transpose(Joint([0, 1], [5, 6, 7], [[0.1, 0.2, 0.3], [0.2, 0.1, 0.1]])).table.shape
    (3, 2)
    """
    return _joint("transpose", j).transpose()
