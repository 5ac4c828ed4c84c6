"""Write the reference of randvar's public names as pages that open offline.

    python -m tools.reference.build site/api

pdoc reads the docstrings and draws the pages; what stands where is in `groups.py`. Refuses, before anything is written,
a public name that no group has, a name that does not exist, one that stands twice, and one without a docstring.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import re
import shutil
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pdoc.doc
import pdoc.render
import pdoc.render_helpers
from pygments.formatters import HtmlFormatter

from randvar.numbers.arrays import Array
from tools.reference.groups import ALIASES, PAGES

__all__ = ["Page", "build", "check"]

TEMPLATES = Path(__file__).parent / "templates"

# Our docstrings are sentences, doctests and names in backticks. The other extensions would read a formula as a list
# (a line that begins with a minus), a table or a footnote.
MARKDOWN = {
    "code-friendly": None,
    "fenced-code-blocks": {"cssclass": "pdoc-code codehilite"},
    "pyshell": None,
}

Pages = Mapping[str, Mapping[str, tuple[str, ...]]]


def build(folder: Path, pages: Pages = PAGES) -> list[Path]:
    """Write the pages, an index and what searches them; raises SystemExit for what `check` finds."""
    if faults := check(pages):
        raise SystemExit("the reference was not built:\n  " + "\n  ".join(faults))
    _configure()
    modules = {name: Page(importlib.import_module(name), groups) for name, groups in pages.items()}
    texts = {f"{name.replace('.', '/')}.html": pdoc.render.html_module(page, modules) for name, page in modules.items()}
    texts["index.html"] = pdoc.render.html_index(modules)
    texts["search.js"] = pdoc.render.search_index(modules)
    shutil.rmtree(folder, ignore_errors=True)  # a page of a name that is gone would stay
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def check(pages: Pages = PAGES) -> list[str]:
    """What is wrong with the groups: nothing in a good state."""
    return [fault for name in pages for fault in _faults(name, pages)]


def _faults(page: str, pages: Pages) -> list[str]:
    module = importlib.import_module(page)
    grouped = Counter(name for names in pages[page].values() for name in names)
    described = [n for n in module.__all__ if not inspect.ismodule(getattr(module, n))]  # a star may bring numpy along
    missing = [n for n in described if n not in grouped and not _shown_elsewhere(page, n, pages)]
    faults = [f"{page}.{name} is public, and no group of tools/reference/groups.py has it" for name in missing]
    faults += [f"{page}.{name} stands in {count} groups" for name, count in grouped.items() if count > 1]
    for name in grouped:
        try:
            thing = _named(module, name)
        except AttributeError:
            faults.append(f"{page}.{name} stands in a group, and does not exist")
            continue
        if "." not in name and name not in module.__all__:
            faults.append(f"{page}.{name} stands in a group, and is not public: __all__ does not list it")
        faults += [f"{page}.{what} has no docstring" for what in _undescribed(name, thing)]
    return faults


def _shown_elsewhere(page: str, name: str, pages: Pages) -> bool:
    """Whether another page shows the same object: randvar.histogram is randvar.plots.histogram."""
    thing = getattr(importlib.import_module(page), name)
    return any(
        getattr(importlib.import_module(other), name, None) is thing
        for other, groups in pages.items()
        if other != page and any(name in names for names in groups.values())
    )


def _named(module: Any, name: str) -> Any:
    """The object of a name, also of a dotted one."""
    return operator.attrgetter(name)(module)


def _undescribed(name: str, thing: Any) -> list[str]:
    """What has no docstring of its own: the thing, or a public method or property of a class."""
    if name in ALIASES:
        return []
    if not inspect.isclass(thing):
        return [] if inspect.getdoc(thing) else [name]
    parts = {f"{name}.{part}": inspect.getdoc(value) for part, value in vars(thing).items() if _is_method(part, value)}
    return [what for what, text in {name: vars(thing).get("__doc__"), **parts}.items() if not text]


def _is_method(name: str, value: Any) -> bool:
    wraps = (property, functools.cached_property, classmethod, staticmethod)
    return not name.startswith("_") and (inspect.isroutine(value) or isinstance(value, wraps))


class Page(pdoc.doc.Module):
    """A module as pdoc sees it, with exactly the members of its groups and in their order."""

    def __init__(self, module: Any, groups: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__(module)
        self.groups = groups

    @functools.cached_property
    def _member_objects(self) -> dict[str, Any]:
        names = [name for names in self.groups.values() for name in names]
        return {_last(name): _named(self.obj, name) for name in names}

    @functools.cached_property
    def members(self) -> dict[str, pdoc.doc.Doc[Any]]:
        """By name, each as a reader calls it: an object that is called like a function is shown as one."""
        found = dict(super().members)
        for name, doc in found.items():
            thing = self._member_objects[name]
            if isinstance(doc, pdoc.doc.Variable) and name in ALIASES:
                doc.docstring = ALIASES[name]
            elif isinstance(doc, pdoc.doc.Variable):
                found[name] = call = pdoc.doc.Function(self.modulename, name, type(thing).__call__, doc.taken_from)
                call.docstring, call.signature = inspect.getdoc(thing) or "", call.signature_without_self
        for doc in found.values():
            for part in (doc, *_parts(doc)):
                _prepare(part)
        return found

    @functools.cached_property
    def submodules(self) -> list[pdoc.doc.Module]:
        """None: each page is listed by the index."""
        return []


def _parts(doc: pdoc.doc.Doc[Any]) -> list[pdoc.doc.Doc[Any]]:
    """What a class of randvar has, its own and what it has from another class of randvar."""
    members = doc.members.values() if isinstance(doc, pdoc.doc.Class) else ()
    return [part for part in members if part.taken_from[0].partition(".")[0] == "randvar"]


class _Written:
    """An annotation as a text."""

    def __init__(self, annotation: Any) -> None:
        text = inspect.formatannotation(annotation).replace(_ARRAY, "Array").replace("typing.", "")
        self.text = re.sub(r"\brandvar(?:\.\w+)*\.(\w+)", _public, text)

    def __repr__(self) -> str:
        return self.text


_ARRAY = inspect.formatannotation(Array)


def _public(name: re.Match[str]) -> str:
    """randvar.var.Var is randvar.Var to everyone."""
    last = name[1]
    return next((f"{page}.{last}" for page in PAGES if hasattr(importlib.import_module(page), last)), last)


def _prepare(doc: pdoc.doc.Doc[Any]) -> None:
    """Write the annotations as a reader of the source finds them, and keep Markdown from what only looks like it."""
    doc.docstring = re.sub(r"^\[(?=[^\]\n]*\]:)", r"\\[", doc.docstring, flags=re.MULTILINE)  # an interval, no link
    if isinstance(doc, pdoc.doc.Variable) and doc.annotation is not pdoc.doc.empty:
        doc.annotation = _Written(doc.annotation)
    if isinstance(doc, pdoc.doc.Function):
        sign = doc.signature
        doc.signature = sign.replace(
            parameters=[p.replace(annotation=_written(p.annotation)) for p in sign.parameters.values()],
            return_annotation=_written(sign.return_annotation),
        )


def _written(annotation: Any) -> Any:
    return annotation if annotation is inspect.Parameter.empty else _Written(annotation)


def _grouped(page: pdoc.doc.Module) -> list[tuple[str, str, list[pdoc.doc.Doc[Any]]]]:
    """For the templates: (anchor, title, members) of each group. pdoc tries them on a module without any, too."""
    groups = page.groups if isinstance(page, Page) else {}
    return [(_anchor(title), title, [page.members[_last(name)] for name in names]) for title, names in groups.items()]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _anchor(title: str) -> str:
    return "group-" + re.sub(r"[^a-z0-9]+", "-", title.lower())


def _first_sentence(docstring: str) -> str:
    """The law of a docstring: its first paragraph, on one line."""
    return " ".join(docstring.partition("\n\n")[0].split())


def _configure() -> None:
    """pdoc's settings are global to a process."""
    pdoc.render.configure(docformat="markdown", show_source=False, search=True, template_directory=TEMPLATES)
    pdoc.render.env.filters["first_sentence"] = _first_sentence
    pdoc.render.env.filters["grouped"] = _grouped
    pdoc.render.env.filters["parts"] = _parts
    light, dark = (HtmlFormatter(style=name).get_style_defs(".pdoc-code") for name in ("default", "github-dark"))
    pdoc.render.env.globals["code_style"] = f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    pdoc.render_helpers.markdown_extensions.clear()
    pdoc.render_helpers.markdown_extensions.update(MARKDOWN)


def main(arguments: list[str]) -> None:
    """The command of this module's docstring."""
    if len(arguments) != 1:
        raise SystemExit("usage: python -m tools.reference.build FOLDER")
    pages = build(Path(arguments[0]))
    print(f"wrote {next(page for page in pages if page.name == 'index.html').resolve().as_uri()}")


if __name__ == "__main__":
    main(sys.argv[1:])
