"""Every number of the card on Monte Carlo in language-model RL, against exact values computed without the package.

The card's policy writes at most two tokens out of "a", "b" and "." (which ends). Each function below returns what the
package says, in the shape of the exact entry of the same name.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from agreement import Cancelling, agree
from exact_entries import ExactEntries

from randvar import (
    Var,
    expect,
    group_gradient,
    k1,
    k3,
    kl,
    monte_carlo,
    reinforce,
    rollout,
    sampling_distribution,
    std,
    variance,
)
from randvar.rollouts import (
    TokenPolicy,
    clipped_value_loss,
    clipped_value_loss_gradient,
    discounted_returns,
    discounts,
    kl_as_loss,
    kl_as_reward,
    masked_mean,
    rao_blackwell_kl,
    reward_and_score,
    sequence_kl,
    token_gradient,
)

ENTRIES = ExactEntries("language_model_rl")
DATA, EXACT, entry = ENTRIES.data, ENTRIES.exact, ENTRIES.entry


@pytest.mark.parametrize("name", EXACT)
def test_entry(name):
    agree(ENTRIES.computed[name](), EXACT[name], name)


def test_no_entry_is_left_out():
    assert set(ENTRIES.computed) == set(EXACT)
    assert len(EXACT) == 13


# The model: three tokens, a row of the table for each prefix that goes on

TOKENS = DATA["tokens"]


def fractions(numbers):
    return [Fraction(number) for number in numbers]


def table(rows):
    return TokenPolicy({tuple(context): Var(TOKENS, fractions(row)) for context, row in rows.items()})


policy, reference = table(DATA["policy"]), table(DATA["reference"])
completions, other = (rollout(p, 2, stop=".") for p in (policy, reference))

# the card counts its nine logits by context and then by token, as listed; the package by context and then in order
ORDER = [policy.parameters.index((tuple(c), token)) for c in DATA["policy"] for token in TOKENS]


def nine(vector):
    return [np.asarray(vector)[i] for i in ORDER]


def prefixes(tokens):
    return [tokens[:t] for t in range(len(tokens))]


def rewards(tokens):
    given = {tuple(c): dict(zip(TOKENS, fractions(row), strict=True)) for c, row in DATA["token_rewards"].items()}
    return [given[tokens[:t]][token] for t, token in enumerate(tokens)]


def per_prefix(name):
    """A value for each prefix of a completion."""
    values = {tuple(c): Fraction(v) for c, v in DATA[name].items()}
    return lambda tokens: [values[prefix] for prefix in prefixes(tokens)]


def total_reward(tokens):
    return sum(rewards(tokens))


def returns(gamma):
    return lambda tokens: discounted_returns(rewards(tokens), gamma)


def moments(law):
    return {"trace_variance": sum(variance(law)), "per_component_variance": nine(variance(law))}


@entry("000.model")
def _():
    def row(tokens, p):
        return {"prob": p, "reward": total_reward(tokens), "ref_prob": other.prob(tokens)}

    reward = completions.op(total_reward)
    return {
        "sequences": {"".join(tokens): row(tokens, p) for tokens, p in completions.to_dict().items()},
        "E[R]": expect(reward),
        "Var[R]": variance(reward),
    }


# REINFORCE


@entry("000.reinforce.exact")
def _():
    draws = reward_and_score(completions, policy, total_reward)
    return {
        "exact_gradient": nine(policy.gradient(completions, total_reward)),
        "reinforce_expectation": nine(expect(reinforce(draws))),
        "score_mean": nine(expect(completions.vector(policy.score))),
    }


@entry("000.reinforce.variance")
def _():
    mean = expect(completions, total_reward)

    def law(advantages):
        return moments(token_gradient(completions, policy, advantages))

    return {
        "total_return": law(lambda o: [total_reward(o)] * len(o)),
        "reward_to_go": law(returns(1)),
        "total_return_minus_mean": law(lambda o: [total_reward(o) - mean] * len(o)),
        "reward_to_go_minus_V": law(lambda o: returns(1)(o) - per_prefix("values")(o)),
    }


@entry("000.reinforce.discount")
def _():
    gamma = Fraction(1, 2)
    with_power = token_gradient(completions, policy, returns(gamma), weights=lambda o: discounts(len(o), gamma))
    return {
        "exact_gradient_discounted": nine(policy.gradient(completions, lambda o: returns(gamma)(o)[0])),
        "with_gamma_t": nine(expect(with_power)),
        "without_gamma_t": nine(expect(token_gradient(completions, policy, returns(gamma)))),
        "E[G_0]": expect(completions, lambda o: returns(gamma)(o)[0]),
    }


# Returns


@entry("000.returns.done_mask")
def _():
    packed = DATA["packed"]
    rewards, done = fractions(packed["rewards"]), packed["done"]

    def row(gamma):
        gamma = Fraction(gamma)
        return {
            "with_done": discounted_returns(rewards, gamma, done),
            "without_done": discounted_returns(rewards, gamma),
        }

    return {f"gamma={gamma}": row(gamma) for gamma in packed["gamma"]}


@entry("000.returns.padding")
def _():
    padded = DATA["padded"]
    booleans = np.array(padded["done"], dtype=bool)
    return {"returns": discounted_returns(fractions(padded["rewards"]), Fraction(padded["gamma"]), booleans)}


@entry("000.returns.law")
def _():
    def row(gamma):
        first = completions.op(lambda o: returns(gamma)(o)[0])
        second = completions.cond(lambda o: len(o) > 1).op(lambda o: returns(gamma)(o)[1])
        return {
            "G0_pmf": first,
            "E[G0]": expect(first),
            "Var[G0]": variance(first),
            "P(second token)": completions.prob(lambda o: len(o) > 1),
            "E[G1|second token]": expect(second),
        }

    return {"gamma=1": row(1), "gamma=1/2": row(Fraction(1, 2))}


# The value loss

EPSILON = Fraction(DATA["epsilon_v"])


@entry("000.value_loss")
def _():
    v, old = per_prefix("v_pred"), per_prefix("v_old")

    def row(gamma):
        def losses(o):
            return clipped_value_loss(v(o), old(o), returns(gamma)(o), EPSILON)

        def free(o):
            return clipped_value_loss(v(o), v(o), returns(gamma)(o), EPSILON)

        def clipped(o):
            kept = np.minimum(np.maximum(v(o), np.subtract(old(o), EPSILON)), np.add(old(o), EPSILON))
            return clipped_value_loss(kept, kept, returns(gamma)(o), EPSILON)

        def token_mean(pair):
            padded = [[*losses(o), *[Fraction(0)] * (2 - len(o))] for o in pair]
            return masked_mean(padded, [[True, len(o) > 1] for o in pair], over="tokens")

        def advantage(t):
            going = completions.cond(lambda o: len(o) > t)
            return expect(going, lambda o: returns(gamma)(o)[t] - v(o)[t])

        return {
            "E[value_loss]": expect(monte_carlo(completions.op(lambda o: masked_mean(losses(o))), 5)),
            "E[unclipped]": expect(completions, lambda o: masked_mean(free(o))),
            "E[clipped branch]": expect(completions, lambda o: masked_mean(clipped(o))),
            "E[token-mean loss, B=2]": expect(sampling_distribution(token_mean, completions, 2)),
            "E[advantage_0]": advantage(0),
            "E[advantage_1; second token exists]": Fraction(3, 4) * advantage(1),
        }

    return {"gamma=1": row(1), "gamma=1/2": row(Fraction(1, 2))}


@entry("000.value_loss.points")
def _():
    def row(v, old, target):
        kept = min(max(v, old - EPSILON), old + EPSILON)
        return {
            "v_clip": kept,
            "unclipped": clipped_value_loss([v], [v], [target], EPSILON)[0],
            "clipped": clipped_value_loss([kept], [kept], [target], EPSILON)[0],
            "loss": clipped_value_loss([v], [old], [target], EPSILON)[0],
            "grad_wrt_v": clipped_value_loss_gradient([v], [old], [target], EPSILON)[0],
            "advantage": target - v,
        }

    points = [("1", "1/2", "2"), ("1", "1/2", "0"), ("3/5", "1/2", "2"), ("0", "1/2", "2"), ("0", "1/2", "-1")]
    return {f"v={v},v_old={old},target={y}": row(*fractions((v, old, y))) for v, old, y in points}


# Groups


@entry("000.group_advantages")
def _():
    draws = reward_and_score(completions, policy, total_reward)
    reward = completions.op(total_reward)
    gradient = np.array(policy.gradient(completions, total_reward), dtype=float)

    def row(law):
        return {"expectation": nine(expect(law))} | moments(law)

    def standardised(n, ddof):
        mean = np.array(expect(group_gradient(draws, n, divide_by_std=True, ddof=ddof)), dtype=float)
        size = np.linalg.norm(mean)
        return {
            "expectation": nine(mean),
            "cosine_with_exact_gradient": mean @ gradient / size / np.linalg.norm(gradient),
            "norm_ratio": size / np.linalg.norm(gradient),
        }

    def advantage(n, scale):
        """The first of n rewards minus the group mean, times the scale."""
        return sampling_distribution(lambda r: scale * (r[0] - sum(r) / Fraction(n)), reward, n, symmetric=False)

    def group(n):
        return {
            "mean": row(group_gradient(draws, n, "mean")),
            "loo": row(group_gradient(draws, n, "leave_one_out")),
            "none": row(group_gradient(draws, n, "none")),
            "oracle": row(reinforce(draws, n, baseline=expect(reward))),
            "advantage": {
                "E[A]": expect(advantage(n, 1)),
                "Var_mean_baseline": variance(advantage(n, 1)),
                "Var_loo": variance(advantage(n, Fraction(n, n - 1))),
                "P(all rewards equal -> zero signal)": sum(p**n for p in reward.probs),
            },
            "std_normalised_ddof0": standardised(n, 0),
            "std_normalised_ddof1": standardised(n, 1),
        }

    return {f"G={n}": group(n) for n in (2, 3, 4)}


# The sampled KL penalty


@entry("000.kl.sequence_k1")
def _():
    law = sequence_kl(completions, policy, reference)
    return {
        "mean": expect(law),
        "variance": variance(law),
        "std": std(law),
        "chain_rule_sum": expect(rao_blackwell_kl(completions, policy, reference)),
        "first_token_kl": kl(policy(()), reference(())),
        "second_token_kl": {c: kl(policy((c,)), reference((c,))) for c in "ab"},
        "reverse_kl": kl(other, completions),
        "values": {
            "".join(o): Cancelling(sum(policy.log_probs(o)) - sum(reference.log_probs(o)), 1)
            for o in completions.values.tolist()
        },
        "P(negative)": law.prob(lambda v: v < 0),
        "min": law.values[0],
    }


@entry("000.kl.variants")
def _():
    def row(law):
        return {"mean": expect(law), "variance": variance(law), "min": Cancelling(law.values[0], 1)}

    def log_ratio(tokens, first=0):
        return sum(policy.log_probs(tokens)[first:]) - sum(reference.log_probs(tokens)[first:])

    same = k1(completions, other)
    assert expect(same) == pytest.approx(expect(sequence_kl(completions, policy, reference)), rel=1e-14)
    return {
        "k1_sum": row(same),
        "k3_token_sum": row(sequence_kl(completions, policy, reference, "k3")),
        "k3_sequence": row(k3(completions, other)),
        "k1_first_token_dropped": row(completions.op(lambda o: log_ratio(o, first=1))),
        "k1_divided_by_length": row(completions.op(lambda o: log_ratio(o) / len(o))),
    }


@entry("000.kl.penalised_objective")
def _():
    beta = Fraction(DATA["beta"])
    penalty = nine(expect(kl_as_reward(completions, policy, reference)))

    def log_ratio(o):
        return sum(policy.log_probs(o)) - sum(reference.log_probs(o))

    assert penalty == pytest.approx(nine(policy.gradient(completions, log_ratio)), rel=1e-12)
    reward = policy.gradient(completions, lambda o: total_reward(o) - float(beta) * log_ratio(o))
    return {
        "objective": expect(completions, total_reward) - float(beta) * kl(completions, other),
        "grad_KL=E[k1*score]": penalty,
        "grad_objective": nine(reward),
        "E[grad of k1 as a loss]": nine(expect(kl_as_loss(completions, policy, reference))),
    }


def test_the_log_of_an_impossible_token_is_refused():
    with pytest.raises(ValueError, match="probability 0"):
        policy.score(("a", "z"))
    assert policy.prob(("a", "z")) == 0
    assert math.isinf(policy(("a",)).log_prob("z"))
