"""Which model makes the vectors that a request wants, and the vectors."""

import asyncio
import time
from collections.abc import Sequence
from typing import Annotated, Any, Protocol

from msgspec import Meta

from app.api.answering import Answering
from app.api.errors import ApiError, Places
from app.api.loaded_model import is_called
from app.api.validation import as_whole, invalid, text
from app.core.errors import UserError
from app.engine.vectors.process import Text, VectorFacts, Vectors
from app.services.local_api.named_models import VectorFile
from app.services.local_api.vector_models import NotAllowedError

_OBJECT = {
    "anyOf": [
        {"type": "object", "properties": {"prompt_string": {"type": "string"}}, "required": ["prompt_string"]},
        {
            "type": "object",
            "properties": {
                "content": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"type": {"const": "text"}, "text": {"type": "string"}},
                        "required": ["type", "text"],
                    },
                }
            },
            "required": ["content"],
        },
    ]
}
"""llama-server's forms of a text; in both there may be pictures, which no model for vectors sees here."""
_ITEMS = {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "array"}, _OBJECT]}
Texts = Annotated[
    Any,
    Meta(
        title="a text, a list of texts, tokens, or a list of lists of tokens",
        extra_json_schema={"anyOf": [{"type": "string"}, _OBJECT, {"type": "array", "items": _ITEMS, "minItems": 1}]},
    ),
]


class VectorSource(Protocol):
    """`app.services.local_api.vector_models.VectorModels`, or a test's stand-in."""

    def known(self) -> tuple[VectorFile, ...]: ...

    async def facts(self, file: VectorFile) -> VectorFacts: ...

    async def vectors(
        self, file: VectorFile, texts: Sequence[Text], *, query: str | None = None, truncate: bool = False
    ) -> Vectors: ...

    def close(self) -> None: ...


class VectorAnswers:
    """Lives on one event loop. No conversation waits for vectors: another process makes them."""

    def __init__(self, answering: Answering, source: VectorSource) -> None:
        self._limits = answering.limits
        self._figures = answering.figures
        self._explained = answering.explained
        self.source = source
        self._waiting = 0

    def choose(self, asked: str | None, *, ranks: bool) -> VectorFile:
        """By its name, or the first one for a name that nobody has, as with the model that chats. Raises ApiError."""
        known = self.source.known()
        named = [each for each in known if asked is not None and is_called(asked, *each.names)]
        fit = [each for each in named or known if each.ranks is ranks]
        if fit:
            return fit[0]
        if named:
            told = "makes vectors, and ranks nothing" if ranks else "ranks documents (/v1/rerank), and makes no vectors"
            raise ApiError(400, f"{named[0].name} {told}.", param="model", code="model_not_suitable")
        kind, option = ("reranking", "--reranking-model") if ranks else ("embedding", "--embedding-model")
        told = f"There is no {kind} model here. Start hearth serve with {option} FILE."
        raise ApiError(501, told, kind="not_supported_error", param="model", code="no_such_model", retry=False)

    async def facts(self, file: VectorFile) -> VectorFacts:
        """Raises ApiError."""
        try:
            return await self.source.facts(file)
        except NotAllowedError as error:
            raise ApiError(403, error.sentence, param="model", code="model_not_allowed") from error
        except UserError as error:
            raise ApiError(503, error.sentence, param="model", code="model_not_loaded", retry=False) from error

    async def of(
        self,
        file: VectorFile,
        texts: Sequence[Text],
        places: Places,
        *,
        query: str | None = None,
        truncate: bool = False,
    ) -> Vectors:
        """Raises ApiError."""
        if self._waiting >= self._limits.waiting:
            raise ApiError(429, "Too many requests are waiting. Try again later.", code="too_many_requests")
        self._waiting += 1
        try:
            await self.facts(file)
            with self._explained(places):
                begun = time.perf_counter()
                async with asyncio.timeout(self._limits.seconds):
                    made = await self.source.vectors(file, texts, query=query, truncate=truncate)
                self._figures.read(sum(made.n_tokens), (time.perf_counter() - begun) * 1000)
                return made
        finally:
            self._waiting -= 1


def texts_from(where: str, told: object) -> list[Text]:
    """What a request wants vectors of. Raises ApiError."""
    if isinstance(told, str | dict):
        return [_one(where, told)]
    if not isinstance(told, list) or not told:
        raise invalid(where, f"{where} must be a text, a list of texts, tokens, or a list of lists of tokens.")
    whole = [as_whole(each) for each in told]
    if any(isinstance(each, int) for each in whole):
        return [_mixed(where, whole)]
    return [_one(f"{where}[{at}]", each) for at, each in enumerate(told)]


def _one(where: str, told: object) -> Text:
    match told:
        case list():
            return _mixed(where, told)
        case {"prompt_string": words, **more} if not more.get("multimodal_data"):
            return text(f"{where}.prompt_string", words)
        case {"content": [*parts]}:
            return "".join(_said(f"{where}.content[{at}]", each) for at, each in enumerate(parts))
        case dict():
            raise invalid(where, f"{where} must hold texts alone: models for vectors see and hear nothing here.")
    return text(where, told)


def _said(where: str, part: object) -> str:
    match part:
        case {"type": "text", "text": words}:
            return text(f"{where}.text", words)
    raise invalid(where, f"{where} must be a text: models for vectors see and hear nothing here.")


def _mixed(where: str, told: list[Any]) -> list[int | str]:
    made: list[int | str] = []
    for each in map(as_whole, told):
        if isinstance(each, str):
            made.append(text(where, each))
        elif isinstance(each, int) and not isinstance(each, bool) and 0 <= each < 1 << 31:
            made.append(each)
        else:
            raise invalid(where, f"{where} must hold numbers of tokens, and texts.")
    return made
