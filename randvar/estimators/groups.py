"""Gradient estimates from a group of n draws that share their baseline: every correlation between the draws is kept.

The estimate is (1/n) sum_i A_i S_i over n independent draws of (reward R, score S), with advantages A that depend on
all rewards of the group. It does not look at the order of the draws, so that it is computed once for each multiset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal, NoReturn

import numpy as np

from randvar.arguments import checked, flag, one_of, real, whole
from randvar.atoms.outcomes import Axis, outcome_array
from randvar.context import OR_MORE, check_budget
from randvar.errors import RandvarError
from randvar.estimators.reinforce import leave_one_out_gradient, reinforce
from randvar.joint import Joint
from randvar.law import Law
from randvar.law_arguments import count, draws_with_scores
from randvar.lazy import Lazy
from randvar.moments import cov_matrix, expect
from randvar.numbers.arrays import EPS, Array
from randvar.numbers.base import Numbers
from randvar.numbers.overflow import within_floats
from randvar.sums.multinomial import rounding_of_masses
from randvar.sums.multisets import multiset_chunks, multiset_count
from randvar.var import Var
from randvar.warrant import Warrant

__all__ = ["Baseline", "advantages", "group_gradient", "group_law"]

Baseline = Literal["mean", "leave_one_out", "none"]
Coefficients = Callable[..., tuple[Array, Array]]


@checked(pair=draws_with_scores, baseline=one_of("mean", "leave_one_out", "none"), divide_by_std=flag)
def group_gradient(
    pair: Joint,
    n: int,
    baseline: Baseline = "mean",
    divide_by_std: bool = False,
    *,
    ddof: int = 0,
    epsilon: Any = 0,
) -> Var | Joint:
    """Law of (1/n) sum_i A_i S_i over n draws of (reward, score); of several score coordinates, their Joint.

    >>> pair = Joint([0, 1], [-0.5, 0.5], [[0.5, 0], [0, 0.5]])      # reward 1 for action 1, policy (1/2, 1/2)
    >>> expect(reinforce(pair)), expect(group_gradient(pair, 4)), expect(group_gradient(pair, 4, "leave_one_out"))
    (0.25, 0.1875, 0.25)
    >>> round(expect(group_gradient(pair, 4, divide_by_std=True)), 12)
    0.404006350946

    A_i is R_i minus the `baseline`: the group "mean" (which contains R_i itself and shrinks the gradient by exactly
    (n - 1)/n), the "leave_one_out" mean of the others (unbiased), or "none". `divide_by_std` divides by the group's
    standard deviation (divisor n - `ddof`; `torch.std` is ddof=1) plus `epsilon`; a group of equal rewards then has
    advantages 0. Groups count the more, the less their rewards spread: with two rewards the mean is the gradient times
    a factor that depends on the policy, with more it points elsewhere.

    Without the division, mean and (co)variance are closed forms for any n, and the law is computed when first read.
    With it, all C(n + k - 1, n) multisets of the k outcomes are run. Exact laws stay exact; roots of Fractions that are
    no Fractions become floats, and in symbolic laws expressions.

    Raises RandvarError for n = 1 with a baseline (a draw alone is its own mean), SupportTooLarge past the budget.
    Cost: O(k) for the moments without the division, else one evaluation a multiset.
    Source: Shao et al. 2024, "DeepSeekMath", section 4.1 (GRPO); Liu et al. 2025, "Understanding R1-Zero-Like Training"
    (Dr. GRPO: the group mean without the division); Kool et al. 2019 (leave-one-out, RLOO).
    """
    name = "group_gradient"
    n = group_size(name, n, baseline)
    if divide_by_std:
        return group_law(pair, n, standardised(name, baseline, ddof, epsilon, pair.source.numbers))
    if baseline == "none":
        return reinforce(pair, n)
    # pathwise, the group mean is (n - 1)/n times leave-one-out: R_i - mean = (R_i - mean of the others) (n - 1)/n
    scale = Fraction(n - 1, n) if baseline == "mean" else Fraction(1)
    if pair.dim == 2:
        return leave_one_out_gradient(pair, n) * scale
    return Joint.of(LeaveOneOutVector(pair, n, scale))


def group_size(name: str, n: Any, baseline: Baseline) -> int:
    """The number of draws, with a baseline that makes sense for so many."""
    size = count(name, "n", n)
    if size == 1 and baseline != "none":
        raise RandvarError(f"{name}: a group of n = 1 has no baseline: a draw alone is its own mean; take n >= 2")
    return size


def standardised(name: str, baseline: Baseline, ddof: Any, epsilon: Any, numbers: Numbers) -> Coefficients:
    """The coefficients A_i / n with advantages divided by the standard deviation of the group."""
    if baseline == "none":
        raise RandvarError(f'{name}: divide_by_std goes with a group baseline, "mean" or "leave_one_out", not "none"')
    ddof, epsilon = whole(name, "ddof", ddof, least=0, most=1), real(name, "epsilon", epsilon, least=0)

    def coefficients(rewards: Array) -> tuple[Array, Array]:
        centred, sizes = advantages(rewards, baseline, numbers)
        spread = _std(rewards, ddof, numbers) + numbers.number(epsilon)
        equal = (rewards == rewards[:, :1]).all(axis=1, keepdims=True)
        divisor = np.where(equal, 1, spread) * rewards.shape[1]
        return np.where(equal, 0, centred / divisor), sizes / numbers.sizes(divisor, exact=1)

    return coefficients


def advantages(rewards: Array, baseline: Baseline, numbers: Numbers) -> tuple[Array, Array]:
    """(R_i - baseline, the size of what is subtracted there) for groups in the rows of an (m, n) array."""
    n, sizes = rewards.shape[1], numbers.sizes(rewards)
    if baseline == "none":
        return rewards, sizes + sizes.max(axis=1, keepdims=True)
    rewards, _ = numbers.without_offset(rewards)
    if baseline == "mean":
        base = rewards.sum(axis=1, keepdims=True) * numbers.quotient(1, n)
    else:
        others = rewards.sum(axis=1, keepdims=True) - rewards
        base = others * numbers.quotient(1, n - 1)
    return rewards - base, sizes + sizes.max(axis=1, keepdims=True)


def _std(rewards: Array, ddof: int, numbers: Numbers) -> Array:
    """The standard deviation of each row, with divisor n - ddof."""
    centred, _ = advantages(rewards, "mean", numbers)
    squares = (centred**2).sum(axis=1, keepdims=True)
    return numbers.roots(numbers.divided(squares, rewards.shape[1] - ddof))


def group_law(draws: Joint, n: int, coefficients: Coefficients, *, leading: int = 1) -> Var | Joint:
    """Law of sum_i c_i S_i over n draws, with coefficients c of the `leading` coordinates of the whole group.

    `coefficients` takes those coordinates as (m, n) arrays, one group a row, and returns (c, the size of the terms that
    were subtracted to make c): sums that differ by less than the rounding of such terms are one outcome.
    """
    with within_floats("a reward, a score or the group average of their products"):
        columns, weights, tolerances = _group_columns(draws, n, coefficients, leading)
    law = draws.law.numbers, draws.source.warrant.copies(n).through(None).rounded(rounding_of_masses(draws.weights, n))
    made = merged_law(columns, weights, tolerances, *law)
    return Joint.of(made) if made.dim > 1 else Var.of(made)


def merged_law(
    columns: Sequence[Array], weights: Array, tolerances: Sequence[Array], numbers: Numbers, warrant: Warrant
) -> Law:
    """The law of group averages: floats are one within the rounding of their terms, then within 4 ulp."""
    axes = [Axis.of(column) for column in columns]
    near = [a.numbers.rounding(t) for a, t in zip(axes, tolerances, strict=True)]
    return Law.of(axes, *numbers.weighed(weights.tolist()), numbers, warrant, near)


def _group_columns(
    draws: Joint, n: int, coefficients: Coefficients, leading: int
) -> tuple[list[Array], Array, list[Array]]:
    """The gradient of every multiset of draws, coordinate by coordinate, its mass, and how far it may have rounded."""
    check_budget(multiset_count(len(draws), n), f"a group of {n} draws of {len(draws)} outcomes", OR_MORE)
    numbers = [draws.source.numbers.averaged(column) for column in draws.columns]
    parts: list[list[Array]] = [[] for _ in numbers[leading:]]
    roundings: list[list[Array]] = [[] for _ in numbers[leading:]]
    masses = []
    for indices, mass in multiset_chunks(draws.weights, n):
        c, sizes = coefficients(*(column[indices] for column in numbers[:leading]))
        masses.append(mass)
        for i, score in enumerate(numbers[leading:]):
            parts[i].append((c * score[indices]).sum(axis=1))
            roundings[i].append((n + 4) * EPS * (sizes * np.abs(score[indices])).sum(axis=1).astype(float))
    columns = [_tidy(np.concatenate(part)) for part in parts]
    return columns, np.concatenate(masses), [np.concatenate(rounding) for rounding in roundings]


def _tidy(column: Array) -> Array:
    """Floats if one of them is (an irrational root), else exact numbers."""
    return outcome_array(column.astype(float) if any(isinstance(v, float) for v in column.tolist()) else column)


class LeaveOneOutVector(Lazy):
    """The source (see `randvar.law.Source`) of scale * (1/n) sum_i (R_i - mean_{j != i} R_j) S_i, S a vector.

    A U-statistic of order 2 with kernel (R - R') (S - S') / 2. With centred R and S, c = E[R S], M = E[R^2 S S^T]:

        Cov = ((n - 1) M - (n - 2) c c^T + E[R^2] E[S S^T]) / (n (n - 1)).

    Source: Lee, U-Statistics, section 1.3 (Hoeffding's formula).
    """

    def __init__(self, draws: Joint, n: int, scale: Fraction) -> None:
        super().__init__()
        self.draws, self.n, self.scale = draws, n, scale
        self.numbers, self.field = draws.source.numbers, draws.source.field
        self.dim = draws.dim - 1  # the number of scores

    def stated(self) -> Warrant:
        """Those of every draw."""
        return self.draws.source.warrant.copies(self.n).through(2)

    def closed_form(self, order: int) -> NoReturn:
        """Of one variable only."""
        raise TypeError("cumulants are those of one variable")

    def _centred(self) -> tuple[Array, list[Array]]:
        reward, *scores = (c - m for c, m in zip(self.draws.columns, expect(self.draws), strict=True))
        return reward, scores

    def _covariances(self) -> Array:
        """c = Cov(R, S)."""
        reward, scores = self._centred()
        return self.field.array([self._average(reward * s) for s in scores])

    def _average(self, column: Array) -> Any:
        return self.draws.law.average(Axis.of(column))

    def mean_vector(self) -> Array:
        """scale * c."""
        return np.asarray(self._covariances() * self.field.number(self.scale))

    def covariance_matrix(self) -> Array:
        """The formula above, times scale^2."""
        reward, scores = self._centred()
        n, c = self.n, self._covariances()
        fourth = self.field.array([[self._average(reward**2 * a * b) for b in scores] for a in scores])
        spread = self._average(reward**2) * cov_matrix(self.draws.select(*range(1, self.draws.dim)))
        whole = (n - 1) * fourth - (n - 2) * np.multiply.outer(c, c) + spread
        return np.asarray(whole * self.field.number(self.scale**2 / (n * (n - 1))))

    def listed(self) -> Law:
        """The joint law, from all multisets of draws."""
        factor = self.field.number(self.scale / self.n)

        def coefficients(rewards: Array) -> tuple[Array, Array]:
            centred, sizes = advantages(rewards, "leave_one_out", self.numbers)
            return centred * factor, sizes * float(factor)

        columns, weights, tolerances = _group_columns(self.draws, self.n, coefficients, 1)
        warrant = self.stated().rounded(rounding_of_masses(self.draws.weights, self.n))
        return merged_law(columns, weights, tolerances, self.numbers, warrant)
