"""Differences of samples of floats of mixed magnitudes, against exact arithmetic of the same floats."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from randvar import Var, indep, report, total

WIDE = [1e10 * math.pi, math.e, math.e + 8e-6]


def halves(values, probs, n, m):
    """P(sum of n > sum of m others), and P of a tie, in exact arithmetic."""
    more = tie = Fraction(0)
    for a in itertools.product(range(len(values)), repeat=n):
        for b in itertools.product(range(len(values)), repeat=m):
            gap = sum(Fraction(values[i]) for i in a) - sum(Fraction(values[i]) for i in b)
            p = math.prod(Fraction(probs[i]) for i in (*a, *b))
            more, tie = more + p * (gap > 0), tie + p * (gap == 0)
    return more, tie


@pytest.mark.parametrize("values", [WIDE, [1e15 / 3, 1 / 3, 1 / 7], [math.sqrt(2) * 1e12, math.sqrt(3), math.sqrt(5)]])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 2), (2, 1), (3, 3)])
@pytest.mark.parametrize("kind", [float, Fraction])
def test_a_difference_of_two_samples(values, n, m, kind):
    probs = [kind(1) / 2, kind(1) / 4, kind(1) / 4]
    x = Var(values, probs)
    found = indep(total(x, n), total(x, m)).sub()
    more, tie = halves(values, [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], n, m)
    assert float(found.prob(lambda d: d > 0)) == pytest.approx(float(more), rel=1e-13)
    assert float(found.prob(0)) == pytest.approx(float(tie), rel=1e-13)
    if n == m:
        assert report(found, 0).unbiased


def test_probabilities_of_three_groups_sum_to_one():
    x, y = Var(WIDE, [0.5, 0.25, 0.25]), Var([-WIDE[0], 0.1], [0.5, 0.5])
    law = indep(total(x, 2), total(y, 2), x * -1).add()
    assert math.fsum(law.probs) == pytest.approx(1, abs=1e-15)
    assert np.all(np.diff(law.values) > 0)
