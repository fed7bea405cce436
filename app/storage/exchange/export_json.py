"""Our own format: complete, so that importing it makes what was there.

A file is one JSON object in UTF-8:

- `format`: "hearth-conversations"; `version`: 1; `program`: the version that wrote it; `exported_at`: seconds since
  the epoch, as all times here.
- `conversations`: a list. Each has `title`, `created_at`, `updated_at`, `options` (set for it alone), `preset` (the
  content of the one that `options` names, where it names one: `core.preset`), `titled_by`
  (program, model, user), `folder` (its name), `pinned_at`, `archived_at` (null where it is not), `messages`
  and `head`, the place in `messages` (from 0) of the last message on screen. A message has `parent` (the place of the
  one before it, always smaller; null for the first), `role` (system, user, assistant, tool), `parts`, `state`
  (complete, interrupted, cancelled, failed), `created_at`, and where there are any `reasoning`, `tool_calls` (`id`,
  `name`, `arguments` as JSON text), `tool_call_id` and `name` (of a tool's message), `figures`, `generation` (`vocab`
  and `tokens`: what the model really wrote) and `next` (the place of the message that followed it when it was last on
  screen). Messages with one parent are versions of each other, oldest first.
- A part is `{"type": "text", "text"}`, `{"type": "image", "sha256", "name", "width", "height", "pixels"}` (the last
  three where the picture has been decoded: `pixels` is the sha256 of its size and pixels) or
  `{"type": "document", "sha256", "name", "text"}` (`text` is what the model reads; `sha256` may be empty).
- `attachments`: an object with the files of pictures and documents in base64, by their sha256.

Names that a reader does not know are to be ignored. A change that old readers would get wrong raises `version`.
"""

import base64
import json
import time
from collections.abc import Callable, Iterable
from typing import BinaryIO

from app import __version__
from app.storage.attachments import AttachmentStore
from app.storage.exchange.records import ConversationRecord, to_json

FORMAT = "hearth-conversations"
VERSION = 1


def write_json(
    file: BinaryIO,
    records: Iterable[ConversationRecord],
    attachments: AttachmentStore,
    done: Callable[[], None] = lambda: None,
) -> None:
    """`done` is called after each conversation and each attachment, and may raise to stop. Raises UserError."""
    head = {"format": FORMAT, "version": VERSION, "program": __version__, "exported_at": time.time()}
    file.write(_bytes(head)[:-1] + b',"conversations":[')
    # One conversation at a time is in memory; of the files, only the names.
    wanted: dict[str, None] = {}
    for number, record in enumerate(records):
        file.write(b",\n" if number else b"\n")
        file.write(_bytes(to_json(record)))
        wanted.update(dict.fromkeys(sorted(record.content_hashes)))
        done()
    file.write(b'\n],"attachments":{')
    n_written = 0
    for content_hash in wanted:
        data = attachments.get(content_hash)
        if data is not None:
            file.write(b",\n" if n_written else b"\n")
            file.write(_bytes(content_hash) + b":" + b'"' + base64.b64encode(data) + b'"')
            n_written += 1
        done()
    file.write(b"\n}}\n")


def _bytes(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Lone surrogates survive as escapes.
        return json.dumps(value, separators=(",", ":")).encode()
