"""Programs in the language that can be run three ways: in floats, in fractions, and by naive enumeration.

A program is a tree of calls such as `Call("total", Call("law", (0, Fraction(1, 3)), (1, 2)), 3)`, which is also how it
prints. Two interpreters have a method for each name: `Package` hands the work to the package, `Naive` enumerates
dictionaries of fractions (`oracle`). They share the functions that a person would write, and nothing else.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import oracle

import randvar as rv

# Thresholds that no outcome can meet, so that the rounding of an outcome decides nothing.
T, U = Fraction(131, 997), Fraction(-610, 991)
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

# Functions of one outcome.
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda a: a,
    "square": lambda a: a * a,
    "size": abs,
    "odd line": lambda a: 2 * a - 1,
    "third": lambda a: a * THIRD,
    "clip": lambda a: max(-1, min(a, 1)),
    "sign": lambda a: (a > T) - (a < U),
    "parabola": lambda a: a * a - a,
    "nothing": lambda a: 0,
}

# Events of one or more outcomes.
EVENTS: dict[str, Callable[..., bool]] = {
    "above": lambda *row: row[0] > T,
    "below": lambda *row: row[-1] < U,
    "outside": lambda *row: abs(row[0]) > T,
    "falling": lambda *row: row[0] > row[-1] + T,
    "positive sum": lambda *row: sum(row) > T,
}

# Functions of the outcomes of one or more variables, or of the draws of a sample.
STATISTICS: dict[str, Callable[..., Any]] = {
    "largest": lambda *row: max(row),
    "smallest": lambda *row: min(row),
    "range": lambda *row: max(row) - min(row),
    "middle": lambda *row: sorted(row)[len(row) // 2],
    "sum": lambda *row: sum(row),
    "product": lambda *row: math.prod(row),
    "first": lambda *row: row[0],
    "last less first": lambda *row: row[-1] - row[0],
    "successes": lambda *row: sum(a > T for a in row),
    "squares": lambda *row: sum(a * a for a in row),
    "mean": lambda *row: sum(row) * Fraction(1, len(row)),
    "spread": lambda *row: sum(a * a for a in row) * len(row) - sum(row) ** 2,
}


@dataclass(frozen=True, init=False, repr=False)
class Call:
    """A name and its arguments: programs, numbers, names of functions."""

    name: str
    arguments: tuple[Any, ...]

    def __init__(self, name: str, *arguments: Any) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "arguments", arguments)

    def run(self, language: Any) -> Any:
        """What the program means in a language."""
        arguments = [a.run(language) if isinstance(a, Call) else a for a in self.arguments]
        return getattr(language, self.name)(*arguments)

    def parts(self) -> list[Call]:
        """The programs among the arguments."""
        return [a for a in self.arguments if isinstance(a, Call)]

    def walk(self) -> Iterator[Call]:
        """Every program in this one, parts before the whole."""
        for part in self.parts():
            yield from part.walk()
        yield self

    def __repr__(self) -> str:
        return f"Call({', '.join(map(repr, (self.name, *self.arguments)))})"


class Package:
    """The package, with numbers as floats or as fractions."""

    def __init__(self, *, exact: bool) -> None:
        self.exact = exact

    def number(self, v: Fraction | int) -> Any:
        """A whole number stays an int in either kind."""
        v = Fraction(v)
        return int(v) if v.denominator == 1 else v if self.exact else float(v)

    def share(self, p: Fraction) -> Any:
        return Fraction(p) if self.exact else float(p)

    # laws

    def law(self, values, weights):
        whole = sum(weights)
        return rv.Var(map(self.number, values), [self.share(Fraction(w, whole)) for w in weights])

    def weighted(self, values, weights):
        return rv.from_weights(map(self.number, values), map(self.share, weights))

    def flip(self, p):
        return rv.bernoulli(self.share(p))

    def integers(self, a, b):
        x = rv.uniform(a, b)
        return x.rational() if self.exact else x

    def constant(self, v):
        return rv.constant(self.number(v))

    def binomial(self, n, p):
        return rv.binomial(n, self.share(p))

    # one variable

    def op(self, x, f):
        return x.op(FUNCTIONS[f])

    def event(self, x, event):
        return x.op(EVENTS[event])

    def cond(self, x, event):
        return x.cond(EVENTS[event])

    def mixture(self, x, event, y, z):
        return x.op(lambda a: y if EVENTS[event](a) else z)

    def mixed_with_a_number(self, x, event, y, v):
        return x.op(lambda a: y if EVENTS[event](a) else self.number(v))

    def affine(self, x, scale, shift):
        return self.number(scale) * x + self.number(shift)

    def quotient(self, x, divisor):
        return self.number(divisor) - x / self.number(divisor)

    # several

    def indep(self, *variables):
        return rv.indep(*variables)

    def shared(self, x, copies):
        return rv.shared(x, copies)

    def iid(self, x, n):
        return rv.iid(x, n)

    def dependent(self, x, event, y, z):
        return rv.dependent(x, lambda *row: y if EVENTS[event](*row) else z)

    def vector(self, x, *functions):
        return x.vector(lambda a: [FUNCTIONS[f](a) for f in functions])

    def map(self, j, *functions):
        return j.op(*(FUNCTIONS[f] for f in functions))

    def redraw(self, j, event, y):
        """The first coordinate is drawn anew where the event holds for it."""
        return j.op(lambda a: y if EVENTS[event](a) else a, *[lambda a: a] * (j.dim - 1))

    def given(self, j, event):
        return j.cond(EVENTS[event])

    def combine(self, j, f):
        return j.combine(STATISTICS[f])

    def add(self, j):
        return j.add()

    def sub(self, j):
        return j.sub()

    def mul(self, j):
        return j.mul()

    def marginal(self, j, i):
        return j.marginal(i)

    def select(self, j, *coordinates):
        return j.select(*coordinates)

    def transpose(self, j):
        return j.transpose()

    # estimators

    def total(self, x, n):
        return rv.total(x, n)

    def monte_carlo(self, x, n):
        return rv.monte_carlo(x, n)

    def stratified(self, x, y, share, n, m):
        return rv.stratified([x, y], [self.share(share), self.share(1 - share)], [n, m])

    def control_variate(self, x, f, h, mean, b):
        return rv.control_variate(x, FUNCTIONS[f], FUNCTIONS[h], self.number(mean), self.number(b))

    def linear_control(self, x, f, b):
        return rv.linear_control(x, FUNCTIONS[f], self.number(b))

    def ab_sampling(self, x, f, g, n):
        return rv.ab_sampling(x, FUNCTIONS[f], FUNCTIONS[g], n)

    def ab_test(self, x, f, g, b, n):
        return rv.ab_test(x, FUNCTIONS[f], FUNCTIONS[g], lambda a: a, self.number(b), n)

    def topk(self, x, f, k):
        return rv.topk(x, FUNCTIONS[f], k)

    def masked_topk(self, x, f, k):
        return rv.topk(x, FUNCTIONS[f], k, masked=True)

    def leave_one_out(self, x, n):
        return rv.leave_one_out(x, n)

    def leave_one_out_gradient(self, pair, n):
        return rv.leave_one_out_gradient(pair, n)

    def sampling(self, x, statistic, n):
        return rv.sampling_distribution(lambda v: STATISTICS[statistic](*v), x, n, progress=False)

    def row_sampling(self, j, statistic, n):
        """Of each row of the sample the statistic, of the results the sum."""
        each = STATISTICS[statistic]
        return rv.sampling_distribution(lambda rows: sum(each(*row) for row in rows), j, n, progress=False)

    def product(self, x, n):
        return rv.product(x, n)

    def antithetic_pair(self, x):
        return rv.antithetic_pair(x)

    def rao_blackwell(self, j, f):
        return rv.rao_blackwell(j, STATISTICS[f])

    def best_of_n(self, x, n, key):
        return rv.best_of_n(x, n, FUNCTIONS[key])

    def pass_at_k(self, p, n, k):
        return rv.pass_at_k(self.flip(p), n, k)

    def without_replacement(self, units, n):
        return rv.without_replacement([self.number(v) for v in units], n, exact=self.exact)

    def post_stratified(self, x, y, share, n):
        shares = [self.share(share), self.share(1 - share)]
        return rv.post_stratified([x, y], shares, n, undefined="drop")

    def importance(self, values, p, q, f, n):
        return rv.monte_carlo(rv.importance(self.law(values, p), self.law(values, q), FUNCTIONS[f]), n)

    def self_normalized(self, values, p, q, f, n):
        return rv.self_normalized(self.law(values, p), self.law(values, q), FUNCTIONS[f], n)

    def truncated(self, values, p, q, f, cap, n):
        return rv.truncated(self.law(values, p), self.law(values, q), FUNCTIONS[f], self.number(cap), n)

    def reinforce(self, pair, n, baseline):
        return rv.reinforce(pair, n, self.number(baseline))

    def group_gradient(self, pair, n):
        return rv.group_gradient(pair, n, baseline="mean")


class Naive:
    """Dictionaries from outcome to fraction; a row is a tuple."""

    def law(self, values, weights):
        return oracle.law(map(Fraction, values), weights)

    weighted = law

    def flip(self, p):
        return oracle.law([0, 1], [1 - p, p])

    def integers(self, a, b):
        return oracle.uniform(range(a, b))

    def constant(self, v):
        return {v: Fraction(1)}

    def binomial(self, n, p):
        return oracle.total(self.flip(p), n) if n else self.constant(0)

    def op(self, x, f):
        return oracle.law_of(FUNCTIONS[f], x)

    def event(self, x, event):
        return oracle.law_of(EVENTS[event], x)

    def cond(self, x, event):
        return oracle.given(x, EVENTS[event])

    def mixture(self, x, event, y, z):
        return oracle.mixture(x, lambda a: y if EVENTS[event](a) else z)

    def mixed_with_a_number(self, x, event, y, v):
        return self.mixture(x, event, y, self.constant(v))

    def affine(self, x, scale, shift):
        return oracle.law_of(lambda a: scale * a + shift, x)

    def quotient(self, x, divisor):
        return oracle.law_of(lambda a: divisor - Fraction(a) / divisor, x)

    def indep(self, *laws):
        return oracle.law_of(lambda *rows: sum(map(_row, rows), ()), *laws)

    def shared(self, x, copies):
        return oracle.law_of(lambda a: (a,) * copies, x)

    def iid(self, x, n):
        return self.indep(*[x] * n)

    def dependent(self, x, event, y, z):
        return oracle.mixture(x, lambda a: {(*_row(a), b): q for b, q in (y if EVENTS[event](*_row(a)) else z).items()})

    def vector(self, x, *functions):
        return oracle.law_of(lambda a: tuple(FUNCTIONS[f](a) for f in functions), x)

    def map(self, j, *functions):
        return oracle.law_of(lambda row: tuple(FUNCTIONS[f](a) for f, a in zip(functions, row, strict=True)), j)

    def redraw(self, j, event, y):
        return oracle.mixture(
            j, lambda row: {(b, *row[1:]): q for b, q in y.items()} if EVENTS[event](row[0]) else {row: Fraction(1)}
        )

    def given(self, j, event):
        return oracle.given(j, lambda row: EVENTS[event](*row))

    def combine(self, j, f):
        return oracle.law_of(lambda row: STATISTICS[f](*row), j)

    def add(self, j):
        return self.combine(j, "sum")

    def sub(self, j):
        return oracle.law_of(lambda row: row[0] - row[1], j)

    def mul(self, j):
        return self.combine(j, "product")

    def marginal(self, j, i):
        return oracle.law_of(lambda row: row[i], j)

    def select(self, j, *coordinates):
        return oracle.law_of(lambda row: tuple(row[i] for i in coordinates), j)

    def transpose(self, j):
        return oracle.law_of(lambda row: row[::-1], j)

    def total(self, x, n):
        if n == 0:
            return oracle.law_of(lambda a: _scaled(a, 0), x)
        return oracle.fold(_plus, x, n)

    def monte_carlo(self, x, n):
        return oracle.law_of(lambda s: _scaled(s, Fraction(1, n)), self.total(x, n))

    def stratified(self, x, y, share, n, m):
        return oracle.law_of(lambda a, b: share * a + (1 - share) * b, self.monte_carlo(x, n), self.monte_carlo(y, m))

    def control_variate(self, x, f, h, mean, b):
        return oracle.law_of(lambda a: (FUNCTIONS[f](a), b * (FUNCTIONS[h](a) - mean)), x)

    def linear_control(self, x, f, b):
        return self.control_variate(x, f, "itself", oracle.mean(x), b)

    def ab_sampling(self, x, f, g, n):
        return self.ab_test(x, f, g, 0, n)

    def ab_test(self, x, f, g, b, n):
        centre = oracle.mean(x)
        treated, untreated = (oracle.law_of(lambda a, k=k: FUNCTIONS[k](a) - b * (a - centre), x) for k in (f, g))
        return oracle.law_of(lambda a, c: a - c, self.monte_carlo(treated, n), self.monte_carlo(untreated, n))

    def topk(self, x, f, k):
        exact, rest = self._split(x, f, k)
        mass = sum(rest.values())
        if not rest:
            return self.constant(exact)
        return oracle.law_of(lambda a: exact + mass * FUNCTIONS[f](a), oracle.law(rest, rest.values()))

    def masked_topk(self, x, f, k):
        exact, rest = self._split(x, f, k)
        return oracle.law_of(lambda a: exact + (FUNCTIONS[f](a) if a in rest else 0), x)

    def _split(self, x, f, k):
        ranked = sorted(x, key=lambda a: (-x[a], a))
        return sum((x[a] * FUNCTIONS[f](a) for a in ranked[:k]), Fraction(0)), {a: x[a] for a in ranked[k:]}

    def leave_one_out(self, x, n):
        return self.monte_carlo(x, n - 1)

    def leave_one_out_gradient(self, pair, n):
        def average(sample):
            whole = sum(r for r, _ in sample)
            return sum((r - Fraction(whole - r, n - 1)) * s for r, s in sample) / n

        return oracle.law_of_draws(average, pair, n)

    def sampling(self, x, statistic, n):
        return oracle.law_of_draws(lambda v: STATISTICS[statistic](*v), x, n)

    def row_sampling(self, j, statistic, n):
        return oracle.total(self.combine(j, statistic), n)

    def product(self, x, n):
        return oracle.fold(lambda a, b: a * b, x, n)

    def antithetic_pair(self, x):
        """Q(U) and Q(1 - U) are constant between the steps of the distribution function and their mirror images."""
        outcomes = sorted(x)
        steps = [Fraction(0), *itertools.accumulate(x[v] for v in outcomes)]

        def quantile(u):
            return outcomes[bisect.bisect_left(steps, u) - 1]

        cuts = sorted({*steps, *(1 - s for s in steps)})
        pairs = [(quantile((u + v) / 2), quantile(1 - (u + v) / 2)) for u, v in itertools.pairwise(cuts)]
        return oracle.law(pairs, [v - u for u, v in itertools.pairwise(cuts)])

    def rao_blackwell(self, j, f):
        def conditional(first):
            return oracle.mean(oracle.given(j, lambda row: row[0] == first), lambda row: STATISTICS[f](*row))

        return oracle.law_of(conditional, self.marginal(j, 0))

    def best_of_n(self, x, n, key):
        def winners(*sample):
            best = max(map(FUNCTIONS[key], sample))
            return tuple(v for v in sample if FUNCTIONS[key](v) == best)

        return oracle.mixture(oracle.law_of(winners, *[x] * n), oracle.uniform)

    def pass_at_k(self, p, n, k):
        def share_of_subsets(*sample):
            subsets = list(itertools.combinations(sample, k))
            return Fraction(sum(map(any, subsets)), len(subsets))

        return oracle.law_of(share_of_subsets, *[self.flip(p)] * n)

    def without_replacement(self, units, n):
        return oracle.uniform([Fraction(sum(sample), n) for sample in itertools.permutations(units, n)])

    def post_stratified(self, x, y, share, n):
        population = oracle.law(
            [*((0, a) for a in x), *((1, b) for b in y)],
            [*(share * p for p in x.values()), *((1 - share) * p for p in y.values())],
        )

        def estimate(*sample):
            first, second = ([v for s, v in sample if s == stratum] for stratum in (0, 1))
            if not first or not second:
                return None
            return share * Fraction(sum(first), len(first)) + (1 - share) * Fraction(sum(second), len(second))

        return oracle.given(oracle.law_of(estimate, *[population] * n), lambda v: v is not None)

    def importance(self, values, p, q, f, n):
        return self.truncated(values, p, q, f, math.inf, n)

    def truncated(self, values, p, q, f, cap, n):
        p, q = self.law(values, p), self.law(values, q)
        one = oracle.law_of(lambda a: min(p[a] / q[a], cap) * FUNCTIONS[f](a), q)
        return self.monte_carlo(one, n)

    def self_normalized(self, values, p, q, f, n):
        p, q = self.law(values, p), self.law(values, q)

        def ratio(*sample):
            return sum(p[a] / q[a] * FUNCTIONS[f](a) for a in sample) / sum(p[a] / q[a] for a in sample)

        return oracle.law_of(ratio, *[q] * n)

    def reinforce(self, pair, n, baseline):
        return self.monte_carlo(oracle.law_of(lambda rs: (rs[0] - baseline) * rs[1], pair), n)

    def group_gradient(self, pair, n):
        def average(sample):
            mean = Fraction(sum(r for r, _ in sample), n)
            return sum((r - mean) * s for r, s in sample) / n

        return oracle.law_of_draws(average, pair, n)


def _row(a):
    return a if isinstance(a, tuple) else (a,)


def _plus(a, b):
    return tuple(u + v for u, v in zip(a, b, strict=True)) if isinstance(a, tuple) else a + b


def _scaled(a, factor):
    return tuple(v * factor for v in a) if isinstance(a, tuple) else a * factor
