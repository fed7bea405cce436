"""What a context's memory holds, what of it can be kept, and what is saved of it."""
