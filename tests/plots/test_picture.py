"""Pictures are tested by what they contain: their artists, their words, the markup they become."""

import io
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from PIL import Image

from randvar import (
    Joint,
    RandvarError,
    Var,
    binomial,
    constant,
    control_variate,
    covar,
    from_dict,
    indep,
    monte_carlo,
    shared,
    uniform,
    variance,
)
from randvar.examples.sampling_to_reinforce import quadratic_control
from randvar.plots import (
    covariance_3d,
    density,
    histogram,
    histogram_row,
    show_control,
    variance_3d,
    variance_reduction_3d,
)
from randvar.plots.control_pictures import control_terms
from randvar.plots.page import png
from randvar.plots.picture import Layer
from randvar.plots.projection import View, box
from randvar.plots.reduction import reduction

EIGHT = Var(np.arange(1, 9), np.array([1, 3, 1, 3, 1, 3, 1, 3]) / 16)
DIE = uniform(1, 7)
TABLE = Joint([0, 2, 5], [0, 1], [[1 / 12, 1 / 12], [1 / 6, 1 / 4], [1 / 4, 1 / 6]])
COIN = uniform(0, 2).op(lambda a: 2 * a - 1)
EVIL = "<img src=x onerror=alert(1)>"


def pair_of_coins():
    return shared(COIN).op(lambda a: 2 * a, lambda b: b)


PICTURES = {
    "histogram": lambda: histogram(EIGHT),
    "histogram against": lambda: histogram(monte_carlo(DIE, 2), without=DIE),
    "histogram of a pair": lambda: histogram(TABLE),
    "histogram of words": lambda: histogram(from_dict({"red": 0.25, ("a", 1): 0.75})),
    "histogram row": lambda: histogram_row(indep(DIE, DIE).add(), shared(DIE).add(), labels=("Independent", "Shared")),
    "density": lambda: density(monte_carlo(DIE, 5)),
    "density against": lambda: density(monte_carlo(DIE, 5), without=DIE, comparison_labels=("raw", "mean of five")),
    "variance": lambda: variance_3d(EIGHT),
    "covariance": lambda: covariance_3d(TABLE, max_post_labels=2),
    "reduction": lambda: variance_reduction_3d(pair_of_coins()),
    "control": lambda: show_control(
        quadratic_control(DIE, lambda a: a**2, a=1, b=2), steps=2, density_view=True, show=False
    ),
}


def layered(fig, kind):
    """The artists of one kind in all layers of a figure."""
    layers = [child for axes in fig.axes for child in axes.get_children() if isinstance(child, Layer)]
    return [artist for layer in layers for artist in layer.get_children() if isinstance(artist, kind)]


def words(fig):
    """Every text of the picture, as its SVG has it."""
    root = ElementTree.fromstring(svg(fig))
    return [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


def svg(fig):
    from randvar.plots.svg import svg_document

    return svg_document(fig, fig.alt)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_a_figure_that_leaves_no_trace(name):
    settings, backend = dict(matplotlib.rcParams), matplotlib.get_backend()
    fig = PICTURES[name]()
    bundle = fig._repr_mimebundle_()
    assert isinstance(fig, Figure)
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    assert dict(matplotlib.rcParams) == settings
    assert matplotlib.get_backend() == backend
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_same_twice_and_under_any_style(name):
    first = PICTURES[name]()._repr_html_()
    with matplotlib.rc_context({"font.size": 20, "text.color": "red", "axes.facecolor": "black", "figure.dpi": 50}):
        assert PICTURES[name]()._repr_html_() == first


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_small_themed_svg_with_an_opaque_white_fallback(name):
    fig = PICTURES[name]()
    document = svg(fig)
    root = ElementTree.fromstring(document)
    assert root.find("{http://www.w3.org/2000/svg}title").text == fig.alt != ""
    assert 'fill="currentColor"' in document
    assert "#010203" not in document
    html = fig._repr_html_()
    assert len(html) <= 60 * 1024
    assert "://" not in html
    image = Image.open(io.BytesIO(png(fig))).convert("RGBA")
    assert image.getextrema()[3] == (255, 255)
    assert image.getpixel((2, 2)) == (255, 255, 255, 255)


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_is_drawn_beyond_the_edge(name):
    fig = PICTURES[name]()
    image = np.asarray(Image.open(io.BytesIO(png(fig))).convert("L"))
    edge = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    assert (edge > 250).all()


def test_a_histogram_has_a_stem_for_each_outcome_and_the_mean():
    fig = histogram(EIGHT)
    stems = [line for line in layered(fig, Line2D) if line.get_marker() == "o"]
    assert [(line.get_xdata()[0], line.get_ydata()[1]) for line in stems] == list(
        zip(EIGHT.values, EIGHT.probs, strict=True)
    )
    assert "mean 4.75" in words(fig)


def test_a_comparison_shows_both_laws_and_says_when_the_means_agree():
    fig = histogram(monte_carlo(DIE, 2), without=DIE)
    assert len([line for line in layered(fig, Line2D) if line.get_marker() == "o"]) == 11 + 6
    assert "both means 3.5" in words(fig)
    fig = density(DIE, without=DIE + 1, comparison_labels=("one more", "a die"))
    assert {"a die mean 3.5", "one more mean 4.5", "a die", "one more"} <= set(words(fig))


def test_axes_of_the_caller_are_drawn_on():
    figure = Figure()
    axes = figure.subplots(1, 2)
    for ax, draw in zip(axes, (histogram, density), strict=True):
        assert draw(EIGHT, ax=ax) is figure
        assert ax.get_xlabel() == "Value"
    figure.savefig(io.BytesIO(), format="png")


def test_outcomes_that_are_no_numbers_have_a_histogram_and_no_density():
    colours = from_dict({"red": 0.5, "blue": 0.3, ("a", 1): 0.2})
    assert {"red", "blue", "('a', 1)"} <= set(words(histogram(colours)))
    many = Var([f"w{i}" for i in range(90)], [1 / 90] * 90)
    assert "The 40 likeliest of 90 outcomes" in words(histogram(many))
    for picture in (density, variance_3d, histogram_row):
        with pytest.raises(RandvarError, match="needs numbers"):
            picture(colours)


def test_what_a_person_passes_in_is_text():
    figs = [
        histogram(from_dict({EVIL: 1.0})),
        histogram_row(DIE, labels=[EVIL]),
        density(DIE, without=EIGHT, comparison_labels=(EVIL, "$x_1$")),
    ]
    for fig in figs:
        assert "<img src=x" not in svg(fig)
        assert "<img src=x" not in fig._repr_html_()
    assert "<img src=x on…" in words(figs[0])
    assert f"{EVIL} (mean 3.5)" in words(figs[1])
    assert {EVIL, "$x_1$"} <= set(words(figs[2]))


def test_labels_must_match_the_laws():
    with pytest.raises(RandvarError, match="1 labels for 2 laws"):
        histogram_row(DIE, DIE, labels=("one",))
    with pytest.raises(RandvarError, match="two names"):
        density(DIE, comparison_labels=("one",))
    with pytest.raises(RandvarError, match="at least one"):
        histogram_row()
    with pytest.raises(RandvarError, match="Joint"):
        histogram(TABLE, without=DIE)


@pytest.mark.parametrize("picture", [histogram, density, variance_3d, histogram_row])
@pytest.mark.parametrize(
    "law",
    [
        constant(0),
        constant(-7.5),
        constant(1e9),
        uniform(0, 10**5),
        Var([1e-9, 2e-9, 4e-9], [0.2, 0.3, 0.5]),
        uniform(10**9, 10**9 + 3),
        Var([-1e9, 1e-9], [0.5, 0.5]),
        uniform(-5, -1),
        binomial(2000, 0.3),
        DIE.rational(),
        Var([True, False], [0.5, 0.5]),
    ],
    ids=str,
)
def test_every_law_of_finite_numbers_has_its_pictures(picture, law):
    fig = picture(law)
    assert len(svg(fig)) < 120_000
    labels = [text for text in words(fig) if re.fullmatch(r"−?[\d.]+(e−?\d+)?", text)]
    assert len(labels) >= 2


@pytest.mark.parametrize("picture", [histogram, density, variance_3d, histogram_row])
def test_an_infinite_outcome_is_refused(picture):
    with pytest.raises(RandvarError, match=r"-inf is an outcome.*isfinite"):
        picture(Var([-math.inf, 0.0], [0.5, 0.5]))


def test_the_volume_of_a_box_is_its_share_of_the_variance():
    view = View((0, 9), (0, 9), 1)
    drawn = box(view, (4.75, 4.75), (8, 8, 3 / 16), "")
    # Unproject the silhouette: (mean, mean) and (8, 8) stand on the floor, and the post at (8, 8) is 3/16 high.
    silhouette = drawn.get_path().vertices[:6]
    side = (silhouette[:, 0].max() - silhouette[:, 0].min()) / math.sqrt(2) * 9
    height = (silhouette[1, 1] - silhouette[2, 1]) / view.rise() * -1
    assert side**2 * height == pytest.approx(3 / 16 * (8 - 4.75) ** 2)


def test_the_feet_of_the_diagonal_stand_on_one_line():
    view = View((0, 9), (0, 9), 1)
    feet = view.project(range(10), range(10))
    assert np.allclose(feet[:, 1], 0)
    assert np.allclose(np.diff(feet[:, 0]), math.sqrt(2) / 9)


def test_variance_has_a_box_for_each_outcome_and_its_number():
    fig = variance_3d(EIGHT)
    assert len(layered(fig, PathPatch)) == 8
    assert "Var(X) = 5.19, the volume of all boxes" in words(fig)
    assert len(layered(variance_3d(constant(3)), PathPatch)) == 0


def test_negative_shares_of_a_covariance_are_hatched():
    fig = covariance_3d(TABLE, max_post_labels=0)
    boxes = layered(fig, PathPatch)
    means = 29 / 12, 1 / 2
    negative = sum((x - means[0]) * (y - means[1]) < 0 for x, y in TABLE.outcomes)
    assert len(boxes) == 6
    assert sum(patch.get_hatch() is not None for patch in boxes) == negative == 3
    assert "Cov(X, Y) = 0.37 − 0.5 (hatched) = −0.12" in words(fig)
    assert float(covar(TABLE)) == pytest.approx(-1 / 8)


def test_posts_are_labelled_on_request():
    assert not [text for text in words(covariance_3d(TABLE, max_post_labels=0)) if text.startswith("(")]
    assert len([text for text in words(covariance_3d(TABLE, max_post_labels=2)) if text.startswith("(")]) == 2


def test_the_reduction_prints_its_equation(capsys):
    fig = variance_reduction_3d(pair_of_coins())
    assert capsys.readouterr().out == (
        "Var 1 = 4.00; Var 2 = 1.00; Cov = 2.00\nVar(result) = 4.00 + 1.00 − 2 × (2.00) = 1.00\n"
    )
    assert len(fig.axes) == 4
    assert {"Var A = 4.00", "− 2 Cov(A, B) = −4.00", "= Var(A − B) = 1.00"} <= set(words(fig))
    limits = {(*axes.get_xlim(), *axes.get_ylim()) for axes in fig.axes}
    assert len(limits) == 1


def test_what_is_taken_away_hangs_below_the_floor():
    panels = variance_reduction_3d(pair_of_coins()).axes
    below = [patch for child in panels[2].get_children() if isinstance(child, Layer) for patch in child.get_children()]
    hatched = [patch for patch in below if isinstance(patch, PathPatch) and patch.get_hatch()]
    assert len(hatched) == 2
    assert min(patch.get_path().vertices[:, 1].min() for patch in hatched) < -0.5
    panels = variance_reduction_3d(shared(COIN).op(lambda a: a, lambda b: -b)).axes
    added = [patch for child in panels[2].get_children() if isinstance(child, Layer) for patch in child.get_children()]
    boxes = [patch for patch in added if isinstance(patch, PathPatch)]
    assert len(boxes) == 2
    assert not [patch for patch in boxes if patch.get_hatch()]
    assert max(patch.get_path().vertices[:, 1].max() for patch in boxes) > 0.5


def test_the_terms_of_a_reduction_are_those_of_the_laws():
    terms = reduction(TABLE)
    assert terms.var_1 == pytest.approx(float(variance(TABLE[0])))
    assert terms.var_result == pytest.approx(terms.var_1 + terms.var_2 - 2 * terms.cov)


def quadratic(a):
    """The article's response; its excess over a^2 + 2a + 1/4 is -3/4 or 1/4, ... with variance 2/3."""
    return a**2 + 2 * a + (0, 1, 0, -1, 0, 2)[a - 1]


def test_a_control_prints_the_variances_of_means(capsys):
    pair = quadratic_control(DIE, quadratic, a=1, b=2)
    assert show_control(pair, steps=5, density_view=True) is None
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == "Gray: raw estimate | Blue: estimate minus control"
    one, two, twice = (float(part.split(" = ")[1]) for part in second.split("; "))
    excess = [0, 1, 0, -1, 0, 2]
    rest = sum(e * e for e in excess) / 6 - (sum(excess) / 6) ** 2
    assert one + two - twice == pytest.approx(rest / 5, abs=2e-4)
    assert third == f"Var(adjusted) = {one:g} + {two:g} - ({twice:g}) = {rest / 5:g}"


def test_a_control_must_have_mean_zero():
    pair = control_variate(DIE, lambda a: a**2, lambda a: a, known_mean=3)
    with pytest.raises(RandvarError, match=r"mean 0\.5, not 0"):
        show_control(pair, steps=5)
    with pytest.raises(RandvarError, match=r"mean 0\.5, not 0"):
        control_terms(pair, 1)


def test_a_tight_picture_keeps_the_labels_outside_its_axes():
    fig = histogram(EIGHT)
    renderer = FigureCanvasAgg(fig).get_renderer()
    tight, axes = fig.get_tightbbox(renderer), fig.axes[0].get_window_extent()
    assert tight.y1 * fig.dpi > axes.y1 + 10  # the mean stands above


def test_a_picture_saves_itself(tmp_path):
    fig = histogram(EIGHT)
    for ending, start in (("html", b"<!doctype html>"), ("svg", b"<svg "), ("png", b"\x89PNG")):
        fig.save(tmp_path / f"eight.{ending}")
        assert (tmp_path / f"eight.{ending}").read_bytes().startswith(start)
    with pytest.raises(RandvarError, match=r"\.html, \.svg, \.png"):
        fig.save(tmp_path / "eight.pdf")


def test_the_core_does_not_import_matplotlib():
    code = (
        "import sys, randvar; assert 'matplotlib' not in sys.modules;"
        "randvar.histogram; assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
