"""The colours of the pictures, told apart by everyone: checked by simulation, not by eye."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from randvar.plots.style import NEGATIVE, POSITIVE, RAW

# Machado, Oliveira & Fernandes 2009, severity 1, on linear RGB.
SIGHT = {
    "full": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(linear):
    """CIE L*a*b* of linear RGB, under its white."""
    ratio = (TO_XYZ @ np.clip(linear, 0, 1)) / TO_XYZ.sum(axis=1)
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def linear(color):
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_differ_for_every_kind_of_sight(sight):
    seen = [lab(np.array(SIGHT[sight]) @ linear(color)) for color in (POSITIVE, NEGATIVE, RAW)]
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) >= 25  # ten just noticeable differences


@pytest.mark.parametrize("color", [POSITIVE, NEGATIVE, RAW])
def test_colours_stand_out_from_white(color):
    luminance = np.array([0.2126, 0.7152, 0.0722]) @ linear(color)
    assert 1.05 / (luminance + 0.05) >= 3  # WCAG 1.4.11: graphical objects
