"""Reads our own format, which `export_json` describes."""

import base64
import binascii
import hashlib

from app import __version__
from app.core.errors import UserError
from app.storage.exchange.export_json import FORMAT, VERSION
from app.storage.exchange.json_stream import JsonStream
from app.storage.exchange.records import from_json
from app.storage.exchange.stage import Stage


def read_conversations(stream: JsonStream, stage: Stage) -> None:
    """The list of them. Raises ValueError for what is none."""
    for value in stream.items():
        record = from_json(value)
        if record.messages:
            stage.add(record)
        else:
            stage.skip("it has no messages")


def read_attachments(stream: JsonStream, stage: Stage) -> None:
    """Files by their sha256; one that has another was damaged. Raises ValueError."""
    for name in stream.members():
        value = stream.value()
        try:
            data = base64.b64decode(value, validate=True)
        except (TypeError, binascii.Error):
            raise ValueError("attachment") from None
        if hashlib.sha256(data).hexdigest() != name:
            raise ValueError("attachment")
        stage.keep(data)


def check_head(members: dict[str, object]) -> None:
    """Raises ValueError for another format, UserError for a later version of ours."""
    version = members.get("version")
    if members.get("format") != FORMAT or type(version) is not int or version < 1:
        raise ValueError("format")
    if version > VERSION:
        raise UserError(
            "The file was written by a newer version of Hearth; install that version to import it.",
            detail=f"format version {version}, this program ({__version__}) reads {VERSION}",
        )
