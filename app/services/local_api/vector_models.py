"""The models that make vectors of texts for the local API: each in a process of its own, begun when it is wanted."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.core.errors import UserError
from app.core.loading import Loading
from app.services.local_api.named_models import VectorFile

if TYPE_CHECKING:
    from app.engine.vectors.process import Text, VectorFacts, VectorProcess, Vectors

_log = logging.getLogger(__name__)
_CHUNK = 256
"""Texts that are asked for at once: others have their turn in between, and a client that goes away is noticed."""
_IDLE = 600.0
"""Seconds without a request after which a model goes that is there for the asking alone."""


@dataclass(eq=False, slots=True)
class _Opened:
    process: "VectorProcess"
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    going: asyncio.TimerHandle | None = None


class VectorModels:
    """Lives on the API's loop, but for `open`."""

    def __init__(
        self,
        command: Sequence[str],
        loading: Loading,
        chosen: Sequence[VectorFile] = (),
        others: Callable[[], Sequence[VectorFile]] = tuple,
        may_load: Callable[[str], Awaitable[bool]] | None = None,
    ) -> None:
        """`chosen` stay loaded; `others` may be loaded when a request names them and `may_load` says so, and go when
        nobody wants them.
        """
        self._command = tuple(command)
        self._loading = loading
        self.chosen = tuple(chosen)
        self._others = others
        self._may_load = may_load
        self._opened: dict[VectorFile, _Opened] = {}
        self._opening = asyncio.Lock()

    def known(self) -> tuple[VectorFile, ...]:
        return tuple(dict.fromkeys((*self.chosen, *self._others())))

    def open(self) -> None:
        """Load those that stay. Blocks; before anything is asked. Raises UserError."""
        for file in self.chosen:
            self._opened[file] = _Opened(self._begun(file))

    def close(self) -> None:
        for file in tuple(self._opened):
            self._end(file)

    async def facts(self, file: VectorFile) -> "VectorFacts":
        """Of a model, which is loaded for it. Raises UserError."""
        return (await self._get(file)).process.facts

    async def vectors(
        self, file: VectorFile, texts: "Sequence[Text]", *, query: str | None = None, truncate: bool = False
    ) -> "Vectors":
        """See `VectorProcess.vectors`."""
        from app.engine.vectors.process import Vectors

        opened = await self._get(file)
        try:
            shares = []
            for first in range(0, len(texts), _CHUNK):
                chunk = texts[first : first + _CHUNK]
                async with opened.turn:
                    ask = opened.process.vectors
                    shares.append(await asyncio.to_thread(ask, chunk, query=query, first=first, truncate=truncate))
        finally:
            self._rest_later(file, opened)
        rows = tuple(row for each in shares for row in each.rows)
        n_tokens = tuple(count for each in shares for count in each.n_tokens)
        return Vectors(rows, n_tokens, sum(each.n_cut for each in shares))

    async def _get(self, file: VectorFile) -> _Opened:
        if file not in self.chosen and file not in self._opened and not await self._allowed(file):
            raise UserError("The user of this computer did not let {name} be loaded.", name=file.name)
        async with self._opening:
            opened = self._opened.get(file)
            if opened is not None and not opened.process.is_alive:
                self._end(file)
                opened = None
            if opened is None:
                opened = self._opened[file] = _Opened(await asyncio.to_thread(self._begun, file))
        if opened.going is not None:
            opened.going.cancel()
        return opened

    async def _allowed(self, file: VectorFile) -> bool:
        return self._may_load is not None and await self._may_load(file.name)

    def _begun(self, file: VectorFile) -> "VectorProcess":
        from app.engine.loading.room import fits_beside
        from app.engine.vectors.process import VectorProcess

        if not fits_beside(file.path, self._loading):
            told = "{name} does not fit into memory beside what is there. Close other programs, or unload the model."
            raise UserError(told, name=file.name)
        made = VectorProcess(self._command, file.path, self._loading, file.pooling)
        _log.info("%s makes vectors of texts (pooling %s)", file.name, made.facts.pooling)
        return made

    def _rest_later(self, file: VectorFile, opened: _Opened) -> None:
        if file not in self.chosen and self._opened.get(file) is opened:
            opened.going = asyncio.get_running_loop().call_later(_IDLE, self._end, file)

    def _end(self, file: VectorFile) -> None:
        opened = self._opened.pop(file)
        if opened.going is not None:
            opened.going.cancel()
        opened.process.close()


NO_VECTORS = VectorModels((), Loading())
"""None that makes vectors."""
