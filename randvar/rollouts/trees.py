"""Rollouts: sequences drawn token by token, each from a law that depends on the tokens before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from randvar.arguments import function
from randvar.atoms.outcomes import outcome_array
from randvar.calls.call import apply
from randvar.context import OR_MORE, check_budget
from randvar.errors import described, one_line
from randvar.estimators.arguments import count
from randvar.numbers.arrays import Array, object_array
from randvar.numbers.kinds import common_kind, possible
from randvar.sources import NOTHING, Caveats
from randvar.var import Var, atoms_of

__all__ = ["rollout"]


def _append(prefix: Any, token: Any) -> Any:
    return (*prefix, token)


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
    length = count("rollout", "length", length, least=0)
    check_budget(length, f"rollout: {one_line(length)} tokens", OR_MORE)
    if function("rollout", "update", update) is _append and not isinstance(start, tuple):
        raise TypeError(
            f"rollout: start must be a tuple of tokens unless update says how one is added, got {described(start)}"
        )
    function("rollout", "step", step)

    def extended(prefix: Any, token: Any) -> tuple[Any, bool]:
        longer = update(prefix, token)
        ended = bool(stop(longer)) if callable(stop) else stop is not None and bool(token == stop)
        return longer, ended

    first = Var([(start, False)], [1])
    states, masses, caveats = first.values.tolist(), first.probs, NOTHING
    for t in range(1, length + 1):
        states, masses, of_tokens = _grown(states, masses, step, extended, t)
        caveats = caveats.then(of_tokens)
        if update is not _append:  # which keeps what is distinct distinct
            law = Var._returned(states, masses)
            states, masses = law.values.tolist(), law.probs
    return Var._returned([prefix for prefix, _ in states], masses, caveats)


def _grown(
    states: list[Any], masses: Array, step: Any, extended: Callable[[Any, Any], Any], t: int
) -> tuple[list[Any], Array, Caveats]:
    """Each (prefix, ended) with its probability, one token later, and what the laws of the tokens leave out.

    Equal ones are not merged.
    """
    ended = np.array([ended for _, ended in states])
    prefixes = outcome_array([prefix for prefix, ended in states if not ended])
    tokens = apply(step, [prefixes], masses[~ended], atoms_of)
    for prefix, token in zip(prefixes.tolist(), tokens, strict=True):
        if not isinstance(token, Var):
            raise TypeError(
                f"rollout: the step returned {type(token).__name__} after the prefix {prefix!r:.60}; it returns the law"
                " of the next token, a Var (constant(token) is one that is certain)"
            )
    check_budget(sum(map(len, tokens)) + int(ended.sum()), f"rollout: the tree of {t} tokens", OR_MORE)
    before, *laws = common_kind(masses, *(token.probs for token in tokens))
    parents = [prefix for prefix, token in zip(prefixes.tolist(), tokens, strict=True) for _ in range(len(token))]
    drawn = [value for token in tokens for value in token.values.tolist()]
    of_parents = np.repeat(before[~ended], list(map(len, tokens)))
    grown = of_parents * np.concatenate(laws) if laws else of_parents
    longer = apply(extended, [object_array(parents), object_array(drawn)], grown)
    after = [*(state for state in states if state[1]), *longer]
    together = np.concatenate([before[ended], grown])
    kept = possible(together)  # a product of tiny probabilities can underflow to 0
    caveats = Caveats.average([token._stated() for token in tokens], before[~ended])
    if kept.all():
        return after, together, caveats
    return [after[i] for i in np.flatnonzero(kept)], together[kept], replace(caveats, underflow=True)
