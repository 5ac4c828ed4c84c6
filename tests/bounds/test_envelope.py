"""CDF envelopes against enumeration in Fractions: the truth lies inside, to the last bit."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randvar.bounds.chernoff import IndependentSum
from randvar.bounds.envelope import Envelope, cdf_envelope, rounding_envelope, smoothing_envelope
from randvar.bounds.rounding import _circular_law
from randvar.bounds.smoothing import _factor, _significant, _vaaler
from randvar.errors import InvalidLaw


def enumerate_sum(terms) -> dict[Fraction, Fraction]:
    """The exact law of the sum, draw by draw over every tuple of outcomes."""
    draws = []
    for values, probs, copies in terms:
        total = sum(Fraction(p) for p in probs)
        draws += [[(Fraction(v), Fraction(p) / total) for v, p in zip(values, probs, strict=True)]] * copies
    law: dict[Fraction, Fraction] = defaultdict(Fraction)
    for outcome in itertools.product(*draws):
        law[sum(v for v, _ in outcome)] += math.prod(p for _, p in outcome)
    return law


def assert_contains(envelope: Envelope, law: dict[Fraction, Fraction], points) -> None:
    for t, lower, upper in zip(points, envelope.lower, envelope.upper, strict=True):
        below = sum((p for v, p in law.items() if v < Fraction(t)), Fraction(0))
        at = law.get(Fraction(t), Fraction(0))
        assert Fraction(float(lower)) <= below, (t, lower, float(below))
        assert below + at <= Fraction(float(upper)), (t, upper, float(below + at))


def points_for(law: dict[Fraction, Fraction]) -> list[Fraction | float]:
    """Atoms, exactly and as floats, the floats beside them, points between and beyond."""
    atoms = sorted(law)
    floats = [float(v) for v in atoms if abs(v) < Fraction(1.7e308)]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(atoms)]
    beside = [math.nextafter(v, side) for v in floats for side in (-math.inf, math.inf)]
    beside = [v for v in beside if math.isfinite(v)]
    return [atoms[0] - 1, atoms[-1] + 1, *atoms[:12], *floats[:12], *middles[:12], *beside[:24]]


def check(method, terms, **options) -> Envelope:
    law = enumerate_sum(terms)
    points = points_for(law)
    envelope = method(terms, points, **options)
    assert_contains(envelope, law, points)
    return envelope


METHODS = [
    pytest.param(lambda terms, points: rounding_envelope(terms, points, size=2**10), id="rounding-2^10"),
    pytest.param(lambda terms, points: rounding_envelope(terms, points, size=2**16), id="rounding-2^16"),
    pytest.param(lambda terms, points: smoothing_envelope(terms, points, width=1e-2), id="smoothing-1e-2"),
    pytest.param(lambda terms, points: smoothing_envelope(terms, points, width=1e-5), id="smoothing-1e-5"),
    pytest.param(lambda terms, points: cdf_envelope(terms, points, width=1e-3), id="cdf"),
]
HARD = {
    "one atom": [([5.0], [1.0], 3)],
    "one irrational atom": [([math.pi], [0.3], 7)],
    "one rational atom": [([Fraction(1, 3)], [1], 5)],
    "a coin": [([0, 1], [1, 1], 6)],
    "one draw": [([0.3, -2.5, 7.1], [0.2, 0.5, 0.3], 1)],
    "tenths": [([0.1, 0.2, 0.3], [1, 1, 1], 4)],
    "gaps": [([0, 1, 1000], [0.5, 0.5, 1e-9], 4)],
    "a far rare outcome": [([0, 1], [1, 1e-300], 3)],
    "the rarest outcome": [([0, 1], [1, 5e-324], 3)],
    "offset 1e9": [([1e9, 1e9 + 1, 1e9 + 2], [0.2, 0.3, 0.5], 4)],
    "offset 1e16": [([1e16, 1e16 + 2], [0.5, 0.5], 5)],
    "sixteen decades": [([1e-8, 1.0, 1e8], [1, 1, 1], 4)],
    "six hundred decades": [([1e-300, 1e300], [1, 1], 3)],
    "subnormal values": [([5e-324, 1e-323], [1, 1], 3)],
    "the largest floats": [([1.7e308, -1.7e308], [1, 2], 4)],
    "a huge skew": [([-1e-6, 1.0], [1.0, 1e-6], 5)],
    "almost one value": [([1.0, math.nextafter(1.0, 2)], [0.5, 0.5], 5)],
    "sum to 1 up to rounding": [([0.0, math.e, 1.0], [0.1, 0.2, 0.7], 5)],
    "an outcome of probability 0": [([0.0, 1.0, 99.0], [0.5, 0.5, 0.0], 4)],
    "equal values": [([2.0, 2.0, 3.0], [0.25, 0.25, 0.5], 3)],
    "multiples of pi": [([math.pi * j for j in range(4)], [4, 3, 2, 1], 4)],
    "several groups": [([0.1, 0.7], [1, 3], 2), ([math.pi, -1.0, 0.0], [1, 1, 1], 2), ([1e6], [1], 9)],
}


@pytest.mark.parametrize("terms", HARD.values(), ids=HARD.keys())
@pytest.mark.parametrize("method", METHODS)
def test_hard_laws_are_contained(method, terms):
    check(method, terms)


def laws(max_copies: int):
    """(values, probs, copies): lattices, offsets, any floats; probabilities over hundreds of decades."""
    value = st.one_of(
        st.integers(-3, 3).map(float),
        st.integers(-9, 9).map(lambda k: 0.1 * k),
        st.integers(0, 3).map(lambda k: 1e9 + k),
        st.floats(-10, 10),
        st.floats(allow_nan=False, allow_infinity=False),
    )
    prob = st.one_of(st.just(0.5), st.floats(0.01, 1.0), st.sampled_from([1e-300, 1e-17, 1e-9, 1e-4, 1e4]))
    pairs = st.lists(st.tuples(value, prob), min_size=1, max_size=4)
    return st.tuples(pairs, st.integers(1, max_copies)).map(
        lambda law: ([v for v, _ in law[0]], [p for _, p in law[0]], law[1])
    )


SUMS = st.one_of(st.lists(laws(4), min_size=1, max_size=1), st.lists(laws(2), min_size=2, max_size=2))


@settings(max_examples=80, deadline=None)
@given(SUMS, st.sampled_from([2, 64, 2**10, 2**13]))
def test_rounding_contains_any_small_law(terms, size):
    check(rounding_envelope, terms, size=size)


@settings(max_examples=20, deadline=None)
@given(SUMS, st.sampled_from([10.0, 0.3, 1e-1, 1e-2, 1e-3]))
def test_smoothing_contains_any_small_law(terms, width):
    check(smoothing_envelope, terms, width=width)


def multinomial_law(values, weights, n: int) -> tuple[list[Fraction], list[Fraction]]:
    """Exact atoms and cumulative probabilities of n draws from three values with integer weights."""
    total = sum(weights) ** n
    law: dict[Fraction, int] = defaultdict(int)
    for i in range(n + 1):
        for j in range(n + 1 - i):
            counts = (i, j, n - i - j)
            ways = math.comb(n, i) * math.comb(n - i, j)
            weight = math.prod(w**c for w, c in zip(weights, counts, strict=True))
            law[sum(c * Fraction(v) for c, v in zip(counts, values, strict=True))] += ways * weight
    atoms = sorted(law)
    return atoms, [Fraction(c, total) for c in itertools.accumulate(law[v] for v in atoms)]


@pytest.mark.parametrize("method", [rounding_envelope, smoothing_envelope, cdf_envelope])
def test_many_draws_of_three_irregular_values(method):
    """Tight, too: no wider than the mass that lies within 0.01 of the point, and 1e-4."""
    values, weights, n = [0.0, math.sqrt(2), math.e], [5, 3, 2], 80
    atoms, cumulative = multinomial_law(values, weights, n)
    points = [float(t) for t in np.linspace(40, 120, 161)] + [float(v) for v in atoms[1000:2000:50]]
    envelope = method([(values, weights, n)], points)
    cumulative = [Fraction(0), *cumulative]
    for point, lower, upper in zip(points, envelope.lower, envelope.upper, strict=True):
        t, near = Fraction(point), Fraction(1, 100)
        assert Fraction(float(lower)) <= cumulative[bisect_left(atoms, t)]
        assert cumulative[bisect_right(atoms, t)] <= Fraction(float(upper))
        nearby = cumulative[bisect_right(atoms, t + near)] - cumulative[bisect_left(atoms, t - near)]
        assert upper - lower <= nearby + Fraction(1, 10_000)


def test_binomial_of_a_thousand_draws():
    n, step = 1000, math.pi
    cumulative = list(itertools.accumulate(math.comb(n, k) * 3**k * 7 ** (n - k) for k in range(n + 1)))
    points = [step * (k + 0.5) for k in range(250, 350)]
    envelope = cdf_envelope([([0.0, step], [7, 3], n)], points)
    for k, lower, upper in zip(range(250, 350), envelope.lower, envelope.upper, strict=True):
        truth = Fraction(cumulative[k], 10**n)
        assert Fraction(float(lower)) <= truth <= Fraction(float(upper))
    assert envelope.width < 1e-6  # between atoms, though the characteristic function returns to 1


@pytest.fixture(scope="module")
def fifty():
    """Fifty irregular values, a thousand draws, 81 points within 4 standard deviations."""
    generator = np.random.default_rng(0)
    values, probs = generator.normal(size=50), generator.random(50)
    probs /= probs.sum()
    mean = float(probs @ values)
    deviation = math.sqrt(1000 * float(probs @ (values - mean) ** 2))
    return [(values, probs, 1000)], 1000 * mean + deviation * np.linspace(-4, 4, 81)


def test_widths_for_fifty_irregular_values(fifty):
    rounded, smoothed = rounding_envelope(*fifty), smoothing_envelope(*fifty)
    assert rounded.width <= 1e-3
    assert smoothed.width <= 1e-6
    assert np.all(rounded.lower <= smoothed.upper)
    assert np.all(smoothed.lower <= rounded.upper)
    assert smoothing_envelope(*fifty, width=1e-7).width <= 1e-7


def test_the_choice_is_the_intersection_where_smoothing_falls_short(fifty):
    assert cdf_envelope(*fifty).method == "smoothing"
    terms, points = [([0.0, 0.3, 1.1], [1, 2, 1], 2)], [0.0, 0.1, 0.5, 0.7, 1.2, 2.0]
    chosen = cdf_envelope(terms, points)
    rounded, smoothed = rounding_envelope(terms, points), smoothing_envelope(terms, points)
    assert chosen.method == "smoothing and rounding"
    assert np.allclose(chosen.lower, np.maximum(rounded.lower, smoothed.lower), rtol=0, atol=1e-13)
    assert np.allclose(chosen.upper, np.minimum(rounded.upper, smoothed.upper), rtol=0, atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(SUMS, st.lists(st.floats(allow_nan=False), max_size=12))
def test_curves_are_probabilities_and_increase(terms, points):
    envelope = smoothing_envelope(terms, points, width=0.1)
    order = np.argsort(envelope.points, kind="stable")
    assert np.all((envelope.lower >= 0) & (envelope.lower <= envelope.upper) & (envelope.upper <= 1))
    assert np.all(np.diff(envelope.lower[order]) >= 0)
    assert np.all(np.diff(envelope.upper[order]) >= 0)


@pytest.mark.parametrize("method", [rounding_envelope, smoothing_envelope, cdf_envelope])
def test_beyond_the_support_nothing_is_uncertain(method):
    envelope = method([([0.0, 1.0], [1, 1], 3)], [-math.inf, -0.5, 3.5, math.inf])
    assert envelope.lower.tolist() == envelope.upper.tolist() == [0.0, 0.0, 1.0, 1.0]
    assert method([([0.0, 1.0], [1, 1], 3)], []).width == 0.0


def test_vaalers_polynomial_is_within_fejers_kernel_of_the_sawtooth():
    z = np.linspace(-1.0, 1.0, 4001)[1:-1]
    sawtooth = z - np.floor(z) - 0.5
    for degree in (1, 2, 7, 40):
        m = np.arange(1, degree + 1)
        polynomial = -np.sin(2 * np.pi * np.outer(z, m)) @ (_vaaler(m, degree) / (np.pi * m))
        fejer = (0.5 + np.cos(2 * np.pi * np.outer(z, m)) @ (1 - m / (degree + 1))) / (degree + 1)
        assert np.all(np.abs(sawtooth - polynomial) <= fejer + 1e-14)


@settings(max_examples=60, deadline=None)
@given(
    laws(3).filter(lambda law: len(set(law[0])) > 1), st.sampled_from([0.5, 0.1, 1e-3]), st.sampled_from([3, 40, 9999])
)
def test_frequencies_left_out_are_as_small_as_certified(law, tail, room):
    total = IndependentSum.of([law])
    (term,) = total.terms
    (multiples,) = total.multiples_of(Fraction(5) * total.unit * term.copies / 2**64)
    spectrum = _significant([_factor(multiples, term.probs, term.copies)], 500, tail, room, 10**6)
    m = np.arange(1, spectrum.last + 1)
    turns = np.array([[int(f) * r % 2**64 / 2**64 for r in multiples] for f in m]).reshape(len(m), len(multiples))
    modulus = np.abs(np.exp(2j * np.pi * turns) @ term.probs) ** term.copies
    left = ~np.isin(m, spectrum.kept)
    assert len(spectrum.kept) <= room
    assert spectrum.last >= 500 or len(spectrum.kept) == room
    assert np.all(modulus[left] <= tail + 1e-12)
    assert np.sum(modulus[left] / m[left]) <= spectrum.near + 1e-12
    assert np.sum(modulus[left]) <= spectrum.far + 1e-12


def test_the_circular_law_is_within_its_stated_error():
    n, length = 40, 2**8
    total = IndependentSum.of([(range(1, 7), [1] * 6, n)])
    cells = total.multiples_of(Fraction(1, 2))  # the centre of a die is 7/2
    law, error = _circular_law(total, cells, -128, length)
    counts = {0: 1}
    for _ in range(n):
        counts, before = defaultdict(int), counts
        for s, ways in before.items():
            for face in (-5, -3, -1, 1, 3, 5):
                counts[s + face] += ways
    exact = [Fraction(0)] * length
    for s, ways in counts.items():
        exact[(s + 128) % length] += Fraction(ways, 6**n)
    partial = np.cumsum(law)
    worst = max(abs(Fraction(float(a)) - b) for a, b in zip(partial, itertools.accumulate(exact), strict=True))
    assert 0 < worst <= error < 1e-10


def test_chernoff_bounds_the_tail_of_a_binomial():
    n = 100
    tail = IndependentSum.of([([0, 1], [1, 1], n)]).upper_tail([[0, 1]])
    mass = [Fraction(sum(math.comb(n, j) for j in range(k + 1, n + 1)), 2**n) for k in range(n + 1)]
    for k in (60, 75, 90, 99, 100):
        assert mass[k] <= Fraction(tail.probability(k))
    for k in (60, 75, 90, 99):  # the best theta gives exp(-n * KL(k/n || 1/2))
        entropy = k / n * math.log(2 * k / n) + (n - k) / n * math.log(2 * (n - k) / n)
        assert math.exp(-n * entropy) <= tail.probability(k) <= 1.05 * math.exp(-n * entropy)
    for eps in (1e-3, 1e-9, 1e-20):
        w = tail.quantile(eps)
        assert mass[math.floor(w)] <= Fraction(eps) < mass[math.floor(w) - 9]


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([], "at least one"),
        ([([], [], 2)], "add up to 0"),
        ([([1.0, 2.0], [1.0], 2)], "2 values but 1 probabilities"),
        ([([1.0, math.nan], [0.5, 0.5], 2)], "finite number"),
        ([([1.0, math.inf], [0.5, 0.5], 2)], "finite number"),
        ([([1.0, 2.0], [0.5, math.nan], 2)], "finite number"),
        ([([1.0, 2.0], [1.5, -0.5], 2)], "negative: -0.5"),
        ([([1.0, 2.0], [0.0, 0.0], 2)], "add up to 0"),
        ([([1.0, 2.0], [0.5, 0.5], 0)], "positive integer, got 0"),
        ([([1.0, 2.0], [0.5, 0.5], 1.5)], "positive integer, got 1.5"),
        ([([1.0, 2.0], [0.5, 0.5], 2**51)], "at most 2\\^50"),
    ],
)
def test_what_is_no_law_is_refused(terms, message):
    for method in (rounding_envelope, smoothing_envelope, cdf_envelope):
        with pytest.raises(InvalidLaw, match=message):
            method(terms, [0.0])


def test_bad_points_and_widths_are_refused():
    coin = [([0, 1], [1, 1], 2)]
    with pytest.raises(InvalidLaw, match="point of the CDF is NaN"):
        cdf_envelope(coin, [0.0, math.nan])
    for width in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="must be positive"):
            cdf_envelope(coin, [0.0], width=width)
