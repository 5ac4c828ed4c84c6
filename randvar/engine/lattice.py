"""The law of a sum of independent draws on a lattice, every atom to full relative accuracy.

Small laws are convolved directly, by repeated squaring: all terms are positive, so nothing cancels. Large ones are
covered by tilted transforms (`tilting`), which need a window of 18 standard deviations instead of all n*d positions.
Laws with gaps, where a transform cannot reach the atoms between two clusters, fall back to direct convolution, and
where even that is out of reach, the accuracy of the law says so.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randvar.engine.atoms import EPS
from randvar.engine.multinomial import in_words
from randvar.engine.tilting import (
    LatticeDraws,
    chernoff_window,
    cover,
    local_law,
    theta_of_mean,
    tilted_probs,
    total_span,
)
from randvar.errors import SupportTooLarge

__all__ = ["LatticeLaw", "direct_cost", "lattice_sum", "log_mass"]

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.int64]
LatticeTerm = tuple[IntArray, FloatArray, int]

_AFFORDABLE = 1e10  # multiply-adds of the last resort, about a second
_PER_PAIR = 100  # multiply-adds of a dense convolution in the time of one pair of atoms of a sparse one
_FEW_OUTCOMES = 8
_EXACT_FLOAT = 2**53  # beyond it the positions of a window are no floats
_WIDE = 4096  # positions beyond which it pays to look at how many of them matter
_PIECE = 4096
_BLOCK = 2**18  # elements of a temporary matrix
_GOOD = 5e-12  # relative accuracy that is never refused
_ACCURATE = 1e-13  # relative accuracy of up to 1000 draws, growing with the root of their number
_CLEAR = 1e-4  # an atom this large beside the largest is known to 1e-11
_SMALL = 330  # atoms up to which squaring in the widest float costs next to nothing
_SCALE = 2.0**480  # masses are held as multiples of 1/_SCALE: products of two reach down to 1e-600 without underflow
_LOG_FLOOR = math.log(1e-300)
_LOG_NEGLIGIBLE = 2 * math.log(1e-170)  # 1e-340, which no float can hold
_WIDE_EPS = float(np.finfo(np.longdouble).eps)  # 1e-19 where the machine has 80-bit floats, else EPS


@dataclass(frozen=True)
class LatticeLaw:
    """P(S = first + i) = masses[i], with a relative error of at most `accuracy` in every mass above 1e-300.

    The accuracy is an estimate that treats roundings as independent (Higham and Mary, A new approach to probabilistic
    rounding error analysis, SIAM J. Sci. Comput. 41, 2019); inf means that some atoms in a gap of the law are unknown.
    """

    first: int
    masses: FloatArray
    accuracy: float


def lattice_sum(terms: Sequence[LatticeTerm], *, max_atoms: int) -> LatticeLaw:
    """The law of the sum of all draws: each term (positions, probs, n) gives n of the law probs/sum(probs).

    >>> lattice_sum([(np.array([0, 1]), np.array([0.5, 0.5]), 2)], max_atoms=10).masses
    array([0.25, 0.5 , 0.25])

    Atoms below 1e-300 may be left out at both ends. Raises SupportTooLarge, before allocating anything of that size, if
    the window of atoms above 1e-300 is wider than `max_atoms`. The sum of 1000 dice takes 1 ms, of a million 20 ms.
    """
    first, stride, parts = _prepared(terms)
    if not parts:
        return LatticeLaw(first, np.ones(1), 0.0)
    _refuse_too_large(parts, stride, max_atoms)
    law = _best_law(parts)
    masses = np.zeros(stride * (len(law.masses) - 1) + 1)
    masses[::stride] = law.masses
    return LatticeLaw(first + stride * law.first, masses, law.accuracy)


def log_mass(terms: Sequence[LatticeTerm], position: int) -> float:
    """log P(S = position), also where P underflows; -inf for a position that cannot be reached.

    At the ends it is a closed form, else one tilt whose mean is the position.

    >>> ten_percent_tails = (np.array([0, 1]), np.array([0.1, 0.9]), 800)
    >>> round(log_mass([ten_percent_tails], 0) / math.log(10), 6)
    -800.0

    Raises SupportTooLarge for a position so deep in a gap of the law that no affordable way tells its probability.
    """
    first, stride, parts = _prepared(terms)
    place, remainder = divmod(position - first, stride)
    span = total_span(parts)
    if remainder or not 0 <= place <= span:
        return -math.inf
    if place in (0, span):
        return sum(part.copies * (_end_log_prob(part, place == 0) - part.log_total) for part in parts)
    theta = theta_of_mean(parts, place)
    local = local_law(parts, theta)
    log_factor = float(local.log_factor(np.array([place]))[0])
    if local.first <= place < local.first + len(local.masses):
        mass = float(local.masses[place - local.first])
        if mass > _CLEAR * local.masses.max():
            return math.log(mass) + log_factor
    return _direct_log_mass(parts, theta, place) + log_factor


def _prepared(terms: Sequence[LatticeTerm]) -> tuple[int, int, list[LatticeDraws]]:
    """The smallest position of the sum, the stride of its positions, and the terms that vary, in strides."""
    first, stride, parts = 0, 0, []
    for positions, probs, copies in terms:
        possible = positions[probs > 0].astype(np.int64)
        start = int(possible.min())
        first += copies * start
        possible -= start
        if copies and possible.any():
            parts.append(LatticeDraws(possible, probs[probs > 0].astype(np.float64), copies))
            stride = math.gcd(stride, int(np.gcd.reduce(possible)))
    return first, stride or 1, [LatticeDraws(part.positions // stride, part.probs, part.copies) for part in parts]


def _refuse_too_large(parts: Sequence[LatticeDraws], stride: int, max_atoms: int) -> None:
    if stride * total_span(parts) < max_atoms:
        return
    span = total_span(parts)
    lowest, highest = chernoff_window(parts, _LOG_FLOOR) if span < _EXACT_FLOAT else (0, span)
    size = stride * (highest - lowest) + 1
    if size > max_atoms:
        raise SupportTooLarge(
            f"the sum has {in_words(size)} lattice positions that may be likelier than 1e-300, but"
            f" max_atoms={max_atoms:,}; raise"
            " max_atoms, or ask for its moments, which have closed forms, or for bounds on its CDF (law_bounds)",
            size=size,
            budget=max_atoms,
        )


def _best_law(parts: Sequence[LatticeDraws]) -> LatticeLaw:
    """By the cheapest way that is accurate, else by the most accurate one that is affordable."""
    accurate = _ACCURATE * max(1.0, math.sqrt(sum(part.copies for part in parts) / 1000))
    lowest, highest = chernoff_window(parts, _LOG_FLOOR)
    cost = direct_cost(parts)
    direct = _direct(parts, math.inf) if cost <= _tilting_cost(parts, highest - lowest + 1) else None
    if direct is not None and direct.accuracy <= _GOOD:
        return direct
    tilted = LatticeLaw(lowest, *cover(parts, lowest, highest, give_up=True))
    if tilted.accuracy <= max(_GOOD, accurate):
        return tilted if direct is None or tilted.accuracy <= direct.accuracy else direct
    direct = direct or _direct(parts, _AFFORDABLE)
    if direct is None and math.isinf(tilted.accuracy):
        tilted = LatticeLaw(lowest, *cover(parts, lowest, highest))
    return tilted if direct is None or tilted.accuracy <= direct.accuracy else direct


def _direct(parts: Sequence[LatticeDraws], budget: float) -> LatticeLaw | None:
    """The law by direct convolution, with all atoms that a float can hold; None beyond the budget."""
    scaled = _convolved(parts, budget)
    if scaled is None:
        return None
    masses = scaled.masses.astype(np.float64) / _SCALE
    kept = np.flatnonzero(masses)
    return LatticeLaw(scaled.first + int(kept[0]), masses[kept[0] : kept[-1] + 1], scaled.error + EPS)


class _OverBudgetError(Exception):
    """A direct convolution would take more multiply-adds than it was given."""


class _Convolver:
    """Convolves scaled non-negative arrays within a budget; nothing cancels, so errors stay relative."""

    def __init__(self, budget: float, negligible: float) -> None:
        self.budget = budget
        self.negligible = negligible

    def __call__(self, a: _Scaled, b: _Scaled) -> _Scaled:
        cost = _multiply_adds((len(a.masses), a.atoms), (len(b.masses), b.atoms))
        self.budget -= cost
        if self.budget < 0:
            raise _OverBudgetError
        convolve = _convolve_positions if cost == len(a.masses) * len(b.masses) else _convolve_atoms
        product = convolve(a.masses, b.masses) / _SCALE
        error = a.error + b.error + math.sqrt(min(a.atoms, b.atoms)) * float(np.finfo(product.dtype).eps)
        product[product < self.negligible] = 0
        kept = np.flatnonzero(product)
        return _Scaled(a.first + b.first + int(kept[0]), product[kept[0] : kept[-1] + 1], error)


def _convolve_positions(a: FloatArray, b: FloatArray) -> FloatArray:
    """The convolution of dense arrays, a few thousand positions of the shorter at a time.

    numpy takes a dot product for each position, and the BLAS starts threads for each that is longer than 10,000, which
    can make it a hundred times slower.
    """
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) <= _PIECE:
        return np.convolve(short, long)
    product = np.zeros(len(a) + len(b) - 1, dtype=np.result_type(a, b))
    for start in range(0, len(short), _PIECE):
        piece = np.convolve(short[start : start + _PIECE], long)
        product[start : start + len(piece)] += piece
    return product


def _convolve_atoms(a: FloatArray, b: FloatArray) -> FloatArray:
    """The convolution of arrays that are mostly 0, over the pairs of their atoms."""
    product = np.zeros(len(a) + len(b) - 1, dtype=np.result_type(a, b))
    rows, columns = np.flatnonzero(a), np.flatnonzero(b)
    height = max(1, _BLOCK // len(columns))
    for start in range(0, len(rows), height):
        block = rows[start : start + height, None]
        np.add.at(product, block + columns, a[block] * b[columns])
    return product


@dataclass(frozen=True)
class _Scaled:
    """P(S = first + i)*_SCALE = masses[i], with a relative error."""

    first: int
    masses: FloatArray
    error: float

    @property
    def atoms(self) -> int:
        return int(np.count_nonzero(self.masses))

    def rounded(self) -> _Scaled:
        """The same in floats of 64 bits."""
        if self.masses.dtype == np.float64:
            return self
        return _Scaled(self.first, self.masses.astype(np.float64), self.error + EPS / 2)


def _convolved(parts: Sequence[LatticeDraws], budget: float) -> _Scaled | None:
    """Direct convolution of all draws, or None if it takes more multiply-adds than the budget.

    An atom dropped from the law of m draws reaches any atom of the sum n/m times with a weight of at most 1. Dropping
    what is below 1e-340/n, at w positions, therefore takes less than w*1e-340 from any atom, which no float can see.
    """
    draws = sum(part.copies for part in parts)
    convolve = _Convolver(budget, 1e-170 * _SCALE * 1e-170 / draws)
    try:
        laws = sorted((_power(part, convolve).rounded() for part in parts), key=lambda law: len(law.masses))
        return functools.reduce(convolve, laws)
    except _OverBudgetError:
        return None


def _power(part: LatticeDraws, convolve: _Convolver) -> _Scaled:
    """The law of part.copies draws, by repeated squaring from the highest bit.

    Each squaring doubles the relative error so far, so the first ones are done in the widest float.
    """
    wide = np.zeros(part.span + 1, dtype=np.longdouble)
    np.add.at(wide, part.positions, part.probs.astype(np.longdouble) / part.probs.astype(np.longdouble).sum())
    draw = law = _Scaled(0, wide * _SCALE, _WIDE_EPS)
    for bit in f"{part.copies:b}"[1:]:
        if law.atoms > _SMALL:
            draw, law = draw.rounded(), law.rounded()
        law = convolve(law, law)
        if bit == "1":
            law = convolve(law, draw)
    return law


def direct_cost(parts: Sequence[LatticeDraws]) -> float:
    """About how many multiply-adds direct convolution takes; 1e10 of them take a second.

    Counts positions by Chernoff's window, and atoms also by the multisets of outcomes.
    """
    cost, total = 0.0, (1, 1)
    for part in parts:
        window = part.copies * part.span + 1
        if window > _WIDE:
            lowest, highest = chernoff_window([part], _LOG_NEGLIGIBLE)
            window = highest - lowest + 1
        draws = part.copies
        while draws > 1:
            draws //= 2
            half = _size(part, draws, window)
            cost += _multiply_adds(half, half)
        whole = _size(part, part.copies, window)
        cost += _multiply_adds(total, whole)
        length = total[0] + whole[0] - 1
        total = (length, min(length, total[1] * whole[1]))
    return cost


def _tilting_cost(parts: Sequence[LatticeDraws], window: int) -> float:
    """What a dozen tilts take, in multiply-adds of a direct convolution (fitted to measurements)."""
    return 3e7 + 3e5 * sum(len(part.probs) for part in parts) + 1e3 * window


def _size(part: LatticeDraws, draws: int, window: int) -> tuple[int, int]:
    """At most so many positions and atoms in the law of some draws."""
    length = min(draws * part.span + 1, window)
    outcomes = len(part.probs)
    return length, min(length, math.comb(draws + outcomes - 1, draws)) if outcomes <= _FEW_OUTCOMES else length


def _multiply_adds(a: tuple[int, int], b: tuple[int, int]) -> float:
    """The cheaper of convolving all positions and all pairs of atoms."""
    return min(float(a[0]) * b[0], _PER_PAIR * float(a[1]) * b[1])


def _end_log_prob(part: LatticeDraws, lower: bool) -> float:
    """log of the (unnormalised) probability of a draw's smallest or largest position."""
    end = 0 if lower else part.span
    return math.log(math.fsum(part.probs[part.positions == end]))


def _direct_log_mass(parts: Sequence[LatticeDraws], theta: float, place: int) -> float:
    """log P_theta(S = place) by direct convolution of the tilted law, for a place that the transform cannot see."""
    tilted = []
    for part in parts:
        probs = tilted_probs(part, theta)
        tilted.append(LatticeDraws(part.positions[probs > 0], probs[probs > 0], part.copies))
    law = _convolved(tilted, _AFFORDABLE)
    if law is not None and 0 <= place - law.first < len(law.masses) and law.masses[place - law.first] > 0:
        return float(np.log(law.masses[place - law.first])) - math.log(_SCALE)
    if not _reachable(parts, place):
        return -math.inf
    raise SupportTooLarge(
        f"position {place} lies too deep in a gap of the law of a sum of {sum(part.copies for part in parts)} draws to"
        " tell its probability from 0; law_bounds encloses the CDF there",
        size=total_span(parts) + 1,
        budget=int(_AFFORDABLE),
    )


def _reachable(parts: Sequence[LatticeDraws], place: int) -> bool:
    """Whether some draws add up to the place: convolution of supports, cut there, by transforms of counts."""
    reached = np.ones(1, dtype=bool)
    for part in parts:
        support = np.zeros(min(part.span, place) + 1, dtype=bool)
        support[part.positions[part.positions <= place]] = True
        law = support
        for bit in f"{part.copies:b}"[1:]:
            law = _sumset(law, law, place)
            if bit == "1":
                law = _sumset(law, support, place)
        reached = _sumset(reached, law, place)
    return len(reached) > place and bool(reached[place])


def _sumset(a: NDArray[np.bool_], b: NDArray[np.bool_], place: int) -> NDArray[np.bool_]:
    from scipy import signal  # slow to import, and seldom needed

    counts = signal.fftconvolve(a.astype(np.float64), b.astype(np.float64))
    result: NDArray[np.bool_] = counts[: place + 1] > 0.5
    return result
