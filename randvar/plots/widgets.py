"""Sliders through control variates: how well a control must fit, and how much of it to subtract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from randvar.arguments import checked, function, real
from randvar.estimators.controls import control_variate, linear_control
from randvar.joint import Joint
from randvar.moments import expect, variance
from randvar.plots.control_pictures import ControlTerms, control_terms, two_axes, waterfall, waterfall_axes
from randvar.plots.frames import Words, curve_frames, layered_slider
from randvar.plots.laws_to_draw import drawable
from randvar.plots.slider import Slider
from randvar.plots.smoothed_curves import Estimate, number_of_draws
from randvar.plots.style import themed
from randvar.var import Fn, Var

__all__ = ["ab_control_widget", "ab_pairs", "bent", "linear_control_widget"]

_BENDS = tuple(i / 10 for i in range(21))
_MULTIPLES = tuple(i / 4 for i in range(-16, 9))


def bent(x: Var, f: Fn, nonlinearity: float) -> Fn:
    """f(a) + nonlinearity ((a - E[X])^2 - Var(X)): further from linear, with the mean of f(X)."""
    mean, var = expect(x), variance(x)
    return lambda a: f(a) + nonlinearity * ((a - mean) ** 2 - var)


@checked(x=drawable, f=function, b=real, steps=number_of_draws)
def linear_control_widget(x: Var, f: Fn, b: float, steps: int) -> Slider:
    """The linear control b(X - E[X]) against targets that are less and less linear, in 21 steps from 0 to 2.

    >>> from randvar.families import uniform
    >>> print(linear_control_widget(uniform(1, 4), lambda a: 3 * a, b=3, steps=2).frame(0.0).report)
    Var 1 = 3; Var 2 = 3; 2 Cov = 6
    Var(adjusted) = 3 + 3 - (6) = 0

    x is a Var and f a function of its outcomes; step t draws f(X) + t ((X - E[X])^2 - Var(X)). Above the mean of
    `steps` draws, raw and adjusted; below Var(A) + Var(B) - 2 Cov(A, B) in bars. Raises RandvarError for outcomes that
    are no finite numbers, UndefinedOutcome where f has no value. Cost: 21 frames, each as of `density`.
    """
    pairs = [linear_control(x, bent(x, f, bend), b) for bend in _BENDS]
    return _widget(
        raw=[((pair[0], steps),) for pair in pairs],
        adjusted=[((pair.sub(), steps),) for pair in pairs],
        terms=[control_terms(pair, steps) for pair in pairs],
        values=_BENDS,
        name="Nonlinearity λ =",
        active=0,
    )


def ab_pairs(population: Var, treated: Fn, untreated: Fn, initial: Fn, b: float) -> tuple[Joint, Joint]:
    """For either group the response of a person and b times the initial preference less its mean."""
    known_mean = expect(population.op(initial))
    of_treated, of_untreated = (control_variate(population, f, initial, known_mean, b) for f in (treated, untreated))
    return of_treated, of_untreated


@checked(population=drawable, treated=function, untreated=function, initial=function, steps=number_of_draws)
def ab_control_widget(population: Var, treated: Fn, untreated: Fn, initial: Fn, steps: int) -> Slider:
    """The A/B test adjusted by b times the initial preference, for b = -4, -3.75, ..., 2.

    >>> people = Var([0, 2], [0.5, 0.5])
    >>> test = ab_control_widget(people, lambda a: a + 1, lambda a: a, lambda a: a, steps=5)
    >>> print(test.frame(1).report)
    Var 1 = 0.4; Var 2 = 0.4; 2 Cov = 0.8
    Var(adjusted) = 0.4 + 0.4 - (0.8) = 0

    `population` is the Var of a person; `treated`, `untreated` and `initial` map a person to a number, as in `ab_test`.
    Above the difference of two groups of `steps`, raw and adjusted; below Var(A) + Var(B) - 2 Cov(A, B) in bars: a term
    is that of one group plus that of the other. Raises RandvarError for outcomes that are no finite numbers,
    UndefinedOutcome where a function has no value. Cost: 25 frames, each as of `density`.
    """
    pairs = [ab_pairs(population, treated, untreated, initial, b) for b in _MULTIPLES]
    one, other = pairs[0]
    raw = _difference(one[0], other[0], steps)
    return _widget(
        raw=[raw] * len(_MULTIPLES),
        adjusted=[_difference(one.sub(), other.sub(), steps) for one, other in pairs],
        terms=[control_terms(one, steps) + control_terms(other, steps) for one, other in pairs],
        values=_MULTIPLES,
        name="Multiple b =",
        active=_MULTIPLES.index(1),
    )


def _difference(x: Var, y: Var, steps: int) -> Estimate:
    """The mean of `steps` draws of x less that of as many of y."""
    return (x, steps), (-y, steps)


def _widget(
    *,
    raw: Sequence[Estimate],
    adjusted: Sequence[Estimate],
    terms: Sequence[ControlTerms],
    values: Iterable[Any],
    name: str,
    active: int,
) -> Slider:
    """Curves above, bars below, the equation as the report."""
    alt = "Smoothed density of the estimate, raw and minus the control, over the variances that make it up"
    fig, above, below = two_axes(alt)
    with themed():
        curves = curve_frames(above, adjusted, raw, ("minus control", "raw"), "Estimate")
        waterfall_axes(below, terms)
    reports = ["\n".join(term.lines()) for term in terms]
    words = Words(name, "{:.2f}", reports, alt, active)
    return layered_slider(fig, [above, below], lambda i: [curves(i), waterfall(below, terms[i])], values, words)
