"""python -m benchmarks [KEY ...]: measure, print, and (when nothing is left out) write RESULTS.md."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.machine import machine
from benchmarks.measuring import Limits, run
from benchmarks.table import document, lines
from benchmarks.workloads import WORKLOADS

RESULTS = Path(__file__).parent / "RESULTS.md"


def main() -> None:
    """Measure the workloads asked for, one after the other."""
    defaults = Limits()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("keys", nargs="*", metavar="KEY", help="only workloads whose key starts so; writes nothing")
    parser.add_argument("--seconds", type=int, default=defaults.seconds, help="limit of one run")
    parser.add_argument("--gigabytes", type=float, default=defaults.gigabytes, help="limit of one run")
    parser.add_argument("--rounds", type=int, default=defaults.rounds, help="the best of so many")
    asked = parser.parse_args()
    limits = Limits(asked.seconds, asked.gigabytes, asked.rounds)
    chosen = [w for key, w in WORKLOADS.items() if not asked.keys or key.startswith(tuple(asked.keys))]
    measured = []
    over: dict[str, set[str]] = {}
    for workload in chosen:
        results = run(workload, limits, set().union(*(over.get(key, set()) for key in workload.harder_than)))
        over[workload.key] = {r.name for r in results if "over" in r.failure}
        measured.append((workload, results))
        print("\n".join(lines(workload, results)), flush=True)
    if not asked.keys:
        RESULTS.write_text(document(measured, limits, machine()), encoding="utf-8")
        print(f"\nwritten: {RESULTS}")


if __name__ == "__main__":
    main()
