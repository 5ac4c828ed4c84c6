"""Envelopes of the CDF of a sum that is too large to list."""
