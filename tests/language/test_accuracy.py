"""What a float law says of its probabilities is true: no error exceeds the accuracy, which roundings can explain."""

import pytest
from accuracies import escape, failure

from randvar import Var, markov_chain


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_no_error_exceeds_the_accuracy(first):
    found = {seed: failure(seed) for seed in range(first, first + 50)}
    assert not {seed: what for seed, what in found.items() if what}


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_no_law_escapes_its_bounds(first):
    found = {seed: escape(seed) for seed in range(first, first + 10)}
    assert not {seed: what for seed, what in found.items() if what}


def test_a_long_chain_says_how_far_its_masses_drift():
    """Kernels whose floats sum to 1 + 2^-52 drift by that in each step."""
    share = 1 / 3 + 2.0**-53
    step = {a: Var([0, 1, 2], [share, share, 1 / 3]) for a in range(3)}
    law = markov_chain(Var([0], [1.0]), step.__getitem__, 5000)
    drift = abs(sum(law.probs) - 1)
    assert 1e-14 < drift <= law.accuracy < 1e-10
