"""The population of the polling example as dots."""

from __future__ import annotations

from randvar.plots.picture import Picture
from randvar.plots.style import INK, NEGATIVE, POSITIVE, themed

__all__ = ["polling_sketch"]

_COLUMNS = 5
_COUNTIES = (("Red county", 10, NEGATIVE, "s"), ("Blue county", 20, POSITIVE, "o"))


def polling_sketch() -> Picture:
    """Ten people of the red county as squares and twenty of the blue one as dots, a third and two thirds.

    >>> polling_sketch()
    <Picture: Two counties: ten people in the red one, twenty in the blue one>
    """
    with themed():
        fig = Picture(6.4, 2.6, "Two counties: ten people in the red one, twenty in the blue one")
        axes = fig.add_axes((0.02, 0.02, 0.96, 0.96))
        axes.set_axis_off()
        axes.set_xlim(-1, 13)
        axes.set_ylim(-1.2, 5.2)
        for left, (name, people, color, marker) in zip((0, 7), _COUNTIES, strict=True):
            places = [(left + i % _COLUMNS, 3 - i // _COLUMNS) for i in range(people)]
            axes.plot(*zip(*places, strict=True), marker, color=color, markersize=13)
            axes.text(left - 0.3, 4.1, f"{name}: {people} people", color=INK, fontsize=11)
        axes.plot([5.5, 5.5], [-0.6, 4.6], color=INK, linewidth=0.8, linestyle="--")
    return fig
