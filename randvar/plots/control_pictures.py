"""A control variate at work: the estimate before and after, and the variances that make up the difference."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from randvar.arguments import checked, flag
from randvar.errors import RandvarError
from randvar.estimators.sampling import monte_carlo
from randvar.law_arguments import a_joint
from randvar.moments import covar, expect, variance
from randvar.numbers.overflow import within_floats
from randvar.plots.densities import estimate_densities
from randvar.plots.first_pictures import histogram
from randvar.plots.laws_to_draw import check_drawable
from randvar.plots.picture import Layer, Picture
from randvar.plots.smoothed_curves import number_of_draws
from randvar.plots.style import INK, NEGATIVE, POSITIVE, RAW, themed
from randvar.plots.svg import tip

__all__ = ["ControlTerms", "control_terms", "show_control", "two_axes", "waterfall", "waterfall_axes"]

# A control of floats is centred when its mean is no more than this part of its size: about a large mean, such as 10^9,
# no float is nearer.
_CENTRED = 1e-6


@dataclass(frozen=True)
class ControlTerms:
    """Var(A - B) = Var(A) + Var(B) - 2 Cov(A, B), for the means of some draws of the pair (A, B)."""

    var_1: float
    var_2: float
    twice_cov: float
    adjusted: float

    def __add__(self, other: ControlTerms) -> ControlTerms:
        """The terms of a sum (or difference) of independent estimates: variances add up."""
        return ControlTerms(
            self.var_1 + other.var_1,
            self.var_2 + other.var_2,
            self.twice_cov + other.twice_cov,
            self.adjusted + other.adjusted,
        )

    def lines(self) -> tuple[str, str]:
        """The equation, in numbers."""
        one, two, twice = f"{self.var_1:g}", f"{self.var_2:g}", f"{self.twice_cov:g}"
        return (
            f"Var 1 = {one}; Var 2 = {two}; 2 Cov = {twice}",
            f"Var(adjusted) = {one} + {two} - ({twice}) = {self.adjusted:g}",
        )


def control_terms(pair: Any, steps: int) -> ControlTerms:
    """The terms for the mean of `steps` draws: each is that of one draw over `steps`.

    The variance of the result is computed from the law of A - B, not from the other three. Raises RandvarError when
    the mean of B is not 0: to subtract it would move the estimate.
    """
    check_drawable(pair[0], pair[1])
    mean, scale = expect(pair[1]), expect(pair[1], abs)
    if abs(mean) > (_CENTRED * scale if isinstance(mean, float) else 0):
        raise RandvarError(
            f"the control has mean {float(mean):.6g}, not 0, so that subtracting it would bias the estimate;"
            " centre it: control_variate(x, f, h, known_mean)"
        )
    one, two, cov, result = variance(pair[0]), variance(pair[1]), covar(pair), variance(pair.sub())
    with within_floats("a variance of these draws"):
        return ControlTerms(*(float(term) / steps for term in (one, two, 2 * cov, result)))


@overload
def show_control(pair: Any, steps: int, density_view: bool = ..., *, show: Literal[False]) -> Picture: ...
@overload
def show_control(pair: Any, steps: int, density_view: bool = ..., show: Literal[True] = ...) -> None: ...


@checked(density_view=flag, show=flag, pair=a_joint, steps=number_of_draws)
def show_control(pair: Any, steps: int, density_view: bool = False, show: bool = True) -> Picture | None:
    """The mean of `steps` draws of A against that of A - B, for a pair (A, B) as of `control_variate`.

    >>> from randvar.estimators.controls import linear_control
    >>> from randvar.families import uniform
    >>> pair = linear_control(uniform(1, 4), lambda a: a * a, b=4)    # 1, 4, 9 against 4 * (-1, 0, 1)
    >>> show_control(pair, 2, show=False)
    Gray: raw estimate | Blue: estimate minus control
    Var 1 = 5.44444; Var 2 = 5.33333; 2 Cov = 10.6667
    Var(adjusted) = 5.44444 + 5.33333 - (10.6667) = 0.111111
    <Picture: Raw against adjusted estimate of 2 draws. Var(adjusted) = 5.44444 + 5.33333 - (10.6667) = 0.111111>

    Prints the variances. `density_view=True` smooths the two laws for the eye; else they are histograms. With
    `show=True` the picture appears in a notebook at once, wherever in the cell the call stands, and nothing is
    returned; with `show=False` the Figure is returned and not shown. Raises RandvarError for a control whose mean is
    not 0. Cost: the law of `monte_carlo`, and with `density_view` not even that.
    """
    terms = control_terms(pair, steps)
    print("Gray: raw estimate | Blue: estimate minus control", *terms.lines(), sep="\n")
    fig, above, below = two_axes(f"Raw against adjusted estimate of {steps} draws. {terms.lines()[1]}")
    axis = f"Estimate from {steps} {'draw' if steps == 1 else 'draws'}"
    with themed():
        if density_view:
            estimate_densities(above, [((pair.sub(), steps),), ((pair[0], steps),)], ("minus control", "raw"), axis)
        else:
            histogram(monte_carlo(pair.sub(), steps), without=monte_carlo(pair[0], steps), ax=above)
            above.set_xlabel(axis)
        waterfall_axes(below, [terms])
        Layer(below).show(waterfall(below, terms))
    if not show:
        return fig
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:  # a kernel, not merely the package
        from IPython.display import display

        display(fig)  # type: ignore[no-untyped-call]
    return None


def two_axes(alt: str) -> tuple[Picture, Axes, Axes]:
    """A picture with room for a law above and for four bars below."""
    fig = Picture(6.4, 4.6, alt)
    with themed():
        return fig, fig.add_axes((0.1125, 0.43, 0.84, 0.44)), fig.add_axes((0.1125, 0.02, 0.84, 0.25))


def waterfall_axes(axes: Axes, frames: Sequence[ControlTerms]) -> None:
    """Room for four bars in every frame, and the names of what they show."""
    longest = max(max(terms.var_1 + terms.var_2, terms.adjusted) for terms in frames) or 1.0
    lowest = min(min(terms.var_1 + terms.var_2 - terms.twice_cov, 0.0) for terms in frames)
    axes.set_axis_off()
    axes.set_xlim(lowest - 0.24 * (longest - lowest), longest + 0.22 * (longest - lowest))
    axes.set_ylim(3.6, -0.6)
    for row, name in enumerate(("Var A", "+ Var B", "− 2 Cov(A, B)", "= Var(A − B)")):
        axes.text(lowest - 0.02 * (longest - lowest), row, name, ha="right", va="center")
    axes.plot([0, 0], [-0.5, 3.5], color=INK, linewidth=0.8)


def waterfall(axes: Axes, terms: ControlTerms) -> list[Artist]:
    """Four bars, each from where the last one ended; what is taken away is hatched, and the last starts at 0 again."""
    both = terms.var_1 + terms.var_2
    bars = [
        (0.0, terms.var_1, RAW),
        (terms.var_1, both, RAW),
        (both, both - terms.twice_cov, NEGATIVE if terms.twice_cov > 0 else RAW),
        (0.0, terms.adjusted, POSITIVE),
    ]
    values = (terms.var_1, terms.var_2, -terms.twice_cov, terms.adjusted)
    artists: list[Artist] = []
    low, high = axes.get_xlim()
    for row, ((start, end, color), value) in enumerate(zip(bars, values, strict=True)):
        text = f"{value:g}".replace("-", "−")
        bar = Rectangle((min(start, end), row - 0.36), abs(end - start), 0.72)
        bar.set(facecolor=to_rgba(color, 0.3), edgecolor=color, linewidth=1.2)
        if color == NEGATIVE:
            bar.set_hatch("////")
        bar.set_gid(tip(text))
        place = max(start, end) + 0.012 * (high - low)
        artists += [bar, Text(place, row, text, ha="left", va="center")]
    return artists
