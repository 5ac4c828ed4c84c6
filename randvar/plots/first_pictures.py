"""The pictures of the first line, `from randvar import *`: matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from randvar.plots.picture import Picture
    from randvar.plots.slider import Slider

__all__ = ["density", "explore", "histogram", "law_plot"]


@overload
def histogram(x: Any, without: Any = None, ax: None = None) -> Picture: ...
@overload
def histogram(x: Any, without: Any = None, *, ax: Axes) -> Figure: ...
def histogram(x: Any, without: Any = None, ax: Axes | None = None) -> Figure:
    """The law of x as stems and dots with its mean; `without` adds the law before as hollow dots. A Joint: posts.

    >>> from randvar.families import uniform
    >>> histogram(uniform(1, 7))
    <Picture: Histogram with 6 outcomes and mean 3.5>

    x is a Var or a Joint of two coordinates, `without` a Var; `ax` are matplotlib axes to draw on, else there is a new
    picture. Outcomes that are no numbers stand side by side in their order (the 40 likeliest at most). Raises
    RandvarError for infinite outcomes and for symbols, and for `without` beside a Joint.
    """
    from randvar.plots.histograms import draw_histogram

    return draw_histogram(x, without, ax)


@overload
def density(
    x: Any, without: Any = None, comparison_labels: Sequence[str] = ("before", "after"), ax: None = None
) -> Picture: ...
@overload
def density(
    x: Any, without: Any = None, comparison_labels: Sequence[str] = ("before", "after"), *, ax: Axes
) -> Figure: ...
def density(
    x: Any, without: Any = None, comparison_labels: Sequence[str] = ("before", "after"), ax: Axes | None = None
) -> Figure:
    """The law of x smoothed for the eye (a Gaussian, a sixtieth of the range wide), with its mean.

    >>> from randvar.families import uniform
    >>> density(uniform(1, 7))
    <Picture: Smoothed density with mean 3.5>

    x and `without` are Vars: `without` adds the law before, grey and dotted; `comparison_labels` names first it, then
    x. `ax` are matplotlib axes to draw on, else there is a new picture. Raises RandvarError for outcomes that are no
    finite numbers, or labels that are not two.
    """
    from randvar.plots.densities import draw_density

    return draw_density(x, without, comparison_labels, ax)


@overload
def law_plot(x: Any, ax: None = None) -> Picture: ...
@overload
def law_plot(x: Any, ax: Axes) -> Figure: ...
def law_plot(x: Any, ax: Axes | None = None) -> Figure:
    """P(X <= t) as a staircase, with the mean; for an envelope (`points`, `lower`, `upper`) the band of all it may be.

    >>> from randvar.families import uniform
    >>> law_plot(uniform(1, 7))
    <Picture: Distribution function with mean 3.5>

    x is a Var or what `law_bounds` returns; `ax` are matplotlib axes to draw on, else there is a new picture. Raises
    RandvarError for outcomes that are no finite numbers, TypeError for anything but these two.
    """
    from randvar.plots.distribution_functions import draw_law

    return draw_law(x, ax)


def explore(
    function: Callable[[Any], Any],
    *,
    name: str,
    values: Iterable[Any],
    fmt: str | None = None,
    report: Callable[[Any], Any] | None = None,
    active: int = 0,
) -> Slider:
    """A slider through function(v) for each of the values, computed beforehand.

    A Var is shown as a histogram, a Joint as posts, a number as a point of the curve over all values, and a matplotlib
    Figure as it is. `function` takes a value, and names the axis of the numbers that it returns; `name` is the
    parameter's, `fmt` writes a value (floats have four digits if it is not given), `report` says in words what a result
    shows (mean and variance, if it is not given), and `active` is the frame to begin with.

    >>> from randvar import bernoulli, monte_carlo
    >>> explore(lambda p: monte_carlo(bernoulli(p), 20), name="p", values=[0.1, 0.5, 0.9])
    <Slider: p = 0.1 to 0.9, 3 frames>
    >>> larger = lambda poll: f"A majority with probability {poll.prob(lambda v: v > 0.5):.3f}"
    >>> explore(lambda p: monte_carlo(bernoulli(p), 3), name="p", values=[0.5, 0.75], report=larger).frame(0.75).report
    'A majority with probability 0.844'

    Its `.save("page.html")` writes a page that opens without Python.

    Raises RandvarError when there are no values or the results are of different or other kinds. What the function
    raises gets a note that names the value.
    """
    from randvar.plots.exploring import explored

    return explored(function, name=name, values=values, fmt=fmt, report=report, active=active)
