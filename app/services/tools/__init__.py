"""Tools for the window: their servers in a thread of their own, and what each conversation may use."""
