"""The law of a sum of independent draws on a lattice, every atom to full relative accuracy.

Small laws are convolved directly, by repeated squaring (`convolution`). Large ones are covered by tilted transforms
(`tilting`), which need a window of 18 standard deviations instead of all n*d positions. Laws with gaps, where a
transform cannot reach the atoms between two clusters, fall back to direct convolution, and where even that is out of
reach, the accuracy of the law says so.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randvar.context import RAISE_IT, current, over_budget
from randvar.errors import SupportTooLarge
from randvar.numbers.arrays import EPS, WIDE_EPS
from randvar.sums.convolution import SCALE, convolved, direct_cost
from randvar.sums.group import Group
from randvar.sums.multinomial import in_words
from randvar.sums.tilting import (
    chernoff_window,
    cover,
    local_law,
    theta_of_mean,
    tilted_probs,
    total_span,
)

__all__ = ["LatticeLaw", "lattice_sum", "log_mass"]

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.int64]

_AFFORDABLE = 1e10  # multiply-adds of the last resort, about a second
_SMALL = 200  # cells, and draws, that are convolved without looking for a cheaper way
_EXACT_FLOAT = 2**53  # beyond it the positions of a window are no floats
_GOOD = 5e-12  # relative accuracy that is never refused
_ACCURATE = 1e-13  # relative accuracy of up to 1000 draws, growing with the root of their number
_SEEN = 1e-160 * SCALE * 1e-160  # convolution leaves out 1e-340 for each position: this is known to 1e-11
_CLEAR = 1e-4  # an atom this large beside the largest is known to 1e-11
_LOG_FLOOR = math.log(1e-300)


@dataclass(frozen=True)
class LatticeLaw:
    """P(S = first + i) = masses[i], with a relative error of at most `accuracy` in every mass above 1e-300.

    The accuracy is an estimate that treats roundings as independent (Higham and Mary, A new approach to probabilistic
    rounding error analysis, SIAM J. Sci. Comput. 41, 2019); inf means that some atoms in a gap of the law are unknown.
    """

    first: int
    masses: FloatArray
    accuracy: float


def lattice_sum(terms: Sequence[Group]) -> LatticeLaw:
    """The law of the sum of all draws: the values of each group are positions on the lattice.

    >>> lattice_sum([Group(np.array([0, 1]), np.array([0.5, 0.5]), 2)]).masses
    array([0.25, 0.5 , 0.25])

    Atoms below 1e-300 may be left out at both ends. Raises SupportTooLarge, before allocating anything of that size, if
    the window of atoms above 1e-300 is wider than the budget. The sum of 1000 dice takes 1 ms, of a million 20 ms.
    """
    cells = 1 + sum(group.copies * int(group.values.max()) for group in terms)
    small = cells <= min(_SMALL, current().max_atoms) and sum(group.copies for group in terms) <= _SMALL
    if small and all(int(group.values.min()) >= 0 for group in terms):
        return _small_sum(terms)
    first, stride, parts = _prepared(terms)
    if not parts:
        return LatticeLaw(first, np.ones(1), 0.0)
    _refuse_too_large(parts, stride)
    law = _best_law(parts)
    masses = np.zeros(stride * (len(law.masses) - 1) + 1)
    masses[::stride] = law.masses
    return LatticeLaw(first + stride * law.first, masses, law.accuracy)


def _small_sum(terms: Sequence[Group]) -> LatticeLaw:
    """By repeated squaring in the widest float, whose range holds any product of so few probabilities.

    Each convolution adds the rounding of a positive sum, and squaring doubles what there is.
    """
    powers = []
    for group in filter(operator.attrgetter("copies"), terms):
        draw = np.zeros(int(group.values.max()) + 1, dtype=np.longdouble)
        np.add.at(draw, group.values, group.weights.astype(np.longdouble))
        draw /= draw.sum()
        power: FloatArray = draw
        for bit in f"{group.copies:b}"[1:]:
            power = np.convolve(power, power)
            power = np.convolve(power, draw) if bit == "1" else power
        powers.append(power)
    law = functools.reduce(np.convolve, powers) if powers else np.ones(1)
    draws = sum(group.copies for group in terms)
    return LatticeLaw(0, law.astype(np.float64), EPS + draws * len(law) * WIDE_EPS)


def log_mass(terms: Sequence[Group], position: int) -> float:
    """log P(S = position), also where P underflows; -inf for a position that cannot be reached.

    At the ends it is a closed form, else one tilt whose mean is the position.

    >>> ten_percent_tails = Group(np.array([0, 1]), np.array([0.1, 0.9]), 800)
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


def _prepared(terms: Sequence[Group]) -> tuple[int, int, list[Group]]:
    """The smallest position of the sum, the stride of its positions, and the terms that vary, in strides."""
    first, stride, parts = 0, 0, []
    for group in terms:
        likely = group.weights > 0
        possible = group.values[likely].astype(np.int64)
        start = int(possible.min())
        first += group.copies * start
        possible -= start
        if group.copies and possible.any():
            parts.append(Group(possible, group.weights[likely].astype(np.float64), group.copies))
            stride = math.gcd(stride, int(np.gcd.reduce(possible)))
    return first, stride or 1, [Group(part.values // stride, part.weights, part.copies) for part in parts]


def _refuse_too_large(parts: Sequence[Group], stride: int) -> None:
    if stride * total_span(parts) < current().max_atoms:
        return
    span = total_span(parts)
    lowest, highest = chernoff_window(parts, _LOG_FLOOR) if span < _EXACT_FLOAT else (0, span)
    size = stride * (highest - lowest) + 1
    if size > current().max_atoms:
        raise over_budget(
            f"the sum has {in_words(size)} lattice positions that may be likelier than 1e-300",
            size,
            f"{RAISE_IT}, or ask for its moments, which have closed forms, or for bounds on its CDF (law_bounds)",
        )


def _best_law(parts: Sequence[Group]) -> LatticeLaw:
    """By the cheapest way that is accurate, else by the most accurate one that is affordable."""
    cost = direct_cost(parts)
    direct = _direct(parts, math.inf) if cost <= _tilting_cost(parts, 0) else None  # whatever the window is
    if direct is not None and direct.accuracy <= _GOOD:
        return direct
    accurate = _ACCURATE * max(1.0, math.sqrt(sum(part.copies for part in parts) / 1000))
    lowest, highest = chernoff_window(parts, _LOG_FLOOR)
    if direct is None and cost <= _tilting_cost(parts, highest - lowest + 1):
        direct = _direct(parts, math.inf)
        if direct is not None and direct.accuracy <= _GOOD:
            return direct
    tilted = LatticeLaw(lowest, *cover(parts, lowest, highest, give_up=True))
    if tilted.accuracy <= max(_GOOD, accurate):
        return tilted if direct is None or tilted.accuracy <= direct.accuracy else direct
    direct = direct or _direct(parts, _AFFORDABLE)
    if direct is None and math.isinf(tilted.accuracy):
        tilted = LatticeLaw(lowest, *cover(parts, lowest, highest))
    return tilted if direct is None or tilted.accuracy <= direct.accuracy else direct


def _direct(parts: Sequence[Group], budget: float) -> LatticeLaw | None:
    """The law by direct convolution, with all atoms that a float can hold; None beyond the budget."""
    scaled = convolved(parts, budget)
    if scaled is None:
        return None
    masses = scaled.masses.astype(np.float64) / SCALE
    kept = np.flatnonzero(masses)
    return LatticeLaw(scaled.first + int(kept[0]), masses[kept[0] : kept[-1] + 1], scaled.error + EPS)


def _tilting_cost(parts: Sequence[Group], window: int) -> float:
    """What a dozen tilts take, in multiply-adds of a direct convolution (fitted to measurements)."""
    return 3e7 + 3e5 * sum(len(part.weights) for part in parts) + 1e3 * window


def _end_log_prob(part: Group, lower: bool) -> float:
    """log of the (unnormalised) probability of a draw's smallest or largest position."""
    end = 0 if lower else part.span
    return math.log(math.fsum(part.weights[part.values == end]))


def _direct_log_mass(parts: Sequence[Group], theta: float, place: int) -> float:
    """log P_theta(S = place) by direct convolution of the tilted law, for a place that the transform cannot see."""
    tilted = []
    for part in parts:
        probs = tilted_probs(part, theta)
        tilted.append(Group(part.values[probs > 0], probs[probs > 0], part.copies))
    law = convolved(tilted, _AFFORDABLE)
    if law is not None and 0 <= place - law.first < len(law.masses) and law.masses[place - law.first] > _SEEN:
        return float(np.log(law.masses[place - law.first])) - math.log(SCALE)
    if not _reachable(parts, place):
        return -math.inf
    raise SupportTooLarge(
        f"position {place} lies too deep in a gap of the law of a sum of {sum(part.copies for part in parts)} draws to"
        " tell its probability from 0; law_bounds encloses the CDF there",
        size=total_span(parts) + 1,
        budget=int(_AFFORDABLE),
    )


def _reachable(parts: Sequence[Group], place: int) -> bool:
    """Whether some draws add up to the place: convolution of supports, cut there, by transforms of counts."""
    reached = np.ones(1, dtype=bool)
    for part in parts:
        support = np.zeros(min(part.span, place) + 1, dtype=bool)
        support[part.values[part.values <= place]] = True
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
