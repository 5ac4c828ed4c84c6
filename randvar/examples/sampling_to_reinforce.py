"""The vocabulary of the article "From Sampling to Reinforce", and what it assumes and does not print.

The estimators that it names (`ab_test`, `linear_control`, ...), the methods of a Joint as functions, its sliders and
boxes; its toy functions, and the checks.

    from randvar import *
    from randvar.examples.sampling_to_reinforce import *

after which its cells find every name. The article's own `leave_one_out` draws its baseline from a random generator;
here it is the baseline's law.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from randvar.errors import RandvarError
from randvar.estimators.controls import (
    ab_sampling,
    ab_test,
    linear_control,
    monte_carlo_with_control,
    quadratic_control,
)
from randvar.estimators.divergence import kl_k3, kl_topk
from randvar.estimators.sampling import monte_carlo
from randvar.families import softmax
from randvar.joint_functions import add, div, marginal, mul, sub, transpose
from randvar.plots import (
    ab_control_widget,
    coin_variance_slider,
    covariance_3d,
    covariance_interpolation_slider,
    density,
    histogram,
    histogram_row,
    linear_control_widget,
    monte_carlo_samples_slider,
    polling_sketch,
    reinforce_baseline_slider,
    scaled_variance_slider,
    show_control,
    sum_variance_slider,
    temperature_policy_slider,
    variance_3d,
    variance_reduction_3d,
)
from randvar.var import Var

__all__ = [
    "ab_control_widget",
    "ab_sampling",
    "ab_test",
    "add",
    "check",
    "coin_variance_slider",
    "covariance_3d",
    "covariance_interpolation_slider",
    "div",
    "f",
    "histogram_row",
    "kl_k3",
    "kl_topk",
    "leave_one_out",
    "linear_control",
    "linear_control_widget",
    "linear_f",
    "marginal",
    "monte_carlo_samples_slider",
    "monte_carlo_with_control",
    "mul",
    "np",
    "polling_sketch",
    "quadratic_control",
    "quadratic_f",
    "reinforce_baseline_slider",
    "response",
    "scaled_variance_slider",
    "show_control",
    "sub",
    "sum_variance_slider",
    "temperature_policy_slider",
    "transpose",
    "variance_3d",
    "variance_reduction_3d",
]

_F = {1: 9, 2: 10, 3: 13, 4: 15, 5: 20, 6: 26}
_LINEAR = {1: 14, 2: 15, 3: 19, 4: 23, 5: 24, 6: 28}
_QUADRATIC = {1: 3, 2: 9, 3: 14, 4: 25, 5: 35, 6: 47}
_RESPONSES = (4, 5, 5, 5, 6, 6, 6, 6, 6, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4)


def f(face: int) -> int:
    """The function of a die whose mean the article estimates.

    >>> [f(face) for face in range(1, 7)]
    [9, 10, 13, 15, 20, 26]
    """
    return _F[face]


def linear_f(face: int) -> int:
    """Roughly 10 + 3 * face."""
    return _LINEAR[face]


def quadratic_f(face: int) -> int:
    """Roughly face^2 + 2 * face."""
    return _QUADRATIC[face]


def response(person: int) -> int:
    """How red each of 30 people leans, 1 to 6; persons 0 to 9 live in the red county."""
    return _RESPONSES[person]


def leave_one_out(temperature: float, n: int) -> Var:
    """Law of the baseline: the mean reward (the action itself) of the n - 1 other draws of the policy.

    >>> leave_one_out(3.0, n=2).values
    array([0, 1, 2, 3, 4, 5, 6, 7])
    """
    if n < 2:
        raise RandvarError(f"leave_one_out needs at least 2 draws, got n = {n}: there is no other draw to average")
    return monte_carlo(softmax(range(8), temperature=temperature), n - 1)


def _log_ratio(face: int) -> float:
    return math.log(face / 21 * 6)


def _k3(face: int) -> float:
    return _log_ratio(face) + 21 / face / 6 - 1


def _after_top_three(face: int) -> float:
    exact = sum(top / 21 * _log_ratio(top) for top in (6, 5, 4))
    return exact + 6 / 21 * _log_ratio(face)


_FAIR = (1 / 6,) * 6
_LOADED = tuple(face / 21 for face in range(1, 7))
_FACES = tuple(range(1, 7))

# name of the check: function of a face, the faces and their probabilities, number of draws
_CHECKS: dict[str, tuple[Callable[[int], float], Sequence[int], Sequence[float], int]] = {
    "single": (f, _FACES, _FAIR, 1),
    "ten": (f, _FACES, _FAIR, 10),
    "quadratic": (lambda face: quadratic_f(face) - (face**2 + 2 * face - 133 / 6), _FACES, _FAIR, 5),
    "kl": (_log_ratio, _FACES, _LOADED, 5),
    "k3": (_k3, _FACES, _LOADED, 5),
    "topk": (_after_top_three, (1, 2, 3), (1 / 6, 1 / 3, 1 / 2), 5),
}


def enumerated(name: str) -> tuple[list[float], list[float]]:
    """The law that a check expects, by listing every multiset of draws: it shares nothing with the engine."""
    g, faces, probs, n = _CHECKS[name]
    found: list[tuple[float, float]] = []
    for draws in itertools.combinations_with_replacement(range(len(faces)), n):
        orders = math.factorial(n)
        for i in set(draws):
            orders //= math.factorial(draws.count(i))
        found.append((math.fsum(g(faces[i]) for i in draws) / n, orders * math.prod(probs[i] for i in draws)))
    values: list[float] = []
    masses: list[list[float]] = []
    for value, mass in sorted(found):
        if values and math.isclose(value, values[-1], rel_tol=1e-12, abs_tol=1e-13):
            masses[-1].append(mass)
        else:
            values.append(value)
            masses.append([mass])
    return values, [math.fsum(mass) for mass in masses]


def check(
    name: str, estimator: Var, plot: bool = True, variance_diagram: bool = False, density_view: bool = False
) -> Any:
    """Compare the whole law of an estimator with an independent enumeration; show it if `plot`.

    Raises AssertionError with the outcome that differs most, RandvarError for an unknown name. Returns the picture: a
    histogram, the boxes of its variance, or a smoothed density.
    """
    if name not in _CHECKS:
        raise RandvarError(f"no check is called {name!r}; there are {', '.join(map(repr, _CHECKS))}")
    values, probs = enumerated(name)
    assert len(values) == len(estimator), f"{name}: {len(estimator)} outcomes, but enumeration finds {len(values)}"
    gap = np.abs(estimator.values - values) + np.abs(estimator.probs - probs)
    worst = int(np.argmax(gap))
    assert gap[worst] <= 1e-12 * max(1.0, abs(values[worst])), (
        f"{name}: outcome {estimator.values[worst]} has probability {estimator.probs[worst]}, but enumeration finds"
        f" {values[worst]} with {probs[worst]}"
    )
    if not plot:
        return None
    view = variance_3d if variance_diagram else density if density_view else histogram
    return view(estimator)
