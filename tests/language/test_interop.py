"""Laws among other libraries: data and distributions come in, laws go out, and what has no meaning is refused."""

import copy
import decimal
import functools
import json
import math
import operator
import pickle
import random
import statistics
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sympy
from scipy import stats

from randvar import *
from randvar.rollouts import TokenPolicy

x = Var([1, 2, 3], [0.2, 0.3, 0.5])
die = uniform(1, 7)
pair = Joint([0, 1], ["a", "b"], [[0.1, 0.2], [0.3, 0.4]])
words = Var(["a", "b"], [0.25, 0.75])

# -- pandas: in --------------------------------------------------------------------------------------------------------

SERIES = {
    "ints": ([1, 2, 2, 5], None),
    "floats": ([0.5, 1.5, 0.5], None),
    "words": (["a", "b", "a"], None),
    "categories": (["a", "b", "a"], "category"),
    "booleans": ([True, False, True], None),
    "nullable ints": ([1, 2, 2], "Int64"),
    "strings": (["a", "b"], "string"),
}


@pytest.mark.parametrize(("data", "dtype"), SERIES.values(), ids=SERIES)
def test_a_series_is_the_list_of_its_values(data, dtype):
    series = pd.Series(data, dtype=dtype, index=range(10, 10 + len(data)))
    assert_same_law(empirical(series), empirical(data))
    assert all(type(value) is type(data[0]) for value in empirical(series).values.tolist())


@pytest.mark.parametrize("data", [[1, None], ["a", None], [1.0, math.nan]])
@pytest.mark.parametrize("dtype", [None, "object"])
def test_a_missing_value_is_refused(data, dtype):
    """None among the values of a Series is a missing value, as pandas reads it; in a list it is an outcome."""
    with pytest.raises(InvalidLaw, match="dropna"):
        empirical(pd.Series(data, dtype=dtype))
    with pytest.raises(InvalidLaw, match=r"'y'.*dropna"):
        empirical(pd.DataFrame({"x": [1, 2], "y": pd.Series(data, dtype=dtype)}))


def test_shares_of_a_series_are_a_law():
    series = pd.Series([1, 2, 2, 5])
    assert_same_law(from_dict(series.value_counts(normalize=True)), empirical(series))
    assert_same_law(from_weights(series.value_counts().index, series.value_counts()), empirical(series))


def test_shares_of_two_columns_are_a_law_of_pairs():
    frame = pd.DataFrame({"x": [0, 0, 1, 1], "y": [5, 5, 5, 7]})
    law = from_dict(frame.value_counts(normalize=True))
    assert law.to_dict() == {(0, 5): 0.5, (1, 5): 0.25, (1, 7): 0.25}
    with pytest.raises(TypeError, match="from_dict takes a mapping"):
        from_dict(frame)


def test_rows_of_a_frame_are_outcomes_of_a_joint():
    frame = pd.DataFrame({"x": [0, 0, 1, 1, 0], "y": ["a", "b", "b", "b", "a"]}, index=[9, 8, 7, 6, 5])
    j = empirical(frame)
    assert j.dim == 2
    counts = dict.fromkeys(frame.itertuples(index=False, name=None), 0)
    for row in frame.itertuples(index=False, name=None):
        counts[row] += 1
    assert {row: j.prob(row) for row in counts} == {row: count / 5 for row, count in counts.items()}
    assert len(j) == len(counts)
    assert_same_law(empirical(frame[["x"]])[0], empirical(frame["x"]))


def test_covariance_of_a_frame_is_that_of_its_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.integers(0, 5, 50), "y": rng.integers(0, 3, 50), "z": rng.integers(0, 2, 50)})
    np.testing.assert_allclose(cov_matrix(empirical(frame)), frame.cov(ddof=0).to_numpy(), rtol=1e-12)


def test_equal_numbers_are_counted_without_rounding():
    assert empirical(pd.DataFrame({"x": [0.1] * 3 + [0.2] * 7})).weights.tolist() == [0.3, 0.7]


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(), pd.DataFrame({"x": []}), pd.DataFrame([[1, 2]], columns=["x", "x"])], ids=str
)
def test_a_frame_without_a_law_is_refused(frame):
    with pytest.raises(InvalidLaw):
        empirical(frame)


# -- pandas: out -------------------------------------------------------------------------------------------------------


def test_a_law_is_a_series_over_its_outcomes():
    series = x.to_pandas("face")
    assert (series.name, series.index.name) == ("probability", "face")
    assert series.to_dict() == x.to_dict()
    assert series.dtype == float
    assert_same_law(from_dict(series), x)
    assert_same_law(from_dict(words.to_pandas()), words)


def test_fractions_stay_fractions():
    series = die.rational().to_pandas()
    assert series.tolist() == [Fraction(1, 6)] * 6
    assert from_dict(series).kind == "rational"


def test_tuples_stay_outcomes():
    x = Var([(1, 2), (3, 4)], [0.5, 0.5])
    assert not isinstance(x.to_pandas().index, pd.MultiIndex)
    assert_same_law(from_dict(x.to_pandas()), x)


def test_a_joint_is_a_series_over_its_rows():
    series = pair.to_pandas("reward", "letter")
    assert series.index.names == ["reward", "letter"]
    assert series[(1, "b")] == pair.prob((1, "b"))
    assert series.unstack().to_numpy().tolist() == pair.table.tolist()
    assert series.reset_index().columns.tolist() == ["reward", "letter", "probability"]
    assert series.groupby("letter").sum().to_dict() == pytest.approx(pair[1].to_dict())
    one = Joint([0, 1], [0.5, 0.5]).to_pandas()
    assert one.index.nlevels == 1
    assert one[0] == 0.5


def test_impossible_rows_are_left_out():
    assert len(shared(x).to_pandas()) == 3


def test_names_are_as_many_as_coordinates():
    with pytest.raises(TypeError, match="2 coordinates"):
        pair.to_pandas("reward")


def test_without_pandas_the_way_out_is_named():
    program = """
import sys
sys.modules["pandas"] = None  # as if it were not there
from randvar import *
for law in (uniform(1, 7), shared(uniform(1, 7))):
    try:
        law.to_pandas()
    except ModuleNotFoundError as refusal:
        print(refusal)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.count("pip install pandas") == 2


# -- scipy -------------------------------------------------------------------------------------------------------------

DISTRIBUTIONS = {
    "binom": stats.binom(10, 0.3),
    "shifted": stats.binom(10, 0.3, loc=-4),
    "shifted by a half": stats.poisson(3, loc=0.5),
    "geom": stats.geom(0.25),
    "skellam": stats.skellam(2, 3),
    "hypergeom": stats.hypergeom(20, 7, 12),
    "of a table": stats.rv_discrete(values=([-1, 0, 7], [0.25, 0.5, 0.25])),
    "of a table, frozen": stats.rv_discrete(values=([-1, 0, 7], [0.25, 0.5, 0.25]))(),
    "of a table on halves": stats.rv_discrete(values=([0.5, 1.5], [0.25, 0.75])),
}


@pytest.mark.parametrize("frozen", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_moments_of_a_scipy_law(frozen):
    law = from_scipy(frozen)
    assert expect(law) == pytest.approx(frozen.mean(), rel=1e-9)
    assert variance(law) == pytest.approx(frozen.var(), rel=1e-9)
    assert law.prob(law.values[0]) == pytest.approx(frozen.pmf(law.values[0]))


def test_a_table_with_outcomes_between_the_integers_is_refused():
    """Its pmf is read at 0 and 1: half of the mass would be lost, and the rest scaled up, without a word."""
    with pytest.raises(RandvarError, match=r"sums to 0\.5.*Var\(values, probs\)"):
        from_scipy(stats.rv_discrete(values=([0, 0.5, 1], [0.25, 0.5, 0.25])))


def test_a_tail_too_heavy_to_list_is_refused():
    with pytest.raises(SupportTooLarge, match="lost="):
        from_scipy(stats.zipf(1.2))
    assert len(from_scipy(stats.zipf(4.0), lost=1e-9)) < 2000


@pytest.mark.parametrize(
    "given",
    [stats.norm(), stats.rv_histogram(np.histogram([1, 2, 3])), stats.poisson, stats.multinomial(3, [0.5, 0.5]),
     stats.binom([3, 4], 0.5), stats.randint([1, 2], 5), 3, "poisson"],
    ids=lambda given: type(given).__name__,
)  # fmt: skip
def test_what_is_not_one_discrete_law_is_refused(given):
    with pytest.raises(TypeError, match="from_scipy takes"):
        from_scipy(given)


@pytest.mark.parametrize("law", [x, die.rational(), binomial(5, 0.25) - 3, bernoulli(0.25)], ids=str)
def test_to_scipy_and_back(law):
    frozen = law.to_scipy()
    assert frozen.mean() == pytest.approx(float(expect(law)))
    assert_same_law(from_scipy(frozen), law.to_float())


@pytest.mark.parametrize(
    "law",
    [words, x / 2, Var([1, math.inf], [0.5, 0.5]), Var([-math.inf, 0], [0.5, 0.5]), Var([1e300, 0], [0.5, 0.5])],
    ids=str,
)
def test_what_scipy_cannot_hold_is_refused(law):
    with pytest.raises(TypeError, match="integer outcomes"):
        law.to_scipy()


# -- numpy -------------------------------------------------------------------------------------------------------------

SAMPLE_FUNCTIONS = [np.mean, np.var, np.median, np.sort, np.max, np.cumsum, np.unique, np.linalg.norm, np.atleast_1d]


@pytest.mark.parametrize("f", SAMPLE_FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("law", [x, words, pair], ids=["numbers", "words", "pair"])
def test_functions_of_samples_refuse_a_law(f, law):
    with pytest.raises(TypeError, match="expect"):
        f(law)


@pytest.mark.parametrize("f", [np.asarray, np.array, np.exp, lambda j: np.add(j, 1), lambda j: np.ones(2) * j])
def test_a_joint_is_no_array(f):
    with pytest.raises(TypeError, match=r"expect\(j\)|j\.op"):
        f(pair)


def test_an_array_of_laws_holds_them():
    laws = np.array([x, die])
    assert laws.dtype == object
    assert laws.shape == (2,)
    assert laws[0] is x
    assert np.asarray(x).item() is x


def test_a_sampler_of_another_library_draws_from_a_law():
    assert set(random.choices(x.values, x.probs, k=50)) <= {1, 2, 3}
    assert set(random.choices(words.values, words.probs, k=50)) <= {"a", "b"}
    assert set(np.random.default_rng(0).choice(x.values, p=x.probs, size=50)) <= {1, 2, 3}
    exact = die.rational().to_float()
    assert set(np.random.default_rng(0).choice(exact.values, p=exact.probs, size=50)) <= set(range(1, 7))


# -- Python ------------------------------------------------------------------------------------------------------------

NO_NUMBER = [
    float, int, complex, round, math.sqrt, math.floor, math.isnan, math.fsum, statistics.mean, operator.index,
    Fraction, decimal.Decimal, range, bool, list, dict, set, reversed, lambda law: f"{law:.2f}",
    lambda law: sorted([law, law]), lambda law: max(law, law), lambda law: sum([law, law]),
    lambda law: 1 in law, lambda law: [0, 1, 2][law],
]  # fmt: skip


@pytest.mark.parametrize("f", NO_NUMBER, ids=lambda f: f.__name__)
@pytest.mark.parametrize("law", [x, pair], ids=["Var", "Joint"])
def test_a_law_is_no_number_and_no_list(f, law):
    with pytest.raises(TypeError):
        f(law)


def test_a_law_is_text():
    assert f"{x}" == str(x) == repr(x)


def test_a_law_goes_through_json():
    kept = json.loads(json.dumps({"values": x.values.tolist(), "probs": x.probs.tolist()}))
    assert_same_law(Var(**kept), x)
    assert_same_law(from_dict(json.loads(json.dumps(words.to_dict()))), words)


def test_json_makes_words_of_numbers_and_no_mean_is_taken_of_words():
    read = from_dict(json.loads(json.dumps(x.to_dict())))
    assert read.values.tolist() == ["1", "2", "3"]
    with pytest.raises(TypeError, match="number"):
        expect(read)


def test_a_law_is_a_key():
    calls = []

    @functools.cache
    def mean(law):
        calls.append(law)
        return expect(law)

    assert mean(x) == mean(x) == expect(x)
    assert len(calls) == 1
    assert copy.copy(x).to_dict() == x.to_dict()


def test_tables_and_distributions_that_lost_outcomes():
    for outcomes in ([0.5, 1.5, 7], [0.1, 0.1 + 1e-9, 0.3]):
        with pytest.raises(RandvarError, match="outcomes between them"):
            from_scipy(stats.rv_discrete(values=(outcomes, [0.2, 0.3, 0.5]))())
    large = Var([2**53, 2**53 + 1, 2.5], [0.25, 0.25, 0.5])
    assert from_dict(large.to_pandas()).to_dict() == large.to_dict()
    with pytest.raises(InvalidLaw, match="two columns of the table are called 'a'"):
        empirical(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))
    assert Var([Fraction(1), Fraction(5)], [0.5, 0.5]).to_scipy().pmf(5) == 0.5
    with pytest.raises(RandvarError, match="symbols"):
        bernoulli(sympy.Symbol("p", positive=True)).to_scipy()


def test_a_policy_is_pickled():
    policy = pickle.loads(pickle.dumps(TokenPolicy({(): bernoulli(0.25)})))
    assert policy.prob((1,)) == 0.25
