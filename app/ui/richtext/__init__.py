"""Markdown, code and formulas, laid out and selectable across blocks."""
