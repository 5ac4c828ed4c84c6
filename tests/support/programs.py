"""Programs in the language that can be run three ways: in floats, in fractions, and by naive enumeration.

A program is a tree of calls such as `Call("total", Call("law", (0, Fraction(1, 3)), (1, 2)), 3)`, which is also how it
prints. Two interpreters have a method for each name: `Package` hands the work to the package, `naive_programs.Naive`
enumerates dictionaries of fractions. They share the functions that a person would write, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import randvar as rv
from randvar import estimators
from randvar.examples import sampling_to_reinforce as article

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
        return article.linear_control(x, FUNCTIONS[f], self.number(b))

    def ab_sampling(self, x, f, g, n):
        return article.ab_sampling(x, FUNCTIONS[f], FUNCTIONS[g], n)

    def ab_test(self, x, f, g, b, n):
        return article.ab_test(x, FUNCTIONS[f], FUNCTIONS[g], lambda a: a, self.number(b), n)

    def topk(self, x, f, k):
        return rv.topk(x, FUNCTIONS[f], k)

    def masked_topk(self, x, f, k):
        return rv.topk(x, FUNCTIONS[f], k, masked=True)

    def leave_one_out(self, x, n):
        return rv.leave_one_out(x, n)

    def leave_one_out_gradient(self, pair, n):
        return rv.leave_one_out_gradient(pair, n)

    def sampling(self, x, statistic, n):
        return rv.sampling_distribution(lambda v: STATISTICS[statistic](*v), x, n)

    def row_sampling(self, j, statistic, n):
        """Of each row of the sample the statistic, of the results the sum."""
        each = STATISTICS[statistic]
        return rv.sampling_distribution(lambda rows: sum(each(*row) for row in rows), j, n)

    def product(self, x, n):
        return rv.product_of_draws(x, n)

    def antithetic_pair(self, x):
        return estimators.antithetic_pair(x)

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
        return estimators.truncated(self.law(values, p), self.law(values, q), FUNCTIONS[f], self.number(cap), n)

    def reinforce(self, pair, n, baseline):
        return rv.reinforce(pair, n, self.number(baseline))

    def group_gradient(self, pair, n):
        return rv.group_gradient(pair, n, baseline="mean")
