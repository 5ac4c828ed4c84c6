"""A slider of one's own: any function of one parameter that returns a law, a number or a picture."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from randvar.arguments import checked, function, optional
from randvar.errors import RandvarError
from randvar.joint import Joint
from randvar.moments import covar, expect, variance
from randvar.plots.frames import Words, histogram_slider, layered_slider, posts_slider
from randvar.plots.histograms import draw_histogram
from randvar.plots.laws_to_draw import check_drawable, check_size, is_number_law, real
from randvar.plots.picture import canvas, inches
from randvar.plots.slider import Slider, check_format, frame_values
from randvar.plots.style import INK, POSITIVE, label_text, number, themed, ticks
from randvar.var import Var

__all__ = ["explored"]


@checked("explore", function=function, report=optional(function))
def explored(
    function: Callable[[Any], Any],
    *,
    name: str,
    values: Iterable[Any],
    fmt: str | None = None,
    report: Callable[[Any], Any] | None = None,
    active: int = 0,
) -> Slider:
    """The slider of `explore`."""
    values = list(frame_values("explore", values, active))
    if fmt is not None:
        check_format(fmt, values)
    results = [_result(function, name, value) for value in values]
    if fmt is None:
        fmt = "{:.4g}" if all(isinstance(value, float) for value in values) else "{}"
    reports = [] if report is None else [str(_result(report, name, result)) for result in results]
    words = Words(f"{name} =", fmt, reports, "", active, _axis_name(function))
    for kind, slider in _SLIDERS.items():
        if all(isinstance(result, kind) for result in results):
            return slider(results, values, words)
    found = ", ".join(sorted({type(result).__name__ for result in results}))
    raise RandvarError(
        f"explore() shows functions that return always a Var, a Joint, a number or a Figure, not {found}"
    )


def _result(function: Callable[[Any], Any], name: str, value: Any) -> Any:
    try:
        return function(value)
    except Exception as error:
        error.add_note(f"while exploring {name} = {value!r}")
        raise


def _axis_name(function: Callable[[Any], Any]) -> str:
    """What its results are called: the function's own name, if it has one."""
    named = getattr(function, "__name__", "")
    return named.replace("_", " ").capitalize() if named.isidentifier() else "Result"


def _laws(laws: list[Any], values: list[Any], words: Words) -> Slider:
    if not all(is_number_law(law) for law in laws):
        return _figures([draw_histogram(law) for law in laws], values, words)
    check_drawable(*laws)
    reports = [f"Mean = {_digits(real(expect(law)))} · Variance = {_digits(real(variance(law)))}" for law in laws]
    return histogram_slider(laws, values, _with_reports(words, reports, "Histogram"))


def _pairs(pairs: list[Any], values: list[Any], words: Words) -> Slider:
    for pair in pairs:
        check_drawable(pair[0], pair[1])
    reports = [f"Cov = {_digits(real(covar(pair)))}" for pair in pairs]
    return posts_slider(pairs, values, _with_reports(words, reports, "Posts over the outcomes of a pair"))


def _figures(figures: list[Any], values: list[Any], words: Words) -> Slider:
    return Slider.of_figures(
        figures,
        values,
        name=words.name,
        fmt=words.fmt,
        reports=words.reports or None,
        alt=getattr(figures[0], "alt", ""),
        active=words.active,
    )


def _numbers(results: list[Any], values: list[Any], words: Words) -> Slider:
    heights = np.array([real(result) for result in results])
    if not np.isfinite(heights).all():
        bad = values[int(np.argmin(np.isfinite(heights)))]
        raise RandvarError(f"the function is not finite at {words.name} {bad!r}, and no axis reaches it")
    on_axis = all(isinstance(value, numbers.Real) for value in values)
    places = np.array(list(map(real, values))) if on_axis else np.arange(len(values), dtype=float)
    if not np.isfinite(places).all():
        raise RandvarError(f"explore(): a value of {words.name} is not finite, and no axis reaches it: {values!r:.60}")
    low, high = (float(f(heights)) for f in (np.min, np.max))
    check_size(low, high, float(places.min()), float(places.max()))
    margin = 0.1 * (high - low) or abs(low) / 2 or 1.0
    with themed():
        fig, axes = canvas(None, 6.4, 3.2, "A number over its parameter")
        axes.set_xlim(*_limits(places))
        axes.set_ylim(low - margin, high + margin)
        axes.plot(places, heights, color=POSITIVE, linewidth=2)
        shown, labels = ticks(np.empty(0), *axes.get_xlim(), room=15 * inches(axes)[0])
        if not on_axis:
            shown, labels = places, [label_text(value, 14) for value in values]
        axes.set_xticks(shown, labels)
        axes.set_yticks(*ticks(np.empty(0), *axes.get_ylim(), room=40))
        axes.set_xlabel(label_text(words.name.removesuffix(" =")))
        axes.set_ylabel(label_text(words.axis))

    def point(i: int) -> list[list[Any]]:
        return [[Line2D([places[i]], [heights[i]], marker="o", markersize=9, color=INK, linestyle="none", zorder=5)]]

    reports = [number(height, gap=(high - low) / 1000 or None) for height in heights]
    return layered_slider(fig, [axes], point, values, _with_reports(words, reports, "A number over its parameter"))


def _limits(places: Any) -> tuple[float, float]:
    low, high = float(places.min()), float(places.max())
    margin = 0.04 * (high - low) or abs(low) / 2 or 1.0
    return low - margin, high + margin


def _digits(value: float) -> str:
    """A result with four digits or so: a variance of 0.0125 is not 0.013."""
    return number(value, gap=abs(value) / 1000 or None)


def _with_reports(words: Words, reports: list[str], alt: str) -> Words:
    """The words of a slider with a person's reports, or else these."""
    return Words(words.name, words.fmt, words.reports or reports, alt, words.active)


_SLIDERS: dict[Any, Callable[[list[Any], list[Any], Words], Slider]] = {
    Var: _laws,
    Joint: _pairs,
    Figure: _figures,
    numbers.Real: _numbers,
}
