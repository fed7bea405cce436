"""Puts together a message from the pieces that other programs keep it in."""

import re
from collections.abc import Iterable
from typing import Any

from app.core.messages import Message, Part, Role, TextPart

_TICKS = re.compile(r"`{3,}")


class Pieces:
    """What one side said, in order: paragraphs, code, its output, thoughts, pictures and files.

    Other programs' tools are not there to be called here, so what they were asked and what they said becomes part of
    the text: every model and every template can go on from that.
    """

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._thoughts: list[str] = []

    def text(self, text: str) -> None:
        if not text.strip():
            return
        last = self._parts[-1] if self._parts else None
        if isinstance(last, TextPart):
            self._parts[-1] = TextPart(f"{last.text}\n\n{text.strip()}")
        else:
            self._parts.append(TextPart(text.strip()))

    def code(self, text: str, language: str = "") -> None:
        if text.strip():
            self.text(fenced(text, language))

    def thought(self, text: str) -> None:
        if text.strip():
            self._thoughts.append(text.strip())

    def part(self, part: Part | None) -> None:
        """A picture or a file; None where there is nothing."""
        if isinstance(part, TextPart):
            self.text(part.text)
        elif part is not None:
            self._parts.append(part)

    def message(self, role: Role) -> Message | None:
        """None where nothing was said."""
        reasoning = "\n\n".join(self._thoughts)
        if not self._parts and not reasoning:
            return None
        return Message(role, tuple(_pictures_first(self._parts) if role is Role.USER else self._parts), None, reasoning)


def dicts_in(value: object) -> list[dict[str, Any]]:
    """Of what may be a list of them."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def seconds_of(value: object, otherwise: float, ticks: int = 1) -> float:
    """A time since the epoch in seconds, told in so many ticks of one; `otherwise` where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e11 * ticks:
        return otherwise
    return value / ticks


def fenced(text: str, language: str = "") -> str:
    """A code block of Markdown around any text."""
    longest = max((len(each) for each in _TICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text.strip(chr(10))}\n{ticks}"


def _pictures_first(parts: Iterable[Part]) -> list[Part]:
    """As our own questions have them: models are trained that way."""
    return sorted(parts, key=lambda part: isinstance(part, TextPart))
