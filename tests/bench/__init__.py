"""Measurements, not part of the test run: each is a command that prints a table."""
