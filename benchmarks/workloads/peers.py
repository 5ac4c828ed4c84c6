"""The other libraries as their own documentation says to use them, for sums of independent draws.

- dyce: `n @ H(...)`, "to sum n identical histograms, the matrix multiplication operator provides a shorthand"
  (docstring of H); it convolves by repeated squaring. Counts are integers, there is no float law.
- icepool: `n @ die` (README, docstring of Die.__matmul__). Its sum is one die at a time, recursively, which "seems to
  perform better than binary split" (comment in Die._sum_all); Python's recursion limit is raised to let it.
- Lea: `x.times(n)`, "a fast dichotomous algorithm, instead of a naive approach that scales up badly" (its docstring),
  with float probabilities (`prob_type="f"`) where a float law is wanted.
- sympy.stats: the density of a sum of n named variables is a product of n spaces, k^n cases. Naming the law of a sum
  with FiniteRV and adding two of those, again and again, is what its API allows beyond that, and much quicker.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from benchmarks.judges import Law, as_law

__all__ = ["from_dyce", "from_icepool", "from_lea", "from_sympy", "icepool_sum", "lea_law", "sympy_law", "sympy_sum"]


def icepool_sum(die: Any, n: int) -> Any:
    """The sum of n icepool dice."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 10 * n))
    return n @ die


def lea_law(values: Sequence[Any], weights: Sequence[int]) -> Any:
    """A Lea with float probabilities."""
    import lea

    total = sum(weights)
    return lea.pmf({v: w / total for v, w in zip(values, weights, strict=True)}, prob_type="f")


def sympy_law(name: str, law: Mapping[Any, Any]) -> Any:
    """A named finite random variable; the sum of its probabilities need not be checked again."""
    from sympy.stats import FiniteRV

    return FiniteRV(name, dict(law), check=False)


def sympy_sum(law: Mapping[Any, Any], n: int) -> Mapping[Any, Any]:
    """The density of the sum of n independent draws, by doubling."""
    from sympy.stats import density

    if n == 1:
        return law
    half = sympy_sum(law, n // 2)
    doubled = density(sympy_law("A", half) + sympy_law("B", half))
    return doubled if n % 2 == 0 else density(sympy_law("A", doubled) + sympy_law("B", law))


def from_dyce(h: Any) -> Law:
    """An H, or any mapping of outcomes to integer counts, as arrays."""
    return as_law(h.items(), h.total)


def from_icepool(die: Any) -> Law:
    """A Die as arrays."""
    return as_law(die.items(), die.denominator())


def from_lea(x: Any) -> Law:
    """A Lea as arrays."""
    return as_law(x.pmf_tuple())


def from_sympy(law: Mapping[Any, Any]) -> Law:
    """A density as arrays."""
    return as_law((value, Fraction(int(p.p), int(p.q))) for value, p in law.items())
