"""What the functions of completions ask of their arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from randvar.engine.arguments import function
from randvar.engine.magnitude import within_floats
from randvar.errors import described
from randvar.policies import TokenPolicy
from randvar.var import Var

__all__ = ["a_policy", "check_run", "in_range"]

F = TypeVar("F", bound=Callable[..., Any])


def a_policy(name: str, argument: str, policy: Any) -> TokenPolicy:
    """A TokenPolicy."""
    if not isinstance(policy, TokenPolicy):
        raise TypeError(f"{name}: {argument} must be a TokenPolicy, got {described(policy)}")
    return policy


def check_run(name: str, completions: Any, *policies: Any, weights: Any = None, **functions: Any) -> None:
    """Completions as a law, policies, weights or None, and functions of a completion by their names."""
    if not isinstance(completions, Var):
        raise TypeError(f"{name}: completions must be a Var, as of rollout, got {described(completions)}")
    for argument, policy in zip(("policy", "reference"), policies, strict=False):
        a_policy(name, argument, policy)
    for argument, given in functions.items():
        function(name, argument, given)
    if weights is not None:
        function(name, "weights", weights)


def in_range(f: F) -> F:
    """The function, whose results are refused past the largest float."""

    @functools.wraps(f)
    def within(*arguments: Any, **keywords: Any) -> Any:
        with within_floats(f"a number of {f.__name__}"):
            return f(*arguments, **keywords)

    return within  # type: ignore[return-value]
