"""Sliders through control variates: how well a control must fit, and how much of it to subtract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from randvar.estimators.controls import ab_sampling, ab_test, control_variate, linear_control
from randvar.moments import expect, variance
from randvar.plots.controls import ControlTerms, control_terms, two_axes, waterfall, waterfall_axes
from randvar.plots.frames import Mean, Words, curve_frames, through
from randvar.plots.slider import Slider
from randvar.plots.style import themed
from randvar.var import Fn, Var

__all__ = ["ab_control_terms", "ab_control_widget", "bent", "linear_control_widget"]

_BENDS = tuple(i / 10 for i in range(21))
_MULTIPLES = tuple(i / 4 for i in range(-16, 9))


def bent(x: Var, f: Fn, nonlinearity: float) -> Fn:
    """f(a) + nonlinearity ((a - E[X])^2 - Var(X)): further from linear, with the mean of f(X)."""
    mean, var = expect(x), variance(x)
    return lambda a: f(a) + nonlinearity * ((a - mean) ** 2 - var)


def linear_control_widget(x: Var, f: Fn, b: float, steps: int) -> Slider:
    """The linear control b(X - E[X]) against targets that are less and less linear, in 21 steps from 0 to 2.

    Above the mean of `steps` draws, raw and adjusted; below Var(A) + Var(B) - 2 Cov(A, B) in bars.
    """
    pairs = [linear_control(x, bent(x, f, bend), b) for bend in _BENDS]
    return _widget(
        raw=[(pair[0], steps) for pair in pairs],
        adjusted=[(pair.sub(), steps) for pair in pairs],
        terms=[control_terms(pair, steps) for pair in pairs],
        values=_BENDS,
        name="Nonlinearity λ =",
        active=0,
    )


def ab_control_terms(population: Var, treated: Fn, untreated: Fn, initial: Fn, b: float, steps: int) -> ControlTerms:
    """The variances of a difference of two independent groups: a term is that of one group plus that of the other."""
    known_mean = expect(population.op(initial))
    of_treated, of_untreated = (
        control_terms(control_variate(population, f, initial, known_mean, b), steps) for f in (treated, untreated)
    )
    return of_treated + of_untreated


def ab_control_widget(population: Var, treated: Fn, untreated: Fn, initial: Fn, steps: int) -> Slider:
    """The A/B test adjusted by b times the initial preference, for b = -4, -3.75, ..., 2.

    Above the difference of two groups of `steps`, raw and adjusted; below Var(A) + Var(B) - 2 Cov(A, B) in bars.
    """
    raw = ab_sampling(population, treated, untreated, steps)
    return _widget(
        raw=[(raw, 1)] * len(_MULTIPLES),
        adjusted=[(ab_test(population, treated, untreated, initial, b, steps), 1) for b in _MULTIPLES],
        terms=[ab_control_terms(population, treated, untreated, initial, b, steps) for b in _MULTIPLES],
        values=_MULTIPLES,
        name="Multiple b =",
        active=_MULTIPLES.index(1),
    )


def _widget(
    *,
    raw: Sequence[Mean],
    adjusted: Sequence[Mean],
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
    return through(fig, [above, below], lambda i: [curves(i), waterfall(below, terms[i])], values, words)
