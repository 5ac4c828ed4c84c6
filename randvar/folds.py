"""Folds: statistics that read their draws one by one, exact for thousands of draws.

A running maximum, the longest run of heads, a drawdown, a sequential test, a bandit: what such a statistic keeps in
mind is a state, and states that agree are one. The cost is states times outcomes for each draw, not samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import checked, flag, function, optional
from randvar.atoms.outcomes import Axis
from randvar.calls.call import apply
from randvar.calls.wrapping import as_float, differ, wrapped
from randvar.context import RAISE_IT, current
from randvar.errors import SupportTooLarge, UndefinedOutcome, one_line
from randvar.joint import Joint
from randvar.law import Law
from randvar.law_arguments import a_law, count
from randvar.numbers.arrays import EPS, Array, object_array
from randvar.numbers.kinds import FLOATS, FRACTIONS
from randvar.progress import reported
from randvar.sums.states import Moves, advanced
from randvar.var import Var, atoms_of, returned
from randvar.warrant import Warrant

__all__ = ["fold"]


@checked(
    x=a_law,
    n=partial(count, least=0),
    step=function,
    finish=optional(function),
    vectorized=flag,
)
def fold(
    x: Var | Joint,
    n: int,
    *,
    start: Any,
    step: Callable[[Any, Any], Any],
    finish: Callable[[Any], Any] | None = None,
    vectorized: bool = False,
) -> Var:
    """Law of finish(s_n), where s_0 = start and s_t = step(s_{t-1}, X_t), the X_t independent copies of x.

    The longest run of heads in 20 flips, with the run at the end and the longest so far as the state:

    >>> coin = Var([0, 1], [0.5, 0.5])
    >>> def flip(state, heads):
    ...     run = (state[0] + 1) * heads
    ...     return run, max(state[1], run)
    >>> longest = fold(coin, 20, start=(0, 0), step=flip, finish=lambda state: state[1])
    >>> round(longest.prob(lambda length: length >= 5), 6)
    0.24987

    A state is any hashable value, and should hold what the answer needs and no more: states that are equal become one
    after every draw, those that differ by rounding do not. `step` is called once for each state and outcome (a number,
    or the coordinates of a Joint as a tuple), however often they come up. Without `finish`, the law is that of the last
    state. With `vectorized=True`, `start` is a number or a row of numbers, and `step` takes all states at once, an
    array (m,) or (m, d), with one outcome, and returns an array of the same shape; `finish` takes such an array and
    returns m outcomes:

    >>> import numpy as np
    >>> def flips(states, heads):
    ...     run = (states[:, 0] + 1) * heads
    ...     return np.stack([run, np.maximum(states[:, 1], run)], axis=1)
    >>> again = fold(coin, 20, start=(0, 0), step=flips, finish=lambda states: states[:, 1], vectorized=True)
    >>> bool(np.allclose(again.probs, longest.probs, rtol=1e-14))
    True

    Probabilities are as exact as those of x; floats have a relative error of at most n (k + 2) eps, which the law
    states. Raises UndefinedOutcome where `step` or `finish` fails or returns NaN, TypeError for states that cannot be
    compared or change their shape, and SupportTooLarge past the budget of states. Cost: O(n * states * k) for k
    outcomes. Source: Bellman, Dynamic Programming (1957), chapter 3; for patterns and runs Fu and Koutras,
    Distribution theory of runs: a Markov chain approach, JASA 89 (1994).
    """
    law = x.law
    run = (_ArraysOfStates if vectorized else _AnyStates)(law, n, start, step)
    kept = run.weights.nonzero()[0]
    warrant = law.warrant.copies(n).through(None)
    if law.numbers is FLOATS:
        error = n * (len(run.shares) + 2) * EPS
        warrant = warrant.and_of(Warrant(accuracy=error, underflow=FLOATS.underflows([(run.shares, n)])))
    mass = law.numbers.power_of_mass(run.shares, n)
    ends = Law((Axis(np.arange(len(kept)), FRACTIONS),), (), run.weights[kept], mass, law.numbers, warrant)
    return Var.of(returned(ends, run.finished(kept, finish, ends.probability_at)))


class _States:
    """What both ways to keep states begin with."""

    def __init__(self, law: Law, n: int, step: Callable[[Any, Any], Any]) -> None:
        self.law, self.n, self.step = law, n, step
        self.outcomes = law.rows()[0] if law.dim == 1 else list(zip(*law.rows(), strict=True))
        self.shares = law.numbers.normalised(law.weights, law.mass)
        self.weights = np.ones(1) if law.numbers is FLOATS else object_array([1])

    def draws(self) -> Iterator[int]:
        """1, ..., n, with a bar if it takes long."""
        return reported(((1, at) for at in range(1, self.n + 1)), self.n, "fold (draws)")

    def check_size(self, size: int, at: int) -> None:
        """Refuse states that never merge before memory does."""
        budget = current().max_atoms
        if size > budget:
            raise SupportTooLarge(
                f"fold: draw {at:,} of {self.n:,} has met {size:,} states, over the budget of {budget:,}: about"
                f" {size ** (1 / at):.3g} times as many a draw; keep in a state only what the answer needs, and no"
                f" floats that differ by rounding; or {RAISE_IT}",
                size=size,
                budget=budget,
            )


class _AnyStates(_States):
    """Hashable states, in a table of what each outcome makes of them."""

    def __init__(self, law: Law, n: int, start: Any, step: Callable[[Any, Any], Any]) -> None:
        super().__init__(law, n, step)
        moves = Moves(_state(start), len(self.outcomes), self._after)
        first = self._after([start]) if n else []
        for at in self.draws():
            self.weights = moves.after(self.weights, self.shares, law.numbers)
            self.check_size(len(moves.states), at)
        self.states = moves.states
        if n and not first == [moves.states[i] for i in moves.targets[0].tolist()] == self._after([start]):
            raise UndefinedOutcome(
                f"fold: step is not a function of the state and the draw: from {one_line(start)} it has gone to"
                " different states on the same draw; it draws random numbers, or keeps something in mind"
            )

    def _after(self, states: list[Any]) -> list[Any]:
        """What each outcome makes of each state."""
        k = len(self.outcomes)
        before = object_array([s for s in states for _ in range(k)])
        drawn = object_array(self.outcomes * len(states))
        return [_state(s) for s in apply(self.step, [before, drawn], lambda row: self.law.probability_at(row % k))]

    def finished(self, kept: Array, finish: Callable[[Any], Any] | None, probability: Callable[[int], Any]) -> Any:
        """What `finish` makes of the last states."""
        ends = [self.states[i] for i in kept.tolist()]
        return ends if finish is None else apply(finish, [object_array(ends)], probability, atoms_of)


def _state(state: Any) -> Any:
    if isinstance(state, (Var, Joint)):
        raise TypeError(
            "fold: step returned a law; what else it draws is one more coordinate of what is folded, indep(x, y), and"
            " step(state, row) then takes rows"
        )
    try:
        hash(state)
    except TypeError:
        raise TypeError(f"fold: a state must be hashable, got {one_line(state)}; a tuple of numbers is one") from None
    return state


class _ArraysOfStates(_States):
    """States as the rows of an array."""

    def __init__(self, law: Law, n: int, start: Any, step: Callable[[Any, Any], Any]) -> None:
        super().__init__(law, n, step)
        states = np.asarray([start])
        if states.dtype.kind not in "biuf" or states.ndim > 2:
            raise TypeError(f"fold: vectorized states are numbers or rows of numbers, got start={one_line(start)}")
        steps = [partial(self._moved, outcome) for outcome in self.outcomes]
        for at in self.draws():
            states, self.weights = advanced(states, self.weights, steps, self.shares, law.numbers)
            self.check_size(len(states), at)
        self.states = states

    def _moved(self, outcome: Any, states: Array) -> Array:
        """What one outcome makes of all states."""
        moved = _called(self.step, states.copy(), outcome)  # it may work in place
        if moved.shape != states.shape or moved.dtype.kind not in "biuf":
            raise TypeError(
                f"fold: a vectorized step returns numbers in the shape of the states, {states.shape}; got"
                f" {moved.dtype.name} of shape {moved.shape} for outcome {one_line(outcome)}"
            )
        if moved.dtype.kind == "f" and np.isnan(moved).any():
            raise UndefinedOutcome(f"fold: step returned NaN on outcome {one_line(outcome)}; give it a value there")
        if moved.dtype.kind in "iu":
            _check_extremes(self.step, outcome, states, moved)
        return moved

    def finished(self, kept: Array, finish: Callable[[Any], Any] | None, _: Callable[[int], Any]) -> Any:
        """What `finish` makes of the last states, all at once."""
        ends = self.states[kept]
        if finish is None:
            return ends if ends.ndim == 1 else list(map(tuple, ends.tolist()))
        found = _called(finish, ends, what="the last states")
        if found.shape != (len(ends),):
            raise TypeError(f"fold: a vectorized finish returns one outcome a state, ({len(ends)},); got {found.shape}")
        if found.dtype.kind == "f" and np.isnan(found).any():
            at = int(np.isnan(found).argmax())
            raise UndefinedOutcome(f"fold: finish returned NaN on {one_line(ends[at].tolist())}; give it a value there")
        return found if found.dtype != object else found.tolist()


def _called(f: Callable[..., Any], states: Array, *outcome: Any, what: str = "") -> Array:
    """A person's function of arrays."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(f(states, *outcome))
    except Exception as error:
        at = what or f"outcome {one_line(outcome[0])}"
        raise UndefinedOutcome(f"fold: {type(error).__name__} on {len(states):,} states and {at}: {error}") from error


def _check_extremes(step: Callable[[Any, Any], Any], outcome: Any, states: Array, moved: Array) -> None:
    """Refuse machine integers that wrapped around: floats, which do not, are handed the largest states."""
    sizes = np.abs(states.astype(float)).reshape(len(states), -1)
    rows = np.unique(sizes.argmax(axis=0))
    try:
        with np.errstate(all="ignore"):
            floating = np.asarray(step(states[rows].astype(float), as_float(outcome)))
    except Exception:  # it indexes with them, say
        return
    if any(map(differ, moved[rows].ravel().tolist(), floating.ravel().tolist())):
        raise wrapped("fold: step", f"the states {one_line(states[rows].tolist())} and outcome {one_line(outcome)}")
