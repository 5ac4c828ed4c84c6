"""Headless Chromium with the network off. In CI it must be there; elsewhere its absence skips these tests."""

import os
import shutil

import pytest

FLAGS = [
    "--no-sandbox",  # a container's only user is often root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def missing(what):
    """Skip the test, or fail it in CI, where nothing may be skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="module")
def browser():
    """Chromium, for the tests of one file: playwright's event loop must not outlive them."""
    executable = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if executable is None:
        missing("no Chromium on the PATH (Debian: apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("no playwright (pip install playwright)")
    try:
        playwright = sync_playwright().start()
    except Exception as error:  # playwright raises nothing narrower when its driver does not run
        missing(f"playwright does not start: {error} (Debian: apt-get install libatomic1)")
    chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
    yield chromium
    chromium.close()
    playwright.stop()


@pytest.fixture
def complaints():
    """What went wrong in the page: console errors, exceptions, requests that failed or left the machine."""
    return []


@pytest.fixture
def context_options():
    """Options of the browser context; a test file overrides this for a dark page or one without JavaScript."""
    return {}


@pytest.fixture
def open_page(browser, complaints, context_options, tmp_path):
    """A function that opens an HTML document from a file; the test fails if the page complained."""
    context = browser.new_context(offline=True, **context_options)

    def open_page(html):
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url[:200]}"))
        page.on("request", lambda request: asked(request.url))
        file = tmp_path / f"page{len(context.pages)}.html"
        file.write_text(html, encoding="utf-8")
        page.goto(file.as_uri())
        return page

    def asked(url):
        if not url.startswith(("file:", "data:", "blob:")):
            complaints.append(f"asked the network for {url[:200]}")

    yield open_page
    context.close()
    assert complaints == []
