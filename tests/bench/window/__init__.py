"""The window: stalls, keys, the start, search."""
