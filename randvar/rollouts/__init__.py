"""Sequences of tokens: rollouts, returns and advantages, policy gradients and the divergence of two policies."""

from randvar.rollouts.trees import rollout

__all__ = ["rollout"]
