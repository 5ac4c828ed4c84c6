"""Equal rows of states become one, whatever their columns are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from randvar.numbers.arrays import object_array
from randvar.numbers.kinds import FLOATS, FRACTIONS
from randvar.sums.states import merged_states

NUMBERS = st.one_of(st.integers(-3, 3), st.integers(-(2**60), 2**60))


@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[NUMBERS] * d), min_size=1, max_size=12)), st.data())
def test_rows_are_merged_where_they_are_equal(rows, data):
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    truth: Counter[tuple[int, ...]] = Counter()
    for row, w in zip(rows, weights, strict=True):
        truth[row] += w
    for kind, column in ((FLOATS, np.array(weights, dtype=float)), (FRACTIONS, object_array(weights))):
        found, totals = merged_states(np.array(rows), column, kind)
        assert dict(zip(map(tuple, found.tolist()), totals.tolist(), strict=True)) == pytest.approx(dict(truth))
