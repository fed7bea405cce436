"""Which models programs may have loaded that the local API does not have yet, and asking the user about it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.core.api_settings import LoadModels
from app.core.model_ref import ModelRef
from app.services.local_api.named_models import ChatModel, VectorFile

if TYPE_CHECKING:
    from app.library.catalogue import LibraryModel

_PATIENCE = 60.0
"""Seconds that a program waits for the user's answer."""


@dataclass(eq=False, slots=True)
class ModelRequest:
    """A program wants a model to be loaded. Answered once, in the thread of `OtherModels`."""

    client: str
    """As it calls itself; empty where it does not."""
    name: str
    _said: "asyncio.Future[bool]" = field(repr=False)
    n_waiting: int = 0
    """Requests of the program; it may send several at once."""

    async def said(self) -> bool:
        """False where nobody answers for a minute."""
        self.n_waiting += 1
        try:
            return await asyncio.wait_for(asyncio.shield(self._said), _PATIENCE)
        except TimeoutError:
            return False
        finally:
            self.n_waiting -= 1

    def answer(self, yes: bool) -> None:
        loop = self._said.get_loop()
        with suppress(RuntimeError):  # the loop has been closed since
            loop.call_soon_threadsafe(lambda: None if self._said.done() else self._said.set_result(yes))


class OtherModels(QObject):
    """Lives in the window's thread; `chat` and `vectors` may be used in any, and `may_load` in the API's."""

    requested = Signal(object)
    """ModelRequest: the user has to be asked."""
    ended = Signal(object)
    """ModelRequest: nobody waits for its answer any more."""

    def __init__(
        self,
        models: "Callable[[], Sequence[LibraryModel]]",
        mode: Callable[[], LoadModels],
        always: Sequence[ModelRef] = (),
        parent: QObject | None = None,
    ) -> None:
        """`models` are the library's, and `mode` what the settings say now; both are asked in any thread. `always` are
        there, whatever the library says.
        """
        super().__init__(parent)
        self._models = models
        self._mode = mode
        self._asked: dict[tuple[str, str], ModelRequest] = {}
        """By the program and the model's name."""
        self._always = tuple(ChatModel(each, each.title, (each.name,), frozenset({each})) for each in always)

    def chat(self) -> tuple[ChatModel, ...]:
        if self._mode() is LoadModels.NEVER:
            return ()
        found = tuple(ChatModel.of(each) for each in self._models() if each.is_usable)
        return (*(each for each in self._always if not any(each.ref in other.refs for other in found)), *found)

    def vectors(self) -> tuple[VectorFile, ...]:
        if self._mode() is LoadModels.NEVER:
            return ()
        from app.library.model_facts import ModelKind  # only here: `serve` starts sooner

        kinds = {ModelKind.EMBEDDER: False, ModelKind.RERANKER: True}
        return tuple(
            VectorFile(each.name, each.ref, kinds[each.facts.kind])
            for each in self._models()
            if each.facts is not None and not each.problem and each.facts.kind in kinds
        )

    async def may_load(self, name: str, client: str = "") -> bool:
        """What the settings say, or the user, who has a minute for it and is asked once, however many requests of a
        program wait. On one event loop.
        """
        if self._mode() is not LoadModels.ASK:
            return self._mode() is LoadModels.ALWAYS
        request = self._asked.get((client, name))
        if request is None:
            request = ModelRequest(client, name, asyncio.get_running_loop().create_future())
            self._asked[client, name] = request
            self.requested.emit(request)
        try:
            return await request.said()
        finally:
            if not request.n_waiting:
                del self._asked[client, name]
                self.ended.emit(request)
