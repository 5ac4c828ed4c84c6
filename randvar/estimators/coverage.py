"""The exact probability that a confidence interval contains its target."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from randvar.arguments import checked, flag, function, optional
from randvar.calls.call import apply
from randvar.coupling import shared
from randvar.errors import RandvarError, UndefinedOutcome
from randvar.estimators.intervals import SumInterval
from randvar.estimators.sampling import total
from randvar.estimators.sampling_distribution import sampling_distribution
from randvar.estimators.symmetry import is_blind_to_order
from randvar.joint import Joint
from randvar.law_arguments import a_law, count, exact_number, function_of_a_sample
from randvar.moments import expect
from randvar.numbers.arrays import EPS, object_array, scalar
from randvar.numbers.checks import check_numbers
from randvar.numbers.symbolic import is_expression
from randvar.var import Var

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["coverage"]

_WHY = ": whether an interval contains its target depends on the symbols"
_MACHINE_INTEGER = 2**63
_ULPS = 8  # what a few operations on floats may have moved an end


def _a_target(name: str, argument: str, target: Any) -> Any:
    """The target as an exact number."""
    if is_expression(target):
        raise RandvarError(f"{name} needs numbers{_WHY}")
    return exact_number(name, argument, target)


@checked(
    interval=function_of_a_sample,
    x=a_law,
    n=count,
    target=optional(_a_target),
    symmetric=optional(flag),
    of=optional(function),
    vectorized=flag,
)
def coverage(
    interval: Callable[..., Any],
    x: Var | Joint,
    n: int,
    target: Any = None,
    symmetric: bool | None = None,
    undefined: Literal["raise", "drop"] = "raise",
    *,
    of: Callable[[Any], Any] | None = None,
    vectorized: bool = False,
    executor: Executor | None = None,
    sample: type[float] | None = None,
) -> Any:
    """P(interval(X1, ..., Xn) contains target), the Xi independent copies of x; the target is E[X] unless given.

    >>> from randvar.estimators.mean_intervals import wald_interval
    >>> coverage(wald_interval, Var([0, 1], [0.7, 0.3]), 200)
    0.944031044937725...

    `interval` takes a sample of n draws and returns (low, high), or an object that knows what is `in` it, as the
    intervals of this package do. `x` is the law of one draw: a Var, or a Joint whose draws are rows of coordinates.
    Ends belong to an interval. Exact ends are compared exactly; a float end within 8 ulp of the target is on it. A
    float target or mean is read as the simplest fraction: 0.3 means 3/10.

    `of`: where the interval needs only sums of one or a few numbers of each draw, a function from a draw to these
    numbers; `interval` then takes the sums. Here 25 groups share a cause in each, and are taken for 200 single draws:

    >>> from randvar.families import binomial, continuous_uniform
    >>> group = continuous_uniform(0, 0.6, nodes=5).op(lambda p: binomial(8, p))
    >>> naive = lambda successes: wald_interval.from_sums(200, successes, successes)
    >>> round(coverage(naive, group, 25, target=0.3, of=lambda successes: successes), 14)
    0.82372383152426

    `symmetric`, `undefined`, `executor` and `sample` are those of `sampling_distribution`: where a person's interval
    does not depend on the order of its sample, symmetric=True says so. With `vectorized=True` it takes m samples at a
    time and returns two arrays, m low ends and m high ones.

    Cost: one call for each distinct row of sums (the intervals of this package say which they need), else one for each
    sample, as of `sampling_distribution`. Raises SupportTooLarge for more of these than the budget.
    Source: Brown, Cai & DasGupta 2001, "Interval Estimation for a Binomial Proportion" (exact coverage, of draws that
    are 0 or 1).
    """
    wanted = _target(x, target)
    if isinstance(interval, SumInterval) and of is None:
        kind = interval
        return _over_sums(x, n, lambda *sums: _contains(kind.from_sums(n, *sums), wanted), kind.of)
    if of is not None:
        return _over_sums(x, n, lambda *sums: _contains(_ends(interval(*sums)), wanted), of)
    found = _AllEnds(interval) if vectorized else _Ends(interval)
    ends = sampling_distribution(found, x, n, symmetric, vectorized, undefined, executor=executor, sample=sample)
    return ends.prob(lambda found: _contains(found, wanted))


@dataclass(frozen=True)
class _Ends:
    """The statistic whose law decides a coverage: the ends of the interval; picklable if the interval is."""

    interval: Callable[[Any], Any]

    @property
    def blind_to_order(self) -> bool:
        """Whether the interval is known to be."""
        return is_blind_to_order(self.interval)

    def __call__(self, sample: Any) -> Any:
        return _ends(self.interval(sample))


@dataclass(frozen=True)
class _AllEnds(_Ends):
    """The same of an interval that takes many samples at once, and returns their low ends and their high ones."""

    def __call__(self, sample: Any) -> Any:
        low, high = (np.broadcast_to(end, len(sample)).tolist() for end in self.interval(sample))
        return object_array(list(map(_ends, zip(low, high, strict=True))))


def _target(x: Var | Joint, target: Any) -> Any:
    """The target, by default the mean, as an exact number."""
    check_numbers("coverage", x.kind, _WHY)
    if target is not None:
        return target
    if isinstance(x, Joint):
        raise RandvarError("coverage of a Joint needs the number to be covered: coverage(interval, x, n, target=...)")
    try:
        return exact_number("coverage", "the mean of x", expect(x.rational()))
    except RandvarError:  # no simple fractions: the mean as it was rounded
        return exact_number("coverage", "the mean of x", expect(x))


def _ends(interval: Any) -> Any:
    """(low, high) as a tuple, NaN if one of them is; an object that knows what is in it stays as it is."""
    if not isinstance(interval, (tuple, list, np.ndarray)):
        return interval
    ends = tuple(scalar(end) for end in interval)
    if any(end != end for end in ends):
        return math.nan
    if len(ends) != 2 or ends[0] > ends[1]:
        raise RandvarError(f"an interval is a pair (low, high) with low <= high, got {ends!r:.60}")
    return ends


def _contains(interval: Any, target: Any) -> bool:
    if isinstance(interval, float):
        raise UndefinedOutcome("an end of the interval is NaN")
    if not isinstance(interval, tuple):
        return target in interval
    low, high = interval
    return not _below(target, low) and not _below(high, target)


def _below(a: Any, b: Any) -> bool:
    """a < b, where a float must be so by more than its own rounding, or that of what it is compared with."""
    if (
        not math.isfinite(a)
        or not math.isfinite(b)
        or (isinstance(a, (int, Fraction)) and isinstance(b, (int, Fraction)))
    ):
        return bool(a < b)
    return Fraction(b) - Fraction(a) > Fraction(_ULPS * EPS) * max(abs(Fraction(a)), abs(Fraction(b)))


def _over_sums(x: Var | Joint, n: int, contained: Callable[..., Any], of: Callable[[Any], Any]) -> Any:
    """P(contained(*sums)), the sums of what `of` gives for each of n draws, as integers over one denominator each."""
    if not isinstance(x, Var):
        raise TypeError("coverage by sums takes a Var; its outcomes may be tuples: j.combine(lambda *row: row)")
    found = apply(of, [x.values], x.law.probability_at)
    numbers = {
        a: [exact_number("coverage", "what is summed", v) for v in _several(row)]
        for a, row in zip(x.values.tolist(), found, strict=True)
    }
    columns = list(zip(*numbers.values(), strict=True))
    denominators = [math.lcm(*(Fraction(v).denominator for v in column)) for column in columns]
    whole = [{a: int(row[i] * d) for a, row in numbers.items()} for i, d in enumerate(denominators)]
    scaled = [column.__getitem__ for column in whole]

    def holds(*sums: Any) -> bool:
        pairs = zip(map(int, sums), denominators, strict=True)
        return bool(contained(*(Fraction(s, d) if d > 1 else s for s, d in pairs)))

    if len(columns) == 1 and max(map(abs, whole[0].values())) < _MACHINE_INTEGER:
        return total(x.op(scaled[0]), n).prob(holds)
    # sums of rows, also of one number, take integers of any size as they are
    return total(shared(x, len(columns)).op(*scaled), n).prob(holds)


def _several(numbers: Any) -> Iterable[Any]:
    return numbers if isinstance(numbers, (tuple, list, np.ndarray)) and np.ndim(numbers) else (numbers,)
