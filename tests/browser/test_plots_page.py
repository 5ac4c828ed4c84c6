"""Sliders in a real browser with the network off: an exported notebook, a dark page, a page without scripts."""

import re

import nbformat
import pytest
from nbconvert import HTMLExporter

from randvar import Var, from_dict, shared, softmax, uniform
from randvar.plots import (
    ab_control_widget,
    coin_variance_slider,
    covariance_interpolation_slider,
    explore,
    histogram,
    linear_control_widget,
    monte_carlo_samples_slider,
    reinforce_baseline_slider,
    scaled_variance_slider,
    sum_variance_slider,
    temperature_policy_slider,
    variance_3d,
)
from randvar.plots.page import standalone

pytestmark = pytest.mark.browser

DIE = uniform(1, 7)
EVIL = "<img src=x onerror=alert(1)>"


def with_baseline(reward, b, score):
    return score.op(lambda a: reward(a) - b, lambda s: s).mul()


SLIDERS = [
    scaled_variance_slider(DIE),
    covariance_interpolation_slider(DIE),
    coin_variance_slider(6),
    coin_variance_slider(6),  # the same once more: both must move by themselves
    monte_carlo_samples_slider(DIE, without=DIE * 2, labels=(EVIL, "die")),
    linear_control_widget(DIE, lambda a: 3 * a, b=3, steps=5),
    temperature_policy_slider(lambda t: softmax(range(8), temperature=t), 3.0),
    sum_variance_slider(DIE.rational()),
    ab_control_widget(uniform(0, 4), lambda n: 3 * (n % 2), lambda n: n % 2, lambda n: -(n % 2), steps=5),
    reinforce_baseline_slider(with_baseline, lambda a: a, shared(DIE).op(lambda a: a, lambda a: 3.5 - a), steps=2),
    explore(lambda n: DIE * n, name=EVIL, values=[1, 2, 3]),
]
PICTURES = [histogram(DIE), variance_3d(DIE), histogram(from_dict({EVIL: 0.5, "plain": 0.5}))]


@pytest.fixture(scope="module")
def exported():
    """A notebook of all pictures and sliders as nbconvert exports it, without the scripts it would fetch."""
    cells = [
        nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("display_data", data=item._repr_mimebundle_())])
        for item in (*PICTURES, *SLIDERS)
    ]
    exporter = HTMLExporter(require_js_url="", jquery_url="", mathjax_url="", widget_renderer_url="")
    body, _ = exporter.from_notebook_node(nbformat.v4.new_notebook(cells=cells))
    return body


@pytest.fixture
def page(open_page, exported, complaints):
    page = open_page(exported)
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    page.wait_for_function(f"document.querySelectorAll('[data-started]').length == {len(SLIDERS) + len(PICTURES)}")
    page.wait_for_function(f"document.querySelectorAll('[data-frame]').length == {len(SLIDERS)}")
    return page


def sliders_of(page):
    return [page.locator(".randvar[data-frame]").nth(i) for i in range(len(SLIDERS))]


def squeezed(text):
    return re.sub(r"[ \n]+", " ", text).strip()


def test_every_frame_shows_what_python_computed(page):
    for root, slider in zip(sliders_of(page), SLIDERS, strict=True):
        control = root.locator("input[type=range]")
        control.focus()
        page.keyboard.press("Home")
        for value in slider.values:
            frame = slider.frame(value)
            assert root.locator("output").inner_text() == frame.label
            assert squeezed(root.locator("[role=status]").inner_text()) == squeezed(frame.report)
            assert control.get_attribute("aria-valuetext").endswith(f" {frame.label}")
            assert frame.label in root.locator("svg").get_attribute("aria-label")
            page.keyboard.press("ArrowRight")


def test_keys_move_one_slider_and_no_other(page):
    roots = sliders_of(page)
    frames = [root.get_attribute("data-frame") for root in roots]
    pictures = [root.locator("svg").inner_html() for root in roots]
    roots[2].locator("input").focus()
    for key, frame in (("End", "5"), ("ArrowLeft", "4"), ("Home", "0"), ("ArrowUp", "1"), ("PageUp", "2")):
        page.keyboard.press(key)
        assert roots[2].get_attribute("data-frame") == frame
        assert roots[2].locator("svg").inner_html() != pictures[2] or frame == frames[2]
    for i, root in enumerate(roots):
        if i != 2:
            assert root.get_attribute("data-frame") == frames[i]
            assert root.locator("svg").inner_html() == pictures[i]


def test_keys_stay_inside_the_slider(page):
    page.evaluate("window.heard = []; document.addEventListener('keydown', event => window.heard.push(event.key))")
    sliders_of(page)[0].locator("input").focus()
    for key in ("ArrowRight", "b", "Home"):
        page.keyboard.press(key)
    assert page.evaluate("window.heard") == []


def test_controls_have_names_and_pictures_have_words(page):
    for root in sliders_of(page):
        assert root.locator("input").get_attribute("aria-label")
        assert root.locator("svg").get_attribute("role") == "img"
        assert root.locator("img").is_hidden()
    for i, fig in enumerate(PICTURES):
        root = page.locator(".randvar:not([data-frame])").nth(i)
        assert root.locator("svg").get_attribute("aria-label") == fig.alt
        assert root.locator("input").is_hidden()


def test_a_box_says_its_share_under_the_pointer(page):
    titles = page.locator(".randvar").nth(1).locator(".tip title").all_text_contents()
    assert "6: probability 0.17, share of the variance 1.04" in titles


def test_what_a_person_passed_in_is_text(page):
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("svg text", has_text=EVIL[:10]).count() >= 1


def test_running_the_script_again_starts_nothing_twice(page):
    before = page.locator(".randvar svg").count()
    scripts = page.locator(".randvar > script:not([type])").all_text_contents()
    assert len(scripts) == len(SLIDERS) + len(PICTURES)
    page.evaluate("scripts => scripts.forEach(text => (0, eval)(text))", scripts)
    page.wait_for_timeout(100)
    assert page.locator(".randvar svg").count() == before


class TestWithoutScripts:
    @pytest.fixture
    def context_options(self):
        return {"java_script_enabled": False}

    def test_there_are_the_picture_and_the_table(self, open_page, exported):
        page = open_page(exported)
        assert page.locator(".randvar-still img").count() == len(SLIDERS) + len(PICTURES)
        first = page.locator(".randvar-still").nth(len(PICTURES))
        assert first.locator("img").is_visible()
        assert "Var(bX) = 2.92" in first.inner_text()
        first.locator("summary").click()
        assert first.locator("tr").all_inner_texts()[1:] == [
            f"{b}\tVar(bX) = {text}" for b, text in zip((1, 2, 3, 4), ("2.92", "11.67", "26.25", "46.67"), strict=True)
        ]


def luminance(color):
    red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", color)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("context_options", [{"color_scheme": "light"}, {"color_scheme": "dark"}], ids=str)
def test_ink_is_readable_on_either_page(open_page, context_options):
    page = open_page(standalone(SLIDERS[0]._repr_html_(), "slider"))
    page.wait_for_selector("[data-frame]")
    inks = page.locator("svg text").evaluate_all("texts => texts.map(text => getComputedStyle(text).fill)")
    assert len(inks) > 5
    dark = context_options["color_scheme"] == "dark"
    for ink in inks:
        assert luminance(ink) > 0.8 if dark else luminance(ink) < 0.2
    assert ("dark" in (page.locator("svg").get_attribute("class") or "")) == dark


@pytest.mark.parametrize(
    "item", [coin_variance_slider(1), histogram(Var([3], [1])), histogram(shared(DIE))], ids=["one", "constant", "pair"]
)
def test_one_outcome_and_one_frame_are_no_special_case(open_page, item):
    page = open_page(standalone(item._repr_html_(), "item"))
    page.wait_for_selector("[data-started] svg")
    assert page.locator("svg > g").first.inner_html()
