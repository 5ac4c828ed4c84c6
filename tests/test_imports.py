"""Who imports whom: one direction, no circles, and no picture library before a picture is asked for."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "randvar"

# From the ground up. A module imports from the floors below its own; neighbours on a floor know nothing of each other,
# but the files of one subpackage may import one another. The examples live on top of the public names, as users do.
FLOORS = [
    {"errors"},
    {"engine", "display", "progress"},
    {"arithmetic"},
    {"var"},
    {"linear"},
    {"blocks"},
    {"row_arithmetic"},
    {"joint"},
    {"coupling", "as_functions"},
    {"families", "moments", "information"},
    {"vectors", "chains", "policies"},
    {"estimators"},
    {"verdict", "rollouts"},
    {"plots"},
    {"__init__"},
    {"examples"},
]
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}

# A method that returns something of a higher floor imports it when it is called: x.vector(f) is a Joint, a comparison
# draws itself.
LATE = {("var", "joint"), ("verdict", "plots")}

MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def room(module: str) -> str:
    """The part of the house a module lives in: randvar.engine.atoms -> engine."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imported(module: str, *, when_loaded: bool = False) -> Iterator[str]:
    """Full names of all modules that a module imports; `when_loaded`: not those inside functions or for types only."""
    tree = ast.parse(MODULES[module].read_text())
    for node in loaded(tree) if when_loaded else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively; write the full name"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES else str(node.module)


def loaded(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is loaded."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            continue
        yield node
        yield from loaded(node)


def test_every_module_has_a_floor():
    assert {room(module) for module in MODULES} <= FLOOR.keys()


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_down(module):
    here = room(module)
    for name in imported(module):
        if name.split(".")[0] == "randvar":
            there = room(name)
            assert there == here or FLOOR[there] < FLOOR[here] or (here, there) in LATE, f"{module} imports {name}"


def test_contributing_says_who_imports_whom():
    text = (PACKAGE.parent / "CONTRIBUTING.md").read_text()
    listed = {}
    for line in text.split("### Who imports whom")[1].split("```")[1].strip().splitlines():
        name, *others = line.replace(",", "").split()
        listed[name] = set(others) - {"nothing"}
    found = {name: set() for name in listed}
    for module in MODULES:
        for name in imported(module, when_loaded=True):
            if room(module) in listed and name.split(".")[0] == "randvar":
                found[room(module)] |= {room(name)} - {room(module), "engine", "errors"}
    assert found == listed
    assert listed.keys() == FLOOR.keys() - {"errors", "__init__", "examples"}


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
