"""The order of the draws: known not to matter, declared, or run in every order; never guessed."""

import itertools
import math
import random
import statistics
import zlib
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from randvar import *
from randvar.estimators.symmetry import is_blind_to_order

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
def test_what_is_declared_is_run_on_multisets_and_remembered(name, x):
    """Rounding does not refute it; the budget has room for the multisets only, with the two outcomes of a law each."""
    n = 12 if len(x) < 10 else 5
    multisets = math.comb(n + len(x) - 1, n)
    with settings(max_atoms=2 * multisets if name == "a law" else multisets):
        law = sampling_distribution(SYMMETRIC[name], x, n, symmetric=True)
        assert sum(law.probs) == pytest.approx(1, rel=1e-12)
        if not is_blind_to_order(SYMMETRIC[name]):
            with pytest.raises(SupportTooLarge, match="say symmetric=True"):
                sampling_distribution(SYMMETRIC[name], x, n)
    small = sampling_distribution(SYMMETRIC[name], x, 2, symmetric=True)
    ordered = sampling_distribution(SYMMETRIC[name], x, 2, symmetric=False)
    if name == "a pair":
        assert len(small) == len(ordered)
        return
    assert expect(small) == pytest.approx(expect(ordered), rel=1e-12, abs=1e-12)
    said = "as declared" in report(small, expect(small)).verdict
    assert said is not is_blind_to_order(SYMMETRIC[name])


def test_a_verdict_says_what_was_declared():
    die = Var(range(1, 7), [Fraction(1, 6)] * 6)
    spread = sampling_distribution(lambda s: max(s) - min(s), die, 3, symmetric=True)
    assert report(spread, Fraction(35, 12)).verdict == (
        "unbiased (proved, if the order of the draws does not matter, as declared)"
    )
    for law in (spread + 1, spread.op(float), indep(spread, die).add(), monte_carlo(spread, 3), mixture([spread], [1])):
        assert "as declared" in report(law, 0).verdict
    assert "declared" not in report(sampling_distribution(max, die, 3), 4).verdict


@pytest.mark.parametrize("statistic", ORDERED.values(), ids=ORDERED)
def test_a_declaration_may_be_refuted(statistic):
    with pytest.raises(RandvarError, match="symmetric=True, but the order of the draws matters"):
        sampling_distribution(statistic, ten, 3, symmetric=True)


def test_rows_and_whole_arrays():
    both = indep(near, centred)
    with settings(max_atoms=math.comb(22, 3), progress=False):
        found = sampling_distribution(lambda s: s[:, 0].mean() - s[:, 1].mean(), both, 3, symmetric=True)
    assert expect(found) == pytest.approx(expect(near) - expect(centred), rel=1e-12)
    with settings(max_atoms=math.comb(13, 9), progress=False):
        whole = sampling_distribution(lambda a: a.mean(axis=1), centred, 9, symmetric=True, vectorized=True)
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


def test_a_refusal_says_how_to_go_on_and_what_trials_found():
    with settings(max_atoms=10**5):
        with pytest.raises(SupportTooLarge, match=r"244,140,625 ordered .* say symmetric=True: that runs 1,820 multi"):
            sampling_distribution(lambda s: sum(float(v) for v in s), centred, 12)
        with pytest.raises(SupportTooLarge, match=r"the order of the draws matters: .* gives .*") as refusal:
            sampling_distribution(lambda s: float(s[0]), centred, 12)
        assert "symmetric=True" not in str(refusal.value)
        with pytest.raises(SupportTooLarge) as refusal:
            sampling_distribution(lambda s: max(s), centred, 12, symmetric=False)
        assert "symmetric=True" not in str(refusal.value)


EXACT = Var(range(5), [Fraction(1, 5)] * 5)
DIE = uniform(1, 7).rational()


def test_orders_that_one_sample_in_thousands_tells_apart():
    assert sampling_distribution(lambda s: tuple(s) == (0, 1, 2, 3, 4), EXACT, 5).prob(True) == Fraction(1, 3125)
    assert sampling_distribution(lambda s: tuple(s) == (3, 1, 4, 1), DIE, 4).prob(True) == Fraction(1, 1296)
    assert sampling_distribution(lambda s: s[0] == 36, uniform(0, 60), 3).prob(True) == pytest.approx(1 / 60, rel=1e-12)
    ascending = sampling_distribution(lambda s: all(a < b for a, b in itertools.pairwise(s)), DIE, 6).op(int)
    assert expect(ascending) == Fraction(1, 46656) * math.comb(6, 6)
    with pytest.raises(AssertionError):
        assert_unbiased(ascending, Fraction(720, 6**6))


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.integers(2, 4), st.data())
@hypothesis_settings(max_examples=60, deadline=None)
def test_random_statistics_against_all_ordered_samples(weights, n, data):
    """A table of results, with one sample that differs from its other orders."""
    probs = [Fraction(w + 1, sum(weights) + 4) for w in weights]
    odd = tuple(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    table = {tuple(s): data.draw(st.integers(0, 2)) for s in itertools.combinations_with_replacement(range(4), n)}

    def statistic(sample):
        drawn = tuple(map(int, sample))
        return 99 if drawn == odd else table[tuple(sorted(drawn))]

    law = sampling_distribution(statistic, Var(range(4), probs), n)
    want = Counter()
    for sample in itertools.product(range(4), repeat=n):
        want[statistic(sample)] += math.prod(probs[a] for a in sample)
    assert law.to_dict() == want


@pytest.mark.parametrize("sample", [[3, 1, 2, 2], [0.5, -1.0, 0.25, 0.5]])
def test_what_is_known_to_be_blind_to_order_is(sample):
    known = [max, min, sum, len, set, any, all, math.fsum, math.prod, np.mean, np.var, np.std, np.median, np.ptp]
    known += [statistics.mean, statistics.median, statistics.variance, statistics.stdev, partial(np.var, ddof=1)]
    for f in known:
        assert is_blind_to_order(f)
        results = [f(list(order)) for order in itertools.permutations(sample)]
        assert all(r == results[0] or math.isclose(r, results[0], rel_tol=1e-15) for r in results)
    ordered = [
        statistics.mode,
        np.argmax,
        np.argmin,
        np.subtract.reduce,
        np.cumsum,
        lambda s: max(s),
        tuple,
        list,
        next,
    ]
    assert not any(map(is_blind_to_order, ordered))


class Impostor:
    __module__, __name__ = "numpy", "mean"

    def __call__(self, sample):
        return sample[0]


def test_a_name_is_not_enough():
    assert not is_blind_to_order(Impostor())


def test_calls_are_no_more_than_the_samples_and_a_few():
    for symmetric, samples in ((None, 36), (True, 21), (False, 36)):
        calls = []
        sampling_distribution(lambda s, calls=calls: calls.append(1) or max(s), uniform(1, 7), 2, symmetric)
        assert samples <= len(calls) <= samples + 80


@pytest.mark.parametrize("sample", ["raise", "drop"])
def test_random_and_stateful_statistics_are_refused(sample):
    state = itertools.count()
    for statistic in (lambda s: random.random(), lambda s: next(state), lambda s: Var([random.random()], [1])):
        with pytest.raises(RandvarError, match="not a function of its sample"):
            sampling_distribution(statistic, uniform(1, 7), 2, undefined=sample)
    halves = uniform(1, 7) / 2
    hashed = sampling_distribution(lambda s: zlib.crc32(repr(list(map(float, s))).encode()), halves, 2)
    assert len(hashed) == 36


def test_samples_without_replacement_are_held_to_the_same():
    assert without_replacement(range(1, 8), 3, lambda u: u[1], exact=True).prob(4) == Fraction(1, 7)
    mean = without_replacement([0.1, 0.2, -0.3, 0.7], 3, lambda s: sum(s) / 3, symmetric=True)
    assert expect(mean) == pytest.approx(0.7 / 4, rel=1e-12)
    repeats = without_replacement([1, 1, 2, 3], 2, lambda u: u[0] - u[1], exact=True)
    want = Counter(a - b for a, b in itertools.permutations([1, 1, 2, 3], 2))
    assert repeats.to_dict() == {v: Fraction(c, 12) for v, c in want.items()}
    for statistic in (lambda s: 1e10 + s[0], lambda s: coin(0.5 + s[0] / 10), lambda s: (1e13, s[0])):
        with pytest.raises(RandvarError, match="depends on the order"):
            without_replacement([1, 2, 3, 4], 2, statistic, symmetric=True)
        without_replacement([1, 2, 3, 4], 2, statistic)
    with settings(max_atoms=1000), pytest.raises(SupportTooLarge, match="say symmetric=True"):
        without_replacement(range(12), 4, lambda u: max(u))


def test_a_coverage_takes_what_a_statistic_takes():
    x = uniform(0, 5)
    ours = coverage(lambda s: (min(s), max(s)), x, 4, 2, symmetric=True)
    assert ours == pytest.approx(coverage(lambda s: (min(s), max(s)), x, 4, 2), rel=1e-12)
    with pytest.raises(RandvarError, match="the order of the draws matters"):
        coverage(lambda s: (s[0], s[0] + 1), x, 4, 2, symmetric=True)
    slack = coverage(lambda s: (sum(s) / 10 - 0.1, 1e15), bernoulli(0.3), 10, symmetric=True)
    assert slack == pytest.approx(0.84973, abs=1e-5)


def test_too_many_orders_of_a_population_are_refused_at_once_and_both_ways_out_work():
    with pytest.raises(SupportTooLarge, match=r"427,518,000 .* symmetric=True, which runs 593,775; .*max_atoms"):
        without_replacement(range(30), 6, lambda u: max(u))
    population = [1, 1, 2, 3, 4]
    orders = len(set(itertools.permutations(population, 3)))
    with settings(max_atoms=orders - 1), pytest.raises(SupportTooLarge, match=rf"{orders} .* which runs (\d+)"):
        without_replacement(population, 3, lambda u: max(u))
    with settings(max_atoms=orders - 1):
        declared = without_replacement(population, 3, lambda u: max(u), symmetric=True)
    with settings(max_atoms=orders):
        run = without_replacement(population, 3, lambda u: max(u))
    assert declared.to_dict() == pytest.approx(run.to_dict())
