"""Who imports whom: the floors of the package, read from its code, and their picture in CONTRIBUTING.md.

python -m tools.house      draw docs/house.svg again
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

__all__ = ["FLOOR", "FLOORS", "LATE", "MODULES", "PACKAGE", "PICTURE", "arrows", "imported", "room", "shortest", "svg"]

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "randvar"
PICTURE = ROOT / "docs" / "house.svg"

# From the ground up. A module imports from the floors below its own; neighbours on a floor know nothing of each other,
# but the files of one subpackage may import one another. The examples live on top of the public names, as users do.
FLOORS = [
    ["errors", "late"],
    ["context"],
    ["numbers"],
    ["arguments", "atoms", "quadrature"],
    ["calls", "interop", "sums"],
    ["bounds", "warrant", "advice", "progress"],
    ["law", "display", "provenance"],
    ["lazy", "conversion", "column_sums", "power_sums"],
    ["draws", "independent"],
    ["arithmetic"],
    ["var"],
    ["row_arithmetic"],
    ["joint"],
    ["coupling", "law_arguments"],
    ["joint_functions", "families", "moments", "information", "rounding_of_means"],
    ["generator"],
    ["paths"],
    ["policies", "chains", "folds", "enumeration"],
    ["estimators"],
    ["verdict", "rollouts"],
    ["plots"],
    ["__init__"],
    ["examples"],
]
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}

# A method that returns something of a higher floor imports it when it is called: x.vector(f) is a Joint, a comparison
# draws itself.
LATE = {("var", "joint"), ("verdict", "plots")}

# Everyone stands on these, which no arrow need say.
GROUND = {"errors", "context", "numbers", "arguments", "atoms", "calls", "sums"}

MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def room(module: str) -> str:
    """The part of the house a module lives in: randvar.atoms.outcomes -> atoms."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imported(module: str, *, when_loaded: bool = False) -> Iterator[str]:
    """Full names of all modules that a module imports; `when_loaded`: not those inside functions or for types only."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    for node in _loaded(tree) if when_loaded else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ImportError(f"{module} imports relatively; write the full name")
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES else str(node.module)


def _loaded(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is loaded."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            continue
        yield node
        yield from _loaded(node)


def arrows() -> dict[str, set[str]]:
    """{room: the rooms it imports when it is loaded}, without the ground."""
    found: dict[str, set[str]] = {name: set() for name in FLOOR}
    for module in MODULES:
        for name in imported(module, when_loaded=True):
            if name.split(".")[0] == "randvar":
                found[room(module)].add(room(name))
    return {name: others - {name} - GROUND for name, others in found.items()}


def shortest(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The arrows that no longer way implies (the transitive reduction)."""
    below: dict[str, set[str]] = {}
    for name in TopologicalSorter(graph).static_order():
        below[name] = set().union(*({other} | below[other] for other in graph[name])) if graph[name] else set()
    return {name: {o for o in others if not any(o in below[via] for via in others)} for name, others in graph.items()}


WIDTH, STOREY, BOX, LETTER = 720, 58, 30, 8.4  # in pixels


def svg() -> str:
    """The picture: a floor a row, an arrow from each room to those that it imports."""
    height = STOREY * len(FLOORS)
    place = {
        name: (x, height - (floor + 0.5) * STOREY)
        for floor, rooms in enumerate(FLOORS)
        for name, x in zip(rooms, _across(rooms), strict=True)
    }
    down = [_arrow(place[a], place[b]) for a, others in shortest(arrows()).items() for b in sorted(others)]
    up = [_arrow(place[a], place[b], up=True) for a, b in sorted(LATE)]
    boxes = [_box(name, *place[name]) for name in place]
    style = (
        "text{font:14px DejaVu Sans Mono,monospace;text-anchor:middle;fill:#1b1b1b}"
        "rect{fill:#eaf2f8;stroke:#0072b2}path{fill:none;stroke:#5f6a72;marker-end:url(#tip)}"
        ".up{stroke:#d55e00;stroke-dasharray:5 4}"
    )
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#5f6a72;stroke:none;marker-end:none"/></marker></defs>'
    )
    body = "\n".join(
        [tip, f'<rect width="{WIDTH}" height="{height}" style="fill:#fff;stroke:none"/>', *down, *up, *boxes]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">\n'
        f"<title>Who imports whom</title>\n<style>{style}</style>\n{body}\n</svg>\n"
    )


def _across(rooms: list[str]) -> list[float]:
    """The middles of the rooms of a floor; those of the ground fill the width between them."""
    n, ground = len(rooms), not GROUND.isdisjoint(rooms)
    return [(i + 0.5) * WIDTH / n if ground else (i + 1) * WIDTH / (n + 1) for i in range(n)]


def _box(name: str, x: float, y: float) -> str:
    shown = "randvar/__init__" if name == "__init__" else name
    neighbours = len(FLOORS[FLOOR[name]])
    width = WIDTH / neighbours - 20 if name in GROUND else LETTER * len(shown) + 24
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - BOX / 2:.1f}" width="{width:.1f}" height="{BOX}" rx="4"/>'
        f'<text x="{x:.1f}" y="{y + 5:.1f}">{shown}</text>'
    )


def _arrow(start: tuple[float, float], end: tuple[float, float], *, up: bool = False) -> str:
    """From the foot of a room to the head of another; an arrow up leaves at the head."""
    side = -1 if up else 1
    (x, y), (to_x, to_y) = (start[0], start[1] + side * BOX / 2), (end[0], end[1] - side * (BOX / 2 + 2))
    bend = (to_y - y) / 2
    shift = 60 if up else 0  # beside the arrows that come down
    curve = f"C{x + shift:.1f} {y + bend:.1f} {to_x + shift:.1f} {to_y - bend:.1f} {to_x + shift / 2:.1f} {to_y:.1f}"
    kind = ' class="up"' if up else ""
    return f'<path{kind} d="M{x + shift / 2:.1f} {y:.1f}{curve}"/>'


def main() -> None:
    """Draw and keep it."""
    PICTURE.write_text(svg(), encoding="utf-8")
    print(f"drew {PICTURE}")


if __name__ == "__main__":
    main()
