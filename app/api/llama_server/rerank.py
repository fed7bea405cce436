"""`/v1/rerank`, as llama-server, Jina, Cohere and TEI have it: how well documents answer a query."""

from typing import Annotated

from aiohttp import web
from msgspec import Meta, Struct

from app.api.answering import Answering
from app.api.errors import Json, Places
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, invalid, names_of, validated
from app.api.vectors import VectorAnswers


class _Document(Struct, kw_only=True, frozen=True):
    text: str


_Documents = Annotated[list[str | _Document], Meta(min_length=1, title="a list of at least one text")]


class RerankFields(Struct, kw_only=True, frozen=True):
    query: str
    documents: _Documents | None = None
    texts: Annotated[_Documents, Meta(description="TEI's word for documents: the answer is TEI's, too.")] | None = None
    model: str | None = None
    top_n: Annotated[int, Meta(ge=0, description="How many of the best are told.")] | None = None
    return_documents: bool = False
    return_text: bool = False
    truncate: Annotated[bool, Meta(description="Cut what is too long, instead of refusing it.")] = False


class RerankRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering, vectors: VectorAnswers) -> None:
        self._answering = answering
        self._vectors = vectors

    def add_to(self, router: web.UrlDispatcher) -> None:
        for path in ("/v1/rerank", "/rerank", "/reranking", "/v1/reranking"):
            router.add_post(path, self.rerank)

    async def rerank(self, request: web.Request) -> web.Response:
        body = given_of(await self._answering.json(request, chats=False))
        asked = validated(RerankFields, body)
        self._answering.ignored.note(request, unknown_in(body, names_of(RerankFields)))
        given = asked.documents if asked.texts is None else asked.texts
        if given is None:
            raise invalid("documents", "documents must be a list of at least one text.")
        documents = [each if isinstance(each, str) else each.text for each in given]
        file = self._vectors.choose(asked.model, ranks=True)
        made = await self._vectors.of(file, documents, Places("documents"), query=asked.query, truncate=asked.truncate)
        self._answering.model.tell_name(request, file.name)
        scores = [float(row[0]) for row in made.rows]
        results = _results(asked, documents, scores)
        if asked.texts is not None:
            return web.json_response(results)
        usage = {"prompt_tokens": sum(made.n_tokens), "total_tokens": sum(made.n_tokens)}
        return web.json_response({"model": file.name, "object": "list", "usage": usage, "results": results})


def _results(asked: RerankFields, documents: list[str], scores: list[float]) -> list[Json]:
    """The best first."""
    is_tei = asked.texts is not None
    order = sorted(range(len(scores)), key=lambda at: -scores[at])[: asked.top_n]
    made: list[Json] = []
    for at in order:
        one: dict[str, object] = {"index": at, "score" if is_tei else "relevance_score": scores[at]}
        if is_tei and asked.return_text:
            one["text"] = documents[at]
        if not is_tei and asked.return_documents:
            one["document"] = {"text": documents[at]}
        made.append(one)
    return made
