"""From a file to a session."""
