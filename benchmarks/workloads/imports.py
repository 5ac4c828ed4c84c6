"""How long an import takes in a fresh interpreter, which is not charged for starting."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

from benchmarks.workload import Contender, Finding, Workload

__all__ = ["WORKLOADS"]

_TIMED = "import time; begun = time.process_time(); {}; print(time.process_time() - begun)"


@dataclass(frozen=True)
class _Import(Contender):
    line: str = ""

    def run(self, limit: int) -> tuple[float, None]:
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        command = [sys.executable, "-c", _TIMED.format(self.line)]
        for _ in range(2):  # the first import may have to compile, which an installation has done
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=10 * limit)
        return float(done.stdout), None


def _import(name: str, distribution: str | None = None, line: str = "import {}") -> Contender:
    return _Import(name, prepare=lambda: lambda: None, distribution=distribution, line=line.format(name))


_OTHERS = (
    _import("numpy"),
    _import("icepool", "icepool"),
    _import("dyce", "dyce"),
    _import("lea", "lea"),
    _import("sympy.stats", "sympy"),
)


WORKLOADS = [
    Workload(
        key="import",
        title="Import",
        goal="1.4 times numpy",
        contenders=(_import("randvar"), *_OTHERS),
        judge=lambda answer: Finding(None, 0.0),
    ),
    Workload(
        key="star-import",
        title="`from randvar import *`",
        goal="1.4 times numpy",
        contenders=(_import("randvar", line="from {} import *"), _import("numpy")),
        judge=lambda answer: Finding(None, 0.0),
    ),
]
