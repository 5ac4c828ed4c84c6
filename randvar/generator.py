"""A stand-in for numpy's Generator that draws exactly: code that takes `rng=` runs on every path of `enumerated`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

import numpy as np

from randvar.errors import RandvarError
from randvar.families import binomial
from randvar.var import Var

__all__ = ["ExactGenerator"]


class _Draw(Protocol):
    """What draws (`randvar.paths.Draw`)."""

    def __call__(self, law: Any) -> Any:
        """An outcome of a law."""

    def uniform(self, values: Sequence[Any]) -> Any:
        """One of these, each with the same probability."""


_DRAWN = "choice, integers, permutation, permuted, shuffle, binomial"


class ExactGenerator(np.random.Generator):
    """numpy's Generator as far as it draws from finite sets; any other method is refused by its name.

    Results have the types and shapes of numpy's. What is drawn is a path of a program that `enumerated` runs.
    """

    def __init__(self, draw: _Draw) -> None:
        super().__init__(np.random.PCG64(0))  # never drawn from
        self._draw = draw

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and name not in _METHODS and hasattr(np.random.Generator, name):
            _refuse(name)
        return super().__getattribute__(name)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Each of low, ..., high - 1 with the same probability."""
        low, high = (0, low) if high is None else (low, high)
        if np.ndim(low) or np.ndim(high):
            raise RandvarError("rng.integers of arrays of limits is no exact draw here; draw one after the other")
        values = range(int(low), int(high) + bool(endpoint))
        if not values:
            raise ValueError("low >= high")
        return self._many(size, lambda: self._draw.uniform(values), dtype)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Entries of a sequence, with the same probability or with probabilities p, with or without replacement."""
        items = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        places = range(items.shape[axis])
        if not places:
            raise ValueError("a cannot be empty")
        weights = None if p is None else list(p)
        if not replace:
            count = 1 if size is None else int(np.prod(size))
            if count > len(places):
                raise ValueError("Cannot take a larger sample than population when replace is False")
            drawn = self._without_replacement(places, weights, count)
            index = drawn[0] if size is None else np.array(drawn, dtype=np.int64).reshape(size)
        else:
            law = None if weights is None else Var(places, weights)
            index = self._many(size, lambda: self._draw.uniform(places) if law is None else self._draw(law), np.int64)
        return items.take(index, axis=axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """A sequence in a random order."""
        items = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
        places = range(items.shape[axis])
        return items.take(self._without_replacement(places, None, len(places)), axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """A sequence put in a random order, in its place."""
        if isinstance(x, np.ndarray):
            x[...] = self.permutation(x, axis)
        else:
            x[:] = [x[i] for i in self._without_replacement(range(len(x)), None, len(x))]

    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """Each line of an array along an axis in a random order of its own; the whole of it in one."""
        items = np.array(x)
        lines = items.reshape(1, -1) if axis is None else np.moveaxis(items, axis, -1)
        for place in np.ndindex(lines.shape[:-1]):
            lines[place] = self.permutation(lines[place])
        if out is None:
            return items
        out[...] = items
        return out

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """How many of n trials succeed."""
        law = binomial(n, p)
        return self._many(size, lambda: self._draw(law), np.int64)

    def _without_replacement(self, places: Sequence[int], weights: list[Any] | None, count: int) -> list[int]:
        """One after the other, each in proportion to its weight among those that are left."""
        left, drawn = list(places), []
        for _ in range(count):
            if weights is None:
                place = self._draw.uniform(tuple(left))
            else:
                total = sum(weights[i] for i in left)
                place = self._draw(Var(left, [weights[i] / total for i in left]))
            left.remove(place)
            drawn.append(place)
        return drawn

    def _many(self, size: Any, one: Any, dtype: Any) -> Any:
        if size is None:
            return np.dtype(dtype).type(one())
        flat = np.array([one() for _ in range(int(np.prod(size)))], dtype=dtype)
        return flat.reshape(size)


_METHODS = frozenset(_DRAWN.split(", "))


def _refuse(name: str) -> NoReturn:
    raise RandvarError(
        f"enumerated: rng.{name} is no exact draw here; a generator draws {_DRAWN}; draw(law) draws from any law, and"
        " draw.flip(p) is what rng.random() < p stands for"
    )
