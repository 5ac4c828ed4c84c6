"""Random float laws with exact outcomes, made into others, beside the same in fractions of the same floats.

A law says how far its probabilities may be off (`accuracy`): here is how far they are.
"""

from __future__ import annotations

import operator
import random
import zlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from randvar import (
    Joint,
    Var,
    best_of_n,
    dependent,
    indep,
    law_bounds,
    markov_chain,
    monte_carlo,
    product_of_draws,
    sampling_distribution,
    total,
)

RIGHT_TO_ROUNDING = 16 * 2.0**-52  # what a law says by not saying anything
LONG = 3000  # bits of an exact mass, beyond which fractions take long
U = 2.0**-53  # a rounding
SMALLEST = 1e-290  # relative errors of probabilities that nearly underflow are not promised


def random_floats(source: random.Random, size: int) -> list[float]:
    """Probabilities of all magnitudes, or alike; their sum is 1 but for the rounding that a law takes as given."""
    digits = source.choice([0.5, 3, 12, 40])
    weights = [10.0 ** (-digits * source.random()) for _ in range(size)]
    mass = sum(weights) * (1 + source.choice([-6, 0, 6]) * U)
    return [w / mass for w in weights]


def twins(source: random.Random) -> tuple[Var, Var]:
    """A float law, and the law of p / sum(p) for exactly these floats, with the same outcomes."""
    size = source.randint(1, 6)
    values = source.sample(range(8), size)
    probs = random_floats(source, size)
    mass = sum(map(Fraction, probs))
    return Var(values, probs), Var(values, [Fraction(p) / mass for p in probs])


class Step(NamedTuple):
    """A way to make a law of one.

    In roundings, its accuracy is no more than `factor` times that of the law, and `own` more: what its n draws, and the
    float operations on the way to a probability, come to in the worst case.
    """

    name: str
    make: Callable[[Var], Var]
    factor: float
    own: float


def random_step(source: random.Random) -> Step:
    """One of all kinds."""
    n, many = source.randint(1, 6), source.randint(7, 60)
    modulus, cut = source.randint(1, 4), source.randint(0, 7)
    kernels = {a: twins(source) for a in range(8)}
    irregular = {a: source.random() for a in range(8)}

    def kernel(x: Var) -> Callable[[Any], Var]:
        return lambda a: kernels[a][x.source.numbers.exact]

    def joint(x: Var) -> Joint:
        return dependent(x, kernel(x)).op(lambda a: a % 2, lambda b: b % 3)

    return source.choice(
        [
            Step(f"op % {modulus}", lambda x: x.op(lambda a: a % modulus), 1, 8),
            Step(f"given != {cut}", lambda x: x.cond(lambda a: a != cut) if len(x) > 1 else x, 2, 8),
            Step("mixture", lambda x: x.op(kernel(x)), 1, 60),
            Step("joint", lambda x: joint(x).combine(lambda a, b: a - b), 1, 100),
            Step("marginal", lambda x: joint(x)[1], 1, 100),
            Step("dependent sum", lambda x: indep(x, x.op(lambda a: a // 2)).add(), 2, 40),
            Step(f"chain of {n}", lambda x: markov_chain(x, kernel(x), n), 1, 60 * n),
            Step(f"best of {n}", lambda x: best_of_n(x, n), 1400, 4),
            Step(f"best of {many} by key", lambda x: best_of_n(x, many, key=lambda a: a % 3), 1400, 4),
            Step(f"total of {n}", lambda x: total(x, n), 2 * n, 1000),
            Step(f"total of {many}", lambda x: total(x.op(lambda a: a % 2), many), 2 * many, 9 * many + 1000),
            Step(f"product of {n}", lambda x: product_of_draws(x.op(lambda a: 2.0 ** (a % 3)), n), 2 * n, 100 + 9 * n),
            Step("maximum", lambda x: sampling_distribution(max, x, 3), 6, 100),
            Step("range", lambda x: sampling_distribution(lambda s: max(s) - min(s), x, 3), 6, 100),
            Step("mean of 4", lambda x: monte_carlo(x, 4), 8, 1000),
            Step("irregular sum", lambda x: total(x.op(irregular.__getitem__), 3), 6, 100),
        ]
    )


def whole(x: Var) -> Var:
    """The law of some function of the outcomes with few whole results, for the next step to begin with."""
    if set(x.values.tolist()) <= set(range(8)):
        return x
    return x.op(lambda a: zlib.crc32(f"{float(a):.6g}".encode()) % 8)


def in_steps(source: random.Random) -> Iterator[tuple[str, Var, Var, float]]:
    """A float law and its exact twin, made in up to three steps: how, both, and the roundings that may be stated."""
    rounded, exact = twins(source)
    allowed, names = RIGHT_TO_ROUNDING / U, []
    for _ in range(source.randint(1, 3)):
        if exact.law.mass.bit_length() > LONG:
            break
        step = random_step(source)
        names.append(step.name)
        rounded, exact = step.make(whole(rounded)), step.make(whole(exact))
        allowed = step.factor * (allowed + 16) + step.own
        yield " > ".join(names), rounded, exact, allowed


def failure(seed: int) -> str | None:
    """What is wrong with the stated accuracy of a law made in up to three steps, if anything is."""
    for how, rounded, exact, allowed in in_steps(random.Random(seed)):
        stated = max(rounded.accuracy or 0.0, RIGHT_TO_ROUNDING)
        if stated > allowed * U:
            return f"{how}: {stated:.2g} is stated, where {allowed * U:.2g} is what roundings can make"
        for a, p in exact.to_dict().items():
            error = abs(float(Fraction(rounded.prob(a)) / p - 1)) if p > SMALLEST else 0.0
            if error > stated:
                return f"{how}: P({a}) = {float(p):.3g} is off by {error:.2g}, stated is {stated:.2g}"
    return None


def escape(seed: int) -> str | None:
    """Where the exact CDF leaves the bounds of a law made in up to three steps, if it does."""
    for how, rounded, exact, _ in in_steps(random.Random(seed)):
        outcomes = exact.values.tolist()
        points = [p for a in outcomes[:: len(outcomes) // 5 + 1] for p in (float(a), float(a) + 0.25)]
        bounds = law_bounds(rounded, points=points)
        for point, low, high in zip(points, bounds.lower.tolist(), bounds.upper.tolist(), strict=True):
            below, upto = (
                exact.prob(lambda a, keep=keep, point=point: keep(a, point)) for keep in (operator.lt, operator.le)
            )
            if not (low <= below and upto <= high):
                return f"{how}: {float(below)!r} and {float(upto)!r} at {point} are not in [{low!r}, {high!r}]"
            if not rounded.law.warrant.accuracy and high - low > float(upto - below) + 1e-9:
                return f"{how}: the bounds at {point} are {high - low:.2g} apart"
    return None
