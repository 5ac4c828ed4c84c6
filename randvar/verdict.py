"""The verdict: is an estimator unbiased, and how does it vary? Proved in exact laws, to rounding in float ones."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from randvar.arguments import all_of, checked, coefficient, one_of, real
from randvar.display import escaped, rounded, short
from randvar.draws import Sum, magnitude, mean_radius
from randvar.errors import RandvarError, SupportTooLarge, described
from randvar.estimators.sampling import monte_carlo
from randvar.information import differences
from randvar.joint import Joint
from randvar.law_arguments import a_var, count, numeric
from randvar.lazy import Lazy
from randvar.moments import expect, variance
from randvar.numbers.arrays import EPS, scalar
from randvar.numbers.kinds import EXPRESSIONS, kind_of, meet
from randvar.numbers.overflow import within_floats
from randvar.numbers.symbolic import collected, float_or, is_zero, sign
from randvar.provenance import warrant_of
from randvar.rounding_of_means import accuracy_of_mean, judged
from randvar.var import Var
from randvar.warrant import SOUND, Warrant

__all__ = ["Bias", "Comparison", "Report", "assert_same_law", "assert_unbiased", "compare", "report"]

_UNITS = {"float64": 0.0, "float32": 2.0**-23}  # of outcomes, where a person says how they were computed
_ULPS = 16  # roundings of the target, of each outcome and of each probability, with some to spare
_BEYOND = 4  # how much larger than the largest listed outcome a mean of what was cut off is taken to be
_FAR_BEYOND = 1000  # and how much larger than that it may still be

Proof = Literal[
    "proved",
    "to rounding",
    "to single precision",
    "to the rounding of your function",
    "up to the mass cut off",
    "an approximation",
    "not decided",
]


@dataclass(frozen=True)
class Bias:
    """The mean of an estimator beside its target: is it unbiased, and how sure is that?

    `proof` is the weakest word that holds. "proved": every number is exact, and every ordered sample was run or need
    not be. "to rounding" and "to single precision": a bias up to `rounding` counts as none. "to the rounding of your
    function": the function that made the outcomes was called again on finer numbers, and what it rounded is in
    `rounding`. "up to the mass cut off": the tail that is not listed explains the bias. "an approximation" (quadrature)
    and "not decided": `unbiased` is None, neither True nor False. All of it holds if what is `assumed` does, as it was
    declared, and is about the law given that the estimator is `defined`, which has that probability.
    """

    target: Any
    mean: Any
    bias: Any
    unbiased: bool | None
    proof: Proof
    rounding: float
    assumed: frozenset[str]
    defined: Any
    cut: float

    @property
    def verdict(self) -> str:
        """In words: "unbiased (proved)", "biased by -55/36 (proved)", "unbiased (to rounding, 4e-15)".

        >>> from fractions import Fraction
        >>> report(Var([0, 1], [Fraction(1, 4), Fraction(3, 4)]), target=Fraction(1, 2)).verdict
        'biased by 1/4 (proved)'
        """
        sure = self._sure()
        if self.defined != 1:
            sure += f", given that it is defined (probability {rounded(self.defined)})"
        if self.assumed:
            sure += f", if {' and '.join(sorted(self.assumed))}, as declared"
        if self.unbiased is None:
            return f"not decided ({sure})"
        return f"unbiased ({sure})" if self.unbiased else f"biased by {short(self.bias)} ({sure})"

    def _sure(self) -> str:
        if self.proof == "an approximation":
            return f"by quadrature, an approximation: the mean is off by about {short(self.bias)}"
        if self.proof == "not decided":
            return f"the mean is off by {short(self.bias)}, and {self._undecided()}"
        if self.proof == "up to the mass cut off":
            return f"up to the {self.cut:.1g} of mass that was cut off"
        return self.proof if self.proof == "proved" else f"{self.proof}, {self.rounding:.1g}"

    def _undecided(self) -> str:
        """What would decide."""
        if math.isinf(self.rounding):
            return "some probabilities are not known; Fractions (x.rational() of what it is made of) tell"
        if self.cut:
            return f"the {self.cut:.1g} of mass that was cut off may explain it; from_scipy(..., lost=) cuts less"
        if self.rounding:
            return (
                f"your function may have rounded by {self.rounding:.1g}: as a function of its arguments alone, in"
                " numpy's functions instead of math's, it can be measured in finer numbers"
            )
        return "how accurate its probabilities are is not known; x.rational() makes them exact"


@dataclass(frozen=True)
class Report(Bias):
    """What `report` found: the bias, and how the estimator varies.

    >>> found = report(Var([0, 1], [0.25, 0.75]), target=0.5)
    >>> found.unbiased, found.bias, found.variance, found.mse, found.wrong_sign
    (False, 0.25, 0.1875, 0.25, 0.0)

    Its numbers are `target`, `mean`, `bias` = mean - target, `variance`, `mse` = bias^2 + variance and `wrong_sign`,
    the probability of the sign of -target (None where there is none). `unbiased`, `proof`, `rounding`, `assumed` and
    `defined` are the verdict (`Bias`), in words `verdict`. Made by `report`, which says what it raises.
    """

    variance: Any
    mse: Any
    wrong_sign: Any

    def rows(self) -> list[tuple[str, str]]:
        """The report as (what, value) pairs of strings, in the order in which it is shown.

        >>> report(Var([0, 1], [0.25, 0.75]), target=0.5).rows()[-3:]
        [('variance', '0.1875'), ('mean squared error', '0.25'), ('P(wrong sign)', '0')]
        """
        numbers = [
            ("verdict", self.verdict),
            ("target", short(self.target)),
            ("mean", short(self.mean)),
            ("bias", "0" if self.unbiased else short(self.bias)),
            ("variance", short(self.variance)),
            ("mean squared error", short(self.mse)),
        ]
        return numbers if self.wrong_sign is None else [*numbers, ("P(wrong sign)", short(self.wrong_sign))]

    def __repr__(self) -> str:
        width = max(len(what) for what, _ in self.rows())
        return "\n".join(f"{what.ljust(width)}  {value}" for what, value in self.rows())

    def _repr_html_(self) -> str:
        cells = (f"<tr><th>{escaped(a)}</th><td>{escaped(b)}</td></tr>" for a, b in self.rows())
        return f'<table style="text-align:left;font-variant-numeric:tabular-nums">{"".join(cells)}</table>'


@checked(estimator=all_of(a_var, numeric), target=coefficient, precision=one_of("float64", "float32"))
def report(estimator: Var, target: Any, *, precision: Literal["float64", "float32"] = "float64") -> Report:
    """Mean, bias, variance, mean squared error (bias^2 + variance) and P(wrong sign) of an estimator of `target`.

    >>> from fractions import Fraction
    >>> die = Var([1, 2, 3, 4, 5, 6], [Fraction(1, 6)] * 6)
    >>> from randvar.estimators.sampling_distribution import sampling_distribution
    >>> report(sampling_distribution(max, die, 2), target=6)
    verdict             biased by -55/36 (proved)
    target              6
    mean                161/36
    bias                -55/36
    variance            2555/1296
    mean squared error  155/36
    P(wrong sign)       0

    With Fractions or expressions the verdict is a proof, for every value of the symbols. With floats it is "to
    rounding": unbiased means that |bias| is no more than rounding could have made, and that bound is in the report. The
    wrong sign is that of -target; it is left out for a target of 0, of unknown sign, or a law too large to list. `Bias`
    has all the words of a verdict, and when it is none: of a law by quadrature, or of unknown accuracy.
    `precision="float32"` says that outcomes were computed in single precision where nothing shows it, after `.item()`:

    >>> report(Var([0.5, 1.50000006], [0.5, 0.5]), target=1, precision="float32").verdict
    'unbiased (to single precision, 4e-06)'

    Raises
    TypeError where a number is missing, RandvarError for a target that is not finite or a float beside symbols.
    """
    found = _bias("report", estimator, target, _UNITS[precision])
    spread = variance(estimator)
    with within_floats("report: the mean squared error"):
        error = _tidy(found.bias**2 + spread)
    return Report(
        **vars(found),
        variance=_tidy(spread),
        mse=error,
        wrong_sign=_wrong_sign(estimator, found.target),
    )


def _bias(name: str, estimator: Var, target: Any, unit: float) -> Bias:
    """E[estimator] - target, and whether it is 0; `unit` is that of single precision where a person declares it."""
    _refuse_floats_among_symbols(name, estimator, target)
    mean = expect(estimator)
    with within_floats(f"{name}: the bias"):
        bias = _tidy(_difference(mean, target))
    warrant, told = estimator.source.warrant, warrant_of([target])
    if unit:
        warrant = warrant.and_of(Warrant(precision=unit))
    if told not in (SOUND, warrant.of_a_number(1)):  # the target rests on something else
        warrant = warrant.and_of(told)
    found = Bias(target, _tidy(mean), bias, None, "proved", 0.0, warrant.assumed, warrant.defined, warrant.cut)
    if warrant.degree < 1:
        return replace(found, proof="an approximation")
    if not isinstance(bias, float):
        return replace(found, unbiased=is_zero(bias))
    with within_floats(f"{name}: an outcome"):
        return _to_rounding(found, estimator, target, warrant)


def _to_rounding(found: Bias, x: Var, target: Any, warrant: Warrant) -> Bias:
    """The verdict where the bias is a float: what rounding explains, else what was cut off, is none."""
    off = abs(found.bias)
    if not math.isfinite(warrant.accuracy):
        return replace(found, proof="not decided", rounding=math.inf)
    size = magnitude(x.source) + abs(float(target))
    rounding = _rounding(x, size) + _ULPS * warrant.precision * size
    found = replace(found, rounding=rounding, proof="to single precision" if warrant.precision else "to rounding")
    if not warrant.cut:
        return replace(found, unbiased=True) if off <= rounding else _of_a_function(found, x, size)
    explained = rounding + _BEYOND * warrant.cut * (_largest(x) + abs(float(target)))
    if off <= explained:
        return replace(found, unbiased=True, proof="up to the mass cut off")
    return _of_a_function(found, x, size) if off > _FAR_BEYOND * explained else replace(found, proof="not decided")


def _of_a_function(found: Bias, x: Var, size: float) -> Bias:
    """The verdict where rounding inside a person's function may explain the bias."""
    unbiased, bound = judged(x.source, found.bias, found.rounding, size)
    proof: dict[bool | None, Proof] = {True: "to the rounding of your function", None: "not decided"}
    return replace(found, unbiased=unbiased, rounding=bound, proof=proof.get(unbiased, found.proof))


def _largest(x: Var) -> float:
    """The largest magnitude of an outcome; of a sum, that of the sum of its draws."""
    if isinstance(x.source, Sum):
        draws = (d.copies * abs(float(d.scale)) * _largest(Var.of(d.source)) for d in x.source.draws if d.copies)
        return abs(float(x.source.shift)) + sum(draws)
    return float(np.abs(x.values.astype(float)).max())


def _refuse_floats_among_symbols(name: str, x: Var, target: Any) -> None:
    """A float that stands for a third is not one: its rounding would be reported as a bias, and as proved."""
    if x.source.numbers is not EXPRESSIONS:
        return
    for number in (*_drawn(x), target):
        if isinstance(number, float):
            raise RandvarError(
                f"{name}: {number!r} is a float in a law with symbols, where a verdict is a proof; give Fractions or"
                " expressions (an int divided by an int is a float: write Fraction(a, b))"
            )


def _drawn(x: Var) -> list[Any]:
    """The outcomes that x is made of: of a sum those of its draws, so that its law need not be listed."""
    if isinstance(x.source, Sum):
        return [v for d in x.source.draws for v in _drawn(Var.of(d.source))]
    try:
        return x.values.tolist()  # type: ignore[no-any-return]
    except SupportTooLarge:
        return []


def _difference(mean: Any, target: Any) -> Any:
    """mean - target; a float target of an expression is the rational number that it is."""
    meet(kind_of([mean]), kind_of([target]))  # refuses symbols beside floats
    return mean - kind_of([mean]).beside(target)


def _tidy(number: Any) -> Any:
    """Expressions factored, and constants among them as Fractions."""
    return scalar(collected(number))


def _rounding(x: Var, size: float) -> float:
    """How far the computed bias can be from the true one.

    Each outcome and probability carries a few roundings, and pairwise summation of n terms adds log2(n) more
    (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2); probabilities may be off by their accuracy.
    `magnitude` bounds the size that they act on: of a difference of groups, the groups. Where outcomes were computed
    with more rounding than that, they say so.
    """
    rounding = (_ULPS + math.log2(_terms(x))) * EPS + accuracy_of_mean(x.source)
    return rounding * size + mean_radius(x.source)


def _terms(x: Var) -> int:
    """How many outcomes the mean was summed over; a closed form sums over few."""
    return _ULPS if isinstance(x.source, Lazy) else len(x)


def _wrong_sign(x: Var, target: Any) -> Any:
    wanted = sign(target)
    if not wanted:
        return None
    try:
        law = x.law
        if law.warrant.nodes:
            return None
        if law.axes[0].numbers is EXPRESSIONS:  # whose order need not be that of numbers
            return x.prob((lambda v: v < 0) if wanted > 0 else (lambda v: v > 0))
        values, rows = law.axes[0].values.tolist(), np.arange(len(law.weights))
        return law.probability(rows < bisect_left(values, 0) if wanted > 0 else rows >= bisect_right(values, 0))
    except (SupportTooLarge, RandvarError):  # not listed, or outcomes that depend on a symbol
        return None


def _row_html(cell: str, texts: Sequence[str]) -> str:
    style = f"white-space:{'normal' if cell == 'th' else 'nowrap'};text-align:left;padding:0 1em 0 0"
    return "<tr>" + "".join(f'<{cell} style="{style}">{escaped(text)}</{cell}>' for text in texts) + "</tr>"


@dataclass(frozen=True)
class Comparison:
    """Several estimators of one target, side by side: `reports` by name. `plot()` draws bias and spread.

    >>> found = compare({"flip": Var([0, 1], [0.5, 0.5])}, target=0.5)
    >>> found["flip"].variance, found.laws["flip"].values, found.target
    (0.25, array([0, 1]), 0.5)

    `comparison[name]` is the Report of one estimator, `laws[name]` its law (averaged over `steps` draws), `table()`
    what is shown. In a notebook the picture stands below the table. Made by `compare`, which says what it raises.
    """

    reports: Mapping[str, Report]
    laws: Mapping[str, Var]
    target: Any

    def __getitem__(self, name: str) -> Report:
        return self.reports[name]

    def table(self) -> list[list[str]]:
        """A header and a row an estimator: lists of strings.

        >>> compare({"flip": Var([0, 1], [0.25, 0.75])}, target=0.5).table()[1][2:]
        ['0.25', '0.1875', '0.25']
        """
        header = ["estimator", "verdict", "bias", "variance", "mean squared error"]
        return [header] + [
            [name, r.verdict, "0" if r.unbiased else short(r.bias), short(r.variance), short(r.mse)]
            for name, r in self.reports.items()
        ]

    def plot(self) -> Any:
        """The picture of bias and spread (`compare_plot`).

        >>> compare({"flip": Var([0, 1], [0.5, 0.5])}, target=0.5).plot()
        <Picture: Bias and spread of flip>

        Raises RandvarError for symbols, which no axis shows.
        """
        from randvar import plots

        return plots.compare_plot(self.laws, self.target)

    def __repr__(self) -> str:
        table = self.table()
        widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in table)

    def _repr_html_(self) -> str:
        header, *body = self.table()
        rows = _row_html("th", header) + "".join(_row_html("td", row) for row in body)
        return f'<table style="font-variant-numeric:tabular-nums">{rows}</table>{self._picture()}'

    def _picture(self) -> str:
        """The picture below the table, where the laws can be drawn."""
        try:
            figure = self.plot()
        except (RandvarError, TypeError):  # symbols, or too many outcomes
            return ""
        return figure._repr_html_() or ""


@checked(steps=count)
def compare(estimators: Mapping[str, Var], target: Any, steps: int = 1) -> Comparison:
    """Reports of several estimators of one target, each averaged over `steps` draws.

    >>> from fractions import Fraction
    >>> coin = Var([0, 1], [Fraction(1, 4), Fraction(3, 4)])
    >>> compare({"one flip": coin, "a guess": coin * 0 + Fraction(1, 2)}, target=Fraction(3, 4), steps=2)
    estimator  verdict                   bias  variance  mean squared error
    one flip   unbiased (proved)         0     3/32      3/32
    a guess    biased by -1/4 (proved)   -1/4  0         1/16

    `reports[name]` of the result is a Report, `plot()` a picture. Raises TypeError for anything but a mapping of names
    to Vars, RandvarError for steps < 1, and as `report` does. Cost: as of `monte_carlo` for each estimator; moments are
    closed forms, and P(wrong sign) is left out of a law too large to list.
    """
    if not isinstance(estimators, Mapping) or not estimators:
        raise TypeError(f"compare takes a mapping of names to estimators, got {described(estimators)}")
    laws = {
        str(name): monte_carlo(a_var("compare", repr(name), x), steps) if steps > 1 else a_var("compare", repr(name), x)
        for name, x in estimators.items()
    }
    return Comparison({name: report(x, target) for name, x in laws.items()}, laws, target)


@checked(estimator=all_of(a_var, numeric), target=coefficient, precision=one_of("float64", "float32"))
def assert_unbiased(estimator: Var, target: Any, *, precision: Literal["float64", "float32"] = "float64") -> None:
    """Raise AssertionError, with the verdict, unless E[estimator] is the target, as far as can be told.

    >>> from fractions import Fraction
    >>> assert_unbiased(Var([0, 1], [Fraction(1, 4), Fraction(3, 4)]), target=Fraction(3, 4))

    It passes where `report(estimator, target).unbiased` is True, whatever the word for how sure that is, and not for an
    approximation nor where nothing is decided. `precision` is that of `report`. Raises as `report` does.
    """
    found = _bias("assert_unbiased", estimator, target, _UNITS[precision])
    if not found.unbiased:
        raise AssertionError(
            f"the estimator is {found.verdict}: its mean is {short(found.mean)}, the target {short(found.target)}"
        )


@checked(tolerance=partial(real, least=0, most=1), precision=one_of("float64", "float32"))
def assert_same_law(
    x: Var | Joint, y: Var | Joint, tolerance: float = 1e-12, *, precision: Literal["float64", "float32"] = "float64"
) -> None:
    """Raise AssertionError, with the outcome whose probability differs most, unless the two laws are one (`same_law`).

    >>> assert_same_law(Var([0, 1], [0.5, 0.5]), Var([1, 0], [0.5, 0.5]))

    Of two Joints rows are compared, coordinate by coordinate. Probabilities of float laws may differ by `tolerance`,
    relative to each; exact ones not at all. Outcomes of laws in single precision, as they know themselves or by
    `precision="float32"`, are one within its rounding. Raises TypeError for a Var beside a Joint.
    """
    found = differences(x, y, tolerance, _UNITS[precision])
    if not found:
        return
    worst, p, q = max(found, key=lambda difference: _gap(*difference[1:]))
    raise AssertionError(
        f"the laws differ ({len(x)} and {len(y)} outcomes), most at {worst!r}: probability {short(p)} and {short(q)}"
    )


def _gap(p: Any, q: Any) -> float:
    return float(abs(float_or(p - q, math.inf)))
