"""Sliders about a policy: its temperature, and the baseline of its gradient."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from randvar.arguments import checked, floating, function
from randvar.estimators.sampling import monte_carlo
from randvar.joint import Joint
from randvar.law_arguments import a_joint, a_var
from randvar.moments import expect, variance
from randvar.plots.frames import Words, density_slider, histogram_slider
from randvar.plots.laws_to_draw import check_drawable
from randvar.plots.slider import Slider
from randvar.plots.smoothed_curves import number_of_draws
from randvar.plots.style import plain
from randvar.var import Fn, Var

__all__ = ["reinforce_baseline_slider", "temperature_policy_slider"]

_TEMPERATURES = (0.25, *(i / 2 for i in range(1, 41)))
_BASELINES = tuple(i / 4 for i in range(-16, 33))


@checked(policy=function, temperature=partial(floating, above=0))
def temperature_policy_slider(policy: Callable[[float], Var], temperature: float) -> Slider:
    """The histogram of policy(T) for T = 0.25, 0.5, 1, ..., 20; it starts at the one nearest to `temperature`.

    >>> from randvar.families import softmax
    >>> temperature_policy_slider(lambda T: softmax([0.0, 1.0], temperature=T), temperature=1.1)
    <Slider: Temperature T = 0.25 to 20.00, 41 frames>

    `policy` maps a temperature to the law of the action, a Var. Raises RandvarError for actions that are no finite
    numbers.
    """
    laws = [a_var("temperature_policy_slider", f"policy({t:g})", policy(t)) for t in _TEMPERATURES]
    check_drawable(*laws)
    reports = [f"Mean = {plain(float(expect(law)), 3)} · Variance = {plain(float(variance(law)), 3)}" for law in laws]
    nearest = min(range(len(laws)), key=lambda i: abs(_TEMPERATURES[i] - temperature))
    alt = "Histogram of the policy's actions"
    words = Words("Temperature T =", "{:.2f}", reports, alt, active=nearest, axis="Action")
    return histogram_slider(laws, _TEMPERATURES, words)


@checked(control=function, reward=function, score=a_joint, steps=number_of_draws)
def reinforce_baseline_slider(control: Callable[[Fn, Any, Joint], Var], reward: Fn, score: Joint, steps: int) -> Slider:
    """The mean of `steps` draws of control(reward, b, score) for baselines b = -4, -3.75, ..., 8, against b = 0.

    >>> from randvar.coupling import shared
    >>> policy = Var([0, 1], [0.5, 0.5])
    >>> score = shared(policy).op(lambda a: a, lambda a: a - 0.5)
    >>> def control(reward, b, score):
    ...     return score.op(lambda a: reward(a) - b, lambda s: s).mul()
    >>> reinforce_baseline_slider(control, lambda a: a, score, steps=2).frame(0.5).report
    'Mean = 0.2500 · Variance = 0.0000 · Variance with b = 0: 0.0312'

    `score` is a Joint with the coordinates (action, score), `reward` maps an action to a number, and `control` returns
    the Var of one draw of the gradient. Raises RandvarError for gradients that are no finite numbers. Cost: 49 frames,
    each as of `density`; no law of a mean is listed.
    """
    name = "reinforce_baseline_slider"
    check_drawable(*(score.marginal(i) for i in range(score.dim)))
    laws = [a_var(name, f"control(reward, {b:g}, score)", control(reward, b, score)) for b in _BASELINES]
    check_drawable(*laws)
    estimates = [monte_carlo(law, steps) for law in laws]
    start = _BASELINES.index(0)
    raw = plain(float(variance(estimates[start])), 4)
    reports = [
        f"Mean = {plain(float(expect(law)), 4)} · Variance = {plain(float(variance(law)), 4)}"
        f" · Variance with b = 0: {raw}"
        for law in estimates
    ]
    alt = f"Smoothed density of a gradient from {steps} samples"
    return density_slider(
        [((law, steps),) for law in laws],
        _BASELINES,
        Words("Baseline b =", "{:.2f}", reports, alt, active=start, axis="Gradient estimate"),
        against=[((laws[start], steps),)] * len(laws),
        names=("with b", "b = 0"),
    )
