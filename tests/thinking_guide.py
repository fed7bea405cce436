"""The built-in guide with another template, which keeps what answers thought, as many models' do while tools work."""

from pathlib import Path

from app.core.resources import GUIDE

_CONDITION = b"message.reasoning_content and loop.last and not add_generation_prompt"


def make_thinking_guide(path: Path) -> Path:
    """Written to `path`, byte for byte as long."""
    told = GUIDE.read_bytes()
    assert told.count(_CONDITION) == 1
    path.write_bytes(told.replace(_CONDITION, b"message.reasoning_content".ljust(len(_CONDITION))))
    return path
