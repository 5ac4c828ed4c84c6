"""All samples of a finite population without replacement, and the law of a statistic of them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from randvar.atoms.outcomes import Axis
from randvar.calls.call import apply
from randvar.context import OR_MORE, RAISE_IT, check_budget, check_draws, current
from randvar.errors import RandvarError
from randvar.estimators.order import magnitudes, same_but_for_rounding
from randvar.estimators.symmetry import ORDER, is_blind_to_order
from randvar.law import Law
from randvar.numbers.arrays import object_array
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import FRACTIONS, WORDS
from randvar.sums.multinomial import in_words
from randvar.var import Var, returned
from randvar.warrant import Warrant

__all__ = ["law_of_statistic"]

_TRIED = 4  # samples whose reversal is tried
_NAME = "this sample without replacement"


def law_of_statistic(
    units: Sequence[Any], n: int, statistic: Callable[[Any], Any], numbers: Numbers, symmetric: bool | None
) -> Var:
    """Of a statistic of n of the units, in every order unless it does not look at the order (`symmetry`)."""
    copies = Counter(units)
    known = is_blind_to_order(statistic)
    by_multisets = symmetric is True or (known and symmetric is None)
    how_many = _how_many(list(copies.values()), n, current().max_atoms)
    check_budget(how_many, _NAME, OR_MORE)
    check_draws(how_many, n, "without_replacement")
    if not by_multisets:
        _check_orders(list(copies.values()), n, how_many)
    multisets = [_named(copies, counts) for counts in _samples(list(copies.values()), n)]
    samples, ways = (_unordered if by_multisets else _ordered)(multisets, copies)
    if by_multisets and not known:
        _refute_symmetry(statistic, samples[:_TRIED])
    all_samples = math.comb(len(units), n) if by_multisets else math.perm(len(units), n)
    weights, mass = numbers.adopted(object_array(ways), all_samples, FRACTIONS)
    warrant = Warrant(assumed=frozenset({ORDER} if by_multisets and not known else ()))
    drawn = Law((Axis(object_array(samples), WORDS),), (), weights, mass, numbers, warrant)
    return Var.of(returned(drawn, apply(statistic, [drawn.axes[0].values], drawn.probability_at)))


Multiset = list[tuple[Any, int]]  # (unit, how many of it)


def _unordered(multisets: Sequence[Multiset], copies: Counter[Any]) -> tuple[list[Any], list[int]]:
    """Each multiset as one tuple, and the number of sets of units that it stands for."""
    samples = [tuple(unit for unit, c in counts for _ in range(c)) for counts in multisets]
    return samples, [math.prod(math.comb(copies[unit], c) for unit, c in counts) for counts in multisets]


def _ordered(multisets: Sequence[Multiset], copies: Counter[Any]) -> tuple[list[Any], list[int]]:
    """Each order of each multiset, and the number of ways to draw the units in that order."""
    orders = [math.factorial(sum(c for _, c in m)) // math.prod(math.factorial(c) for _, c in m) for m in multisets]
    samples = [order for m in multisets for order in _orders(dict(m))]
    ways = [math.prod(math.perm(copies[unit], c) for unit, c in m) for m in multisets]
    return samples, [w for w, k in zip(ways, orders, strict=True) for _ in range(k)]


def _check_orders(copies: Sequence[int], n: int, multisets: int) -> None:
    """Refuse more orders than the budget before any is made: they are n! [x^n] prod (1 + x + ... + x^c / c!)."""
    ways = [1, *[0] * n]
    for available in copies:
        ways = [sum(math.comb(i, c) * ways[i - c] for c in range(min(i, available) + 1)) for i in range(n + 1)]
    out = f"where the order does not matter, say symmetric=True, which runs {in_words(multisets)}; or {RAISE_IT}"
    check_budget(ways[n], f"{_NAME}, in every order,", out)
    check_draws(ways[n], n, "without_replacement")


def _orders(left: dict[Any, int]) -> Iterator[tuple[Any, ...]]:
    """Every distinct order of so many of each unit."""
    if not any(left.values()):
        yield ()
    for unit, c in left.items():
        if c:
            yield from ((unit, *rest) for rest in _orders({**left, unit: c - 1}))


def _refute_symmetry(statistic: Callable[[Any], Any], samples: Sequence[Any]) -> None:
    for sample in samples:
        if not _same_reversed(statistic, sample, statistic(sample)):
            raise RandvarError(
                f"without_replacement: symmetric=True, but the statistic depends on the order of the units"
                f" {sample!r:.60}; leave symmetric out"
            )


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
