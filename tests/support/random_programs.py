"""Random programs (`programs`), grown from small laws one call at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

from naive_programs import Naive
from programs import EVENTS, FUNCTIONS, STATISTICS, Call

MOST_ATOMS = 400  # of a law that grows on
MOST_TUPLES = 2000  # that the naive enumeration of a sample looks at

# Values as people have them: whole, in steps that binary does and does not hold, and logarithms (of primes, so that no
# two different sums of them meet).
_STEPS = [Fraction(1), Fraction(1), Fraction(1, 4), Fraction(1, 10), Fraction(1, 3), Fraction(7, 100)]
_LOGARITHMS = [Fraction(math.log(p)) for p in (2, 3, 5, 7, 11)]
_COEFFICIENTS = [Fraction(c) for c in ("-2", "-1", "1/2", "1/3", "1", "3/10", "2", "7")]


class Grower:
    """A pool of programs with their naive laws; `grow` adds one that uses them."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.laws: dict[Call, dict[Any, Fraction]] = {}

    def program(self, calls: int) -> Call:
        """A program of about that many calls."""
        for _ in range(2):
            self._keep(self._leaf())
        last = self._leaf()
        self._keep(last)
        while len(self.laws) < calls + 3:
            grown = self._grown(last)
            if grown is not None and self._keep(grown):
                last = grown
        return last

    def _keep(self, call: Call) -> bool:
        law = call.run(Naive())
        self.laws[call] = law
        return True

    def _leaf(self) -> Call:
        rng = self.rng
        kind = rng.choice(["law"] * 4 + ["weighted", "flip", "integers", "constant", "binomial"])
        if kind == "flip":
            return Call("flip", Fraction(rng.randint(1, 9), 10))
        if kind == "integers":
            low = rng.randint(-3, 2)
            return Call("integers", low, low + rng.randint(1, 6))
        if kind == "constant":
            return Call("constant", self._value())
        if kind == "binomial":
            return Call("binomial", rng.randint(0, 4), Fraction(rng.randint(1, 7), 8))
        values = self._values()
        return Call(kind, values, tuple(rng.randint(0, 6) for _ in values[1:]) + (rng.randint(1, 6),))

    def _values(self) -> tuple[Fraction, ...]:
        """Up to five values, some of them repeated."""
        if self.rng.random() < 0.15:
            return tuple(self.rng.sample(_LOGARITHMS, self.rng.randint(1, 4)))
        step = self.rng.choice(_STEPS)
        return tuple(step * self.rng.randint(-6, 6) for _ in range(self.rng.randint(1, 5)))

    def _value(self) -> Fraction:
        return self.rng.choice(_STEPS) * self.rng.randint(-6, 6)

    def _grown(self, last: Call) -> Call | None:
        """A call that uses the last program if it can, and others of the pool."""
        rows = isinstance(next(iter(self.laws[last])), tuple)
        rule = self.rng.choice(_ON_JOINTS if rows else _ON_VARS)
        return rule(self, last)

    # what the rules ask for

    def size(self, call: Call) -> int:
        return len(self.laws[call])

    def dim(self, call: Call) -> int:
        return len(next(iter(self.laws[call])))

    def another(self, room: float) -> Call:
        """A Var of the pool, of a size that leaves room (or a leaf)."""
        fitting = [c for c, law in self.laws.items() if not isinstance(next(iter(law)), tuple) and len(law) <= room]
        return self.rng.choice(fitting) if fitting else Call("constant", self._value())

    def function(self) -> str:
        return self.rng.choice(list(FUNCTIONS))

    def statistic(self) -> str:
        return self.rng.choice(list(STATISTICS))

    def coefficient(self) -> Fraction:
        return self.rng.choice(_COEFFICIENTS)

    def possible_event(self, call: Call) -> str | None:
        """An event that can happen."""
        rows = [a if isinstance(a, tuple) else (a,) for a in self.laws[call]]
        events = [name for name, event in EVENTS.items() if any(event(*row) for row in rows)]
        return self.rng.choice(events) if events else None

    def event(self) -> str:
        return self.rng.choice(["above", "below", "outside"])

    def copies(self, call: Call, least: int = 1, most: int = 5, tuples: float = MOST_TUPLES) -> int | None:
        """As many draws as an enumeration of all tuples can bear."""
        fitting = [n for n in range(least, most + 1) if self.size(call) ** n <= tuples]
        return self.rng.choice(fitting) if fitting else None


Rule = Callable[[Grower, Call], Call | None]


def _with_copies(name: str, *details: Callable[[Grower], Any], least: int = 1, tuples: float = MOST_TUPLES) -> Rule:
    def rule(g: Grower, x: Call) -> Call | None:
        n = g.copies(x, least, tuples=tuples)
        return None if n is None else Call(name, x, *(detail(g) for detail in details), n)

    return rule


def _sum(name: str, least: int) -> Rule:
    """Sums merge as they go, so that more draws can be borne."""

    def rule(g: Grower, x: Call) -> Call | None:
        return Call(name, x, g.rng.randint(least, 6)) if g.size(x) <= 6 else _with_copies(name)(g, x)

    return rule


def _cond(name: str) -> Rule:
    def rule(g: Grower, x: Call) -> Call | None:
        event = g.possible_event(x)
        return None if event is None else Call(name, x, event)

    return rule


def _indep(g: Grower, x: Call) -> Call:
    """With one or two others, before or after; a Joint may stand among them."""
    others = [g.another(MOST_ATOMS / g.size(x))]
    if g.rng.random() < 0.3:
        others.append(g.another(MOST_ATOMS / g.size(x) / g.size(others[0])) if others[0] in g.laws else others[0])
    variables = [x, *others]
    g.rng.shuffle(variables)
    return Call("indep", *variables)


def _stratified(g: Grower, x: Call) -> Call | None:
    y = g.another(20)
    n, m = g.copies(x, tuples=100), g.copies(y, tuples=100) if y in g.laws else 1
    return None if n is None or m is None else Call("stratified", x, y, Fraction(g.rng.randint(1, 9), 10), n, m)


def _post_stratified(g: Grower, x: Call) -> Call | None:
    y = g.another(6)
    n = g.rng.randint(2, 3)
    fits = (g.size(x) + g.size(y)) ** n <= MOST_TUPLES if y in g.laws else False
    return Call("post_stratified", x, y, Fraction(g.rng.randint(1, 9), 10), n) if fits else None


def _weighted(g: Grower, name: str, *details: Any) -> Call:
    """An estimator that draws from q and weighs by p/q, on a law of its own."""
    values = tuple(sorted(set(g._values())))
    p, q = (tuple(g.rng.randint(1, 6) for _ in values) for _ in range(2))
    return Call(name, values, p, q, g.function(), *details, g.rng.randint(1, 3))


def _difference_of_groups(name: str, *details: Callable[[Grower], Any]) -> Rule:
    return _with_copies(name, Grower.function, Grower.function, *details, tuples=40)


_ON_VARS: list[Rule] = [
    lambda g, x: Call("op", x, g.function()),
    lambda g, x: Call("op", x, g.function()),
    lambda g, x: Call("event", x, g.event()),
    _cond("cond"),
    lambda g, x: Call("mixture", x, g.event(), g.another(100), g.another(100)),
    lambda g, x: Call("mixed_with_a_number", x, g.event(), g.another(100), g._value()),
    lambda g, x: Call("affine", x, g.coefficient(), g._value()),
    lambda g, x: Call("quotient", x, g.coefficient()),
    _indep,
    _indep,
    lambda g, x: Call("shared", x, g.rng.randint(1, 3)),
    _with_copies("iid", least=1, tuples=MOST_ATOMS),
    lambda g, x: Call("dependent", x, g.event(), g.another(20), g.another(20)),
    lambda g, x: Call("vector", x, *(g.function() for _ in range(g.rng.randint(1, 3)))),
    _sum("total", 0),
    _sum("total", 1),
    _sum("monte_carlo", 1),
    _sum("monte_carlo", 1),
    _stratified,
    _stratified,
    lambda g, x: Call("control_variate", x, g.function(), g.function(), g._value(), g.coefficient()),
    lambda g, x: Call("linear_control", x, g.function(), g.coefficient()),
    _difference_of_groups("ab_sampling"),
    _difference_of_groups("ab_test", Grower.coefficient),
    lambda g, x: Call("topk", x, g.function(), g.rng.randint(0, g.size(x))),
    lambda g, x: Call("masked_topk", x, g.function(), g.rng.randint(0, g.size(x))),
    _with_copies("leave_one_out", least=2, tuples=200),
    _with_copies("sampling", Grower.statistic),
    _with_copies("sampling", Grower.statistic),
    lambda g, x: Call("product", Call("op", x, "size"), g.rng.randint(1, 3)) if g.size(x) <= 12 else None,
    lambda g, x: Call("antithetic_pair", x),
    lambda g, x: Call("best_of_n", x, 2, g.function()) if g.size(x) <= 20 else None,
    lambda g, x: Call("pass_at_k", Fraction(g.rng.randint(1, 9), 10), 5, g.rng.randint(1, 5)),
    lambda g, x: Call("without_replacement", g._values() * 2, g.rng.randint(1, 2)),
    _post_stratified,
    lambda g, x: _weighted(g, "importance"),
    lambda g, x: _weighted(g, "self_normalized"),
    lambda g, x: _weighted(g, "truncated", Fraction(g.rng.randint(1, 5), 2)),
]


def _two(rule: Rule) -> Rule:
    """Only for two coordinates."""
    return lambda g, j: rule(g, j) if g.dim(j) == 2 else Call("select", j, 0, g.dim(j) - 1)


def _select(g: Grower, j: Call) -> Call:
    return Call("select", j, *(g.rng.randrange(g.dim(j)) for _ in range(g.rng.randint(1, 3))))


_ON_JOINTS: list[Rule] = [
    lambda g, j: Call("map", j, *(g.function() for _ in range(g.dim(j)))),
    lambda g, j: Call("map", j, *(g.function() for _ in range(g.dim(j)))),
    lambda g, j: Call("redraw", j, g.event(), g.another(20)),
    _cond("given"),
    _cond("given"),
    lambda g, j: Call("combine", j, g.statistic()),
    lambda g, j: Call("combine", j, g.statistic()),
    lambda g, j: Call("add", j),
    _two(lambda g, j: Call("sub", j)),
    lambda g, j: Call("mul", j),
    lambda g, j: Call("marginal", j, g.rng.randrange(g.dim(j))),
    _select,
    lambda g, j: Call("transpose", j),
    _indep,
    lambda g, j: Call("dependent", j, "falling", g.another(20), g.another(20)) if g.size(j) <= 40 else None,
    _with_copies("total"),
    _with_copies("monte_carlo"),
    _two(_with_copies("leave_one_out_gradient", least=2)),
    _two(_with_copies("leave_one_out_gradient", least=2)),
    _with_copies("row_sampling", Grower.statistic),
    lambda g, j: Call("rao_blackwell", j, g.statistic()),
    _two(_with_copies("group_gradient", least=2)),
    _two(lambda g, j: Call("reinforce", j, g.rng.randint(1, 2), g._value()) if g.size(j) <= 20 else None),
]


def random_program(seed: int) -> Call:
    """The program of a seed: two to seven calls on top of its laws."""
    rng = Random(seed)
    return Grower(rng).program(rng.randint(1, 6))
