"""Who imports whom: one direction, no circles, and no picture library before a picture is asked for."""

import ast
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


def test_import_randvar_is_light():
    heavy = ["matplotlib", "scipy.stats", "sympy", "pandas"]
    program = f"import sys, randvar; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
