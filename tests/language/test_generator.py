"""numpy's generator, drawing exactly: the laws of its methods, and what it refuses."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from randvar import RandvarError, UndefinedOutcome, Var, binomial, enumerated, total, uniform

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
COIN, DIE = Var([0, 1], [HALF, HALF]), uniform(1, 7).rational()


def test_a_generator_draws_what_numpy_draws():
    def law(f):
        return enumerated(lambda draw: f(draw.generator())).to_dict()

    assert law(lambda rng: rng.integers(1, 7)) == DIE.to_dict()
    assert law(lambda rng: rng.integers(5, endpoint=True)) == uniform(0, 6).rational().to_dict()
    assert law(lambda rng: rng.integers(2, size=(2, 2)).sum()) == total(COIN, 4).to_dict()
    assert law(lambda rng: rng.choice(["a", "b", "c"], p=[HALF, THIRD, Fraction(1, 6)])) == {
        "a": HALF,
        "b": THIRD,
        "c": Fraction(1, 6),
    }
    assert law(lambda rng: tuple(rng.permutation(4))) == dict.fromkeys(
        itertools.permutations(range(4)), Fraction(1, 24)
    )
    pairs = law(lambda rng: tuple(sorted(rng.choice(5, size=2, replace=False))))
    assert pairs == dict.fromkeys(itertools.combinations(range(5), 2), Fraction(1, 10))
    assert law(lambda rng: rng.binomial(3, THIRD)) == binomial(3, THIRD).to_dict()

    def shuffled(rng):
        words, numbers = ["x", "y", "z"], np.arange(3)
        rng.shuffle(words)
        rng.shuffle(numbers)
        return "".join(words) + str(numbers[0])

    assert len(law(shuffled)) == 18

    def weighted(rng):
        total = 102
        return tuple(sorted(rng.choice(3, size=2, replace=False, p=[Fraction(w, total) for w in (100, 1, 1)])))

    drawn = law(weighted)
    assert drawn[0, 1] + drawn[0, 2] == Fraction(5150, 5151)
    assert drawn[0, 1] + drawn[1, 2] == Fraction(2576, 5151)


def test_foreign_code_that_takes_a_generator():
    """scipy's, which looks at the type of what it is handed."""
    from scipy import stats

    def shuffled(draw):
        values = np.array([0.0, 1.0, 2.0])
        test = stats.permutation_test(
            (values,), lambda a: a[0], permutation_type="pairings", n_resamples=1, rng=draw.generator()
        )
        return float(test.null_distribution[0])

    assert enumerated(shuffled).to_dict() == dict.fromkeys([0.0, 1.0, 2.0], THIRD)


@pytest.mark.parametrize("name", ["normal", "random", "uniform", "poisson", "bit_generator", "spawn"])
def test_what_a_generator_cannot_draw_is_refused_by_name(name):
    with pytest.raises(RandvarError, match=rf"rng\.{name} is no exact draw.*draw\.flip"):
        enumerated(lambda draw: getattr(draw.generator(), name))


def test_errors_of_numpy_stay_its_own():
    with pytest.raises(UndefinedOutcome, match="larger sample than population"):
        enumerated(lambda draw: draw.generator().choice(2, size=3, replace=False))
    with pytest.raises(UndefinedOutcome, match="low >= high"):
        enumerated(lambda draw: draw.generator().integers(2, 2))
