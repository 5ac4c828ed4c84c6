"""The lattice that all values of a sum lie on, if there is one.

On a lattice start + step*k the outcomes of a sum are integers k: two are the same exactly when the integers are, and no
rounding error ever splits or joins outcomes. Floats hide their lattice (0.1 + 0.2 is not 0.3), so it has to be found:
each value is replaced by the simplest rational within a few ulp, and then everything is integer arithmetic.

A lattice that is not there would be worse than none, so a rational p/q is believed only where chance would rarely
produce it: a random number lies within t of *some* fraction of denominator at most q with probability of about 2*t*q^2.

Whole numbers are never guessed at: their lattice is that of the integers, however far apart they are. Floats whose
sums are exact, multiples of one power of two of which no sum holds more than 2^53, have one as well (`exact_grid`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from randvar.atoms.outcomes import outcome_array
from randvar.errors import UndefinedOutcome
from randvar.numbers.arrays import EPS, Array, in_one_array, is_numeric, one_number
from randvar.numbers.fractions import over_one_unit

__all__ = ["Grid", "exact_grid", "find_grid", "rational_grid"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_ULPS = 4.0
_CHANCE = 1e-4  # the largest 2*t*q^2 that is still taken for evidence
_EXACT = 2**53  # every integer up to here is a float
_TOP_BIT = 970  # 2^53 times 2^970 is a float
_WORD = 2**62  # sums and differences of two such integers fit in int64
_STEPS = 2**40  # of a lattice whose step is no fraction


@dataclass(frozen=True)
class Grid:
    """A common lattice: the values of term j are (starts[j] + step*positions[j])/denominator.

    Starts, step and denominator are integers, or, when the step is irrational, starts and step are floats and the
    denominator is 1. Each term's positions have minimum 0. `integral` says that all values came as integers.

    >>> grid = find_grid([np.array([0.1, 0.2, 0.3])], [20], max_span=1000)
    >>> grid.starts, grid.step, grid.denominator, grid.positions
    ((1,), 1, 10, (array([0, 1, 2]),))
    >>> grid.values(np.array([0, 1, 40]), [20])
    array([2. , 2.1, 6. ])
    """

    starts: tuple[int, ...] | tuple[float, ...]
    step: int | float
    denominator: int
    positions: tuple[IntArray, ...]
    integral: bool = False

    def values(self, k: IntArray, copies: Sequence[int]) -> Array:
        """The sums at positions k, (sum_j n_j*start_j + step*k)/denominator: integers for integers, else floats.

        Floats are correctly rounded on a rational lattice. Raises UndefinedOutcome where a sum exceeds the floats.
        O(len(k)).
        """
        if self.integral:
            return self._whole_sums(k, copies)
        with np.errstate(over="ignore"):
            sums = self._float_sums(k, copies) if isinstance(self.step, float) else self._rational_sums(k, copies)
        if not np.isfinite(sums).all():
            raise UndefinedOutcome(
                f"a sum of {sum(copies)} draws exceeds the largest float, 1.8e308; rescale its values"
            )
        return sums

    def signed_values(self, signs: Sequence[int]) -> Array:
        """sum_j signs[j] * (values of term j), value by value. Raises as `values` does. O(their number)."""
        reach = sum(int(column.max()) for column in self.positions)
        terms = (_widened(column, reach // max(1, int(column.max())) + 1) for column in self.positions)
        return self.values(np.sum([s * k for s, k in zip(signs, terms, strict=True)], axis=0), signs)

    def holds(self, columns: Sequence[Array]) -> bool:
        """Whether the values that it was found for are multiples of its step as they are, not up to rounding. O(k)."""
        steps = [
            (Fraction(v) - Fraction(start), k)
            for column, start, positions in zip(columns, self.starts, self.positions, strict=True)
            for v, k in zip(column.tolist(), positions.tolist(), strict=True)
            if k
        ]
        return all(distance * steps[0][1] == steps[0][0] * k for distance, k in steps)

    def position(self, value: float, copies: Sequence[int], slack: float = 0.0) -> int | None:
        """The position whose sum is this value (`one_number`, or closer than `slack`), or None."""
        offset = sum(int(n) * Fraction(start) for n, start in zip(copies, self.starts, strict=True))
        k = round((Fraction(value) * self.denominator - offset) / Fraction(self.step))
        nearest = self.values(np.array([k]), copies)[0].item()
        return k if one_number(nearest, value) or abs(nearest - value) < slack else None

    def _whole_sums(self, k: IntArray, copies: Sequence[int]) -> Array:
        return outcome_array(self._numerators(k, copies)[0])

    def _numerators(self, k: IntArray, copies: Sequence[int]) -> tuple[Array, int]:
        """The sums over the denominator, and the largest magnitude on the way to them."""
        step = int(self.step)
        offset = sum(int(n) * int(start) for n, start in zip(copies, self.starts, strict=True))
        largest = max(abs(offset + step * int(k.min(initial=0))), abs(offset + step * int(k.max(initial=0))))
        return offset + step * (k if max(largest, step) < _WORD else k.astype(object)), largest

    def _rational_sums(self, k: IntArray, copies: Sequence[int]) -> Array:
        numerators, largest = self._numerators(k, copies)
        if largest <= _EXACT and (self.denominator <= _EXACT or _is_power_of_two(self.denominator)):
            return numerators.astype(float) / float(self.denominator)  # both are exact, so that division rounds once
        return np.array([_quotient(int(numerator), self.denominator) for numerator in numerators], dtype=float)

    def _float_sums(self, k: IntArray, copies: Sequence[int]) -> Array:
        """Multiples of the step where the offset is one up to rounding (-pi, 0 and pi add up to 0), else shifted."""
        offsets = [int(n) * Fraction(start) for n, start in zip(copies, self.starts, strict=True)]
        steps = sum(offsets) / Fraction(self.step)
        rounding = _ULPS * EPS * float(sum(map(abs, offsets)) / Fraction(self.step))
        if abs(steps - round(steps)) <= min(rounding, 1e-6) and abs(steps) < _WORD:
            return self.step * (round(steps) + k).astype(np.float64)
        return float(sum(offsets)) + self.step * k.astype(np.float64)


def _is_power_of_two(number: int) -> bool:
    """One that is a float."""
    return number & (number - 1) == 0 and number < 2**1023


def _quotient(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf


def find_grid(columns: Sequence[Array], copies: Sequence[int], *, max_span: int) -> Grid | None:
    """The common lattice of the values of all terms, or None: no lattice, or more than `max_span` steps in one draw.

    Integers are exact, and their lattice is as wide as it has to be. A float stands for what is within 4 ulp of itself:
    a lattice is taken only if every value is that near its own point, however large the others are, or if its step
    makes the values bit for bit (`_is_made_by`).

    >>> find_grid([np.array([0, np.pi, 3 * np.pi])], [2], max_span=1000).positions
    (array([0, 1, 3]),)
    >>> find_grid([np.array([1e-8, 1.0, 1e8])], [2], max_span=2**22) is None
    True
    >>> find_grid([np.array([0.0, 1.000008, 1e10])], [2], max_span=2**22) is None
    True

    O(k) in a few vectorised steps of Euclid's algorithm.
    """
    nothing = np.zeros(1, dtype=np.int64)
    drawn = [np.asarray(column) if n else nothing for column, n in zip(columns, copies, strict=True)]
    if not drawn or not all(np.isfinite(column).all() for column in drawn):
        return None
    guesses = (grid for grid in _guesses(drawn, max_span) if grid is not None)
    return next((grid for grid in guesses if _is_true(grid, drawn)), None)


def _guesses(columns: Sequence[Array], max_span: int) -> Iterator[Grid | None]:
    """Simple rationals near each value itself, then lattices up to the rounding of the largest value of a column.

    The second sort is for steps that are irrational, and for what is made by adding a step up.
    """
    yield _rational_grid(columns, [_ULPS * EPS * np.abs(column) for column in columns], max_span)
    longest = max(map(len, columns))
    for ulps in sorted({_ULPS, max(_ULPS, longest / 2)}):
        yield _rational_grid(columns, [_widest(column, ulps) for column in columns], max_span)
        yield _float_grid(columns, ulps, max_span)


def _widest(values: Array, ulps: float) -> FloatArray:
    """The tolerance of the largest value, for each."""
    return np.full(len(values), ulps * EPS * float(np.abs(values).max()))


def _is_true(grid: Grid, columns: Sequence[Array]) -> bool:
    """Whether each value is within 4 ulp of itself of its point, or each column is made by the step, bit for bit."""
    return all(
        _is_near(column, Grid((start,), grid.step, grid.denominator, (k,)).values(k, [1]))
        or _is_made_by(float(Fraction(grid.step) / grid.denominator), column, k)
        for column, start, k in zip(columns, grid.starts, grid.positions, strict=True)
    )


def _is_near(column: Array, points: Array) -> bool:
    return column.dtype.kind in "bi" or bool((np.abs(column - points) <= _ULPS * EPS * np.abs(column)).all())


def _is_made_by(step: float, column: Array, positions: IntArray) -> bool:
    """Whether a float loop over the step gives these values: np.arange, np.linspace, or additions one by one.

    Such values are off by the rounding of the largest, but no accident: the same operations give the same bits.
    """
    order = np.argsort(positions, kind="stable")
    v, k = column[order].astype(float), positions[order]
    steps_of_numpy = (step, (v[0] + step) - v[0])
    if any(bool((v == v[0] + k * delta).all()) for delta in steps_of_numpy):
        return True
    return bool((np.diff(k) == 1).all() and (v[1:] == v[:-1] + step).all())


def rational_grid(columns: Sequence[Array], copies: Sequence[int], *, max_span: int) -> Grid | None:
    """The lattice of exact numbers, ints and Fractions; None for floats, and where it is wider than floats resolve.

    Whole numbers have one however far apart they are, Fractions of up to `max_span` steps over a denominator of up to
    2^53. O(k).

    >>> rational_grid([np.array([0, 1, 3]), np.array([Fraction(1, 2)], dtype=object)], [2, 1], max_span=1000).values(
    ...     np.array([0, 1]), [2, 1])
    array([0.5, 1.5])
    """
    drawn = [column.tolist() if n else [0] for column, n in zip(columns, copies, strict=True)]
    if any(isinstance(v, float) for column in drawn for v in column):  # of floats, or an infinity beside Fractions
        return None
    flat, unit = over_one_unit([v for column in drawn for v in column])
    if unit > _EXACT:
        return None
    whole = iter(flat)
    numerators = [[next(whole) for _ in column] for column in drawn]
    starts = [min(column) for column in numerators]
    step = math.gcd(*(v - start for column, start in zip(numerators, starts, strict=True) for v in column)) or 1
    widest = max(max(column) - start for column, start in zip(numerators, starts, strict=True)) // step
    if widest > (max_span if unit > 1 else 2 * _WORD - 1):
        return None
    positions = tuple(
        np.array([(v - start) // step for v in column], dtype=np.int64)
        for column, start in zip(numerators, starts, strict=True)
    )
    return Grid(tuple(starts), step, unit, positions, all(isinstance(v, int) for column in drawn for v in column))


def exact_grid(columns: Sequence[Array], copies: Sequence[int]) -> Grid | None:
    """The lattice on which the machine adds without rounding, of any width: no sum is one with another that differs.

    It is there for whole numbers, integers or floats of up to 2^53, and for floats that are multiples of a power of two
    of which no sum can hold more than 2^53; else None.

    >>> exact_grid([np.array([0, 1, 2**60 + 1])], [2]).positions[0].tolist()
    [0, 1, 1152921504606846977]
    >>> exact_grid([np.array([0.1, 0.7])], [2]) is None
    True

    O(k).
    """
    nothing = np.zeros(1, dtype=int)
    drawn = [np.asarray(column) if n else nothing for column, n in zip(columns, copies, strict=True)]
    if not drawn or not all(is_numeric(column) and np.isfinite(column).all() for column in drawn):
        return None
    if all(map(_is_whole, drawn)):
        return _grid_of_units([column.astype(np.int64) for column in drawn], 0, drawn)
    if not in_one_array(drawn):
        return None
    floats = [column.astype(float) for column in drawn]
    exponent = min(map(_lowest_bit, floats))
    reach = sum(n * float(np.abs(column).max()) for n, column in zip(copies, floats, strict=True))
    if not reach <= math.ldexp(_EXACT, exponent):
        return None
    return _grid_of_units([np.ldexp(column, -exponent).astype(np.int64) for column in floats], exponent, drawn)


def _is_small(column: Array) -> bool:
    return abs(int(column.min())) <= _EXACT and abs(int(column.max())) <= _EXACT


def _is_whole(column: Array) -> bool:
    return column.dtype.kind in "bi" or (_is_small(column) and bool((column == np.rint(column)).all()))


def _lowest_bit(column: FloatArray) -> int:
    """The largest e for which all values are multiples of 2^e."""
    mantissas, exponents = np.frexp(column[column != 0])
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    trailing = np.frexp((whole & -whole).astype(float))[1] - 1
    return int((exponents - 53 + trailing).min(initial=_TOP_BIT))


def _grid_of_units(columns: Sequence[IntArray], exponent: int, given: Sequence[Array]) -> Grid | None:
    """The grid of values that are these numbers of times 2^exponent."""
    unit, denominator = 2 ** max(exponent, 0), 2 ** max(-exponent, 0)
    starts = [int(column.min()) for column in columns]
    distances = [_widened(column, 2) - start for column, start in zip(columns, starts, strict=True)]
    step = math.gcd(*(int(np.gcd.reduce(column)) for column in distances)) or 1
    if max(int(column.max()) for column in distances) // step >= 2 * _WORD:
        return None
    positions = tuple(_steps(column, step) for column in distances)
    integral = all(column.dtype.kind in "bi" for column in given)
    return Grid(tuple(unit * start for start in starts), unit * step, denominator, positions, integral)


def _rational_grid(columns: Sequence[Array], tolerances: Sequence[FloatArray], max_span: int) -> Grid | None:
    """Every value is a simple rational: over one denominator, their differences have a greatest common divisor."""
    rationals = []
    for column, tolerance in zip(columns, tolerances, strict=True):
        rational = _as_rationals(column, tolerance)
        if rational is None:
            return None
        rationals.append(rational)
    denominator = math.lcm(*(int(q) for _, denominators in rationals for q in np.unique(denominators)))
    if denominator > _EXACT:
        return None
    scaled = [_over(denominator, *rational) for rational in rationals]
    starts = tuple(int(column.min()) for column in scaled)
    distances = [column - start for column, start in zip(scaled, starts, strict=True)]
    step = math.gcd(*(int(np.gcd.reduce(column)) for column in distances)) or 1
    widest = max(int(column.max()) for column in distances) // step
    if widest > (max_span if denominator > 1 else 2 * _WORD - 1):
        return None
    positions = tuple(_steps(column, step) for column in distances)
    return Grid(starts, step, denominator, positions, all(column.dtype.kind in "bi" for column in columns))


def _as_rationals(column: Array, tolerance: FloatArray) -> tuple[Array, IntArray] | None:
    """Numerators and denominators; integers, and floats that hold integers exactly, are taken as they are."""
    if _is_whole(column):
        return _widened(column.astype(np.int64), 1), np.ones(len(column), dtype=np.int64)
    return _simplest_rationals(column, tolerance) if _is_small(column) else None


def _over(denominator: int, numerators: Array, denominators: IntArray) -> Array:
    """The numerators of the same rationals over a common denominator."""
    factors = denominator // denominators
    return _widened(numerators, int(factors.max())) * factors


def _steps(distances: Array, step: int) -> IntArray:
    return ((distances if step < _WORD else distances.astype(object)) // step).astype(np.int64)


def _widened(numerators: Array, factor: int) -> Array:
    """Python integers where products with the factor, or differences of them, could leave int64."""
    largest = max(abs(int(numerators.min())), abs(int(numerators.max())))
    return numerators if largest * factor < _WORD else numerators.astype(object)


def _float_grid(columns: Sequence[Array], ulps: float, max_span: int) -> Grid | None:
    """The differences are integer multiples of one step that need not be rational (multiples of pi)."""
    values = [column.astype(np.float64) for column in columns]
    if not in_one_array([*columns, *values]):
        return None
    starts = tuple(float(v.min()) for v in values)
    with np.errstate(over="ignore"):
        distances = [v - start for v, start in zip(values, starts, strict=True)]
    largest = max(float(distance.max()) for distance in distances)
    if largest == 0.0:
        return Grid(starts, 1.0, 1, tuple(np.zeros(len(v), dtype=np.int64) for v in values))
    if not math.isfinite(largest):
        return None
    rationals = []
    for v, distance in zip(values, distances, strict=True):
        ends = (distance == 0.0) | (distance == largest)  # 0 and 1 in any unit: nothing to be guessed
        tolerance = np.where(ends, 0.0, 2 * _tolerance(v, ulps) / largest)
        rational = _simplest_rationals(distance / largest, tolerance)
        if rational is None:
            return None
        rationals.append(rational)
    span = math.lcm(*(int(q) for _, denominators in rationals for q in np.unique(denominators)))
    if span > min(max_span, _STEPS):
        return None
    positions = tuple(_over(span, *rational).astype(np.int64) for rational in rationals)
    return Grid(starts, largest / span, 1, positions)


def _tolerance(values: FloatArray, ulps: float) -> float:
    return ulps * EPS * float(np.abs(values).max())


def _simplest_rationals(values: FloatArray, tolerance: FloatArray) -> tuple[IntArray, IntArray] | None:
    """Numerators and denominators of the first convergents within the tolerances; None where one is no evidence.

    Continued fractions of all values at once. A rational with 2*q^2*tolerance < 1 is a convergent of every number that
    close to it (Legendre; Hardy and Wright, An Introduction to the Theory of Numbers, theorem 184).
    """
    with np.errstate(divide="ignore", over="ignore"):
        limit = np.minimum(np.sqrt(_CHANCE / (2 * tolerance)), _EXACT)
    rest = values
    p_before, p = np.zeros_like(values), np.ones_like(values)
    q_before, q = np.ones_like(values), np.zeros_like(values)
    numerators, denominators = np.zeros_like(values), np.zeros_like(values)
    while True:
        whole = np.floor(rest)
        p_before, p = p, whole * p + p_before
        q_before, q = q, whole * q + q_before
        unsettled = denominators == 0
        if (unsettled & (q > limit)).any():
            return None
        hit = unsettled & (np.abs(values - p / q) <= tolerance)
        numerators[hit], denominators[hit] = p[hit], q[hit]
        unsettled &= ~hit
        if not unsettled.any():
            return numerators.astype(np.int64), denominators.astype(np.int64)
        fraction = rest - whole  # no smaller than 1/_EXACT if the next q is to be believed
        rest = 1 / np.where(unsettled, np.maximum(fraction, 0.5 / _EXACT), 1.0)
