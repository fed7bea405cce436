"""How long tests wait for what should come."""

WAIT = 90_000
"""Milliseconds, at the most: what comes is not waited for, and machines may be busy."""
