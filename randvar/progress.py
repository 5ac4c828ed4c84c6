"""A progress bar for work that takes more than a second or two: tqdm where it is installed, else lines of text."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from randvar.context import current

__all__ = ["reported"]

T = TypeVar("T")
_PATIENCE = 1.5  # seconds of silence before a bar appears
_EVERY = 5.0  # seconds between lines where there is no tqdm


def reported(items: Iterable[tuple[int, T]], size: int, what: str) -> Iterator[T]:
    """Yield the items, given with how many samples each stands for; show how far of `size` they are.

    `settings(progress=...)`: True from the start, False never, None once it has taken more than a second and a half.
    """
    bar, progress = None, current().progress
    begun = time.monotonic()
    done = 0
    for samples, item in items:
        yield item
        done += samples
        if bar is None and (progress or (progress is None and time.monotonic() - begun > _PATIENCE and done < size)):
            bar = _bar(size, what)
        if bar is not None:
            bar.update(done - bar.n)
    if bar is not None:
        bar.close()


class _Lines:
    """The part of tqdm's interface that is used here, written as lines."""

    def __init__(self, size: int, what: str) -> None:
        self.n, self.size, self.what, self.last = 0, size, what, -_EVERY

    def update(self, more: int) -> None:
        self.n += more
        if time.monotonic() - self.last >= _EVERY:
            self.last = time.monotonic()
            print(f"{self.what}: {self.n:,} of {self.size:,} samples", file=sys.stderr)

    def close(self) -> None:
        print(f"{self.what}: done", file=sys.stderr)


def _bar(size: int, what: str) -> _Lines:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines(size, what)
    return tqdm(total=size, desc=what, unit=" samples", unit_scale=True)  # type: ignore[no-any-return]
