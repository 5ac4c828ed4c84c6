"""sample=float: an exact law hands floats to code that takes no Fractions, and its probabilities stay exact."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from randvar import Joint, UndefinedOutcome, Var, coverage, sampling_distribution, uniform

EXACT = Var([Fraction(1, 4), 1, 4], [Fraction(1, 3)] * 3)
ROOTS = {
    "numpy": lambda s: float(np.sqrt(s).sum()),
    "math": lambda s: sum(map(math.sqrt, s)),
    "a method": lambda s: float(s[0].hex() != "" and np.sqrt(s).sum()),
}


@pytest.mark.parametrize("name", ROOTS)
def test_floats_go_in_and_probabilities_stay_fractions(name):
    law = sampling_distribution(ROOTS[name], EXACT, 2, sample=float)
    assert law.to_dict() == {v: Fraction(w, 9) for v, w in {1: 1, 1.5: 2, 2: 1, 2.5: 2, 3: 2, 4: 1}.items()}


def test_a_statistic_that_takes_no_fractions_is_told_so_and_the_way_out_works():
    with pytest.raises(UndefinedOutcome) as refused:
        sampling_distribution(ROOTS["numpy"], EXACT, 2)
    name, value = re.search(r"(sample)=(float)", str(refused.value)).groups()
    sampling_distribution(ROOTS["numpy"], EXACT, 2, **{name: {"float": float}[value]})
    with pytest.raises(UndefinedOutcome) as other:
        sampling_distribution(lambda s: s.no_such_thing_at_all(), uniform(1, 3), 2)
    assert "sample=float" not in str(other.value)


def test_rows_and_whole_arrays():
    pair = Joint([1, 4], [Fraction(1, 4), 9], [[Fraction(1, 2), 0], [0, Fraction(1, 2)]])
    rows = sampling_distribution(
        lambda s: (s.shape, s.dtype.kind, float(np.sqrt(s[:, 1]).sum())), pair, 2, sample=float
    )
    assert rows.to_dict() == {((2, 2), "f", v): Fraction(w, 4) for v, w in {1.0: 1, 3.5: 2, 6.0: 1}.items()}
    whole = sampling_distribution(lambda s: np.sqrt(s).sum(axis=1), EXACT, 2, vectorized=True, sample=float)
    assert whole.to_dict() == sampling_distribution(ROOTS["numpy"], EXACT, 2, sample=float).to_dict()


def test_what_is_no_number_is_refused():
    with pytest.raises(TypeError, match="sample=float takes laws of numbers"):
        sampling_distribution(len, Var(["a", "b"], [0.5, 0.5]), 2, sample=float)
    with pytest.raises(TypeError, match="sample is float"):
        sampling_distribution(len, EXACT, 2, sample=int)


def test_a_coverage_takes_them_too():
    def interval(s):
        return np.sqrt(s).min(axis=-1), np.sqrt(s).max(axis=-1)

    assert coverage(interval, EXACT, 3, 1, sample=float) == 1 - 2 * Fraction(1, 27)
    assert coverage(interval, EXACT, 3, 1, vectorized=True, sample=float) == 1 - 2 * Fraction(1, 27)
