"""Tools that come with Hearth: each source of them is switched on by itself, and is asked as a server is."""
