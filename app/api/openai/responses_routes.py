"""The routes of OpenAI's Responses."""

import json
import time
import uuid
from functools import partial

from aiohttp import web

from app.api.answering import Answering
from app.api.errors import ApiError, Json
from app.api.openai.responses_answers import ResponseObjects
from app.api.openai.responses_request import Response, parse_response
from app.api.openai.stored_responses import StoredResponses
from app.core.events import ModelInfo


def counted(n_tokens: int) -> Json:
    return {"object": "response.input_tokens", "input_tokens": n_tokens}


class ResponsesRoutes:
    """Lives on one event loop."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._stored = StoredResponses()
        self._parse = partial(parse_response, stored=self._stored)

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/responses", self.responses)
        router.add_post("/v1/responses/input_tokens", self.input_tokens)
        router.add_get("/v1/responses/{response_id}", self.stored)
        router.add_delete("/v1/responses/{response_id}", self.forget)

    async def responses(self, request: web.Request) -> web.StreamResponse:
        told: list[tuple[Response, ResponseObjects]] = []

        def objects(asked: Response, model: ModelInfo) -> ResponseObjects:
            keep = partial(self._keep, asked)
            number, now = uuid.uuid4().hex, int(time.time())
            made = ResponseObjects(
                number,
                now,
                model.name,
                asked.echo,
                asked.customs,
                asked.progress,
                asked.timings,
                keep,
            )
            told.append((asked, made))
            return made

        try:
            return await self._answering.chat(request, self._parse, objects)
        except ApiError as error:
            if not told or not told[0][0].stream or error.code != "context_length_exceeded":
                raise
            # Clients that make their conversation shorter look for this as an event.
            made = told[0][1]
            events = (*made.opening(0), *made.failing(error))
            text = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
            return web.Response(text=text, content_type="text/event-stream")

    def _keep(self, asked: Response, number: str, told: Json) -> None:
        if asked.store:
            self._stored.keep(number, asked.before, told)

    async def stored(self, request: web.Request) -> web.Response:
        return web.json_response(self._stored.response(request.match_info["response_id"]))

    async def forget(self, request: web.Request) -> web.Response:
        number = request.match_info["response_id"]
        self._stored.forget(number)
        return web.json_response({"id": number, "object": "response", "deleted": True})

    async def input_tokens(self, request: web.Request) -> web.Response:
        return web.json_response(counted(await self._answering.counted(request, self._parse)))
