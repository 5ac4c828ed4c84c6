"""Every slider on every kind of law: right, or refused by an error that says why."""

import math
from fractions import Fraction

import pytest

from randvar import (
    Joint,
    RandvarError,
    Var,
    compare,
    constant,
    expect,
    from_dict,
    indep,
    report,
    shared,
    uniform,
)
from randvar.plots import (
    ab_control_widget,
    compare_plot,
    covariance_3d,
    covariance_interpolation_slider,
    density,
    explore,
    histogram,
    histogram_row,
    law_plot,
    linear_control_widget,
    monte_carlo_samples_slider,
    reinforce_baseline_slider,
    scaled_variance_slider,
    show_control,
    sum_variance_slider,
    temperature_policy_slider,
    variance_3d,
    variance_reduction_3d,
)
from randvar.plots.svg import svg_document

DIE = uniform(1, 7)
EVIL = "<img src=x onerror=alert(1)>"


def with_baseline(reward, b, score):
    return score.op(lambda a: reward(a) - b, lambda s: s).mul()


def around_mean(x):
    mean = expect(x)
    return shared(x).op(lambda a: a, lambda a: a - mean)


SLIDERS = {
    "scaled": scaled_variance_slider,
    "interpolation": covariance_interpolation_slider,
    "sum": sum_variance_slider,
    "samples": lambda x: monte_carlo_samples_slider(x, without=2 * x),
    "linear": lambda x: linear_control_widget(x, lambda a: a * a, b=2, steps=3),
    "ab": lambda x: ab_control_widget(x, lambda a: 3 * a, lambda a: a, lambda a: a, steps=3),
    "temperature": lambda x: temperature_policy_slider(lambda temperature: x, 3.0),
    "baseline": lambda x: reinforce_baseline_slider(with_baseline, lambda a: a, around_mean(x), steps=2),
    "explore a law": lambda x: explore(lambda n: x + n, name="n", values=[1, 2]),
    "explore a pair": lambda x: explore(lambda n: shared(x), name="n", values=[1, 2]),
}
PICTURES = {
    "histogram": histogram,
    "histogram row": lambda x: histogram_row(x, x),
    "density": lambda x: density(x, without=x),
    "variance": variance_3d,
    "law": law_plot,
    "compare": lambda x: compare_plot({"x": x}, 1),
    "pair": lambda x: histogram(shared(x)),
    "covariance": lambda x: covariance_3d(shared(x)),
    "reduction": lambda x: variance_reduction_3d(shared(x)),
    "control": lambda x: show_control(around_mean(x), 2, density_view=True, show=False),
}
LAWS = {
    "one atom": constant(3),
    "300 atoms": uniform(0, 300),
    "uneven": uniform(0, 40).op(lambda v: v**1.5),
    "tiny": Var([1e-9, 2e-9, 4e-9], [0.2, 0.3, 0.5]),
    "huge": uniform(10**9, 10**9 + 3),
    "far apart": Var([-1e9, 1e-9], [0.5, 0.5]),
    "negative": uniform(-5, -1),
    "certain, almost": Var([0, 1], [1 - 1e-300, 1e-300]),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", [name for name in SLIDERS if name != "linear"])
def test_a_slider_of_any_numbers_is_small(name, law):
    slider = SLIDERS[name](LAWS[law])
    html = slider._repr_html_()
    assert len(html.encode()) <= 200 * 1024
    assert all("nan" not in slider.frame(value).svg for value in slider.values)


@pytest.mark.parametrize("law", ["one atom", "uneven", "tiny", "negative"])
def test_a_linear_control_of_any_numbers_is_small(law):
    assert len(SLIDERS["linear"](LAWS[law])._repr_html_().encode()) <= 200 * 1024


@pytest.mark.parametrize("law", ["300 atoms", "uneven", "negative", "one atom"])
def test_reports_agree_with_the_sums_over_the_law(law):
    x = LAWS[law]
    values, probs = x.values.astype(float), x.probs
    mean = probs @ values
    var = probs @ (values - mean) ** 2
    last = covariance_interpolation_slider(x).frame(0.5).report
    assert float(last.split(";")[0].removeprefix("Cov(X,Y) = ")) == pytest.approx(var / 2, rel=1e-3, abs=1e-12)
    whole = sum_variance_slider(x).frame(1.0).report
    assert float(whole.rsplit("= ", 1)[1]) == pytest.approx(4 * var, rel=1e-3, abs=1e-12)
    scaled = scaled_variance_slider(x).frame(3).report
    assert float(scaled.removeprefix("Var(bX) = ")) == pytest.approx(9 * var, rel=1e-3, abs=1e-12)


def test_a_hundred_thousand_outcomes_are_no_hundred_thousand_squared():
    slider = covariance_interpolation_slider(uniform(0, 10**5))
    assert slider.frame(1.0).report.startswith(f"Cov(X,Y) = {(10**10 - 1) / 12:.3f}")
    assert len(slider._repr_html_()) <= 80 * 1024
    assert len(sum_variance_slider(uniform(0, 10**4))._repr_html_()) <= 60 * 1024


@pytest.mark.parametrize("name", SLIDERS)
def test_a_law_in_fractions_has_the_slider_of_the_same_law_in_floats(name):
    exact, rounded = SLIDERS[name](DIE.rational()), SLIDERS[name](DIE)
    assert exact.values == rounded.values
    for value in exact.values:
        one, other = exact.frame(value), rounded.frame(value)
        assert one.label == other.label
        assert one.report == other.report


@pytest.mark.parametrize("name", SLIDERS | PICTURES)
def test_symbols_are_refused_by_name(name):
    sympy = pytest.importorskip("sympy")
    p = sympy.Symbol("p", positive=True)
    with pytest.raises(RandvarError, match="symbolic, and a picture needs numbers"):
        (SLIDERS | PICTURES)[name](Var([0, 1], [1 - p, p]))


@pytest.mark.parametrize("name", [name for name in SLIDERS | PICTURES if name not in ("baseline", "control")])
def test_an_infinite_outcome_is_refused(name):
    with pytest.raises(RandvarError, match=r"inf is an outcome|an outcome is infinite"):
        (SLIDERS | PICTURES)[name](Var([0.0, math.inf], [0.5, 0.5]))


@pytest.mark.parametrize("name", SLIDERS | PICTURES)
def test_outcomes_that_are_no_numbers_are_refused_unless_they_have_a_picture(name):
    words = from_dict({"red": 0.5, "blue": 0.5})
    if name == "histogram":
        assert histogram(words)
        return
    with pytest.raises((RandvarError, TypeError), match=r"numbers|'red'|'blue'"):
        (SLIDERS | PICTURES)[name](words)


def test_a_number_that_no_float_holds_is_refused():
    x = Var([10**400, 1], [Fraction(1, 2), Fraction(1, 2)])
    for draw in (histogram, scaled_variance_slider, lambda law: compare_plot({"x": law}, 1)):
        with pytest.raises(RandvarError, match="too large for a picture"):
            draw(x)


def test_a_symbol_in_the_coupling_alone_is_refused():
    sympy = pytest.importorskip("sympy")
    p = sympy.Symbol("p", positive=True)
    half = sympy.Rational(1, 2)
    coins = Joint([0, 1], [0, 1], [[p, half - p], [half - p, p]])
    for draw in (histogram, covariance_3d):
        with pytest.raises(RandvarError, match="symbolic"):
            draw(coins)


def test_what_a_person_passes_in_is_text_in_every_display():
    words, numbers = from_dict({EVIL: 0.5, "b": 0.5}), DIE
    shown = [
        words,
        shared(words),
        histogram(words),
        compare_plot({EVIL: numbers}, 3.5),
        compare({EVIL: numbers}, 3.5),
        report(numbers, 3.5),
        explore(lambda v: numbers, name=EVIL, values=[EVIL, "b"]),
        explore(lambda v: words, name=EVIL, values=[1, 2]),
        explore(lambda v: 1.0, name=EVIL, values=[EVIL, "b"]),
        explore(lambda v: shared(numbers), name=EVIL, values=[1, 2], fmt=EVIL + "{}"),
        monte_carlo_samples_slider(numbers, without=2 * numbers, labels=(EVIL, EVIL)),
    ]
    for item in shown:
        assert "<img src=x" not in item._repr_html_()
        assert "Traceback" not in repr(item)


def test_a_large_table_is_drawn_in_cells_that_say_so():
    pair = indep(uniform(0, 60), uniform(0, 90))
    for fig in (histogram(pair), covariance_3d(pair)):
        assert len(fig._repr_html_().encode()) <= 80 * 1024
        assert ">Probability of a cell<" in svg_document(fig, "")


def test_the_terminal_is_told_what_is_to_be_seen():
    assert repr(histogram(DIE)) == str(histogram(DIE)) == "<Picture: Histogram with 6 outcomes and mean 3.5>"
    assert repr(scaled_variance_slider(DIE)) == "<Slider: b = 1 to 4, 4 frames>"
