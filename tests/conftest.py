"""How hypothesis looks for counterexamples: without a clock (and in CI, which it notices itself, without luck)."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
