"""Random small laws in exact fractions, their counterparts in floats, and when the two agree."""

import math
from fractions import Fraction

import numpy as np
import oracle
from hypothesis import settings
from hypothesis import strategies as st

from randvar import Var

settings.register_profile("laws", deadline=None, max_examples=60)
settings.load_profile("laws")

# Tenths and thirds round in binary, so equal sums do not come out equal; integers and quarters do not round.
steps = st.sampled_from([Fraction(1), Fraction(1, 4), Fraction(1, 10), Fraction(1, 3), Fraction(7, 100)])
laws = st.builds(
    lambda step, atoms: oracle.law([step * k for k in atoms], atoms.values()),
    steps,
    st.dictionaries(st.integers(-6, 6), st.integers(1, 9), min_size=1, max_size=5),
)


def var(law):
    """The same law for the package: floats for fractions."""
    return Var([float(v) for v in law], [float(p) for p in law.values()])


def assert_same(x, law, rel=1e-12):
    """Every atom of x is an atom of the exact law, in ascending order, value and probability."""
    exact = sorted(law.items())
    # Where fractions cancel to 0 floats may leave a rounding of the terms that were added.
    residue = rel * max(1.0, *(abs(float(v)) for v in law))
    assert len(x) == len(exact), f"{x.values} for {[float(v) for v, _ in exact]}"
    np.testing.assert_allclose(np.asarray(x.values, float), [float(v) for v, _ in exact], rtol=rel, atol=residue)
    np.testing.assert_allclose(x.probs, [float(p) for _, p in exact], rtol=rel)


def near(got, exact, size=1.0):
    """Equal up to rounding of terms of this size."""
    return math.isclose(got, exact, rel_tol=1e-12, abs_tol=1e-12 * max(1.0, float(size)))
