"""What the functions of completions ask of their arguments: completions, policies, functions of one number a token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from randvar.arguments import coefficient, function
from randvar.errors import RandvarError, described, one_line
from randvar.law_arguments import a_var
from randvar.policies import TokenPolicy
from randvar.var import Var

__all__ = ["a_policy", "law_of_completions", "named", "per_token"]

AFunction = TypeVar("AFunction", bound=Callable[..., Any])


def law_of_completions(name: str, argument: str, x: Any) -> Var:
    """A law of tuples of tokens; a string is the tuple of its letters."""
    for tokens in a_var(name, argument, x).values.tolist():
        if not isinstance(tokens, (tuple, str)):
            raise TypeError(
                f"{name}: {argument} must be a law of tuples of tokens, as of rollout, got the outcome"
                f" {described(tokens)}"
            )
    return x  # type: ignore[no-any-return]


def a_policy(name: str, argument: str, policy: Any) -> TokenPolicy:
    """A TokenPolicy."""
    if not isinstance(policy, TokenPolicy):
        raise TypeError(f"{name}: {argument} must be a TokenPolicy, got {described(policy)}")
    return policy


def per_token(name: str, argument: str, f: Any) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """A function from a completion to one finite number a token, which is looked at when it is called."""
    function(name, argument, f)

    def numbers(tokens: Sequence[Any]) -> tuple[Any, ...]:
        given = f(tokens)
        row = given.tolist() if hasattr(given, "tolist") and not isinstance(given, type) else given
        if not isinstance(row, (list, tuple)) or len(row) != len(tokens):
            raise RandvarError(
                f"{name}: {argument} must give one number a token, {len(tokens)} for {one_line(tokens)}, got"
                f" {described(given)}"
            )
        return tuple(coefficient(name, f"each of {argument}", number) for number in row)

    return numbers


def named(name: str, f: AFunction) -> AFunction:
    """The function under the name that messages give: that of the function that the reader called."""
    f.__name__ = name
    return f
