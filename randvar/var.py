"""Var: the complete law of one random variable with finitely many outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from randvar.arguments import aligned, function, whole
from randvar.arithmetic import Arithmetic
from randvar.atoms.outcomes import Axis
from randvar.atoms.search import an_outcome, check_ordered, find, first_reaching, how_many_up_to, is_near_floats, some
from randvar.calls.call import called, holds
from randvar.context import at_least
from randvar.conversion import float_law, rational_law
from randvar.display import counted, law_html, law_text, moments_line, roughly, short, warrant_shown
from randvar.errors import ImpossibleEvent, RandvarError, SupportTooLarge, UndefinedOutcome, one_line
from randvar.interop import as_series
from randvar.law import Law, Source, certain, listed_law
from randvar.lazy import Lazy, no_log_probability
from randvar.numbers.arrays import PLAIN, SMALLEST_NORMAL, WORD, Array, scalar, unit_of
from randvar.numbers.base import WORDS, Kind
from randvar.numbers.checks import check_numbers
from randvar.provenance import bare, carried_by, read_off, read_off_array
from randvar.warrant import SOUND, Warrant

if TYPE_CHECKING:
    from randvar.joint import Joint

__all__ = ["Fn", "Var", "atoms_of", "check_events", "computed", "laws_of", "returned"]

Fn = Callable[[Any], Any]  # a function of one outcome


class Var(Arithmetic):
    """A random variable: `values` with their probabilities `probs`, two aligned 1-D arrays.

    >>> eight = Var([1, 2, 3, 4, 5, 6, 7, 8], [1/16, 3/16, 1/16, 3/16, 1/16, 3/16, 1/16, 3/16])
    >>> eight.op(lambda a: a % 2)
    Var: 2 outcomes, mean 0.25
      0  0.75
      1  0.25

    Atoms are canonical: possible (p > 0), distinct, ascending where the outcomes have an order. Values are numbers or
    any hashable outcome; NaN is refused. Probabilities are floats that sum to 1 within 1e-9, `Fraction`s or ints that
    sum to 1 exactly, or sympy expressions that sum to 1 identically. Immutable; `==` is identity (`same_law` compares).

    Probabilities are methods, other numbers functions: `expect(x)` and `variance(x)`, not `x.mean()`. `x == 3` compares
    objects, `x.prob(3)` outcomes:

    >>> eight.prob(3), eight.prob(lambda a: a > 6), eight.cdf(3), eight == 3
    (0.0625, 0.25, 0.3125, False)

    Raises InvalidLaw for what is no law. Cost: O(n log n).
    """

    __slots__ = ("__weakref__", "source")

    source: Source

    def __init__(self, values: Iterable[Any], probs: Iterable[Any]) -> None:
        warrant = carried_by(values, probs)
        if warrant is not SOUND:
            values, probs = bare(values), bare(probs)
        outcomes = Axis.of(aligned("values", values))
        self.source = listed_law([outcomes], aligned("probabilities", probs), warrant)

    @classmethod
    def of(cls, source: Source) -> Var:
        """The variable of a source: a listed law, or what computes one when it is first read.

        >>> from randvar.law import certain
        >>> Var.of(certain(3)).values
        array([3])
        """
        x = cls.__new__(cls)
        x.source = source
        return x

    def __copy__(self) -> Var:
        return self

    def __deepcopy__(self, memo: Any) -> Var:
        return self

    # -- the law -----------------------------------------------------------------------------------------------------

    @property
    def law(self) -> Law:
        """The complete law as the parts of randvar take it: outcomes, weights over a mass, and what it rests on.

        >>> Var([0, 1], [Fraction(1, 4), Fraction(3, 4)]).law.weights.tolist()
        [1, 3]

        Raises SupportTooLarge as `values` does.
        """
        return self.source.law()

    @property
    def values(self) -> Array:
        """The distinct outcomes, ascending where they have an order; an array of shape (outcomes,), read-only.

        >>> Var([3, 1, 3], [0.25, 0.5, 0.25]).values
        array([1, 3])

        Raises SupportTooLarge past the budget of atoms, where the law is one that is computed when first read.
        """
        law = self.law
        return read_off_array(law.axes[0].values, law.warrant)

    @property
    def probs(self) -> Array:
        """The probability of each outcome, aligned with `values`; an array of shape (outcomes,), read-only.

        >>> Var([3, 1, 3], [0.25, 0.25, 0.5]).probs
        array([0.25, 0.75])

        Floats, or objects (Fractions, expressions) in an exact law. Raises SupportTooLarge as `values` does.
        """
        law = self.law
        return read_off_array(law.probs, law.warrant)

    @property
    def accuracy(self) -> float | None:
        """Bound on the relative error of each probability: None when they are exact or right to rounding.

        >>> from randvar.estimators.sampling import total
        >>> coin = Var([0, 1], [0.5, 0.5])
        >>> coin.accuracy is None, total(coin, 1000).accuracy < 1e-12
        (True, True)

        A float of a long sum in floats; inf where some probabilities are unknown, which the repr says too. Raises
        SupportTooLarge as `values` does.
        """
        return self.law.warrant.stated_accuracy

    @property
    def lost_mass(self) -> Any:
        """The mass cut off an infinite support (`from_scipy`), or conditioned away (undefined="drop").

        >>> from scipy import stats
        >>> from randvar.families import from_scipy
        >>> x = from_scipy(stats.poisson(3.0), lost=1e-6)
        >>> (x + 1).lost_mass == x.lost_mass, 0 < x.lost_mass < 1e-6
        (True, True)

        A law that is made of others has theirs: the same of a function of X, weighted in a mixture, 1 - (1 - l)^n of n
        draws; given an event of probability p at most l / (l + (1 - l) p), as if all of it lay there. A float, but an
        expression where that mass depends on symbols.
        """
        return self.source.warrant.lost

    @property
    def kind(self) -> Kind:
        """What the probabilities are made of: "float", "rational" or "symbolic".

        >>> Var([0, 1], [0.25, 0.75]).kind, Var([0, 1], [Fraction(1, 4), Fraction(3, 4)]).kind
        ('float', 'rational')
        """
        return self.source.numbers.kind

    def __len__(self) -> int:
        """The number of outcomes."""
        return len(self.law.weights)

    # -- transforming ------------------------------------------------------------------------------------------------

    def op(self, f: Fn, *, degree: int | None = None) -> Var:
        """The law of f(X).

        >>> Var([1, 2, 3], [0.2, 0.3, 0.5]).op(lambda a: a % 2 == 1)
        Var: 2 outcomes, mean 0.7
          False  0.3
          True   0.7

        A numpy ufunc is applied to the whole array, if it is one of machine numbers. If f returns a Var, that is a
        fresh draw made after X was seen, and the result is the mixture. Where all results are machine numbers, those
        within 4 ulp are one outcome; floats inside tuples, or beside Fractions, have to be equal (`x.vector(f)` merges
        component by component). Of a law by quadrature (`normal`), `degree` declares that f, or each probability of the
        law that it returns, is a polynomial of at most that degree: means are exact then, which the verdict says;
        without it the result is an approximation. Raises UndefinedOutcome, naming the outcome, when f raises, returns
        NaN or lets numpy's integers wrap around. Cost: one call an outcome, O(n log n); two where numpy's integers come
        out, to compare them with floats.
        """
        law = self.law
        f = f if callable(f) else function("op", "f", f)
        degree = None if degree is None else whole("op", "degree", degree, least=0)
        results = called(f, [law.axes[0].values], law.probability_at, atoms_of)
        return Var.of(returned(law, results, degree, f).by(lambda: law.rounding_of(f)))

    def _through(self, f: Fn, degree: int | None) -> Var:
        """The law of f(X), of which it is known whether it is a polynomial."""
        law = self.law
        return Var.of(law.pushed(Axis.of(called(f, [law.axes[0].values], law.probability_at)), degree=degree))

    def cond(self, event: Callable[[Any], Any]) -> Var:
        """Conditional law of X given the event, a predicate of an outcome: P(X = a | event) = P(X = a) / P(event).

        >>> Var([1, 2, 3, 4], [0.25] * 4).cond(lambda a: a < 3).probs
        array([0.5, 0.5])

        Raises ImpossibleEvent when it holds for no outcome, UndefinedOutcome when it fails on one, TypeError for
        anything but a predicate.
        """
        law = self.law
        mask = holds(event, [self.values], law.probability_at)
        if not mask.any():
            raise ImpossibleEvent(
                f"the condition holds for none of the outcomes {some(self.values)}: its probability is 0,"
                " and there is no law given an impossible event"
            )
        return Var.of(law.given(mask))

    # -- probabilities -----------------------------------------------------------------------------------------------

    def prob(self, event: Any) -> Any:
        """P(X = value), or P(event) for a predicate.

        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> die.prob(6), die.prob(lambda a: a > 2)
        (0.16666666666666666, 0.6666666666666666)

        Not `x.prob(x == 1)`: `==` compares objects and is False, which is the outcome 0. Where the value or the atom is
        a float, it is found within 4 ulp: 0.3 finds the fraction 3/10, 1e16 the integer 10**16 + 1. Integers and
        Fractions find their equals only. Inside a predicate Python compares, and would find 3/10 <= 0.3 false; that is
        refused, so write Fraction(3, 10). Tails are sums of their own terms: 1e-80 comes out right. Raises
        UndefinedOutcome when the predicate fails on an outcome, RandvarError when it compares a fraction with a float
        that is its rounding.
        """
        law = self.law
        check_events("prob", law.warrant)
        if callable(event):
            return read_off(law.probability(holds(event, [law.axes[0].values], law.probability_at)), law.warrant)
        return read_off(self._prob_at(find(law.axes[0].values, an_outcome("prob", event))), law.warrant)

    def _prob_at(self, at: int | None) -> Any:
        law = self.law
        return law.numbers.share(0, law.mass) if at is None else law.probability_at(at)

    def log_prob(self, value: Any) -> float:
        """log P(X = value); -inf off the support. Right also where P itself is below the smallest float.

        >>> Var([0, 1], [0.5, 0.5]).log_prob(1)
        -0.6931471805599453

        Raises RandvarError where P may underflow and there is no other way to it.
        """
        value = an_outcome("log_prob", value)
        p = self._prob_at(find(self.values, value))
        few_digits = isinstance(p, float) and p < SMALLEST_NORMAL
        if few_digits and isinstance(self.source, Lazy) and is_near_floats(value):
            told = self.source.log_prob(value)
            return told if told > -math.inf or p == 0 else _log(p)
        if few_digits and isinstance(self.source, Law) and self.source.warrant.underflow:
            raise no_log_probability(value, "outcomes that hardly ever happen are not listed, or with few digits")
        return _log(p)

    def cdf(self, v: Any) -> Any:
        """P(X <= v).

        >>> Var([1, 2, 3], [0.2, 0.3, 0.5]).cdf(2)
        0.5

        v need not be an outcome; a float finds its atom within 4 ulp, as in `prob`. Raises TypeError for outcomes
        without an order or a v that does not compare with them. Of a sum that is too large to list it is found by
        meeting in the middle where that fits, else it raises SupportTooLarge (`law_bounds` encloses it). Cost: O(n) of
        a listed law, else about the square root of the number of sums.
        """
        v = an_outcome("cdf", v)
        try:
            values = self.values
            check_events("cdf", self.law.warrant)
        except SupportTooLarge:
            if not isinstance(self.source, Lazy):
                raise
            with at_least(self.source.made_under):
                return self.source.cdf(v)
        check_ordered("cdf", values)
        at = find(values, v)
        upto = at + 1 if at is not None else how_many_up_to(values, v)
        return read_off(self.law.probability(np.arange(len(values)) < upto), self.law.warrant)

    def quantile(self, u: Any) -> Any:
        """The smallest outcome v with P(X <= v) >= u, robust at the steps.

        >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
        >>> die.quantile(0.5), die.quantile(1/3), die.quantile(1)
        (3, 2, 6)

        It agrees with `cdf`: cdf(v) >= u means quantile(u) <= v, but the quantile at 1 is the largest outcome. Up to
        u = 1/2 the lower tail reaches u, beyond it the upper tail 1 - u, with a few ulp of tolerance: 3 * (1/6) >= 0.5
        holds. In an exact law a float u is the simplest fraction within an ulp: 0.7 is 7/10.

        Raises RandvarError for u outside [0, 1] or probabilities that depend on symbols, TypeError for outcomes without
        an order. Cost: O(n).
        """
        check_ordered("quantile", self.values)
        check_events("quantile", self.law.warrant)
        u = scalar(u)
        if not isinstance(u, (int, float, Fraction)) or not 0 <= u <= 1:
            raise RandvarError(f"quantile takes a probability between 0 and 1, got {one_line(u)}")
        check_numbers("quantile", self.kind)
        return scalar(self.values[first_reaching(u, self.probs)])

    def vector(self, f: Callable[[Any], Sequence[Any] | Array]) -> Joint:
        """The Joint of the components of f(X), for an f that returns a sequence: a score vector, a gradient.

        >>> Var([0, 1], [0.25, 0.75]).vector(lambda a: (1 - a, a)).marginal(1).prob(1)
        0.75

        A sequence of d components gives d coordinates. Raises RandvarError when sequences of different lengths or empty
        ones are returned, TypeError for a string, a set or no sequence, UndefinedOutcome when f fails on an outcome.
        """
        from randvar.joint import vector

        return vector(self, f)

    # -- other forms -------------------------------------------------------------------------------------------------

    def rational(self, max_denominator: int = 10**6) -> Var:
        """The same law in exact fractions: after it, every mean, variance and probability is a `Fraction`.

        >>> Var([0, 1], [0.75, 0.25]).rational().prob(1)
        Fraction(1, 4)

        Each float, probability or outcome, becomes the simplest fraction with a denominator up to `max_denominator`,
        also an outcome of a law with exact probabilities; whole-number outcomes stay ints, of which numpy's functions
        make floats (`x.op(Fraction)` for them). Raises RandvarError if a float is not within an ulp of such a fraction,
        InvalidLaw if the fractions do not sum to 1.
        """
        max_denominator = whole("rational", "max_denominator", max_denominator, least=1)
        law = rational_law(self.law, max_denominator)
        return self if law is self.law else Var.of(law)

    def to_float(self) -> Var:
        """The same law with float probabilities (and floats for Fraction values).

        >>> Var([0, 1], [Fraction(1, 3), Fraction(2, 3)]).to_float().prob(1)
        0.6666666666666666

        Raises RandvarError for probabilities that depend on symbols.
        """
        check_numbers("to_float", self.kind)
        law = float_law(self.law)
        return self if law is self.law else Var.of(law)

    def to_dict(self) -> dict[Any, Any]:
        """{outcome: probability}.

        >>> Var([0, 1], [0.75, 0.25]).to_dict()
        {0: 0.75, 1: 0.25}

        `from_dict` is the way back. Raises SupportTooLarge as `values` does.
        """
        return dict(zip(self.values.tolist(), self.probs.tolist(), strict=True))

    def to_pandas(self, name: str | None = None) -> Any:
        """The probabilities as a pandas Series over the outcomes; `name` is that of its index.

        >>> Var([0, 1], [0.75, 0.25]).to_pandas("coin")
        coin
        0    0.75
        1    0.25
        Name: probability, dtype: float64

        A Series, as a law is one number an outcome: `.reset_index()` makes columns of it, `from_dict` a law again.
        Raises ModuleNotFoundError without pandas.
        """
        return as_series([self.values], self.probs, [name])

    def to_scipy(self) -> Any:
        """The same law as a frozen `scipy.stats.rv_discrete`.

        >>> float(Var([0, 1], [0.75, 0.25]).to_scipy().pmf(1))
        0.25

        Raises TypeError for outcomes that are no integers, RandvarError for probabilities that depend on symbols.
        """
        from scipy import stats

        check_numbers("to_scipy", self.kind)
        values = self.values.tolist()
        if not all(map(_is_whole, values)):
            raise TypeError(
                f"scipy's rv_discrete needs integer outcomes; got {some(self.values)}; x.values and x.probs are arrays"
                " of any outcomes"
            )
        return stats.rv_discrete(values=(np.array(list(map(int, values))), self.probs.astype(np.float64)))()

    def __repr__(self) -> str:
        return law_text("Var", *self._shown())

    def _repr_html_(self) -> str:
        return law_html("Var", *self._shown())

    def _shown(self) -> tuple[str, list[tuple[Any, ...]], list[Any]]:
        """What a table of this law says: a headline, its outcomes as rows, their probabilities."""
        try:
            values, probs = self.values, self.probs
        except SupportTooLarge as refused:
            head = [f"too many outcomes to list ({roughly(refused.size)})"]
            with suppress(UndefinedOutcome):  # beyond the range of floats
                head.append(moments_line(self.source.cumulants()))
            return ", ".join(head), [], []
        head = [counted(len(values), "outcome")]
        if self.law.axes[0].numbers is not WORDS:
            with suppress(UndefinedOutcome):  # beyond the range of floats
                head.append(f"mean {short(self.source.cumulants(2)[0])}")
        return (
            ", ".join([*head, *warrant_shown(self.law.warrant)]),
            [(v,) for v in values.tolist()],
            probs.tolist(),
        )


def returned(law: Law, results: Iterable[Any], degree: int | None = None, f: Callable[..., Any] | None = None) -> Law:
    """The law of what a function returned, row by row: rounding is merged, a returned Var is a fresh draw.

    `degree`: the function is a polynomial of that degree, as a person declared. `f` is what can be run again on the
    rows, where rounding made results doubtful.
    """
    kinds = set(map(type, results)) if isinstance(results, list) else set()
    if Var in kinds:
        law = law.then(laws_of(results), degree).marginal(law.dim)
        return law.warranted(law.warrant.drawn_after().declared(degree))
    axis = Axis.of(results) if f is None else computed(law, f, results)
    unit = 0.0 if kinds and PLAIN.issuperset(kinds) else unit_of(results, kinds)
    law = law.pushed(axis, degree=degree, unit=unit)
    return law if degree is None else law.warranted(law.warrant.declared(degree))


def computed(law: Law, f: Callable[..., Any], results: Any) -> Axis:
    """What f returned on the rows of a law as outcomes, right to rounding (`randvar.finer`)."""
    if law.numbers.exact or not isinstance(results, list) or not set(map(type, results)) <= _FLOATS:
        return Axis.of(results)
    from randvar.finer import refined_rows  # late, for `import randvar` to stay quick

    found = refined_rows(f, [c.values for c in law.columns], results)
    axis = Axis.of(found.results)
    return axis if found.radius is None else replace(axis, radius=found.radius)


def check_events(name: str, warrant: Warrant) -> None:
    """Refuse probabilities of events where outcomes are nodes of quadrature."""
    if warrant.nodes:
        raise RandvarError(
            f"{name}: the outcomes are nodes of quadrature, which give means of polynomials and no probabilities of"
            " events; those of the continuous law are in scipy.stats (norm.cdf, uniform.cdf), and"
            " Var(x.values.tolist(), x.probs.tolist()) is the law of the nodes alone"
        )


def laws_of(results: Iterable[Any]) -> list[Law]:
    """The laws that a function returned; an outcome that is no Var is certain."""
    return [result.law if isinstance(result, Var) else certain(result) for result in results]


def atoms_of(results: list[Any]) -> int:
    """How many atoms the laws among some results have."""
    return sum(len(result) for result in results if isinstance(result, Var)) if Var in set(map(type, results)) else 0


def _is_whole(v: Any) -> bool:
    """Whether it is an integer that a machine holds."""
    return isinstance(v, (int, float, Fraction)) and -WORD < v < WORD and v == int(v)


_FLOATS = {float, np.float64}


def _log(p: Any) -> float:
    if p == 0:
        return -math.inf
    if isinstance(p, Fraction):  # integers of any size have a logarithm
        return math.log(p.numerator) - math.log(p.denominator)
    if isinstance(p, float):
        return math.log(p)
    from sympy import log

    return log(p)  # type: ignore[no-any-return]
