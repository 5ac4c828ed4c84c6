"""Markov chains: draws that depend on the state they are made in, with equal states merged after every step.

A chain of n steps costs n times the number of distinct states, not the number of paths: forty flips of a coin with a
stopping rule have some hundreds of states and 2^40 paths.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

from randvar.arguments import checked, function, optional, whole
from randvar.calls.call import apply
from randvar.calls.repetition import check_repeated
from randvar.context import OR_MORE, check_budget
from randvar.errors import described, one_line
from randvar.joint import Joint
from randvar.var import Var, atoms_of, returned

__all__ = ["advance", "markov_chain", "markov_reward", "stopping_time"]


def _first_state(name: str, argument: str, state: Any) -> Var:
    """A Var, the law of the state that a chain starts in."""
    if not isinstance(state, Var):
        raise TypeError(f"{name}: {argument} must be a Var, got {described(state)}; constant(s) is one")
    return state


def _function_of_a_state(name: str, argument: str, f: Any) -> Callable[[Any], Any]:
    """A kernel, or where a chain stops."""
    if not callable(f):
        raise TypeError(f"{name} takes functions of a state, got {described(f)} as {argument}")
    return f  # type: ignore[no-any-return]


def _steps(name: str, argument: str, steps: Any) -> int:
    """A number of steps that can be gone one by one."""
    number = whole(name, argument, steps, least=0)
    check_budget(number, f"{name}: {one_line(number)} {argument}")
    return number


@checked(state=_first_state, kernel=_function_of_a_state, stop=optional(_function_of_a_state), steps=_steps)
def markov_chain(
    state: Var,
    kernel: Callable[[Any], Any],
    steps: int,
    *,
    stop: Callable[[Any], Any] | None = None,
) -> Var:
    """Law of the state after `steps` steps: X_0 ~ `state`, X_{t+1} ~ kernel(X_t).

    >>> walk = lambda at: Var([at - 1, at + 1], [0.5, 0.5])
    >>> markov_chain(Var([0], [1]), walk, 2).probs
    array([0.25, 0.5 , 0.25])
    >>> markov_chain(Var([1], [1]), walk, 3, stop=lambda at: at == 0).prob(0)    # ruined within three games
    0.625

    The kernel returns a Var, or a state that is then certain; it is called once for each distinct state. A state where
    `stop` holds is absorbing. States are any hashable outcomes, and equal ones merge after every step: a state should
    hold what the question needs and no more (a count, not a history).

    Raises UndefinedOutcome where the kernel fails on a state that can be reached, RandvarError for steps < 0, and
    SupportTooLarge past the budget transitions in one step. Cost: O(steps * transitions).
    Source: Norris, Markov Chains, section 1.1.
    """
    step = _remembered(kernel, stop)
    for _ in range(steps):
        state = advance("markov_chain", state, step)
    return state


@checked(
    state=_first_state, kernel=_function_of_a_state, reward=function, stop=optional(_function_of_a_state), steps=_steps
)
def markov_reward(
    state: Var,
    kernel: Callable[[Any], Any],
    reward: Callable[[Any, Any], Any],
    steps: int,
    *,
    stop: Callable[[Any], Any] | None = None,
) -> Joint:
    """Joint law of X_n and of the sum of reward(X_t, X_{t+1}) on the way there, n = `steps`.

    >>> walk = lambda at: Var([at - 1, at + 1], [0.5, 0.5])
    >>> markov_reward(Var([0], [1]), walk, lambda before, after: abs(after), 2)[1].probs
    array([0.5, 0.5])

    Equal (state, total) pairs merge after every step, totals within rounding. A state where `stop` holds is absorbing,
    and nothing is earned there. Source: Puterman, Markov Decision Processes, section 2.1.
    """
    name = "markov_reward"
    move = _remembered(kernel)

    def step(pair: tuple[Any, Any]) -> Any:
        before, earned = pair
        if stop is not None and stop(before):
            return pair
        arrival = _law(name, move(before), before)
        return arrival.op(lambda after: (after, earned + reward(before, after)))

    law = state.op(lambda s: (s, 0))
    for _ in range(steps):
        law = advance(name, law, step).vector(tuple).combine(lambda *pair: pair)
    return law.vector(tuple)


@checked(state=_first_state, kernel=_function_of_a_state, stop=_function_of_a_state, steps=_steps)
def stopping_time(state: Var, kernel: Callable[[Any], Any], stop: Callable[[Any], Any], steps: int) -> Var:
    """Law of the first t at which stop(X_t) holds, t = 0, ..., `steps`; inf where it has not happened by then.

    >>> stopping_time(Var([0], [1]), lambda at: Var([at, 1], [0.5, 0.5]), lambda at: at == 1, 2).to_dict()
    {1.0: 0.5, 2.0: 0.25, inf: 0.25}

    States in which the chain has stopped are no longer told apart. Source: Norris, Markov Chains, section 1.3.
    """
    name = "stopping_time"
    move = _remembered(kernel)

    def at(time: int, s: Any) -> tuple[Any, Any]:
        return (time, None) if stop(s) else (math.inf, s)

    law = state.op(lambda s: at(0, s))
    for t in range(1, steps + 1):

        def step(pair: tuple[Any, Any], t: int = t) -> Any:
            return pair if pair[0] < t else _law(name, move(pair[1]), pair[1]).op(lambda s: at(t, s))

        law = advance(name, law, step)
    return law.op(operator.itemgetter(0))


def advance(name: str, law: Var, step: Callable[[Any], Any]) -> Var:
    """The law one step later, refused before it is made if it takes more transitions than the budget."""
    states = law.values.tolist()
    arrivals = [
        _law(name, a, s)
        for a, s in zip(apply(step, [law.values], law.law.probability_at, atoms_of), states, strict=True)
    ]
    check_budget(sum(map(len, arrivals)), f"{name}: this step", OR_MORE)
    return Var.of(returned(law.law, arrivals))


def _law(name: str, arrival: Any, state: Any) -> Var:
    """What a kernel returned, as a law."""
    if isinstance(arrival, Var):
        return arrival
    if arrival is None or isinstance(arrival, Joint):
        raise TypeError(
            f"{name}: the kernel returned {type(arrival).__name__} in state {state!r:.60}; it returns the law of the"
            " next state (a Var), or the next state itself where that is certain"
        )
    return Var([arrival], [1])


def _remembered(kernel: Callable[[Any], Any], stop: Callable[[Any], Any] | None = None) -> Callable[[Any], Any]:
    """The kernel, called once for each state; where `stop` holds the state stays."""

    tried: list[Any] = []

    def arrival(state: Any) -> Any:
        law = kernel(state)
        if not tried:  # the first state is run twice: what is remembered hides a kernel that draws random numbers
            tried.append(state)
            check_repeated("the kernel", kernel, [state], law, lambda: f"the state {state!r:.60}")
        return law

    @functools.cache
    @functools.wraps(kernel)
    def step(state: Any) -> Any:
        return state if stop is not None and stop(state) else arrival(state)

    return step
