"""Values that no one should pass and someone will: by name, each made anew for every call (an iterator is used up)."""

import collections
import datetime
import itertools
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import sympy
from scipy import stats

from randvar import Joint, Var, bernoulli, constant, iid, indep, monte_carlo, shared, total

HUGE = 10**400  # no float
s = sympy.Symbol("s", positive=True)

die = Var([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4])
coin = Var([0, 1], [0.5, 0.5])
words = Var(["a", "b"], [0.5, 0.5])
exact = Var([0, 1], [Fraction(1, 4), Fraction(3, 4)])
rough = Var([0.1, 0.7, math.pi], [0.2, 0.3, 0.5])
pair = shared(coin).op(lambda a: a, lambda a: a - 0.5)
dependent_pair = Joint([0, 1, 2], [0, 1], [[0.1, 0.2], [0.3, 0.1], [0.2, 0.1]])


class Boom(Exception):
    """What a person's own code raises."""


def boom(*_: Any) -> Any:
    """A function that fails."""
    raise Boom("bang")


def broken_iterator() -> Iterator[int]:
    """Data that break off."""
    yield 1
    raise Boom("bang")


def returns(value: Any) -> Callable[..., Any]:
    """A function that returns this, whatever it is given."""
    return lambda *_: value


NUMBERS: dict[str, Any] = {
    **{repr(n): n for n in (0, 1, -1, 2, 10**7, 10**20, -(10**20), 2**63 - 1, 2**63, True, False)},
    "10**400": HUGE,
    "-10**400": -HUGE,
    **{repr(x): x for x in (-0.0, 0.5, 1.5, 2.0, 1e308, -1e308, 1e-308, 5e-324, math.nan, math.inf, -math.inf)},
    **{repr(z): z for z in (1j, 1 + 0j, Decimal("0.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"))},
    **{repr(q): q for q in (Fraction(1, 3), Fraction(-1, 3), Fraction(2), Fraction(HUGE), Fraction(1, HUGE))},
    **{f"{dtype.__name__}(0.5)": dtype(0.5) for dtype in (np.float16, np.float32, np.float64, np.longdouble)},
    **{f"{dtype.__name__}(3)": dtype(3) for dtype in (np.uint8, np.int8, np.int16, np.uint32, np.int64, np.uint64)},
    "np.int8(-1)": np.int8(-1),
    "np.uint64 max": np.uint64(2**64 - 1),
    "np.bool_": np.bool_(True),
    "np.float64(nan)": np.float64("nan"),
    "np.complex64": np.complex64(1j),
    "np.datetime64": np.datetime64("2020-01-01"),
    "NaT of numpy": np.datetime64("NaT"),
    "np.str_": np.str_("x"),
    "np.void": np.void(b"ab"),
    **{f"0-d {value!r}": np.array(value) for value in (2, 0.5, math.nan, None)},
    "NA of pandas": pd.NA,
    "NaT of pandas": pd.NaT,
}

SYMBOLS: dict[str, Any] = {
    "symbol": s,
    "symbol of no sign": sympy.Symbol("t"),
    **{f"sympy {e}": e for e in (sympy.nan, sympy.oo, sympy.zoo, sympy.I, sympy.Rational(1, 2), sympy.pi, sympy.true)},
    "relation": s < 1,
}

COLLECTIONS: dict[str, Callable[[], Any]] = {
    **{repr(text): lambda text=text: text for text in ("", "ten", "1", b"by", bytearray(b"ab"))},
    **{
        repr(items)[:40]: lambda items=items: items
        for items in (
            [], (), [1], [1, 2], (1, 2), [0.5, 0.5], [None, None], [math.nan, 1], [[0.5], [0.5]], [[1], [1, 2]],
            [1, "a"],
            [Fraction(1, 2), 0.5], [HUGE, 0.5], [math.inf, -math.inf], [1j, 2], [Decimal("0.5")] * 2, [[], []], [-1, 2],
            [1e308, 1e308], [5e-324, 5e-324], [s, 1 - s], [abs, abs], {1, 2}, frozenset({1, 2}), {}, {0: 0.5, 1: 0.5},
            {"a": "b"}, {"a": coin, "b": die}, range(2), range(10**12),
        )
    },
    **{
        f"array {name}": lambda array=array: array.copy()
        for name, array in {
            "empty": np.array([]), "floats": np.array([0.5, 0.5]), "ints": np.array([1, 2]),
            "bools": np.array([True, False]), "complex": np.array([1j, 2]), "text": np.array(["a", "b"]),
            "objects": np.array([1, None]), "2-d": np.eye(2), "3-d": np.ones((2, 2, 2)), "2 x 0": np.zeros((2, 0)),
            "float16": np.array([0.5, 0.5], np.float16), "float32": np.full(10, 0.1, np.float32),
            "long doubles": np.array([0.5, 0.5], np.longdouble), "uint8": np.array([1, 255], np.uint8),
            "uint64": np.array([1, 2**64 - 1], np.uint64), "masked": np.ma.array([1, 2], mask=[0, 1]),
            "dates": np.array(["2020-01-01", "NaT"], "datetime64[D]"),
            "records": np.array([(1, 2.0)], [("a", int), ("b", float)]),
        }.items()
    },
    "a Counter": lambda: collections.Counter("aab"),
    "a deque": lambda: collections.deque([0.5, 0.5]),
    "a generator": lambda: (p for p in (0.5, 0.5)),
    "a generator that fails": broken_iterator,
    "endless numbers": itertools.count,
    "endless halves": lambda: itertools.repeat(0.5),
    "a map": lambda: map(str, [1, 2]),
    "a Series": lambda: pd.Series([0.5, 0.5]),
    "a Series of text": lambda: pd.Series(["a", "b"]),
    "a Series with NA": lambda: pd.Series([1, None], dtype="Int64"),
    "a DataFrame": lambda: pd.DataFrame({"a": [0.5, 0.5]}),
    "a Categorical": lambda: pd.Categorical(["a", "b"]),
}  # fmt: skip

OBJECTS: dict[str, Any] = {
    "None": None,
    "an object": object(),
    "a module": np,
    "Ellipsis": ...,
    "a date": datetime.date(2020, 1, 1),
    "a duration": datetime.timedelta(1),
    "a slice": slice(1, 2),
    **{f"class {cls.__name__}": cls for cls in (int, str, Var, Joint, ValueError)},
    "a normal law of scipy": stats.norm(),
    "a Poisson law of scipy": stats.poisson(3.0),
    "scipy's Poisson": stats.poisson,
}

FUNCTIONS: dict[str, Any] = {
    "raises": boom,
    "of no argument": lambda: 1,
    "of three arguments": lambda a, b, c: 1,
    "mostly None": lambda a=0, *_: None if a else 1,
    "a generator function": lambda *_: (i for i in (1, 2)),
    **{
        f"returns {name}": returns(value)
        for name, value in {
            "None": None, "NaN": math.nan, "inf": math.inf, "1e308": 1e308, "10**400": HUGE, "1j": 1j, "text": "z",
            "a list": [1, 2], "an empty list": [], "a set": {1}, "an array": np.ones(2), "a 0-d array": np.ones(()),
            "a Var": coin, "a rational Var": exact, "a Joint": pair, "a class": int, "a Decimal": Decimal(1),
            "a NaN Decimal": Decimal("NaN"), "float32": np.float32(0.1), "uint8": np.uint8(255), "a symbol": s,
            "NaT": np.datetime64("NaT"), "NA": pd.NA,
        }.items()
    },
    **{f.__name__: f for f in (np.log, np.exp, np.square, np.isnan, np.add, np.modf, np.mean, len, max)},
}  # fmt: skip

LAWS: dict[str, Any] = {
    "die": die,
    "words": words,
    "rational": exact,
    "symbolic": bernoulli(s),
    "constant": constant(2),
    "constant word": constant("z"),
    "infinite": Var([0, math.inf], [0.5, 0.5]),
    "infinite both ways": Var([-math.inf, math.inf], [0.5, 0.5]),
    "rough": rough,
    "a sum": total(die, 5),
    "too large to list": monte_carlo(rough, 10**6),
    "outcomes without order": Var([None, (1, 2), "a"], [0.2, 0.3, 0.5]),
    "complex outcomes": Var([1j, 2], [0.5, 0.5]),
    "outcomes beyond floats": Var([HUGE, 1], [0.5, 0.5]),
    "outcomes at the end of floats": Var([1e308, -1e308], [0.5, 0.5]),
    "outcomes at the end of integers": Var([2**62, 2**63 - 1], [0.5, 0.5]),
    "Decimals": Var([Decimal(1), Decimal(2)], [0.5, 0.5]),
    "fractions": Var([Fraction(1, 3), Fraction(2, 3)], [0.5, 0.5]),
    "dates": Var([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], [0.5, 0.5]),
    "subnormal probability": Var([0, 1], [1e-320, 1 - 1e-320]),
    "symbols as outcomes": Var([s, 2 * s], [Fraction(1, 2)] * 2),
    "pair": pair,
    "dependent pair": dependent_pair,
    "triple": iid(coin, 3),
    "one coordinate": indep(coin),
    "pair of words": shared(words),
    "word beside number": indep(coin, words),
    "rational pair": shared(exact),
    "symbolic pair": shared(bernoulli(s)),
    "mean of pairs": monte_carlo(pair, 3),
    "pair too large to list": iid(die, 50),
    "infinite pair": shared(Var([0, math.inf], [0.5, 0.5])),
    "pair at the end of floats": shared(Var([1e308, -1e308], [0.5, 0.5])),
}

HOSTILE: dict[str, Callable[[], Any]] = {
    **{name: lambda value=value: value for name, value in (NUMBERS | SYMBOLS | OBJECTS | FUNCTIONS | LAWS).items()},
    **COLLECTIONS,
}
