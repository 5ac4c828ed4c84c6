"""Joint: several variables on one draw."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from randvar.arguments import aligned, function, listed, whole
from randvar.atoms.outcomes import Axis
from randvar.atoms.search import an_outcome, find
from randvar.calls.call import apply, called, holds
from randvar.context import check_budget
from randvar.conversion import rational_law
from randvar.display import counted, law_html, law_text, roughly, warrant_shown
from randvar.errors import (
    ImpossibleEvent,
    InvalidLaw,
    NoSuchCoordinate,
    RandvarError,
    SupportTooLarge,
    described,
    one_line,
)
from randvar.independent import Independent
from randvar.interop import as_series
from randvar.law import Law, Source, listed_law
from randvar.numbers.arrays import Array, in_one_array, scalar
from randvar.numbers.base import Kind
from randvar.row_arithmetic import RowArithmetic
from randvar.var import Var, atoms_of, check_events, computed, laws_of, returned

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

    __slots__ = ("__weakref__", "source")

    source: Source
    _variable = staticmethod(Var.of)

    def __init__(self, *axes_and_table: Any) -> None:
        if len(axes_and_table) < 2:
            raise TypeError("Joint takes the values of each coordinate and then the table: Joint(xs, ys, table)")
        *axes, table = axes_and_table
        columns = [Axis.of(aligned("the values of a coordinate", axis)) for axis in axes]
        rows = table if hasattr(table, "ndim") else listed("the table", table)
        array = np.array(rows, dtype=object)
        shape = tuple(len(column.values) for column in columns)
        if array.shape != shape:
            raise InvalidLaw(f"the table has shape {array.shape}, but the coordinates have {shape} values")
        grid = np.indices(shape).reshape(len(shape), -1)
        rows = [column.take(at) for column, at in zip(columns, grid, strict=True)]
        self.source = listed_law(rows, array.reshape(-1).tolist())

    @classmethod
    def of(cls, source: Source) -> Joint:
        """The variables (X, Y, ...) of a source: a listed law, or what computes one when it is first read.

        >>> from randvar.law import certain
        >>> Joint.of(certain(3).diagonal(2)).outcomes.tolist()
        [[3, 3]]
        """
        j = cls.__new__(cls)
        j.source = source
        return j

    def __copy__(self) -> Joint:
        return self

    def __deepcopy__(self, memo: Any) -> Joint:
        return self

    # -- the law -----------------------------------------------------------------------------------------------------

    @property
    def law(self) -> Law:
        """The complete law as the parts of randvar take it: axes, codes, weights over a mass, and what it rests on.

        >>> Joint([1, 2], [3, 4], [[0.5, 0], [0, 0.5]]).law.dim
        2

        Raises SupportTooLarge as `columns` does.
        """
        return self.source.law()

    @property
    def accuracy(self) -> float | None:
        """Bound on the relative error of each weight: None when they are exact or right to rounding (`Var.accuracy`).

        >>> Joint([0], [5, 6], [[0.25, 0.75]]).accuracy is None
        True

        Of independent coordinates the sum of theirs. Raises SupportTooLarge as `columns` does.
        """
        return self.law.warrant.stated_accuracy

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
        return self.source.warrant.lost

    @property
    def dim(self) -> int:
        """The number of coordinates.

        >>> from randvar.coupling import iid
        >>> iid(Var([0, 1], [0.5, 0.5]), 3).dim
        3
        """
        return self.source.dim

    @property
    def columns(self) -> tuple[Array, ...]:
        """One array a coordinate, each of shape (rows,): its value in each possible row.

        >>> Joint([1, 2], [3, 4], [[0.5, 0], [0, 0.5]]).columns
        (array([1, 2]), array([3, 4]))

        Rows are in lexicographic order, aligned with `weights`. Raises SupportTooLarge past the budget of atoms, where
        the rows are listed when first read.
        """
        return tuple(column.values for column in self.law.columns)

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
        return self.law.probs

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
        law = self.law
        shape = tuple(len(axis.values) for axis in law.axes)
        check_budget(math.prod(shape), "the dense table (the rows are in .weights)")
        dense = law.numbers.array(np.full(shape, law.numbers.share(0, 1)))
        dense[law.row_codes] = law.probs
        return dense

    probs = table

    @property
    def kind(self) -> Kind:
        """What the probabilities are made of: "float", "rational" or "symbolic".

        >>> Joint([0], [5, 6], [[0.25, 0.75]]).kind
        'float'
        """
        return self.source.numbers.kind

    def __len__(self) -> int:
        """The number of possible rows."""
        return len(self.law.weights)

    # -- coordinates -------------------------------------------------------------------------------------------------

    def marginal(self, i: int = 0) -> Var:
        """The law of coordinate i on its own.

        >>> from randvar.coupling import shared
        >>> shared(Var([0, 1], [0.25, 0.75])).marginal(1).probs
        array([0.25, 0.75])

        Raises IndexError past the last coordinate; negative numbers count from it.
        """
        i = self.coordinate(i)
        if isinstance(self.source, Independent):
            return Var.of(self.source.sources[i])
        return Var.of(self.law.marginal(i))

    __getitem__ = marginal
    __reversed__ = __iter__ = None  # unpacking a Joint would quietly forget how its coordinates depend on each other

    def coordinate(self, i: int) -> int:
        """The place of coordinate i, from 0; a negative one counts from the last.

        >>> Joint([0], [5, 6], [[0.25, 0.75]]).coordinate(-1)
        1

        Raises IndexError past the last one, TypeError for anything but an integer.
        """
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
        chosen = [self.coordinate(i) for i in coordinates]
        if isinstance(self.source, Independent) and len(set(chosen)) == len(chosen):
            return Joint.of(Independent([self.source.sources[i] for i in chosen]))
        return Joint.of(self.law.select(chosen))

    def transpose(self) -> Joint:
        """The coordinates in reverse order: (Y, X) for (X, Y).

        >>> Joint([0], [5, 6], [[0.25, 0.75]]).transpose().outcomes.tolist()
        [[5, 0], [6, 0]]
        """
        return self.select(*range(self.dim - 1, -1, -1))

    # -- transforming ------------------------------------------------------------------------------------------------

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
        if isinstance(self.source, Independent):
            variables = map(Var.of, self.source.sources)
            return Joint.of(Independent([x.op(f).source for x, f in zip(variables, functions, strict=True)]))
        law = self.law
        for i, f in enumerate(functions):
            law = transformed(law, i, f)
        return Joint.of(law)

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
        law = self.law
        made = returned(law, called(f, self.columns, law.probability_at, atoms_of), f=f)
        return Var.of(made.by(lambda: law.rounding_of(f)))

    def cond(self, event: Callable[..., Any]) -> Joint:
        """The joint law given that the event holds, a predicate of all coordinates.

        >>> from randvar.coupling import indep, shared
        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> indep(die, die).cond(lambda a, b: a + b == 11)[0].values
        array([5, 6])

        Raises ImpossibleEvent when it holds for no row, UndefinedOutcome when it fails on one. Cost: one call a row.
        """
        law = self.law
        mask = holds(event, self.columns, law.probability_at)
        if not mask.any():
            raise ImpossibleEvent(
                f"the condition holds for none of the {counted(len(mask), 'row')}: its probability is 0,"
                " and there is no law given an impossible event"
            )
        return Joint.of(law.given(mask))

    def prob(self, event: Any) -> Any:
        """P((X, Y, ...) = row), or P(event) for a predicate of all coordinates.

        >>> from randvar.coupling import indep, shared
        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> round(indep(die, die).prob(lambda a, b: a > b), 12)
        0.416666666667

        Raises TypeError for anything but a predicate or a tuple of as many values as coordinates.
        """
        check_events("prob", self.law.warrant)
        if callable(event):
            mask = holds(event, self.columns, self.law.probability_at)
        else:
            if not isinstance(event, tuple) or len(event) != self.dim:
                raise TypeError(f"prob takes a predicate or a tuple of {self.dim} values, got {event!r:.60}")
            mask = np.ones(len(self), dtype=bool)
            for i, value in enumerate(event):
                mask &= self._holds_value(i, value)
        return self.law.probability(mask)

    def _holds_value(self, i: int, value: Any) -> Array:
        law = self.law
        at = find(law.axes[i].values, an_outcome("prob", value))
        code = law.row_codes[i]
        return np.asarray(code == (-1 if at is None else at))  # no outcome has the code -1

    # -- other forms -------------------------------------------------------------------------------------------------

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
        if isinstance(self.source, Independent):
            exact = (Var.of(x).rational(max_denominator).source for x in self.source.sources)
            return Joint.of(Independent(list(exact)))
        law = rational_law(self.law, max_denominator)
        return self if law is self.law else Joint.of(law)

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
        head.extend(warrant_shown(self.law.warrant))
        return ", ".join(head), rows, weights.tolist()


def transformed(law: Law, i: int, f: Callable[[Any], Any]) -> Law:
    """With f applied to coordinate i, to each distinct outcome once; a Var that it returns is a fresh draw a row."""
    one = law.marginal(i)
    results = called(f, [one.axes[0].values], one.probability_at, atoms_of)
    if isinstance(results, list) and Var in set(map(type, results)):
        laws = laws_of(results)
        drawn = law.then([laws[c] for c in law.row_codes[i].tolist()])
        return drawn.select([law.dim if k == i else k for k in range(law.dim)])
    new, where = computed(one, f, results).as_returned(one.weights)
    changed = law.with_coordinate(i, new, where)
    return changed.warranted(law.warrant.through(None))


def vector(x: Var, f: Callable[[Any], Sequence[Any] | Array]) -> Joint:
    """The Joint of the components of f(X) (`Var.vector`)."""
    rows = [_components(row) for row in apply(function("vector", "f", f), [x.values], x.law.probability_at, _cells)]
    lengths = {len(row) for row in rows}
    if len(lengths) != 1:
        raise RandvarError(
            f"vector: the sequences have different lengths, {sorted(lengths)}; give each as many components"
        )
    columns = [Axis.of(column) for column in zip(*rows, strict=True)]
    if not columns:
        raise RandvarError("vector: the sequences are empty; a Joint has at least one coordinate")
    return Joint.of(x.law.pushed(*columns))


def _cells(rows: list[Any]) -> int:
    return sum(len(row) for row in rows if hasattr(row, "__len__"))


def _components(row: Any) -> list[Any]:
    unordered_or_text = isinstance(row, (str, bytes, dict, set, frozenset))
    if unordered_or_text or not np.iterable(row) or not hasattr(row, "__len__"):
        raise TypeError(f"vector takes a function that returns a sequence, got {described(row)} from it")
    return list(row)
