"""Lattice sums: atom by atom against integers, rationals and 50-digit arithmetic, and the accuracy they claim."""

import functools
import itertools
import math
from collections import defaultdict
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from as_groups import lattice_sum, log_mass
from hypothesis import given, settings
from hypothesis import strategies as st

import randvar
from randvar.errors import SupportTooLarge
from randvar.sums.convolution import direct_cost
from randvar.sums.group import Group
from randvar.sums.tilting import chernoff_window, cover

MAX_ATOMS = 5_000_000
VISIBLE = Decimal("1e-300")


def term(positions, probs, copies):
    return np.asarray(positions, dtype=np.int64), np.asarray(probs, dtype=float), copies


def die(copies):
    return term(range(6), np.full(6, 1 / 6), copies)


def goal(copies):
    return min(5e-12, 1e-13 * max(1.0, math.sqrt(copies / 1000)))


def naive_law(terms):
    """{position: exact probability}, by enumeration of every sequence of draws."""
    draws = []
    for positions, probs, copies in terms:
        exact = [Fraction(p) for p in probs.tolist()]
        draws += [[(k, p / sum(exact)) for k, p in zip(positions.tolist(), exact, strict=True)]] * copies
    law = {}
    for outcome in itertools.product(*draws):
        place = sum(k for k, _ in outcome)
        law[place] = law.get(place, 0) + math.prod((p for _, p in outcome), start=Fraction(1))
    return {k: p for k, p in law.items() if p}


def decimal_law(terms):
    """The same for more draws, one draw after another in 50 digits: all terms are positive, so nothing cancels."""
    law = {0: Decimal(1)}
    with localcontext(Context(prec=50, Emin=MIN_EMIN, Emax=MAX_EMAX)):
        for positions, probs, copies in terms:
            exact = [Decimal(p) for p in probs.tolist()]
            draw = [(k, p / sum(exact)) for k, p in zip(positions.tolist(), exact, strict=True) if p]
            for _ in range(copies):
                longer = defaultdict(Decimal)
                for place, mass in law.items():
                    for k, p in draw:
                        longer[place + k] += mass * p
                law = longer
    return dict(law)


def relative_error(mass, exact):
    """|mass/exact - 1| without rounding it away."""
    return abs(float((type(exact)(mass) - exact) / exact))


def assert_matches(law, exact, accuracy):
    """Every atom above 1e-300 is there, to the accuracy; and nothing else is."""
    atoms = {law.first + i: mass for i, mass in enumerate(law.masses.tolist()) if mass}
    for place, p in exact.items():
        if p >= type(p)(VISIBLE):
            assert relative_error(atoms.get(place, 0.0), p) <= accuracy, place
    for place, mass in atoms.items():
        assert mass <= 1.0001e-300 or place in exact


@functools.cache
def dice_numerators(copies):
    """6^n P(sum of n dice 0..5 = k), by Miller's recurrence k*q_k = sum_i (i*(n + 1) - k)*q_(k - i) in integers."""
    q = [1]
    for k in range(1, 5 * copies + 1):
        q.append(sum((i * (copies + 1) - k) * q[k - i] for i in range(1, min(5, k) + 1)) // k)
    return q


@pytest.mark.parametrize("copies", [1, 2, 10, 1000, 2000, 5000])
def test_every_atom_of_a_sum_of_dice(copies):
    law = lattice_sum([die(copies)])
    total = 6**copies
    truth = [q / total if q.bit_length() - total.bit_length() > -1000 else 0.0 for q in dice_numerators(copies)]
    worst = 0.0
    for place, p in enumerate(truth):
        mass = law.masses[place - law.first] if 0 <= place - law.first < len(law.masses) else 0.0
        if p > 1e-300:
            worst = max(worst, abs(mass / p - 1))
    assert worst <= min(goal(copies), law.accuracy)


def test_a_far_tail_of_a_thousand_dice():
    law = lattice_sum([die(1000)])
    tail = math.fsum(law.masses[3500 - law.first :])  # faces 1..6 have sum >= 4500
    assert tail == pytest.approx(sum(dice_numerators(1000)[3500:]) / 6**1000, rel=1e-12)
    assert tail == pytest.approx(1.1118e-79, rel=1e-4)


def mass_in_50_digits(probs, copies, place):
    """P(S = place) as e^(K - theta*place) times the inversion integral at the saddle point, by the trapezoidal rule.

    The rule with step 2*pi/(40*sd) is exact but for mass 40 sd away; the integrand ends at 16 sd^-1, at e^-128.
    """
    with mpmath.workdps(50):
        weights = [mpmath.mpf(p) for p in probs]
        total = mpmath.fsum(weights)
        mean = mpmath.mpf(place) / copies

        def moments(theta):
            tilted = [w / total * mpmath.exp(theta * k) for k, w in enumerate(weights)]
            mgf = mpmath.fsum(tilted)
            return mgf, [w / mgf for w in tilted]

        theta = mpmath.mpf(0)
        for _ in range(60):
            mgf, law = moments(theta)
            error = mean - mpmath.fsum(k * w for k, w in enumerate(law))
            variance = mpmath.fsum((k - mean) ** 2 * w for k, w in enumerate(law))
            theta += error / variance
            if abs(error) < mpmath.mpf(10) ** -45:
                break
        step = 2 * mpmath.pi / (40 * mpmath.sqrt(copies * variance))
        integral = mpmath.mpf(1)
        for j in range(1, 103):
            phi = mpmath.fsum(w * mpmath.expj(j * step * (k - mean)) for k, w in enumerate(law))
            integral += 2 * mpmath.re(phi**copies)
        return mpmath.exp(copies * mpmath.log(mgf) - theta * place) * integral * step / (2 * mpmath.pi)


def test_the_50_digit_oracle_agrees_with_the_integers():
    exact = mpmath.mpf(dice_numerators(1000)[1700]) / mpmath.mpf(6) ** 1000
    assert abs(mass_in_50_digits([mpmath.mpf(1) / 6] * 6, 1000, 1700) / exact - 1) < 1e-30


@pytest.mark.parametrize("copies", [10**4, 10**5, 10**6])
@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1, 1], [5, 1, 1, 2], [97, 2, 1]])
def test_sampled_atoms_of_large_sums(copies, weights):
    probs = np.array(weights) / sum(weights)
    law = lattice_sum([term(range(len(weights)), probs, copies)])
    for i in (np.linspace(0.01, 0.97, 13) * len(law.masses)).astype(int).tolist():
        truth = mass_in_50_digits(probs.tolist(), copies, law.first + i)
        if truth > 1e-300:
            assert abs(float(law.masses[i] / truth - 1)) <= min(goal(copies), law.accuracy)


def test_the_law_is_that_of_the_probabilities_over_their_sum():
    """Six times fl(1/6) misses 1 by 5.5e-17: a million draws would miss it by 5.5e-11."""
    law = lattice_sum([die(10**6)])
    assert math.fsum(law.masses) == pytest.approx(1.0, abs=1e-12)
    scaled = lattice_sum([term(range(6), np.full(6, 25.0), 10**6)])
    assert scaled.masses == pytest.approx(law.masses, rel=5e-12, abs=1e-300)


probabilities = st.floats(1e-320, 1.0) | st.sampled_from([1e-300, 1e-150, 1e-12, 0.5, 1.0])


@st.composite
def laws(draw, most_copies, widest=12, most_terms=3):
    terms = []
    for _ in range(draw(st.integers(1, most_terms))):
        positions = draw(st.lists(st.integers(0, widest), min_size=1, max_size=4, unique=True))
        probs = [draw(probabilities) for _ in positions]
        probs[0] = 1.0
        terms.append(term(positions, probs, draw(st.integers(0, most_copies))))
    return terms


@settings(max_examples=150, deadline=None)
@given(laws(most_copies=3, most_terms=2))
def test_small_laws_against_enumeration(terms):
    law = lattice_sum(terms)
    assert law.accuracy < 1e-14
    assert_matches(law, naive_law(terms), law.accuracy)


@settings(max_examples=60, deadline=None)
@given(laws(most_copies=60, widest=8, most_terms=2))
def test_the_claimed_accuracy_of_tilting_is_true(terms):
    """The tilted transforms alone, on laws of every shape; what they do not know they must not claim."""
    parts = [Group(k - k.min(), p, n) for k, p, n in terms if n and len(k) > 1]
    if not parts:
        return
    lowest, highest = chernoff_window(parts, math.log(1e-300))
    masses, accuracy = cover(parts, lowest, highest)
    exact = decimal_law([(part.values, part.weights, part.copies) for part in parts])
    for place, p in exact.items():
        assert lowest <= place <= highest or p < VISIBLE
        if p >= VISIBLE and math.isfinite(accuracy):
            assert relative_error(float(masses[place - lowest]), p) <= accuracy


@settings(max_examples=60, deadline=None)
@given(laws(most_copies=60, widest=8, most_terms=2))
def test_medium_laws_against_integers(terms):
    law = lattice_sum(terms)
    assert law.accuracy < 1e-12
    assert_matches(law, decimal_law(terms), max(law.accuracy, 1e-45))


HARD = {
    "gaps": [term([0, 1, 1000], [1 - 2e-6, 1e-6, 1e-6], 40)],
    "gaps with tiny probabilities": [term([0, 1, 1000], [1, 1e-150, 1e-150], 100)],
    "one atom": [term([7], [0.3], 5)],
    "no draws": [term([0, 1], [0.5, 0.5], 0)],
    "nothing": [],
    "atoms 1e-300 apart": [term([0, 1], [1.0, 1e-300], 50)],
    "an atom 1e-300 between": [term([0, 1, 2], [1.0, 1e-300, 1.0], 100)],
    "probabilities that underflow": [term([0, 1], [0.1, 0.9], 800)],
    "rare coin": [term([0, 1], [1 - 1e-12, 1e-12], 1000)],
    "scales": [term([0, 1], [0.5, 0.5], 30), term([0, 5000], [0.25, 0.75], 2)],
    "unreachable positions": [term([0, 5, 7], [0.99, 0.005, 0.005], 200)],
    "a common stride": [term([3, 7, 15], [0.2, 0.3, 0.5], 60)],
    "negative positions": [term([-3, 0, 2], [0.2, 0.3, 0.5], 60)],
    "zero probabilities": [term([0, 1, 2, 9], [0.5, 0.0, 0.5, 0.0], 60)],
    "equal positions": [term([0, 1, 1], [0.5, 0.25, 0.25], 20)],
}


@pytest.mark.parametrize("name", HARD)
def test_hard_laws(name):
    terms = HARD[name]
    law = lattice_sum(terms)
    assert law.accuracy < 1e-12
    if name == "equal positions":
        terms = [term([0, 1], [0.5, 0.5], 20)]
    assert_matches(law, decimal_law(terms), max(law.accuracy, 1e-45))


def test_a_thousand_values():
    probs = 1.0 + np.sin(np.arange(1000))
    law = lattice_sum([term(range(1000), probs, 50)])
    assert law.accuracy <= 1e-12
    by_convolution = functools.reduce(np.convolve, [probs / math.fsum(probs)] * 50)  # positive terms: relative accuracy
    assert (law.first, len(law.masses)) == (0, 49 * 1000 + 951)
    assert law.masses == pytest.approx(by_convolution, rel=1e-12, abs=1e-300)


def test_a_poisson_limit_of_a_trillion_draws():
    """Binomial(10^12, 10^-12): only logarithms that do not cancel survive the power."""
    law = lattice_sum([term([0, 1], [1 - 1e-12, 1e-12], 10**12)])
    p = Fraction(1e-12) / (Fraction(1e-12) + Fraction(1 - 1e-12))
    with mpmath.workdps(60):
        q = mpmath.mpf(p.numerator) / p.denominator
        for k in (0, 1, 5, 40, 120):
            truth = mpmath.binomial(10**12, k) * q**k * (1 - q) ** (10**12 - k)
            assert abs(float(law.masses[k] / truth - 1)) <= law.accuracy <= 5e-12


def test_a_gap_that_nothing_reaches_is_not_pretended():
    """Clusters 1000 apart and far more atoms than can be convolved: the law says that it does not know its valleys."""
    law = lattice_sum([term([0, 1, 1000], [1, 1e-5, 1], 2000)])
    assert law.accuracy == math.inf
    assert math.fsum(law.masses) == pytest.approx(1.0, abs=1e-6)
    assert "inf" in repr(law)


def test_a_law_that_is_too_large_is_refused():
    with pytest.raises(SupportTooLarge, match="max_atoms=5,000,000") as refusal:
        lattice_sum([die(10**10)])
    assert refusal.value.size > refusal.value.budget == MAX_ATOMS
    with randvar.settings(max_atoms=11):
        assert len(lattice_sum([die(2)]).masses) == 11
    with randvar.settings(max_atoms=10), pytest.raises(SupportTooLarge):
        lattice_sum([die(2)])


@settings(max_examples=60, deadline=None)
@given(laws(most_copies=40, widest=8, most_terms=2), st.integers(-5, 700))
def test_log_mass_against_integers(terms, place):
    p = decimal_law(terms).get(place, 0)
    try:
        found = log_mass(terms, place)
    except SupportTooLarge:
        assert 0 < p < VISIBLE
    else:
        assert found == (pytest.approx(float(p.ln()), rel=1e-12, abs=1e-11) if p else -math.inf)


def test_log_mass_where_the_probability_underflows():
    coins = [term([0, 1], [0.1, 0.9], 800)]
    assert log_mass(coins, 0) == pytest.approx(-800 * math.log(10), rel=1e-14)
    assert log_mass(coins, 800) == pytest.approx(800 * math.log(0.9), rel=1e-14)
    exact = decimal_law(coins)
    for place in (1, 2, 17, 200):
        assert log_mass(coins, place) == pytest.approx(float(exact[place].ln()), rel=1e-13)
    assert log_mass(coins, -1) == log_mass(coins, 801) == -math.inf


def test_log_mass_of_what_cannot_be_reached():
    terms = [term([0, 5, 7], [0.99, 0.005, 0.005], 10**4)]
    assert [place for place in range(26) if log_mass(terms, place) > -math.inf] == [
        place for place in range(26) if any(place - 7 * b >= 0 and (place - 7 * b) % 5 == 0 for b in range(4))
    ]
    assert log_mass([term([0, 4], [0.5, 0.5], 10)], 6) == -math.inf


def test_log_mass_refuses_what_it_cannot_tell():
    with pytest.raises(SupportTooLarge, match="gap"):
        log_mass([term([0, 1, 1000], [1 - 2e-6, 1e-6, 1e-6], 1000)], 999)


def test_direct_cost_grows_with_the_square_of_the_positions():
    def cost(*terms):
        return direct_cost([Group(*term) for term in terms])

    assert cost(die(1)) < 100
    assert cost(die(1000)) == pytest.approx(2500**2 * 4 / 3, rel=0.05)
    assert cost(die(10**6)) > 1e10
    gaps = term([0, 1], [0.5, 0.5], 1000), term([0, 10**6], [0.5, 0.5], 3)
    assert cost(*gaps) < 1e8  # a product of few atoms, though over three million positions


def test_log_mass_of_an_atom_that_a_convolution_hardly_sees_is_refused():
    """Three draws of 0 among 30 have a probability of 1e-893, and 2.8e-340 after the tilt: 0.2% of it was left out."""
    draws = np.array([0, 1, 5]), np.array([1e-299, 1e-149, 1.0]), 30
    with pytest.raises(SupportTooLarge, match="too deep in a gap"):
        log_mass([draws], 135)
    exact = math.log(math.comb(30, 2)) + 2 * math.log(1e-299)
    assert log_mass([draws], 140) == pytest.approx(exact, rel=1e-12)
