"""Random laws of floats of all sorts, and their sums held against exact arithmetic of the same floats."""

from __future__ import annotations

import bisect
import itertools
import math
from fractions import Fraction

import numpy as np

from randvar import Joint, Var, indep, mixture, total

_ACCURATE = 1e-12
_MOST = 3000  # rows of exact arithmetic


def _meant(fractions):
    return [float(v) for v in fractions], fractions


def _alone(values):
    return [float(v) for v in values], None


def _decades(rng, k):
    return rng.standard_normal(k) * 10.0 ** rng.integers(-10, 11, k)


def _decimals(rng, k, least, most):
    unit = 10 ** int(rng.integers(least, most))
    offset = int(rng.choice([0, 0, 1, 1000]))
    return [offset + Fraction(int(i), unit) for i in rng.integers(-10 * unit, 10 * unit, k)]


def _computed_decimals(rng, k):
    unit = 10 ** int(rng.integers(1, 4))
    counts = [int(i) for i in rng.integers(-50, 50, k)]
    return [i * (1 / unit) for i in counts], [Fraction(i, unit) for i in counts]


def _fractions(rng, k):
    q = int(rng.choice([3, 7, 9, 11, 30, 49]))
    return [Fraction(int(i), q) for i in rng.integers(-60, 60, k)]


def _of_all_sizes(rng, k):
    return [int(rng.integers(-999, 1000)) * Fraction(10) ** int(rng.integers(-6, 7)) for _ in range(k)]


LAWS = {  # k values, and the Fractions that they are meant as, where they are
    "1e-300 to 1e300": lambda rng, k: _alone(rng.standard_normal(k) * 10.0 ** rng.uniform(-300, 300, k)),
    "decades": lambda rng, k: _alone(_decades(rng, k)),
    "offsets": lambda rng, k: _alone(rng.random(k) + rng.choice([1e3, 1e9, 1e15])),
    "decimals": lambda rng, k: _meant(_decimals(rng, k, 1, 5)),
    "computed decimals": _computed_decimals,
    "decimals of all sizes": lambda rng, k: _meant(_of_all_sizes(rng, k)),
    "thirds": lambda rng, k: _meant(_fractions(rng, k)),
    "logs": lambda rng, k: _alone(np.log(rng.integers(1, 13, k) / rng.integers(1, 13, k))),
    "differences of logs": lambda rng, k: _alone(np.log(rng.integers(1, 13, k)) - np.log(rng.integers(1, 13, k))),
    "pi": lambda rng, k: _alone(math.pi * rng.integers(-20, 20, k)),
    "seconds": lambda rng, k: _alone(1.7e9 + np.round(rng.random(k), 6)),
    "nanoseconds": lambda rng, k: _alone(1.7e18 + 256.0 * rng.integers(0, 10**9, k)),
    "neighbours": lambda rng, k: _alone(rng.random() * (1 + rng.integers(-8, 9, k) * 2.0**-52)),
    "opposites": lambda rng, k: _alone(np.outer(_decades(rng, k), [1, -1]).ravel()[: k + 1]),
    "dyadic": lambda rng, k: _alone(rng.integers(-1000, 1000, k) * 2.0 ** rng.choice([-20, -3, 0, 40], k)),
    "whole": lambda rng, k: _alone(rng.integers(-(2**50), 2**50, k).astype(float)),
    "beside 1e10": lambda rng, k: _alone(rng.choice([-1e10, -3.0, 3.000008, 1e10, 0.0, 1.000008, 1 / 3, 2e6], k)),
}


def disagreement(kind: str, seed: int) -> str:
    """What a sum of random draws of a kind says that exact arithmetic does not; nothing if it agrees."""
    rng = np.random.default_rng([seed, *kind.encode()])
    groups = _groups(kind, rng)
    parts = [total(x, n) for x, _, n in groups]
    found = indep(*parts).add()
    rows = _rows([(x, n) for x, _, n in groups])
    ways = {
        "a sum": found,
        "a sum of what op returned": indep(*[x.op(lambda v: v) for x in parts]).add(),
        "a mixture of a law with itself": mixture([found, found], [0.25, 0.75]),
        "a sum of vectors": _as_vectors(groups),
    }
    for way, law in ways.items():
        wrong = _wrong_half_line(law, rows)
        if wrong:
            return f"{way}: {wrong} of {[(x.values.tolist(), n) for x, _, n in groups]}"
    return _wrong_count(found, groups)


def _groups(kind, rng):
    while True:
        groups = []
        for _ in range(int(rng.integers(1, 4))):
            values, fractions = LAWS[kind](rng, int(rng.integers(1, 5)))
            first = {v: i for i, v in reversed(list(enumerate(values)))}
            weights = rng.random(len(first)) + 0.05
            x = Var(list(first), (weights / weights.sum()).tolist())
            groups.append((x, None if fractions is None else sorted({fractions[i] for i in first.values()}), 1))
        groups = [(x, fractions, int(rng.integers(1, 4))) for x, fractions, _ in groups]
        if math.prod(len(x) ** n for x, _, n in groups) <= _MOST:
            return groups


def _as_vectors(groups):
    """The sum of the first coordinates of vectors, each of which has a second one that says nothing."""
    sums = []
    for x, _, n in groups:
        j = Joint(x.values.tolist(), [0, 1], [[p / 2, p / 2] for p in x.probs.tolist()])
        sums.append(total(j, n).marginal(0))
    return indep(*sums).add()


def _rows(laws):
    """(sum, sum of magnitudes, probability) of every sample, ascending."""
    rows = [(Fraction(0), Fraction(0), 1.0)]
    for x, n in laws:
        pairs = [(Fraction(v), p) for v, p in zip(x.values.tolist(), x.probs.tolist(), strict=True)]
        for _ in range(n):
            rows = [(s + v, size + abs(v), w * p) for s, size, w in rows for v, p in pairs]
    draws = sum(n for _, n in laws)
    return sorted((s, Fraction(2 * draws, 2**52) * size + Fraction(1, 2**1074), w) for s, size, w in rows)


def _wrong_half_line(law, rows):
    """In words, the first gap between sums that are apart, rounding included, where outcomes or their P are wrong."""
    highest = list(itertools.accumulate((s + r for s, r, _ in rows), max))
    lowest = list(itertools.accumulate((s - r for s, r, _ in reversed(rows)), min))[::-1]
    below = list(itertools.accumulate(w for *_, w in rows))
    outcomes = [Fraction(v) for v in law.values.tolist()]
    masses = [0.0, *itertools.accumulate(law.probs.tolist())]
    for i in range(len(rows) - 1):
        if highest[i] < lowest[i + 1]:
            least, most = bisect.bisect_right(outcomes, highest[i]), bisect.bisect_left(outcomes, lowest[i + 1])
            if least != most or abs(masses[most] - below[i]) > _ACCURATE:
                return f"from {float(highest[i])!r} to {float(lowest[i + 1])!r} it is not {below[i]}"
            at = float((highest[i] + lowest[i + 1]) / 2)
            if highest[i] < Fraction(at) < lowest[i + 1] and abs(law.cdf(at) - below[i]) > _ACCURATE:
                return f"cdf({at!r}) is not {below[i]}"
    if abs(masses[-1] - 1) > _ACCURATE:
        return "the mass is not 1"
    return ""


def _wrong_count(found, groups):
    """Where decimals and fractions are read as meant, there are as many outcomes as there are sums of them."""
    if any(fractions is None or len(fractions) < len(x) for x, fractions, _ in groups):
        return ""
    sums = {Fraction(0)}
    for _, fractions, n in groups:
        for _ in range(n):
            sums = {s + v for s in sums for v in fractions}
    count = len({float(s) for s in sums})
    return "" if count == len(found) else f"{len(found)} outcomes, not {count}: {[(f, n) for _, f, n in groups]}"
