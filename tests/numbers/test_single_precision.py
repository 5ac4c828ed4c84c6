"""What a function computed in single precision has its rounding, and the verdict says so."""

from fractions import Fraction

import numpy as np
import pytest

from randvar import Var, assert_same_law, assert_unbiased, expect, report, sampling_distribution, without_replacement
from randvar.numbers.arrays import unit_of

VALUES, PROBS = [0.1, 0.2, 0.7], [0.2, 0.3, 0.5]
TENTHS = Var(VALUES, PROBS)
EXACT = Var([Fraction(1, 10), Fraction(1, 5), Fraction(7, 10)], [Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)])
SINGLE = {
    "one by one": lambda x, n: sampling_distribution(lambda s: s.astype(np.float32).mean(), x, n),
    "symmetric": lambda x, n: sampling_distribution(lambda s: s.astype(np.float32).mean(), x, n, symmetric=True),
    "vectorized": lambda x, n: sampling_distribution(lambda s: s.astype("f").mean(axis=1), x, n, vectorized=True),
    "both": lambda x, n: sampling_distribution(lambda s: s.astype("f").mean(axis=1), x, n, True, True),
}


@pytest.mark.parametrize("how", SINGLE)
@pytest.mark.parametrize("n", [3, 7, 9])
def test_a_mean_in_single_precision_has_the_outcomes_of_the_mean(how, n):
    law = SINGLE[how](TENTHS, n)
    true = sampling_distribution(lambda s: sum(s) / n, EXACT, n, symmetric=True)
    assert len(law) == len(true)
    assert law.values == pytest.approx(true.values.astype(float), rel=1e-6)
    assert law.probs == pytest.approx(true.probs.astype(float), rel=1e-12)
    assert "to single precision" in report(law, expect(TENTHS)).verdict
    assert_unbiased(law, expect(TENTHS))
    with pytest.raises(AssertionError, match="to single precision"):
        assert_unbiased(law, expect(TENTHS) + 1e-4)


def test_wherever_a_function_is_taken():
    for law in (
        TENTHS.op(lambda v: np.float32(v)),
        TENTHS.op(lambda v: np.float32(v)) + 1,
        without_replacement(VALUES, 2, lambda s: np.float32(s[0])),
        sampling_distribution(lambda s: (1, np.float32(s[0])), TENTHS, 2).op(lambda pair: pair[1]),
        sampling_distribution(lambda s: np.float32(s[0]) if s[0] < 0.5 else 0.7, TENTHS, 2),
    ):
        assert law.source.warrant.precision == 2.0**-23
    assert TENTHS.op(lambda v: np.float64(v)).source.warrant.precision == 0
    dropped = sampling_distribution(lambda s: np.float32(1) / (s[0] > 0.15), TENTHS, 2, undefined="drop")
    assert dropped.source.warrant.precision == 2.0**-23
    assert dropped.source.warrant.dropped == pytest.approx(0.2)


def test_the_unit_is_that_of_the_coarsest():
    assert unit_of([np.float32(1), np.float16(1)], {np.float32, np.float16}) == 2.0**-10
    assert unit_of([(1, (2, np.float32(1)))], {tuple}) == 2.0**-23
    assert unit_of([1.0, 2], {float, int}) == 0


def test_what_item_hid_is_said_by_the_person():
    hidden = sampling_distribution(lambda s: s.astype(np.float32).mean().item(), TENTHS, 7)
    with pytest.raises(AssertionError, match="to rounding"):
        assert_unbiased(hidden, expect(TENTHS))
    assert_unbiased(hidden, expect(TENTHS), precision="float32")
    assert "to single precision" in report(hidden, expect(TENTHS), precision="float32").verdict
    assert not report(hidden, expect(TENTHS) + 1e-4, precision="float32").unbiased
    true = sampling_distribution(lambda s: sum(s) / 7, TENTHS, 7)
    with pytest.raises(AssertionError):
        assert_same_law(hidden, true, 1e-9)
    assert_same_law(hidden, true, 1e-9, precision="float32")
    assert_same_law(SINGLE["vectorized"](TENTHS, 7), true, 1e-9)
    with pytest.raises(ValueError, match="precision"):
        report(hidden, 0.43, precision="single")
