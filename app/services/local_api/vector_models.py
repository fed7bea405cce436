"""The models that make vectors of texts for the local API: each in a process of its own, begun when it is wanted."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from app.core.errors import ModelError, UserError
from app.core.loading import Loading, Pooling
from app.services.local_api.named_models import VectorFile

if TYPE_CHECKING:
    from app.engine.vectors.process import Text, VectorFacts, VectorProcess, Vectors

_log = logging.getLogger(__name__)
_CHUNK = 256
"""Texts that are asked for at once: others have their turn in between, and a client that goes away is noticed."""
_FEW = 4
"""The same of a model that makes a vector for each token."""
_MOST = 1 << 25
"""Numbers that are told at once: 128 MiB, and eight times that while JSON is made of them."""
_IDLE = 600.0
"""Seconds without a request after which a model goes that is there for the asking alone."""


class NotAllowedError(UserError):
    """The user does not want a model to be loaded."""


@dataclass(eq=False, slots=True)
class _Opened:
    process: "VectorProcess"
    asking: ThreadPoolExecutor = field(default_factory=partial(ThreadPoolExecutor, 1, "vectors"))
    """One thread, so that who waits takes none of those that serve everybody, and is forgotten when it goes away. It
    ends with the last who asks: of a process that has died they hear it themselves.
    """


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
        self._users: Counter[VectorFile] = Counter()
        self._going: dict[VectorFile, asyncio.TimerHandle] = {}
        self._loader = ThreadPoolExecutor(1, "vector models")
        """Loads one after another, also for a client that has gone away: it asks again, and would never have it."""
        self._closed = False

    def known(self) -> tuple[VectorFile, ...]:
        return tuple(dict.fromkeys((*self.chosen, *self._others())))

    def open(self) -> None:
        """Load those that stay. Blocks; any thread. Raises UserError."""
        for file in self.chosen:
            self._loader.submit(self._loaded, file).result()

    def close(self) -> None:
        self._closed = True
        self._loader.shutdown(wait=False, cancel_futures=True)
        for going in self._going.values():
            going.cancel()
        for file in tuple(self._opened):
            self._end(file)

    async def facts(self, file: VectorFile) -> "VectorFacts":
        """Of a model, which is loaded for it. Raises UserError."""
        async with self._used(file) as opened:
            return opened.process.facts

    async def vectors(
        self, file: VectorFile, texts: "Sequence[Text]", *, query: str | None = None, truncate: bool = False
    ) -> "Vectors":
        """See `VectorProcess.vectors`. Raises ModelError, too, where they are too many numbers."""
        from app.engine.vectors.process import Vectors

        loop, shares, size = asyncio.get_running_loop(), [], 0
        async with self._used(file) as opened:
            step = _FEW if opened.process.facts.pooling is Pooling.NONE else _CHUNK
            for first in range(0, len(texts), step):
                chunk = texts[first : first + step]
                ask = partial(opened.process.vectors, chunk, query=query, first=first, truncate=truncate)
                shares.append(made := await loop.run_in_executor(opened.asking, ask))
                size += sum(row.size for row in made.rows)
                if size > _MOST:
                    told = "The vectors of these texts have more than {most:,} numbers. Send fewer texts at a time."
                    raise ModelError(told, most=_MOST)
        rows = tuple(row for each in shares for row in each.rows)
        n_tokens = tuple(count for each in shares for count in each.n_tokens)
        return Vectors(rows, n_tokens, sum(each.n_cut for each in shares))

    @asynccontextmanager
    async def _used(self, file: VectorFile) -> AsyncGenerator[_Opened, None]:
        """A model, which stays as long as it is used. Raises UserError."""
        known = file in self.chosen or file in self._opened or self._users[file]
        if not known and not await self._allowed(file):
            raise NotAllowedError("The user of this computer did not let {name} be loaded.", name=file.name)
        if (going := self._going.pop(file, None)) is not None:
            going.cancel()
        self._users[file] += 1
        try:
            opened = self._opened.get(file)
            if opened is None or not opened.process.is_alive:
                opened = await asyncio.get_running_loop().run_in_executor(self._loader, self._loaded, file)
            yield opened
        finally:
            self._users[file] -= 1
            self._rest_later(file)

    async def _allowed(self, file: VectorFile) -> bool:
        return self._may_load is not None and await self._may_load(file.name)

    def _loaded(self, file: VectorFile) -> _Opened:
        """In the loader's thread: it may have been loaded meanwhile, or died since."""
        opened = self._opened.get(file)
        if opened is not None and opened.process.is_alive:
            return opened
        self._end(file)
        opened = self._opened[file] = _Opened(self._begun(file))
        if self._closed:
            self._end(file)
        return opened

    def _begun(self, file: VectorFile) -> "VectorProcess":
        from app.engine.loading.room import fits_beside
        from app.engine.vectors.process import VectorProcess

        if not fits_beside(file.ref.file, self._loading):
            told = "{name} does not fit into memory beside what is there. Close other programs, or unload the model."
            raise UserError(told, name=file.name)
        made = VectorProcess(self._command, file.ref.file, self._loading, file.pooling)
        _log.info("%s makes vectors of texts (pooling %s)", file.name, made.facts.pooling)
        return made

    def _rest_later(self, file: VectorFile) -> None:
        if file not in self.chosen and not self._users[file] and not self._closed:
            self._going[file] = asyncio.get_running_loop().call_later(_IDLE, self._end, file)

    def _end(self, file: VectorFile) -> None:
        if (opened := self._opened.pop(file, None)) is not None:
            opened.process.close()


NO_VECTORS = VectorModels((), Loading())
"""None that makes vectors."""
