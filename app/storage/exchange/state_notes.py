"""What goes with a conversation's state into its file: what was said, and the files of it, so that it can go on
elsewhere. A conversation as in our own export (`export_json`), and `attachments` as there.
"""

import base64
import binascii
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from app.core.messages import MediaPart, Message
from app.storage.conversations import MessageState
from app.storage.exchange.records import ConversationRecord, MessageRecord, from_json, to_json


def record_of(messages: Sequence[Message]) -> ConversationRecord:
    """Messages that lie in no database, one after the other."""
    now = time.time()
    made = tuple(
        MessageRecord(place - 1 if place else None, each, MessageState.COMPLETE, now)
        for place, each in enumerate(messages)
    )
    return ConversationRecord("", now, now, made, len(made) - 1 if made else None)


def notes_of(record: ConversationRecord, file: Callable[[str], bytes | None]) -> dict[str, object]:
    """`file` gives what lies under a hash; what is gone is left out."""
    files = ((each, file(each)) for each in sorted(record.content_hashes))
    attachments = {each: base64.b64encode(data).decode() for each, data in files if data is not None}
    return {"conversation": to_json(record), "attachments": attachments}


def record_from(notes: Mapping[str, object]) -> tuple[ConversationRecord, dict[str, bytes]] | None:
    """The conversation and its files by their hashes; None where there is none, or another version wrote it."""
    try:
        record = from_json(notes.get("conversation"))
        told = notes.get("attachments")
        items = told.items() if isinstance(told, Mapping) else ()
        files = {str(each): base64.b64decode(str(data), validate=True) for each, data in items}
    except (ValueError, binascii.Error):
        return None
    return record, {each: data for each, data in files.items() if hashlib.sha256(data).hexdigest() == each}


def messages_with(record: ConversationRecord, files: Mapping[str, bytes]) -> tuple[Message, ...]:
    """Those of the version that was on screen, whose media carry their files."""
    return tuple(_with_files(each.message, files) for each in record.path)


def _with_files(message: Message, files: Mapping[str, bytes]) -> Message:
    parts = (
        replace(each, data=files.get(each.content_hash, b"")) if isinstance(each, MediaPart) else each
        for each in message.parts
    )
    return replace(message, parts=tuple(parts))
