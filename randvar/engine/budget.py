"""The budget of atoms: a law too large to list is refused before it is allocated."""

from __future__ import annotations

import math

from randvar.errors import SupportTooLarge

__all__ = ["MAX_ATOMS", "check_budget"]

MAX_ATOMS = 5_000_000


def check_budget(size: int, max_atoms: int, what: str = "this law") -> None:
    """Raise SupportTooLarge when `size` atoms are more than `max_atoms`."""
    if size > max_atoms:
        shown = f"{size:,}" if size < 10**12 else f"about 1e{math.log10(size):.0f}"
        raise SupportTooLarge(
            f"{what} would have {shown} atoms, over the budget of {max_atoms:,}; its moments are closed forms where it"
            " is a sum (expect, variance), law_bounds encloses its CDF, and stochastic_rounding(x, step) of a"
            " draw, which keeps the mean, or max_atoms=... makes it fit",
            size=size,
            budget=max_atoms,
        )
