"""The results as text for the terminal and as a Markdown document."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.measuring import Limits, Result
from benchmarks.workload import Workload

__all__ = ["document", "duration", "lines", "ratio", "summary"]

_HEADS = ("", "time", "randvar = 1", "outcomes", "largest relative error", "peak memory", "answer")


def duration(seconds: float) -> str:
    """Three significant digits, in the unit that suits."""
    if math.isnan(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{_significant(seconds / size)} {unit}"
    raise AssertionError


def ratio(seconds: float, base: float) -> str:
    """How many times as long as the base."""
    quotient = seconds / base
    return "-" if math.isnan(quotient) else _significant(quotient)


def _significant(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _cells(workload: Workload, result: Result, base: float) -> tuple[str, ...]:
    verdict = result.verdict(workload.accuracy)
    if not result.measured:
        return (result.name, "-", "-", "-", "-", "-", verdict)
    support = "-" if result.support is None else f"{result.support:,}"
    if verdict == "wrong support":
        verdict = f"wrong: {result.expected:,} outcomes"
    error = "-" if math.isnan(result.error) else f"{result.error:.1e}"
    return (
        result.name,
        duration(result.seconds),
        ratio(result.seconds, base),
        support,
        error,
        f"{result.peak / 2**20:,.0f} MB",
        verdict,
    )


def lines(workload: Workload, results: Sequence[Result]) -> list[str]:
    """One workload for the terminal."""
    rows = [_HEADS, *(_cells(workload, r, results[0].seconds) for r in results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return ["", f"{workload.title}  [{workload.key}; goal: {workload.goal}]", *shown]


def document(measured: Sequence[tuple[Workload, list[Result]]], limits: Limits, machine: Sequence[str]) -> str:
    """The Markdown page: a summary that a README can quote, then every contender of every workload."""
    parts = [
        "# Benchmarks",
        "\n".join(f"- {line}" for line in machine),
        f"Written by `make bench`. Each figure is the best of {limits.rounds} rounds in which all contenders took"
        f" turns, each in a process of its own with {limits.seconds} s and {limits.gigabytes:g} GB. Times are processor"
        " time, which leaves out what else the machine was doing. Only the work is timed: imports, inputs and the check"
        " of the answer are not. Ratios are times over randvar's in the same run. Outcomes below 1e-300 are not"
        " counted. Answers are checked against integers and fractions computed without randvar.",
        "## Summary",
        summary(measured),
        "## Every contender",
    ]
    for workload, results in measured:
        parts.append(f"### {workload.title}\n\n`{workload.key}`. Goal: {workload.goal}.")
        parts.append(_markdown([_HEADS, *(_cells(workload, r, results[0].seconds) for r in results)]))
    return "\n\n".join(parts) + "\n"


def summary(measured: Sequence[tuple[Workload, list[Result]]]) -> str:
    """A row a workload: randvar's time and goal, and the others by how many times as long they take."""
    rows: list[tuple[str, ...]] = [("work", "randvar", "goal", "others, times as long")]
    for workload, results in measured:
        own, *others = results
        verdict = own.verdict(workload.accuracy)
        own_cell = duration(own.seconds) + ("" if verdict == "right" else f" ({verdict})")
        rows.append((workload.title, own_cell, workload.goal, "; ".join(_short(workload, r, own) for r in others)))
    return _markdown(rows)


def _short(workload: Workload, result: Result, own: Result) -> str:
    verdict = result.verdict(workload.accuracy)
    if not result.measured:
        return f"{result.name}: {verdict}"
    return f"{result.name} {ratio(result.seconds, own.seconds)}" + ("" if verdict == "right" else " (wrong)")


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *body = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
    return "\n".join([head, "|" + " --- |" * len(rows[0]), *body])
