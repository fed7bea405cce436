"""The hub for the window: search as people type, a repository, its card, the token; never in the GUI thread."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from app.library.hub import HubModel, HubRepo, Wanted, card, repository, search
from app.library.hub_errors import BusyError, GatedError, OfflineError
from app.library.hub_token import HubToken, NotKeptError
from app.services.runtime.debounce import Debounce
from app.services.runtime.detached_thread import DetachedThread
from app.services.runtime.worker_thread import Work, told

_TYPING_MS = 350
_FAULT = "The hub could not be asked because of a fault in Hearth."


@dataclass(frozen=True, slots=True)
class HubResults:
    wanted: Wanted
    models: tuple[HubModel, ...]


@dataclass(frozen=True, slots=True)
class HubCard:
    repo: str
    text: str
    """Markdown, written by anybody; empty where there is none."""


@dataclass(frozen=True, slots=True)
class HubProblem:
    sentence: str
    offline: bool = False
    gated: bool = False
    """A token, or accepting terms, would help."""
    repo: str = ""
    """The repository that was to be opened; empty: it was the search."""
    card: bool = False
    """Its files are known, and only what is written about them is not."""
    wait: float = 0.0
    """Seconds until it makes sense to ask again; 0 where nobody knows."""


class HubSearch(QObject):
    """GUI thread. Results come for the newest wish alone."""

    found = Signal(object)
    """HubResults"""
    opened = Signal(object)
    """HubRepo"""
    card_read = Signal(object)
    """HubCard"""
    failed = Signal(object)
    """HubProblem"""
    busy = Signal(bool)
    """Something is being searched"""
    token_kept = Signal(object)
    """Empty where it is kept, otherwise a sentence about it."""
    token_changed = Signal()
    """Another one is in force, kept or not"""

    def __init__(self, token: HubToken | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._token = token or HubToken()
        self._thread = DetachedThread(self, name="hub")
        # Of their own, so that a repository that does not answer holds no search up, and neither holds the token up.
        self._opener = DetachedThread(self, name="hub repositories")
        self._token_thread = DetachedThread(self, name="hub token")
        self._wanted = Wanted()
        self._searching: Work | None = None
        self._opening: Work | None = None
        self._typing = Debounce(_TYPING_MS, self._search, self)

    def search(self, wanted: Wanted, *, at_once: bool = False) -> None:
        """Soon, when no other wish has come by then."""
        self._wanted = wanted
        if at_once:
            self._typing.stop()
            self._search()
        else:
            self._typing.start()

    def open(self, repo: str) -> None:
        """What is in a repository, and then its card."""
        if self._opening is not None:
            self._opener.cancel(self._opening)
        self._opening = self._opener.submit(
            lambda: repository(repo, self._token.get()), lambda result: self._take_repo(repo, result)
        )

    def keep_token(self, token: str) -> None:
        self._token_thread.submit(lambda: self._token.set(token), self._take_token)

    def forget_token(self) -> None:
        self._token_thread.submit(self._token.forget, self._take_token)

    def close(self) -> None:
        """What is being asked is given up."""
        self._typing.stop()
        for thread in (self._thread, self._opener, self._token_thread):
            thread.close()

    @Slot()
    def _search(self) -> None:
        if self._searching is not None:
            self._thread.cancel(self._searching)
        wanted = self._wanted
        self._searching = self._thread.submit(
            lambda: HubResults(wanted, search(wanted, self._token.get())), self._take_results
        )
        self.busy.emit(True)

    def _take_results(self, result: HubResults | Exception) -> None:
        self._searching = None
        self.busy.emit(False)
        if isinstance(result, HubResults):
            self.found.emit(result)
        else:
            self.failed.emit(_problem(result))

    def _take_repo(self, repo: str, result: HubRepo | Exception) -> None:
        self._opening = None
        if isinstance(result, Exception):
            self.failed.emit(_problem(result, repo))
            return
        self.opened.emit(result)
        if result.has_card:
            self._opening = self._opener.submit(
                lambda: HubCard(repo, card(result, self._token.get())), lambda read: self._take_card(repo, read)
            )

    def _take_card(self, repo: str, result: HubCard | Exception) -> None:
        self._opening = None
        if isinstance(result, HubCard):
            self.card_read.emit(result)
        else:
            self.failed.emit(_problem(result, repo, card=True))

    def _take_token(self, result: object) -> None:
        if not isinstance(result, Exception) or isinstance(result, NotKeptError):
            self.token_changed.emit()
        self.token_kept.emit(told(result, _FAULT) if isinstance(result, Exception) else "")


def _problem(error: Exception, repo: str = "", *, card: bool = False) -> HubProblem:
    wait = error.wait if isinstance(error, BusyError) else 0.0
    return HubProblem(
        told(error, _FAULT), isinstance(error, OfflineError), isinstance(error, GatedError), repo, card, wait
    )
