"""Documents that are searched: cut into passages, kept, and found."""
