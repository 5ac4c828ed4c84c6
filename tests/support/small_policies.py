"""Random small token policies in exact fractions, and rewards for their completions."""

from fractions import Fraction

import numpy as np
import oracle
from hypothesis import settings
from hypothesis import strategies as st

from randvar import Var
from randvar.rollouts import TokenPolicy

settings.register_profile("policies", deadline=None, max_examples=30)
settings.load_profile("policies")

half = Fraction(1, 2)
rows = st.lists(st.integers(1, 6), min_size=2, max_size=2)
tables = st.tuples(rows, rows, rows)
gammas = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(9, 10), Fraction(1)])
stops = st.sampled_from([None, "b"])


def laws_of(table):
    return dict(zip([(), ("a",), ("b",)], (oracle.law("ab", row) for row in table), strict=True))


def token_policy(table):
    return TokenPolicy({prefix: Var(law.keys(), law.values()) for prefix, law in laws_of(table).items()})


def reward(tokens):
    return Fraction(sum((t + 2) * (token == "b") for t, token in enumerate(tokens)) ** 2 - 3, 2)


def rewards(tokens):
    return [Fraction((t + 1) * (3 if token == "b" else -1), 2) for t, token in enumerate(tokens)]


def near(got, exact):
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(exact, float), rtol=1e-11, atol=1e-12)
