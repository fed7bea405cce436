"""Numbers, days and sentences as people read them, in the window's language."""
