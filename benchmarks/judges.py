"""How far an answer is from the exact one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.workload import Finding

__all__ = ["Law", "as_law", "at_some_values", "number", "whole_law"]

Law = tuple[np.ndarray, np.ndarray]  # values and probabilities

_NEGLIGIBLE = 1e-300
_SAME = 1e-11  # of the largest value: how far a value may be off


def as_law(pairs: Any, total: int | None = None) -> Law:
    """Pairs (value, weight) as ascending arrays of floats; integer weights are divided exactly by their total."""
    pairs = sorted(pairs)
    values = np.array([float(value) for value, _ in pairs])
    return values, np.array([float(w) if total is None else w / total for _, w in pairs])


def whole_law(truth: Callable[[], Law]) -> Callable[[Law], Finding]:
    """Every atom above 1e-300 against the exact law; no error is stated where the number of atoms differs."""

    def judge(found: Law) -> Finding:
        values, probs = _above(found)
        true_values, true_probs = _above(truth())
        if len(values) != len(true_values):
            return Finding(len(values), math.nan)
        if np.abs(values - true_values).max() > _SAME * np.abs(true_values).max():
            return Finding(len(values), math.inf)
        return Finding(len(values), float(np.abs(probs / true_probs - 1).max()))

    return judge


def at_some_values(truth: Callable[[], Mapping[Any, Any]]) -> Callable[[Law], Finding]:
    """Some atoms against their exact probabilities (fractions, mpmath numbers); all above 1e-300 are counted."""

    def judge(found: Law) -> Finding:
        values, probs = found
        exact = truth()
        wanted = np.array(list(exact))
        at = np.searchsorted(values, wanted)
        near = np.minimum(at, len(values) - 1)
        atoms = np.where(values[near] == wanted, probs[near], 0)
        errors = [abs(p / q - 1) for p, q in zip(atoms.tolist(), exact.values(), strict=True)]
        return Finding(int(np.count_nonzero(probs > _NEGLIGIBLE)), float(max(errors)))

    return judge


def number(truth: Callable[[], Any]) -> Callable[[Any], Finding]:
    """A number against the exact one."""

    def judge(found: Any) -> Finding:
        exact = truth()
        return Finding(None, float(abs(found - exact) / abs(exact)))

    return judge


def _above(law: Law) -> Law:
    values, probs = law
    order = np.argsort(values, kind="stable")
    values, probs = np.asarray(values, float)[order], np.asarray(probs, float)[order]
    kept = probs > _NEGLIGIBLE
    return values[kept], probs[kept]
