"""Stratified sampling: a separate mean in each stratum, weighted by the stratum's share of the population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from randvar.arguments import checked, coefficient, listed, one_of, real, whole
from randvar.draws import Draws, Sum
from randvar.errors import RandvarError, one_line
from randvar.law_arguments import a_var, check_numeric, count
from randvar.moments import std
from randvar.numbers.checks import check_numbers
from randvar.var import Var

__all__ = ["allocate", "stratified", "stratify", "stratum_shares"]

_MOST_DRAWS = 2**53  # so that a number of draws is a float


def stratified(strata: Sequence[Var], shares: Sequence[Any], steps: Sequence[int]) -> Var:
    """Law of sum_s W_s * (mean of n_s independent draws of stratum s), with shares W_s that sum to 1.

    >>> low, high = Var([0, 1], [0.5, 0.5]), Var([4, 5], [0.5, 0.5])
    >>> stratified([low, high], [0.5, 0.5], [1, 1]).values
    array([2. , 2.5, 3. ])

    `strata` are the laws X_s, `shares` the W_s and `steps` the n_s, one each a stratum. Unbiased, with variance sum_s
    W_s^2 Var(X_s) / n_s in closed form. Raises RandvarError for shares that do not sum to 1 or a stratum without draws;
    SupportTooLarge, when the law is read, past the budget. Cost: O(strata) for the moments; of the law as of
    `monte_carlo`, for the sum of all draws.
    Source: Cochran, Sampling Techniques, section 5.3.
    """
    strata, shares = stratum_shares("stratified", strata, shares)
    steps = listed("stratified: steps", steps)
    if len(steps) != len(strata):
        raise RandvarError(
            f"stratified: {len(strata)} strata but {len(steps)} numbers of steps; each stratum needs one"
        )
    parts = []
    for i, (x, share, n) in enumerate(zip(strata, shares, steps, strict=True)):
        n = count("stratified", f"steps[{i}]", n)
        check_numeric("stratified", x)
        scale = x.source.numbers.factor(share) * Fraction(1, n)
        parts.append(Draws(x.source, n, scale))
    return Var.of(Sum(parts))


@checked(red_share=coefficient)
def stratify(red: Var, blue: Var, red_share: Any, red_steps: int, blue_steps: int) -> Var:
    """Law of red_share * (mean of red_steps draws of red) + (1 - red_share) * (mean of blue_steps of blue): two strata.

    >>> stratify(Var([1], [1.0]), Var([4], [1.0]), red_share=1/3, red_steps=2, blue_steps=4).values
    array([3.])

    `stratified` for two, also in what it raises and costs.
    Source: Cochran, Sampling Techniques, section 5.3.
    """
    return stratified([red, blue], [red_share, 1 - red_share], [red_steps, blue_steps])


@checked(rule=one_of("proportional", "optimal"))
def allocate(
    strata: Sequence[Var],
    shares: Sequence[Any],
    total: int,
    rule: Literal["proportional", "optimal"] = "proportional",
) -> list[int]:
    """How many of `total` draws each stratum gets, as whole numbers of at least 1 that sum to `total`.

    >>> low, high = Var([0, 1], [0.5, 0.5]), Var([0, 3], [0.5, 0.5])
    >>> allocate([low, high], [0.5, 0.5], 8), allocate([low, high], [0.5, 0.5], 8, rule="optimal")
    ([4, 4], [2, 6])

    "proportional" follows the shares W_s; "optimal" follows W_s * std(X_s) (Neyman), which minimises the variance.
    Each is rounded by giving the next draw to the stratum with the largest W_s a_s / sqrt(n_s (n_s + 1)), a_s being 1
    or std(X_s): the optimal whole allocation. Raises RandvarError for fewer draws than strata, or "optimal" with
    symbols. Cost: O(total * strata).
    Sources: Neyman 1934; Wright 2012, "The Equivalence of Neyman Optimum Allocation for Sampling and Equal
    Proportions for Apportioning the U.S. House of Representatives".
    """
    strata, shares = stratum_shares("allocate", strata, shares)
    total = whole("allocate", "total", total, least=len(strata), most=_MOST_DRAWS)
    optimal = rule == "optimal"
    for x in strata:
        check_numbers("allocate", x.kind if optimal else "float")
    parts = [float(real("allocate", f"shares[{i}]", share)) for i, share in enumerate(shares)]
    claims = [w * float(std(x)) for w, x in zip(parts, strata, strict=True)] if optimal else parts
    return _divisor_method(claims if any(claims) else parts, total)


def _divisor_method(claims: Sequence[float], total: int) -> list[int]:
    """1 each, and `total` minus these one after the other to the largest c / sqrt(n (n + 1)).

    All gains above lam = sum(c) / (total - k) are given at once: fewer than total - k are, since
    c / sqrt(n (n + 1)) > lam takes n < c / lam. What is left is no more than a few a stratum.
    """
    left = total - len(claims)
    steps = [max(1, int(c / math.fsum(claims) * left)) for c in claims] if left else [1] * len(claims)
    for _ in range(total - sum(steps)):
        gains = [c / math.sqrt(n * (n + 1)) for c, n in zip(claims, steps, strict=True)]
        steps[gains.index(max(gains))] += 1
    return steps


def stratum_shares(name: str, strata: Any, shares: Any) -> tuple[list[Var], list[Any]]:
    """The strata, and as many shares that sum to 1 as far as is known."""
    strata, shares = listed(f"{name}: strata", strata), listed(f"{name}: shares", shares)
    strata = [a_var(name, f"strata[{i}]", x) for i, x in enumerate(strata)]
    if not strata:
        raise RandvarError(f"{name} needs at least one stratum, got 0")
    if len(strata) != len(shares):
        raise RandvarError(f"{name}: {len(strata)} strata but {len(shares)} shares; each stratum needs one")
    shares = [coefficient(name, f"shares[{i}]", share) for i, share in enumerate(shares)]
    for share in shares:
        if _is_real(share) and not 0 <= share <= 1:
            raise RandvarError(f"{name}: a share must be between 0 and 1, got {one_line(share)}")
    mass: Any = sum(shares)
    if _is_real(mass) and abs(mass - 1) > 1e-9:
        raise RandvarError(f"{name}: the shares sum to {float(mass):.10g}, not 1 (off by {float(mass - 1):.3g})")
    return strata, shares


def _is_real(share: Any) -> bool:
    return isinstance(share, (int, float, Fraction))
