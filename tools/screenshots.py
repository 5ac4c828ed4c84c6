"""What the README shows of a page: a slider that moves and a verdict, photographed in headless Chromium.

python -m tools.screenshots   take both again, into docs/images (needs Chromium on the PATH)
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from randvar import bernoulli, compare, k1, k2, k3, kl, monte_carlo, uniform, weighted_die
from randvar.plots import Slider, explore

__all__ = ["IMAGES", "SHOTS", "photographed"]

IMAGES = Path(__file__).parents[1] / "docs" / "images"
MILLISECONDS = 600  # of each frame
COLOURS = 64


def poll() -> Slider:
    """The mean of 20 answers, for every share p of yes."""
    return explore(lambda p: monte_carlo(bernoulli(p), 20), name="p", values=[i / 10 for i in range(1, 10)])


def divergences() -> Any:
    """Three estimators of one divergence, as means of five draws."""
    p, q = weighted_die([1, 2, 3, 4, 5, 6]), uniform(1, 7)
    return compare({"k1": k1(p, q), "k2": k2(p, q), "k3": k3(p, q)}, target=kl(p, q), steps=5)


def slider_frames(page: Any) -> Iterator[Image.Image]:
    """One photograph for each place of the handle."""
    handle = page.locator("input[type=range]")
    for i in range(int(handle.get_attribute("max")) + 1):
        handle.fill(str(i))
        handle.blur()
        yield photograph(page)


def photograph(page: Any) -> Image.Image:
    """The body of a page."""
    return Image.open(BytesIO(page.locator("body").screenshot())).convert("RGB")


# name of the image: what is shown, and how the page becomes photographs
SHOTS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "slider.gif": (poll, slider_frames),
    "verdict.png": (divergences, lambda page: [photograph(page)]),
}
_PAGE = (
    '<!doctype html><meta charset="utf-8"><body style="margin:0;padding:12px;width:700px;background:#fff;'
    'font:14px/18px DejaVu Sans,sans-serif">{html}'
)


def photographed(browser: Any, name: str) -> list[Image.Image]:
    """The frames of one of `SHOTS`."""
    made, frames = SHOTS[name]
    page = browser.new_page(viewport={"width": 740, "height": 500})
    page.set_content(_PAGE.format(html=made()._repr_html_()))
    shots = list(frames(page))
    page.close()
    return shots


def main() -> None:
    """Take and keep all of them."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in SHOTS:
            first, *others = (shot.quantize(COLOURS) for shot in photographed(browser, name))
            moving = {"save_all": True, "append_images": others, "duration": MILLISECONDS, "loop": 0} if others else {}
            first.save(IMAGES / name, optimize=True, **moving)
            print(f"took {IMAGES / name}")
        browser.close()


if __name__ == "__main__":
    main()
