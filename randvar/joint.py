"""Joint: several variables on one draw."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from randvar.arguments import aligned, function, listed, whole
from randvar.atoms.outcomes import canonical, outcome_array
from randvar.atoms.rows import Axes, Codes, canonical_rows, product_rows, prune
from randvar.atoms.search import an_outcome, find
from randvar.blocks import from_columns, product_of_factors, transform
from randvar.calls.call import apply, apply_ufunc, holds
from randvar.context import Settings, at_least, check_budget, current
from randvar.display import caveats_shown, counted, law_html, law_text, roughly
from randvar.errors import (
    ImpossibleEvent,
    InvalidLaw,
    NoSuchCoordinate,
    RandvarError,
    SupportTooLarge,
    described,
    one_line,
)
from randvar.interop import as_series
from randvar.numbers.arrays import STORING, Array, in_one_array, is_numeric, read_only, scalar
from randvar.numbers.kinds import (
    Kind,
    any_floats,
    as_fractions,
    divide,
    kind_of,
    mass_where,
    possible,
    probabilities,
    total,
    underflowed,
)
from randvar.numbers.overflow import within_floats
from randvar.row_arithmetic import RowArithmetic
from randvar.sources import NOTHING, Caveats, RowSource
from randvar.var import Var, atoms_of, kind_together

__all__ = ["Joint", "vector"]


class Joint(RowArithmetic):
    """Several random variables on one draw: `Joint(xs, ys, table)` with table[i, j] = P(X = xs[i], Y = ys[j]).

    >>> j = Joint([0, 2, 5], [0, 1], [[1/12, 1/12], [1/6, 1/4], [1/4, 1/6]])
    >>> j.add()
    Var: 6 outcomes, mean 3.41667
      0  0.0833333
      1  0.0833333
      2  0.166667
      3  0.25
      5  0.25
      6  0.166667

    The table has shape (len(xs), len(ys)), likewise in any dimension: `Joint(xs, ys, zs, table)`. `j[0]` is the law of
    the first coordinate, `j.table` the way back. `from_dict({(x, y): p, ...}).vector(lambda row: row)` makes one of
    rows, `empirical(frame)` of data. Stored sparsely, one row an outcome: `shared(x)` of a million outcomes has a
    million rows. Rows are canonical: possible, distinct, in lexicographic order. Immutable.

    Raises InvalidLaw for a table of the wrong shape or one that is no law. Cost: O(m log m) for m cells.
    """

    __slots__ = ("__weakref__", "_axes", "_caveats", "_codes", "_factors", "_settings", "_source", "_weights")

    _axes: Axes | None
    _codes: Codes | None
    _weights: Array | None
    _factors: tuple[Var, ...] | None
    _source: RowSource | None
    _settings: Settings
    _caveats: Caveats

    def __init__(self, *axes_and_table: Any) -> None:
        if len(axes_and_table) < 2:
            raise TypeError("Joint takes the values of each coordinate and then the table: Joint(xs, ys, table)")
        *axes, table = axes_and_table
        columns = [outcome_array(aligned("the values of a coordinate", axis)) for axis in axes]
        array = np.array(table if hasattr(table, "ndim") else listed("the table", table), dtype=object)
        shape = tuple(len(column) for column in columns)
        if array.shape != shape:
            raise InvalidLaw(f"the table has shape {array.shape}, but the coordinates have {shape} values")
        weights = probabilities(array.reshape(-1).tolist())
        mask = possible(weights)
        grid = product_rows(shape)
        self._set(*from_columns([c[g[mask]] for c, g in zip(columns, grid, strict=True)], weights[mask]))

    def _set(self, axes: Axes, codes: Codes, weights: Array, caveats: Caveats = NOTHING) -> None:
        self._axes, self._codes, self._weights, self._caveats = _possible(axes, codes, weights, caveats)
        self._factors = self._source = None

    @classmethod
    def _of(cls, axes: Axes, codes: Codes, weights: Array, caveats: Caveats = NOTHING) -> Joint:
        """From canonical rows that are known to be a law; those whose probability underflowed are left out."""
        j = cls.__new__(cls)
        j._set(axes, codes, weights, caveats)
        return j

    @classmethod
    def _of_columns(cls, columns: Sequence[Array], weights: Array, caveats: Caveats = NOTHING) -> Joint:
        """From what a function returned, one array a coordinate: rounding is merged, coordinate by coordinate."""
        return cls._of(*from_columns(columns, weights, rounded=True), caveats)

    @classmethod
    def _lazy(cls, *, factors: tuple[Var, ...] | None = None, source: RowSource | None = None) -> Joint:
        """A law whose rows are computed when first read: independent factors, or a source."""
        j = cls.__new__(cls)
        j._axes = j._codes = j._weights = None
        j._caveats = NOTHING
        j._factors, j._source, j._settings = factors, source, current()
        return j

    def __copy__(self) -> Joint:
        return self

    def __deepcopy__(self, memo: Any) -> Joint:
        return self

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        for name, value in state[1].items():
            setattr(self, name, value)
        read_only(*(self._axes or ()), *(self._codes or ()), self._weights)

    # -- the law ------------------------------------------------------------------------------------------------------

    def _rows(self) -> tuple[Axes, Codes, Array]:
        if self._axes is None or self._codes is None or self._weights is None:
            if self._factors is not None:
                with at_least(self._settings):
                    axes, codes, weights = product_of_factors(self._factors)
            else:
                assert self._source is not None
                with within_floats("a sum of these outcomes"), at_least(self._settings):
                    axes, codes, weights = self._source.rows()
            axes, codes, weights, caveats = _possible(axes, codes, weights, self._stated())
            with STORING:  # of threads that compute them at once the first one's arrays stay
                if self._axes is None:
                    self._codes, self._weights, self._caveats = codes, weights, caveats
                    self._axes = axes  # last: it says that the rows are there
        assert self._axes is not None
        assert self._codes is not None
        assert self._weights is not None
        return self._axes, self._codes, self._weights

    def _stated(self) -> Caveats:
        """What goes with a law made of this one (`Var._stated`)."""
        if self._axes is not None:
            return self._caveats
        if self._factors is not None:
            return Caveats.together(x._stated() for x in self._factors)
        return self._source.caveats() if self._source is not None else NOTHING

    @property
    def accuracy(self) -> float | None:
        """Bound on the relative error of each weight: None when they are exact or right to rounding (`Var.accuracy`).

        >>> Joint([0], [5, 6], [[0.25, 0.75]]).accuracy is None
        True

        Of independent coordinates the sum of theirs. Raises SupportTooLarge as `columns` does.
        """
        self._rows()
        return self._caveats.accuracy

    @property
    def lost_mass(self) -> Any:
        """The mass cut off an infinite support, or conditioned away, of any coordinate (`Var.lost_mass`).

        >>> from scipy import stats
        >>> from randvar.coupling import shared
        >>> from randvar.families import from_scipy
        >>> 0 < shared(from_scipy(stats.poisson(3.0), lost=1e-6)).lost_mass < 1e-6
        True

        Of independent coordinates 1 - (1 - l_1) (1 - l_2) ...
        """
        return self._stated().lost_mass

    @property
    def dim(self) -> int:
        """The number of coordinates.

        >>> from randvar.coupling import iid
        >>> iid(Var([0, 1], [0.5, 0.5]), 3).dim
        3
        """
        if self._factors is not None:
            return len(self._factors)
        return self._source.dim if self._source is not None else len(self._rows()[0])

    @property
    def columns(self) -> tuple[Array, ...]:
        """One array a coordinate, each of shape (rows,): its value in each possible row.

        >>> Joint([1, 2], [3, 4], [[0.5, 0], [0, 0.5]]).columns
        (array([1, 2]), array([3, 4]))

        Rows are in lexicographic order, aligned with `weights`. Raises SupportTooLarge past the budget of atoms, where
        the rows are listed when first read.
        """
        axes, codes, _ = self._rows()
        return tuple(axis[code] for axis, code in zip(axes, codes, strict=True))

    @property
    def outcomes(self) -> Array:
        """The possible rows, shape (rows, coordinates); an object array if machine numbers would not hold them exactly.

        >>> Joint([1, 2], [3, 4], [[0.5, 0], [0, 0.5]]).outcomes.tolist()
        [[1, 3], [2, 4]]

        Raises SupportTooLarge as `columns` does.
        """
        columns = self.columns
        if in_one_array(columns):
            return np.stack(columns, axis=1)
        rows = np.empty((len(columns[0]), len(columns)), dtype=object)
        for i, column in enumerate(columns):
            rows[:, i] = column.tolist()
        return rows

    @property
    def weights(self) -> Array:
        """The probability of each possible row; an array of shape (rows,), read-only.

        >>> Joint([1, 2], [3, 4], [[0.25, 0], [0.25, 0.5]]).weights
        array([0.25, 0.25, 0.5 ])

        Raises SupportTooLarge as `columns` does.
        """
        return self._rows()[2]

    @property
    def table(self) -> Array:
        """The dense table of probabilities, one axis a coordinate (the distinct values of `j[i]`, ascending).

        >>> from randvar.coupling import shared
        >>> shared(Var([1, 2], [0.25, 0.75])).table
        array([[0.25, 0.  ],
               [0.  , 0.75]])

        Its shape is (len(j[0]), len(j[1]), ...); `probs` is another name for it. Raises SupportTooLarge when it has
        more cells than the budget of atoms. Cost: O(cells), which may be many more than the rows in `weights`.
        """
        axes, codes, weights = self._rows()
        shape = tuple(len(axis) for axis in axes)
        check_budget(int(np.prod(np.array(shape, dtype=object))), "the dense table (the rows are in .weights)")
        dense = np.zeros(shape) if weights.dtype.kind == "f" else np.full(shape, Fraction(0), dtype=object)
        dense[codes] = weights
        return dense

    probs = table

    @property
    def kind(self) -> Kind:
        """What the probabilities are made of: "float", "rational" or "symbolic".

        >>> Joint([0], [5, 6], [[0.25, 0.75]]).kind
        'float'
        """
        if self._factors is not None:
            return kind_together(self._factors)
        return kind_of(self.weights) if self._source is None else self._source.kind

    def __len__(self) -> int:
        """The number of possible rows."""
        return len(self.weights)

    # -- coordinates --------------------------------------------------------------------------------------------------

    def marginal(self, i: int = 0) -> Var:
        """The law of coordinate i on its own.

        >>> from randvar.coupling import shared
        >>> shared(Var([0, 1], [0.25, 0.75])).marginal(1).probs
        array([0.25, 0.75])

        Raises IndexError past the last coordinate; negative numbers count from it.
        """
        i = self._coordinate(i)
        if self._factors is not None:
            return self._factors[i]
        axes, codes, weights = self._rows()
        return Var._of(*canonical(axes[i][codes[i]], weights), self._caveats)

    __getitem__ = marginal
    __reversed__ = __iter__ = None  # unpacking a Joint would quietly forget how its coordinates depend on each other

    def _coordinate(self, i: int) -> int:
        try:
            at = operator.index(scalar(i))
        except TypeError:
            raise TypeError(f"a coordinate is an integer, got {i!r}; j.select(i, k) takes several") from None
        if not -self.dim <= at < self.dim:
            raise NoSuchCoordinate(f"coordinate {one_line(at)} of a Joint with coordinates 0 to {self.dim - 1}")
        return at % self.dim

    def select(self, *coordinates: int) -> Joint:
        """The joint law of some coordinates, in the order named.

        >>> from randvar.coupling import iid
        >>> iid(Var([0, 1], [0.5, 0.5]), 3).select(2, 0).dim
        2

        Raises IndexError past the last coordinate, TypeError for none at all.
        """
        if not coordinates:
            raise TypeError("select takes at least one coordinate, as in j.select(0, 2)")
        chosen = [self._coordinate(i) for i in coordinates]
        if self._factors is not None and len(set(chosen)) == len(chosen):
            return Joint._lazy(factors=tuple(self._factors[i] for i in chosen))
        axes, codes, weights = self._rows()
        rows = canonical_rows(tuple(axes[i] for i in chosen), tuple(codes[i] for i in chosen), weights)
        return Joint._of(*rows, self._caveats)

    def transpose(self) -> Joint:
        """The coordinates in reverse order: (Y, X) for (X, Y).

        >>> Joint([0], [5, 6], [[0.25, 0.75]]).transpose().outcomes.tolist()
        [[5, 0], [6, 0]]
        """
        return self.select(*range(self.dim - 1, -1, -1))

    # -- transforming -------------------------------------------------------------------------------------------------

    def op(self, *functions: Callable[[Any], Any]) -> Joint:
        """The joint law of (f(X), g(Y), ...): one function a coordinate.

        >>> from randvar.coupling import indep, shared
        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> shared(die).op(lambda a: a, lambda b: 2 * b).sub().values
        array([-6, -5, -4, -3, -2, -1])

        A function that returns a Var makes a fresh draw for each row. Raises UndefinedOutcome when a function raises or
        returns NaN, TypeError for another number of functions. Cost: one call a distinct value.
        """
        if len(functions) != self.dim:
            raise TypeError(f"op takes one function a coordinate: {self.dim} coordinates, {len(functions)} functions")
        for i, f in enumerate(functions):
            function("op", f"f{i + 1}", f)
        if self._factors is not None:
            return Joint._lazy(factors=tuple(x.op(f) for x, f in zip(self._factors, functions, strict=True)))
        rows, caveats = self._rows(), self._caveats
        for i, f in enumerate(functions):
            rows, of_draws = transform(rows, i, f)
            caveats = caveats.then(of_draws)
        return Joint._of(*canonical_rows(*rows), caveats)

    def combine(self, f: Callable[..., Any]) -> Var:
        """The law of f(X, Y, ...).

        >>> from randvar.coupling import indep, shared
        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> round(indep(die, die).combine(max).prob(6), 12)
        0.305555555556

        A ufunc is applied to whole columns, if they are machine numbers; a Var that f returns is a fresh draw. Raises
        UndefinedOutcome when f raises or returns NaN. Cost: one call a row.
        """
        function("combine", "f", f)
        columns, weights = self.columns, self.weights
        if isinstance(f, np.ufunc) and f.nin == len(columns) and all(is_numeric(c) for c in columns):
            return Var._returned(apply_ufunc(f, columns, weights), weights, self._caveats)
        return Var._returned(apply(f, columns, weights, atoms_of), weights, self._caveats)

    def cond(self, event: Callable[..., Any]) -> Joint:
        """The joint law given that the event holds, a predicate of all coordinates.

        >>> from randvar.coupling import indep, shared
        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> indep(die, die).cond(lambda a, b: a + b == 11)[0].values
        array([5, 6])

        Raises ImpossibleEvent when it holds for no row, UndefinedOutcome when it fails on one. Cost: one call a row.
        """
        axes, codes, weights = self._rows()
        mask = holds(event, self.columns, weights)
        if not mask.any():
            raise ImpossibleEvent(
                f"the condition holds for none of the {counted(len(weights), 'row')}: its probability is 0,"
                " and there is no law given an impossible event"
            )
        kept = weights[mask]
        mass = total(kept)
        rows = prune(axes, tuple(c[mask] for c in codes))
        return Joint._of(*rows, divide(kept, mass), self._caveats.given(mass))

    def prob(self, event: Any) -> Any:
        """P((X, Y, ...) = row), or P(event) for a predicate of all coordinates.

        >>> from randvar.coupling import indep, shared
        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> round(indep(die, die).prob(lambda a, b: a > b), 12)
        0.416666666667

        Raises TypeError for anything but a predicate or a tuple of as many values as coordinates.
        """
        if callable(event):
            mask = holds(event, self.columns, self.weights)
        else:
            if not isinstance(event, tuple) or len(event) != self.dim:
                raise TypeError(f"prob takes a predicate or a tuple of {self.dim} values, got {event!r:.60}")
            mask = np.ones(len(self), dtype=bool)
            for i, value in enumerate(event):
                mask &= self._holds_value(i, value)
        return mass_where(mask, self.weights)

    def _holds_value(self, i: int, value: Any) -> Array:
        axes, codes, _ = self._rows()
        at = find(axes[i], an_outcome("prob", value))
        return codes[i] == at if at is not None else np.zeros(len(codes[i]), dtype=bool)

    # -- other forms --------------------------------------------------------------------------------------------------

    def to_pandas(self, *names: str) -> Any:
        """The probabilities as a pandas Series over the possible rows, a level of its index a coordinate.

        >>> Joint([0, 1], [5, 7], [[0.5, 0], [0.25, 0.25]]).to_pandas("x", "y")
        x  y
        0  5    0.50
        1  5    0.25
           7    0.25
        Name: probability, dtype: float64

        `.reset_index()` makes columns of the levels, `.unstack()` the dense table, and `from_dict(series).vector(lambda
        row: row)` the Joint again. Raises TypeError unless there are no
        names or one a coordinate, ModuleNotFoundError without pandas.
        """
        if names and len(names) != self.dim:
            raise TypeError(f"to_pandas takes one name a coordinate: {self.dim} coordinates, {len(names)} names")
        return as_series(self.columns, self.weights, names or [None] * self.dim)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            "a Joint is no array and no sample: expect(j), variance(j) and cov_matrix(j) are its numbers, j.op(f, g)"
            " maps its coordinates, j.outcomes and j.weights are arrays"
        )

    def rational(self, max_denominator: int = 10**6) -> Joint:
        """The same joint law in exact fractions: every float, value or weight, becomes one (see `Var.rational`).

        >>> Joint([0, 1], [0, 1], [[0.25, 0], [0, 0.75]]).rational().weights
        array([Fraction(1, 4), Fraction(3, 4)], dtype=object)

        Whole-number coordinates stay ints. Raises RandvarError for a float that is not within an ulp of a fraction with
        a denominator up to `max_denominator`, InvalidLaw if the fractions do not sum to 1.
        """
        max_denominator = whole("rational", "max_denominator", max_denominator, least=1)
        if self._factors is not None:
            return Joint._lazy(factors=tuple(x.rational(max_denominator) for x in self._factors))
        axes, codes, weights = self._rows()
        if weights.dtype == object and not any(map(any_floats, axes)):
            return self
        masses = probabilities(as_fractions(weights, max_denominator, "probability"))
        exact = (outcome_array(as_fractions(axis, max_denominator, "value")) for axis in axes)
        columns = [axis[code] for axis, code in zip(exact, codes, strict=True)]  # two floats may be one fraction
        return Joint._of(*from_columns(columns, masses), self._caveats)

    def __repr__(self) -> str:
        return law_text("Joint", *self._shown())

    def _repr_html_(self) -> str:
        return law_html("Joint", *self._shown())

    def _shown(self) -> tuple[str, list[tuple[Any, ...]], list[Any]]:
        try:
            weights = self.weights
        except SupportTooLarge as refused:
            return f"{self.dim} coordinates, too many rows to list ({roughly(refused.size)})", [], []
        rows = list(zip(*(c.tolist() for c in self.columns), strict=True))
        head = [counted(self.dim, "coordinate"), counted(len(weights), "outcome")]
        head.extend(caveats_shown(self._caveats.accuracy, self._caveats.lost_mass))
        return ", ".join(head), rows, weights.tolist()


def _possible(axes: Axes, codes: Codes, weights: Array, caveats: Caveats) -> tuple[Axes, Codes, Array, Caveats]:
    """The rows with p > 0, to be read only: a product of tiny probabilities can underflow to 0."""
    if underflowed(weights):
        kept = possible(weights)
        axes, codes = prune(axes, tuple(code[kept] for code in codes))
        weights, caveats = weights[kept], replace(caveats, underflow=True)
    read_only(*axes, *codes, weights)
    return axes, codes, weights, caveats


def vector(x: Var, f: Callable[[Any], Sequence[Any] | Array]) -> Joint:
    """The Joint of the components of f(X) (`Var.vector`)."""
    rows = [_components(row) for row in apply(function("vector", "f", f), [x.values], x.probs, _cells)]
    lengths = {len(row) for row in rows}
    if len(lengths) != 1:
        raise RandvarError(
            f"vector: the sequences have different lengths, {sorted(lengths)}; give each as many components"
        )
    columns = [outcome_array(column) for column in zip(*rows, strict=True)]
    if not columns:
        raise RandvarError("vector: the sequences are empty; a Joint has at least one coordinate")
    return Joint._of_columns(columns, x.probs, x._caveats)


def _cells(rows: list[Any]) -> int:
    return sum(len(row) for row in rows if hasattr(row, "__len__"))


def _components(row: Any) -> list[Any]:
    unordered_or_text = isinstance(row, (str, bytes, dict, set, frozenset))
    if unordered_or_text or not np.iterable(row) or not hasattr(row, "__len__"):
        raise TypeError(f"vector takes a function that returns a sequence, got {described(row)} from it")
    return list(row)
