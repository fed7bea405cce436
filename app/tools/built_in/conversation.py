"""What stands in the conversation that calls: its documents, and what was cut of results."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from app.core.errors import UserError
from app.core.messages import DocumentPart, PassagePart
from app.tools.built_in.source import Here, Source, source_name, tool
from app.tools.daemon_call import daemon_call
from app.tools.tool import Tool, ToolResult, to_model


class DocumentSearch(Protocol):
    """What was read of documents. Blocks, in any thread. Raises UserError."""

    def find(
        self, question: str, documents: Sequence[DocumentPart], collections: Sequence[int]
    ) -> tuple[PassagePart, ...]:
        """The best passages for a question, the best first, without numbers."""

    def text_of(self, name: str, collections: Sequence[int]) -> str | None:
        """Of a file in collections."""


class ChatDocuments(Source):
    """Documents that were attached, and those of the chat's collections: a model has read some of them, or a part, and
    not what was left out of a full context since.
    """

    name = source_name("documents")
    tools = (
        tool("list_documents", to_model("The documents that are attached to this chat.")),
        tool(
            "search_documents",
            to_model("Passages of this chat's documents and collections that fit a question, with numbers to cite."),
            question="What is looked for, in words that may stand there",
        ),
        tool("read_document", to_model("The text of a document of this chat or its collections."), document="Its name"),
    )

    def __init__(self, search: DocumentSearch) -> None:
        self._search = search

    async def run(self, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        if not here.documents and not here.collections:
            return ToolResult(to_model("There are no documents in this chat."))
        if name == "search_documents":
            return await self._found(arguments["question"], here)
        if name == "read_document":
            return ToolResult(await self._text(arguments["document"], here))
        return ToolResult(_listed(here))

    async def _found(self, question: str, here: Here) -> ToolResult:
        found = await daemon_call(lambda: self._search.find(question, here.documents, here.collections))
        if not found:
            return ToolResult(to_model("Nothing in the documents has words of this question."))
        return ToolResult(to_model("These passages fit best."), passages=found)

    async def _text(self, name: str, here: Here) -> str:
        # The newest: a name may come again.
        for each in reversed(here.documents):
            if each.name == name:
                return each.text
        text = await daemon_call(lambda: self._search.text_of(name, here.collections)) if here.collections else None
        if text is None:
            raise UserError("There is no such document. There are:\n{names}", names=_listed(here))
        return text


def _listed(here: Here) -> str:
    lines = [f"{each.name} ({len(each.text)} characters)" for each in here.documents]
    if here.collections:
        lines.append(to_model("Collections of other documents, which search_documents looks through."))
    return "\n".join(lines)


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
