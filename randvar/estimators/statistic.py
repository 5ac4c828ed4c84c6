"""A person's statistic, run on samples: what it is handed, and what counts as undefined."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from randvar.atoms.outcomes import Axis, outcome_array
from randvar.calls.call import numbers
from randvar.calls.finer import as_long_double
from randvar.calls.repetition import not_a_function, same
from randvar.calls.wrapping import InBytes, Unwrapped, as_float, as_in_bytes, as_unwrapped
from randvar.errors import RandvarError, UndefinedOutcome
from randvar.estimators.order import UNDEFINED, magnitudes, same_but_for_rounding
from randvar.estimators.witnesses import Witnessed
from randvar.finer import Refined, as_meant, in_single_precision, meant, refined
from randvar.law import Law
from randvar.numbers.arrays import Array, in_one_array, is_numeric, object_array, scalar, scalar_or_single, unit_of
from randvar.numbers.base import Numbers
from randvar.numbers.kinds import FRACTIONS
from randvar.numbers.symbolic import is_undefined
from randvar.sums.multinomial import rounding_of_masses
from randvar.sums.multisets import Chunk, expand, indices_of, multiset_count
from randvar.var import Var, returned
from randvar.warrant import SOUND

__all__ = ["Found", "Statistic"]

_DEFINED = {bool, int, str}  # of a result that is no NaN, and needs no second look
_WHOLE = {np.int64, np.bool_}  # nor of these, once they are Python's
_TRIED = 4  # samples whose order is changed
_VIEWS: dict[Any, type[Array]] = {as_unwrapped: Unwrapped, as_in_bytes: InBytes}
_MACHINE: dict[Any, type] = {as_float: float, as_long_double: np.longdouble}  # in arrays of machine numbers


@dataclass(frozen=True)
class Found:
    """The law of one chunk, over the mass of all samples (None if nothing is defined), and what was undefined in it."""

    law: Law | None
    undefined: str | None = None
    weight: Any = 0


@dataclass(frozen=True)
class Statistic(Witnessed):
    """The statistic with the outcomes it draws from; picklable if the function is."""

    function: Callable[[Any], Any]
    columns: tuple[Array, ...]
    rows: bool
    vectorized: bool
    numbers: Numbers
    weights: Array
    cells: Any = None  # samples are made of: None the outcomes, object Python's integers, else what the function makes
    floats: bool = False  # of an exact law too, the numbers are floats
    first: Any = None  # the result on the first sample

    @property
    def width(self) -> int:
        """Numbers in one draw."""
        return len(self.columns)

    def run(self, part: Chunk) -> Found:
        """Its law on the samples of a chunk."""
        indices, weights = expand(part)
        results, reason = self.results(indices)
        self._check_large(results, indices)
        results, radius = self._refined(results, indices)
        bad = [] if isinstance(results, np.ndarray) else [i for i, r in enumerate(results) if r is UNDEFINED]
        if not bad:
            return Found(self._law(results, weights, part, radius))
        why = f"{reason or 'NaN'} on the sample {self._shown(indices[bad[0]])}"
        defined = np.ones(len(weights), dtype=bool)
        defined[bad] = False
        kept = [r for r in results if r is not UNDEFINED]
        law = self._law(kept, weights[defined], part) if kept else None
        return Found(law, why, self.numbers.total(weights[~defined]))

    def _refined(self, results: Any, indices: Array) -> Refined:
        """Where draws are floats and rounding made results doubtful, what finer numbers give."""
        if not self._plain() or self.cells is not None:
            return Refined(results)
        unit = _unit(results)
        if unit:
            return in_single_precision(results, self._size(), unit)
        return refined(results, self._size(), indices.shape[1], lambda which: self._again(as_meant, indices[which]))

    def _law(self, results: Any, weights: Array, part: Chunk, radius: Array | None = None) -> Law:
        mass = self.numbers.power_of_mass(self.weights, part.n)
        warrant = SOUND.rounded(rounding_of_masses(self.weights, part.n, ordered=part.ordered))
        samples = Law((Axis(np.arange(len(weights)), FRACTIONS),), (), weights, mass, self.numbers, warrant)
        if radius is None:
            return returned(samples, results)
        return samples.pushed(replace(Axis.of(results), radius=radius), unit=_unit(results))

    def results(self, indices: Array) -> tuple[list[Any] | Array, str | None]:
        """What it returns on the samples with these indices of outcomes, and why the first undefined one is."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # 0/0 in numpy: found below, as NaN
            return self._whole(indices) if self.vectorized else self._each(indices)

    def _each(self, indices: Array) -> tuple[list[Any], str | None]:
        results: list[Any] = []
        reason = None
        samples = iter(self.samples(indices))
        with np.errstate(divide="log", call=_DivisionByZero()):
            while len(results) < len(indices):
                try:
                    results.extend(map(self.function, samples))
                except (ArithmeticError, ValueError) as error:
                    results.append(UNDEFINED)
                    reason = reason or f"{type(error).__name__}: {error}"
                except Exception as error:
                    raise UndefinedOutcome(
                        f"the statistic raised {type(error).__name__}: {error} on the sample"
                        f" {self._shown(indices[len(results)])}{self._as_floats(error)}"
                    ) from error
        kinds = set(map(type, results))
        if kinds <= _DEFINED:
            return results, None
        if len(kinds) == 1 and kinds <= _WHOLE:
            return [r.item() for r in results], None
        return [r if r is UNDEFINED else _or_nothing(scalar_or_single(r)) for r in results], reason

    def _whole(self, indices: Array) -> tuple[list[Any] | Array, str | None]:
        try:
            results = np.asarray(_called(self.function, self._array(indices)))
        except ArithmeticError:
            return self._one_by_one(indices)
        except Exception as error:
            raise UndefinedOutcome(
                f"the vectorized statistic raised {type(error).__name__}: {error} on an array of {len(indices)} samples"
                f"{self._as_floats(error)}"
            ) from error
        if results.shape != (len(indices),):
            raise UndefinedOutcome(
                f"a vectorized statistic returns one outcome a sample, shape ({len(indices)},); got {results.shape}"
            )
        if is_numeric(results) and not np.isnan(results).any():
            return results, None
        listed = [_or_nothing(scalar(r)) for r in results.tolist()]
        return (listed, None) if any(r is UNDEFINED for r in listed) else (results, None)

    def _as_floats(self, error: Exception) -> str:
        """The way out of a function that takes floats and no Fractions: math and numpy say it in these words."""
        takes_none = "ufunc" in str(error) or "object has no attribute" in str(error) or "dtype" in str(error)
        if not takes_none or self.floats or not self.numbers.exact:
            return ""
        return "; sample=float hands it floats instead of exact numbers, and probabilities stay as they are"

    def _one_by_one(self, indices: Array) -> tuple[list[Any], str | None]:
        """A vectorized statistic that divides by 0 somewhere: find out where."""
        results: list[Any] = []
        reason = None
        for row in indices:
            try:
                result = scalar(np.asarray(_called(self.function, self._array(row[None])))[0])
            except ArithmeticError as error:
                result, reason = UNDEFINED, reason or f"{type(error).__name__}: {error}"
            except Exception as error:
                raise UndefinedOutcome(
                    f"the vectorized statistic raised {type(error).__name__}: {error} on the sample {self._shown(row)}"
                ) from error
            results.append(_or_nothing(result))
        return results, reason

    def same_in(self, order: Array, rows: Array, given: list[Any]) -> bool:
        """Whether samples in another order give the same results, up to rounding (`randvar.estimators.order`)."""

        def again(which: list[int], finer: Callable[[Any], Any]) -> tuple[list[Any], list[Any]] | None:
            one, two = self._again(finer, rows[which]), self._again(finer, order[which])
            return None if one is None or two is None else (_listed(one), _listed(two))

        return same_but_for_rounding(given, _listed(self.results(order)[0]), self._size(), again)

    # -- what trials may refute ---------------------------------------------------------------------------------------

    def remembering(self, n: int) -> Statistic:
        """With the result on the first sample, which is run twice."""
        made = replace(self, first=self._on_first(n))
        if made.first is not UNDEFINED and not isinstance(made.first, Var):
            outcome_array([made.first])  # refuses what is no outcome, before it is compared with anything
        made.check_first_again(n)
        return made

    def check_first_again(self, n: int) -> None:
        """Refuse a statistic that is no function of its sample: run again on the first, it gives something else."""
        again = self._on_first(n)
        if not _same(self.first, again):
            where = f"the sample {self._shown(np.zeros(n, dtype=int))}"
            raise not_a_function(
                "the statistic is not a function of its sample", where, *map(_told, (self.first, again))
            )

    def _on_first(self, n: int) -> Any:
        return _listed(self._with(None).results(np.zeros((1, n), dtype=int))[0])[0]

    def refute_symmetry(self, n: int) -> None:
        """Refuse symmetric=True where a few samples show that the order matters."""
        difference = self.difference_by_order(n)
        if difference:
            raise RandvarError(f"symmetric=True, but the order of the draws matters: {difference}; leave symmetric out")

    def difference_by_order(self, n: int) -> str:
        """Two orders of one sample with two results, in words; nothing if none was found."""
        size = multiset_count(len(self.weights), n)
        ranks = sorted({(size - 1) * i // (_TRIED + 1) for i in range(1, _TRIED + 1)})
        rows = np.concatenate([indices_of(Chunk(self.weights, n, r, r + 1, False)) for r in ranks])
        given = _listed(self.results(rows)[0])
        for order in (rows[:, ::-1], np.roll(rows, 1, axis=1)) if n > 1 else ():
            for i in range(len(rows)):
                if not self.same_in(order[i : i + 1], rows[i : i + 1], given[i : i + 1]):
                    other = _listed(self.results(order[i : i + 1])[0])[0]
                    here, there = (self._shown(r[i]) for r in (rows, order))
                    return f"{here} gives {_told(given[i])}, {there} {_told(other)}"
        return ""

    def _size(self) -> float:
        """The largest magnitude among the numbers that it draws from."""
        return max((float(magnitudes(c).max(initial=0)) for c in self.columns), default=0.0)

    def _with(self, cells: Any) -> Statistic:
        return replace(self, cells=cells)

    def samples(self, indices: Array) -> Iterator[Any]:
        """Each sample as the statistic is handed it."""
        if self._plain():
            return iter(self._array(indices))
        lists = [self._made(c).tolist() for c in self.columns]
        if self.numbers.exact and not self.rows:
            return iter(self._viewed(object_array(lists[0])[indices]))
        draws = list(zip(*lists, strict=True)) if self.rows else lists[0]
        return (tuple(draws[i] for i in row) for row in indices.tolist())

    def _plain(self) -> bool:
        return (self.floats or not self.numbers.exact) and all(is_numeric(c) for c in self.columns)

    def _array(self, indices: Array) -> Array:
        columns = list(map(self._made, self.columns))
        if not self.rows:
            return self._viewed(columns[0][indices])
        dtype = np.result_type(*columns) if in_one_array(columns) else object
        return self._viewed(np.stack([c.astype(dtype)[indices] for c in columns], axis=-1))

    def _viewed(self, sample: Array) -> Array:
        subclass = _VIEWS.get(self.cells)
        return sample if subclass is None else sample.view(subclass)

    def _made(self, column: Array) -> Array:
        """The column as what samples are made of."""
        if self.cells is as_meant and is_numeric(column):
            return meant(column)
        if self.cells is None:
            return column if self.numbers.exact and not self.vectorized else numbers(column)
        if self.cells is object or (self.cells in _MACHINE and is_numeric(column)):
            return numbers(column).astype(_MACHINE.get(self.cells, object))
        return object_array([self.cells(v) for v in numbers(column).tolist()])

    def _shown(self, row: Array) -> str:
        picked = [c[row].tolist() for c in self.columns]
        return repr(tuple(zip(*picked, strict=True)) if self.rows else tuple(picked[0]))


def _unit(results: Any) -> float:
    """The rounding unit of single precision, if results are in it."""
    return unit_of(results, set(map(type, results)) if isinstance(results, list) else ())


def _or_nothing(result: Any) -> Any:
    return UNDEFINED if _is_nan(result) else result


def _is_nan(result: Any) -> bool:
    if isinstance(result, tuple):
        return any(map(_is_nan, result))
    return is_undefined(result)


class _DivisionByZero:
    """What numpy tells of a division by 0: a logarithm of 0 is -inf, and passes."""

    def write(self, message: str) -> None:
        """Raise FloatingPointError unless it was a logarithm."""
        if " log" not in message:
            raise FloatingPointError(message.removeprefix("Warning: ").strip())


def _called(function: Callable[[Any], Any], sample: Any) -> Any:
    """function(sample), where dividing by 0 is as undefined in numpy as it is in Python; log(0) is -inf."""
    with np.errstate(divide="log", call=_DivisionByZero()):
        return function(sample)


def _same(a: Any, b: Any) -> bool:
    """Whether two results of one sample are one: the same number, word or law."""
    return a is b or (a is not UNDEFINED and b is not UNDEFINED and same(a, b))


def _told(result: Any) -> Any:
    return "nothing" if result is UNDEFINED else result


def _listed(results: list[Any] | Array) -> list[Any]:
    if isinstance(results, np.ndarray):
        return list(results) if unit_of(results, ()) else results.tolist()
    return results
