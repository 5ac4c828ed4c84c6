"""Small models of arguments that people have in public, and what the exact law says about each."""

from randvar.examples.settled import gradients, penalties, samples
from randvar.examples.settled.table import Atlas, Page

__all__ = ["PAGES", "Atlas", "Page", "atlas"]

PAGES = (
    penalties.loss,
    penalties.reward,
    penalties.off_policy,
    penalties.token_or_sequence,
    penalties.which_estimator,
    penalties.rao_blackwellised,
    penalties.dropped_rest,
    penalties.sequence_gradient,
    gradients.own_mean,
    gradients.leave_one_out_or_nothing,
    gradients.any_baseline,
    gradients.difficulty,
    gradients.lengths,
    gradients.discounting,
    gradients.value_losses,
    samples.ratios,
    samples.capped,
    samples.normalised,
    samples.attempts,
    samples.votes,
    samples.intervals,
    samples.clusters,
    samples.bessel,
    samples.adjusted,
    samples.peeking,
)


def atlas() -> Atlas:
    """All pages, computed."""
    return Atlas([settle() for settle in PAGES])
