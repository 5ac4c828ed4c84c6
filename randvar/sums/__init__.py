"""The law of a sum of independent draws, by whichever room is cheapest."""
