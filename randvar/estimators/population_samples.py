"""All samples of a finite population without replacement, and the law of a statistic of them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from randvar.atoms.outcomes import Axis
from randvar.calls.call import apply
from randvar.context import OR_MORE, check_budget, check_draws, current
from randvar.errors import RandvarError
from randvar.estimators.order import magnitudes, same_but_for_rounding
from randvar.law import Law
from randvar.numbers.arrays import object_array
from randvar.numbers.kinds import FLOATS, FRACTIONS, WORDS
from randvar.var import Var, returned

__all__ = ["law_of_statistic"]

_CHECKED = 100  # samples whose reversal is tried


def law_of_statistic(units: Sequence[Any], n: int, statistic: Callable[[Any], Any], exact: bool) -> Var:
    copies = Counter(units)
    samples_of = _how_many(list(copies.values()), n, current().max_atoms)
    check_budget(samples_of, "this sample without replacement", OR_MORE)
    check_draws(samples_of, n, "without_replacement")
    drawn = list(_samples(list(copies.values()), n))
    ways = [math.prod(math.comb(copies[unit], c) for unit, c in _named(copies, counts)) for counts in drawn]
    numbers = FRACTIONS if exact else FLOATS
    weights, mass = numbers.adopted(object_array(ways), math.comb(len(units), n), FRACTIONS)
    samples = object_array([tuple(unit for unit, c in _named(copies, counts) for _ in range(c)) for counts in drawn])
    drawn_samples = Law((Axis(samples, WORDS),), (), weights, mass, numbers)
    results = apply(statistic, [samples], drawn_samples.probability_at)
    law = Var.of(returned(drawn_samples, results))
    for sample, result in zip(samples[:_CHECKED], results, strict=False):
        if not _same_reversed(statistic, sample, result):
            raise RandvarError(
                f"without_replacement: the statistic depends on the order of the units {sample!r:.60}; where that is"
                " rounding only, add with math.fsum, or sort the units first"
            )
    return law


def _same_reversed(statistic: Callable[[Any], Any], sample: tuple[Any, ...], result: Any) -> bool:
    def again(_: list[int], finer: Callable[[Any], Any]) -> tuple[list[Any], list[Any]] | None:
        finest = finer(sample)
        try:
            return [statistic(finest)], [statistic(finest[::-1])]
        except Exception:  # it takes no such numbers
            return None

    return same_but_for_rounding(
        [result], [statistic(sample[::-1])], float(magnitudes(object_array([sample])).max()), again
    )


def _named(copies: Counter[Any], counts: Iterable[tuple[int, int]]) -> list[tuple[Any, int]]:
    kinds = list(copies)
    return [(kinds[kind], c) for kind, c in counts]


def _how_many(copies: Sequence[int], n: int, enough: int) -> int:
    """The number of multisets of n units, the coefficient of x^n in prod (1 + x + ... + x^c), or more than `enough`.

    Each beginning has a way to end, so that the beginnings with one number of units are no more than all multisets.
    """
    ways, left = [1, *[0] * n], sum(copies)
    for available in copies:
        left -= available
        sums = [0, *itertools.accumulate(ways)]
        ways = [sums[i + 1] - sums[max(0, i - available)] for i in range(n + 1)]
        if max(ways[max(0, n - left) :]) > enough:
            return max(ways[max(0, n - left) :])
    return ways[n]


def _samples(copies: Sequence[int], n: int) -> Iterable[tuple[tuple[int, int], ...]]:
    """Each multiset of n units as ((kind, how many of it), ...); every beginning has a way to end."""
    begun: list[tuple[int, tuple[tuple[int, int], ...]]] = [(0, ())]
    left = sum(copies)
    for kind, available in enumerate(copies):
        left -= available
        begun = [
            (drawn + more, (*counts, (kind, more)) if more else counts)
            for drawn, counts in begun
            for more in range(max(0, n - drawn - left), min(available, n - drawn) + 1)
        ]
        check_budget(len(begun), "this sample without replacement", OR_MORE)
    return [counts for _, counts in begun]
