"""Run the notebooks: in place, so that their committed outputs are true, or into pages that open offline.

    python -m tools.notebooks run notebooks            execute, keep the outputs in the .ipynb
    python -m tools.notebooks export notebooks site    execute, write one HTML page each

A run leaves nothing behind that varies (times, random ids, versions of the kernel): two runs give identical files.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from tools.pages import page

__all__ = ["execute", "read", "write"]

ROOT = Path(__file__).parents[1]
SECONDS_PER_CELL = 120


def read(path: Path) -> NotebookNode:
    """The notebook in a file, in the current format; raises nbformat.ValidationError for one that is malformed."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def write(notebook: NotebookNode, path: Path) -> None:
    """Keep a notebook in a file that reads well as a diff."""
    nbformat.validate(notebook)
    path.write_text(nbformat.writes(notebook, version=4).rstrip("\n") + "\n", encoding="utf-8")


def execute(notebook: NotebookNode) -> NotebookNode:
    """A copy of the notebook with the outputs of a fresh run, and nothing in it that varies from run to run.

    Raises nbclient.exceptions.CellExecutionError at the first cell that fails.
    """
    fresh = nbformat.v4.new_notebook(cells=[_bare(cell) for cell in notebook.cells], metadata=_METADATA)
    with tempfile.TemporaryDirectory() as profile:
        # The randvar beside the notebooks, no start-up files of the person who runs this, one order for sets.
        env = {**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": profile, "PYTHONHASHSEED": "0"}
        client = NotebookClient(
            fresh,
            kernel_name="python3",
            timeout=SECONDS_PER_CELL,
            record_timing=False,
            extra_arguments=["--log-level=ERROR"],
        )
        client.execute(cwd=str(ROOT), env=env)
    fresh.metadata = nbformat.from_dict(_METADATA)
    _name_cells(fresh)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = _joined_streams(cell.outputs)
    return fresh


_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}


def _bare(cell: NotebookNode) -> NotebookNode:
    """A cell's source without its outputs and its editor's settings; tags stay."""
    new = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
    bare = new(cell.source)
    if cell.metadata.get("tags"):
        bare.metadata.tags = cell.metadata.tags
    return bare


def _name_cells(notebook: NotebookNode) -> None:
    """Give each cell an id that follows from its source, so that editing one cell changes one id."""
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]
        seen[digest] += 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _joined_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring pieces of one stream: where the kernel cuts it depends on the clock."""
    joined: list[NotebookNode] = []
    for output in outputs:
        if joined and output.output_type == "stream" == joined[-1].output_type and output.name == joined[-1].name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _in(folder: Path) -> list[Path]:
    paths = sorted(folder.glob("*.ipynb"))
    if not paths:
        raise SystemExit(f"no notebooks in {folder}")
    return paths


def _run(folder: Path) -> None:
    for path in _in(folder):
        write(execute(read(path)), path)
        print(f"ran {path}", flush=True)


def _export(folder: Path, site: Path) -> None:
    site.mkdir(parents=True, exist_ok=True)
    for path in _in(folder):
        target = site / path.with_suffix(".html").name
        target.write_text(page(execute(read(path))), encoding="utf-8")
        print(f"ran {path} -> {target.resolve().as_uri()}", flush=True)


def main(arguments: list[str]) -> None:
    """The two commands of this module's docstring."""
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="execute in place")
    export = commands.add_parser("export", help="execute and write HTML pages")
    for command in (run, export):
        command.add_argument("folder", type=Path)
    export.add_argument("site", type=Path)
    chosen = parser.parse_args(arguments)
    if chosen.command == "run":
        _run(chosen.folder)
    else:
        _export(chosen.folder, chosen.site)


if __name__ == "__main__":
    main(sys.argv[1:])
