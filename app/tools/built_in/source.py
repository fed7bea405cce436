"""What a source of built-in tools is to those who offer and call it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.core.messages import DocumentPart
from app.tools.tool import Capability, Hints, Nature, Tool, ToolResult

LOOKS = Nature()


@dataclass(frozen=True, slots=True)
class Here:
    """What a built-in tool may see of the conversation that calls it."""

    conversation: int = 0
    """Its number; 0 for none that is stored."""
    documents: Sequence[DocumentPart] = ()
    collections: Sequence[int] = ()
    """Numbers of those that were chosen for it."""
    whole: Callable[[str], str | None] = field(default=lambda _: None)
    """The whole of a result that was cut, by the id that stands where it was cut."""
    tell: Callable[[str], None] = lambda _: None
    """Shows a person how far a call is. From any thread."""


class Source(Protocol):
    """Its coroutines run in one asyncio loop, and may be cancelled."""

    @property
    def name(self) -> str:
        """As conversations keep it: `source_name` of its setting."""

    @property
    def tools(self) -> tuple[Tool, ...]: ...

    async def run(self, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        """What a tool of its own gives. Raises UserError, whose sentence is for the model."""

    def aimed(self, tool: Tool, arguments: Mapping[str, Any]) -> Tool:
        """The tool as it is allowed or not for these arguments: one that asks others is another one for each."""
        return tool

    async def preview(self, name: str, arguments: Mapping[str, Any]) -> str:
        """A unified diff of what the call would change; empty where that is nothing."""
        return ""


def source_name(setting: str) -> str:
    """Of the source that a field of `ToolSettings` switches. Where a server has this name, it can't be called."""
    return f":{setting}"


def tool(name: str, description: str, nature: Nature = LOOKS, optional: Sequence[str] = (), **texts: str) -> Tool:
    """A built-in tool whose arguments are texts; `texts` say what they are."""
    properties = {each: {"type": "string", "description": told} for each, told in texts.items()}
    required = [each for each in texts if each not in optional]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    reads = not nature.able & {Capability.WRITES, Capability.RUNS}
    return Tool("", "", name, "", description, schema, Hints(reads, Capability.SENDS in nature.able), nature)
