"""Softmax policies: scores (gradients of the log-probability) and exact gradients of an expectation.

With p_a = exp(z_a / T) / sum_b exp(z_b / T), the quotient rule gives dp_a/dz_k = p_a (1{a = k} - p_k) / T. The gradient
of sum_a p_a f(a) is computed from these derivatives of probabilities. It never uses the score identity
d E[f] = E[f * score], which is thereby something to verify.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from randvar.arguments import checked, coefficient, floating, function, listed, optional
from randvar.atoms.search import find
from randvar.calls.call import apply
from randvar.errors import RandvarError, UndefinedOutcome, described, one_line
from randvar.law_arguments import a_var
from randvar.moments import expect
from randvar.numbers.arrays import Array, object_array
from randvar.numbers.kinds import EXPRESSIONS, FLOATS, FRACTIONS, cell_of
from randvar.numbers.overflow import finite, within_floats
from randvar.var import Fn, Var

__all__ = ["TokenPolicy", "chance", "logit_score", "policy_gradient", "steps", "temperature_score", "tokens_of"]

Tokens = Sequence[Any]


def _policy(name: str, _: str, policy: Any) -> Var:
    """A law of actions."""
    if not isinstance(policy, Var):
        raise TypeError(f"{name} takes a policy as a Var over actions, got {described(policy)}")
    return policy


@checked(policy=_policy)
def logit_score(policy: Var, temperature: Any = 1) -> Callable[[Any], tuple[Any, ...]]:
    """The function a -> (d log p(a) / dz_k, k over policy.values) = (1{a = k} - p_k) / T.

    >>> policy = Var(["left", "right"], [0.25, 0.75])
    >>> score = logit_score(policy)
    >>> score("left"), policy.vector(score).dim
    ((0.75, -0.75), 2)

    An action of probability 0 has no score, as its logit is -inf: the function raises RandvarError there. Raises
    RandvarError for a temperature that is not positive. Cost: O(k) a call.
    Source: Sutton & Barto, Reinforcement Learning, sections 2.8 and 13.1.
    """
    return _Softmax("logit_score", policy, temperature).score


@checked(policy=_policy, logits=optional(function))
def temperature_score(policy: Var, temperature: Any = 1, logits: Fn | None = None) -> Fn:
    """The function a -> d log p(a) / dT = (E[z_A] - z_a) / T^2.

    >>> policy = Var([0, 1], [0.25, 0.75])
    >>> score = temperature_score(policy, 2.0, logits=lambda a: float(a))
    >>> score(0), score(1)
    (0.1875, -0.0625)

    `logits` says z_a; without it z_a = T log p_a, which differs from the true logits by a constant that cancels: a
    float, also of exact policies. The function raises RandvarError for an action of probability 0. Raises RandvarError
    for a temperature that is not positive, UndefinedOutcome where the logits fail.
    """
    return _Softmax("temperature_score", policy, temperature).temperature_score(logits)


@checked(policy=_policy, f=function)
def policy_gradient(policy: Var, f: Fn, temperature: Any = 1) -> Array:
    """The exact gradient of E[f(A)] with respect to the logits, (sum_a f(a) dp_a/dz_k, k over policy.values).

    >>> policy_gradient(Var([0, 1], [0.25, 0.75]), lambda a: 8 * a)
    array([-1.5,  1.5])

    Shape (k,) for k actions. By differentiating the probabilities: exact in Fractions and expressions. Raises
    RandvarError for a temperature that is not positive, UndefinedOutcome where f fails on an action, TypeError where it
    is no number, RandvarError where it is infinite. Cost: O(k^2).
    Source: Sutton & Barto, Reinforcement Learning, section 13.2.
    """
    softmax = _Softmax("policy_gradient", policy, temperature)
    rewards = _rewards("policy_gradient", f, policy)
    with within_floats("the difference of two rewards"):
        rewards, _ = policy.source.numbers.without_offset(rewards)  # as sum_a dp_a = 0
    gradient = [policy.source.numbers.dot(rewards, column) for column in softmax.jacobian().T]
    return np.array(gradient, dtype=policy.probs.dtype)


def _rewards(name: str, f: Fn, x: Var) -> Array:
    """f of every outcome, as numbers."""
    given = apply(f, [x.values], x.law.probability_at)
    with within_floats("a reward"):
        return object_array([coefficient(name, "each f(a)", reward) for reward in given]).astype(x.probs.dtype)


def _float_temperature(name: str, temperature: Any) -> float:
    return floating(name, "temperature", temperature, above=0)


def _exact_temperature(_: str, temperature: Any) -> Fraction:
    """An exact policy has exact scores."""
    return Fraction(temperature)


_TEMPERATURES = {FLOATS: _float_temperature, FRACTIONS: _exact_temperature, EXPRESSIONS: _exact_temperature}


class _Softmax:
    """The derivatives of one softmax law in its logits."""

    def __init__(self, name: str, policy: Var, temperature: Any) -> None:
        temperature = coefficient(name, "temperature", temperature, above=0)
        if isinstance(temperature, (int, float, Fraction)):
            temperature = _TEMPERATURES[policy.source.numbers](name, temperature)
        self.name, self.policy, self.temperature = name, policy, temperature

    def jacobian(self) -> Array:
        """J[a, k] = dp_a/dz_k, by the quotient rule."""
        p = self.policy.probs
        with within_floats("a derivative at this temperature"):
            return np.asarray((np.diag(p) - np.multiply.outer(p, p)) / self.temperature)

    def score(self, action: Any) -> tuple[Any, ...]:
        """The row of d log p(action) / dz."""
        at = self.position(action)
        with within_floats("a score at this temperature"):
            return tuple(
                finite((int(k == at) - p) / self.temperature) for k, p in enumerate(self.policy.probs.tolist())
            )

    def temperature_score(self, logits: Fn | None = None) -> Fn:
        """The function a -> (E[z_A] - z_a) / T^2; without the logits z, from log p = z / T + a constant."""
        z = self.policy.log_prob if logits is None else logits
        mean = expect(self.policy, z)

        def score(action: Any) -> Any:
            self.position(action)
            with within_floats("a score at this temperature"):
                slope = finite((mean - z(action)) / self.temperature)
                return slope if logits is None else finite(slope / self.temperature)

        return score

    def position(self, action: Any) -> int:
        """Where the action stands among the possible ones."""
        at = find(self.policy.values, action)
        if at is None:
            raise RandvarError(
                f"{self.name}: {one_line(action)} has probability 0 under the policy, so its log-probability has no"
                " gradient; give it a positive probability"
            )
        return at


def _table(name: str, _: str, table: Any) -> Mapping[Hashable, Var]:
    """Laws of the next token, by context."""
    if not isinstance(table, Mapping) or not table:
        raise TypeError(f"{name} takes a table {{context: Var of the next token}}, got {described(table)}")
    return table


class TokenPolicy:
    """A softmax policy over tokens as a table: for each context the law of the next token, one logit for each token.

    >>> policy = TokenPolicy({(): Var("ab", [0.5, 0.5]), ("a",): Var("ab", [0.25, 0.75]), ("b",): Var("a", [1.0])})
    >>> policy(("a",)).prob("b"), policy.prob(("a", "b"))
    (0.75, 0.375)
    >>> policy.parameters[2], policy.score(("a", "b"))
    ((('a',), 'a'), (0.5, -0.5, -0.25, 0.25, 0.0))

    It is called with a prefix (a tuple of tokens), so that it serves as the step of `rollout`. `context` maps a prefix
    to its row of the table (default: the prefix itself); contexts may share a row, and its logits. Logits are those of
    the possible tokens, in the order of `parameters`; a token of probability 0 has none. A float, rational or symbolic
    policy has scores and gradients of its kind. A gradient has shape (len(parameters),).

    Raises TypeError for an empty table or a row that is no Var, RandvarError for a temperature that is not positive,
    or, when called, a context without a row. Source: Sutton & Barto, Reinforcement Learning, section 13.1.
    """

    @checked("TokenPolicy", table=_table, context=optional(function))
    def __init__(
        self,
        table: Mapping[Hashable, Var],
        *,
        temperature: Any = 1,
        context: Callable[[tuple[Any, ...]], Hashable] | None = None,
    ) -> None:
        names = {key: f"the policy in context {one_line(key)}" for key in table}
        self._rows = {
            key: _Softmax(names[key], _policy(names[key], "table", row), temperature) for key, row in table.items()
        }
        self._context = context or _whole_prefix
        self.parameters = tuple((key, token) for key, row in table.items() for token in row.values.tolist())
        sizes = [len(row) for row in table.values()]
        self._first = dict(zip(table, itertools.accumulate(sizes, initial=0), strict=False))
        numbers = [self._rows[key].temperature for key in table] + [row.probs[0] for row in table.values()]
        self._dtype: Any = cell_of(numbers)

    def __call__(self, prefix: Tokens) -> Var:
        """The law of the next token after a prefix."""
        return self._row(tokens_of(prefix))[1].policy

    def prob(self, tokens: Tokens) -> Any:
        """The product of the token probabilities, P(t_1) P(t_2 | t_1) ...; 0 for a token that is impossible.

        >>> policy = TokenPolicy({0: Var("ab", [0.25, 0.75])}, context=lambda prefix: 0)
        >>> policy.prob(("a", "b")), policy.prob("ac")
        (0.1875, 0.0)

        `tokens` is any sequence of tokens. Raises RandvarError for a context without a row.
        """
        product: Any = 1
        for prefix, token in steps(tokens):
            p = chance(self(prefix), token)
            if p == 0:
                return p
            product = product * p
        return product

    def log_probs(self, tokens: Tokens) -> tuple[Any, ...]:
        """log p(token | prefix), token by token; -inf for a token that is impossible.

        >>> policy = TokenPolicy({0: Var("ab", [0.25, 0.75])}, context=lambda prefix: 0)
        >>> [round(value, 6) for value in policy.log_probs("aab")]
        [-1.386294, -1.386294, -0.287682]

        A tuple, one number for each of the `tokens`. Raises RandvarError for a context without a row.
        """
        return tuple(self(prefix).log_prob(token) for prefix, token in steps(tokens))

    def token_scores(self, tokens: Tokens) -> Array:
        """d log p(token_t | prefix_t) / dz, shape (tokens, parameters).

        >>> policy = TokenPolicy({0: Var("ab", [0.25, 0.75])}, context=lambda prefix: 0)
        >>> policy.token_scores("ab")
        array([[ 0.75, -0.75],
               [-0.25,  0.25]])

        Raises RandvarError for a token of probability 0, whose logit is -inf, or a context without a row. Cost:
        O(tokens * parameters).
        """
        tokens = tokens_of(tokens)
        scores = np.zeros((len(tokens), len(self.parameters)), dtype=self._dtype)
        for t, (prefix, token) in enumerate(steps(tokens)):
            place, row = self._row(prefix)
            scores[t, place] = row.score(token)
        return scores

    def score(self, tokens: Tokens) -> tuple[Any, ...]:
        """d log P(tokens) / dz, the sum of the token scores: a tuple of one number a parameter.

        >>> policy = TokenPolicy({0: Var("ab", [0.25, 0.75])}, context=lambda prefix: 0)
        >>> policy.score("ab")
        (0.5, -0.5)

        Raises as `token_scores` does. Cost: O(tokens * parameters).
        """
        return tuple(self.token_scores(tokens).sum(axis=0).tolist())

    def temperature_score(self, tokens: Tokens) -> Any:
        """d log P(tokens) / dT of a temperature common to all contexts, the logits z = T log p held fixed.

        >>> policy = TokenPolicy({(): Var("ab", [0.25, 0.75])})
        >>> round(policy.temperature_score("b"), 6)    # -log(3)/4: P(b) = 1/(1 + 3^(-1/T))
        -0.274653

        The sum over tokens of (E[z] - z_token) / T^2, a float also of exact policies: z are logarithms. Raises as
        `token_scores` does. Cost: O(vocabulary) a token.
        """
        return sum(self._row(prefix)[1].temperature_score()(token) for prefix, token in steps(tokens))

    def derivative(self, tokens: Tokens) -> Array:
        """dP(tokens) / dz, by the product rule along the tokens; shape (parameters,).

        >>> TokenPolicy({(): Var("ab", [0.25, 0.75])}).derivative("b")
        array([-0.1875,  0.1875])

        Raises RandvarError for a token of probability 0 or a context without a row. Cost: O(parameters + vocabulary^2)
        a token.
        """
        p: Any = 1
        dp = np.zeros(len(self.parameters), dtype=self._dtype)
        for prefix, token in steps(tokens):
            place, row = self._row(prefix)
            at = row.position(token)
            dp = dp * row.policy.probs[at]
            dp[place] = dp[place] + p * row.jacobian()[at]
            p = p * row.policy.probs[at]
        return dp.astype(self._dtype)

    @checked("TokenPolicy.local_gradient", f=function)
    def local_gradient(self, prefix: Tokens, f: Fn) -> Array:
        """The exact gradient of E[f(next token)] after a prefix, over all parameters; shape (parameters,).

        >>> TokenPolicy({(): Var("ab", [0.25, 0.75])}).local_gradient((), lambda token: 8 * (token == "b"))
        array([-1.5,  1.5])

        0 for the parameters of other contexts. `prefix` is a tuple of tokens. Raises RandvarError for a context without
        a row, UndefinedOutcome where f fails on a token, TypeError where it is no number. Cost: O(vocabulary^2).
        """
        place, row = self._row(tokens_of(prefix))
        gradient = np.zeros(len(self.parameters), dtype=self._dtype)
        gradient[place] = policy_gradient(row.policy, f, row.temperature)
        return gradient

    @checked("TokenPolicy.gradient", completions=a_var, f=function)
    def gradient(self, completions: Var, f: Fn) -> Array:
        """The exact gradient of E[f(completion)], sum f(o) dP(o)/dz over all completions o.

        >>> policy = TokenPolicy({(): Var("ab", [0.25, 0.75])})
        >>> policy.gradient(Var([("a",), ("b",)], [0.25, 0.75]), lambda tokens: 8 * (tokens == ("b",)))
        array([-1.5,  1.5])

        `completions` is the law of this policy's rollout; f maps a tuple of tokens to a number and is held fixed (it
        may depend on the policy's present values as a number, not as something to differentiate). Shape (parameters,).
        Raises as `derivative` does, UndefinedOutcome where f fails on a completion, TypeError for completions that are
        no Var and where f is no number. Cost: one call of f and one `derivative` a completion.
        """
        gradient = np.zeros(len(self.parameters), dtype=self._dtype)
        with within_floats("TokenPolicy.gradient: f(completion) dP"):
            rewards = _rewards("TokenPolicy.gradient", f, completions).tolist()
            for tokens, reward in zip(completions.values.tolist(), rewards, strict=True):
                gradient = gradient + reward * self.derivative(tokens)
        return gradient

    def _row(self, prefix: tuple[Any, ...]) -> tuple[slice, _Softmax]:
        try:
            key = self._context(prefix)
        except Exception as error:
            raise UndefinedOutcome(
                f"the context of {one_line(prefix)} raised {type(error).__name__}: {error}"
            ) from error
        if not _is_key(key, self._rows):
            raise RandvarError(
                f"the policy has no row for context {one_line(key)}; its table has {one_line(list(self._rows))}"
            )
        first = self._first[key]
        return slice(first, first + len(self._rows[key].policy)), self._rows[key]


def _is_key(key: Any, table: Mapping[Any, Any]) -> bool:
    try:
        return key in table
    except TypeError:
        raise TypeError(f"the context of a prefix must be hashable, got {described(key)}") from None


def steps(tokens: Tokens) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """(prefix, token) for each token of a completion."""
    row = tokens_of(tokens)
    return ((row[:t], token) for t, token in enumerate(row))


def chance(law: Var, token: Any) -> Any:
    """P(token); one that can be called is a token too, and no event."""
    return law.prob((lambda outcome: outcome is token) if callable(token) else token)


def tokens_of(tokens: Any) -> tuple[Any, ...]:
    """A sequence of tokens, in any form that has an order; a string is one of its letters."""
    if isinstance(tokens, tuple):
        return tokens
    if isinstance(tokens, (set, frozenset)):
        raise TypeError(f"tokens given as a set, which has no order: {one_line(tokens)}; a tuple has one")
    return tuple(listed("tokens", tokens))


def _whole_prefix(prefix: tuple[Any, ...]) -> tuple[Any, ...]:
    """The context of a table by prefixes."""
    return prefix
