"""A conversation as tokens, and where two prompts part."""
