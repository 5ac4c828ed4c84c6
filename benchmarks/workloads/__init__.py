"""Everything that is measured, by key and in the order of the table."""

from __future__ import annotations

from benchmarks.workload import Workload
from benchmarks.workloads import dice, exact_dice, group, imports, irregular, laws, statistics

__all__ = ["WORKLOADS"]

WORKLOADS: dict[str, Workload] = {
    workload.key: workload
    for subject in (dice, exact_dice, irregular, laws, statistics, group, imports)
    for workload in subject.WORKLOADS
}
