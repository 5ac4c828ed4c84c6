"""Sliders about sums, means and their variances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from randvar.coupling import dependent
from randvar.errors import RandvarError
from randvar.estimators.sampling import monte_carlo
from randvar.families import bernoulli, constant, uniform
from randvar.joint import Joint
from randvar.moments import covar, expect, variance
from randvar.plots.frames import Words, covariance_slider, density_slider, histogram_slider, variance_slider
from randvar.plots.slider import Slider
from randvar.plots.style import plain
from randvar.var import Var

__all__ = [
    "coin_variance_slider",
    "covariance_interpolation_slider",
    "mixed",
    "monte_carlo_samples_slider",
    "scaled_variance_slider",
    "sum_variance_slider",
]

_ELEVENTHS = tuple(i / 10 for i in range(11))


def scaled_variance_slider(x: Var) -> Slider:
    """The boxes of bX about its mean for b = 1, 2, 3, 4: Var(bX) = b^2 Var(X)."""
    factors = (1, 2, 3, 4)
    reports = [f"Var(bX) = {plain(float(variance(x * b)))}" for b in factors]
    laws = [(x - expect(x)) * b for b in factors]
    return variance_slider(laws, factors, Words("b =", "{}", reports, "The variance of bX as boxes about its mean"))


def mixed(x: Var, share: float) -> Joint:
    """The pair (X, Y) whose second is the same draw with probability `share`, and an independent one otherwise.

    Cov(X, Y) = share Var(X), and both have the law of x.
    """
    again = bernoulli(Fraction(share).limit_denominator() if x.kind != "float" else share)
    return dependent(x, lambda a: again.op(lambda same: constant(a) if same else x))


def covariance_interpolation_slider(x: Var) -> Slider:
    """The boxes of the covariance of a pair that is independent, shared, or anything between, in 11 steps."""
    pairs = [mixed(x, share) for share in _ELEVENTHS]
    reports = [f"Cov(X,Y) = {_covariance(pair)};  Var(X) = {plain(float(variance(x)), 3)}" for pair in pairs]
    alt = "The covariance of X and Y as boxes; hatched boxes are negative"
    return covariance_slider(pairs, _ELEVENTHS, Words("Shared fraction", "{:.1f}", reports, alt))


def sum_variance_slider(x: Var) -> Slider:
    """The law of X + Y for the same 11 pairs: Var(X + Y) = Var(X) + Var(Y) + 2 Cov(X, Y)."""
    pairs = [mixed(x, share) for share in _ELEVENTHS]
    sums = [pair.add() for pair in pairs]
    one = plain(float(variance(x)), 3)
    reports = [
        f"Var(X + Y) = {one} + {one} + 2 × {_covariance(pair)} = {plain(float(variance(law)), 3)}"
        for pair, law in zip(pairs, sums, strict=True)
    ]
    return histogram_slider(sums, _ELEVENTHS, Words("Shared fraction", "{:.1f}", reports, "Histogram of X + Y"))


def _covariance(pair: Joint) -> str:
    """Cov(X, Y) with three decimals; what is rounding beside the variances is 0."""
    cov = float(covar(pair))
    return plain(cov if abs(cov) > 1e-12 * float(variance(pair[0])) else 0.0, 3)


def coin_variance_slider(n: int) -> Slider:
    """The boxes of the mean of 1..n flips of a coin that shows +1 or -1: its variance is 1/n.

    Raises RandvarError unless n is at least 1.
    """
    if n < 1:
        raise RandvarError(f"n={n} flips have no mean: take at least 1")
    coin = uniform(0, 2).op(lambda a: 2 * a - 1)
    flips = range(1, n + 1)
    laws = [monte_carlo(coin, k) for k in flips]
    reports = [f"Variance = 1/{k} = {plain(float(variance(law)))}" for k, law in zip(flips, laws, strict=True)]
    words = Words("Coin flips:", "{}", reports, "The variance of the mean of coin flips as boxes")
    return variance_slider(laws, flips, words)


def monte_carlo_samples_slider(
    x: Var, max_samples: int = 5, without: Var | None = None, labels: Sequence[str] = ()
) -> Slider:
    """The smoothed law of the mean of 1..max_samples draws of x; `without` adds that of another estimator in grey.

    `labels` names the estimator, or first the other and then x. Raises RandvarError when they are too few or many.
    """
    if max_samples < 1:
        raise RandvarError(f"max_samples={max_samples}: take at least 1")
    laws = [x] if without is None else [x, without]
    names = list(labels)[::-1] or ["estimate", "other"][: len(laws)]
    if len(names) != len(laws):
        raise RandvarError(f"{len(names)} labels for {len(laws)} laws: give one a law, the other estimator first")
    counts = range(1, max_samples + 1)
    reports = ["\n".join(_estimate(name, law, k) for name, law in zip(names, laws, strict=True)) for k in counts]
    words = Words("Samples:", "{}", reports, "Smoothed density of the mean of some draws")
    drawn = [[(law, k) for k in counts] for law in laws]
    return density_slider(drawn[0], counts, words, against=drawn[1] if len(laws) > 1 else (), names=names)


def _estimate(name: str, x: Var, draws: int) -> str:
    mean = monte_carlo(x, draws)
    return f"{name}: mean {plain(float(expect(mean)), 4)}, variance {plain(float(variance(mean)), 4)}"
