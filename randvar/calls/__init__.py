"""A person's function, called on outcomes: once each, with the outcome in the message when it fails."""
