"""Returns, advantages and value targets of reward sequences, exact for exact numbers.

Sequences are arrays of one row of L tokens, or of B rows (B, L); rewards may be ints, Fractions, floats or expressions.
One float among them makes all of them floats, unless there are expressions.
`done` marks terminal tokens, behind which nothing is carried back: packed episodes do not leak into one another. `mask`
marks the tokens that count: the result is that of the row without the others, padding on either side or in between, and
0 at those. A terminal token ends its episode whether it counts or not. Both take booleans or 0/1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from randvar.arguments import checked, coefficient, listed, one_of, real, whole
from randvar.context import check_budget
from randvar.errors import RandvarError, described, one_line
from randvar.numbers.arrays import Array, object_array, scalar
from randvar.numbers.kinds import cell_of
from randvar.numbers.overflow import within_floats

__all__ = [
    "clipped_value_loss",
    "clipped_value_loss_gradient",
    "discounted_returns",
    "discounts",
    "generalized_advantages",
    "masked_mean",
    "vtrace",
]

_RESULT = "a reward, a value or a sum of them"


_discount = partial(coefficient, least=0, most=1)  # or an expression
_ratio = partial(coefficient, least=0)  # of two probabilities


def _cap(name: str, argument: str, cap: Any) -> Any:
    """A positive number; None, or inf, is no cap."""
    cap = scalar(cap)
    return None if cap is None or (isinstance(cap, float) and cap == math.inf) else real(name, argument, cap, above=0)


@within_floats(_RESULT)
@checked(gamma=_discount)
def discounted_returns(rewards: Any, gamma: Any = 1, done: Any = None, mask: Any = None) -> Array:
    """G_t = r_t + gamma (1 - done_t) G_{t+1}, backward from G_L = 0.

    >>> discounted_returns([1, 0, 2, 3], 0.5, done=[False, False, True, False])
    array([1.5, 1. , 2. , 3. ])

    `rewards` has shape (L,) or (B, L), `done` and `mask` the same, and so has the result. Behind a terminal token,
    where `done` holds, nothing is carried back; `mask` says which positions count: the others are passed over, without
    a discount, and have return 0. Without `mask` positions behind the last terminal token get returns of their own,
    which mean nothing.

    Raises RandvarError for gamma outside [0, 1], rewards that are not finite where they count, and masks that are no
    masks of this shape, TypeError for rewards that are no numbers.
    Source: Sutton & Barto, Reinforcement Learning, section 3.3.
    """
    given = _Rows("discounted_returns", "rewards", rewards, done, mask)
    rewards, gamma = _one_kind(given.numbers("rewards", rewards), gamma)
    return given.backward(rewards, gamma)


@within_floats(_RESULT)
@checked(length=partial(whole, least=1), gamma=_discount)
def discounts(length: int, gamma: Any) -> Array:
    """(1, gamma, gamma^2, ...): the weights that make sum_t gamma^t G_t score_t unbiased for the discounted objective.

    >>> discounts(3, 0.5)
    array([1.  , 0.5 , 0.25])

    Shape (length,). Leaving them out, as most code does, weighs later tokens as if nothing were discounted before them.
    Raises RandvarError for gamma outside [0, 1] or length 0, SupportTooLarge for more than 5 million numbers, or digits
    of powers of a Fraction that fill as many. Cost: O(length), in Fractions O(length^2).
    Source: Sutton & Barto, Reinforcement Learning, section 13.3; Nota & Thomas 2020, "Is the Policy Gradient a
    Gradient?".
    """
    bits = int(getattr(gamma, "denominator", 1)).bit_length() - 1  # floats and expressions have none
    # the words of the powers of a fraction, t * bits each
    check_budget(max(length, length**2 * bits // 128), f"discounts of {one_line(length)} tokens")
    powers = object_array([gamma**t for t in range(length)])
    return np.asarray(_one_kind(object_array([_exact(power) for power in powers.tolist()]))[0])


@within_floats(_RESULT)
@checked(gamma=_discount, lam=_discount)
def generalized_advantages(
    rewards: Any, values: Any, gamma: Any = 1, lam: Any = 1, done: Any = None, mask: Any = None, last_value: Any = 0
) -> Array:
    """A_t = delta_t + gamma lam (1 - done_t) A_{t+1}, with delta_t = r_t + gamma (1 - done_t) V_{t+1} - V_t.

    >>> generalized_advantages([1, 0, 2], [0.5, 0.5, 0.5], gamma=1, lam=0)
    array([1. , 0. , 1.5])

    lam = 1 gives the plain advantage, return minus value; lam = 0 the temporal difference. `rewards` r and `values` V
    have shape (L,) or (B, L), `done` (the terminal tokens) and `mask` (which positions count) the same, and so has the
    result. `last_value` is the value of the state behind the last position that counts, to bootstrap a sequence that
    was cut off: a number, or one a row. Positions that do not count are passed over and have advantage 0:

    >>> generalized_advantages([1, 2, 0], [0, 0, 0], mask=[1, 1, 0], last_value=10.0)
    array([13., 12.,  0.])

    Raises RandvarError for gamma or lam outside [0, 1], for another shape and for numbers that are not finite where
    they count, TypeError for what is no number.
    Source: Schulman et al. 2016, "High-Dimensional Continuous Control Using Generalized Advantage Estimation"; the
    mask as in verl's compute_gae_advantage_return (Sheng et al. 2024, "HybridFlow").
    """
    given = _Rows("generalized_advantages", "rewards", rewards, done, mask)
    rewards, values, gamma, lam, last_value = _one_kind(
        given.numbers("rewards", rewards), given.numbers("values", values), gamma, lam, given.last(last_value)
    )
    return given.backward(rewards + given.after(values, last_value) * gamma - values, gamma * lam)


@within_floats(_RESULT)
@checked(gamma=_discount, rho_cap=_cap, c_cap=_cap)
def vtrace(
    rewards: Any,
    values: Any,
    ratios: Any,
    gamma: Any = 1,
    rho_cap: Any = 1,
    c_cap: Any = 1,
    done: Any = None,
    mask: Any = None,
    last_value: Any = 0,
) -> tuple[Array, Array]:
    """(value targets v_t, advantages) off policy, with rho_t = min(ratio_t, rho_cap) and c_t = min(ratio_t, c_cap):

    v_t - V_t = delta_t + gamma c_t (1 - done_t) (v_{t+1} - V_{t+1}), delta_t = rho_t (r_t + gamma V_{t+1} - V_t), and
    the advantage rho_t (r_t + gamma v_{t+1} - V_t).

    >>> targets, advantages = vtrace([1, 2], [0.5, 0.5], ratios=[2.0, 1.0])
    >>> targets, advantages
    (array([3., 2.]), array([2.5, 1.5]))

    `rewards` r, `values` V and `ratios` pi(token)/mu(token), of the target over the sampling policy, have shape (L,) or
    (B, L), `done` (the terminal tokens, behind which V counts 0) and `mask` (which positions count; the others are
    passed over and have 0) the same, and so have both results. `last_value` is the V behind the last position that
    counts, a number, or one a row. A cap of None or inf does not cut: then E[v_0] is the value of the target policy.

    Raises RandvarError for gamma outside [0, 1], a cap that is not positive, a negative ratio, another shape and
    numbers that are not finite where they count, TypeError for what is no number.
    Source: Espeholt et al. 2018, "IMPALA", section 4.1.
    """
    given = _Rows("vtrace", "rewards", rewards, done, mask)
    caps = [cap for cap in (rho_cap, c_cap) if cap is not None]
    rewards, values, ratios, gamma, last_value, *caps = _one_kind(
        given.numbers("rewards", rewards),
        given.numbers("values", values),
        given.numbers("ratios", ratios, check=_ratio),
        gamma,
        given.last(last_value),
        *caps,
    )
    limits = iter(caps)
    rho, c = (ratios if cap is None else np.minimum(ratios, next(limits)) for cap in (rho_cap, c_cap))

    def weighted_error(v: Array) -> Array:
        """rho_t (r_t + gamma v_{t+1} - V_t)."""
        return np.where(given.kept, rho * (rewards + given.after(v, last_value) * gamma - values), 0)

    targets = np.where(given.kept, values + given.backward(weighted_error(values), gamma, c), 0)
    return targets, weighted_error(targets)


@within_floats(_RESULT)
@checked(epsilon=partial(real, least=0))
def clipped_value_loss(values: Any, old_values: Any, targets: Any, epsilon: Any) -> Array:
    """max((V - y)^2, (clip(V, V_old - epsilon, V_old + epsilon) - y)^2) / 2, token by token.

    >>> clipped_value_loss([1.0, 0.5], [0.5, 0.5], [2.0, 1.0], epsilon=0.25)
    array([0.78125, 0.125  ])

    `values` V, `old_values` V_old and `targets` y have one shape, (L,) or (B, L), and so has the result. Raises
    RandvarError for another shape, a number that is not finite or a negative epsilon, TypeError for what is no number.
    Source: Schulman et al.'s implementation of PPO (openai/baselines, ppo2); Engstrom et al. 2020, "Implementation
    Matters in Deep Policy Gradients", section 3.
    """
    free, clipped = _value_errors("clipped_value_loss", values, old_values, targets, epsilon)
    return np.asarray(np.maximum(free**2, clipped**2) / 2)  # numbers that are not floats are no ints


@within_floats(_RESULT)
@checked(epsilon=partial(real, least=0))
def clipped_value_loss_gradient(values: Any, old_values: Any, targets: Any, epsilon: Any) -> Array:
    """d `clipped_value_loss` / dV: V - y, but 0 where the clipped branch is the larger one.

    >>> clipped_value_loss_gradient([1.0, 0.5], [0.5, 0.5], [2.0, 1.0], epsilon=0.25)
    array([ 0. , -0.5])

    `values` V, `old_values`, `targets` y and `epsilon` as in `clipped_value_loss`, of which it has the shape. Raises as
    that does.
    Source: Engstrom et al. 2020, "Implementation Matters in Deep Policy Gradients", section 3 (the loss).
    """
    free, clipped = _value_errors("clipped_value_loss_gradient", values, old_values, targets, epsilon)
    return np.where(clipped**2 > free**2, 0, free)


def _value_errors(name: str, values: Any, old_values: Any, targets: Any, epsilon: Any) -> tuple[Array, Array]:
    """V - y, and clip(V) - y."""
    given = _Rows(name, "values", values)
    values, old, targets, epsilon = _one_kind(
        given.numbers("values", values),
        given.numbers("old_values", old_values),
        given.numbers("targets", targets),
        epsilon,
    )
    return values - targets, np.minimum(np.maximum(values, old - epsilon), old + epsilon) - targets


@within_floats(_RESULT)
@checked(over=one_of("sequences", "tokens"))
def masked_mean(x: Any, mask: Any = None, *, over: str = "sequences") -> Any:
    """The mean over the tokens that the mask keeps.

    >>> losses, mask = [[1.0, 3.0], [4.0, 9.0]], [[True, True], [True, False]]
    >>> masked_mean(losses, mask), round(masked_mean(losses, mask, over="tokens"), 6)
    (3.0, 2.666667)

    A number, of an array of shape (L,) or (B, L) and a `mask` of the same. `over` "sequences": each row's mean first,
    then the mean of the rows (a row without tokens counts as 0); "tokens": every token weighs the same, so that longer
    sequences weigh more. Their expectations differ. Where the mask keeps nothing at all the mean is 0. Raises
    RandvarError for another `over`, a mask of another shape or a number that is not finite and kept, TypeError for what
    is no number.
    Source: Yu et al. 2025, "DAPO", section 3.3 (over sequences in GRPO, over tokens in DAPO).
    """
    given = _Rows("masked_mean", "x", x, None, mask)
    (numbers,) = _one_kind(given.numbers("x", x))
    sums, sizes = np.atleast_1d(numbers.sum(axis=-1)), np.atleast_1d(given.kept.sum(axis=-1))
    if over == "tokens":
        return scalar(_quotient(sums.sum(), sizes.sum()))
    means = [_quotient(s, n) for s, n in zip(sums.tolist(), sizes.tolist(), strict=True)]
    return scalar(_quotient(np.array(means, dtype=sums.dtype).sum(), len(means)))


def _quotient(total: Any, n: Any) -> Any:
    """total / n, exact for exact numbers; the mean of nothing is 0."""
    return total * Fraction(1, max(int(n), 1)) if not isinstance(total, float) else total / max(n, 1)


class _Rows:
    """The shape of a table of tokens, one sequence or several, and which of its tokens are terminal or count."""

    def __init__(self, name: str, argument: str, x: Any, done: Any = None, mask: Any = None) -> None:
        self.name = name
        self.argument, self._table = argument, _table(f"{name}: {argument}", x)  # read once: x may be an iterator
        self.kept = self._marks("mask", mask, default=True)
        self.goes_on = ~self._marks("done", done, default=False)

    def _marks(self, argument: str, marks: Any, *, default: bool) -> Array:
        """Booleans, one a position."""
        if marks is None:
            return np.full(self._table.shape, default)
        what = f"{self.name}: {argument}"
        array = _table(what, marks)
        self._check_shape(what, array)
        if not all(isinstance(mark, (bool, int, float)) and mark in (0, 1) for mark in array.ravel().tolist()):
            raise RandvarError(f"{what} must hold booleans, or 0 and 1, got {one_line(array.ravel().tolist())}")
        return array.astype(bool)

    def _check_shape(self, what: str, array: Array) -> None:
        if array.shape != self._table.shape:
            raise RandvarError(f"{what} has shape {array.shape}, but {self.argument} has {self._table.shape}")

    def numbers(self, argument: str, x: Any, check: Callable[[str, str, Any], Any] = coefficient) -> Array:
        """The numbers of another table of the same shape (or of the first), as objects, 0 where they do not count."""
        array = self._table
        if argument != self.argument:
            array = _table(f"{self.name}: {argument}", x)
            self._check_shape(f"{self.name}: {argument}", array)
        every = zip(array.ravel().tolist(), self.kept.ravel().tolist(), strict=True)
        numbers = [_exact(check(self.name, f"each of {argument}", n)) if kept else Fraction(0) for n, kept in every]
        return object_array(numbers).reshape(array.shape)

    def last(self, last_value: Any) -> Any:
        """The value behind the end: a number, or one a row."""
        last_value = scalar(last_value)
        if self._table.ndim == 1 or not np.iterable(last_value):
            return coefficient(self.name, "last_value", last_value)
        numbers = [coefficient(self.name, "each last_value", v) for v in listed(f"{self.name}: last_value", last_value)]
        if len(numbers) != len(self._table):
            raise RandvarError(f"{self.name}: last_value must be one number, or one a row, got {described(last_value)}")
        return object_array(numbers)

    def after(self, values: Array, last_value: Any) -> Array:
        """V of the next position that counts, `last_value` behind the last one, 0 behind a terminal token."""
        result = np.zeros_like(values)
        following: Any = last_value
        for t in range(values.shape[-1] - 1, -1, -1):
            following = np.where(self.goes_on[..., t], following, 0)
            result[..., t] = following
            following = np.where(self.kept[..., t], values[..., t], following)
        return result

    def backward(self, terms: Array, factor: Any, traces: Array | None = None) -> Array:
        """x_t = terms_t + factor * traces_t * (1 - done_t) * x of the next position that counts; 0 where none does."""
        result = np.zeros_like(terms)
        following: Any = 0 * terms[..., -1]
        for t in range(terms.shape[-1] - 1, -1, -1):
            carried = np.where(self.goes_on[..., t], following, 0)
            now = terms[..., t] + carried * factor * (1 if traces is None else traces[..., t])
            result[..., t] = np.where(self.kept[..., t], now, 0)
            following = np.where(self.kept[..., t], now, carried)
        return result


def _one_kind(*numbers: Any) -> tuple[Any, ...]:
    """All as floats if one of them is and none is symbolic, else as they are."""
    flat = [n for number in numbers for n in np.asarray(number, dtype=object).ravel().tolist()]
    if cell_of(flat) is object:
        return numbers
    return tuple(n.astype(float) if isinstance(n, np.ndarray) else float(n) for n in numbers)


def _table(what: str, x: Any) -> Array:
    """One row or rows of equal length, as an array of objects."""
    rows = _row(what, x)
    nested = [_row(f"{what}: a row", row) for row in rows if _is_row(row)]
    if not rows or (nested and (len(nested) < len(rows) or not nested[0] or len(set(map(len, nested))) > 1)):
        raise RandvarError(f"{what} must be a row of numbers or rows of equal length, got {one_line(x)}")
    if not nested:
        return object_array([scalar(number) for number in rows])
    return object_array([scalar(number) for row in nested for number in row]).reshape(len(nested), -1)


def _is_row(x: Any) -> bool:
    return isinstance(x, (list, tuple, range)) or (hasattr(x, "tolist") and getattr(x, "ndim", 0) > 0)


def _row(what: str, x: Any) -> list[Any]:
    """What stands in a row, or rows; of arrays as plain numbers, None where one is masked."""
    if isinstance(x, (set, frozenset)):
        raise TypeError(f"{what} given as a set, which has no order: {one_line(x)}; a list has one")
    return listed(what, x.tolist() if hasattr(x, "tolist") and not isinstance(x, type) else x)


def _exact(number: Any) -> Any:
    """An int as a Fraction, so that dividing keeps it exact."""
    return Fraction(number) if isinstance(number, int) else number
