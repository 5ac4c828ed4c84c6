"""A language model small enough to sum over: at most two tokens out of "a", "b" and ".", which ends a completion.

The article on Monte Carlo in language-model reinforcement learning prints no model; this one stands in for it. It has
seven completions and nine logits, all in fractions, and the reader may change each of its tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from randvar.errors import RandvarError
from randvar.policies import TokenPolicy, steps
from randvar.var import Var

__all__ = [
    "OLD_VALUES",
    "PACKED_DONE",
    "PACKED_REWARDS",
    "POLICY",
    "PREDICTED_VALUES",
    "REFERENCE",
    "REWARDS",
    "TOKENS",
    "reward",
    "rewards",
    "table_lookup",
    "token_policy",
]

TOKENS = ("a", "b", ".")

# For each prefix that goes on, a number for each next token.
POLICY = {"": "1/2 1/4 1/4", "a": "1/3 1/3 1/3", "b": "1/6 1/3 1/2"}
REFERENCE = {"": "1/4 1/4 1/2", "a": "1/2 1/4 1/4", "b": "1/3 1/3 1/3"}
REWARDS = {"": "0 1 -1", "a": "1 0 2", "b": "0 -1 3"}

# For each prefix, what a value function predicts now, and what it predicted when the completions were drawn.
PREDICTED_VALUES = {"": Fraction(1), "a": Fraction(1, 2), "b": Fraction(2)}
OLD_VALUES = {"": Fraction(1, 2), "a": Fraction(1), "b": Fraction(7, 4)}

# Two episodes packed into one row of six tokens.
PACKED_REWARDS = tuple(map(Fraction, (1, 0, 2, 3, -1, 4)))
PACKED_DONE = (False, False, True, False, False, True)


def token_policy(table: Mapping[str, str]) -> TokenPolicy:
    """The policy of a table: for each prefix the probabilities of "a", "b" and ".", as fractions in a string.

    >>> policy = token_policy({"": "1/2 1/4 1/4", "a": "1/3 1/3 1/3", "b": "1/6 1/3 1/2"})
    >>> policy("b").prob("."), policy.prob("b.")
    (Fraction(1, 2), Fraction(1, 8))

    Raises RandvarError for a prefix without three numbers, InvalidLaw for numbers that are no probabilities.
    """
    return TokenPolicy({tuple(prefix): Var(TOKENS, _numbers(prefix, row)) for prefix, row in table.items()})


def rewards(tokens: Sequence[str]) -> list[Fraction]:
    """What each token of a completion earns.

    >>> rewards("b."), reward("b.")
    ([Fraction(1, 1), Fraction(3, 1)], Fraction(4, 1))
    """
    return [_EARNED["".join(prefix), token] for prefix, token in steps(tokens)]


def reward(tokens: Sequence[str]) -> Fraction:
    """What a completion earns: the sum over its tokens."""
    return sum(rewards(tokens), Fraction(0))


def table_lookup(table: Mapping[str, Any], tokens: Sequence[str]) -> list[Any]:
    """The table's number for each prefix that a completion passes through.

    >>> table_lookup(OLD_VALUES, "b.")
    [Fraction(1, 2), Fraction(7, 4)]
    """
    return [table["".join(prefix)] for prefix, _ in steps(tokens)]


def _numbers(prefix: str, row: str) -> list[Fraction]:
    numbers = [Fraction(number) for number in row.split()]
    if len(numbers) != len(TOKENS):
        raise RandvarError(f"the row of prefix {prefix!r} has {len(numbers)} numbers; give one each for {TOKENS}")
    return numbers


_EARNED = {
    (prefix, token): number
    for prefix, row in REWARDS.items()
    for token, number in zip(TOKENS, _numbers(prefix, row), strict=True)
}
