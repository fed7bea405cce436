"""The engine's thread, its jobs, and what is told of it."""
