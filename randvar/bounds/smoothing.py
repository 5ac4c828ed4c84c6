"""Bounds on the CDF of a sum from its characteristic function, by the extremal kernel of Beurling and Selberg."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from randvar.bounds.chernoff import UNIT_ROUNDOFF, IndependentSum
from randvar.bounds.rounding import complex_power
from randvar.numbers.arrays import Array

__all__ = ["smoothing_bounds"]

_CIRCLE = 1 << 64
_RADIANS = 2 * math.pi / _CIRCLE
# What smoothing may cost, at most: about a second in all.
_BLOCKS = 1 << 21  # blocks of frequencies
_BLOCK_WORK = 1 << 27  # blocks times outcomes
_KEPT = 1 << 16  # frequencies evaluated one by one
_KEPT_WORK = 1 << 23  # kept frequencies times outcomes
_SUM_WORK = 1 << 24  # kept frequencies times ends of arcs
_CHUNK = 1 << 20  # phases held at a time
_COLUMNS = 256


def smoothing_bounds(total: IndependentSum, points: Sequence[Fraction], width: float) -> tuple[Array, Array]:
    """lower, upper with lower <= P(S < t) and P(S <= t) <= upper at each point t (not yet clipped to [0, 1]).

    This is the inequality of Prawitz (1972) on a circle, where its integral over frequencies is a finite sum: there is
    no quadrature and so no quadrature error. Five steps.

    1. A lattice without a rounding problem. With period P and g = P / 2^64, replace each centred value by the nearest
       multiple R*g, in exact arithmetic. N draws move S by at most N*g/2, so with x = (t - C)/g and K the sum of the R

           P(S <= t) <= P(K <= x + N/2),      P(S < t) >= P(K < x - N/2).

       All phases m*R / 2^64 are now integers modulo 2^64, which uint64 arithmetic wraps exactly, whatever m.

    2. A circle. The window [a, a + 2^64) holds K except for a mass alpha at each end (Chernoff), so P(K < b) and
       P(K <= b) are within 2*alpha of the mass of K mod 2^64 on the arc from a to b, for b in the window. (Each
       margin is 1/34 of the period, which absorbs N*g/2 for N <= 2^50, and more draws are refused.)

    3. Vaaler's polynomial. Let psi(z) = z - floor(z) - 1/2 be the sawtooth, and for 0 < z < 1

           J(z) = pi*z*(1 - z)*cot(pi*z) + z,      V_M(z) = -sum_{m=1..M} J(m/(M+1)) * sin(2*pi*m*z) / (pi*m),
           F_M(z) = 1/2 * sum_{|m| <= M} (1 - |m|/(M+1)) * cos(2*pi*m*z) / (M+1)      (half of Fejer's kernel / (M+1)).

       Then |psi(z) - V_M(z)| <= F_M(z) for all z (Vaaler 1985, "Some extremal functions in Fourier analysis";
       Montgomery 1994, "Ten Lectures on the Interface Between Analytic Number Theory and Harmonic Analysis", chapter
       1), for psi(0) = -1/2 and for psi(0) = +1/2, since V_M and F_M are continuous: so both P(K < b) and P(K <= b)
       are bounded. The indicator of the arc is (b - a)/2^64 - psi((K - a)/2^64) + psi((K - b)/2^64); taking means,

           | P(arc) - [(b - a)/2^64 - v(a) + v(b)] |  <=  f(a) + f(b),
           v(b) = E V_M((K - b)/2^64) = -sum_m J(m/(M+1))/(pi*m) * Im w_m(b),
           f(b) = E F_M((K - b)/2^64) = [1/2 + sum_m (1 - m/(M+1)) * Re w_m(b)] / (M+1),
           w_m(b) = Phi(m) * exp(-2*pi*i*m*b/2^64),   Phi(m) = E exp(2*pi*i*m*K/2^64) = prod_j phi_j(m)^n_j.

       Here f(b) is about P * density / (2M + 2), and f(a) about 1/M^2, for a is where K is not.

    4. Frequencies left out. 0 <= J <= 1 on (0, 1), because y*cot(y) <= 1 on (0, pi); a frequency m that is not
       evaluated therefore changes each v + f by at most |Phi(m)| * (1/(pi*m) + 1/(M+1)). `_significant` certifies
       bounds on |Phi| over whole blocks of frequencies.

    5. Rounding, in `_Kernel`. To which `bounds` adds 1e-14 for the last few sums.

    M is as large as `width` needs if the density is about 0.4/sigma, or as the budgets allow: where Phi does not decay
    (few draws, lattice laws) the bounds stay true and are wide. Cost: about 3/width/sqrt(draws) blocks of frequencies,
    O(outcomes) each, then O(kept frequencies * (outcomes + points)); the budgets above cap both.
    """
    deviation = total.deviation()
    if deviation == 0:
        return np.zeros(len(points)), np.ones(len(points))
    width = min(max(width, 1e-15), 0.5)
    alpha = width / 64
    low, high = total.window(alpha)
    period = (high - low) * 17 / 16
    grain = period / _CIRCLE
    first = math.floor((low - period / 34) / grain)

    factors = [
        _factor(row, term.probs, term.copies) for row, term in zip(total.multiples_of(grain), total.terms, strict=True)
    ]
    wanted = math.ceil(min(0.55 / width * float(period / total.unit) / deviation, 2.0**50))
    outcomes = sum(len(factor.probs) for factor in factors)
    room = min(_KEPT, _KEPT_WORK // outcomes, _SUM_WORK // (2 * len(points) + 1))
    blocks = min(_BLOCKS, _BLOCK_WORK // outcomes)
    kernel = _kernel(factors, _significant(factors, wanted, width / 100, room, blocks))

    places = [(t - total.centre) / grain for t in points]
    half = Fraction(total.copies, 2)
    ends = [math.ceil(x - half) for x in places] + [math.floor(x + half) for x in places]
    ends = [min(max(end, first), first + _CIRCLE) for end in ends]
    sawtooth, error = kernel.means([first, *ends])
    arcs = np.array([(end - first) / _CIRCLE for end in ends]) - sawtooth[0] + sawtooth[1:]
    errors = error[0] + error[1:] + 2 * alpha
    middle = len(points)
    return arcs[:middle] - errors[:middle], arcs[middle:] + errors[middle:]


@dataclass(frozen=True, eq=False)
class _Factor:
    """The factor phi(m)^copies of Phi, phi(m) = sum_i probs[i] * exp(2*pi*i*m*turns[i]/2^64).

    `slope` bounds the change of |phi| from one m to the next. |phi| is that of any shifted law, and |e^iy - 1| <= |y|,
    so 2*pi*E|R|/2^64 will do. `error` bounds that of a computed phi(m): in units of u = 2^-53, a phase in [-pi, pi] is
    off by 3*pi, its cos and sin by 8 each, a product of two such rotations by 50, the probabilities by 1, and a sum of
    k complex products in any order by 3*k: less than 3*k + 64.
    """

    turns: Array
    probs: Array
    copies: int
    slope: float
    error: float

    def values(self, frequencies: Array) -> Array:
        """phi at any frequencies."""
        rows = max(1, _CHUNK // len(self.probs))
        parts = [
            _rotations(frequencies[i : i + rows], self.turns) @ self.probs for i in range(0, len(frequencies), rows)
        ]
        return np.concatenate([np.empty(0, dtype=complex), *parts])

    def progression(self, first: int, step: int, rows: int) -> Array:
        """phi at first, first + step, ...: _COLUMNS * rows of them in one matrix product."""
        anchors = _rotations(first + step * _COLUMNS * np.arange(rows), self.turns)
        table = _rotations(step * np.arange(_COLUMNS), self.turns) * self.probs
        return np.ravel(anchors @ table.T)


def _factor(multiples: Sequence[int], probs: Array, copies: int) -> _Factor:
    size = np.array([abs(multiple) / _CIRCLE for multiple in multiples])
    slope = 2 * math.pi * float(probs @ size) * (1 + 1e-9) + np.finfo(float).tiny
    turns = np.array([multiple % _CIRCLE for multiple in multiples], dtype=np.uint64)
    return _Factor(turns, probs, copies, slope, (3 * len(probs) + 64) * UNIT_ROUNDOFF)


def _rotations(frequencies: Array, turns: Array) -> Array:
    """exp(2*pi*i * frequency*turn / 2^64), the phase reduced exactly by the wrapping of uint64."""
    wrapped = np.multiply.outer(frequencies.astype(np.uint64), turns)
    phases = wrapped.view(np.int64) * _RADIANS
    rotations = np.empty(phases.shape, dtype=complex)
    np.cos(phases, out=rotations.real)
    np.sin(phases, out=rotations.imag)
    return rotations


@dataclass(frozen=True, eq=False)
class _Spectrum:
    """Frequencies 1..last: those `kept`, and what is known of the others, in blocks of bounded |Phi|.

    `near` is the sum over blocks of bound * length / first frequency, `far` that of bound * length, so that the
    frequencies left out move v + f by at most near/pi + far/(last + 1).
    """

    kept: Array
    last: int
    near: float
    far: float


def _significant(factors: Sequence[_Factor], wanted: int, tail: float, room: int, blocks: int) -> _Spectrum:
    """Find where |Phi| may exceed `tail` among the frequencies up to `wanted`, or fewer if `room` or `blocks` run out.

    Blocks of 3^p frequencies are judged by their middle: |phi_j(m)| <= |phi_j(middle)| + slope_j * |m - middle|. A
    block that fails is cut in three, down to single frequencies, which are kept. When more than `room` are left, the
    last ones are given up and M ends before them.
    """
    half = _half_block(factors, tail)
    rows, last, near, far = 1, 0, 0.0, 0.0
    kept: list[Array] = []
    while last < wanted and blocks > 0 and room > 0:
        reach = half
        middles = last + 1 + reach + (2 * reach + 1) * np.arange(_COLUMNS * rows)
        last += len(middles) * (2 * reach + 1)
        blocks -= len(middles)
        moduli = [np.abs(factor.progression(int(middles[0]), 2 * reach + 1, rows)) for factor in factors]
        while True:
            bound = _block_bound(factors, moduli, reach)
            small = bound <= tail
            mass = bound[small] * (2 * reach + 1)
            near += float(np.sum(mass / (middles[small] - reach)))
            far += float(np.sum(mass))
            middles = middles[~small]
            if len(middles) > room:
                last = int(middles[room]) - reach - 1
                middles = middles[:room]
                blocks = 0
            if reach == 0 or not len(middles):
                break
            reach //= 3
            middles = np.add.outer(middles, (2 * reach + 1) * np.array([-1, 0, 1])).ravel()
            moduli = [np.abs(factor.values(middles)) for factor in factors]
        kept.append(middles)
        room -= len(middles)
        rows = min(2 * rows, _COLUMNS)
    return _Spectrum(np.concatenate([np.empty(0, dtype=np.int64), *kept]), last, near, far)


def _half_block(factors: Sequence[_Factor], tail: float) -> int:
    """(3^p - 1)/2 such that a block of 3^p can still be certified where |phi| is that of random phases."""
    copies = sum(factor.copies for factor in factors)
    typical = 3 * max(float(np.linalg.norm(factor.probs)) for factor in factors)
    reach = max(0.02, tail ** (1 / copies) - typical) / max(factor.slope for factor in factors)
    return int((3 ** math.floor(math.log(min(2 * reach, 2.0**30) + 1, 3)) - 1) // 2)


def _block_bound(factors: Sequence[_Factor], moduli: Sequence[Array], reach: int) -> Array:
    """Upper bounds on |Phi| within `reach` of the frequencies where the |phi_j| are `moduli`."""
    exponent = np.zeros(len(moduli[0]))
    for factor, modulus in zip(factors, moduli, strict=True):
        exponent += factor.copies * np.log(np.minimum(1.0, modulus + (factor.error + reach * factor.slope)))
    # 1e-9 covers exp, log and products, whose size where exp does not underflow is at most 745
    return np.exp(exponent) * (1 + 1e-9) + np.finfo(float).tiny


@dataclass(frozen=True, eq=False)
class _Kernel:
    """v(b) and f(b) as sums over the kept frequencies: what is left of the inequality once Phi is known.

    `error` bounds all that the sums leave out or round, for v + f at any b.
    """

    frequencies: Array
    sines: Array
    cosines: Array
    degree: int
    error: float

    def means(self, ends: Sequence[int]) -> tuple[Array, Array]:
        """v(b) at each end b of an arc, and f(b) plus the error of both."""
        turns = np.array([end % _CIRCLE for end in ends], dtype=np.uint64)
        sawtooth, fejer = np.zeros(len(ends)), np.full(len(ends), 0.5)
        rows = max(1, _CHUNK // len(ends))
        for i in range(0, len(self.frequencies), rows):
            part = slice(i, i + rows)
            rotations = _rotations(self.frequencies[part], turns)  # w_m(b) = Phi(m) * conj(rotation)
            real, imag = rotations.real.T, rotations.imag.T
            sawtooth -= real @ self.sines[part].imag - imag @ self.sines[part].real
            fejer += real @ self.cosines[part].real + imag @ self.cosines[part].imag
        return sawtooth, fejer / (self.degree + 1) + self.error


def _kernel(factors: Sequence[_Factor], spectrum: _Spectrum) -> _Kernel:
    """Evaluate Phi where it matters, and weigh it.

    Errors, with c_m = 1/(pi*m) + 1/(M + 1) the most that w_m counts for in v + f, and u = 2^-53:

    * Phi: each phi_j is off by error_j, so the product of powers by prod (1 + error_j)^n_j - 1; computing it takes at
      most N + J complex products of a relative 3u each (`complex_power`);
    * J, its weights and the phases of b are good to 64*u, and a sum of k products in any order to k*u of the sum of
      their sizes: 2*(k + 64)*u * sum c_m |Phi(m)|, where 2 > sqrt 2 is for real and imaginary parts;
    * the frequencies left out: near/pi + far/(M + 1).
    """
    frequencies, degree = spectrum.kept, spectrum.last
    transform = np.ones(len(frequencies), dtype=complex)
    exponent = 0.0
    for factor in factors:
        transform *= complex_power(factor.values(frequencies), factor.copies)
        exponent += factor.copies * factor.error + 3 * UNIT_ROUNDOFF * (factor.copies + 1)
    share = 1 / (math.pi * frequencies) + 1 / (degree + 1)
    error = math.expm1(min(exponent, 1.0)) * float(np.sum(share))
    error += 2 * (len(frequencies) + 64) * UNIT_ROUNDOFF * float(share @ np.abs(transform))
    error += spectrum.near / math.pi + spectrum.far / (degree + 1)
    return _Kernel(
        frequencies,
        transform * (_vaaler(frequencies, degree) / (math.pi * frequencies)),
        transform * ((degree + 1 - frequencies) / (degree + 1)),
        degree,
        error * (1 + 1e-9),
    )


def _vaaler(m: Array, degree: int) -> Array:
    """J(z) = pi*z*(1 - z)*cot(pi*z) + z at z = m/(degree + 1), from cot at the nearer end, where nothing cancels."""
    z, rest = m / (degree + 1), (degree + 1 - m) / (degree + 1)
    nearer = math.pi * np.minimum(z, rest)
    ratio = nearer / np.tan(nearer)
    return np.where(z <= rest, z + rest * ratio, z * (1 - ratio))
