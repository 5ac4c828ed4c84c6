"""Sequences of tokens: rollouts, returns and advantages, policy gradients, and the divergence of two policies."""

from typing import TYPE_CHECKING, Any

from randvar.late import found_in
from randvar.policies import TokenPolicy, logit_score, policy_gradient

if TYPE_CHECKING:
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
    "TokenPolicy", "rollout",
    # returns, advantages, value targets
    "clipped_value_loss", "clipped_value_loss_gradient", "discounted_returns", "discounts", "generalized_advantages",
    "masked_mean", "vtrace",
    # importance weights
    "geometric_ratio", "masked_weights", "ppo_clipped", "ppo_objective", "prefix_ratios", "sequence_ratio",
    "token_ratios", "truncated_weights",
    # policy gradients
    "dr_grpo", "grpo", "logit_score", "policy_gradient", "reward_and_score", "rloo", "token_gradient",
    # divergence
    "kl_as_loss", "kl_as_reward", "rao_blackwell_kl", "rao_blackwell_kl_gradient", "reverse_kl_gradient", "sequence_kl",
    "topk_kl",
]  # fmt: skip

# {module: names}: imported when a name is first asked for
_LATE = {
    "divergence": (
        "kl_as_loss kl_as_reward rao_blackwell_kl rao_blackwell_kl_gradient reverse_kl_gradient sequence_kl topk_kl"
    ),
    "gradients": "dr_grpo grpo reward_and_score rloo token_gradient",
    "ratios": (
        "geometric_ratio masked_weights ppo_clipped ppo_objective"
        " prefix_ratios sequence_ratio token_ratios truncated_weights"
    ),
    "returns": (
        "clipped_value_loss clipped_value_loss_gradient discounted_returns"
        " discounts generalized_advantages masked_mean vtrace"
    ),
    "trees": "rollout",
}

if not TYPE_CHECKING:  # a checker would take any name for one that this function knows

    def __getattr__(name: str) -> Any:
        return found_in(globals(), _LATE, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
