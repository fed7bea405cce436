"""The message field, what is attached to it, and how full the context is."""
