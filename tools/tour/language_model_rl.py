"""What the card on Monte Carlo in language-model RL claims, on the small language model: it prints no numbers.

Each claim is an equality, and both of its sides are computed here: by the library, and from a definition or a theorem.
A gradient has nine logits; its row says how far it lies from the other side, at the logit where that is most.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from randvar import (
    Joint,
    bernoulli,
    expect,
    group_gradient,
    kl,
    leave_one_out_gradient,
    monte_carlo,
    reinforce,
    rollout,
    shared,
    softmax,
    variance,
)
from randvar.examples import language_model_rl as model
from randvar.numbers.arrays import Array
from randvar.rollouts import (
    clipped_value_loss,
    clipped_value_loss_gradient,
    discounted_returns,
    discounts,
    dr_grpo,
    kl_as_loss,
    kl_as_reward,
    masked_mean,
    rao_blackwell_kl,
    reward_and_score,
    sequence_kl,
    token_gradient,
    topk_kl,
)
from tools.tour.table import Article, Asserted, Row

__all__ = ["article"]

Tokens = Sequence[str]

_POLICY, _REFERENCE = model.token_policy(model.POLICY), model.token_policy(model.REFERENCE)
_COMPLETIONS, _OTHERS = (rollout(p, 2, stop=".") for p in (_POLICY, _REFERENCE))
_GRADIENT = _POLICY.gradient(_COMPLETIONS, model.reward)
_DRAWS = reward_and_score(_COMPLETIONS, _POLICY, model.reward)
_HALF = Fraction(1, 2)


def article() -> Article:
    """All claims of the card, in its order."""
    return Article(
        "Monte Carlo in Language-Model RL",
        [
            *_policy_gradients(),
            *_discounted_returns(),
            *_value_targets(),
            *_group_advantages(),
            *_sequence_divergence(),
            *_divergence_gradients(),
        ],
    )


def _same(section: str, what: str, stated: str, found: Callable[[], Any], truth: Callable[[], Any]) -> Row:
    """Two vectors that are equal: how far they are apart at most."""

    def apart() -> float:
        return max(abs(float(a - b)) for a, b in zip(found(), truth(), strict=True))

    return Asserted(section, f"{what}: difference", stated, apart, lambda: 0.0)


def _equal(section: str, what: str, stated: str, found: Callable[[], Any], truth: Callable[[], Any]) -> Row:
    """Two numbers that are equal, exact or not."""
    return Asserted(section, what, stated, lambda: float(found()), lambda: float(truth()))


def _policy_gradients() -> list[Row]:
    section = "6.2.3 REINFORCE"
    mean = expect(_COMPLETIONS, model.reward)
    value = {prefix: _mean_return(prefix) for prefix in model.POLICY}
    weights: dict[str, Callable[[Tokens], Any]] = {
        "R": lambda o: [model.reward(o)] * len(o),
        "return": _returns,
        "(R − E[R])": lambda o: [model.reward(o) - mean] * len(o),
        "(return − V)": lambda o: _returns(o) - model.table_lookup(value, o),
    }
    laws = {name: token_gradient(_COMPLETIONS, _POLICY, weight) for name, weight in weights.items()}
    scores = _COMPLETIONS.vector(_POLICY.score)
    return [
        _equal(section, "E[R]", "= token by token", lambda: mean, lambda: _mean_return("")),
        *(_same(section, f"E[{name} score]", "= ∇E[R]", partial(expect, law), _gradient) for name, law in laws.items()),
        *(
            _equal(section, f"noise of {name} score", "= E|g|² − |∇|²", partial(_noise, law), partial(_spread, weight))
            for law, (name, weight) in zip(laws.values(), weights.items(), strict=True)
        ),
        _same(section, "E[score]", "= 0", lambda: expect(scores), lambda: [0] * len(_GRADIENT)),
    ]


def _gradient() -> Array:
    return _GRADIENT


def _returns(tokens: Tokens) -> Array:
    return discounted_returns(model.rewards(tokens))


def _mean_return(prefix: str) -> Fraction:
    """E[return | prefix], by the tower rule: the next reward and what comes after it."""
    if len(prefix) == 2 or prefix.endswith("."):
        return Fraction(0)
    tokens = _POLICY(tuple(prefix)).to_dict()
    return sum((p * (model.rewards(prefix + t)[-1] + _mean_return(prefix + t)) for t, p in tokens.items()), Fraction(0))


def _noise(law: Joint) -> Fraction:
    return Fraction(sum(variance(law)))


def _spread(weight: Callable[[Tokens], Any]) -> Fraction:
    """E|g|^2 - |E g|^2 of g = sum_t weight_t score_t, by its definition."""
    squares = Fraction(0)
    for tokens, p in _COMPLETIONS.to_dict().items():
        g = sum(w * row for w, row in zip(weight(tokens), _POLICY.token_scores(tokens), strict=True))
        squares += p * (g @ g)
    return Fraction(squares - _GRADIENT @ _GRADIENT)


def _discounted_returns() -> list[Row]:
    section = "6.2.7 Discounted returns"
    rewards, done = model.PACKED_REWARDS, model.PACKED_DONE
    rows = [
        _same(
            section,
            f"packed row, γ = {gamma}",
            "= Σ γᵏ r, by episode",
            partial(discounted_returns, rewards, gamma, done),
            partial(_by_episode, gamma),
        )
        for gamma in (Fraction(1), _HALF, Fraction(9, 10))
    ]
    padded, ends, kept = [0, 1, 5, 7], [0, 1, 0, 0], [1, 1, 0, 0]

    def halved(tokens: Tokens) -> Any:
        return discounted_returns(model.rewards(tokens), _HALF)

    def weighted(weights: Any = None) -> Array:
        return np.asarray(expect(token_gradient(_COMPLETIONS, _POLICY, halved, weights=weights)))

    discounted = _POLICY.gradient(_COMPLETIONS, lambda o: halved(o)[0])
    late = np.array([_HALF if prefix else 1 for prefix, _ in _POLICY.parameters])  # the prefixes of later logits
    return [
        *rows,
        _same(
            section,
            "done as booleans",
            "= as 0 and 1",
            lambda: discounted_returns(rewards, 1, done),
            lambda: discounted_returns(rewards, 1, [int(d) for d in done]),
        ),
        _same(
            section,
            "padding hidden by its mask",
            "= no padding",
            lambda: discounted_returns(padded, _HALF, ends, kept)[:2],
            lambda: discounted_returns(padded[:2], _HALF),
        ),
        _equal(
            section,
            "E[G₀], γ = 1/2",
            "= Σ γᵗ E[rₜ]",
            lambda: expect(_COMPLETIONS, lambda o: halved(o)[0]),
            lambda: expect(_COMPLETIONS, lambda o: sum(_HALF**t * r for t, r in enumerate(model.rewards(o)))),
        ),
        _same(
            section,
            "E[γᵗ return score]",
            "= ∇E[G₀]",
            lambda: weighted(lambda o: discounts(len(o), _HALF)),
            lambda: discounted,
        ),
        _same(section, "without γᵗ, times γᵗ afterwards", "= ∇E[G₀]", lambda: weighted() * late, lambda: discounted),
    ]


def _by_episode(gamma: Fraction) -> list[Fraction]:
    """sum_k gamma^k r_{t+k} up to the end of the episode that t belongs to."""
    rewards, ends = model.PACKED_REWARDS, [t + 1 for t, done in enumerate(model.PACKED_DONE) if done]
    last = [min(end for end in ends if end > t) for t in range(len(rewards))]
    return [sum((gamma**k * r for k, r in enumerate(rewards[t : last[t]])), Fraction(0)) for t in range(len(rewards))]


def _value_targets() -> list[Row]:
    section, epsilon = "6.2.7 Value targets", Fraction(1, 5)

    def losses(tokens: Tokens) -> Array:
        v, old = (model.table_lookup(table, tokens) for table in (model.PREDICTED_VALUES, model.OLD_VALUES))
        return clipped_value_loss(v, old, _returns(tokens), epsilon)

    def squares(tokens: Tokens) -> Fraction:
        """The larger of the two squares, averaged over the completion."""
        v, old = (model.table_lookup(table, tokens) for table in (model.PREDICTED_VALUES, model.OLD_VALUES))
        held = [min(max(a, b - epsilon), b + epsilon) for a, b in zip(v, old, strict=True)]
        each = [max((a - y) ** 2, (b - y) ** 2) / 2 for a, b, y in zip(v, held, _returns(tokens), strict=True)]
        return Fraction(sum(each), len(each))

    batch = monte_carlo(_COMPLETIONS.op(lambda o: masked_mean(losses(o))), 5)
    after_b = _COMPLETIONS.cond(lambda o: o[0] == "b").op(lambda o: _returns(o)[1])
    first = _COMPLETIONS.op(lambda o: _returns(o)[0] - model.PREDICTED_VALUES[""])
    return [
        _equal(section, "E[target | b]", "= V(b)", lambda: expect(after_b), lambda: _mean_return("b")),
        _equal(
            section,
            "E[clipped loss], batch of 5",
            "= E[larger square]",
            lambda: expect(batch),
            lambda: expect(_COMPLETIONS, squares),
        ),
        _same(
            section,
            "slope at v = 1 from 1/2, targets 2 and 0",
            "= 0 and v − y",
            lambda: clipped_value_loss_gradient([1, 1], [_HALF, _HALF], [2, 0], epsilon),
            lambda: [0, 1],
        ),
        _equal(
            section,
            "E[advantage of the first token]",
            "= V − v",
            lambda: expect(first),
            lambda: _mean_return("") - model.PREDICTED_VALUES[""],
        ),
    ]


def _group_advantages() -> list[Row]:
    section = "6.2.8 Group advantages"
    rows: list[Row] = []
    for G in (2, 3, 4):
        mean_based, leave_out = group_gradient(_DRAWS, G, "mean"), group_gradient(_DRAWS, G, "leave_one_out")
        shrunk = Fraction(G - 1, G) * _GRADIENT
        rows += [
            _same(
                section,
                f"G = {G}: E[group mean]",
                "= (G−1)/G ∇E[R]",
                partial(expect, mean_based),
                partial(tuple, shrunk),
            ),
            _same(section, f"G = {G}: E[leave-one-out]", "= ∇E[R]", partial(expect, leave_out), _gradient),
        ]
    actions = softmax(range(8), temperature=3.0)
    mean = expect(actions)
    pair = shared(actions).op(lambda a: a, lambda a: (mean - a) / 9)
    return [
        *rows,
        _same(
            section,
            "G = 4: E[Dr. GRPO]",
            "= (G−1)/(GL) ∇E[R]",
            lambda: expect(dr_grpo(_COMPLETIONS, _POLICY, model.reward, 4, max_length=2)),
            lambda: Fraction(3, 8) * _GRADIENT,
        ),
        *(
            _equal(
                section, f"GRPO, pass rate {p}, G = 4", "= E[group std]", partial(_grpo, p, 4), partial(_mean_std, p, 4)
            )
            for p in (0.5, 0.1)
        ),
        _equal(
            section,
            "eight actions, n = 2: Var(leave-one-out)",
            "= over all pairs",
            lambda: variance(leave_one_out_gradient(pair, 2)),
            lambda: _over_all_pairs(actions.to_dict(), mean),
        ),
        _equal(
            section,
            "eight actions, n = 2: Var(no baseline)",
            "= Var(one) / 2",
            lambda: variance(reinforce(pair, 2)),
            lambda: variance(pair.mul()) / 2,
        ),
    ]


def _grpo(p: float, n: int) -> Any:
    """The mean of GRPO's gradient in the logit of passing."""
    return expect(group_gradient(bernoulli(p).vector(lambda r: (r, r - p)), n, divide_by_std=True))


def _mean_std(p: float, n: int) -> float:
    """E of the standard deviation sqrt(k (n - k)) / n of n rewards, k of which are 1."""
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) * math.sqrt(k * (n - k)) / n for k in range(n + 1))


def _over_all_pairs(probs: dict[Any, float], mean: float) -> float:
    """The variance of (a - b)(s_a - s_b) / 2 = -(a - b)^2 / 18 over pairs of actions."""
    rows = [(p * q, -((a - b) ** 2) / 18) for (a, p), (b, q) in itertools.product(probs.items(), repeat=2)]
    first, second = (math.fsum(w * v**k for w, v in rows) for k in (1, 2))
    return second - first**2


def _sequence_divergence() -> list[Row]:
    section = "15.1.2 Sequence KL"

    def divergence() -> float:
        return float(kl(_COMPLETIONS, _OTHERS))

    laws = {
        "k1": sequence_kl(_COMPLETIONS, _POLICY, _REFERENCE),
        "k3": sequence_kl(_COMPLETIONS, _POLICY, _REFERENCE, "k3"),
        "per token": rao_blackwell_kl(_COMPLETIONS, _POLICY, _REFERENCE),
        "top-2 and the rest": topk_kl(_COMPLETIONS, _POLICY, _REFERENCE, 2),
    }
    rows = [
        _equal(section, f"E[{name}]", "= KL of completions", partial(expect, x), divergence) for name, x in laws.items()
    ]
    return [
        *rows,
        _equal(
            section,
            "P(k1 < 0)",
            "= P(rarer than in the reference)",
            lambda: laws["k1"].prob(lambda v: v < 0),
            lambda: sum(p for o, p in _COMPLETIONS.to_dict().items() if p < _OTHERS.prob(o)),
        ),
        _equal(
            section,
            "E[k1 without the first token]",
            "= KL − KL of the first",
            lambda: expect(_COMPLETIONS, lambda o: sum(_log_ratios(o)[1:])),
            lambda: divergence() - float(kl(_POLICY(()), _REFERENCE(()))),
        ),
    ]


def _log_ratios(tokens: Tokens) -> Array:
    return np.subtract(_POLICY.log_probs(tokens), _REFERENCE.log_probs(tokens))


def _divergence_gradients() -> list[Row]:
    section = "15.1.2 Gradient of the penalty"

    def slope() -> Array:
        return _POLICY.gradient(_COMPLETIONS, lambda o: float(sum(_log_ratios(o))))

    def forward() -> list[Fraction]:
        """∇KL(reference || policy) = -E of the score over the reference's completions."""
        return [-total for total in expect(_OTHERS.vector(_POLICY.score))]

    def penalised(tokens: Tokens) -> float:
        return float(model.reward(tokens)) - 0.1 * float(sum(_log_ratios(tokens)))

    def of(place: Callable[..., Joint], k: str) -> Callable[[], Any]:
        return lambda: expect(place(_COMPLETIONS, _POLICY, _REFERENCE, k, "sequence"))

    return [
        _same(section, "E[k1 score], k1 in the reward", "= ∇KL", of(kl_as_reward, "k1"), slope),
        _same(section, "k1 in the loss", "= 0", of(kl_as_loss, "k1"), lambda: [0] * len(_GRADIENT)),
        _same(section, "k2 in the loss", "= ∇KL", of(kl_as_loss, "k2"), slope),
        _same(section, "k3 in the loss", "= ∇KL(ref ‖ policy)", of(kl_as_loss, "k3"), forward),
        _same(
            section,
            "E[(R − k1/10) score]",
            "= ∇(E[R] − KL/10)",
            lambda: expect(reinforce(reward_and_score(_COMPLETIONS, _POLICY, penalised))),
            lambda: _GRADIENT.astype(float) - 0.1 * slope().astype(float),
        ),
    ]
