"""The page of a notebook opens with the network off and shows all of it."""

from pathlib import Path

import nbformat
import pytest

from tools.notebooks import read
from tools.pages import page as page_of

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_page_is_whole(open_page, path):
    notebook = read(path)
    page = open_page(page_of(notebook))
    assert page.title() == page.locator("h1").first.inner_text()
    assert page.locator("section.code").count() == sum(cell.cell_type == "code" for cell in notebook.cells)
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    assert page.evaluate("[...document.querySelectorAll('math')].every(formula => formula.clientHeight > 0)")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page scrolls sideways"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_sliders_of_a_notebook_page_move(open_page, path):
    page = open_page(page_of(read(path)))
    page.wait_for_function("[...document.querySelectorAll('.randvar-still')].every(still => still.hidden)")
    sliders = page.locator("input[type=range]:visible")
    states = [slider.get_attribute("aria-valuetext") for slider in sliders.all()]
    for i, slider in enumerate(sliders.all()):
        slider.press("Home" if slider.input_value() == slider.get_attribute("max") else "End")
        now = [other.get_attribute("aria-valuetext") for other in sliders.all()]
        assert [k for k, (old, new) in enumerate(zip(states, now, strict=True)) if old != new] == [i]
        states = now


def notebook_with(html):
    code = nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("display_data", {"text/html": html})])
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), code])


def test_scripts_of_an_output_run(open_page):
    html = "<p id=here></p><script>document.getElementById('here').textContent = 'a < b & c'</script>"
    page = open_page(page_of(notebook_with(html)))
    assert page.locator("#here").inner_text() == "a < b & c"


@pytest.mark.parametrize(
    ("html", "complaint"),
    [
        ("<script>throw new Error('mine')</script>", "mine"),
        ("<script>console.error('loud')</script>", "loud"),
        ("<img alt='' src='https://example.org/x.png'>", "asked the network for https://example.org/x.png"),
    ],
)
def test_complaints_are_heard(open_page, complaints, html, complaint):
    open_page(page_of(notebook_with(html))).wait_for_load_state("networkidle")
    assert any(complaint in heard for heard in complaints)
    complaints.clear()


class TestDarkPage:
    @pytest.fixture
    def context_options(self):
        return {"color_scheme": "dark"}

    def test_ink_is_light_on_dark_paper(self, open_page):
        page = open_page(page_of(notebook_with("x")))
        ink, paper = (
            page.evaluate(f"getComputedStyle(document.body).{name}.match(/\\d+/g).slice(0, 3).map(Number)")
            for name in ("color", "backgroundColor")
        )
        assert min(ink) > 200
        assert max(paper) < 60
