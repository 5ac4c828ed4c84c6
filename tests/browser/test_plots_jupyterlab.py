"""A slider in JupyterLab: its keys move it and nothing else; an untrusted notebook shows the still picture."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import nbformat
import pytest

from randvar import uniform
from randvar.plots import scaled_variance_slider

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOKEN = "only-for-this-test"
SLIDER = scaled_variance_slider(uniform(1, 7))


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab on loopback that serves a trusted and an untrusted notebook with one slider each."""
    home = tmp_path_factory.mktemp("lab")
    environment = os.environ | {
        name: str(home / part)
        for name, part in {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "IPYTHONDIR": "ipython",
        }.items()
    }
    (home / "notebooks").mkdir()
    for name in ("trusted", "untrusted"):
        output = nbformat.v4.new_output("display_data", data=SLIDER._repr_mimebundle_())
        cells = [nbformat.v4.new_code_cell("slider", outputs=[output]), nbformat.v4.new_code_cell("")]
        # With its kernel named, the notebook opens without asking for one.
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        node = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
        nbformat.write(node, home / "notebooks" / f"{name}.ipynb")
    subprocess.run(
        [sys.executable, "-m", "nbformat.sign", str(home / "notebooks" / "trusted.ipynb")],
        env=environment,
        check=True,
        capture_output=True,
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"]
    command += [f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={home / 'notebooks'}", "--allow-root"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            _wait(f"http://127.0.0.1:{port}/api?token={TOKEN}", server, home / "log")
            yield f"http://127.0.0.1:{port}/lab/tree"
        finally:
            server.terminate()
            server.wait(20)


def _wait(url, server, log):
    for _ in range(240):
        if server.poll() is not None:
            pytest.fail(f"JupyterLab ended: {log.read_text()[-800:]}")
        try:
            with urllib.request.urlopen(url):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.5)
    pytest.fail("JupyterLab did not start")


@pytest.fixture
def notebook(browser, lab):
    """Opens one of the two notebooks."""
    page = browser.new_page()

    def open_notebook(name):
        page.goto(f"{lab}/{name}.ipynb?token={TOKEN}&reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell .randvar", timeout=120_000)
        return page

    yield open_notebook
    page.close()


def test_arrow_keys_move_the_slider_and_edit_nothing(notebook):
    page = notebook("trusted")
    page.wait_for_selector(".randvar[data-frame='0']")
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    page.locator(".randvar input").focus()
    assert page.evaluate("document.activeElement.className") == "randvar-live"
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "a", "b", "d", "d", "x", "m", "Home", "End"):
        page.keyboard.press(key)
    assert page.locator(".randvar").get_attribute("data-frame") == "3"
    assert page.locator(".randvar [role=status]").inner_text() == SLIDER.frame(4).report
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    assert page.locator(".jp-MarkdownCell").count() == 0


def test_an_untrusted_notebook_shows_the_still_picture(notebook):
    page = notebook("untrusted")
    page.wait_for_timeout(1000)
    assert page.locator(".randvar[data-frame]").count() == 0
    output = page.locator(".jp-OutputArea .randvar")
    assert output.locator("img").is_visible()
    text = re.sub(r"\s+", " ", output.inner_text())
    assert "b = 1" in text
    assert "Var(bX) = 2.92" in text
    assert "function" not in text
    assert "<svg" not in text
