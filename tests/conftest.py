"""How hypothesis looks for counterexamples: without a clock (and in CI, which it notices itself, without luck)."""

from hypothesis import settings

# Before pytest collects the doctests of one of its files: that file would be loaded a second time, with a second Joint.
import randvar  # noqa: F401

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
