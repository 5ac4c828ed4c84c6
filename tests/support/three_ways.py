"""Do a program's float law, its rational law and its naive enumeration agree?"""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from itertools import accumulate
from typing import Any

import oracle
from naive_programs import Naive
from programs import Call, Package

import randvar as rv

ROUNDING = 1e-11  # of a probability, and of a value relative to the largest number on the way to it
_FROM_TAILS = 1e-15  # of a probability that is what one tail has more than another
_LEAVES = {"law", "weighted", "flip", "integers", "constant", "binomial"}
# Their outcomes are computed with probabilities, which round.
_OF_PROBABILITIES = {
    "topk",
    "masked_topk",
    "linear_control",
    "ab_test",
    "rao_blackwell",
    "stratified",
    "post_stratified",
}
_OF_PROBABILITIES |= {"importance", "truncated", "self_normalized"}
_RANKING = {"topk", "masked_topk"}  # which outcomes are likeliest depends on how many are told apart
_LINEAR = {"total", "monte_carlo", "stratified", "leave_one_out", "add", "sub", "indep", "iid"}


def check(program: Call) -> None:
    """Assert that the three agree in every atom and every number about the law."""
    laws = {part: part.run(Naive()) for part in program.walk()}
    exact = laws[program]
    check_rational(program.run(Package(exact=True)), exact)
    sturdy = {part: is_sturdy(part, laws) for part in laws}
    if all(sturdy[part.parts()[0]] for part in laws if part.name in _RANKING):
        size = max(abs(float(v)) for law in laws.values() for row in law for v in _numbers(row))
        got = program.run(Package(exact=False))
        coarse = _FROM_TAILS if any(part.name == "antithetic_pair" for part in laws) else 0.0
        check_float(got, exact, 1 + size, sturdy=sturdy[program], coarse=coarse)
        if isinstance(got, rv.Var) and (_linear(program) or all(_held(part, laws) for part in laws)):
            _float_numbers(got, exact)


def is_sturdy(program: Call, laws: dict[Call, oracle.Law]) -> bool:
    """Whether the rule of merging promises as many float atoms as there are exact ones.

    Values that floats hold, or sums of values that were rounded once. Otherwise a rounded number may have been fed to a
    function that cancels, and 0.1 + 0.2 - 0.3 is an outcome beside 0.
    """
    return _linear(program) or all(_held(part, laws) for part in program.walk() if part is not program)


def _linear(program: Call) -> bool:
    return all(part.name in _LINEAR | _LEAVES for part in program.walk())


def _held(part: Call, laws: dict[Call, oracle.Law]) -> bool:
    """Whether floats hold every outcome of the part, and compute it without rounding."""
    numbers = [Fraction(v) for row in laws[part] for v in _numbers(row)]
    return part.name not in _OF_PROBABILITIES and all(
        v.denominator <= 2**16 and 2**16 % v.denominator == 0 and abs(v) < 2**20 for v in numbers
    )


def _numbers(row: Any) -> tuple[Any, ...]:
    return row if isinstance(row, tuple) else (row,)


# exact


def check_rational(got: rv.Var | rv.Joint, exact: oracle.Law) -> None:
    """The very same numbers, and each of them exact."""
    if isinstance(got, rv.Joint):
        rows = list(zip(*(column.tolist() for column in got.columns), strict=True))
        _same_atoms(rows, got.weights.tolist(), exact)
        assert rows == sorted(rows)
        for i in range(got.dim):
            column = oracle.law_of(lambda row, i=i: row[i], exact)
            _same_atoms(got[i].values.tolist(), got[i].probs.tolist(), column)
            _exactly(rv.expect(got)[i], oracle.mean(column))
            _exactly(rv.variance(got)[i], oracle.variance(column))
        _exactly(rv.cov_matrix(got)[0, -1], oracle.covariance({(r[0], r[-1], r): p for r, p in exact.items()}))
        return
    _exactly(rv.expect(got), oracle.mean(exact))
    _exactly(rv.variance(got), oracle.variance(exact))
    for order, cumulant in ((3, got.source.cumulants()[2]), (4, got.source.cumulants()[3])):
        _exactly(cumulant, oracle.central_moment(exact, order) - 3 * (order == 4) * oracle.variance(exact) ** 2)
    _same_atoms(got.values.tolist(), got.probs.tolist(), exact)
    for value, mass, p in _some(exact):
        _exactly(got.prob(value), p)
        _exactly(got.cdf(value), mass)
        assert got.quantile(mass) == value
    assert got.prob(max(exact) + 1) == 0
    assert got.prob(lambda a: a <= min(exact)) == exact[min(exact)]


def _some(exact: oracle.Law) -> list[tuple[Any, Fraction, Fraction]]:
    """Up to a dozen outcomes, with P(X <= value) and P(X = value): the first, the last and some between."""
    outcomes = sorted(exact)
    masses = list(accumulate(exact[v] for v in outcomes))
    chosen = sorted({i * (len(exact) - 1) // 11 for i in range(12)})
    return [(outcomes[i], masses[i], exact[outcomes[i]]) for i in chosen]


def _same_atoms(values: list[Any], probs: list[Any], exact: oracle.Law) -> None:
    assert values == sorted(values)
    assert len(values) == len(exact), f"{len(values)} atoms, not {len(exact)}"
    assert dict(zip(values, probs, strict=True)) == exact
    for number in (*probs, *(v for row in values for v in _numbers(row))):
        _exactly(number, number)


def _exactly(got: Any, exact: Any) -> None:
    assert isinstance(got, (bool, int, Fraction)), f"{got!r} is a {type(got).__name__}"
    assert got == exact, f"{got}, not {exact}"


# floats


def check_float(got: rv.Var | rv.Joint, exact: oracle.Law, size: float, *, sturdy: bool, coarse: float = 0.0) -> None:
    """The same numbers up to rounding of numbers of this size."""
    if isinstance(got, rv.Joint):
        for i in range(got.dim):
            column = oracle.law_of(lambda row, i=i: row[i], exact)
            _float_atoms(got[i], column, size, sturdy=sturdy, coarse=coarse)
            _near(rv.expect(got)[i], oracle.mean(column), size)
            _near(rv.variance(got)[i], oracle.variance(column), size**2)
        if sturdy:
            assert len(got) == len(exact), f"{len(got)} rows, not {len(exact)}"
        _near(rv.cov_matrix(got)[0, -1], oracle.covariance({(r[0], r[-1], r): p for r, p in exact.items()}), size**2)
        weighing = [Fraction(3), Fraction(-7, 3), Fraction(11, 5), Fraction(13, 7)] * got.dim

        def mark(*row: Any) -> Any:
            return sum(w * v for w, v in zip(weighing, row, strict=False))

        _float_atoms(
            got.combine(lambda *row: float(mark(*row))),
            oracle.law_of(lambda row: mark(*row), exact),
            10 * size,
            coarse=coarse,
        )
        return
    _near(rv.expect(got), oracle.mean(exact), size)
    _near(rv.variance(got), oracle.variance(exact), size**2)
    for order, cumulant in ((3, got.source.cumulants()[2]), (4, got.source.cumulants()[3])):
        wanted = oracle.central_moment(exact, order) - 3 * (order == 4) * oracle.variance(exact) ** 2
        _near(cumulant, wanted, size**order)
    _float_atoms(got, exact, size, sturdy=sturdy, coarse=coarse)


def _float_atoms(got: rv.Var, exact: oracle.Law, size: float, *, sturdy: bool = False, coarse: float = 0.0) -> None:
    """Every float atom is an exact one; together they have its probability."""
    assert got.kind == "float" or len(exact) == 1
    values = [float(v) for v in got.values.tolist()]
    assert values == sorted(values)
    assert not sturdy or len(values) == len(exact), f"{len(values)} atoms, not {len(exact)}"
    expected = sorted(exact)
    floats = [float(v) for v in expected]
    found = dict.fromkeys(expected, 0.0)
    for value, p in zip(values, got.probs.tolist(), strict=True):
        at = bisect_left(floats, value)
        nearest = min(range(max(at - 1, 0), min(at + 1, len(floats))), key=lambda i: abs(floats[i] - value))
        _near(value, expected[nearest], size)
        found[expected[nearest]] += p
    for value, p in found.items():
        assert math.isclose(p, exact[value], rel_tol=ROUNDING, abs_tol=coarse), (
            f"P({value}) = {p!r}, not {float(exact[value])!r}"
        )


def _float_numbers(got: rv.Var, exact: oracle.Law) -> None:
    """Outcomes that are correctly rounded are found by their value."""
    for value, mass, p in _some(exact):
        if Fraction(value).denominator > 10**6:  # logarithms: their sums are not correctly rounded
            continue
        at = sorted(exact).index(value)
        assert math.isclose(got.prob(float(value)), p, rel_tol=ROUNDING), f"P({value}) = {got.prob(float(value))}"
        assert math.isclose(got.cdf(float(value)), mass, rel_tol=ROUNDING)
        assert math.isclose(got.log_prob(float(value)), math.log(p), rel_tol=ROUNDING, abs_tol=ROUNDING)
        if p > Fraction(1, 10**9):  # the middle of its step
            assert got.quantile(float(mass - p / 2)) == got.values[at], f"{value} is not the quantile at {mass - p / 2}"


def _near(got: Any, exact: Any, size: float) -> None:
    assert not isinstance(got, complex)
    got = float(got)
    assert abs(got - float(exact)) <= ROUNDING * size, f"{got!r}, not {float(exact)!r}"


def failure(program: Call) -> tuple[Call, Exception] | None:
    """The smallest part that disagrees, where the whole does: its own parts agree."""
    try:
        check(program)
    except Exception as error:
        smaller = (failure(part) for part in program.parts())
        return next((found for found in smaller if found), (program, error))
    return None
