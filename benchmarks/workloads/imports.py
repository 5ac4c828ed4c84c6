"""How long an import takes in a fresh interpreter, which is not charged for starting."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

from benchmarks.workload import Contender, Finding, Workload

__all__ = ["WORKLOADS"]

_TIMED = "import time; begun = time.process_time(); import {}; print(time.process_time() - begun)"


@dataclass(frozen=True)
class _Import(Contender):
    module: str = ""

    def run(self, limit: int) -> tuple[float, None]:
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        command = [sys.executable, "-c", _TIMED.format(self.module)]
        for _ in range(2):  # the first import may have to compile, which an installation has done
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=10 * limit)
        return float(done.stdout), None


def _import(module: str, distribution: str | None = None) -> Contender:
    return _Import(module, prepare=lambda: lambda: None, distribution=distribution, module=module)


WORKLOADS = [
    Workload(
        key="import",
        title="Import",
        goal="150 ms without a picture",
        contenders=(
            _import("randvar"),
            _import("numpy"),
            _import("icepool", "icepool"),
            _import("dyce", "dyce"),
            _import("lea", "lea"),
            _import("sympy.stats", "sympy"),
        ),
        judge=lambda answer: Finding(None, 0.0),
    ),
]
