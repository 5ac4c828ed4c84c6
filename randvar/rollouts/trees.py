"""Rollouts: sequences drawn token by token, each from a law that depends on the tokens before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from randvar.arguments import checked, function
from randvar.atoms.outcomes import Axis
from randvar.calls.call import apply
from randvar.context import OR_MORE, check_budget
from randvar.errors import described, one_line
from randvar.law import Law, certain
from randvar.law_arguments import count
from randvar.numbers.arrays import Array, object_array
from randvar.numbers.base import WORDS
from randvar.var import Var, atoms_of

__all__ = ["rollout"]


def _append(prefix: Any, token: Any) -> Any:
    return (*prefix, token)


def _length(name: str, argument: str, length: Any) -> int:
    """A number of tokens that can be drawn one by one."""
    number = count(name, argument, length, least=0)
    check_budget(number, f"{name}: {one_line(number)} tokens", OR_MORE)
    return number


@checked(length=_length, update=function, step=function)
def rollout(
    step: Callable[[Any], Var],
    length: int,
    stop: Any = None,
    *,
    start: Any = (),
    update: Callable[[Any, Any], Any] = _append,
) -> Var:
    """Law of a completion: a tuple of up to `length` tokens, each drawn from step(prefix), the law of the next token.

    >>> coin = Var(["a", "."], [0.5, 0.5])
    >>> rollout(lambda prefix: coin, 2, stop=".").to_dict()
    {('.',): 0.5, ('a', '.'): 0.25, ('a', 'a'): 0.25}

    A completion ends with the token `stop`, where stop(prefix) holds if it is a function, and after `length` tokens.
    The step is any function of a prefix, a tuple of tokens, that returns a Var: a `TokenPolicy` is one.

    Where a summary is wanted and not the tokens, prefixes with equal summaries merge: `start` is the summary of no
    token, update(summary, token) that of one token more, and the step and a stop function see the summary.

    >>> rollout(lambda total: Var([1, 2], [0.5, 0.5]), 40, start=0, update=lambda total, token: total + token).prob(60)
    0.12537068761957...

    Raises TypeError if the step returns no law, SupportTooLarge before a tree past the budget branches is grown.
    Cost: one call of step and O(branches) for each distinct prefix.
    """
    if update is _append and not isinstance(start, tuple):
        raise TypeError(
            f"rollout: start must be a tuple of tokens unless update says how one is added, got {described(start)}"
        )

    def extended(prefix: Any, token: Any) -> tuple[Any, bool]:
        longer = update(prefix, token)
        ended = bool(stop(longer)) if callable(stop) else stop is not None and bool(token == stop)
        return longer, ended

    law = certain((start, False))
    for t in range(1, length + 1):
        law = _grown(law, step, extended, t, merged=update is not _append)  # which keeps what is distinct distinct
    return Var.of(law.pushed(Axis.of([prefix for prefix, _ in law.axes[0].values.tolist()])))


def _grown(law: Law, step: Any, extended: Callable[[Any, Any], Any], t: int, *, merged: bool) -> Law:
    """The law of (prefix, ended) one token later; equal ones are not always merged."""
    states = law.axes[0].values.tolist()
    growing = [i for i, (_, ended) in enumerate(states) if not ended]
    prefixes = object_array([states[i][0] for i in growing])
    tokens = dict(zip(growing, _tokens(law, growing, prefixes, step), strict=True))
    laws = [tokens[i].law if i in tokens else certain(None) for i in range(len(states))]
    check_budget(sum(len(x.weights) for x in laws), f"rollout: the tree of {t} tokens", OR_MORE)
    drawn = law.then(laws)
    parents, last = (column.values.tolist() for column in drawn.columns)
    live = np.array([not ended for _, ended in parents], dtype=bool)
    rows = np.flatnonzero(live).tolist()
    columns = [object_array([parents[i][0] for i in rows]), object_array([last[i] for i in rows])]
    longer = iter(apply(extended, columns, lambda at: drawn.probability_at(rows[at])))
    prefixes = object_array([next(longer) if alive else parents[i] for i, alive in enumerate(live)])
    after = Axis(prefixes, WORDS)
    if merged:
        return drawn.pushed(Axis.of(after.values.tolist()))
    return Law((after,), (), drawn.weights, drawn.mass, drawn.numbers, drawn.warrant)


def _tokens(law: Law, growing: list[int], prefixes: Array, step: Any) -> list[Var]:
    """The law of the next token after each prefix."""
    tokens = apply(step, [prefixes], lambda at: law.probability_at(growing[at]), atoms_of)
    for prefix, token in zip(prefixes.tolist(), tokens, strict=True):
        if not isinstance(token, Var):
            raise TypeError(
                f"rollout: the step returned {type(token).__name__} after the prefix {prefix!r:.60}; it returns the law"
                " of the next token, a Var (constant(token) is one that is certain)"
            )
    return tokens
