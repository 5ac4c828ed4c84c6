"""The settings in force for a block of code, and the budget of atoms that they set.

    with settings(max_atoms=10**7, progress=False):
        ...

They live in a context variable, so that threads and coroutines do not disturb each other. A new thread and another
process start with the defaults; work that is sent there goes as `carried(f)`, which takes the settings along as a value
and puts them in force around the call. A law that is computed when it is first read keeps those of where it was made.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from randvar.errors import RandvarError, SupportTooLarge, described, one_line

__all__ = [
    "MAX_ATOMS",
    "OF_A_SUM",
    "OR_MORE",
    "RAISE_IT",
    "Settings",
    "at_least",
    "carried",
    "check_budget",
    "check_draws",
    "current",
    "over_budget",
    "settings",
    "under",
]

MAX_ATOMS = 5_000_000  # unless told otherwise
_DRAWS_PER_ATOM = 100

# ways out of a refusal: alone, in general, and of a sum
RAISE_IT = "raise the budget: with settings(max_atoms=...)"
OR_MORE = f"take fewer draws or fewer outcomes, or {RAISE_IT}"
OF_A_SUM = (
    "moments need no atoms (expect, variance), law_bounds encloses the CDF, stochastic_rounding(x, step) of a draw has"
    f" fewer sums and the same mean; or {RAISE_IT}"
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settings:
    """`max_atoms`: how many outcomes a law may have; `progress`: a bar from the start, never, or after a while."""

    max_atoms: int = MAX_ATOMS
    progress: bool | None = None


_DEFAULTS = Settings()
_AS_IT_IS = nullcontext()
_IN_FORCE: ContextVar[Settings] = ContextVar("settings", default=_DEFAULTS)
current: Callable[[], Settings] = _IN_FORCE.get
if hasattr(os, "register_at_fork"):  # a worker that is forked inside the block would keep its settings for good
    os.register_at_fork(after_in_child=partial(_IN_FORCE.set, _DEFAULTS))


@contextmanager
def settings(*, max_atoms: int | None = None, progress: bool | str | None = "as it is") -> Iterator[Settings]:
    """Put settings in force for a block of code; those that are not named stay as they are.

    >>> with settings(max_atoms=10**7, progress=False) as chosen:
    ...     chosen.max_atoms
    10000000

    `max_atoms` is the budget: how many outcomes a law may have, 5 million unless told; what would have more is refused
    before it is allocated. `progress` says whether long work shows a bar: True from the start, False never, None when
    it takes more than a second or two. A law that is computed when it is first read keeps the settings under which it
    was made, or takes those in force when it is read, if their budget is larger.

    Executors that are handed to randvar work under the settings of the call; a thread of your own starts with the
    defaults (`randvar.context.carried(f)` takes them along). Raises TypeError for a setting that there is not, or of
    the wrong type, RandvarError for max_atoms < 1.
    """
    changes: dict[str, Any] = {}
    if max_atoms is not None:
        changes["max_atoms"] = _atoms(max_atoms)
    if not (isinstance(progress, str) and progress == "as it is"):
        changes["progress"] = _shown(progress)
    with under(replace(current(), **changes)) as chosen:
        yield chosen


@contextmanager
def under(chosen: Settings) -> Iterator[Settings]:
    """Put exactly these settings in force."""
    token = _IN_FORCE.set(chosen)
    try:
        yield chosen
    finally:
        _IN_FORCE.reset(token)


def at_least(made: Settings) -> Any:
    """Put in force the budget under which a law was made, unless that of here and now is as large."""
    now = current()
    return _AS_IT_IS if made.max_atoms <= now.max_atoms else under(replace(now, max_atoms=made.max_atoms))


def carried(f: Callable[..., T]) -> Callable[..., T]:
    """f as it is to run in a thread or another process, under the settings of here and now; picklable if f is.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with settings(max_atoms=100), ThreadPoolExecutor() as pool:
    ...     pool.submit(carried(lambda: current().max_atoms)).result()
    100
    """
    return partial(_called_under, current(), f)


def _called_under(chosen: Settings, f: Callable[..., T], *args: Any) -> T:
    with under(chosen):
        return f(*args)


def _atoms(n: Any) -> int:
    """A whole number of atoms; a float that is one (1e7) counts as one."""
    number = int(n) if isinstance(n, float) and n.is_integer() else n
    try:
        if isinstance(number, bool):
            raise TypeError
        number = operator.index(number)
    except TypeError:
        raise TypeError(f"settings: max_atoms must be a whole number, got {described(n)}") from None
    if number < 1:
        raise RandvarError(f"settings: max_atoms must be at least 1, got {one_line(number)}")
    return number


def _shown(progress: Any) -> bool | None:
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"settings: progress must be True, False or None, got {described(progress)}")
    return progress


def check_budget(size: int, what: str = "this law", way_out: str = OR_MORE, *, max_atoms: int | None = None) -> None:
    """Raise SupportTooLarge when `size` atoms are more than the budget in force (or `max_atoms`)."""
    allowed = current().max_atoms if max_atoms is None else max_atoms
    if size > allowed:
        shown = f"{size:,}" if size < 10**12 else f"about 1e{math.log10(size):.0f}"
        raise SupportTooLarge(
            f"{what} would have {shown} atoms, over the budget of {allowed:,}; {way_out}", size=size, budget=allowed
        )


def over_budget(what: str, size: int, way_out: str) -> SupportTooLarge:
    """What is raised for a law that holds, or takes, more than the budget in force; `what` says how much that is."""
    allowed = current().max_atoms
    return SupportTooLarge(f"{what}, more than max_atoms={allowed:,}; {way_out}", size=size, budget=allowed)


def check_draws(samples: int, n: int, what: str) -> None:
    """Raise SupportTooLarge when samples of n draws hold more numbers than a hundred for each atom of the budget."""
    allowed = current().max_atoms
    if samples * n > _DRAWS_PER_ATOM * allowed:
        raise SupportTooLarge(
            f"{what} would run {samples:,} samples of {n:,} draws, over {_DRAWS_PER_ATOM} draws for each of the"
            f" {allowed:,} atoms of the budget; {OR_MORE}",
            size=samples * n,
            budget=_DRAWS_PER_ATOM * allowed,
        )
