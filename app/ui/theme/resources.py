"""Where the files that come with the program lie."""

from pathlib import Path

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
"""Beside the `app` package, in a checkout and in a bundle alike."""
