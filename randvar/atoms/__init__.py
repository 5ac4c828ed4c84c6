"""Outcomes and rows of them: when two are one, where one stands, what their moments are."""
