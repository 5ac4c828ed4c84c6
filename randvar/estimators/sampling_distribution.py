"""Any function of n independent draws: its law, by running it on every sample that can happen.

A symmetric statistic (one that does not look at the order of the draws) is run once a multiset: 56 samples of three dice
instead of 216. Samples come in chunks, so that memory stays bounded by the outcomes found, not by the samples.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from randvar.engine.atoms import EPS, Array, canonical, is_numeric, outcome_array, scalar
from randvar.engine.budget import MAX_ATOMS, check_budget
from randvar.engine.kinds import divide, total
from randvar.engine.multisets import expand, multiset_count, sample_parts
from randvar.errors import RandvarError, UndefinedOutcome
from randvar.estimators.arguments import count
from randvar.joint import Joint
from randvar.progress import Progress, reported
from randvar.var import Var

__all__ = ["sampling_distribution"]
