"""What programs' requests change at the beginning of their conversations, which then is read again: found, told in a
header, and by permission moved behind what stays.
"""

import hashlib
import json
import logging
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from aiohttp import web

from app.api.changing_lines import StableLines
from app.api.remembered import told_of
from app.core.events import Finished, PromptProgress, ReplyEvent
from app.core.messages import Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.snapshot_settings import PROGRAMS

_log = logging.getLogger(__name__)
REREAD_HEADER = "Hearth-Reread"
"""Why entries are read again that were read before, where, and how many: figures and kinds, never a text."""
MOVE_HEADER = "Hearth-Move-Changes"
"""A request's permission, 1 or 0, to put lines that change behind what stays."""
_MOST = 32
_LONGEST = 1 << 19
"""Characters of a system prompt that is compared."""
_FEW = 16
"""Entries that are not worth a word: what a template writes otherwise at an answer's end."""


@dataclass(frozen=True, slots=True)
class Outline:
    """One request, as far as others are compared with it."""

    session: str
    """As the client names it; empty where it does not."""
    options: bytes
    tools: tuple[bytes, ...]
    system: str
    messages: tuple[bytes, ...]
    """All but the system's, which is the first."""

    @staticmethod
    def of(session: str, chat: ChatRequest) -> "Outline":
        system, others = _parted(chat.messages)
        return Outline(
            session,
            _digest(dict(chat.template_args)),
            tuple(map(_digest, chat.tools)),
            system,
            tuple(_digest(told_of(each)) for each in others),
        )

    @property
    def name(self) -> str:
        """Of the conversation that it is part of, also after a restart: its first message, and what clients call it."""
        first = self.messages[0] if self.messages else b""
        return f"{PROGRAMS}{hashlib.sha256(self.session.encode(errors='replace') + b'|' + first).hexdigest()[:32]}"

    def n_shared(self, other: "Outline") -> int:
        """Messages from the first on that are equal."""
        return _n_equal(self.messages, other.messages)

    def change(self, later: "Outline") -> tuple[str, int]:
        """The first thing that a later request of the conversation has otherwise, and its number from 1; without a name
        where it only goes on.
        """
        if self.options != later.options:
            return "options", 0
        if self.tools != later.tools:
            same = sorted(self.tools) == sorted(later.tools)
            return "tool-order" if same else "tool", _n_equal(self.tools, later.tools) + 1
        if self.system != later.system:
            return "system-line", _n_equal(self.system.split("\n"), later.system.split("\n")) + 1
        shared = self.n_shared(later)
        return ("message", shared + 1) if shared < min(len(self.messages), len(later.messages)) else ("", 0)


@dataclass(slots=True, eq=False)
class Followed:
    """A request, and what came before it."""

    outline: Outline
    stable: StableLines
    tools: tuple[bytes, ...] = ()
    """In the order in which the model was told of them."""
    moved: Mapping[int, str] = field(default_factory=dict)
    """What was put behind messages, by their number."""
    n_moved: int = 0
    """Lines that this one has otherwise, and that were moved."""
    before: "Followed | None" = None
    """Freed once it is told."""
    n_entries: int = 0
    """That the model has read and written of it."""
    told: str = ""
    """Value of the header."""

    def saw(self, event: ReplyEvent, chat: ChatRequest) -> None:
        """Of the answer to `chat`, which holds the answers before as they are known."""
        if isinstance(event, Finished):
            self.n_entries = event.n_past or self.n_entries
        if isinstance(event, PromptProgress) and not self.n_entries:
            self.n_entries = event.total
            self.told = self._told(event, chat)
            self.forget_before()

    def forget_before(self) -> None:
        self.before = None

    def _told(self, read: PromptProgress, chat: ChatRequest) -> str:
        before = self.before
        if before is None:
            return ""
        again = min(before.n_entries, read.total) - read.reused
        why, at = before.outline.change(self.outline)
        if (again < _FEW and not self.n_moved) or (why, at) == ("message", 1):
            return ""  # the second is another conversation
        if not why:
            why, at = _unknown_answer(chat, len(before.outline.messages))
        _log.info("A program's conversation is read again: %s %d, %d entries", why, at, max(0, again))
        moved = f"; moved={self.n_moved}" if self.n_moved else ""
        return f"{why}; at={at}; entries={max(0, again)}{moved}"


_FOLLOWED = web.RequestKey("followed", Followed)


def _unknown_answer(chat: ChatRequest, place: int) -> tuple[str, int]:
    """Where nothing that came before was changed: the answer to that comes back otherwise than it was given, or it is
    not held any more, for others were answered in between.
    """
    others = _parted(chat.messages)[1]
    answer = others[place : place + 1]
    changed = [each for each in answer if each.role is Role.ASSISTANT and each.generation is None]
    return ("answer", place + 1) if changed else ("not-held", 0)


class AgentSessions:
    """Requests that came lately, in memory alone. Any thread."""

    def __init__(self, *, moves: bool, keeps: bool = False) -> None:
        """`moves`: lines that change are moved, unless a request forbids it; otherwise only if it allows it. `keeps`:
        requests name their conversations, so that the engine keeps them on disk.
        """
        self._moves = moves
        self._keeps = keeps
        self._known: deque[Followed] = deque(maxlen=_MOST)
        self._lock = threading.Lock()

    def follow(self, request: web.Request, session: str, chat: ChatRequest) -> ChatRequest:
        """The request as the model is to read it."""
        outline = Outline.of(session, chat)
        if self._keeps:
            chat = replace(chat, conversation=outline.name)
        if len(outline.system) > _LONGEST:
            return chat
        moves = request.headers.get(MOVE_HEADER, "1" if self._moves else "0").strip() == "1"
        takes = [index for index, each in enumerate(_parted(chat.messages)[1]) if each.role in (Role.USER, Role.TOOL)]
        with self._lock:
            before = self._before(outline)
            followed = Followed(outline, StableLines.of(outline.system), outline.tools)
            if before is not None:
                followed = _after(before, followed, takes[-1] if moves and takes else None)
                if before.outline.n_shared(outline) == len(before.outline.messages):
                    self._known.remove(before)
            self._known.append(followed)
        request[_FOLLOWED] = followed
        return _moved(chat, followed) if moves and takes else chat

    def _before(self, outline: Outline) -> Followed | None:
        """The last request of the same conversation, or of the same program."""

        def nearness(known: Followed) -> tuple[int, int, bool]:
            lines = zip(known.outline.system.split("\n"), outline.system.split("\n"), strict=False)
            return known.outline.n_shared(outline), sum(a == b for a, b in lines), known.outline.tools == outline.tools

        known = [each for each in self._known if each.outline.session == outline.session]
        found = max(reversed(known), key=nearness, default=None)
        if found is None or found.outline.system != outline.system:
            return found if found and found.stable.compared(outline.system) else None
        return found if outline.system or found.outline.n_shared(outline) else None

    async def tell(self, request: web.Request, response: web.StreamResponse) -> None:
        """To be called before a response is sent."""
        if (followed := request.get(_FOLLOWED)) is not None and followed.told:
            response.headers[REREAD_HEADER] = followed.told


def saw(request: web.Request, event: ReplyEvent, chat: ChatRequest) -> None:
    """To be told of all that happens to a request that is followed."""
    if (followed := request.get(_FOLLOWED)) is not None:
        followed.saw(event, chat)


def session_of(body: object) -> str:
    """What a client calls its conversation, in any dialect."""
    told = body if isinstance(body, dict) else {}
    metadata = told.get("metadata")
    names = (told.get("prompt_cache_key"), metadata.get("user_id") if isinstance(metadata, dict) else None)
    return next((each[:512] for each in names if isinstance(each, str)), "")


def _after(before: Followed, this: Followed, last: int | None) -> Followed:
    """The same with what is known from before; `last`: the message that lines may be put behind, if they may."""
    before.forget_before()
    outline, found = this.outline, before.stable.compared(this.outline.system)
    stable, others = found or (this.stable, ())
    if last is None:
        return replace(this, stable=stable, before=before)
    shared = before.outline.n_shared(outline)
    moved = {index: text for index, text in before.moved.items() if index < shared}
    text = "\n".join(others).strip()
    if last not in moved and text and text != next(reversed(moved.values()), ""):
        moved[last] = text
    tools = before.tools if sorted(before.tools) == sorted(outline.tools) else outline.tools
    return Followed(outline, stable, tools, moved, len(others), before)


def _moved(chat: ChatRequest, followed: Followed) -> ChatRequest:
    """With the lines that stay as its system prompt, and the others where they were told first."""
    system, others = _parted(chat.messages)
    by_digest = dict(zip(followed.outline.tools, chat.tools, strict=True))
    tools = tuple(by_digest[each] for each in followed.tools)
    if not system:
        return replace(chat, tools=tools)
    messages = [Message.of(Role.SYSTEM, followed.stable.text), *others]
    for index, text in followed.moved.items():
        said = messages[index + 1]
        messages[index + 1] = replace(said, parts=(*said.parts, TextPart(f"\n\n{text}")))
    return replace(chat, messages=tuple(messages), tools=tools)


def _parted(messages: Sequence[Message]) -> tuple[str, Sequence[Message]]:
    """The system prompt, and all other messages."""
    if messages and messages[0].role is Role.SYSTEM and not messages[0].attachments:
        return messages[0].text, messages[1:]
    return "", messages


def _n_equal(one: Sequence[object], other: Sequence[object]) -> int:
    pairs = zip(one, other, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _digest(told: object) -> bytes:
    return hashlib.sha256(json.dumps(told).encode()).digest()
