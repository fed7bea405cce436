"""What requests held that had no effect, told to those who wonder: in a header of the answer, and once in the log."""

import logging
from collections.abc import Iterable

from aiohttp import web

_log = logging.getLogger(__name__)
IGNORED_HEADER = "Hearth-Ignored"
"""Names the parameters of the request that had no effect; the answer stays as OpenAI's clients know it."""
_KEY = web.RequestKey("ignored", tuple[str, ...])
_MOST_TOLD = 32
_MOST_LOGGED = 256


class IgnoredNames:
    """Lives on one event loop."""

    def __init__(self) -> None:
        self._logged: set[str] = set()

    def note(self, request: web.Request, names: tuple[str, ...]) -> None:
        """`names` fit into a header; see `unknown_fields`."""
        request[_KEY] = names
        fresh = [name for name in names if name not in self._logged]
        if fresh and len(self._logged) < _MOST_LOGGED:
            self._logged.update(fresh)
            _log.info("A program sends parameters that are not known here, and ignored: %s", _listed(fresh))

    async def tell(self, request: web.Request, response: web.StreamResponse) -> None:
        """To be called before a response is sent."""
        if names := request.get(_KEY):
            response.headers[IGNORED_HEADER] = _listed(names)


def _listed(names: Iterable[str]) -> str:
    unique = list(dict.fromkeys(names))
    more = ["..."] if len(unique) > _MOST_TOLD else []
    return ", ".join([*unique[:_MOST_TOLD], *more])
