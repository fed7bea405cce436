"""What stands in the conversation that calls: its documents, and what was cut of results."""

from collections.abc import Mapping
from typing import Any

from app.core.errors import UserError
from app.tools.built_in.source import Here, Source, source_name, tool
from app.tools.tool import Tool, ToolResult, to_model


class ChatDocuments(Source):
    """Documents that were attached: a model has read them, but not what was left out of a full context since."""

    name = source_name("documents")
    tools = (
        tool("list_documents", to_model("The documents that are attached to this chat.")),
        tool("read_document", to_model("The text of a document that is attached to this chat."), document="Its name"),
    )

    async def run(self, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        listed = "\n".join(f"{each.name} ({len(each.text)} characters)" for each in here.documents)
        if name == "list_documents" or not here.documents:
            return ToolResult(listed or to_model("There are no documents in this chat."))
        # The newest: a name may come again.
        for each in reversed(here.documents):
            if each.name == arguments["document"]:
                return ToolResult(each.text)
        raise UserError("There is no such document. There are:\n{names}", names=listed)


class WholeResults(Source):
    """Goes with any other tool, whose results may be too long to be shown at once."""

    name = source_name("results")
    tools = (
        Tool(
            *("", "", "read_result", ""),
            to_model("Reads on in a result that was cut."),
            {
                "type": "object",
                "properties": {
                    "id": {"type": "string", "description": "As it stands where the result was cut"},
                    "start": {"type": "integer", "description": "The first character"},
                },
                "required": ["id", "start"],
            },
            nature=tool("", "").nature,
        ),
    )

    async def run(self, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        whole, start = here.whole(arguments["id"]), int(arguments["start"])
        if whole is None:
            raise UserError("There is no result with the id {id} in this chat.", id=arguments["id"])
        if not 0 <= start < len(whole):
            raise UserError("The result has the characters 0 to {last}.", last=len(whole) - 1)
        return ToolResult(whole, start=start)
