"""A small JSON file of what was found out, by key; the oldest keys go."""

import json
import logging
from pathlib import Path
from typing import Any

from app.core.files import write_atomic

_log = logging.getLogger(__name__)

_MANY = 200


class Record:
    """It may be lost without harm: what can't be read is found out again."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def find(self, key: str) -> Any:
        """What was kept, None where nothing was. It may be anything that JSON can say."""
        return self._all().get(key)

    def keep(self, key: str, found: Any) -> None:
        kept = self._all()
        # Behind the others: the newest.
        kept.pop(key, None)
        kept[key] = found
        for oldest in list(kept)[:-_MANY]:
            del kept[oldest]
        try:
            write_atomic(self._path, json.dumps(kept).encode())
        except OSError as error:
            _log.warning("%s can't be written, so it will be found out again: %s", self._path, error)

    def _all(self) -> dict[str, Any]:
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}
