"""Estimators side by side, and laws as distribution functions."""

import math
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon, Rectangle

from randvar import RandvarError, Var, constant, k1, k2, k3, kl, monte_carlo, uniform, weighted_die
from randvar.plots import compare_plot, law_plot
from randvar.plots.columns_and_rows import cdf_steps
from randvar.plots.picture import Layer
from randvar.plots.svg import svg_document

P, Q = weighted_die([1, 2, 3, 4, 5, 6]), uniform(1, 7)


def drawn(fig, kind):
    (layer,) = (child for child in fig.axes[0].get_children() if isinstance(child, Layer))
    return [artist for artist in layer.get_children() if isinstance(artist, kind)]


def words(fig):
    root = ElementTree.fromstring(svg_document(fig, ""))
    return [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_bias_is_hatched_and_absent_where_there_is_none():
    target = float(kl(P, Q))
    fig = compare_plot({"k1": k1(P, Q), "k2": k2(P, Q), "k3": k3(P, Q)}, target=target)
    probs = np.arange(1, 7) / 21
    mean = probs @ (0.5 * np.log(6 * probs) ** 2)
    (bias,) = drawn(fig, Rectangle)
    assert bias.get_width() == pytest.approx(abs(mean - target))
    assert bias.get_hatch()
    assert {"k1", "k2", "k3"} <= set(words(fig))


def test_the_bars_are_one_standard_deviation_long():
    fig = compare_plot({"die": uniform(1, 7), "five": monte_carlo(uniform(1, 7), 5)}, target=3.5)
    lengths = [np.ptp(line.get_xdata()) for line in drawn(fig, Line2D) if line.get_linewidth() == 5]
    assert lengths == pytest.approx([2 * math.sqrt(35 / 12), 2 * math.sqrt(35 / 60)])


def test_an_estimator_of_a_million_draws_is_compared_by_its_moments():
    assert compare_plot({"many": monte_carlo(k1(P, Q), 10**6)}, target=kl(P, Q))


def test_a_comparison_needs_estimators_and_a_finite_target():
    with pytest.raises(RandvarError, match="at least one"):
        compare_plot({}, target=0)
    with pytest.raises(RandvarError, match="target is inf"):
        compare_plot({"die": uniform(1, 7)}, target=math.inf)


def test_the_staircase_rises_by_the_probability_of_each_outcome():
    values, heights, mean = cdf_steps(Var([1, 2, 4], [0.2, 0.3, 0.5]))
    assert values.tolist() == [1, 2, 4]
    assert heights == pytest.approx([0.2, 0.5, 1])
    assert mean == pytest.approx(2.8)
    stairs = next(line for line in drawn(law_plot(uniform(1, 7)), Line2D) if line.get_drawstyle() == "steps-post")
    assert stairs.get_ydata()[1:-1] == pytest.approx([k / 6 for k in range(1, 7)])


def test_a_long_staircase_keeps_its_height_at_every_step_it_shows():
    values, heights, _ = cdf_steps(uniform(0, 10**5))
    assert len(values) <= 800
    assert heights == pytest.approx((values + 1) / 10**5)


def test_an_envelope_is_a_band():
    points = np.linspace(0, 1, 11)
    envelope = SimpleNamespace(points=points, lower=np.clip(points - 0.1, 0, 1), upper=np.clip(points + 0.05, 0, 1))
    fig = law_plot(envelope)
    (band,) = drawn(fig, Polygon)
    assert len(band.get_xy()) in (22, 23)
    assert "Proved: the CDF lies in the band, at most 0.15 wide" in words(fig)


def test_what_has_no_distribution_function_is_refused():
    with pytest.raises(TypeError, match="not int"):
        law_plot(3)
    with pytest.raises(RandvarError, match="needs numbers"):
        law_plot(Var(["a", "b"], [0.5, 0.5]))
    with pytest.raises(RandvarError, match="no points"):
        law_plot(SimpleNamespace(points=[], lower=[], upper=[]))
    assert law_plot(constant(0))
