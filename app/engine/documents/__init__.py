"""Texts of files."""
