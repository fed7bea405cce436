"""Documents: how they are read, found and cited, and what they cost."""
