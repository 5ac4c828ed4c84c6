"""Small programs side by side, in microseconds: what a call costs where there is next to nothing to compute.

python -m benchmarks.small                       of this checkout
python -m benchmarks.small <folder>              beside another checkout, with the ratio of the two
python -m benchmarks.small <folder> --rounds 9   the least of nine rounds instead of five

Each checkout runs in a process of its own, the two in turn, round after round, so that a busy machine slows both; of
each program the least time of all rounds counts. A program is run many times in one process: laws that were made once
are there already, laws that it makes are made anew.

op           die.op(f), f a function of Python's
cond, prob   of a predicate
mean         monte_carlo(die, 10).probs
sum          indep(die, die).add().probs
variance     variance(monte_carlo(die, 10**6))
report       report(monte_carlo(die, 10), its mean)
max          sampling_distribution(max, die, 3)
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import timeit
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

__all__ = ["main", "microseconds", "programs", "rows"]

ROOT = Path(__file__).parents[1]
_REPEATS = 3


def programs(kind: str) -> dict[str, Callable[[], Any]]:
    """The programs, of a die in floats or in fractions."""
    import randvar as rv

    exact = kind == "fractions"
    die = rv.Var(range(1, 7), [Fraction(1, 6) if exact else 1 / 6] * 6)
    mean = Fraction(7, 2) if exact else 3.5
    return {
        "op": lambda: die.op(lambda a: a % 2),
        "cond": lambda: die.cond(lambda a: a > 2),
        "prob": lambda: die.prob(lambda a: a > 2),
        "mean": lambda: rv.monte_carlo(die, 10).probs,
        "sum": lambda: rv.indep(die, die).add().probs,
        "variance": lambda: rv.variance(rv.monte_carlo(die, 10**6)),
        "report": lambda: rv.report(rv.monte_carlo(die, 10), mean),
        "max": lambda: rv.sampling_distribution(max, die, 3),
    }


def microseconds() -> dict[str, float]:
    """{kind and name: time of one run} of every program, in this process."""
    found = {}
    for kind in ("floats", "fractions"):
        for name, program in programs(kind).items():
            timer = timeit.Timer(program)
            runs, _ = timer.autorange()
            found[f"{name}, {kind}"] = 1e6 * min(timer.repeat(_REPEATS, max(1, runs // 4))) / max(1, runs // 4)
    return found


def rows(here: dict[str, float], there: dict[str, float] | None = None) -> list[str]:
    """The table: a line a program, with the other checkout's time and the ratio to it if there is one."""
    if there is None:
        return [f"{name:20}{time:10.1f}" for name, time in here.items()]
    return [f"{name:20}{there[name]:10.1f}{time:10.1f}{time / there[name]:8.2f}" for name, time in here.items()]


def _measured(folder: Path) -> dict[str, float]:
    """In a process that imports the randvar of this folder."""
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", str(folder.resolve())]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def _least(before: dict[str, float], now: dict[str, float]) -> dict[str, float]:
    return {name: min(time, before.get(name, time)) for name, time in now.items()}


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="another checkout")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    folders = [ROOT] if asked.folder is None else [asked.folder, ROOT]
    best: dict[Path, dict[str, float]] = {folder: {} for folder in folders}
    for _ in range(asked.rounds):
        for folder in folders:
            best[folder] = _least(best[folder], _measured(folder))
    print("\n".join(rows(best[ROOT], None if asked.folder is None else best[asked.folder])))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        sys.path[0] = sys.argv[2]
        print(json.dumps(microseconds()))
    else:
        main()
