"""A notebook's page is complete in itself, and shows formulas and all kinds of output."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

from tools.notebooks import read
from tools.pages import mathml, page

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


class Sources(HTMLParser):
    """Everything that a browser would fetch to show a page; links that a reader may follow are no part of it."""

    def __init__(self, html):
        super().__init__()
        self.found = re.findall(r"""@import\s+['"]?([^'";]+)|url\(\s*['"]?([^'")]+)""", html)
        self.found = [first or second for first, second in self.found]
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag != "a":
            self.found += [value for name, value in attrs if name in {"src", "srcset", "href", "xlink:href", "data"}]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_page_needs_nothing_from_elsewhere(path):
    assert [source for source in Sources(page(read(path))).found if not source.startswith(("data:", "#"))] == []


class Anchors(HTMLParser):
    """Where a page's links lead, and the places that a link may lead to."""

    def __init__(self, html):
        super().__init__()
        self.links, self.places = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.links += [unquote(value) for name, value in attrs if tag == "a" and name == "href"]
        self.places += [value for name, value in attrs if name == "id"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    anchors = Anchors(page(read(path)))
    pages = {f"{notebook.stem}.html" for notebook in NOTEBOOKS}
    inside = [link for link in anchors.links if not link.startswith("https://")]
    assert len(inside) > 5
    assert [link for link in inside if link.removeprefix("#") not in {*anchors.places, *pages}] == []


def test_headings_have_the_places_that_jupyter_gives_them():
    text = "# T\n\n## `cond`: is $p$ < 1?\n\n[there](#cond:-is-p-<-1?), [next](01.ipynb), [far](https://x.y/01.ipynb)"
    anchors = Anchors(page(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])))
    assert anchors.places == ["T", "cond:-is-p-<-1?"]
    assert anchors.links == ["#cond:-is-p-<-1?", "01.html", "https://x.y/01.ipynb"]


def test_sources_are_found():
    html = (
        '<link href="a.css"><script src="b.js"></script><a href="c"></a><style>@import "d"; x { src: url(e) }</style>'
    )
    assert sorted(Sources(html).found) == ["a.css", "b.js", "d", "e"]


def test_page_shows_every_kind_of_output():
    code = nbformat.v4.new_code_cell("x < y")
    code.outputs = [
        nbformat.v4.new_output("stream", name="stdout", text="E[X] < 5"),
        nbformat.v4.new_output("execute_result", {"text/plain": "<Var>", "text/html": "<b>law</b>"}),
        nbformat.v4.new_output("display_data", {"text/plain": "a < b", "image/png": "iVBO\nRw0K"}),
        nbformat.v4.new_output("display_data", {"image/svg+xml": '<?xml version="1.0"?><!DOCTYPE svg><svg></svg>'}),
        nbformat.v4.new_output("display_data", {"text/latex": r"$\displaystyle p^{2}$", "text/plain": "p**2"}),
    ]
    html = page(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Dice & *coins*"), code]))
    assert "<title>Dice &amp; *coins*</title>" in html
    assert "E[X] &lt; 5" in html
    assert '<div class="output"><b>law</b></div>' in html
    assert '<img alt="a &lt; b" src="data:image/png;base64,iVBORw0K"' in html
    assert '<div class="output"><svg></svg></div>' in html
    assert "<msup><mi>p</mi><mrow><mn>2</mn></mrow></msup>" in html
    assert "\\displaystyle" not in html


def test_formulas_become_mathml():
    text = "# T\n\n$p < q$ and\n\n$$\\frac{1}{n}$$\n\n`$not$` in code"
    html = page(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)]))
    assert html.count("<math") == 2
    assert 'display="block"' in html
    assert "$not$" in html


@pytest.mark.parametrize("latex", [r"\nosuchcommand x", r"\begin{aligned} a &= b \end{aligned}"])
def test_a_formula_that_would_show_raw_latex_is_refused(latex):
    with pytest.raises(ValueError, match="no MathML for the formula"):
        mathml(latex)


def test_a_notebook_without_a_heading_is_refused():
    with pytest.raises(ValueError, match="needs a heading"):
        page(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("text")]))
