"""Samples of a finite population without replacement."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from randvar.arguments import checked, flag, function, listed, optional
from randvar.atoms.outcomes import Axis, outcome_array
from randvar.atoms.search import find
from randvar.context import OR_MORE, check_budget
from randvar.errors import RandvarError
from randvar.estimators.population_samples import law_of_statistic
from randvar.law import Law
from randvar.law_arguments import count, exact_number
from randvar.lazy import Lazy
from randvar.numbers.arrays import object_array
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import FLOATS, FRACTIONS
from randvar.numbers.moment_formulas import from_central_moments
from randvar.var import Var
from randvar.warrant import SOUND, Warrant

__all__ = ["without_replacement"]

_MARGIN = 2**75  # of what is so far above the smallest float no digits are lost


@checked(n=count, exact=flag, statistic=optional(function), symmetric=optional(flag))
def without_replacement(
    population: Iterable[Any],
    n: int,
    statistic: Callable[[Any], Any] | None = None,
    symmetric: bool | None = None,
    *,
    exact: bool = False,
) -> Var:
    """Law of the mean of n units drawn without replacement, each set of n equally likely; or of a statistic of them.

    >>> from randvar.moments import variance
    >>> mean = without_replacement([1, 2, 3, 4, 5, 6], 2, exact=True)
    >>> variance(mean), mean.prob(Fraction(3, 2))
    (Fraction(7, 6), Fraction(1, 15))
    >>> without_replacement(["a", "b", "b"], 2, lambda units: "a" in units).prob(True)
    0.6666666666666666

    `population` lists the N units, with repeats. The mean has variance (sigma^2 / n) (N - n)/(N - 1), sigma^2 with
    divisor N, and its first four cumulants are closed forms; its law is computed when first read. A statistic takes a
    tuple of n units, in every order in which they can be drawn; where it is known not to look at the order, or declared
    so by `symmetric=True` (as in `sampling_distribution`), each set is run once. `exact=True` gives Fractions as
    probabilities, and as means of units that are exact or simple fractions (0.1 is 1/10).

    Raises RandvarError for n > N, SupportTooLarge past the budget. Cost: of the mean, a count for each (size, sum)
    that part of the sample can have; of a statistic, one call for each distinct multiset of units, or for each of its
    orders. Source: Cochran, Sampling Techniques, chapter 2.
    """
    units = listed("the population", population)
    if n > len(units):
        raise RandvarError(f"without_replacement: a population of {len(units)} units has no samples of {n}")
    kind = FRACTIONS if exact else FLOATS
    if statistic is not None:
        return law_of_statistic(outcome_array(units).tolist(), n, statistic, kind, symmetric)
    numbers = [exact_number("without_replacement", "a unit", unit) for unit in units]
    return Var.of(SampleMean(Counter(numbers), len(units), n, kind))


class SampleMean(Lazy):
    """The source (see `randvar.law.Source`) of the mean of n of the N units."""

    def __init__(self, units: Counter[Any], size: int, n: int, numbers: Numbers) -> None:
        super().__init__()
        self.units, self.size, self.n = units, size, n
        self.numbers = self.field = numbers

    def closed_form(self, order: int) -> tuple[Any, ...]:
        """From the moments of the population about its mean.

        The mean of the n units drawn and that of the N - n left determine each other, so the smaller sample is enough.
        Sources: Cochran, section 2.6; Sukhatme 1944, "Moments and product moments of moment-statistics for samples of
        the finite and infinite populations" (the fourth).
        """
        N, drawn = self.size, min(self.n, self.size - self.n)
        mean = sum((v * c for v, c in self.units.items()), Fraction(0)) / N
        m2, m3, m4 = (sum((v - mean) ** r * c for v, c in self.units.items()) / N for r in (2, 3, 4))
        turned = 1 if drawn == self.n else Fraction(-drawn, self.n)
        central = [turned**r * m for r, m in enumerate(_moments(N, drawn, m2, m3, m4), start=2)]
        return tuple(map(self.field.number, from_central_moments(mean, central)))

    def listed(self) -> Law:
        """From the number of samples with each sum."""
        means, ways = self._counted
        weights, mass = self.numbers.adopted(object_array(ways), self._samples, FRACTIONS)
        return Law.of([means], weights, mass, self.numbers, self.stated(), [means.tolerance(weights)])

    @functools.cached_property
    def _samples(self) -> int:
        return math.comb(self.size, self.n)

    @functools.cached_property
    def _counted(self) -> tuple[Axis, list[int]]:
        """The outcomes, and how many samples have each."""
        denominator = math.lcm(*(Fraction(v).denominator for v in self.units))
        ways = _ways({int(v * denominator): c for v, c in self.units.items()}, self.size, self.n)
        below = denominator * self.n
        return Axis.of([self.numbers.quotient(s, below) for s in ways]), list(ways.values())

    def stated(self) -> Warrant:
        """Nothing is left out or taken for granted but what underflows."""
        return SOUND

    def underflows(self) -> bool:
        """No sample is less likely than 1/C(N, n)."""
        weights, _ = self.numbers.adopted(object_array([1]), self._samples * _MARGIN, FRACTIONS)
        return not self.numbers.exact and not weights.all()

    def log_prob(self, value: Any, slack: float = 0.0) -> float:
        """From the number of samples with this mean, an integer."""
        if not self.underflows():
            return -math.inf
        means, ways = self._counted
        counted = Law.of([means], object_array(ways), self._samples, FRACTIONS)
        at = find(counted.axes[0].values, value)
        return -math.inf if at is None else math.log(counted.weights[at]) - math.log(self._samples)


def _moments(N: int, n: int, m2: Any, m3: Any, m4: Any) -> tuple[Any, Any, Any]:
    """The second to fourth moments about its mean of the mean of n of N units, n <= N/2."""
    if n == 0:
        return Fraction(0), Fraction(0), Fraction(0)
    if n == 1:
        return m2, m3, m4
    second = Fraction(N - n, n * (N - 1)) * m2
    third = Fraction((N - n) * (N - 2 * n), n**2 * (N - 1) * (N - 2)) * m3
    both = (N * (N + 1) - 6 * n * (N - n)) * m4 + 3 * N * (n - 1) * (N - n - 1) * m2**2
    return second, third, Fraction(N - n, n**3 * (N - 1) * (N - 2) * (N - 3)) * both


def _ways(units: dict[int, int], size: int, n: int) -> dict[int, int]:
    """{sum: number of sets of n units with this sum}, distinct value by distinct value."""
    reached: list[dict[int, int]] = [{} for _ in range(n + 1)]  # by how many units are already in the sample
    reached[0][0] = 1
    for value, copies in units.items():
        size -= copies
        further: list[dict[int, int]] = [{} for _ in range(n + 1)]
        choices = [math.comb(copies, more) for more in range(min(copies, n) + 1)]
        for drawn, sums in enumerate(reached):
            for more in range(max(0, n - drawn - size), min(copies, n - drawn) + 1):
                into = further[drawn + more]
                for s, ways in sums.items():
                    into[s + more * value] = into.get(s + more * value, 0) + ways * choices[more]
        reached = further
        check_budget(sum(map(len, reached)), "this sample without replacement", OR_MORE)
    return reached[n]
