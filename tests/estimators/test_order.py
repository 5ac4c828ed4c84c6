"""Which statistics are taken for symmetric: none that looks at the order, all that only round by it."""

import math
from fractions import Fraction

import numpy as np
import pytest

from randvar import *

ten = uniform(0, 10)
near = Var([1e9 - 0.4, 1e9 + 0.1, 1e9 + 0.7, 1e9 + 1.3], [0.1, 0.2, 0.3, 0.4])
centred = Var([-0.3, -0.1, 0.1, 0.2, 0.3], [0.1, 0.2, 0.3, 0.2, 0.2])


def coin(p):
    return Var([0, 1], [1 - p, p])


ORDERED = {
    "an offset": lambda s: 1e10 + float(s[0]),
    "a larger one": lambda s: 1.7e12 + float(s[0]),
    "8 ulp": lambda s: 1e15 + float(s[0]),
    "beside a large number": lambda s: (1e13, float(s[0])),
    "a small weight": lambda s: s.mean() + 1e-10 * s[0],
    "a smaller one": lambda s: s.mean() + 1e-14 * s[0],
    "a law that is certain": lambda s: Var([1e10 + float(s[0])], [1]),
}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", ORDERED)
def test_a_statistic_of_the_first_draw_is_not_taken_for_symmetric(name, exact):
    x, f = ten.rational() if exact else ten, ORDERED[name]
    if exact and name == "a law that is certain":
        f = lambda s: Var([1e10 + float(s[0])], [Fraction(1)])
    found, all_tuples = (sampling_distribution(f, x, 4, symmetric=s) for s in (None, False))
    assert found.to_dict() == all_tuples.to_dict()
    assert len(found) >= 10


def test_laws_with_other_probabilities_are_other_results():
    won = sampling_distribution(lambda s: coin(0.5 + 0.04 * float(s[0])), ten, 4)
    assert won.prob(1) == pytest.approx(0.68, rel=1e-12)
    exact = sampling_distribution(lambda s: bernoulli(Fraction(int(s[0]), 10)), ten.rational(), 4)
    assert exact.prob(1) == Fraction(9, 20)


SYMMETRIC = {
    "mean": np.mean,
    "var": np.var,
    "std": np.std,
    "sum": sum,
    "median": np.median,
    "mean of squares less square of mean": lambda s: (s * s).mean() - s.mean() ** 2,
    "third moment": lambda s: ((s - s.mean()) ** 3).mean(),
    "a ratio": lambda s: s.mean() / (1 + s.std()),
    "a pair": lambda s: (np.mean(s), np.std(s)),
    "weighted by floats": lambda s: sum(0.1 * v for v in s),
    "a law": lambda s: coin(1 / (1 + math.exp(-sum(s) / 1e10))),
}


@pytest.mark.parametrize("x", [near, centred, ten], ids=["near 1e9", "around 0", "integers"])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_rounding_is_not_taken_for_order(name, x):
    """The budget has room for the multisets only, with the two outcomes of a law for each."""
    n = 12 if len(x) < 10 else 5
    multisets = math.comb(n + len(x) - 1, n)
    assert 2 * multisets < len(x) ** n
    with settings(max_atoms=2 * multisets if name == "a law" else multisets):
        law = sampling_distribution(SYMMETRIC[name], x, n)
    assert sum(law.probs) == pytest.approx(1, rel=1e-12)


def test_rows_and_whole_arrays_are_tried_as_well():
    both = indep(near, centred)
    with settings(max_atoms=math.comb(22, 3), progress=False):
        found = sampling_distribution(lambda s: s[:, 0].mean() - s[:, 1].mean(), both, 3)
    assert expect(found) == pytest.approx(expect(near) - expect(centred), rel=1e-12)
    with settings(max_atoms=math.comb(13, 9), progress=False):
        whole = sampling_distribution(lambda a: a.mean(axis=1), centred, 9, vectorized=True)
    assert expect(whole) == pytest.approx(expect(centred), rel=1e-12)
    first = sampling_distribution(lambda a: 1e10 + a[:, 0], ten, 4, vectorized=True)
    assert first.probs == pytest.approx([0.1] * 10)


def test_what_is_undefined_with_finer_numbers_proves_nothing():
    """As Fractions and long doubles no sample has a result: they do not agree, they say nothing."""

    def first(s):
        if type(s[0]) is not np.float64:
            raise ValueError
        return s.sum() + 1e-10 * s[0]

    law = sampling_distribution(first, centred, 5)
    assert law.to_dict() == sampling_distribution(first, centred, 5, symmetric=False).to_dict()


def test_a_refusal_after_trying_says_how_to_go_on():
    with settings(max_atoms=10**5):
        with pytest.raises(SupportTooLarge, match="where it does not, say symmetric=True"):
            sampling_distribution(lambda s: sum(float(v) for v in s), centred, 12)
        with pytest.raises(SupportTooLarge) as refusal:
            sampling_distribution(max, centred, 12, symmetric=False)
    assert "symmetric=True" not in str(refusal.value)


def test_samples_without_replacement_are_held_to_the_same():
    law = without_replacement([0.1, 0.2, -0.3, 0.7], 3, lambda s: sum(s) / 3)
    assert expect(law) == pytest.approx(0.7 / 4, rel=1e-12)
    for statistic in (lambda s: 1e10 + s[0], lambda s: coin(0.5 + s[0] / 10), lambda s: (1e13, s[0])):
        with pytest.raises(RandvarError, match="depends on the order"):
            without_replacement([1, 2, 3, 4], 2, statistic)
