"""What a law computes with: floats, fractions, expressions; and words, of which nothing is computed."""
