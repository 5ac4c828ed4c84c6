"""The images of the documentation are what the library draws, up to how a machine renders letters and edges."""

import re

import numpy as np
import pytest
from PIL import Image

from tools.pictures import IMAGES, PAGE, drawn
from tools.screenshots import SHOTS

TRUE_PIXELS = 0.995  # the others differ by the rendering of a letter or of an edge


@pytest.fixture(scope="module")
def pictures():
    return dict(drawn())


def test_every_image_of_the_page_has_its_code_and_every_image_is_used(pictures):
    named = re.findall(r"\(images/([\w-]+\.png)\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(pictures) == sorted(named) == sorted({path.name for path in IMAGES.iterdir()} - SHOTS.keys())


@pytest.mark.parametrize(
    "path", sorted(path for path in IMAGES.glob("*.png") if path.name not in SHOTS), ids=lambda path: path.stem
)
def test_an_image_is_what_the_library_draws(path, pictures, tmp_path):
    assert path.stat().st_size <= 40 * 1024
    pictures[path.stem + ".png"].save(tmp_path / "now.png")
    kept, now = softened(path), softened(tmp_path / "now.png")
    assert kept.shape == now.shape
    alike = np.abs(kept - now) < 48
    assert alike.mean() > TRUE_PIXELS, "draw it again (python -m tools.pictures) and look at it"


def softened(path):
    """Grey levels of an image at a quarter of its size."""
    image = Image.open(path).convert("L")
    return np.asarray(image.reduce(4), dtype=float)
