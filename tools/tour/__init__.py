"""The numbers that the articles print, beside what randvar computes: `python -m tools.tour`."""
