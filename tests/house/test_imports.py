"""Who imports whom: one direction, no circles, and no picture library before a picture is asked for."""

import ast
import importlib
import os
import pickle
import pydoc
import statistics
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

import randvar
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


# packages whose names come late (PEP 562)
LATE_PACKAGES = ["randvar", "randvar.estimators", "randvar.rollouts", "randvar.plots"]
FIRST_LINES = ["import randvar", "from randvar import *"]


def fresh(program):
    """What a fresh interpreter prints; it may keep compiled files, as an installation does."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env)
    return done.stdout.strip()


@pytest.mark.parametrize("line", FIRST_LINES)
def test_the_first_line_brings_nothing_heavy(line):
    heavy = ["matplotlib", "scipy", "sympy", "pandas", "concurrent.futures", "statistics", "html.entities"]
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


@pytest.mark.parametrize("package", LATE_PACKAGES)
def test_a_late_name_is_known_to_a_checker_to_dir_and_to_a_star(package):
    module = importlib.import_module(package)
    late = {(f"{package}.{part}", name) for part, names in module._LATE.items() for name in names.split()}
    tree = ast.parse(MODULES[package].read_text(encoding="utf-8"))
    told = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        for alias in node.names
        if alias.asname is None
    }
    assert late == told
    assert {name for _, name in late} <= set(module.__all__) <= set(dir(module))
    for home, name in late:
        assert getattr(module, name) is getattr(importlib.import_module(home), name)


@pytest.mark.parametrize("package", LATE_PACKAGES)
def test_a_name_that_there_is_not_is_refused_as_everywhere(package):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'no_such_name'$"):
        importlib.import_module(package).no_such_name


def test_names_are_pickled_and_shown_by_help():
    for name in ("histogram", "report", "sampling_distribution", "coverage", "markov_chain"):
        thing = getattr(randvar, name)
        assert pickle.loads(pickle.dumps(thing)) is thing
        assert name in pydoc.render_doc(thing)
    assert "report" in pydoc.render_doc(randvar)
