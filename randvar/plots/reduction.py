"""The variance of a difference as boxes: Var(A - B) = Var(A) + Var(B) - 2 Cov(A, B)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from randvar.moments import covar, variance
from randvar.numbers.arrays import Array
from randvar.plots.boxes import MOST_BOXES, box_corners, boxes_and_posts, covariance_boxes, sides
from randvar.plots.columns_and_rows import Columns, Rows, columns_alike, rows
from randvar.plots.picture import Layer, Picture
from randvar.plots.projection import View, diagonal, fit
from randvar.plots.style import plain, themed

__all__ = ["Reduction", "reduction", "variance_reduction_3d"]


@dataclass(frozen=True)
class Reduction:
    """The terms of Var(A - B) = Var(A) + Var(B) - 2 Cov(A, B)."""

    var_1: float
    var_2: float
    cov: float
    var_result: float

    def lines(self) -> tuple[str, str]:
        """The equation, in numbers."""
        one, two, cov, result = (plain(value) for value in (self.var_1, self.var_2, self.cov, self.var_result))
        return f"Var 1 = {one}; Var 2 = {two}; Cov = {cov}", f"Var(result) = {one} + {two} − 2 × ({cov}) = {result}"

    def titles(self) -> tuple[str, str, str, str]:
        """The equation, a term a panel."""
        one, two, result = plain(self.var_1), plain(self.var_2), plain(self.var_result)
        return (
            f"Var A = {one}",
            f"+ Var B = {two}",
            f"− 2 Cov(A, B) = {plain(-2 * self.cov)}",
            f"= Var(A − B) = {result}",
        )


def reduction(j: Any) -> Reduction:
    """The terms of the variance of a difference; that of the result is computed from its own law."""
    return Reduction(float(variance(j[0])), float(variance(j[1])), float(covar(j)), float(variance(j.sub())))


def variance_reduction_3d(j: Any) -> Picture:
    """Var(A - B) = Var(A) + Var(B) - 2 Cov(A, B) in four panels on one scale; prints the equation.

    >>> from randvar.coupling import shared
    >>> from randvar.families import uniform
    >>> variance_reduction_3d(shared(uniform(0, 2)).op(lambda a: 2 * a, lambda a: a))
    Var 1 = 1.00; Var 2 = 0.25; Cov = 0.50
    Var(result) = 1.00 + 0.25 − 2 × (0.50) = 0.25
    <Picture: Var 1 = 1.00; ...>

    j is a Joint of two coordinates (A, B), as of `control_variate`. In the third panel, boxes that are taken away hang
    below the floor, hatched. Raises RandvarError for anything but a pair of finite numbers.
    """
    products = _centred_rows(rows(j, MOST_BOXES))
    numbers = reduction(j)
    laws = [_centred(law) for law in columns_alike(j[0], j[1], j.sub())]
    view = _common_view(laws, products)
    ends = np.concatenate([*(box_corners(view, law) for law in laws), _product_corners(view, products)])
    with themed():
        fig = Picture(9.6, 3.2, " ".join(numbers.lines()))
        panels = [[*diagonal(view, np.zeros(1)), *boxes_and_posts(view, law)] for law in laws]
        panels.insert(2, covariance_boxes(view, products, factor=-2.0))
        for i, (artists, title) in enumerate(zip(panels, numbers.titles(), strict=True)):
            axes = fig.add_axes((0.25 * i, 0.0, 0.25, 0.9))
            Layer(axes).show(artists)
            axes.set_title(title, loc="center")
            fit(axes, ends, (0.03, 0.03, 0.03, 0.03))
    print(*numbers.lines(), sep="\n")
    return fig


def _common_view(laws: Sequence[Columns], products: Rows) -> View:
    """One scale for the boxes of all three variances, and for those of the covariance at twice their height."""
    reach = 1.05 * (max(float(np.abs(sides(law)).max()) for law in laws) or 1.0)
    top = max(2 * float(products.probs.max()), *(float(law.probs.max()) for law in laws))
    return View((-reach, reach), (-reach, reach), top)


def _product_corners(view: View, products: Rows) -> Array:
    """Page positions that no box of the covariance goes beyond: what is taken away hangs below the floor."""
    heights = np.where(products.shares > 0, -2, 2) * products.probs
    corners = ((products.xs, 0), (0, products.ys), (products.xs, products.ys))
    return np.concatenate([view.project(x, y, heights) for x, y in corners])


def _centred(law: Columns) -> Columns:
    return Columns(law.values - law.mean, law.probs, law.shares, 0.0, law.width)


def _centred_rows(law: Rows) -> Rows:
    return Rows(law.xs - law.means[0], law.ys - law.means[1], law.probs, law.shares, (0.0, 0.0), law.binned)
