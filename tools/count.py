"""How plain the code is, in numbers: branches on kinds of numbers, private names, lines, import circles, traffic.

python -m tools.count             of this checkout
python -m tools.count <folder>    of another one

What is counted, in each file of `randvar`:

code      lines of statements: no docstrings, comments, blank lines, imports or `__all__`
kinds     of these, the lines that branch (`if`, `elif`, `else`, `while`, `and`, `or`) on the kind of a number: they
          speak of a dtype, of `is_expression`, compare a `kind`, ask for `.exact`, name one of FLOATS, FRACTIONS,
          EXPRESSIONS, WORDS, or ask whether an object is one of the classes of these
numbers   `kinds`, and the lines that branch on the type of a single number: `isinstance` with int, float, Fraction or
          their like, `is_numeric`, `kind_of`. Much of it is what a function asks of its arguments
private   uses of another file's private names: `_name` or `x._name`, where this file neither defines nor assigns
          `_name`, or where x is imported from another file of randvar (`Var._of` beside a `_of` of this file's own)

and of the whole:

circles   groups of files each of which reaches the others by imports: those that run when a module is loaded, and
          those together with the late ones inside functions. What is imported for types only does not count
traffic   of a few small programs, each run for the second time: calls, distinct functions, files, and *changes of
          file* (two calls in a row into functions of different files), all within randvar
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import sys
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Traffic", "branches", "circles", "code", "imports", "main", "private_uses", "traffic"]

BRANCH = re.compile(r"\b(if|elif|else|while|and|or)\b")
KIND = re.compile(
    r"\bdtype\b|\bis_expression\b|\bkind (==|!=|in|not in|is|is not) |\.exact\b"
    r"|\b(FLOATS|FRACTIONS|EXPRESSIONS|WORDS)\b|isinstance\([^)]*\b(Floats|Fractions|Expressions|Words)\b"
)
NUMBER = re.compile(
    r"isinstance\([^)]*\b(int|float|complex|Fraction|Decimal|Integral|Rational|Real|Number|integer|floating|number)\b"
    r"|\bis_numeric\b|\bkind_of\b"
)
APART = ("plots", "examples")  # rooms that compute nothing


def code(source: str) -> list[str]:
    """The lines of statements, without comments."""
    out = {line for node in ast.walk(ast.parse(source)) if _is_no_code(node) for line in _lines(node)}
    text = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            text[row - 1] = text[row - 1][:column]
    return [line.strip() for row, line in enumerate(text, start=1) if row not in out and line.strip()]


def _is_no_code(node: ast.AST) -> bool:
    """An import, a docstring (or any string that stands alone), or `__all__`."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
    return False


def _lines(node: Any) -> range:
    return range(node.lineno, node.end_lineno + 1)


def branches(source: str, *, numbers: bool = False) -> list[str]:
    """The lines that branch on the kind of a number; `numbers`: those on the type of a single number as well."""
    asking = [line for line in code(source) if BRANCH.search(line)]
    return [line for line in asking if KIND.search(line) or (numbers and NUMBER.search(line))]


def private_uses(source: str) -> list[str]:
    """Another file's private names, as often as they are used."""
    tree = ast.parse(source)
    own, foreign = set(_defined(tree)), set(_from_randvar(tree))
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in foreign and _is_private(name):
                found.append(name)
            case ast.Attribute(attr=name) | ast.Name(id=name) if _is_private(name) and name not in own:
                found.append(name)
    return found


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def _defined(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Constant(value=str(name)):  # of __slots__, object.__setattr__
                yield name


def _from_randvar(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "randvar":
            yield from (alias.asname or alias.name for alias in node.names)


def imports(sources: dict[str, str], *, late: bool) -> dict[str, set[str]]:
    """{module: the modules that it imports} of {module: its source}, when loaded or at any time."""
    return {
        module: {name for name in _imported(ast.parse(source), sources, late=late) if name != module}
        for module, source in sources.items()
    }


def _imported(node: ast.AST, sources: dict[str, str], *, late: bool) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name in sources)
            case ast.ImportFrom(module=module, names=names):
                for name in (f"{module}.{alias.name}" for alias in names):
                    yield from {name, str(module)} & sources.keys() - ({str(module)} if name in sources else set())
            case ast.If(test=test, orelse=orelse) if "TYPE_CHECKING" in ast.unparse(test):
                yield from _imported(ast.Module(orelse, []), sources, late=late)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() if not late:
                continue
            case _:
                yield from _imported(child, sources, late=late)


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of two or more modules, each of which reaches all others of its group."""
    reached = {module: _reached(graph, module) for module in graph}
    groups = {frozenset(o for o in reached[module] if module in reached[o]) for module in graph}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found, waiting = set[str](), [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


class Traffic(NamedTuple):
    """Where a program goes, within one folder."""

    calls: int
    functions: int
    files: int
    changes: int


def traffic(program: Callable[[], Any], folder: Path) -> Traffic:
    """Of the second run."""
    seen: list[tuple[str, str]] = []

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(f"{folder}/"):
            seen.append((frame.f_code.co_filename, f"{frame.f_code.co_qualname}:{frame.f_code.co_firstlineno}"))

    program()
    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        program()
    finally:
        sys.setprofile(before)
    changes = sum(a != b for (a, _), (b, _) in itertools.pairwise(seen))
    return Traffic(len(seen), len(set(seen)), len({file for file, _ in seen}), changes)


def programs(rv: Any) -> dict[str, Callable[[], Any]]:
    """What a slider and a test suite call a thousand times."""
    die = rv.Var(range(1, 7), [1 / 6] * 6)
    return {
        "die.op(f)": lambda: die.op(lambda a: a % 2),
        "monte_carlo(die, 10).probs": lambda: rv.monte_carlo(die, 10).probs,
        "indep(die, die).add().probs": lambda: rv.indep(die, die).add().probs,
        "sampling_distribution(max, die, 3)": lambda: rv.sampling_distribution(max, die, 3),
        "report(monte_carlo(die, 10), 3.5)": lambda: rv.report(rv.monte_carlo(die, 10), 3.5),
    }


def main(folder: Path) -> None:
    """Print the table of a checkout."""
    package = folder.resolve() / "randvar"
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    _print_files(package, sources)
    _print_circles({_module(package, path): source for path, source in sources.items()})
    sys.path.insert(0, str(package.parent))
    import randvar

    print(f"\n{'traffic':44}{'calls':>9}{'functions':>10}{'files':>7}{'changes':>9}")
    for name, program in programs(randvar).items():
        calls, functions, files, changes = traffic(program, package)
        print(f"  {name:42}{calls:9}{functions:10}{files:7}{changes:9}")


def _print_files(package: Path, sources: dict[Path, str]) -> None:
    print(f"{'file':44}{'code':>9}{'kinds':>10}{'numbers':>9}{'private':>9}")
    rows = {
        path.relative_to(package): [
            len(code(source)),
            len(branches(source)),
            len(branches(source, numbers=True)),
            len(private_uses(source)),
        ]
        for path, source in sources.items()
    }
    for path, row in rows.items():
        _print_row(f"  {path.as_posix()}", row)
    inner = [row for path, row in rows.items() if path.parts[0] not in APART]
    _print_row(f"without {' and '.join(APART)}", [sum(column) for column in zip(*inner, strict=True)])
    _print_row("in all", [sum(column) for column in zip(*rows.values(), strict=True)])


def _print_row(name: str, row: list[int]) -> None:
    print(f"{name:44}{row[0]:9,}{row[1]:10}{row[2]:9}{row[3]:9}")


def _print_circles(sources: dict[str, str]) -> None:
    for late, when in ((False, "when loaded"), (True, "with late imports")):
        found = circles(imports(sources, late=late))
        print(f"\ncircles {when}: {len(found)}")
        for group in found:
            print(f"  {len(group)} files: {', '.join(group)}")


def _module(package: Path, path: Path) -> str:
    return ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])
