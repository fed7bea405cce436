"""What was said in other conversations."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from app.tools.built_in.source import Here, Source, source_name, tool
from app.tools.daemon_call import daemon_call
from app.tools.tool import Nature, ToolResult, to_model


class OtherChats(Source):
    """`find` looks for words, in any thread: the number of each chat, and what was said there. Raises UserError."""

    name = source_name("chats")
    tools = (
        tool(
            "search_chats",
            to_model("What was said in the user's other chats: messages that hold all of these words."),
            # They may hold what nobody else should see, and what strangers wrote.
            Nature(asks=True),
            query="Words",
        ),
    )

    def __init__(self, find: Callable[[str], Iterable[tuple[int, str]]]) -> None:
        self._find = find

    async def run(self, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        found = await daemon_call(lambda: self._find(arguments["query"]))
        told = [text for chat, text in found if chat != here.conversation]
        return ToolResult("\n\n".join(told) or to_model("Nothing was found."))
