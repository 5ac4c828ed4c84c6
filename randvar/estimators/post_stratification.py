"""Post-stratification: the strata are known only after the draws, their shares of the population beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from randvar.arguments import checked, one_of
from randvar.atoms.outcomes import Axis
from randvar.context import OR_MORE, check_budget
from randvar.errors import ImpossibleEvent, UndefinedOutcome, one_line
from randvar.estimators.strata import stratified, stratum_shares
from randvar.law import Law, listed_law
from randvar.law_arguments import count
from randvar.numbers.arrays import Array
from randvar.sums.multinomial import multiset_count
from randvar.sums.multisets import multiset_chunks
from randvar.var import Var, laws_of

__all__ = ["post_stratified"]

_WAY_OUT = "take fewer draws, fewer strata, or outcomes on a common lattice"


@checked(steps=count, undefined=one_of("raise", "drop"))
def post_stratified(
    strata: Sequence[Var],
    shares: Sequence[Any],
    steps: int,
    undefined: Literal["raise", "drop"] = "raise",
) -> Var:
    """Law of sum_s W_s * (mean of the draws that fell in stratum s), over `steps` draws.

    >>> low, high = Var([0, 1], [0.5, 0.5]), Var([4, 5], [0.5, 0.5])
    >>> seen = post_stratified([low, high], [0.5, 0.5], 2, undefined="drop")
    >>> round(seen.lost_mass, 12), seen.probs
    (0.5, array([0.25, 0.5 , 0.25]))

    `strata` are the laws X_s, `shares` their W_s, which sum to 1. A draw falls in s with probability W_s. So the
    numbers n_s of draws are random, and where one is 0 the estimate has no value. `undefined="raise"` says how likely
    that is; "drop" conditions on a draw in each stratum (unbiased given that, with variance sum_s W_s^2 Var(X_s)
    E[1/n_s]) and reports the mass in `lost_mass`. Raises UndefinedOutcome or, where a draw in each is impossible,
    ImpossibleEvent; SupportTooLarge past the budget.
    Cost: one stratified mean for each way to share out the draws.
    Source: Cochran, Sampling Techniques, section 5A.9.
    """
    strata, shares = stratum_shares("post_stratified", strata, shares)
    check_budget(multiset_count(len(strata), steps), f"sharing {one_line(steps)} draws out", OR_MORE)
    fallen = listed_law([Axis.of(range(len(shares)))], shares)
    numbers = fallen.numbers
    parts = list(multiset_chunks(fallen.probs, steps))
    masses = np.concatenate([m for _, m in parts])
    counts = np.concatenate([[np.bincount(row, minlength=len(strata)) for row in indices] for indices, _ in parts])
    complete = np.asarray((counts > 0).all(axis=1)) & numbers.possible(masses)
    ways = Law((Axis.of(range(len(masses))),), (), *numbers.weighed(masses.tolist()), numbers)
    empty = ways.probability(np.logical_not(complete))
    if undefined == "raise" and not complete.all():
        raise UndefinedOutcome(
            f"post_stratified: a stratum has no draw with probability {empty}, and then no mean;"
            ' undefined="drop" conditions on a draw in each'
        )
    if not complete.any():
        raise ImpossibleEvent(f"post_stratified: {steps} draws cannot fall into all {len(strata)} strata")
    laws = _stratified_laws(strata, shares, counts[complete])
    found = ways.given(complete).then(laws_of(laws)).marginal(1)
    return Var.of(found.warranted(found.warrant.lacking(empty)))


def _stratified_laws(strata: Sequence[Var], shares: Sequence[Any], counts: Array) -> list[Any]:
    """The stratified mean of each way to share out the draws; refused as soon as all of them cannot fit the budget.

    Even shares come first: they have the most outcomes.
    """
    laws: list[Any] = [None] * len(counts)
    size = 0
    for done, i in enumerate(np.argsort(-np.log(counts).sum(axis=1), kind="stable").tolist(), start=1):
        laws[i] = stratified(strata, shares, counts[i].tolist())
        size += len(laws[i])
        what = f"post_stratified, after {done:,} of {len(counts):,} ways to share {counts[i].sum()} draws out,"
        check_budget(size, what, _WAY_OUT)
    return laws
