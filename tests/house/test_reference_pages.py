"""`make docs`: a public name that no group has stops the build, and every name stands on a page, in its group."""

import html
import importlib
import inspect
import operator
import re

import pytest

from tests.house.test_pages import Sources
from tools.reference.build import build, check
from tools.reference.groups import ALIASES, PAGES

NAMES = [(page, name) for page, groups in PAGES.items() for names in groups.values() for name in names]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    build(folder)
    return folder


def path_of(site, page):
    return site / f"{page.replace('.', '/')}.html"


def text_of(site, page):
    """The page without its scripts."""
    return re.sub(r"<script.*?</script>", "", path_of(site, page).read_text(), flags=re.DOTALL)


def changed(page, group, names):
    return {**PAGES, page: {**PAGES[page], group: names}}


def test_the_groups_are_complete():
    assert check() == []


@pytest.mark.parametrize(("page", "group"), [(page, group) for page, groups in PAGES.items() for group in groups])
def test_a_name_that_no_group_has_is_found(page, group):
    first, *others = PAGES[page][group]
    assert any(f"{page}.{first} is public" in fault for fault in check(changed(page, group, tuple(others))))


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (("report", "no_such_name"), "randvar.no_such_name stands in a group, and does not exist"),
        (("report", "report"), "randvar.report stands in 2 groups"),
        (("report", "verdict.NoSuchClass"), "randvar.verdict.NoSuchClass stands in a group, and does not exist"),
        (("report", "plots"), "randvar.plots stands in a group, and is not public: __all__ does not list it"),
    ],
)
def test_a_group_that_is_wrong_is_found(names, fault):
    assert fault in check(changed("randvar", "The verdict", names))


def test_a_docstring_that_is_missing_is_found(monkeypatch):
    module = importlib.import_module("randvar")
    monkeypatch.setattr(module.uniform, "__doc__", None)
    monkeypatch.setattr(module.Joint.marginal, "__doc__", None)
    assert check() == ["randvar.uniform has no docstring", "randvar.Joint.marginal has no docstring"]


def test_a_fault_stops_the_build_and_leaves_the_pages_alone(tmp_path):
    (tmp_path / "index.html").write_text("as it was")
    with pytest.raises(SystemExit, match=r"randvar\.Var is public, and no group"):
        build(tmp_path, changed("randvar", "One random variable", ("Fn",)))
    assert [path.read_text() for path in tmp_path.iterdir()] == ["as it was"]


@pytest.mark.parametrize("page", PAGES)
def test_every_name_is_on_its_page_and_in_the_index(site, page):
    listed = [name.rpartition(".")[2] for there, name in NAMES if there == page]
    anchors = re.findall(r'<section id="(\w+)">', text_of(site, page))
    links = re.findall(rf'<dt><a href="{page.replace(".", "/")}\.html#(\w+)">', text_of(site, "index"))
    assert anchors == links == listed


def test_every_public_name_is_somewhere(site):
    anchors = {page: set(re.findall(r'<section id="(\w+)">', text_of(site, page))) for page in PAGES}
    for page in PAGES:
        module = importlib.import_module(page)
        for name in module.__all__:
            if inspect.ismodule(getattr(module, name)):  # the numpy of an article's cells
                continue
            homes = [other for other in PAGES if name in anchors[other]]
            assert any(getattr(importlib.import_module(home), name) is getattr(module, name) for home in homes), name


def test_every_line_of_the_index_says_something(site):
    lines = re.findall(r"<dd>(.*?)</dd>", text_of(site, "index"), flags=re.DOTALL)
    assert len(lines) == len(NAMES)
    assert all(len(line.strip()) > 10 for line in lines)


def words(text):
    return " ".join(text.replace("`", "").split())


def methods(thing):
    """Those of a class, also those that it has from another class of randvar."""
    found = inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) else ()
    return [value for key, value in found if key[0] != "_" and value.__module__.startswith("randvar.")]


def test_what_a_class_inherits_is_shown(site):
    assert {"Report.verdict", "Report.rows", "Report.bias"} <= set(
        re.findall(r'id="([\w.]+)"', text_of(site, "randvar"))
    )
    assert "with_traceback" not in text_of(site, "randvar")


@pytest.mark.parametrize("page", PAGES)
def test_every_word_of_a_docstring_is_on_the_page(site, page):
    """Markdown would make a link of an interval, a list of a minus and italics of what two asterisks enclose."""
    module, shown = importlib.import_module(page), text_of(site, page)
    assert not re.search(r"<(em|strong|ol|table|del|blockquote)\b", shown)
    shown = words(html.unescape(re.sub(r"<[^>]+>", "", shown)))
    for name in (name for there, name in NAMES if there == page and name not in ALIASES):
        thing = operator.attrgetter(name)(module)
        for part in (thing, *methods(thing)):
            assert words(inspect.getdoc(part)) in shown, part


def test_signatures_are_short_and_examples_are_coloured(site):
    main = text_of(site, "randvar")
    assert '<span class="gp">&gt;&gt;&gt; </span>' in main
    assert "numpy.ndarray" not in main
    assert "randvar.var.Var" not in main
    assert re.search(r'<span class="name">Var</span>.*values', main), "how one is made"


@pytest.mark.parametrize("page", [*PAGES, "index"])
def test_pages_need_nothing_from_elsewhere(site, page):
    assert [
        found for found in Sources(path_of(site, page).read_text()).found if not found.startswith(("data:", "#"))
    ] == []


def test_a_link_leads_to_a_place_that_exists(site):
    texts = {path_of(site, page): text_of(site, page) for page in [*PAGES, "index"]}
    anchors = {path.resolve(): set(re.findall(r'id="([\w.-]+)"', text)) for path, text in texts.items()}
    for path, text in texts.items():
        for target, anchor in re.findall(r'<a [^>]*href="([^"#]*)#?([^"]*)"', text):
            there = (path.parent / target if target else path).resolve()
            assert there in anchors, target
            assert not anchor or anchor in anchors[there], anchor
