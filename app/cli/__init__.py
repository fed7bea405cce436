"""The terminal's front door. Runs without Qt."""
