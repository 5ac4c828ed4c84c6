"""Every notebook runs, and the outputs kept in it are what a run gives today; the tool that runs them is exact."""

import math
import re
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from tools.notebooks import execute, read, write

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
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
