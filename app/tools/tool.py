"""Tools that a model may ask for, as plain frozen values."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.core.messages import ImagePart, PassagePart


class Capability(StrEnum):
    LOOKS = "looks"
    """Reads something."""
    WRITES = "writes"
    """Changes something."""
    RUNS = "runs"
    """Starts programs."""
    SENDS = "sends"
    """Tells something to others, if only an address that it fetches."""


class Decision(StrEnum):
    """What a person says to a call."""

    ONCE = "once"
    CHAT = "chat"
    """Also later in this conversation, until Hearth is closed."""
    ALWAYS = "always"
    """Until it is revoked, the tool is another one, or its server is."""
    NO = "no"


@dataclass(frozen=True, slots=True)
class Hints:
    """What a server says of its tool (the protocol's annotations). Nobody has checked it."""

    read_only: bool = False
    open_world: bool = True
    """It deals with more than this machine."""


@dataclass(frozen=True, slots=True)
class Nature:
    """Of a built-in tool: what is known of it, and needs nobody's belief."""

    able: frozenset[Capability] = frozenset({Capability.LOOKS})
    asks: bool = False
    """A person has to allow it."""
    outside: bool = True
    """Its results may hold what strangers wrote."""


@dataclass(frozen=True, slots=True)
class Tool:
    server: str
    """What its server is called in `mcp.json`; of one that is built in, whom it asks, or nothing."""
    fingerprint: str
    """Of the server; see `ServerEntry.fingerprint`."""
    name: str
    """The server's own."""
    title: str = ""
    description: str = ""
    schema: Mapping[str, object] = field(default_factory=dict, hash=False)
    """JSON schema of its arguments, as the server gave it."""
    hints: Hints = field(default_factory=Hints)
    nature: Nature | None = None
    """None for a tool of a server."""

    @property
    def is_built_in(self) -> bool:
        return self.nature is not None

    def is_same(self, other: "Tool") -> bool:
        """Whether what was allowed to one was allowed to the other."""
        mine, others = ((each.fingerprint, each.name, each.definition) for each in (self, other))
        return mine == others

    @property
    def definition(self) -> str:
        """sha256 hex of all that a server says of the tool: another one makes it another tool."""
        told = [self.title, self.description, self.schema, self.hints.read_only, self.hints.open_world]
        return digest(told)


@dataclass(frozen=True, slots=True)
class Argument:
    """Of a prompt; it is a text."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text that a server has ready for people."""

    server: str
    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Resource:
    """A file, or what is like one, that a server has for people to attach."""

    server: str
    uri: str
    name: str
    mime: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server has."""

    tools: tuple[Tool, ...]
    prompts: tuple[Prompt, ...] = ()
    resources: tuple[Resource, ...] = ()


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool under the name by which a conversation's model knows it, as the conversation keeps it."""

    name: str
    server: str
    tool: str
    """The server's name for it."""
    declaration: Mapping[str, Any] = field(hash=False)
    """As OpenAI declares tools."""
    waits: bool = False
    """The model is told of it when it looks for one of its kind; see `tool_search`."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call."""

    text: str
    is_error: bool = False
    figures: Mapping[str, object] = field(default_factory=dict)
    """What is kept with it, and told to no model."""
    start: int = 0
    """The model is shown the text from this character on."""
    pictures: tuple[ImagePart, ...] = ()
    """As the server sent them, each with its bytes and nothing that is known of them."""
    passages: tuple[PassagePart, ...] = ()
    """Of documents, the best first and without numbers: they get those of the conversation."""


def to_model(text: str, /, **values: object) -> str:
    """What a model is told, and no person: it stays in English."""
    return text.format(**values)


def digest(value: object) -> str:
    """sha256 hex of a JSON value, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
