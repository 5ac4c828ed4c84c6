"""Sliders about sums, means and their variances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from randvar.arguments import checked, sequence, whole
from randvar.coupling import indep, shared
from randvar.errors import RandvarError
from randvar.estimators.sampling import monte_carlo, total
from randvar.families import bernoulli, uniform
from randvar.moments import covar, expect, variance
from randvar.plots.boxes import MOST_BOXES
from randvar.plots.columns_and_rows import mixed_rows
from randvar.plots.frames import Words, covariance_slider, density_slider, histogram_slider, variance_slider
from randvar.plots.laws_to_draw import check_drawable, drawable
from randvar.plots.slider import MOST_FRAMES, Slider
from randvar.plots.style import plain
from randvar.var import Var

__all__ = [
    "coin_variance_slider",
    "covariance_interpolation_slider",
    "mixed_covariance",
    "mixed_sums",
    "monte_carlo_samples_slider",
    "scaled_variance_slider",
    "sum_variance_slider",
]

_TENTHS = tuple(i / 10 for i in range(11))


@checked(x=drawable)
def scaled_variance_slider(x: Var) -> Slider:
    """The boxes of bX about its mean for b = 1, 2, 3, 4: Var(bX) = b^2 Var(X).

    >>> scaled_variance_slider(uniform(0, 2)).frame(4).report
    'Var(bX) = 4.00'

    x is a Var. Raises RandvarError for outcomes that are no finite numbers.
    """
    factors = (1, 2, 3, 4)
    reports = [f"Var(bX) = {plain(float(variance(x * b)))}" for b in factors]
    laws = [(x - expect(x)) * b for b in factors]
    words = Words("b =", "{}", reports, "The variance of bX as boxes about its mean", axis="bX less its mean")
    return variance_slider(laws, factors, words)


def mixed_covariance(x: Var, share: Any) -> Any:
    """Cov(X, Y) where Y is X itself with probability `share` and else an independent draw.

    By the law of total covariance: both parts of the mixture have the means of x, so that their covariances average.
    """
    return share * covar(shared(x)) + (1 - share) * covar(indep(x, x))


def mixed_sums(x: Var, shares: Iterable[Any]) -> list[Var]:
    """The laws of X + Y for the same pairs: that of 2X with probability `share`, else of the sum of two draws."""
    twice, two = 2 * x, total(x, 2)
    return [bernoulli(share).op(lambda same: twice if same else two) for share in shares]


def _shares(x: Var) -> Sequence[Any]:
    """0, 0.1, ..., 1, in the kind of number that the law has."""
    return _TENTHS if x.kind == "float" else [Fraction(i, 10) for i in range(11)]


@checked(x=drawable)
def covariance_interpolation_slider(x: Var) -> Slider:
    """The boxes of the covariance of a pair that is independent, shared, or anything between, in 11 steps.

    >>> covariance_interpolation_slider(uniform(0, 3)).frame(0.5).report
    'Cov(X,Y) = 0.333;  Var(X) = 0.667'

    x is a Var, the law of each coordinate; the parameter is the probability that Y is X itself. Over more than 100
    pairs of outcomes they are the boxes of cells. Raises RandvarError for outcomes that are no finite numbers. Cost:
    O(atoms) a step.
    """
    one = plain(float(variance(x)), 3)
    reports = [f"Cov(X,Y) = {plain(float(mixed_covariance(x, s)), 3)};  Var(X) = {one}" for s in _shares(x)]
    alt = "The covariance of X and Y as boxes; hatched boxes are negative"
    pairs = [mixed_rows(x, share, MOST_BOXES) for share in _TENTHS]
    return covariance_slider(pairs, _TENTHS, Words("Shared fraction", "{:.1f}", reports, alt))


@checked(x=drawable)
def sum_variance_slider(x: Var) -> Slider:
    """The law of X + Y for the same 11 pairs: Var(X + Y) = Var(X) + Var(Y) + 2 Cov(X, Y).

    >>> sum_variance_slider(uniform(0, 3)).frame(1).report
    'Var(X + Y) = 0.667 + 0.667 + 2 × 0.667 = 2.667'

    x is a Var, the pairs are those of `covariance_interpolation_slider`. Raises RandvarError for outcomes that are no
    finite numbers.
    """
    sums = mixed_sums(x, _shares(x))
    one = plain(float(variance(x)), 3)
    covariances = [plain(float(mixed_covariance(x, share)), 3) for share in _shares(x)]
    reports = [
        f"Var(X + Y) = {one} + {one} + 2 × {cov} = {plain(float(variance(law)), 3)}"
        for cov, law in zip(covariances, sums, strict=True)
    ]
    words = Words("Shared fraction", "{:.1f}", reports, "Histogram of X + Y", axis="X + Y")
    return histogram_slider(sums, _TENTHS, words)


@checked(n=partial(whole, least=1, most=MOST_FRAMES))
def coin_variance_slider(n: int) -> Slider:
    """The boxes of the mean of 1..n flips of a coin that shows +1 or -1: its variance is 1/n.

    >>> coin_variance_slider(4).frame(4).report
    'Variance = 1/4 = 0.25'

    Raises RandvarError unless n is at least 1. Cost: n frames of up to n + 1 boxes.
    """
    coin = uniform(0, 2).op(lambda a: 2 * a - 1)
    flips = range(1, n + 1)
    laws = [monte_carlo(coin, k) for k in flips]
    reports = [f"Variance = 1/{k} = {plain(float(variance(law)))}" for k, law in zip(flips, laws, strict=True)]
    words = Words("Coin flips:", "{}", reports, "The variance of the mean of coin flips as boxes", axis="Mean")
    return variance_slider(laws, flips, words)


@checked(max_samples=partial(whole, least=1, most=MOST_FRAMES), labels=sequence)
def monte_carlo_samples_slider(
    x: Var, max_samples: int = 5, without: Var | None = None, labels: Sequence[str] = ()
) -> Slider:
    """The smoothed law of the mean of 1..max_samples draws of x; `without` adds that of another estimator in grey.

    >>> monte_carlo_samples_slider(uniform(0, 2), max_samples=3, labels=["coin"]).frame(2).report
    'coin: mean 0.5000, variance 0.1250'

    x and `without` are Vars. `labels` names the estimator, or first the other and then x. Raises RandvarError when they
    are too few or many, for max_samples < 1, and for outcomes that are no finite numbers. Cost: as of `density` for
    each number of draws; no law of a mean is listed.
    """
    laws = [x] if without is None else [x, without]
    names = labels[::-1] or ["estimate", "other"][: len(laws)]
    if len(names) != len(laws):
        raise RandvarError(f"{len(names)} labels for {len(laws)} laws: give one a law, the other estimator first")
    check_drawable(*laws)
    counts = range(1, max_samples + 1)
    reports = ["\n".join(_estimate(name, law, k) for name, law in zip(names, laws, strict=True)) for k in counts]
    words = Words("Samples:", "{}", reports, "Smoothed density of the mean of some draws", axis="Estimate")
    drawn = [[((law, k),) for k in counts] for law in laws]
    return density_slider(drawn[0], counts, words, against=drawn[1] if len(laws) > 1 else (), names=names)


def _estimate(name: str, x: Var, draws: int) -> str:
    mean = monte_carlo(x, draws)
    return f"{name}: mean {plain(float(expect(mean)), 4)}, variance {plain(float(variance(mean)), 4)}"
