"""Colours, fonts, icons and measures: how everything looks."""
