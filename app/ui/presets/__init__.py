"""Presets: chosen, edited, shared."""
