"""What is measured: a workload, who takes part, and how an answer is judged."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Contender", "Finding", "Workload"]


@dataclass(frozen=True)
class Finding:
    """What an answer is worth: its number of outcomes, and its largest relative error against the exact one."""

    support: int | None
    error: float


@dataclass(frozen=True)
class Contender:
    """One way to do the work.

    `prepare` imports what is needed, builds fresh inputs and returns the work; only the work is timed. `read` turns
    what the work returned into what the workload's `judge` takes; the time of this translation is charged to no one.
    """

    name: str
    prepare: Callable[[], Callable[[], Any]]
    read: Callable[[Any], Any] = field(default=lambda answer: answer)
    distribution: str | None = None  # on PyPI, where it is not a requirement of randvar

    def run(self, limit: int) -> tuple[float, Any]:
        """Processor seconds that the work took, and what it returned. The process dies of SIGPROF past the limit.

        Processor time, because what else runs on the machine would be charged to whoever happens to be measured; that
        of the thread (all contenders keep to one), because the clock of a process with a limit moves in steps of ms.
        """
        work = self.prepare()
        signal.setitimer(signal.ITIMER_PROF, limit)
        begun = time.thread_time()
        answer = work()
        elapsed = time.thread_time() - begun
        signal.setitimer(signal.ITIMER_PROF, 0)
        return elapsed, answer


@dataclass(frozen=True)
class Workload:
    """One row of the table. The first contender is randvar, which the others are compared with."""

    key: str
    title: str
    goal: str
    contenders: tuple[Contender, ...]
    judge: Callable[[Any], Finding]
    support: Callable[[], int | None] = lambda: None  # how many outcomes there are in truth
    accuracy: float = 1e-9  # a larger relative error is wrong
    harder_than: tuple[str, ...] = ()  # who exceeds a limit in one of these workloads is not tried in this one
