"""The bootstrap without a draw: the law of a statistic over all resamples of a sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.arguments import checked, flag, function, listed, optional
from randvar.context import settings
from randvar.estimators.intervals import a_level, tail_of
from randvar.estimators.sampling_distribution import sampling_distribution
from randvar.estimators.symmetry import is_blind_to_order
from randvar.families import empirical

__all__ = ["bootstrap_interval"]


@dataclass(frozen=True)
class PercentileInterval:
    """From the `tail` to the 1 - `tail` quantile of the statistic over all resamples."""

    statistic: Callable[[Any], Any]
    tail: Fraction
    symmetric: bool | None = None

    @property
    def blind_to_order(self) -> bool:
        """Whether it does not look at the order of the sample: the law of resamples does not."""
        return is_blind_to_order(self.statistic)

    def __call__(self, sample: Sequence[Any]) -> tuple[Any, Any]:
        draws = listed("bootstrap_interval: the sample", sample)
        with settings(progress=False):
            resampled = sampling_distribution(self.statistic, empirical(draws), len(draws), self.symmetric)
        return resampled.quantile(self.tail), resampled.quantile(1 - self.tail)


@checked(statistic=function, level=a_level, symmetric=optional(flag))
def bootstrap_interval(
    statistic: Callable[[Any], Any] = np.mean, level: float = 0.95, symmetric: bool | None = None
) -> PercentileInterval:
    """The percentile interval: quantiles of the statistic over all resamples of the sample, none of them drawn.

    >>> bootstrap_interval(np.median, level=0.9)([1, 2, 4, 8, 16])
    (1.0, 16.0)

    A function of a sample, for `coverage` or for data. Each sample of n costs C(2n - 1, n) calls of a statistic that is
    known not to look at the order, or declared so by `symmetric=True` (`sampling_distribution`): 126 for n = 5, 92,378
    for n = 10; else n^n. Raises RandvarError for a level outside (0, 1), SupportTooLarge for a sample too long.
    Source: Efron & Tibshirani, An Introduction to the Bootstrap, section 13.3.
    """
    return PercentileInterval(statistic, tail_of(level), symmetric)
