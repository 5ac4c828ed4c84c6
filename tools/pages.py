"""A notebook as one HTML page that opens offline: no script, style, font or picture comes from elsewhere.

nbconvert's own templates load MathJax and require.js from the network; here formulas become MathML, which browsers
draw themselves, and the page is one small template (tools/page/).
"""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from jinja2 import pass_context
from latex2mathml.converter import convert
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

__all__ = ["mathml", "page"]

TEMPLATES = Path(__file__).parent


def page(notebook: NotebookNode) -> str:
    """The notebook with the outputs it has, as a complete HTML document."""
    html, _ = _PageExporter().from_notebook_node(notebook, {"title": _title(notebook), "code_style": _code_style()})
    return html


def mathml(latex: str, display: str = "inline") -> str:
    """A formula as MathML; raises ValueError where it would show a raw LaTeX command or column mark."""
    markup = convert(latex, display=display)
    if "<mi>\\" in markup or "<mi>&</mi>" in markup:
        raise ValueError(f"no MathML for the formula {latex!r}: write it with simpler commands")
    return markup


class _MathRenderer(IPythonRenderer):
    """Markdown to HTML with formulas as MathML instead of text for MathJax."""

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        """With the id that Jupyter gives it, so that a table of contents leads to the same place here."""
        anchor = escape(_anchor(text))
        return f'<h{level} id="{anchor}">{text}</h{level}>\n'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link to another notebook leads to its page."""
        if "/" not in url and url.endswith(".ipynb"):
            url = url.removesuffix("ipynb") + "html"
        return str(super().link(text, url, title))

    def inline_math(self, body: str) -> str:
        return mathml(body)

    def block_math(self, body: str) -> str:
        return mathml(body, display="block")

    def latex_environment(self, name: str, body: str) -> str:
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", display="block")


def _anchor(heading: str) -> str:
    """The words of a heading (HTML) with hyphens for spaces, as in Jupyter."""
    return unescape(re.sub("<[^>]*>", "", heading)).replace(" ", "-")


class _PageExporter(HTMLExporter):
    """HTMLExporter with the template of this project, its Markdown, and two filters for outputs."""

    def __init__(self) -> None:
        super().__init__(template_name="page", extra_template_basedirs=[str(TEMPLATES)], exclude_anchor_links=True)

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        return MarkdownWithMath(renderer=_MathRenderer(escape=False, exclude_anchor_links=True)).render(source)

    def default_filters(self) -> Any:
        yield from super().default_filters()
        yield "inline_svg", lambda svg: svg[svg.index("<svg") :]  # HTML has no place for an XML prologue
        yield "latex_output", lambda latex: mathml(latex.strip("$\n ").removeprefix(r"\displaystyle"), "block")


def _title(notebook: NotebookNode) -> str:
    """The first heading of the notebook."""
    for cell in notebook.cells:
        for line in cell.source.splitlines() if cell.cell_type == "markdown" else ():
            if line.startswith("# "):
                return str(line[2:].strip())
    raise ValueError("a notebook needs a heading ('# ...'): it is the title of its page")


def _code_style() -> str:
    """Colours of code in a light page and in a dark one."""
    light, dark = (HtmlFormatter(style=style).get_style_defs(".highlight") for style in ("default", "github-dark"))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
