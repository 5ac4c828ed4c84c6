"""The pictures of the documentation: each is drawn by the code above it in docs/pictures.md.

python -m tools.pictures      draw all of them again
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["IMAGES", "drawn"]

PAGE = Path(__file__).parents[1] / "docs" / "pictures.md"
IMAGES = PAGE.parent / "images"
_CODE_AND_PICTURE = re.compile(r"```python\n(.*?)```\n\n!\[[^]]*\]\(images/([\w-]+\.png)\)", re.DOTALL)


def drawn() -> Iterator[tuple[str, Any]]:
    """The name of each image with the picture or slider it is of; the page's code runs in one namespace."""
    namespace: dict[str, Any] = {}
    for code, name in _CODE_AND_PICTURE.findall(PAGE.read_text(encoding="utf-8")):
        *before, last = ast.parse(code).body
        if not isinstance(last, ast.Expr):
            raise SyntaxError(f"the code for {name} must end in the picture: {code}")
        exec(compile(ast.Module(before, []), PAGE.name, "exec"), namespace)
        with contextlib.redirect_stdout(io.StringIO()):
            yield name, eval(compile(ast.Expression(last.value), PAGE.name, "eval"), namespace)


def main() -> None:
    """Draw and keep all of them."""
    for name, picture in drawn():
        picture.save(IMAGES / name)
        print(f"drew {IMAGES / name}")


if __name__ == "__main__":
    main()
