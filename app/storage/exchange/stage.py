"""Where an import waits, beside the database, until people have seen what it would bring."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.messages import DocumentPart, ImagePart, Part, TextPart
from app.storage.attachments import AttachmentStore
from app.storage.exchange.outfile import Check
from app.storage.exchange.records import ConversationRecord, digest, from_json, to_json
from app.storage.file_errors import about_file

LookAt = Callable[[bytes, str], ImagePart | None]
"""Decodes a picture's file, with its name; None for what is no picture. The part's hash need not be right."""
IsKnown = Callable[[float, str], bool]
"""Whether a conversation that was made at this time, with this digest, is here already."""
LARGEST_FILE = 512 << 20
"""Bytes of one attachment; what is larger is left out."""


@dataclass(frozen=True, slots=True)
class Found:
    """What an import would bring."""

    source: str
    """The program that wrote it, as people call it."""
    n_conversations: int
    n_messages: int
    n_known: int
    """How many of the conversations are here already, just as they are."""
    skipped: tuple[tuple[str, int], ...]
    """Why conversations are left out, as the end of a sentence ("it has no messages"), and how many."""

    @property
    def n_skipped(self) -> int:
        return sum(number for _, number in self.skipped)


class Stage:
    """In a folder of its own, which its owner removes. Raises UserError for what is wrong with the disk."""

    def __init__(self, folder: Path, is_known: IsKnown, look_at: LookAt, check: Check = lambda: None) -> None:
        """`check` is called now and then, and may raise to stop."""
        self._is_known = is_known
        self._look_at = look_at
        self._check = check
        self._attachments = AttachmentStore(folder / "attachments")
        self._path = folder / "conversations.jsonl"
        self._seen: set[str] = set()
        self._kept: set[str] = set()
        self._skipped: Counter[str] = Counter()
        self._n_messages = 0
        self.n_known = 0

    @property
    def n_conversations(self) -> int:
        return len(self._seen)

    def add(self, record: ConversationRecord) -> None:
        self._check()
        found = digest(record)
        if found in self._seen:
            return
        self._seen.add(found)
        is_known = self._is_known(record.created_at, found)
        self.n_known += is_known
        self._n_messages += len(record.messages)
        line = json.dumps({"digest": found, "known": is_known, "record": to_json(record)}) + "\n"
        try:
            with self._path.open("a", encoding="ascii") as file:
                file.write(line)
        except OSError as error:
            raise about_file(self._path, error) from error

    def skip(self, reason: str) -> None:
        self._skipped[reason] += 1

    def keep(self, data: bytes) -> str:
        """The hash of an attachment, which waits here too."""
        self._check()
        content_hash = self._attachments.put(data)
        self._kept.add(content_hash)
        return content_hash

    def file_part(self, data: bytes, name: str) -> Part:
        """A picture where it is one, a document with its text where it has one."""
        seen = self._look_at(data, name)
        content_hash = self.keep(data)
        if seen is not None:
            return ImagePart(content_hash, name, seen.width, seen.height, seen.digest)
        return DocumentPart(content_hash, name, _text_of(data))

    def found(self, source: str) -> Found:
        return Found(source, self.n_conversations, self._n_messages, self.n_known, tuple(self._skipped.most_common()))

    def records(self, *, with_known: bool) -> Iterator[tuple[ConversationRecord, str]]:
        """What was added, with its digest."""
        if not self._path.exists():
            return
        with self._path.open(encoding="ascii") as file:
            for line in file:
                told = json.loads(line)
                if with_known or not told["known"]:
                    yield from_json(told["record"]), told["digest"]

    def move_attachments(self, target: AttachmentStore) -> None:
        for content_hash in sorted(self._kept):
            self._check()
            if not target.has(content_hash) and (data := self._attachments.get(content_hash)) is not None:
                target.put(data)


def missing_file(name: str) -> TextPart:
    """In the place of a file that did not come along."""
    return TextPart(f"[{name or 'file'}]")


def _text_of(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text else text
