"""Returns, advantages and value targets of reward sequences, exact for exact numbers.

Sequences are arrays of one row of L tokens, or of B rows (B, L); rewards may be ints, Fractions, floats or expressions.
`done` marks terminal tokens, behind which nothing is carried back: packed episodes do not leak into one another. `mask`
marks the tokens that count: padding earns nothing and has return 0. Both take booleans or 0/1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from randvar.engine.arguments import choice, coefficient, listed, real, whole
from randvar.engine.atoms import Array, object_array, scalar
from randvar.engine.budget import MAX_ATOMS, check_budget
from randvar.engine.symbolic import is_expression
from randvar.errors import RandvarError, described, one_line
from randvar.rollouts.arguments import in_range

__all__ = [
    "clipped_value_loss",
    "clipped_value_loss_gradient",
    "discounted_returns",
    "discounts",
    "generalized_advantages",
    "masked_mean",
    "vtrace",
]


@in_range
def discounted_returns(rewards: Any, gamma: Any = 1, done: Any = None, mask: Any = None) -> Array:
    """G_t = r_t + gamma (1 - done_t) G_{t+1}, backward from G_L = 0.

    >>> discounted_returns([1, 0, 2, 3], 0.5, done=[False, False, True, False])
    array([1.5, 1. , 2. , 3. ])

    `rewards` has shape (L,) or (B, L), `done` and `mask` the same, and so has the result. Behind a terminal token,
    where `done` holds, nothing is carried back; `mask` says which positions count. Without `mask` positions behind the
    last terminal token get returns of their own, which mean nothing.

    Raises RandvarError for gamma outside [0, 1] and for masks that are no masks of this shape, TypeError for rewards
    that are no numbers.
    Source: Sutton & Barto, Reinforcement Learning, section 3.3.
    """
    name = "discounted_returns"
    rewards, gamma = _one_kind(_numbers(f"{name}: rewards", rewards), _weight(name, "gamma", gamma))
    kept = _mask(f"{name}: mask", mask, rewards, default=True)
    goes_on = ~_mask(f"{name}: done", done, rewards, default=False)
    return _backward(np.where(kept, rewards, 0), gamma, goes_on)


@in_range
def discounts(length: int, gamma: Any) -> Array:
    """(1, gamma, gamma^2, ...): the weights that make sum_t gamma^t G_t score_t unbiased for the discounted objective.

    >>> discounts(3, 0.5)
    array([1.  , 0.5 , 0.25])

    Shape (length,). Leaving them out, as most code does, weighs later tokens as if nothing were discounted before them.
    Raises RandvarError for gamma outside [0, 1] or length 0. Cost: O(length).
    Source: Sutton & Barto, Reinforcement Learning, section 13.3; Nota & Thomas 2020, "Is the Policy Gradient a
    Gradient?".
    """
    gamma, length = _weight("discounts", "gamma", gamma), whole("discounts", "length", length, least=1)
    check_budget(length, MAX_ATOMS, "discounts")
    return _numbers("discounts", [gamma**t for t in range(length)])


@in_range
def generalized_advantages(
    rewards: Any, values: Any, gamma: Any = 1, lam: Any = 1, done: Any = None, mask: Any = None, last_value: Any = 0
) -> Array:
    """A_t = delta_t + gamma lam (1 - done_t) A_{t+1}, with delta_t = r_t + gamma (1 - done_t) V_{t+1} - V_t.

    >>> generalized_advantages([1, 0, 2], [0.5, 0.5, 0.5], gamma=1, lam=0)
    array([1. , 0. , 1.5])

    lam = 1 gives the plain advantage, return minus value; lam = 0 the temporal difference. `rewards` r and `values` V
    have shape (L,) or (B, L), `done` (the terminal tokens) and `mask` (which positions count) the same, and so has the
    result. `last_value` is the value of the state behind the last position, to bootstrap a sequence that was cut off.

    Raises RandvarError for gamma or lam outside [0, 1] and for another shape, TypeError for what is no number.
    Source: Schulman et al. 2016, "High-Dimensional Continuous Control Using Generalized Advantage Estimation".
    """
    name = "generalized_advantages"
    gamma, lam = _weight(name, "gamma", gamma), _weight(name, "lam", lam)
    last_value = coefficient(name, "last_value", last_value)
    rewards, values = _paired(name, rewards, values)
    rewards, values, gamma, lam, last_value = _one_kind(rewards, values, gamma, lam, last_value)
    kept = _mask(f"{name}: mask", mask, rewards, default=True)
    goes_on = ~_mask(f"{name}: done", done, rewards, default=False)
    after = np.where(goes_on, _after(values, kept, last_value), 0)
    return _backward(np.where(kept, rewards + after * gamma - values, 0), gamma * lam, goes_on)


@in_range
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
    (B, L), `done` (the terminal tokens, behind which V counts 0) and `mask` (which positions count) the same, and so
    have both results. `last_value` is the V behind the last position. A cap of None does not cut: then E[v_0] is the
    value of the target policy.

    Raises RandvarError for gamma outside [0, 1] and for another shape, TypeError for what is no number.
    Source: Espeholt et al. 2018, "IMPALA", section 4.1.
    """
    rewards, values = _paired("vtrace", rewards, values)
    ratios = _same_shape("vtrace: ratios", _numbers("vtrace: ratios", ratios), rewards)
    gamma, last_value = _weight("vtrace", "gamma", gamma), coefficient("vtrace", "last_value", last_value)
    rho_cap, c_cap = _cap("rho_cap", rho_cap), _cap("c_cap", c_cap)
    rewards, values, ratios, gamma, last_value = _one_kind(rewards, values, ratios, gamma, last_value)
    kept = _mask("vtrace: mask", mask, rewards, default=True)
    goes_on = ~_mask("vtrace: done", done, rewards, default=False)
    rho, c = (ratios if cap is None else np.minimum(ratios, cap) for cap in (rho_cap, c_cap))

    def weighted_error(after: Array) -> Array:
        """rho_t (r_t + gamma after_{t+1} - V_t)."""
        following = np.where(goes_on, _after(after, kept, last_value), 0)
        return np.where(kept, rho * (rewards + following * gamma - values), 0)

    targets = np.where(kept, values + _backward(weighted_error(values), gamma, goes_on, c), 0)
    return targets, weighted_error(targets)


@in_range
def clipped_value_loss(values: Any, old_values: Any, targets: Any, epsilon: Any) -> Array:
    """max((V - y)^2, (clip(V, V_old - epsilon, V_old + epsilon) - y)^2) / 2, token by token.

    >>> clipped_value_loss([1.0, 0.5], [0.5, 0.5], [2.0, 1.0], epsilon=0.25)
    array([0.78125, 0.125  ])

    `values` V, `old_values` V_old and `targets` y have one shape, (L,) or (B, L), and so has the result. Raises
    RandvarError for another shape or a negative epsilon, TypeError for what is no number.
    Source: Schulman et al.'s implementation of PPO (openai/baselines, ppo2); Engstrom et al. 2020, "Implementation
    Matters in Deep Policy Gradients", section 3.
    """
    free, clipped = _value_errors(values, old_values, targets, epsilon)
    return np.asarray(np.maximum(free**2, clipped**2) / _two(free))


@in_range
def clipped_value_loss_gradient(values: Any, old_values: Any, targets: Any, epsilon: Any) -> Array:
    """d `clipped_value_loss` / dV: V - y, but 0 where the clipped branch is the larger one.

    >>> clipped_value_loss_gradient([1.0, 0.5], [0.5, 0.5], [2.0, 1.0], epsilon=0.25)
    array([ 0. , -0.5])

    `values` V, `old_values`, `targets` y and `epsilon` as in `clipped_value_loss`, of which it has the shape. Raises as
    that does.
    Source: Engstrom et al. 2020, "Implementation Matters in Deep Policy Gradients", section 3 (the loss).
    """
    free, clipped = _value_errors(values, old_values, targets, epsilon)
    return np.where(clipped**2 > free**2, 0, free)


def _value_errors(values: Any, old_values: Any, targets: Any, epsilon: Any) -> tuple[Array, Array]:
    """V - y, and clip(V) - y."""
    name = "clipped_value_loss"
    epsilon = real(name, "epsilon", epsilon, least=0)
    values = _numbers(f"{name}: values", values)
    old = _same_shape(f"{name}: old_values", _numbers(f"{name}: old_values", old_values), values)
    targets = _same_shape(f"{name}: targets", _numbers(f"{name}: targets", targets), values)
    values, old, targets, epsilon = _one_kind(values, old, targets, epsilon)
    return values - targets, np.minimum(np.maximum(values, old - epsilon), old + epsilon) - targets


@in_range
def masked_mean(x: Any, mask: Any = None, *, over: str = "sequences") -> Any:
    """The mean over the tokens that the mask keeps.

    >>> losses, mask = [[1.0, 3.0], [4.0, 9.0]], [[True, True], [True, False]]
    >>> masked_mean(losses, mask), round(masked_mean(losses, mask, over="tokens"), 6)
    (3.0, 2.666667)

    A number, of an array of shape (L,) or (B, L) and a `mask` of the same. `over` "sequences": each row's mean first,
    then the mean of the rows (a row without tokens counts as 0); "tokens": every token weighs the same, so that longer
    sequences weigh more. Their expectations differ. Raises RandvarError for another `over` or a mask of another shape,
    TypeError for what is no number.
    Source: Yu et al. 2025, "DAPO", section 3.3 (over sequences in GRPO, over tokens in DAPO).
    """
    x = _numbers("masked_mean", x)
    kept = np.atleast_2d(_mask("masked_mean: mask", mask, x, default=True))
    sums, sizes = np.where(kept, x, 0).sum(axis=-1), kept.sum(axis=-1)
    if choice("masked_mean", "over", over, ("sequences", "tokens")) == "tokens":
        return scalar(_quotient(sums.sum(), sizes.sum()))
    means = [_quotient(s, n) for s, n in zip(np.atleast_1d(sums).tolist(), sizes.tolist(), strict=True)]
    return scalar(_quotient(sum(means), len(means)))


def _quotient(total: Any, n: Any) -> Any:
    """total / n, exact for exact numbers; the mean of nothing is 0."""
    return total * Fraction(1, max(int(n), 1)) if not isinstance(total, float) else total / max(n, 1)


def _two(like: Array) -> Any:
    return Fraction(2) if like.dtype == object else 2.0


def _backward(terms: Array, factor: Any, goes_on: Array, traces: Array | None = None) -> Array:
    """x_t = terms_t + factor * traces_t * goes_on_t * x_{t+1}, from x_L = 0."""
    result = np.zeros_like(terms)
    following: Any = 0 * terms[..., -1]
    for t in range(terms.shape[-1] - 1, -1, -1):
        carried = np.where(goes_on[..., t], following * factor, 0)
        following = terms[..., t] + (carried if traces is None else carried * traces[..., t])
        result[..., t] = following
    return result


def _after(values: Array, kept: Array, last_value: Any) -> Array:
    """V_{t+1}; 0 at padding, and `last_value` behind the last position."""
    after = np.empty_like(values)
    after[..., :-1] = np.where(kept, values, 0)[..., 1:]
    after[..., -1] = last_value
    return after


def _paired(name: str, rewards: Any, values: Any) -> tuple[Array, Array]:
    rewards = _numbers(f"{name}: rewards", rewards)
    return rewards, _same_shape(f"{name}: values", _numbers(f"{name}: values", values), rewards)


def _one_kind(*numbers: Any) -> tuple[Any, ...]:
    """All as floats if one of them is and none is symbolic, else as they are."""
    flat = [n for number in numbers for n in np.asarray(number, dtype=object).ravel().tolist()]
    if not any(isinstance(n, float) for n in flat) or any(map(is_expression, flat)):
        return numbers
    return tuple(n.astype(float) if isinstance(n, np.ndarray) else float(n) for n in numbers)


def _numbers(what: str, x: Any) -> Array:
    """An array of floats, or of exact numbers (ints become Fractions, so that dividing keeps them exact)."""
    array = _array(what, x)
    if array.ndim not in (1, 2) or not array.size:
        raise RandvarError(f"{what} must be a row of numbers or rows of equal length, got shape {array.shape}")
    numbers = [scalar(number) for number in array.ravel()]
    for number in numbers:
        if not isinstance(number, (int, float, Fraction)) and not is_expression(number):
            raise TypeError(f"{what} must be numbers, got {described(number)}")
        coefficient(what, "each", number)
    exact = object_array([Fraction(number) if isinstance(number, int) else number for number in numbers])
    (result,) = _one_kind(exact)
    return np.asarray(result).reshape(array.shape)


def _array(what: str, x: Any) -> Array:
    """What was given as an array of rows; rows of unequal lengths make none."""
    x = np.asarray(x) if hasattr(x, "__array__") else listed(what, x)
    try:
        return np.array(x.tolist() if isinstance(x, np.ndarray) else x, dtype=object)
    except ValueError:
        raise RandvarError(f"{what} must be a row, or rows of equal length, got {one_line(x)}") from None


def _same_shape(what: str, array: Array, like: Array) -> Array:
    if array.shape != like.shape:
        raise RandvarError(f"{what} have shape {array.shape}, but {like.shape} is that of the numbers they go with")
    return array


def _mask(what: str, mask: Any, like: Array, *, default: bool) -> Array:
    """A mask as booleans."""
    if mask is None:
        return np.full(like.shape, default)
    array = _array(what, mask)
    if array.shape != like.shape:
        raise RandvarError(f"{what} has shape {array.shape}, the numbers it masks {like.shape}")
    marks = [scalar(mark) for mark in array.ravel().tolist()]
    if not all(isinstance(mark, (bool, int, float)) and mark in (0, 1) for mark in marks):
        raise RandvarError(f"{what} must hold booleans, or 0 and 1, got {one_line(marks[:6])}")
    return np.array(marks, dtype=bool).reshape(array.shape)


def _weight(name: str, argument: str, weight: Any) -> Any:
    """A discount in [0, 1]; an int as a Fraction."""
    weight = scalar(weight)
    if is_expression(weight):
        return coefficient(name, argument, weight)
    if isinstance(weight, bool) or not isinstance(weight, (int, float, Fraction)):
        raise TypeError(f"{name}: {argument} must be a number, got {described(weight)}")
    if not 0 <= weight <= 1:
        raise RandvarError(f"{name}: {argument} must lie in [0, 1], got {one_line(weight)}")
    return weight


def _cap(argument: str, cap: Any) -> Any:
    """A cap on ratios, or None."""
    return cap if cap is None else _infinite_or_real("vtrace", argument, cap)


def _infinite_or_real(name: str, argument: str, number: Any) -> Any:
    number = scalar(number)
    return number if isinstance(number, float) and number == np.inf else coefficient(name, argument, number)
