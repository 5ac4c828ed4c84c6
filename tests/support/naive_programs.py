"""What each call of a program (`programs`) means, by naive enumeration in fractions. Nothing of the package is used."""

from __future__ import annotations

import bisect
import itertools
import math
from fractions import Fraction

import oracle
from programs import EVENTS, FUNCTIONS, STATISTICS


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
