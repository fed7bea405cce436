"""llama-server's `/slots/{id}?action=…`: what the context holds, saved to a file and brought back by name."""

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, get_args

from aiohttp import web
from msgspec import Meta, Struct

from app.api.answering import Answering
from app.api.errors import ApiError, Json
from app.api.validation import given_of, invalid, validated
from app.core.errors import UserError

Action = Literal["save", "restore", "erase"]
_ACTIONS: Mapping[str, Action] = {each: each for each in get_args(Action)}
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}")


class SlotFields(Struct, kw_only=True, frozen=True):
    filename: Annotated[str, Meta(description="A name without folders. Not needed for erase.")] = ""


class SlotRoutes:
    """The one slot that there is, number 0. Lives on one event loop."""

    def __init__(self, answering: Answering, folder: Path | None) -> None:
        """Without a folder nothing is saved."""
        self._answering = answering
        self._folder = folder

    def add_to(self, router: web.UrlDispatcher) -> None:
        router.add_post("/slots/{slot}", self.slot)

    async def slot(self, request: web.Request) -> web.StreamResponse:
        body = await self._answering.json(request) if request.can_read_body else {}
        wanted = self._check(request.match_info["slot"], request.query.get("action", ""), body)
        await self._answering.model.get()

        async def answer() -> web.StreamResponse:
            return web.json_response(await self._act(*wanted))

        return await self._answering.in_turn(request, answer)

    def _check(self, slot: str, action: str, body: object) -> tuple[Action, str]:
        """What is asked, and the file's name. Raises ApiError."""
        if slot != "0":
            raise ApiError(404, f"There is no slot {slot[:20]!r}; the only one is 0.", param="id_slot")
        if (wanted := _ACTIONS.get(action)) is None:
            raise invalid("action", "action must be save, restore or erase.")
        name = validated(SlotFields, given_of(body)).filename
        if wanted != "erase" and not _NAME.fullmatch(name):
            told = "filename must be a name of up to 128 letters, digits, points, _ and -, without folders."
            raise invalid("filename", told)
        if self._folder is None:
            told = "States are saved only where hearth serve was started with --slot-save-path FOLDER."
            raise ApiError(501, told, code="not_supported_error", retry=False)
        return wanted, name

    async def _act(self, action: Action, name: str) -> Json:
        """Raises ApiError for a file that is of no use, and what the engine raises."""
        began = time.perf_counter()
        if action == "erase":
            return {"id_slot": 0, "n_erased": await self._answering.source.erase_slot()}
        assert self._folder is not None
        path = self._folder / name
        try:
            done = await (
                self._answering.source.save_state(path)
                if action == "save"
                else self._answering.source.restore_state(path)
            )
        except UserError as error:
            raise ApiError(400, error.sentence, param="filename", code="invalid_state", retry=False) from error
        if done is None:
            raise ApiError(503, "It was stopped before its end.", code="stopped", retry=False)
        took = {f"{action}_ms": (time.perf_counter() - began) * 1000}
        counts = ("n_saved", "n_written") if action == "save" else ("n_restored", "n_read")
        sizes = dict(zip(counts, (done.n_entries, done.n_bytes), strict=True))
        return {"id_slot": 0, "filename": name, **sizes, "timings": took}
