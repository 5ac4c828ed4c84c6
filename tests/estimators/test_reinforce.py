"""Gradients with a baseline feel no offset of the rewards, which costs floats their digits where terms cancel."""

import itertools
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest

from randvar import Joint, Var, expect, group_gradient, leave_one_out_gradient, report, variance

SHARES, REWARDS, SCORES = [0.2, 0.3, 0.5], [0.1, 0.35, 0.7], [0.8, -0.2, -0.5]


def draws(offset):
    """Three draws of (reward, score), and the law of the floats that they are."""
    rewards = [offset + r for r in REWARDS]
    joint = Joint.of(Var(range(3), SHARES).vector(lambda a: (rewards[a], SCORES[a])).law)
    pairs = zip(map(Fraction, rewards), map(Fraction, SCORES), strict=True)
    return joint, oracle.law(pairs, map(Fraction, SHARES))


def leave_one_out(sample):
    rewards = sum(r for r, _ in sample)
    return sum((r - (rewards - r) / Fraction(len(sample) - 1)) * s for r, s in sample) / len(sample)


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("offset", [0, 1e3, -1e6, 1e9, 1e12])
def test_a_listed_gradient_with_an_offset(offset, n):
    joint, pairs = draws(offset)
    exact = oracle.law_of_draws(leave_one_out, pairs, n)
    law = Var.of(leave_one_out_gradient(joint, n).law)
    assert [float(v) for v in law.values] == pytest.approx([float(v) for v in sorted(exact)], rel=1e-13, abs=1e-16)
    assert expect(law) == pytest.approx(float(oracle.mean(exact)), rel=1e-13)
    assert report(law, float(oracle.mean(exact))).unbiased
    assert not report(law, float(oracle.mean(exact)) * (1 + 1e-10)).unbiased


@pytest.mark.parametrize("baseline", ["mean", "leave_one_out"])
@pytest.mark.parametrize("offset", [0, 1e6, 1e9, 1e12])
def test_a_listed_gradient_over_the_standard_deviation_with_an_offset(offset, baseline):
    n = 3
    joint, pairs = draws(offset)

    def gradient(sample):
        mean = sum(r for r, _ in sample) / n
        spread = math.sqrt(sum((r - mean) ** 2 for r, _ in sample) / n)
        scale = Fraction(n, n - 1) if baseline == "leave_one_out" else 1
        terms = sum((r - mean) * s for r, s in sample) * scale / n
        return float(terms) / spread if spread else 0.0

    masses = {}
    for sample in itertools.combinations_with_replacement(pairs, n):
        ways = math.factorial(n) // math.prod(math.factorial(sample.count(a)) for a in set(sample))
        masses[sample] = ways * math.prod(pairs[a] for a in sample)
    wanted = math.fsum(float(p) * gradient(sample) for sample, p in masses.items())
    assert expect(group_gradient(joint, n, baseline, divide_by_std=True)) == pytest.approx(wanted, rel=1e-13)


def test_an_offset_of_the_rewards_of_a_vector_gradient():
    joint, _ = draws(1e9)
    wide = Joint.of(joint.combine(lambda r, s: (r, s)).vector(lambda row: (row[0], row[1], -2 * row[1])).law)
    law = group_gradient(wide, 3, "leave_one_out")
    first = leave_one_out_gradient(joint, 3)
    assert np.asarray(expect(Joint.of(law.law)), float) == pytest.approx([expect(first), -2 * expect(first)], rel=1e-13)
    assert variance(Joint.of(law.law)[0]) == pytest.approx(variance(first), rel=1e-13)
