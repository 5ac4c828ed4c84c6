"""Sequences of tokens: rollouts, returns and advantages, policy gradients, and the divergence of two policies."""

from randvar.rollouts.divergence import (
    kl_as_loss,
    kl_as_reward,
    rao_blackwell_kl,
    rao_blackwell_kl_gradient,
    reverse_kl_gradient,
    sequence_kl,
    topk_kl,
)
from randvar.rollouts.gradients import dr_grpo, grpo, reward_and_score, rloo, token_gradient
from randvar.rollouts.ratios import (
    geometric_ratio,
    masked_weights,
    ppo_clipped,
    ppo_objective,
    prefix_ratios,
    sequence_ratio,
    token_ratios,
    truncated_weights,
)
from randvar.rollouts.returns import (
    clipped_value_loss,
    clipped_value_loss_gradient,
    discounted_returns,
    discounts,
    generalized_advantages,
    masked_mean,
    vtrace,
)
from randvar.rollouts.trees import rollout

__all__ = [
    # sequences
    "rollout",
    # returns, advantages, value targets
    "clipped_value_loss", "clipped_value_loss_gradient", "discounted_returns", "discounts", "generalized_advantages",
    "masked_mean", "vtrace",
    # importance weights
    "geometric_ratio", "masked_weights", "ppo_clipped", "ppo_objective", "prefix_ratios", "sequence_ratio",
    "token_ratios", "truncated_weights",
    # policy gradients
    "dr_grpo", "grpo", "reward_and_score", "rloo", "token_gradient",
    # divergence
    "kl_as_loss", "kl_as_reward", "rao_blackwell_kl", "rao_blackwell_kl_gradient", "reverse_kl_gradient", "sequence_kl",
    "topk_kl",
]  # fmt: skip
