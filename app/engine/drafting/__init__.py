"""Speculative decoding: drafters that guess, and one loop that checks."""
