"""The one door of the engine: the law of a sum of independent draws, by whichever room is cheapest.

* values on a lattice: direct or tilted convolution (`lattice`), unless the lattice is so wide that its cells outnumber
  the multisets of draws by far; then the programme over outcomes with exact integer keys (`programme`);
* irregular values: the programme over outcomes, merging within the rounding of the sums;
* exact probabilities: integers over one common denominator (`rational`).

Everything is refused past the budget before it is allocated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from randvar.engine.atoms import Array, canonical, is_numeric, outcome_array
from randvar.engine.grid import Grid, find_grid
from randvar.engine.kinds import kind_of
from randvar.engine.lattice import lattice_sum, log_mass
from randvar.engine.programme import combine, key_programme, outcome_programme
from randvar.engine.rational import rational_sum

__all__ = ["Draws", "independent_sum", "log_probability"]

_MAX_SPAN = 2**40  # of one draw; the cost decides long before
_SPARSE = 64  # cells of a lattice cost about 1/64 of an atom of the programme


@dataclass(frozen=True)
class Draws:
    """`copies` independent draws of one law."""

    values: Array
    probs: Array
    copies: int
