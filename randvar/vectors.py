"""Sums of independent vectors: the joint law of several means or totals of the same draws.

E and the covariance matrix are closed forms (n a^2 Cov for n draws scaled by a); the rows are computed when first read.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from randvar.atoms.rows import Axes, Codes
from randvar.blocks import from_columns
from randvar.joint import Joint
from randvar.moments import cov_matrix, expect
from randvar.numbers.arrays import Array, object_array
from randvar.numbers.kinds import Kind, kind_of
from randvar.numbers.overflow import within_floats
from randvar.sources import Caveats
from randvar.sums.door import independent_vectors

__all__ = ["VectorSum"]


class VectorSum:
    """The source (see `randvar.sources.RowSource`) of scale * (sum of `copies` independent draws of a Joint)."""

    def __init__(self, law: Joint, copies: int, scale: Fraction) -> None:
        self.law, self.copies, self.scale = law, copies, scale

    @property
    def dim(self) -> int:
        """That of one draw."""
        return self.law.dim

    @property
    def kind(self) -> Kind:
        """That of one draw."""
        return self.law.kind

    def mean(self) -> Array:
        """copies * scale * E of each coordinate."""
        return self._times(expect(self.law), self.copies * self.scale)

    def covariance(self) -> Array:
        """copies * scale^2 * Cov."""
        return self._times(cov_matrix(self.law), self.copies * self.scale**2)

    def _times(self, numbers: Array, factor: Fraction) -> Array:
        if numbers.dtype == object:
            return np.asarray(numbers * factor)
        with within_floats("a moment of this sum"):
            return np.asarray(numbers * factor.numerator / factor.denominator)

    def caveats(self) -> Caveats:
        """Those of every draw."""
        return self.law._stated().times(self.copies)

    def rows(self) -> tuple[Axes, Codes, Array]:
        """The joint law, from the engine of sums."""
        columns, weights = independent_vectors(self.law.columns, self.law.weights, self.copies)
        return from_columns([self._scaled(column) for column in columns], weights, rounded=True)

    def _scaled(self, column: Array) -> Array:
        if self.scale == 1:
            return column
        if column.dtype == object or kind_of(self.law.weights) != "float":
            return object_array([v * self.scale for v in column.tolist()])
        return np.asarray(column * self.scale.numerator / self.scale.denominator)
