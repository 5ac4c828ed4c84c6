"""Every notebook runs, and the outputs kept in it are what a run gives today; the tool that runs them is exact."""

import ast
import math
import re
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from tools.notebooks import execute, read, write

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")
MOST_LINES = 15
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@each_notebook
def test_notebook_runs_and_shows_what_it_computes(path):
    kept = read(path)
    fresh = execute(kept)
    assert [cell.id for cell in kept.cells] == [cell.id for cell in fresh.cells], (
        "not run since it was edited: make notebooks"
    )
    assert kept.metadata == fresh.metadata
    for before, after in zip(kept.cells, fresh.cells, strict=True):
        assert before.metadata == after.metadata
        if before.cell_type == "code":
            assert before.execution_count == after.execution_count
            assert_same_outputs(before, after)


def assert_same_outputs(before, after):
    """The same outputs in kind, the same words, and the same numbers up to rounding."""
    assert len(before.outputs) == len(after.outputs), before.source
    for old, new in zip(before.outputs, after.outputs, strict=True):
        assert old.output_type == new.output_type, before.source
        assert old.get("data", {}).keys() == new.get("data", {}).keys(), before.source
        was, now = text_of(old), text_of(new)
        assert NUMBER.split(was) == NUMBER.split(now), before.source
        for x, y in zip(NUMBER.findall(was), NUMBER.findall(now), strict=True):
            assert math.isclose(float(x), float(y), rel_tol=1e-9, abs_tol=1e-12), before.source
        assert not ADDRESS.search(was), f"an output shows a memory address: {before.source}"


def text_of(output):
    return output.text if output.output_type == "stream" else output.data.get("text/plain", "")


@each_notebook
def test_no_cell_is_long(path):
    codes = [cell.source for cell in read(path).cells if cell.cell_type == "code"]
    assert [source for source in codes if len(source.splitlines()) > MOST_LINES] == []


@each_notebook
def test_contents_list_the_sections_in_their_order(path):
    title, *cells = read(path).cells
    assert title.source.startswith("# ")
    listed = re.findall(r"^\| \[[^\]]+\]\(#([^)]+)\) \|", title.source, re.MULTILINE)
    headings = [cell.source.splitlines()[0] for cell in cells if cell.source.startswith("## ")]
    assert listed == [heading.removeprefix("## ").replace(" ", "-") for heading in headings if heading != LAST]


LAST = "## Where to go next"  # the last section of the first notebook is a table of contents itself


@each_notebook
def test_each_section_ends_in_an_assert_or_a_question(path):
    assert [title for title, cells in sections(read(path)) if not ends_well(cells, asserting(read(path)))] == []


def sections(notebook):
    """(heading, the cells under it, up to the next heading)."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and re.match("##+ ", cell.source):
            found.append((cell.source.splitlines()[0], []))
        if found:
            found[-1][1].append(cell)
    return found


def ends_well(cells, names):
    """Whether the last cell with code asserts something, or is a slider below a question; imports are no code."""
    codes = [i for i, cell in enumerate(cells) if cell.cell_type == "code" and not only_imports(cell.source)]
    if not codes:
        return True
    last = cells[codes[-1]]
    asked = cells[codes[-1] - 1].source.rstrip().endswith("?") and any(is_slider(output) for output in last.outputs)
    return asked or any(asserts(node, names) for node in ast.walk(ast.parse(last.source)))


def only_imports(source):
    return all(isinstance(statement, ast.Import | ast.ImportFrom) for statement in ast.parse(source).body)


def is_slider(output):
    return output.get("data", {}).get("text/plain", "").startswith("<Slider")


def asserts(node, names):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in names or node.func.id.startswith("assert_")
    return isinstance(node, ast.Assert)


def asserting(notebook):
    """The functions of a notebook that assert what they are given."""
    trees = [ast.parse(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {f.name for f in functions if any(isinstance(node, ast.Assert) for node in ast.walk(f))}


def test_a_section_without_an_end_is_found():
    slider = nbformat.v4.new_output("display_data", {"text/plain": "<Slider: p = 0 to 1, 2 frames>"})
    asked, told = (nbformat.v4.new_markdown_cell(f"## A law\n\n{text}") for text in ("Where is it 0?", "Slide p."))
    shown = nbformat.v4.new_code_cell("explore(law)", outputs=[slider])
    assert ends_well([asked, shown], set())
    assert not ends_well([told, shown], set())
    assert not ends_well([asked, nbformat.v4.new_code_cell("histogram(law)")], set())
    assert ends_well([told, nbformat.v4.new_code_cell("here(p == 1)")], {"here"})
    assert not ends_well([told, nbformat.v4.new_code_cell("here(p == 1)")], set())
    assert not ends_well([asked, nbformat.v4.new_code_cell("assert p == 1"), told, shown], set())


def notebook_of(*sources):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])


def test_two_runs_give_identical_files(tmp_path):
    notebook = notebook_of(
        "import sys\nfor line in range(3):\n    print(line, flush=True)\nprint('!', file=sys.stderr)",
        "{'a', 'b', 'c', 'd'}",
        "assert True",
        "assert True",
    )
    notebook.cells[0].metadata.collapsed = False
    for name in ("one", "two"):
        write(execute(notebook), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

    ran = read(tmp_path / "one")
    assert [output.name for output in ran.cells[0].outputs] == ["stdout", "stderr"]
    assert ran.cells[0].outputs[0].text == "0\n1\n2\n"
    assert ran.cells[0].metadata == {}
    assert len({cell.id for cell in ran.cells}) == 4
    assert notebook.cells[0].outputs == [], "the notebook given was changed"


def test_a_cell_that_fails_is_an_error():
    with pytest.raises(CellExecutionError, match="assert 1 \\+ 1 == 3"):
        execute(notebook_of("assert 1 + 1 == 3"))
