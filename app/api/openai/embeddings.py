"""`/v1/embeddings`, OpenAI's, and llama-server's `/embeddings`."""

import base64
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from aiohttp import web
from msgspec import Meta, Struct
from numpy.typing import NDArray

from app.api.answering import Answering
from app.api.errors import Places
from app.api.unknown_fields import unknown_in
from app.api.validation import given_of, invalid, names_of, validated
from app.api.vectors import Texts, VectorAnswers, texts_from
from app.core.loading import Pooling
from app.engine.vectors.process import VectorFacts, Vectors
from app.services.local_api.named_models import VectorFile

_EUCLIDEAN = 2
_LARGEST = 32_760.0
"""What `embd_normalize` 0 makes of the largest number: llama.cpp's, for whoever wants 16 bits."""
Rows = Sequence[NDArray[np.float32]]


class EmbeddingFields(Struct, kw_only=True, frozen=True):
    input: Texts | None = None
    content: Annotated[Any, Meta(description="llama-server's word for input.")] = None
    model: str | None = None
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Annotated[int, Meta(ge=1, description="The first numbers of each vector, and no more.")] | None = None
    truncate: Annotated[bool, Meta(description="Cut a text that is too long, instead of refusing it.")] = False
    embd_normalize: Annotated[
        int, Meta(ge=-1, le=64, description="-1 leaves vectors as they are, 0 makes the largest 32760, 2 the length 1.")
    ] = _EUCLIDEAN


class EmbeddingRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering, vectors: VectorAnswers) -> None:
        self._answering = answering
        self._vectors = vectors

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/embeddings", self.embeddings)
        router.add_post("/embeddings", self.plain_embeddings)
        router.add_post("/embedding", self.plain_embeddings)

    async def embeddings(self, request: web.Request) -> web.Response:
        return await self._embed(request, plain=False)

    async def plain_embeddings(self, request: web.Request) -> web.Response:
        return await self._embed(request, plain=True)

    async def _embed(self, request: web.Request, *, plain: bool) -> web.Response:
        answering, vectors = self._answering, self._vectors
        body = given_of(await answering.json(request, chats=False))
        asked = validated(EmbeddingFields, body)
        answering.ignored.note(request, unknown_in(body, names_of(EmbeddingFields)))
        where = "input" if asked.input is not None else "content"
        texts = texts_from(where, asked.input if asked.input is not None else asked.content)
        file = vectors.choose(asked.model, ranks=False)
        facts = await vectors.facts(file)
        plain = plain or where == "content"
        check(facts, asked.dimensions, plain=plain)
        made = await vectors.of(file, texts, Places(where), truncate=asked.truncate)
        tell = partial(_listed, asked, facts) if plain else partial(_object, asked, file)
        answering.model.tell_name(request, file.name)
        return web.Response(body=await answering.bodies.aside(request, tell, made), content_type="application/json")


def check(facts: VectorFacts, dimensions: int | None, *, plain: bool = False) -> None:
    """Raises ApiError where a model makes no such vectors; `plain` may be several of one text."""
    if facts.pooling is Pooling.RANK:
        raise invalid("model", "This model ranks documents, and makes no vectors: ask /v1/rerank.")
    if facts.pooling is Pooling.NONE and not plain:
        told = (
            "This model makes a vector for each token, which only /embeddings can tell. Start it with --pooling mean."
        )
        raise invalid("model", told)
    if dimensions is not None and dimensions > facts.width:
        raise invalid("dimensions", f"dimensions must be up to {facts.width:,}, which this model's vectors have.")


def _object(asked: EmbeddingFields, file: VectorFile, made: Vectors) -> bytes:
    """OpenAI's answer as JSON."""
    packed = asked.encoding_format == "base64"
    told = {"encoding_format": "base64"} if packed else {}
    data = [
        {"object": "embedding", "index": at, "embedding": _packed(row) if packed else row.tolist(), **told}
        for at, row in enumerate(normalised(made.rows, asked.embd_normalize, asked.dimensions))
    ]
    n_tokens = sum(made.n_tokens)
    usage = {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
    return msgspec.json.encode({"object": "list", "data": data, "model": file.name, "usage": usage})


def _listed(asked: EmbeddingFields, facts: VectorFacts, made: Vectors) -> bytes:
    """llama-server's: a list of vectors of each text, which are as many as its tokens where nothing is pooled."""
    if facts.pooling is Pooling.NONE:
        rows = [row.reshape(-1, facts.width) for row in made.rows]
    else:
        rows = [row[None] for row in normalised(made.rows, asked.embd_normalize, asked.dimensions)]
    return msgspec.json.encode([{"index": at, "embedding": each.tolist()} for at, each in enumerate(rows)])


def _packed(row: NDArray[np.float32]) -> str:
    return base64.b64encode(row.astype("<f4").tobytes()).decode()


def normalised(rows: Rows, kind: int = _EUCLIDEAN, dimensions: int | None = None) -> Rows:
    """As llama.cpp's `common_embd_normalize` does it, of the first `dimensions` numbers."""
    made = []
    for row in rows:
        exact = row[:dimensions].astype(np.float64)
        match kind:
            case -1:
                size = 1.0
            case 0:
                size = float(np.abs(exact).max()) / _LARGEST
            case _:
                size = float((np.abs(exact) ** kind).sum() ** (1 / kind))
        made.append((exact * (1 / size if size else 0.0)).astype(np.float32))
    return made
