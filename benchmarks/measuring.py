"""All contenders of a workload in turn, round after round, each in its own process."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.workload import Workload

__all__ = ["Limits", "Result", "run"]

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Limits:
    """Of one measurement: processor seconds, gigabytes of address space; and how many rounds there are."""

    seconds: int = 60
    gigabytes: float = 4
    rounds: int = 3
    enough: float = 10  # seconds of one run, from which it is not repeated


@dataclass(frozen=True)
class Result:
    """The best of several measurements of one contender; `failure` says why there is none, or what is wrong."""

    name: str
    seconds: float = math.nan
    peak: int = 0
    support: int | None = None
    expected: int | None = None
    error: float = math.nan
    failure: str = ""

    @property
    def measured(self) -> bool:
        """Whether an answer came, right or wrong."""
        return not math.isnan(self.seconds)

    def verdict(self, accuracy: float) -> str:
        """ "right", or what is wrong with it."""
        if self.failure:
            return self.failure
        if self.support != self.expected:
            return "wrong support"
        return "right" if self.error <= accuracy else "wrong"


def run(workload: Workload, limits: Limits, beaten: set[str]) -> list[Result]:
    """The results in the order of the contenders. Who is in `beaten` failed an easier workload and is not tried."""
    best: dict[str, Result] = {}
    for turn in range(limits.rounds):
        for contender in workload.contenders:
            name = contender.name
            if name in beaten:
                best[name] = Result(name, failure="not tried: over the limit in an easier row")
            elif turn == 0 or (best[name].measured and best[name].seconds < limits.enough):
                best[name] = _better(best.get(name), _once(workload.key, name, limits))
    return [best[contender.name] for contender in workload.contenders]


def _better(before: Result | None, now: Result) -> Result:
    if before is None or not before.measured:
        return now
    return min(before, now, key=lambda r: r.seconds if r.measured else math.inf)


def _once(key: str, name: str, limits: Limits) -> Result:
    command = [sys.executable, "-m", "benchmarks.worker", key, name, str(limits.seconds), str(limits.gigabytes)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=10 * limits.seconds + 600)
    if done.returncode == -signal.SIGPROF:
        return Result(name, failure=f"over {limits.seconds} s")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        return Result(name, failure=f"over {limits.gigabytes:g} GB" if "alloc" in last.lower() else last[:80])
    return Result(name, **json.loads(done.stdout.splitlines()[-1]))
