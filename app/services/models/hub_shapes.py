"""What models on the hub need, read from their headers ahead of any download, in a thread of its own."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.core.fit_shape import FitShape
from app.library.hub import HubChoice, HubRepo
from app.library.hub_header import read_shape
from app.library.hub_token import HubToken
from app.services.runtime.detached_thread import DetachedThread
from app.services.runtime.worker_thread import Work, told

_FAULT = "The header of a model on the hub could not be read because of a fault in Hearth."
_MOST = 200
"""Shapes that are remembered; each is a few hundred bytes."""


@dataclass(frozen=True, slots=True)
class HubShape:
    repo: str
    commit: str
    shape: FitShape


class HubShapes(QObject):
    """GUI thread. One header is read at a time, the one that was asked for last."""

    found = Signal(object)
    """HubShape"""

    def __init__(self, token: HubToken, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._token = token
        self._thread = DetachedThread(self, name="hub headers")
        self._work: Work | None = None
        self._known: dict[tuple[str, str], FitShape] = {}

    def known(self, repo: HubRepo) -> FitShape | None:
        return self._known.get((repo.model.repo, repo.commit))

    def want(self, repo: HubRepo) -> None:
        """`found` follows where the repository has a model in one file whose header can be read; else nothing does."""
        self.stop()
        choice = _speaker(repo)
        if choice is None or self.known(repo) is not None:
            return
        file = choice.files[0]
        works: list[Work] = []
        work = self._thread.submit(
            lambda: read_shape(file, self._token.get(), lambda: any(each.cancelled for each in works)),
            lambda result: self._take(repo, result),
        )
        works.append(work)
        self._work = work

    def stop(self) -> None:
        if self._work is not None:
            self._thread.cancel(self._work)
            self._work = None

    def close(self) -> None:
        """What is being read is cut short."""
        self.stop()
        self._thread.close()

    def _take(self, repo: HubRepo, result: FitShape | Exception) -> None:
        self._work = None
        if isinstance(result, Exception):
            # The verdicts then stay rough; whatever is wrong is told when something is fetched.
            told(result, _FAULT)
            return
        while len(self._known) >= _MOST:
            del self._known[next(iter(self._known))]
        self._known[repo.model.repo, repo.commit] = result
        self.found.emit(HubShape(repo.model.repo, repo.commit, result))


def _speaker(repo: HubRepo) -> HubChoice | None:
    """The file whose header speaks for all: the parts of a split model know only their own tensors."""
    return next((each for each in repo.choices if not each.is_projector and len(each.files) == 1), None)
