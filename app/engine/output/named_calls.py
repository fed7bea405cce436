"""Calls as the function's name, a separator, and its arguments as JSON."""

import re
from dataclasses import dataclass, field

from app.engine.output.call_syntax import Schemas
from app.engine.output.cursor import Cursor, Parsing
from app.engine.output.json_calls import take_objects
from app.engine.output.json_text import take_value
from app.engine.output.pieces import Pieces

NAME = r"(?P<name>[\w.\-]+)"
_LONGEST_HEAD = 300
_HEAD = re.compile(r"[^<>\n{\[]+")


@dataclass(frozen=True, slots=True)
class NamedCalls:
    """As DeepSeek, Kimi, Mistral's second form and others write: opening, head, separator, {...}, closing."""

    opening: str
    prefix: str = ""
    """Before the head; it may be missing."""
    separator: str = ""
    closing: str = ""
    """May be missing; blanks may stand before it, and a code block's end."""
    section: tuple[str, str] = ("", "")
    """Around all calls; either text may be missing."""
    head: re.Pattern[str] = field(default=re.compile(NAME))
    """What stands between opening and separator, with a group `name`, and perhaps one `id`."""
    head_marker: str = ""
    """A control token inside the head, such as [CALL_ID]."""
    fenced: bool = False
    """Arguments are written in a code block."""
    objects: bool = False
    """An opening may be followed by an array of objects instead (Mistral's first form)."""
    writes_objects: bool = False
    """That is how the model itself writes."""
    written: tuple[str, str] = ("", "")
    """What a grammar has around the name, as expressions."""

    @property
    def openings(self) -> tuple[str, ...]:
        return (self.section[0], self.opening) if self.section[0] else (self.opening,)

    @property
    def markers(self) -> tuple[str, ...]:
        texts = (*self.section, self.opening, self.prefix, self.separator, self.closing, self.head_marker)
        return tuple(text for text in texts if text)

    def read(self, cursor: Cursor, pieces: Pieces, tools: Schemas, opening: str) -> Parsing[None]:
        if opening == self.section[0] != "":
            yield from cursor.take_space()
            if not (yield from cursor.take(self.opening)):
                return
        elif self.objects and (yield from self._objects(cursor, pieces)):
            return
        if not (yield from self._call(cursor, pieces)):
            return
        while (yield from self._opens_again(cursor)):
            if not (yield from self._call(cursor, pieces)):
                cursor.rewind()
                break
        if self.section[1]:
            yield from cursor.take_behind(self.section[1])

    def _opens_again(self, cursor: Cursor) -> Parsing[bool]:
        """Take another opening, with a mark before it."""
        cursor.mark()
        yield from cursor.take_space()
        if (yield from cursor.take(self.opening)):
            return True
        cursor.rewind()
        return False

    def _objects(self, cursor: Cursor, pieces: Pieces) -> Parsing[bool]:
        cursor.mark()
        yield from cursor.take_space()
        if (yield from cursor.peek()) in ("[", "{") and (yield from take_objects(cursor, pieces)):
            return True
        cursor.rewind()
        cursor.mark()
        return False

    def _call(self, cursor: Cursor, pieces: Pieces) -> Parsing[bool]:
        head = yield from self._head(cursor)
        if head is None:
            return False
        yield from cursor.take_space()
        fence = yield from cursor.take("```json", "```")
        if fence:
            yield from cursor.take_space()
        if (yield from cursor.peek()) != "{":
            return False
        pieces.begin(head["name"], head.groupdict().get("id") or "")
        yield from take_value(cursor, pieces.write)
        if fence:
            yield from cursor.take_behind("```")
        if self.closing:
            yield from cursor.take_behind(self.closing)
        return True

    def _head(self, cursor: Cursor) -> Parsing[re.Match[str] | None]:
        yield from cursor.take(self.prefix)
        text = yield from cursor.take_run(_HEAD, _LONGEST_HEAD)
        if self.head_marker and (yield from cursor.take(self.head_marker)):
            text += self.head_marker + (yield from cursor.take_run(_HEAD, _LONGEST_HEAD))
        if not (yield from cursor.take(self.separator)) and self.separator:
            return None
        return self.head.fullmatch(text.strip())
