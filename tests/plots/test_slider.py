"""Every frame of every slider says the number that the definition gives, and the page it becomes is small and safe."""

import base64
import math
import re
import zlib
from fractions import Fraction

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from benchmarks.sliders import measure
from randvar import (
    RandvarError,
    Var,
    assert_same_law,
    bernoulli,
    binomial,
    covar,
    dependent,
    from_dict,
    indep,
    k1,
    k3,
    monte_carlo,
    shared,
    softmax,
    uniform,
    variance,
    weighted_die,
)
from randvar.plots import (
    Slider,
    ab_control_widget,
    coin_variance_slider,
    covariance_interpolation_slider,
    explore,
    linear_control_widget,
    monte_carlo_samples_slider,
    polling_sketch,
    reinforce_baseline_slider,
    scaled_variance_slider,
    sum_variance_slider,
    temperature_policy_slider,
    variance_3d,
)
from randvar.plots.smoothed_curves import estimate_curves
from randvar.plots.variance_sliders import mixed_covariance, mixed_sums

EIGHT = Var(np.arange(1, 9), np.array([1, 3, 1, 3, 1, 3, 1, 3]) / 16)
DIE = uniform(1, 7)
P, Q = weighted_die([1, 2, 3, 4, 5, 6]), uniform(1, 7)
EVIL = "<img src=x onerror=alert(1)>"
PEOPLE = uniform(0, 4)


def line(a):
    """A slope of three and a bend that a straight control cannot follow."""
    return 3 * a + (a - 3.5) ** 2 / 10


def policy(temperature):
    return softmax(range(8), temperature=temperature)


def scores(temperature=3.0):
    action = policy(temperature)
    mean = float(action.values @ action.probs)
    return shared(action).op(lambda a: a, lambda a: (mean - a) / temperature**2)


def with_baseline(reward, b, score):
    return score.op(lambda a: reward(a) - b, lambda s: s).mul()


def initial(person):
    return -0.25 * (person % 2)


def untreated(person):
    return 2 * initial(person) + person % 2


def treated(person):
    return untreated(person) + 1


SLIDERS = {
    "scaled": lambda: scaled_variance_slider(EIGHT),
    "interpolation": lambda: covariance_interpolation_slider(DIE),
    "sum": lambda: sum_variance_slider(DIE),
    "coin": lambda: coin_variance_slider(20),
    "samples": lambda: monte_carlo_samples_slider(k3(P, Q), without=k1(P, Q), labels=("k1", "k3")),
    "linear": lambda: linear_control_widget(DIE, line, b=3, steps=5),
    "ab": lambda: ab_control_widget(PEOPLE, treated, untreated, initial, steps=5),
    "temperature": lambda: temperature_policy_slider(policy, 3.0),
    "baseline": lambda: reinforce_baseline_slider(with_baseline, lambda a: a, scores(), steps=2),
}


@pytest.fixture(scope="module")
def sliders():
    return {name: make() for name, make in SLIDERS.items()}


def reports(slider):
    return [slider.frame(value).report for value in slider.values]


def values_in(report):
    """The numbers of a report, with typographic minus signs."""
    return [float(found.replace("−", "-")) for found in re.findall(r"(?<![\w.])[−-]?\d+\.?\d*(?:e[+-]?\d+)?", report)]


# -- the numbers ------------------------------------------------------------------------------------------------------


def test_scaling_by_b_multiplies_the_variance_by_its_square(sliders):
    assert sliders["scaled"].values == (1, 2, 3, 4)
    assert reports(sliders["scaled"]) == [f"Var(bX) = {number}" for number in ("5.19", "20.75", "46.69", "83.00")]


def test_covariance_grows_with_the_shared_fraction(sliders):
    slider = sliders["interpolation"]
    assert [slider.frame(value).label for value in slider.values] == [f"{i / 10:.1f}" for i in range(11)]
    assert reports(slider) == [f"Cov(X,Y) = {i / 10 * 35 / 12:.3f};  Var(X) = 2.917" for i in range(11)]


def test_the_variance_of_a_sum_grows_with_it(sliders):
    expected = [(f"{i / 10 * 35 / 12:.3f}", f"{(2 + 2 * i / 10) * 35 / 12:.3f}") for i in range(11)]
    assert expected[0] == ("0.000", "5.833")
    assert expected[-1] == ("2.917", "11.667")
    assert reports(sliders["sum"]) == [f"Var(X + Y) = 2.917 + 2.917 + 2 × {cov} = {total}" for cov, total in expected]


@pytest.mark.parametrize("share", [0, 0.3, 1])
@pytest.mark.parametrize("x", [EIGHT, DIE.rational()], ids=["floats", "rationals"])
def test_a_mixture_has_its_share_of_the_covariance_and_of_the_sum(x, share):
    """Against the pair itself, outcome by outcome: Y is drawn anew with probability 1 - share, after X was seen."""
    share = share if x.kind == "float" else Fraction(share).limit_denominator()
    pair = dependent(x, lambda a: bernoulli(share).op(lambda same: a if same else x))
    assert float(mixed_covariance(x, share)) == pytest.approx(float(covar(pair)), abs=1e-12)
    (law,) = mixed_sums(x, [share])
    assert_same_law(law, pair.add())
    assert x.kind == "float" or covar(pair) == mixed_covariance(x, share) == share * Fraction(35, 12)


def test_the_mean_of_n_flips_has_variance_one_over_n(sliders):
    # Two decimals, and four digits where those would say little.
    written = [f"{1 / n:.2f}" if n <= 10 else f"{1 / n:.4g}" for n in range(1, 21)]
    assert reports(sliders["coin"]) == [f"Variance = 1/{n} = {text}" for n, text in enumerate(written, start=1)]


def test_the_mean_of_n_draws_keeps_the_mean_and_divides_the_variance(sliders):
    p, ratio = np.arange(1, 7) / 21, 7 / 2 / np.arange(1, 7)  # q/p
    ratios = {"k1": -np.log(ratio), "k3": -np.log(ratio) + ratio - 1}
    for n, report in enumerate(reports(sliders["samples"]), start=1):
        for name, text in zip(("k3", "k1"), report.split("\n"), strict=True):
            mean = p @ ratios[name]
            var = p @ (ratios[name] - mean) ** 2 / n
            assert text.startswith(f"{name}: ")
            assert values_in(text.removeprefix(name)) == pytest.approx([mean, var], abs=5e-5)


def test_the_linear_control_leaves_what_is_not_linear(sliders):
    slider = sliders["linear"]
    assert len(slider) == 21
    faces = np.arange(1, 7)
    for bend in slider.values:
        target = np.array([line(a) for a in faces]) + bend * ((faces - 3.5) ** 2 - 35 / 12)
        control = 3 * (faces - 3.5)
        cov = np.cov([target, control], bias=True) / 5
        rest = np.var(target - control) / 5
        one, two, twice, adjusted = cov[0, 0], cov[1, 1], 2 * cov[0, 1], rest
        first, second = slider.frame(bend).report.split("\n")
        assert first == f"Var 1 = {one:g}; Var 2 = {two:g}; 2 Cov = {twice:g}"
        assert second == f"Var(adjusted) = {one:g} + {two:g} - ({twice:g}) = {adjusted:g}"


def test_the_ab_control_is_best_at_minus_two(sliders):
    slider = sliders["ab"]
    assert len(slider) == 25
    people = range(4)
    for b in slider.values:
        groups = [np.array([f(person) - b * initial(person) for person in people]) for f in (treated, untreated)]
        adjusted = sum(np.var(group) for group in groups) / 5
        assert float(slider.frame(b).report.rsplit("= ", 1)[1]) == pytest.approx(adjusted, rel=1e-5, abs=1e-12)
    assert slider.frame(-2).report.endswith("= 0")
    assert slider.frame(1).label == "1.00"


def test_a_policy_is_shown_at_each_temperature(sliders):
    slider = sliders["temperature"]
    assert slider.values[:3] == (0.25, 0.5, 1.0)
    assert slider.values[-1] == 20
    for temperature in slider.values:
        weights = np.exp((np.arange(8) - 7) / temperature)
        probs = weights / weights.sum()
        mean = probs @ np.arange(8)
        assert values_in(slider.frame(temperature).report) == pytest.approx(
            [mean, probs @ (np.arange(8) - mean) ** 2], abs=5e-4
        )


def test_the_best_baseline_is_near_the_mean_reward(sliders):
    slider = sliders["baseline"]
    weights = np.exp((np.arange(8) - 7) / 3)
    probs = weights / weights.sum()
    score = (probs @ np.arange(8) - np.arange(8)) / 9

    def moments(b):
        gradient = (np.arange(8) - b) * score
        mean = probs @ gradient
        return mean, probs @ (gradient - mean) ** 2 / 2

    for b in slider.values:
        assert values_in(slider.frame(b).report.replace("b = 0", "")) == pytest.approx(
            [*moments(b), moments(0)[1]], abs=5e-5
        )
    assert min(slider.values, key=lambda b: moments(b)[1]) == 3.25
    assert min(slider.values, key=lambda b: values_in(slider.frame(b).report)[1]) == 3.25


@pytest.mark.parametrize("draws", [1, 2, 7])
def test_smoothing_without_the_law_agrees_with_smoothing_of_the_law(draws):
    x = k1(P, Q)
    mean = monte_carlo(x, draws)
    estimates = {((x, draws),): mean, ((DIE, 3), (-x, draws)): indep(monte_carlo(DIE, 3), mean).sub()}
    drawn = estimate_curves(list(estimates))
    bandwidth = (drawn.grid[-1] - drawn.grid[0]) / 68  # four before and four after a range of sixty
    for height, law in zip(drawn.heights, estimates.values(), strict=True):
        kernel = np.exp(-0.5 * ((drawn.grid[:, None] - law.values) / bandwidth) ** 2)
        assert np.allclose(height, kernel @ law.probs / bandwidth / math.sqrt(2 * math.pi), atol=1e-9)


def test_smoothing_far_from_zero_keeps_its_digits():
    near, far = (estimate_curves([((DIE + shift, 4),)]) for shift in (0, 1e9))
    assert np.allclose(near.heights, far.heights, atol=1e-5)
    assert far.means == [1e9 + 3.5]


def test_an_outcome_that_next_to_never_happens_asks_for_no_endless_sum():
    slider = monte_carlo_samples_slider(Var([0, 1], [1 - 1e-300, 1e-300]))
    assert slider.frame(5).report == "estimate: mean 1e−300, variance 2e−301"


# -- the slider as an object ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SLIDERS)
def test_a_slider_is_small_deterministic_and_self_contained(name, sliders):
    settings = dict(matplotlib.rcParams)
    html = SLIDERS[name]()._repr_html_()
    assert dict(matplotlib.rcParams) == settings
    assert html == sliders[name]._repr_html_()
    assert len(html.encode()) <= 60 * 1024
    assert "base64," in html
    packed = html.split('<script type="text/x-randvar">')[1].split("</script>")[0]
    for text in (html, zlib.decompress(base64.b64decode(packed)).decode()):
        assert "://" not in text


@pytest.mark.parametrize("name", SLIDERS)
def test_without_scripts_there_are_the_picture_its_caption_and_all_values(name, sliders):
    slider = sliders[name]
    still = slider._repr_html_().split('<script type="text/x-randvar">')[0]
    assert '<img width="' in still
    assert still.count("<tr>") == len(slider) + 1
    bundle = slider._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    assert bundle["text/plain"] == repr(slider)


@pytest.mark.parametrize("name", SLIDERS)
def test_the_axes_do_not_move_between_frames(name, sliders):
    """What stands still is drawn once: no frame repeats a tick label or an axis name."""
    base = sliders[name]._parts.base
    assert base.count("<text") >= 3
    assert all("<text" in base for _ in sliders[name].values)


def test_a_slider_saves_itself(tmp_path, sliders):
    for ending, start in (("html", b"<!doctype html>"), ("svg", b"<svg "), ("png", b"\x89PNG")):
        sliders["scaled"].save(tmp_path / f"s.{ending}")
        assert (tmp_path / f"s.{ending}").read_bytes().startswith(start)


def simple(**changes):
    fig = Figure((3, 2))
    ax = fig.subplots()
    (dots,) = ax.plot([0, 1], [0, 1], "o")
    options = {"name": "n", "report": lambda i: f"report {i}", "alt": "two dots"} | changes
    return fig, Slider(fig, [dots], lambda i: dots.set_ydata([i, 1]), [0, 1, 2], **options)


def test_a_slider_does_not_change_with_its_figure():
    fig, slider = simple()
    before = slider._repr_html_()
    fig.axes[0].set_title("later")
    assert slider._repr_html_() == before
    assert not any(artist.get_animated() for artist in fig.axes[0].lines)


def test_everything_a_person_passes_in_is_text():
    _, slider = simple(name=EVIL, fmt=EVIL + "{}", report=lambda i: EVIL, alt=EVIL)
    assert "<img src=x" not in slider._repr_html_()
    assert "<img src=x" not in slider.frame(1).svg
    assert "&lt;img src=x onerror=alert(1)&gt;" in slider._repr_html_()
    samples = monte_carlo_samples_slider(DIE, 2, without=EIGHT, labels=(EVIL, "$x$"))
    assert "<img src=x" not in samples._repr_html_()
    assert "<img src=x" not in "".join([samples._parts.base, samples._parts.defs, *samples._parts.pieces])


def test_misuse_of_a_slider_is_refused():
    with pytest.raises(RandvarError, match="active=7"):
        simple(active=7)
    fig = Figure()
    with pytest.raises(RandvarError, match="at least one value"):
        Slider(fig, [], lambda i: None, [], name="n")
    _, slider = simple()
    with pytest.raises(RandvarError, match="no frame at 5"):
        slider.frame(5)
    with pytest.raises(RandvarError, match="at least 1"):
        coin_variance_slider(0)
    with pytest.raises(RandvarError, match="1 labels for 2 laws"):
        monte_carlo_samples_slider(DIE, without=EIGHT, labels=("one",))
    with pytest.raises(RandvarError, match="at least 1"):
        monte_carlo_samples_slider(DIE, max_samples=0)


# -- explore ----------------------------------------------------------------------------------------------------------


def test_explore_shows_laws_pairs_numbers_and_figures():
    shares = [0.2, 0.5, 0.8]
    law = explore(lambda p: monte_carlo(bernoulli(p), 20), name="p", values=shares)
    assert [law.frame(p).report for p in shares] == [
        "Mean = 0.2 · Variance = 0.008",
        "Mean = 0.5 · Variance = 0.0125",
        "Mean = 0.8 · Variance = 0.008",
    ]
    pair = explore(lambda p: shared(bernoulli(p)), name="p", values=shares)
    assert [pair.frame(p).report for p in shares] == ["Cov = 0.16", "Cov = 0.25", "Cov = 0.16"]
    single = explore(lambda p: variance(bernoulli(p)), name="p", values=shares)
    assert [single.frame(p).report for p in shares] == ["0.16", "0.25", "0.16"]
    figure = explore(lambda n: variance_3d(binomial(n, 0.5)), name="n", values=[1, 2, 3])
    assert "Var(X) = 0.75" in figure.frame(3).svg
    words = explore(lambda p: from_dict({"a": p, "b": 1 - p}), name="p", values=shares)
    assert ">a<" in words.frame(0.2).svg
    assert figure.frame(3).label == "3"
    named = explore({"one": DIE, "two": EIGHT}.get, name="law", values=["one", "two"])
    assert named.frame("two").label == "two"


def test_explore_says_what_a_person_wants_said_and_names_the_axis_after_the_function():
    def chance_of_a_six(n):
        return 1 - (5 / 6) ** n

    slider = explore(chance_of_a_six, name="n", values=[1, 2], report=lambda p: f"in {p:.1%} of all cases")
    assert [slider.frame(n).report for n in (1, 2)] == ["in 16.7% of all cases", "in 30.6% of all cases"]
    assert ">Chance of a six<" in slider.frame(1).svg
    assert ">Result<" in explore(lambda n: 1 / n, name="n", values=[1, 2]).frame(1).svg
    for result in (DIE, shared(DIE), variance_3d(DIE), from_dict({"a": 0.5, "b": 0.5})):
        told = explore(lambda n, result=result: result, name="n", values=[1, 2], report=lambda r: type(r).__name__)
        assert told.frame(1).report == type(result).__name__
    with pytest.raises(ZeroDivisionError) as caught:
        explore(lambda n: n, name="n", values=[0], report=lambda r: 1 / r)
    assert caught.value.__notes__ == ["while exploring n = 0"]


def test_explore_says_what_is_wrong():
    with pytest.raises(RandvarError, match="int, str"):
        explore(lambda v: v, name="v", values=[1, "a"])
    with pytest.raises(RandvarError, match="at least one"):
        explore(lambda v: v, name="v", values=[])
    with pytest.raises(RandvarError, match="not finite at v = 2"):
        explore(lambda v: 1.0 if v < 2 else math.inf, name="v", values=[1, 2])
    with pytest.raises(ZeroDivisionError) as caught:
        explore(lambda v: 1 / v, name="v", values=[1, 0])
    assert caught.value.__notes__ == ["while exploring v = 0"]


def test_a_figure_of_ones_own_keeps_its_images_formulas_and_clips_and_takes_the_ink_of_the_page():
    def own(n):
        fig = Figure((3, 2))
        ax = fig.subplots()
        ax.imshow(np.array([[0, n], [0, 0]]))
        ax.plot([-9, 9], [0, 1])
        ax.set_xlim(0, 1)
        ax.set_title(f"$x_{n}$")
        return fig

    slider = explore(own, name="n", values=[1, 2])
    svg = slider.frame(2).svg
    assert svg.count("<image ") == 1
    (clip,) = set(re.findall(r'clip-path="url\(#(\w+)\)"', svg))
    assert f'<clipPath id="{clip}">' in svg
    assert "$x_2$" not in svg
    assert "#000000" not in svg
    assert "currentColor" in svg


def test_figures_of_a_slider_have_one_size():
    with pytest.raises(RandvarError, match="one size"):
        Slider.of_figures([Figure((3, 2)), Figure((4, 2))], [1, 2], name="n")
    with pytest.raises(RandvarError, match="1 figures for 2 values"):
        Slider.of_figures([Figure((3, 2))], [1, 2], name="n")


def test_many_atoms_and_many_draws_do_not_need_the_law():
    slider = monte_carlo_samples_slider(uniform(0, 10**5), max_samples=40)
    assert len(slider) == 40
    assert len(slider._repr_html_()) <= 60 * 1024


@pytest.mark.parametrize("name", ["scaled_variance_slider", "sum_variance_slider", "temperature_policy_slider"])
def test_matplotlibs_own_page_of_the_same_frames_is_ten_times_as_large(name):
    size, their_size = measure(name, rounds=1).sizes
    assert their_size >= 10 * size


def test_the_polling_sketch_shows_thirty_people():
    fig = polling_sketch()
    counts = [len(dots.get_xdata()) for dots in fig.axes[0].lines if dots.get_marker() in "os"]
    assert counts == [10, 20]
