"""Ready-made laws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Protocol, overload

import numpy as np

from randvar.arguments import aligned, checked, floating, real, sequence, whole
from randvar.arithmetic import Arithmetic
from randvar.atoms.outcomes import Axis, outcome_array
from randvar.context import check_budget
from randvar.draws import Draws, Sum
from randvar.errors import InvalidLaw, RandvarError, described, one_line, symbol_advice
from randvar.interop import frame_columns, listed_distribution, observations
from randvar.joint import Joint
from randvar.law import Law
from randvar.numbers.arrays import Array, scalar
from randvar.numbers.kinds import FLOATS, FRACTIONS, weighed
from randvar.numbers.overflow import finite, within_floats
from randvar.numbers.symbolic import is_expression, is_number
from randvar.quadrature import gauss_legendre
from randvar.var import Var
from randvar.warrant import Warrant

__all__ = [
    "bernoulli",
    "binomial",
    "constant",
    "continuous_uniform",
    "empirical",
    "from_dict",
    "from_scipy",
    "from_weights",
    "mixture",
    "normal",
    "softmax",
    "uniform",
    "weighted_die",
]


def _range_end(name: str, argument: str, end: Any) -> int:
    """An end of a range of integers, which no float is."""
    if isinstance(end, (float, np.floating)):
        raise TypeError(
            f"{name} takes whole numbers, as range does, got {argument} = {one_line(end)}; continuous_uniform(low,"
            " high) is the law of an interval"
        )
    return whole(name, argument, end)


def _probability(name: str, _: str, p: Any) -> Any:
    """A number in [0, 1], or an expression."""
    p = scalar(p)
    if not is_number(p):
        raise TypeError(f"{name} takes a probability, a number or an expression, got {described(p)}{symbol_advice(p)}")
    if isinstance(p, (int, float, Fraction)) and not 0 <= p <= 1:
        raise InvalidLaw(f"{name} takes a probability between 0 and 1, got {one_line(p)}")
    return p


def _mass_left_out(name: str, argument: str, mass: Any) -> float:
    """A mass that leaves something of a law."""
    if not 0 <= (mass := real(name, argument, mass)) < 1:
        raise RandvarError(f"{name}: {argument} must be a mass in [0, 1), got {one_line(mass)}")
    return float(mass)


@checked(a=_range_end, b=_range_end)
def uniform(a: int, b: int) -> Var:
    """Each of the integers a, ..., b - 1 (as `range(a, b)`) with probability 1/(b - a).

    >>> uniform(1, 7).values
    array([1, 2, 3, 4, 5, 6])

    uniform(0, 1) is the constant 0, and `continuous_uniform` the law of an interval. Raises RandvarError when there is
    no such integer, TypeError for floats.
    """
    if b <= a:
        raise RandvarError(
            f"uniform({one_line(a)}, {one_line(b)}) has no outcomes: it holds the integers a..b-1, as range does"
        )
    check_budget(b - a, f"uniform({one_line(a)}, {one_line(b)})")
    values = np.arange(a, b) if max(abs(a), abs(b)) < 2**62 else outcome_array(range(a, b))
    return Var.of(Law.in_order(Axis(values, FRACTIONS), np.full(b - a, 1 / (b - a)), 1.0, FLOATS))


@checked(p=_probability)
def bernoulli(p: Any) -> Var:
    """1 with probability p, else 0.

    >>> bernoulli(Fraction(3, 10)).probs
    array([Fraction(7, 10), Fraction(3, 10)], dtype=object)

    p is a float, a Fraction or an expression; the law keeps its kind. Raises InvalidLaw outside [0, 1].
    """
    return Var([0, 1], [1 - p, p])


@checked(n=partial(whole, least=0), p=_probability)
def binomial(n: int, p: Any) -> Var:
    """The number of successes in n independent trials: P(k) = C(n, k) p^k (1 - p)^(n - k).

    >>> binomial(2, 0.5).probs
    array([0.25, 0.5 , 0.25])

    Moments are closed forms; the law is computed when first read. n = 0 is the constant 0. Raises RandvarError for
    n < 0, InvalidLaw for p outside [0, 1]. Cost: O(n) outcomes, when read.
    """
    return Var.of(Sum([Draws(bernoulli(p).source, n)]))


@checked(weights=sequence)
def weighted_die(weights: Sequence[Any]) -> Var:
    """Faces 1..n with probabilities in proportion to the weights.

    >>> weighted_die([1, 2, 3, 4]).probs
    array([0.1, 0.2, 0.3, 0.4])

    Raises InvalidLaw when the weights are negative or sum to 0.
    """
    return from_weights(range(1, len(weights) + 1), weights)


@checked(logits=sequence, temperature=partial(floating, above=0))
def softmax(logits: Sequence[float], values: Iterable[Any] | None = None, temperature: float = 1.0) -> Var:
    """P(i) in proportion to exp(logits_i / temperature), over `values` (default 0, 1, ..., as actions or tokens).

    >>> from math import log
    >>> softmax([0.0, log(3)]).probs
    array([0.25, 0.75])

    A logit of -inf masks its outcome; so does one so small that its probability underflows. Raises RandvarError for a
    temperature that is not positive, NaN logits, or all logits -inf.
    """
    given = [scalar(logit) for logit in logits]
    for logit in given:
        if is_expression(logit):
            raise RandvarError(
                "softmax needs numbers; for symbols write from_weights(values, [sympy.exp(logit) for logit in logits])"
            )
        if not isinstance(logit, (int, float, Fraction)):
            raise TypeError(f"softmax: a logit must be a number, got {described(logit)}")
    with within_floats("softmax: a logit"):
        scores = np.array([float(logit) for logit in given])
    if not len(scores) or np.isnan(scores).any() or not np.isfinite(scores.max()):
        raise RandvarError(f"softmax needs at least one finite logit and no NaN or +inf, got {scores[:6].tolist()}")
    with np.errstate(over="ignore"):  # so far below the largest that exp gives 0
        weights = np.exp((scores - scores.max()) / temperature)
    return from_weights(range(len(scores)) if values is None else values, weights)


def constant(v: Any) -> Var:
    """P(X = v) = 1, for a number or any hashable v. It goes with laws of every kind.

    >>> constant("red").prob("red")
    Fraction(1, 1)

    Raises TypeError for an unhashable v, InvalidLaw for NaN.
    """
    if isinstance(v, Arithmetic):
        raise TypeError("constant takes an outcome, got a random variable, which is none; use it as it is")
    return Var([v], [1])


class Frame(Protocol):
    """A DataFrame, as far as a law needs it: the names of its columns, and each of them."""

    @property
    def columns(self) -> Iterable[Any]:
        """The names."""

    def __getitem__(self, name: Any, /) -> Any:
        """The column of a name."""


@overload
def empirical(data: Frame) -> Joint: ...
@overload
def empirical(data: Iterable[Any]) -> Var: ...
def empirical(data: Iterable[Any] | Frame) -> Var | Joint:
    """The law of one observation drawn from the data (a list, an array, a pandas Series), each equally likely.

    >>> empirical(["a", "b", "a", "a"]).prob("a")
    0.75

    P(X = a) = (number of a among the data) / n, a float; `.rational()` makes them fractions. Of a DataFrame, each row
    is an observation and each column a coordinate: the Joint of `frame[["x", "y"]]`. `x.to_pandas()` is the way back.
    Raises InvalidLaw for no data or NaN among them (`series.dropna()`), TypeError for a dict (`from_dict`).
    """
    if isinstance(data, Mapping):
        raise TypeError(
            f"empirical takes observations, got a {type(data).__name__}, which lists its keys;"
            " from_dict takes {outcome: probability}"
        )
    if isinstance(data, Joint):
        raise TypeError("empirical takes observations, got a Joint, which is a law already; use it as it is")
    if hasattr(data, "columns"):
        columns = [Axis.of(column) for column in frame_columns(data)]
        counted = Law.of(columns, np.ones(len(columns[0].values)), 1.0, FLOATS)
        return Joint.of(replace(counted, weights=counted.weights / len(columns[0].values)))
    outcomes = observations("the data", data)
    if not outcomes:
        raise InvalidLaw("empirical needs at least one observation; the data are empty")
    return from_weights(outcomes, np.ones(len(outcomes)))


def from_dict(law: Mapping[Any, Any]) -> Var:
    """The law {outcome: probability}; the probabilities must sum to 1.

    >>> from_dict({"x": 0.8, "y": 0.2}).prob("x")
    0.8

    Raises InvalidLaw where they do not, TypeError for anything but a mapping. The way back is `Var.to_dict`. A pandas
    Series of shares is one, over its index: `from_dict(series.value_counts(normalize=True))`; of counts,
    `from_weights(counts.index, counts)`.
    """
    if isinstance(law, Mapping):
        return Var(law.keys(), law.values())
    if hasattr(law, "index") and getattr(law, "ndim", None) == 1:
        return Var(law.index, law)
    raise TypeError(f"from_dict takes a mapping of outcomes to probabilities, got {described(law)}")


def from_weights(values: Iterable[Any], weights: Iterable[Any]) -> Var:
    """The law with probabilities in proportion to the weights: the one that normalises.

    >>> from_weights(["rock", "paper"], [1, 3]).prob("paper")
    0.75

    `values` are the outcomes, aligned with the weights. Fractions, also beside ints, give a rational law, expressions a
    symbolic one, ints alone and floats a float one. Raises InvalidLaw when the weights are negative or sum to 0.
    """
    numbers = list(map(scalar, aligned("weights", weights)))
    with within_floats("a weight"):
        if all(isinstance(w, (int, float)) for w in numbers):
            numbers = [float(w) for w in numbers]
        kind, given, _ = weighed(numbers)
    if not len(given):
        raise InvalidLaw("a law needs at least one outcome; the weights are empty")
    mass = kind.total(given)
    if mass == 0:
        raise InvalidLaw("the weights sum to 0, so no outcome is possible; at least one must be positive")
    return Var(values, kind.shares(*kind.reduced(given, mass)))


@checked(laws=sequence)
def mixture(laws: Sequence[Var], shares: Sequence[Any]) -> Var:
    """The law of a draw from laws[i], i drawn with probability shares[i]: P(X = a) = sum_i shares[i] P(X_i = a).

    >>> mixture([bernoulli(0.5), constant(7)], [0.5, 0.5])
    Var: 3 outcomes, mean 3.75
      0  0.25
      1  0.25
      7  0.5

    The law of total probability. Raises InvalidLaw for shares that do not sum to 1, RandvarError for a float law beside
    an exact one.
    """
    for law in laws:
        if not isinstance(law, Var):
            raise TypeError(f"mixture takes a list of Vars, got {described(law)}; constant(v) makes one")
    return Var(range(len(laws)), shares).op(laws.__getitem__)


@checked(lost=_mass_left_out)
def from_scipy(frozen: Any, lost: float = 1e-12) -> Var:
    """The law of a discrete frozen `scipy.stats` distribution: P(X = k) = frozen.pmf(k).

    >>> from scipy import stats
    >>> x = from_scipy(stats.poisson(3.0))
    >>> x.lost_mass < 1e-12
    True

    An infinite support is cut where at most `lost` of the mass lies beyond, half of it at either end; what was cut is
    in `lost_mass` (and in the repr), and the rest is scaled to 1. Raises TypeError for a continuous distribution,
    RandvarError for one with outcomes that are not one apart, SupportTooLarge for a tail too heavy to list.
    """
    values, weights, beyond = listed_distribution(frozen, lost)
    return Var.of(from_weights(values, weights).law.warranted(Warrant(cut=beyond)))


@checked(nodes=partial(whole, least=1, most=300), mean=real, std=partial(real, least=0))
def normal(mean: float = 0.0, std: float = 1.0, nodes: int = 40) -> Var:
    """The Gauss-Hermite discretisation of a normal law: exact for polynomials up to degree 2 * nodes - 1.

    >>> x = normal(0.0, 1.0, nodes=3)
    >>> [round(v, 6) for v in x.values.tolist()], [round(p, 6) for p in x.probs.tolist()]
    ([-1.732051, 0.0, 1.732051], [0.166667, 0.666667, 0.166667])

    `mean` and `std` are those of the law, `nodes` its number of outcomes. Its probabilities are quadrature weights, not
    a histogram of the normal curve. Raises RandvarError for std < 0 or more than 300 nodes. Cost: O(nodes^2). Source:
    Abramowitz & Stegun 25.4.46.
    """
    from scipy.special import roots_hermitenorm

    points, weights = roots_hermitenorm(nodes)
    with within_floats("a node"):
        return _by_quadrature(float(mean) + float(std) * points, weights / math.fsum(weights))


@checked(nodes=partial(whole, least=1, most=300), low=real, high=real)
def continuous_uniform(low: float = 0.0, high: float = 1.0, nodes: int = 40) -> Var:
    """The Gauss-Legendre discretisation of the uniform law on [low, high]: exact for polynomials to degree 2*nodes - 1.

    >>> x = continuous_uniform(0.0, 1.0, nodes=2)
    >>> [round(v, 6) for v in x.values.tolist()], x.probs.tolist()
    ([0.211325, 0.788675], [0.5, 0.5])

    Its probabilities are quadrature weights, as those of `normal` are. Raises RandvarError unless low < high, or for
    more than 300 nodes. Source: Abramowitz & Stegun 25.4.30.
    """
    if low >= high:
        raise RandvarError(f"continuous_uniform needs low < high, got {one_line(low)} and {one_line(high)}")
    points, weights = gauss_legendre(nodes)
    with within_floats("a node"):
        return _by_quadrature(float(low) + float(finite(high - low)) * points, weights)


def _by_quadrature(points: Array, weights: Array) -> Var:
    """Gaussian quadrature of m nodes: the mean of a polynomial is exact up to degree 2m - 1. One point is itself."""
    x = Var(points, weights)
    return Var.of(x.law.warranted(Warrant(degree=2 * len(points) - 1, nodes=True))) if len(x) > 1 else x
