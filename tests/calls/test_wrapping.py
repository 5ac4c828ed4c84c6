"""Numbers past 2^63: numpy's integers wrap around without a word, and no law may be made of what is left then."""

import itertools
import math
import zlib
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from randvar import *
from randvar.calls.wrapping import differ

die = uniform(1, 7)
three = Var([1, 3, 6], [0.2, 0.3, 0.5])
large = Var([1, 2**40], [0.5, 0.5])
larger = Var([2**61, 2**62], [0.5, 0.5])
pair = indep(die, Var([1, 3], [0.5, 0.5]))

STATISTICS = {
    "np.prod": (np.prod, three, 30),
    "math.prod of numpy's integers": (math.prod, three, 30),
    "np.cumprod": (lambda a: np.cumprod(a)[-1], three, 30),
    "np.sum": (np.sum, larger, 4),
    "sum": (sum, larger, 4),
    "a * b": (lambda a: a[0] * a[1], large, 2),
    "a power": (lambda a: (np.asarray(a) ** 25).max(), die, 3),
    "a shift": (lambda a: np.left_shift(a, 62).max(), die, 3),
    "a @ a": (lambda a: a @ a, large, 3),
    "a mean of powers": (lambda a: (np.asarray(a) ** 25).mean(), die, 3),
    "a comparison": (lambda a: bool(np.prod(a) > 0), large, 3),
    "a tuple": (lambda a: (int(a.min()), np.prod(a)), large, 3),
    "between two small ends": (lambda a: np.prod(2 ** (a * (6 - a))), uniform(0, 7), 9),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_a_statistic_that_would_wrap_around_is_computed_in_pythons_integers(name):
    statistic, x, n = STATISTICS[name]
    law = sampling_distribution(statistic, x, n, symmetric=True)
    exact = sampling_distribution(statistic, x.rational(), n, symmetric=True)
    assert law.values.tolist() == exact.values.tolist()
    assert law.probs == pytest.approx(exact.probs.astype(float))


def test_a_vectorized_statistic_and_one_of_rows_are_too():
    whole = sampling_distribution(lambda a: a.prod(axis=1), three, 25, symmetric=True, vectorized=True)
    assert whole.values[-1] == 6**25
    rows = sampling_distribution(lambda a: a.prod(), pair, 6, symmetric=True)
    assert rows.values[-1] == 18**6
    rows = sampling_distribution(lambda a: a.prod() ** 3, pair, 6, symmetric=True)
    assert rows.values[-1] == 18**18 > 2**63


@pytest.mark.parametrize(
    ("statistic", "n"),
    [
        (lambda a: np.prod(np.asarray(a, dtype=np.int64)), 25),  # floats wrap as well, and objects
        (lambda a: np.prod(np.arange(7)[a]), 25),  # takes neither floats nor objects
    ],
)
def test_what_no_other_numbers_can_check_is_refused_beyond_2_to_the_53(statistic, n):
    with pytest.raises(UndefinedOutcome, match="may have wrapped around on the sample"):
        sampling_distribution(statistic, three, n, symmetric=True)


def test_statistics_of_integers_stay_as_they_are():
    """Not taken for wrapped: integers that index, cancel, divide down or are large from the start."""
    assert sampling_distribution(lambda a: np.bincount(a).max(), die, 3).values.tolist() == [1, 2, 3]
    near = Var([10**9, 10**9 + 1], [0.5, 0.5])
    assert sampling_distribution(lambda a: a[0] ** 2 - a[1] ** 2, near, 2).values.tolist() == [
        -(2 * 10**9 + 1),
        0,
        2 * 10**9 + 1,
    ]
    assert sampling_distribution(max, larger, 2).values.tolist() == [2**61, 2**62]
    assert sampling_distribution(np.median, die, 3).values.dtype.kind == "f"
    seen = []
    sampling_distribution(lambda a: seen.append(a.dtype.kind) or a.sum(), die, 8, symmetric=True)
    assert seen.count("i") > 1200


six = constant(6).rational()
halves = [Fraction(1, 2)] * 2
ends = [-(2**62) - 2**61, 2**62 + 1]

OF_EXACT_LAWS = {
    "np.prod of a list": (lambda s: np.prod(list(s)), six, 25),
    "prod of an array": (lambda s: np.array(list(s)).prod(), six, 25),
    "1 / np.prod": (lambda s: 1 / np.prod(list(s)), six, 25),
    "a cast": (lambda s: s.astype(int).prod(), six, 25),
    "a cast to 0": (lambda s: int(s.astype(int).prod()), six, 64),
    "a cast of floats to 0": (lambda s: s.astype(np.int64).prod(), constant(6.0).rational(), 64),
    "a cast to 0 in floats": (lambda s: s.astype(int).prod(), constant(6).to_float(), 64),
    "np.power": (lambda s: np.power(s[0], 3), Var([3, 3 * 10**6], halves), 2),
    "np.square": (lambda s: np.square(np.sum(s) * 1000), Var([3, 3 * 10**9], halves), 2),
    "np.left_shift": (lambda s: np.left_shift(s[0], 62), Var([1, 5], halves), 2),
    "np.ptp": (np.ptp, Var(ends, halves), 2),
    "np.ptp in floats": (np.ptp, Var(ends, [0.5, 0.5]), 2),
    "parts of tuples": (lambda s: np.prod([v[1] for v in s]), Var([(1, 2), (3, 4 * 10**9)], [0.5, 0.5]), 3),
    "a probability": (lambda s: bernoulli(Fraction(1, 1 + abs(int(np.prod(list(s)))))), Var([6, 7], halves), 25),
}


@pytest.mark.parametrize("name", OF_EXACT_LAWS)
def test_what_numpy_makes_of_pythons_integers_is_refused(name):
    statistic, x, n = OF_EXACT_LAWS[name]
    with pytest.raises(UndefinedOutcome, match="may have wrapped around on the sample"):
        sampling_distribution(statistic, x, n, symmetric=True)


def test_an_exact_law_keeps_what_floats_cannot_follow():
    """Integers that cancel, index or are beyond the floats: right in Python, and not refused."""
    apart = Var([10**12, 10**12 + 1], halves)
    for x in (apart, apart.to_float()):
        law = sampling_distribution(lambda s: s[0] ** 2 - s[1] ** 2, x, 2)
        assert law.values.tolist() == [-(2 * 10**12 + 1), 0, 2 * 10**12 + 1]
    assert sampling_distribution(lambda s: math.comb(s[0], 30), Var([70, 80], halves), 2).values.tolist() == [
        math.comb(70, 30),
        math.comb(80, 30),
    ]
    assert sampling_distribution(np.prod, six, 500).values.tolist() == [6**500]
    assert sampling_distribution(lambda s: f"{s[0]:d}", Var([1, 2], halves), 2).values.tolist() == ["1", "2"]
    assert sampling_distribution(lambda s: {1: 2**60, 2: 2**61}[s[0]], Var([1, 2], halves), 2).values[-1] == 2**61


def test_integers_beside_floats_are_not_rounded():
    rows = Joint([2**53 + 1, 2**53 + 3], [0.5, 1.5], [[0.25, 0.25], [0.25, 0.25]])
    whole = sampling_distribution(lambda m: m[:, 0, 0], rows, 2, vectorized=True)
    for law in (whole, sampling_distribution(lambda s: s[0][0], rows, 2)):
        assert law.values.tolist() == [2**53 + 1, 2**53 + 3]


OUTCOMES = {
    "np.int64(a) ** 30": lambda a: np.int64(a) ** 30,
    "np.power": lambda a: np.power(a, 30),
    "np.multiply": lambda a: np.multiply(a, 2**62),
    "np.square to 0": lambda a: np.square(a * 2**40),
    "divided": lambda a: np.square(a * 2**40) / 3,
    "compared": lambda a: np.square(a * 2**40) > 0,
    "np.left_shift": lambda a: np.left_shift(1, 20 * a),
    "np.prod of a list": lambda a: np.prod([a] * 30),
    "in a tuple": lambda a: (a, np.prod([a] * 30)),
    "turned over": lambda a: 1 / np.prod([a] * 30),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_function_of_an_outcome_that_wraps_around_is_refused(name):
    f = OUTCOMES[name]
    for attempt in (
        lambda: die.op(f),
        lambda: die.prob(f),
        lambda: shared(die).combine(lambda a, b: f(a)).values,
        lambda: shared(die).op(f, f).add(),
        lambda: die.vector(lambda a: (f(a), 1)),
        lambda: without_replacement([1, 3, 6], 1, lambda sample: f(sample[0])),
    ):
        with pytest.raises(UndefinedOutcome, match="may have wrapped around"):
            attempt()


def test_python_integers_and_floats_are_as_good_as_ever():
    assert die.op(lambda a: a**100).values[-1] == 6**100
    assert die.op(lambda a: np.float64(a) ** 30).values[-1] == pytest.approx(6.0**30)
    assert die.op(lambda a: np.int64(a) ** 20).values[-1] == 6**20  # < 2^53
    assert larger.op(np.int64).values.tolist() == [2**61, 2**62]
    assert die.op(lambda a: np.arange(9)[a]).values.tolist() == [1, 2, 3, 4, 5, 6]
    calls = []
    die.op(lambda a: calls.append(a) or a**30)
    assert calls == [1, 2, 3, 4, 5, 6, 1]  # the first again, as of every function


UFUNCS = {
    np.add: lambda a, b: a + b,
    np.subtract: lambda a, b: a - b,
    np.multiply: lambda a, b: a * b,
    np.power: lambda a, b: a**b,
    np.left_shift: lambda a, b: a << b,
    np.right_shift: lambda a, b: a >> b,
    np.bitwise_xor: lambda a, b: a ^ b,
    np.lcm: math.lcm,
    np.gcd: math.gcd,
    np.floor_divide: lambda a, b: a // b,
    np.remainder: lambda a, b: a % b,
    np.fmod: lambda a, b: int(math.copysign(abs(a) % abs(b), a)),
    np.maximum: max,
}


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
@pytest.mark.parametrize("a", [3, -5, 2**40, 2**62, 2**63 - 1])
@pytest.mark.parametrize("b", [1, 7, 61, 2**10])
def test_ufuncs_are_those_of_pythons_integers(ufunc, a, b):
    wanted = UFUNCS[ufunc](a, b)
    x, y = Var([a, 0 if a != 0 else 1], [0.5, 0.5]), Var([b, 1], [0.5, 0.5])
    assert indep(x, y).combine(ufunc).prob(wanted) >= 0.25
    assert wanted in ufunc(x, b).to_dict()
    assert wanted in ufunc(a, y).to_dict()


def test_integers_that_numpy_divides_by_0_are_undefined():
    zero = Var([0, 1], [0.5, 0.5])
    for ufunc in (np.floor_divide, np.remainder, np.fmod):
        with pytest.raises(UndefinedOutcome, match="ZeroDivisionError"):
            indep(die, zero).combine(ufunc)
    assert indep(die, Var([-1], [1])).combine(np.power).values[0] == 1 / 6
    of_vectors = getattr(np, "vecdot", np.matmul)  # numpy 1 has matmul alone
    with pytest.raises(TypeError, match=of_vectors.__name__):
        indep(die, die).combine(of_vectors)


@pytest.mark.parametrize(
    ("a", "b", "different"),
    [
        (10**400, math.inf, False),
        (10**400, 1.0, True),
        (10**400, 10**401, True),
        (Fraction(1, 2), 0.25, True),
        (np.float64(0.1) * 3, 0.3, False),
        (None, 1.0, False),
        ([1], [2], False),
    ],
)
def test_when_two_results_differ(a, b, different):
    assert differ(a, b) is different


def test_a_law_of_integers_that_python_does_not_write_shows_itself():
    law = Var([10**5000, Fraction(1, 10**5000)], [0.25, 0.75]).op(lambda a: (a, 1))
    for shown in (repr(law), law._repr_html_(), repr((10**400) ** total(die, 12)), repr(law.op(lambda a: a[0]))):
        assert "(thousands of digits)" in shown


def test_a_moment_of_a_product_beyond_the_floats_is_refused():
    x = product_of_draws(Var([1e10, 2e10], [0.5, 0.5]), 100)
    for f in (expect, variance, skewness):
        with pytest.raises(UndefinedOutcome, match="range of floats"):
            f(x)


def test_a_masked_number_is_no_zero():
    for attempt in (lambda: die.op(lambda a: np.ma.masked), lambda: Var([np.ma.masked, 1], [0.5, 0.5])):
        with pytest.raises(RandvarError, match="NaN"):
            attempt()
    with pytest.raises(UndefinedOutcome):
        sampling_distribution(lambda sample: np.ma.masked, die, 2)


def test_a_sum_of_integers_beyond_the_machine_is_exact_or_refused():
    x = Var([0, 1, 2**70], [0.5, 0.25, 0.25])
    assert variance(total(x, 2)) == pytest.approx(2 * float(2**140) * 3 / 16, rel=1e-9)
    for law in (total(x, 2), monte_carlo(x, 2), indep(x, x).sub()):
        with pytest.raises(RandvarError, match=r"would round \d+; x.rational\(\)"):
            law.values
    assert total(x.rational(), 2).prob(2**70 + 1) == 0.125
    assert len(total(x.op(float), 2)) == 5


HASHES = {
    "the bytes": lambda s: zlib.crc32(s.tobytes()),
    "large": lambda s: zlib.crc32(s.tobytes()) * 2**30,
    "sorted": lambda s: zlib.crc32(np.sort(s).tobytes()),
}


@pytest.mark.parametrize("name", HASHES)
def test_a_hash_of_the_bytes_is_a_function(name):
    law = sampling_distribution(HASHES[name], die, 3)
    samples = itertools.product(range(1, 7), repeat=3)
    want = Counter(HASHES[name](np.array(s, dtype=np.int64)) for s in samples)
    assert {v: round(p * 216) for v, p in law.to_dict().items()} == dict(want)


def test_a_hash_does_not_hide_what_wraps_around():
    def mixed(s):
        return zlib.crc32(s.tobytes()) + np.prod(s) ** 20

    law = sampling_distribution(mixed, uniform(6, 8), 2)
    want = {zlib.crc32(np.array([a, b]).tobytes()) + (a * b) ** 20 for a in (6, 7) for b in (6, 7)}
    assert set(law.values.tolist()) == want
    with pytest.raises(UndefinedOutcome, match="may have wrapped around"):
        sampling_distribution(lambda s: zlib.crc32(s.tobytes()) - np.array(s, int).prod() ** 20, uniform(6, 8), 3)
