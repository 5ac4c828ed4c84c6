"""The reference finds a name without a network."""

import pytest

from tools.reference.build import build

pytestmark = pytest.mark.browser


def test_search_finds_a_name_offline(browser, tmp_path):
    build(tmp_path)
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "randvar" / "rollouts.html").as_uri())
    page.fill("input[type=search]", "leave one out gradient")
    page.locator(".search-result a").first.click()
    page.wait_for_function("location.hash === '#leave_one_out_gradient'")
    assert page.url.startswith((tmp_path / "randvar.html").as_uri())
    assert errors == []
