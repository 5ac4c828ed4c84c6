"""The budget of atoms: a law too large to list is refused before it is allocated."""

from __future__ import annotations

import math

from randvar.errors import SupportTooLarge

__all__ = ["MAX_ATOMS", "OF_A_SUM", "OR_MORE", "check_budget", "check_draws"]

MAX_ATOMS = 5_000_000
_DRAWS_PER_ATOM = 100

# ways out of a refusal: where the budget is an argument, and of a sum
OR_MORE = "take fewer draws or fewer outcomes, or a larger max_atoms=..."
OF_A_SUM = (
    "moments need no atoms (expect, variance), law_bounds encloses the CDF, stochastic_rounding(x, step) of a draw has"
    " fewer sums and the same mean; or raise max_atoms"
)


def check_budget(
    size: int, max_atoms: int, what: str = "this law", way_out: str = "that is all that fits: take fewer outcomes"
) -> None:
    """Raise SupportTooLarge when `size` atoms are more than `max_atoms`."""
    if size > max_atoms:
        shown = f"{size:,}" if size < 10**12 else f"about 1e{math.log10(size):.0f}"
        raise SupportTooLarge(
            f"{what} would have {shown} atoms, over the budget of {max_atoms:,}; {way_out}",
            size=size,
            budget=max_atoms,
        )


def check_draws(samples: int, n: int, max_atoms: int, what: str) -> None:
    """Raise SupportTooLarge when samples of n draws hold more numbers than a hundred for each atom of the budget."""
    if samples * n > _DRAWS_PER_ATOM * max_atoms:
        raise SupportTooLarge(
            f"{what} would run {samples:,} samples of {n:,} draws, over {_DRAWS_PER_ATOM} draws for each of the"
            f" {max_atoms:,} atoms of the budget; take fewer draws, or a larger max_atoms=...",
            size=samples * n,
            budget=_DRAWS_PER_ATOM * max_atoms,
        )
