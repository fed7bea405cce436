"""What a server says that it has."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from app.tools.mcp_file import ServerEntry
from app.tools.tool import Argument, Hints, Listing, Prompt, Resource, Tool
from app.tools.transports import MOST_LISTED

if TYPE_CHECKING:
    from mcp import Client


async def listing_of(client: "Client", entry: ServerEntry) -> Listing:
    """Raises what the SDK raises."""
    able = client.server_capabilities
    tools = await _all(client.list_tools, "tools")
    prompts = await _all(client.list_prompts, "prompts") if able.prompts is not None else []
    resources = await _all(client.list_resources, "resources") if able.resources is not None else []
    return Listing(
        tuple({each.name: _tool(entry, each) for each in tools}.values()),
        tuple(_prompt(entry, each) for each in prompts),
        tuple(Resource(entry.name, str(each.uri), each.title or each.name, each.mime_type or "") for each in resources),
    )


async def _all(ask: Callable[..., Awaitable[Any]], kind: str) -> list[Any]:
    """All pages, up to a number: some servers have no last one."""
    found: list[Any] = []
    cursor: str | None = None
    seen: set[str | None] = set()
    while cursor not in seen and len(found) < MOST_LISTED:
        seen.add(cursor)
        page = await ask(cursor=cursor)
        found += getattr(page, kind)
        cursor = page.next_cursor
        if cursor is None:
            break
    return found[:MOST_LISTED]


def _tool(entry: ServerEntry, found: Any) -> Tool:
    told = found.annotations
    hints = Hints(bool(told is not None and told.read_only_hint), told is None or told.open_world_hint is not False)
    title = found.title or (told.title if told is not None else None) or ""
    return Tool(entry.name, entry.fingerprint, found.name, title, found.description or "", found.input_schema, hints)


def _prompt(entry: ServerEntry, found: Any) -> Prompt:
    arguments = tuple(
        Argument(each.name, each.description or "", bool(each.required)) for each in found.arguments or ()
    )
    return Prompt(entry.name, found.name, found.title or "", found.description or "", arguments)
