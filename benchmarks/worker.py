"""One measurement, in a process of its own:  python -m benchmarks.worker WORKLOAD CONTENDER SECONDS GIGABYTES

Prints one line of JSON. Past the time limit the process dies of SIGPROF.
"""

from __future__ import annotations

import importlib.metadata
import json
import resource
import sys

from benchmarks.workload import Contender
from benchmarks.workloads import WORKLOADS

__all__ = ["measure"]

_REPEAT_FOR = 0.5  # seconds: quick work is repeated for so long
_REPEAT_AT_MOST = 200


def measure(key: str, name: str, limit: int, gigabytes: float) -> dict[str, object]:
    """Best time, peak memory and finding of one contender; or why there is none."""
    workload = WORKLOADS[key]
    contender = next(c for c in workload.contenders if c.name == name)
    if contender.distribution and not _installed(contender.distribution):
        return {"failure": "not installed"}
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30), hard))
    try:
        seconds, answer = _best(contender, limit)
    except MemoryError:
        return {"failure": f"over {gigabytes:g} GB"}
    except Exception as error:
        return {"failure": f"{type(error).__name__}: {error}".splitlines()[0][:80]}
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))  # the judge may need more
    finding = workload.judge(contender.read(answer))
    return {
        "seconds": seconds,
        "peak": peak,
        "support": finding.support,
        "error": finding.error,
        "expected": workload.support(),
    }


def _best(contender: Contender, limit: int) -> tuple[float, object]:
    best, spent, times = float("inf"), 0.0, 0
    while times == 0 or (spent < _REPEAT_FOR and times < _REPEAT_AT_MOST):
        elapsed, answer = contender.run(limit)
        best, spent, times = min(best, elapsed), spent + elapsed, times + 1
    return best, answer


def _installed(distribution: str) -> bool:
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    key, name, limit, gigabytes = sys.argv[1:]
    print(json.dumps(measure(key, name, int(limit), float(gigabytes))))
