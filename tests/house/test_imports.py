"""Who imports whom: one direction, no circles, and no picture library before a picture is asked for."""

import ast
import os
import statistics
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from tools.house import FLOOR, LATE, MODULES, PACKAGE, PICTURE, arrows, imported, room, shortest, svg


def test_every_module_has_a_floor():
    assert {room(module) for module in MODULES} <= FLOOR.keys()


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_down(module):
    here = room(module)
    for name in imported(module):
        if name.split(".")[0] == "randvar":
            there = room(name)
            assert there == here or FLOOR[there] < FLOOR[here] or (here, there) in LATE, f"{module} imports {name}"


def test_the_picture_in_contributing_is_drawn_from_the_code():
    assert PICTURE.read_text(encoding="utf-8") == svg(), "draw it again: python -m tools.house"
    assert "](docs/house.svg)" in (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_picture_shows_every_arrow_that_no_longer_way_implies():
    graph = {"a": {"b", "c"}, "b": {"c", "d"}, "c": {"d"}, "d": set()}
    assert shortest(graph) == {"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": set()}
    assert svg().count("<path d=") == sum(map(len, shortest(arrows()).values())) + 1  # and the tip
    assert svg().count('<path class="up"') == len(LATE)


def test_functions_with_an_underscore_stay_in_their_file():
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("randvar"):
                private = [alias.name for alias in node.names if alias.name.startswith("_")]
                assert not private, f"{module} imports {private} from {node.module}"


def test_no_circles():
    graph = {module: {name for name in imported(module, when_loaded=True) if name in MODULES} for module in MODULES}
    for module, names in graph.items():
        names.discard(module)
    list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


@pytest.mark.parametrize("module", MODULES)
def test_only_plots_draws(module):
    if room(module) != "plots":
        assert not [name for name in imported(module) if name.split(".")[0] == "matplotlib"]


FIRST_LINES = ["import randvar", "from randvar import *"]


def fresh(program):
    """What a fresh interpreter prints; it may keep compiled files, as an installation does."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env)
    return done.stdout.strip()


@pytest.mark.parametrize("line", FIRST_LINES)
def test_the_first_line_brings_nothing_heavy(line):
    heavy = ["matplotlib", "scipy", "sympy", "pandas", "numpy.random", "hashlib", "concurrent.futures", "statistics"]
    heavy += ["html.entities"]
    assert fresh(f"import sys\n{line}\nprint([name for name in {heavy} if name in sys.modules])") == "[]"


@pytest.mark.slow
def test_the_first_line_takes_little_more_than_numpy():
    timed = "import time; begun = time.process_time(); {}; print(time.process_time() - begun)"
    lines = ["import numpy", *FIRST_LINES]
    for line in lines:  # compiled files are written
        fresh(line)
    taken = {line: [] for line in lines}
    for _ in range(15):  # in turn, so that what else the machine does is charged to all
        for line in lines:
            taken[line].append(float(fresh(timed.format(line))))
    numpy, *ours = (statistics.median(taken[line]) for line in lines)
    assert max(ours) <= 1.6 * numpy  # 1.4 on a machine that does nothing else; more than that is a module that came in
