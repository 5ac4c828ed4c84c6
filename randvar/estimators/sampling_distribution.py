"""Any function of n independent draws: its law, by running it on every sample that can happen.

A statistic that does not look at the order of the draws (`symmetry` says which) is run once for each multiset: 1716
instead of 262,144 tuples for six draws out of eight outcomes. Samples come in chunks, so that memory is bounded by the
outcomes found and not by the samples; an executor may take the chunks elsewhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from randvar.arguments import checked, flag, one_of, optional
from randvar.atoms.outcomes import Axis
from randvar.context import OR_MORE, RAISE_IT, carried, check_budget, check_draws, current
from randvar.display import short
from randvar.errors import ImpossibleEvent, SupportTooLarge, UndefinedOutcome, described, one_line
from randvar.estimators.symmetry import ORDER, computes_nothing, is_blind_to_order
from randvar.finer import merged_components
from randvar.joint import Joint
from randvar.law import Law
from randvar.law_arguments import a_law, count, function_of_a_sample
from randvar.numbers.arrays import Array
from randvar.numbers.base import WORDS, Numbers
from randvar.progress import reported
from randvar.sums.multinomial import in_words
from randvar.sums.multisets import Chunk, multiset_count, multiset_parts, tuple_parts
from randvar.var import Var
from randvar.warrant import Warrant

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from randvar.calls.finer import FunctionRounding
    from randvar.estimators.statistic import Found, Statistic

__all__ = ["sampling_distribution"]

_CALLS = 2**12  # samples in a chunk of single calls
_CELLS = 2**22  # numbers in a chunk that a vectorized statistic is handed
_IN_FLIGHT = 16  # chunks an executor holds at a time


def _an_executor(name: str, argument: str, executor: Any) -> Executor:
    if not hasattr(executor, "submit"):
        raise TypeError(f"{name}: {argument} must be a concurrent.futures.Executor, got {described(executor)}")
    return executor  # type: ignore[no-any-return]


def _floats(name: str, argument: str, sample: Any) -> type[float]:
    if sample is not float:
        raise TypeError(f"{name}: {argument} is float, or left out; got {described(sample)}")
    return float


@checked(
    statistic=function_of_a_sample,
    x=a_law,
    n=partial(count, least=0),
    symmetric=optional(flag),
    vectorized=flag,
    undefined=one_of("raise", "drop"),
    executor=optional(_an_executor),
    sample=optional(_floats),
)
def sampling_distribution(
    statistic: Callable[[Any], Any],
    x: Var | Joint,
    n: int,
    symmetric: bool | None = None,
    vectorized: bool = False,
    undefined: Literal["raise", "drop"] = "raise",
    *,
    executor: Executor | None = None,
    sample: type[float] | None = None,
) -> Var:
    """Law of statistic(X1, ..., Xn), the Xi independent copies of x.

    >>> die = Var([1, 2, 3, 4, 5, 6], [1/6] * 6)
    >>> sampling_distribution(max, die, 2).prob(6)
    0.3055555555555556

    The statistic takes one sample and returns an outcome, or a Var (a fresh draw, to break a tie say). A sample of a
    numeric Var is an array of n values (booleans as 0 and 1); of an exact law, an object array of ints, Fractions or
    expressions; of other outcomes, a tuple. A sample of a numeric Joint is an (n, dim) array if its probabilities are
    floats, of any other Joint a tuple of rows. With `vectorized=True` the statistic takes m samples at a time, (m, n)
    or (m, n, dim), and returns m outcomes. `zip(*sample)` makes columns of rows, here for the ratio of two means:

    >>> from fractions import Fraction
    >>> from randvar.moments import expect
    >>> pair = Joint([1, 2], [1, 3], [[Fraction(1, 2), 0], [0, Fraction(1, 2)]])
    >>> def ratio(sample):
    ...     xs, ys = zip(*sample)
    ...     return Fraction(sum(xs), sum(ys))
    >>> expect(sampling_distribution(ratio, pair, 3))
    Fraction(163, 210)

    The result is as exact as what the statistic returns. numpy divides ints to floats and Fractions to Fractions, so an
    exact mean of `np.var` takes a law whose outcomes are Fractions (`op(Fraction)`):

    >>> import numpy as np
    >>> exact = die.rational()
    >>> expect(sampling_distribution(np.var, exact, 2)), expect(sampling_distribution(np.var, exact.op(Fraction), 2))
    (1.4583333333333335, Fraction(35, 24))

    numpy's integers have 64 bits and wrap around. A statistic of whole numbers is tried on a few samples as floats too,
    and as Fractions where the results differ; if they still do, Python's integers are handed to it, in object arrays:

    >>> sampling_distribution(np.prod, Var([1, 6], [0.5, 0.5]), 30).values[-1] == 6**30
    True

    `symmetric`: whether the order of the draws does not matter. None runs every ordered sample, or every multiset where
    the statistic is known not to look at the order (`max`, `sum`, `np.mean`, `np.var`, `np.median`, ...). True declares
    it: every multiset is run, a few samples are tried in other orders, which may refute the declaration, and the law
    remembers it (a verdict reads "if the order of the draws does not matter, as declared"). A statistic is a function
    of its sample: one that draws random numbers, or keeps a state, is refused where a second run shows it.
    `undefined`: a sample on which the statistic is NaN, or raises an ArithmeticError or ValueError, is an error that
    says how likely it is; "drop" conditions on the others and reports the mass dropped in `lost_mass`. A bar shows when
    it takes more than a second or two (`settings(progress=...)`). `executor`: any `concurrent.futures.Executor`; the
    statistic must then be picklable. `sample=float` hands float arrays of an exact law too, to code that takes no
    Fractions (scipy, torch): probabilities stay exact.

    >>> sampling_distribution(lambda s: np.sqrt(s).sum() > 4, exact, 2, sample=float).prob(True)
    Fraction(5, 18)

    Raises SupportTooLarge when there are more samples than the budget to run, or more than 100 times as many draws in
    all of them; UndefinedOutcome where integers wrap around in a statistic that takes no objects, or makes numpy's
    integers of them. Cost: C(n + k - 1, n) calls for a symmetric statistic of k outcomes, k^n otherwise, and up to
    about a hundred to try it; memory for the outcomes found.
    Source: Feller, An Introduction to Probability Theory and Its Applications, vol. 1, section II.5 (the number of
    multisets).
    """
    check_budget(n, f"one sample of {one_line(n)} draws", OR_MORE)
    task = _task(statistic, x, vectorized, sample is float)
    weights = task.weights
    known = is_blind_to_order(statistic)
    by_multisets = symmetric is True or (known and symmetric is None)
    size, noun = _samples(task, n, by_multisets, symmetric)
    declared = by_multisets and not known
    if not known:  # those that are known are functions of their sample
        task = task.remembering(n)
    if not computes_nothing(statistic):
        task = task.without_wrapping(weights, n)
    if declared:
        task.refute_symmetry(n)
    chunk = max(1, min(2**18 if vectorized else _CALLS, _CELLS // max(1, n * task.width)))
    parts = (multiset_parts if by_multisets else tuple_parts)(weights, n, chunk=chunk)
    found = reported(_results(task, parts, executor), size, f"sampling_distribution ({noun})")
    warrant = x.source.warrant.copies(n).through(None).and_of(Warrant(assumed=frozenset({ORDER} if declared else ())))
    law = _law(found, task.numbers, undefined, warrant)
    if not known:
        task.check_first_again(n)
    return Var.of(law.law.by(lambda: _rounding(task, n, by_multisets)))


def _rounding(task: Statistic, n: int, by_multisets: bool) -> FunctionRounding:
    from randvar.estimators.finer_samples import statistic_rounding  # late: few verdicts come here

    return statistic_rounding(task, n, by_multisets)


def _samples(task: Statistic, n: int, by_multisets: bool, symmetric: bool | None) -> tuple[int, str]:
    """How many samples are to be run, and what they are; refused past the budget."""
    multisets, orders = multiset_count(len(task.weights), n), len(task.weights) ** n
    size, noun = (multisets, "multisets") if by_multisets else (orders, "ordered samples")
    allowed = current().max_atoms
    if size > allowed:
        hint = "" if by_multisets or symmetric is False else _declare(task, n, multisets)
        raise SupportTooLarge(
            f"the sampling distribution would run {in_words(size)} {noun} of {n} draws, over max_atoms={allowed:,}; a"
            f" mean is monte_carlo(x, n) and a sum total(x, n), which run none; else take fewer draws, or group the"
            f" outcomes (x.op, stochastic_rounding), or {RAISE_IT}{hint}",
            size=size,
            budget=allowed,
        )
    check_draws(size, n, "the sampling distribution")
    return size, noun


def _declare(task: Statistic, n: int, multisets: int) -> str:
    """The way out of too many ordered samples, if trials do not show that it is none."""
    difference = task.difference_by_order(n)
    if difference:
        return f"; the order of the draws matters: {difference}"
    return (
        f"; where the order of the draws does not matter, say symmetric=True: that runs {in_words(multisets)} multisets"
        " (a few samples tried in other orders gave no difference, which proves nothing)"
    )


def _task(statistic: Callable[[Any], Any], x: Var | Joint, vectorized: bool, floats: bool) -> Statistic:
    from randvar.estimators.statistic import Statistic  # what runs a function, for when there is one to run

    law = x.law
    columns = tuple(map(_in_floats, law.columns) if floats else (column.values for column in law.columns))
    weights = law.numbers.normalised(law.weights, law.mass)
    return Statistic(statistic, columns, isinstance(x, Joint), vectorized, law.numbers, weights, floats=floats)


def _in_floats(column: Axis) -> Array:
    """The outcomes as floats."""
    try:
        return column.values.astype(float)
    except (TypeError, ValueError):
        shown = one_line(column.values.tolist()[0])
        raise TypeError(f"sampling_distribution: sample=float takes laws of numbers, got the outcome {shown}") from None


def _results(task: Statistic, parts: Iterator[Chunk], executor: Executor | None) -> Iterator[tuple[int, Found]]:
    """What each chunk gives, in order, with how many samples it holds."""
    if executor is None:
        for part in parts:
            yield len(part), task.run(part)
        return
    waiting: deque[tuple[int, Any]] = deque()
    run = carried(task.run)
    try:
        for part in parts:
            waiting.append((len(part), executor.submit(run, part)))
            if len(waiting) >= _IN_FLIGHT:
                size, future = waiting.popleft()
                yield size, future.result()
        while waiting:
            size, future = waiting.popleft()
            yield size, future.result()
    finally:
        for _, future in waiting:
            future.cancel()


def _law(found: Iterator[Found], numbers: Numbers, undefined: str, warrant: Warrant) -> Var:
    """The chunks as one law. Rounding is merged whenever as many atoms have come as were kept."""
    kept: list[Law] = []
    lost: list[Found] = []
    size = 0
    for part in found:
        lost.extend([part] if part.undefined is not None else [])
        kept.extend([part.law] if part.law is not None else [])
        size += len(kept[-1].weights) if kept else 0
        if len(kept) > 1 and size > max(2**16, len(kept[0].weights)):
            kept, size = [Law.joined(kept)], 0
    if not lost:
        law = _joined(kept)
        return Var.of(law.warranted(warrant.and_of(law.warrant)))
    return Var.of(_of_the_defined(kept, lost, numbers, undefined, warrant))


def _joined(parts: list[Law]) -> Law:
    """The chunks as one law; tuples of floats, in which nothing is merged, component by component."""
    law = Law.joined(parts)
    if len(parts) == 1 or law.axes[0].numbers is not WORDS:
        return law
    outcomes = merged_components(law.axes[0].values.tolist())
    return Law.of([Axis.of(outcomes)], law.weights, law.mass, law.numbers, law.warrant)


def _of_the_defined(kept: list[Law], lost: list[Found], numbers: Numbers, undefined: str, warrant: Warrant) -> Law:
    """Given that the statistic is defined, or refused."""
    law = _joined(kept) if kept else None
    mass = numbers.share(1, 1) if law is None else law.numbers.share(sum(part.weight for part in lost), law.mass)
    if undefined == "raise":
        raise UndefinedOutcome(
            f"the statistic is undefined with probability {short(mass)}: {lost[0].undefined};"
            ' undefined="drop" conditions on the samples where it is defined'
        )
    if law is None:
        raise ImpossibleEvent("the statistic is undefined on every sample, so there is no law to condition on")
    weights, mass_kept = law.numbers.reduced(law.weights, law.numbers.total(law.weights))
    given = replace(law, weights=weights, mass=mass_kept)
    return given.warranted(warrant.and_of(law.warrant).lacking(mass))
