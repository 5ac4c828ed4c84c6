"""Sums of values that lie on no lattice."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.exact import power_law
from benchmarks.judges import Law, as_law, whole_law
from benchmarks.workload import Contender, Finding, Workload
from benchmarks.workloads.peers import (
    from_dyce,
    from_icepool,
    from_lea,
    from_sympy,
    icepool_sum,
    lea_law,
    sympy_sum,
)

__all__ = ["WORKLOADS", "k1_law", "randvar_k1"]

Preparation = Callable[[], Callable[[], Any]]

_FACES = [1, 2, 3, 4, 5, 6]  # of a die whose face k has weight k, against a fair one: p/q = 2k/7
_RATIOS = [math.log(2 * k / 7) for k in _FACES]
_PRIMES = [p for p in range(2, 230) if all(p % d for d in range(2, p))]
_ROOTS = [math.sqrt(p) for p in _PRIMES]  # linearly independent over the rationals: all sums are distinct
_WEIGHTS = list(range(1, 51))


def randvar_k1(n: int) -> Preparation:
    def prepare() -> Callable[[], Law]:
        from randvar import k1, monte_carlo, uniform, weighted_die

        estimator = k1(weighted_die(_FACES), uniform(1, 7))

        def work() -> Law:
            law = monte_carlo(estimator, n)
            return law.values, law.probs

        return work

    return prepare


def _randvar_roots() -> Callable[[], Law]:
    from randvar import from_weights, total

    x = from_weights(_ROOTS, _WEIGHTS)

    def work() -> Law:
        law = total(x, 5)
        return law.values, law.probs

    return work


def _lea(values: list[float], weights: list[int], n: int) -> Preparation:
    def prepare() -> Callable[[], Any]:
        x = lea_law(values, weights)
        return lambda: x.times(n)

    return prepare


def _dyce(values: list[float], weights: list[int], n: int) -> Preparation:
    def prepare() -> Callable[[], Any]:
        from dyce import H

        h = H(dict(zip(values, weights, strict=True)))
        return lambda: n @ h

    return prepare


def _icepool(values: list[float], weights: list[int], n: int) -> Preparation:
    def prepare() -> Callable[[], Any]:
        from icepool import Die

        die = Die(dict(zip(values, weights, strict=True)))
        return lambda: icepool_sum(die, n)

    return prepare


def _sympy(values: list[float], weights: list[int], n: int) -> Preparation:
    def prepare() -> Callable[[], Any]:
        from sympy import Float, Rational
        from sympy.core.cache import clear_cache

        clear_cache()
        law = {Float(v): Rational(w, sum(weights)) for v, w in zip(values, weights, strict=True)}
        return lambda: sympy_sum(law, n)

    return prepare


def _contenders(values: list[float], weights: list[int], n: int, scale: float) -> tuple[Contender, ...]:
    """The others; `scale` is what their sums are still to be divided by."""

    def scaled(read: Callable[[Any], Law]) -> Callable[[Any], Law]:
        def law(answer: Any) -> Law:
            found, probs = read(answer)
            return found / scale, probs

        return law

    return (
        Contender("lea", _lea(values, weights, n), scaled(from_lea), "lea"),
        Contender("dyce", _dyce(values, weights, n), scaled(from_dyce), "dyce"),
        Contender("icepool", _icepool(values, weights, n), scaled(from_icepool), "icepool"),
        Contender("sympy.stats", _sympy(values, weights, n), scaled(from_sympy), "sympy"),
    )


# The same by products of integers, for a person who sees that log(2a/7) + log(2b/7) = 2 log(2/7) + log(ab): exact keys.


def _lea_products(n: int) -> Preparation:
    def prepare() -> Callable[[], Any]:
        die = lea_law(_FACES, _FACES)
        return lambda: die.times(n, operator.mul)

    return prepare


def _dyce_products(n: int) -> Preparation:
    def prepare() -> Callable[[], Any]:
        from dyce import H

        die = H({k: k for k in _FACES})
        return lambda: functools.reduce(operator.mul, [die] * n)

    return prepare


def _icepool_products(n: int) -> Preparation:
    def prepare() -> Callable[[], Any]:
        import icepool

        die = icepool.Die({k: k for k in _FACES})
        return lambda: icepool.reduce(operator.mul, [die] * n)

    return prepare


def _mean_log(n: int, law: Law) -> Law:
    products, probs = law
    return np.log(products) / n + math.log(2 / 7), probs


@functools.cache
def k1_law(n: int) -> Law:
    ways = power_law(_FACES, _FACES, n)
    return as_law(((math.log(product) + n * math.log(2 / 7)) / n, w / 21**n) for product, w in ways.items())


def _k1(n: int, goal: str, *easier: str) -> Workload:
    products = (
        ("lea", _lea_products, from_lea),
        ("dyce", _dyce_products, from_dyce),
        ("icepool", _icepool_products, from_icepool),
    )
    return Workload(
        key=f"k1-{n}",
        title=f"k1 of a weighted die, mean of {n} draws",
        goal=goal,
        contenders=(
            Contender("randvar", randvar_k1(n)),
            *_contenders(_RATIOS, _FACES, n, n),
            *(
                Contender(
                    f"{name}, products of integers by hand", make(n), functools.partial(_read_products, n, read), name
                )
                for name, make, read in products
            ),
        ),
        judge=whole_law(lambda: k1_law(n)),
        support=lambda: len(k1_law(n)[0]),
        harder_than=easier,
    )


def _read_products(n: int, read: Callable[[Any], Law], answer: Any) -> Law:
    return _mean_log(n, read(answer))


def _bare_sort() -> Callable[[], np.ndarray]:
    """Nothing but a sort of as many floats, in the order in which the multisets come."""
    sums = _multisets_of_roots()[0]
    return lambda: np.sort(sums)


def _sort_of_atoms() -> Callable[[], Law]:
    """A sort that brings the probabilities along, as every law needs."""
    sums, probs = _multisets_of_roots()

    def work() -> Law:
        order = np.argsort(sums)
        return sums.take(order), probs.take(order)

    return work


@functools.cache
def _multisets_of_roots() -> Law:
    """The 3,162,510 sums of five roots, and 5!/(c_1! c_2! ...) p_1^c_1 p_2^c_2 ...: the integers stay below 2^53."""
    size = math.comb(54, 5)
    draws = np.fromiter(
        itertools.chain.from_iterable(itertools.combinations_with_replacement(range(50), 5)), np.int8, 5 * size
    ).reshape(size, 5)
    weights, run = np.array(_WEIGHTS), np.ones(size, dtype=np.int64)
    ways = weights[draws[:, 0]].astype(np.int64)
    for i in range(1, 5):
        run = np.where(draws[:, i] == draws[:, i - 1], run + 1, 1)
        ways = ways * weights[draws[:, i]] * (i + 1) // run  # i + 1 draws out of the run: an integer at every step
    return np.array(_ROOTS)[draws].sum(axis=1), ways / sum(_WEIGHTS) ** 5


def _judge_roots(found: Any) -> Finding:
    if isinstance(found, np.ndarray):
        return Finding(len(found), 0.0)
    return whole_law(_multisets_of_roots)(found)


WORKLOADS = [
    _k1(20, "15 ms, 4851 outcomes, 50 times faster than the best of the others"),
    _k1(50, "500 ms, 67,626 outcomes, below 1 GB", "k1-20"),
    Workload(
        key="roots",
        title="Sum of 5 draws of 50 irregular values",
        goal="600 ms, at most 3 times a bare sort",
        contenders=(
            Contender("randvar", _randvar_roots),
            Contender("numpy, a bare sort of as many floats", _bare_sort),
            Contender("numpy, a bare sort of as many atoms", _sort_of_atoms),
            *_contenders(_ROOTS, _WEIGHTS, 5, 1),
        ),
        judge=_judge_roots,
        support=lambda: math.comb(54, 5),
    ),
]
