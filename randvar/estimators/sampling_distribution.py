"""Any function of n independent draws: its law, by running it on every sample that can happen.

A symmetric statistic (one that does not look at the order of the draws) is run once a multiset: 56 samples of three dice
instead of 216. Samples come in chunks, so that memory stays bounded by the outcomes found, not by the samples.
"""

from __future__ import annotations

__all__ = ["sampling_distribution"]
