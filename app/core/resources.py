"""Files that come with the program."""

from pathlib import Path

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
"""Beside the `app` package, in a checkout and in a bundle alike."""
GUIDE = RESOURCES / "models" / "guide.gguf"
"""The built-in model, used when no other is chosen; its projector lies beside it."""
GUIDE_LONGEST = 512
"""Tokens of the longest dialogues that it was trained on; of more it makes nothing."""
GUIDE_NAME = "Guide (built in, very small)"
