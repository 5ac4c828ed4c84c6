"""Tests of functions that the package does not have yet: kept here, and not collected."""

collect_ignore_glob = ["*.py"]
