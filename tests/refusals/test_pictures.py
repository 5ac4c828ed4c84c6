"""The hostile values of `test_functions` for every argument of every picture and slider.

A picture takes some hundredths of a second and a slider up to one, so that each argument is given every seventh value
here; RANDVAR_ALL_VALUES=1 gives it all of them.
"""

import os
from collections import Counter
from functools import partial

import matplotlib.pyplot as plt
import pytest
from hostile_values import HOSTILE, coin, dependent_pair, die, pair
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from refusals import Call, attempt, bounded, of, same, trials  # noqa: F401 (a fixture)

from randvar import *
from randvar import plots
from randvar.examples.sampling_to_reinforce import (
    ab_control_widget,
    coin_variance_slider,
    covariance_3d,
    covariance_interpolation_slider,
    linear_control_widget,
    monte_carlo_samples_slider,
    polling_sketch,
    reinforce_baseline_slider,
    scaled_variance_slider,
    show_control,
    sum_variance_slider,
    temperature_policy_slider,
    variance_3d,
    variance_reduction_3d,
)
from randvar.plots import Slider, compare_plot, histogram_row

STEP = 1 if os.environ.get("RANDVAR_ALL_VALUES") else 7


def envelope():
    """A law too large to list, between two bounds."""
    return law_bounds(die, 5, points=[2.0, 2.5, 3.0])


def axes():
    """The axes of a person's own figure."""
    return Figure().add_subplot()


def a_slider(fig=None, artists=None, update=None, values=(1, 2), **words):
    """A slider by hand: a line that moves."""
    ours = Figure()
    line = ours.add_subplot().plot([0, 1])[0]
    given = ours if fig is None else fig
    return Slider(given, [line] if artists is None else artists, update or (lambda i: None), values, **words)


slider = coin_variance_slider(3)
picture = histogram(die)
WORDS = {"name": "p", "fmt": "{}", "report": str, "alt": "", "active": 0}

PICTURES = [
    of(Slider, Figure(), [Line2D([0], [0])], lambda i: None, [1, 2], **WORDS),
    of(ab_control_widget, die, same, same, same, 2),
    of(coin_variance_slider, 3),
    of(compare_plot, {"a": die}, 2.0, axes()),
    of(covariance_3d, pair, 6, None),
    of(covariance_interpolation_slider, coin),
    of(density, die, coin, ("a", "b"), None),
    of(explore, lambda v: monte_carlo(coin, 2), name="v", values=[1, 2], fmt="{}", report=same, active=0),
    of(explore, lambda v: 1.0, name="v", values=[1, 2]),
    of(histogram, die, coin, None),
    of(histogram_row, die, coin, labels=("a", "b"), ax=None),
    of(law_plot, die, None),
    Call("law_plot of an envelope", law_plot, (envelope(), None)),
    of(linear_control_widget, coin, same, 1.0, 2),
    of(monte_carlo_samples_slider, die, 3, coin, ("a", "b")),
    of(polling_sketch),
    of(reinforce_baseline_slider, lambda reward, b, score: coin, same, pair, 2),
    of(scaled_variance_slider, die),
    of(show_control, pair, 2, False, False),
    of(sum_variance_slider, coin),
    of(temperature_policy_slider, lambda t: coin, 1.0),
    of(variance_3d, die, None),
    of(variance_reduction_3d, pair),
]

METHODS = [
    Call("Slider.of_figures", Slider.of_figures, ([Figure()], [1]), {**WORDS, "reports": ["a"]} | {"report": None}),
    Call("Slider.frame", slider.frame, (1,)),
    Call("Slider.save", slider.save, ("ten",)),
    Call("Picture.save", picture.save, ("ten",)),
    Call("histogram of a pair", histogram, (dependent_pair, None, None)),
    Call("a plot of a comparison", lambda ax: compare({"a": die}, 2.0).plot(ax), (None,)),
]
METHODS[0].keywords.pop("report")

CALLS = [*PICTURES, *METHODS]


def values_for(call):
    """All values, but for what a Slider calls: np.log is one, and warns of 0 as it would anywhere."""
    return [name for name in HOSTILE if (call.name, name) != ("Slider", "log")]


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("call", CALLS, ids=[f"{i}-{call.name}" for i, call in enumerate(CALLS)])
def test_every_argument_is_refused_or_answered(call, capsys):
    found = {(slot, name): attempt(trial) for slot, name, trial in trials(call, values_for(call)[::STEP])}
    counts = Counter(found.values())
    capsys.readouterr()
    print(f"{call.name}: {len(found)} tried: {', '.join(f'{n} {what}' for what, n in counts.most_common())}")
    allowed = {"answer", "TypeError", "refusal", "its own exception"}
    assert {trial: what for trial, what in found.items() if what not in allowed} == {}


def test_every_picture_is_tried():
    for call in PICTURES:
        assert attempt(partial(call.function, *call.arguments, **call.keywords)) == "answer", call.name
    tried = {call.function for call in PICTURES}
    assert {name for name in plots.__all__ if getattr(plots, name) not in tried} == set()
