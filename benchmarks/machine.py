"""What the figures were measured on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from datetime import date
from pathlib import Path

__all__ = ["machine"]

_DISTRIBUTIONS = ("numpy", "scipy", "lea", "icepool", "dyce", "sympy", "python-flint", "mpmath")


def machine() -> list[str]:
    """Date, processor and memory, versions: one line each."""
    return [
        f"Date: {date.today().isoformat()}",
        f"Machine: {_processor()}, {os.cpu_count()} cores, {_gigabytes():.0f} GB, {platform.system()}",
        f"Python {platform.python_version()}, randvar {_version('randvar')}, "
        + ", ".join(f"{name} {_version(name)}" for name in _DISTRIBUTIONS),
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _gigabytes() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"
