"""The photographs in the README are what a browser shows today, up to how a machine renders letters."""

import numpy as np
import pytest
from PIL import Image, ImageSequence

from tools.screenshots import IMAGES, SHOTS, photographed

ALIKE = 0.98  # of the pixels at a quarter of the size; another font moves some


@pytest.mark.browser
@pytest.mark.parametrize("name", SHOTS)
def test_a_photograph_is_what_the_page_shows(name, browser):
    with Image.open(IMAGES / name) as image:
        kept = [frame.convert("L") for frame in ImageSequence.Iterator(image)]
    now = [shot.convert("L") for shot in photographed(browser, name)]
    assert len(kept) == len(now)
    for before, after in zip(kept, now, strict=True):
        before, after = softened(before), softened(after)
        assert np.abs(np.subtract(before.shape, after.shape)).max() <= 2
        height, width = np.minimum(before.shape, after.shape)
        alike = np.abs(before[:height, :width] - after[:height, :width]) < 48
        assert alike.mean() > ALIKE, "take it again (python -m tools.screenshots) and look at it"


def softened(image):
    return np.asarray(image.reduce(4), dtype=float)
