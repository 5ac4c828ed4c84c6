"""Any function of n draws: against enumeration, in chunks, through executors, and where it is undefined."""

import itertools
import math
import statistics
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import randvar
from randvar import (
    Joint,
    RandvarError,
    SupportTooLarge,
    UndefinedOutcome,
    Var,
    bernoulli,
    dependent,
    expect,
    from_dict,
    from_weights,
    indep,
    report,
    sampling_distribution,
    softmax,
    uniform,
    variance,
)

die = uniform(1, 7)
DIE = oracle.uniform(range(1, 7))

# (name, function, whether order matters), all exact on integers
STATISTICS = [
    ("largest", lambda v: int(max(v)), True),
    ("range", lambda v: int(max(v) - min(v)), True),
    ("first minus last", lambda v: int(v[0] - v[-1]), False),
    ("how many beat the first", lambda v: int(sum(a > v[0] for a in v)), False),
    ("rising", lambda v: all(a <= b for a, b in itertools.pairwise(v)), False),
    ("sum of squares", lambda v: int(sum(int(a) ** 2 for a in v)), True),
]


def agree(x, law):
    assert x.values.tolist() == sorted(law)
    assert x.probs == pytest.approx([float(law[v]) for v in sorted(law)], rel=1e-13)


@pytest.mark.parametrize(("f", "symmetric"), [s[1:] for s in STATISTICS], ids=[s[0] for s in STATISTICS])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_against_all_tuples(f, symmetric, n):
    """n = 5 has 7776 tuples: past the point where the order is tried instead of enumerated."""
    agree(sampling_distribution(f, die, n), oracle.law_of_draws(f, DIE, n))


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(1, 4))
def test_symmetric_and_ordered_enumeration_agree(weights, n):
    x = from_weights(range(len(weights)), weights)
    laws = [sampling_distribution(lambda v: int(max(v) * sum(v)), x, n, symmetric=s) for s in (True, False, None)]
    exact = oracle.law_of_draws(lambda v: max(v) * sum(v), oracle.law(range(len(weights)), weights), n)
    for law in laws:
        agree(law, exact)


def test_rounding_of_the_statistic_is_merged():
    """The standard deviation of six draws of the eight-outcome policy has 122 values, not one a multiset."""
    policy = softmax(range(8), temperature=3)
    exact = {Fraction(sum(a * a for a in v), 6) - Fraction(sum(v), 6) ** 2 for v in multisets(8, 6)}
    assert len(exact) == 122
    assert len(sampling_distribution(np.std, policy, 6)) == 122
    assert len(sampling_distribution(lambda v: v.std(axis=1), policy, 6, vectorized=True)) == 122


def multisets(k, n):
    return itertools.combinations_with_replacement(range(k), n)


def test_equal_draws_have_variance_zero():
    """0.1 three times has a sample variance of 1.9e-34 in floats: it is 0."""
    x = from_weights([0.1, 0.2, 0.3], [1, 1, 1])
    assert sampling_distribution(lambda v: np.var(v, ddof=1), x, 3).prob(0) == pytest.approx(1 / 9, rel=1e-14)


def test_how_often_it_is_called():
    """Six draws of eight outcomes: 1716 multisets and a few calls to try what was declared, not 262,144."""
    calls = []
    sampling_distribution(lambda v: calls.append(1) or max(v), uniform(0, 8), 6, symmetric=True)
    assert 1716 <= len(calls) < 1716 + 100


def test_exact_laws_stay_exact():
    x = die.rational()
    spread = sampling_distribution(lambda v: sum((a - sum(v) / Fraction(3)) ** 2 for a in v) / 2, x, 3)
    assert expect(spread) == Fraction(35, 12)
    assert isinstance(spread.prob(0), Fraction)


def test_samples_of_a_joint():
    logged = dependent(from_dict({"x": 0.5, "y": 0.5}), lambda a: bernoulli(0.75 if a == "x" else 0.25))
    ratio = {"x": Fraction(8, 5), "y": Fraction(2, 5)}

    def self_normalised(rows):
        return sum(ratio[a] * r for a, r in rows) / sum(ratio[a] for a, _ in rows)

    assert float(expect(sampling_distribution(self_normalised, logged, 3))) == pytest.approx(29 / 48, rel=1e-14)


def test_numeric_joint_is_handed_over_as_an_array():
    pairs = Joint([0, 1], [0.0, 2.0], [[0.25, 0.25], [0.25, 0.25]])
    looped = sampling_distribution(lambda rows: rows[:, 0] @ rows[:, 1], pairs, 3)
    at_once = sampling_distribution(lambda m: (m[:, :, 0] * m[:, :, 1]).sum(axis=1), pairs, 3, vectorized=True)
    assert looped.values.tolist() == at_once.values.tolist() == [0, 2, 4, 6]
    assert looped.probs == pytest.approx(at_once.probs, rel=1e-14)


def test_a_returned_var_is_a_fresh_draw():
    """Majority vote of four with ties broken by a coin: mean -37/125."""
    spin = from_dict({1: Fraction(2, 5), -1: Fraction(3, 5)})
    coin = from_dict({1: Fraction(1, 2), -1: Fraction(1, 2)})
    vote = sampling_distribution(lambda v: coin if sum(v) == 0 else (1 if sum(v) > 0 else -1), spin, 4)
    assert expect(vote) == Fraction(-37, 125)


def ratio_of_draws(v):
    return float(v[0]) / float(v[1])


def largest(v):
    return int(max(v))


def test_undefined_samples_are_counted():
    x = uniform(0, 3)
    with pytest.raises(UndefinedOutcome, match=r"probability 0\.333333.*ZeroDivisionError"):
        sampling_distribution(ratio_of_draws, x, 2)
    kept = sampling_distribution(ratio_of_draws, x, 2, undefined="drop")
    assert kept.lost_mass == pytest.approx(1 / 3)
    assert kept.values.tolist() == [0, 0.5, 1, 2]
    assert kept.probs == pytest.approx([2 / 6, 1 / 6, 2 / 6, 1 / 6])
    assert "given that it is defined (probability 0.667)" in repr(kept)


@pytest.mark.parametrize(
    ("statistic", "n"),
    [(lambda v: np.var(v, ddof=1), 1), (max, 0), (statistics.stdev, 1), (lambda v: math.log(v[0] - 1), 2)],
)
def test_undefined_statistics_are_refused(statistic, n):
    with pytest.raises(UndefinedOutcome, match="undefined with probability"):
        sampling_distribution(statistic, die, n)


def test_a_statistic_with_a_bug_says_on_which_sample():
    with pytest.raises(UndefinedOutcome, match=r"KeyError.*sample \(1, 1\)"):
        sampling_distribution(lambda v: {}[int(v[0])], die, 2)


def test_refused_before_it_starts():
    calls = []
    with pytest.raises(SupportTooLarge) as refusal:
        sampling_distribution(calls.append, uniform(0, 100), 10, symmetric=True)
    assert refusal.value.size == math.comb(109, 10)
    assert not calls


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executors_give_the_same_law(pool, symmetric):
    alone = sampling_distribution(largest, die, 6, symmetric=symmetric)
    with pool(max_workers=2) as executor:
        shared_out = sampling_distribution(largest, die, 6, symmetric=symmetric, executor=executor)
    assert shared_out.values.tolist() == alone.values.tolist()
    assert shared_out.probs.tolist() == alone.probs.tolist()


@pytest.mark.filterwarnings("default")
def test_a_dask_cluster_gives_the_same_law():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        spread = sampling_distribution(largest, die, 6, symmetric=True, executor=client.get_executor())
    assert spread.probs.tolist() == sampling_distribution(largest, die, 6, symmetric=True).probs.tolist()


def test_an_error_in_a_worker_comes_home():
    with ThreadPoolExecutor(1) as executor, pytest.raises(UndefinedOutcome, match="probability"):
        sampling_distribution(ratio_of_draws, uniform(0, 3), 2, executor=executor)


def test_progress_is_reported(capsys):
    with randvar.settings(progress=True):
        sampling_distribution(largest, die, 3)
    assert "sampling_distribution" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((3, die, 2), TypeError, "3"),
        ((max, [1, 2], 2), TypeError, r"\[1, 2\]"),
        ((max, die, 2.5), TypeError, "2.5"),
        ((max, die, -1), RandvarError, "-1"),
        ((lambda v: list(v), die, 2), TypeError, "tuple"),
        ((lambda v: v, die, 2), TypeError, "tuple"),
    ],
)
def test_bad_arguments(arguments, error, says):
    with pytest.raises(error, match=says):
        sampling_distribution(*arguments)


@pytest.mark.parametrize("arguments", [(die, 2, max), (die, max, 2), (indep(die, die), 2, max)])
def test_the_function_comes_first(arguments):
    with pytest.raises(TypeError, match=r"how many draws: sampling_distribution\(statistic, x, n\)"):
        sampling_distribution(*arguments)


def test_vectorized_statistic_of_the_wrong_shape():
    with pytest.raises(UndefinedOutcome, match=r"\(1,\); got \(2,\)"):
        sampling_distribution(lambda m: m.mean(axis=0), die, 2, symmetric=True, vectorized=True)


def test_the_sample_variance_is_unbiased():
    for n in (2, 3, 7):
        law = sampling_distribution(lambda m: m.var(axis=1, ddof=1), die, n, vectorized=True)
        assert expect(law) == pytest.approx(35 / 12, rel=1e-13)
        fourth = float(oracle.mean(DIE, lambda a: (a - Fraction(7, 2)) ** 4))
        textbook = (fourth - (n - 3) / (n - 1) * (35 / 12) ** 2) / n
        assert variance(law) == pytest.approx(textbook, rel=1e-12)


def test_floats_in_a_symbolic_law_prove_nothing():
    """np.var divides ints by ints: its floats are rounded, and a rounding must not be reported as a proved bias."""
    sympy = pytest.importorskip("sympy")
    p = sympy.Symbol("p", positive=True)
    spread = sampling_distribution(lambda v: np.var(v, ddof=1), bernoulli(p), 4)
    with pytest.raises(RandvarError, match="is a float in a law with symbols"):
        report(spread, p * (1 - p))
    with pytest.raises(RandvarError, match=r"0\.3 is a float"):
        report(bernoulli(p), 0.3)


def test_a_statistic_that_returns_a_pair_of_floats_may_be_declared_symmetric():
    """1287 multisets are within this budget, 6^8 ordered samples are not."""
    with randvar.settings(max_atoms=1287):
        pair = sampling_distribution(lambda v: (np.mean(v), np.std(v)), uniform(1, 7), 8, symmetric=True)
    assert pair.prob(lambda mean_and_std: mean_and_std[1] == 0) == pytest.approx(6 / 6**8, rel=1e-12)


def test_a_logarithm_of_zero_hides_no_division_by_zero():
    """log(0) is -inf and passes; 1/0 in the same call is undefined, one sample at a time and many at once."""

    def one(sample):
        return max(np.log(sample[0]), 1 / sample[1])

    def many(samples):
        return np.maximum(np.log(samples[:, 0]), 1 / samples[:, 1])

    law = Var([0.0, 1.0], [0.5, 0.5])
    for statistic, vectorized in ((one, False), (many, True)):
        with pytest.raises(UndefinedOutcome, match="divide by zero"):
            sampling_distribution(statistic, law, 2, vectorized=vectorized)
        kept = sampling_distribution(statistic, law, 2, undefined="drop", vectorized=vectorized)
        assert kept.to_dict() == {1.0: 1.0}
        assert kept.lost_mass == 0.5


def test_a_statistic_is_called_once_on_its_own_sample():
    def halved(samples):
        samples *= 2
        return np.log(samples).max(axis=1)

    law = Var([0.0, 1.0], [0.5, 0.5])
    found = sampling_distribution(halved, law, 2, vectorized=True, symmetric=True)
    assert found.values.tolist() == [-math.inf, math.log(2)]


@pytest.mark.parametrize("exact", [False, True])
def test_nan_in_an_array_of_objects_is_dropped_too(exact):
    def firsts(samples):
        return np.array([math.nan if row[0] == 0 else row[0] for row in samples], dtype=object)

    law = uniform(0, 3).rational() if exact else uniform(0, 3)
    with pytest.raises(UndefinedOutcome, match=r"undefined with probability .*: NaN on the sample"):
        sampling_distribution(firsts, law, 2, vectorized=True)
    for statistic, values in ((firsts, [1, 2]), (lambda samples: 1 / samples[:, 0], [0.5, 1])):
        kept = sampling_distribution(statistic, law, 2, undefined="drop", vectorized=True)
        assert kept.values.tolist() == values
        assert kept.lost_mass == pytest.approx(1 / 3)


def test_a_tuple_with_nan_in_it_is_undefined():
    def pair(sample):
        return (math.nan if sample[0] == 0 else 1, 1)

    for law in (uniform(0, 3), uniform(0, 3).rational()):
        with pytest.raises(UndefinedOutcome, match=r"undefined with probability .*: NaN on the sample"):
            sampling_distribution(pair, law, 2)
        assert sampling_distribution(pair, law, 2, undefined="drop").values.tolist() == [(1, 1)]
