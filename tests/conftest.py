"""How hypothesis looks for counterexamples: without a clock, and in CI the same examples each time."""

import os

from hypothesis import settings

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)  # a gate must not depend on luck
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")
