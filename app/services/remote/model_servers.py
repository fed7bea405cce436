"""The servers whose models can be chosen beside this computer's: kept, asked what they have, and asked for answers."""

import logging
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.model_ref import ModelRef
from app.core.paths import CERTIFICATE
from app.core.requests import ChatRequest
from app.core.sentence import Sentence
from app.remote.address import ServerAddress
from app.remote.server import ServerKind
from app.remote.stop_signal import StopSignal
from app.remote.worker import Spread
from app.services.engine.elsewhere import Asks, unknown_server
from app.services.engine.futures import Hear, Reply
from app.services.remote.remote_info import context_of, model_info
from app.services.remote.remote_replies import Answers, RemoteReplies
from app.services.remote.saved_servers import SavedServer, SavedServers
from app.services.remote.sendable_media import sendable
from app.services.remote.spread_models import SpreadModels, knocked, spread_model
from app.services.remote.state_moves import LINK, StateMoves
from app.services.remote.states import KnownServer, ListedModel, Listing, ServerState
from app.services.runtime.detached_thread import DetachedThread
from app.storage.attachments import AttachmentStore
from app.tools.secrets import Secrets

if TYPE_CHECKING:
    from app.remote.pairing.guest import PairedHost

_log = logging.getLogger(__name__)
Said = TypeVar("Said")
_KEYRING = "Hearth servers"
_NOT_KEPT = "This computer has no keyring, so the key of {name} is kept until Hearth is closed."


@dataclass(frozen=True, slots=True)
class Paired:
    host: "PairedHost"
    listing: Listing | None
    """What it has; None where it does not answer now."""


class ModelServers(QObject):
    """GUI thread. It reads the list of them when it is made, and asks the network nothing before somebody calls `ask`,
    `refresh` or `generate`.
    """

    changed = Signal()
    """Which there are, what is known of them, or whether they answer"""
    noticed = Signal(object)
    """A sentence"""

    def __init__(
        self,
        path: Path,
        attachments: AttachmentStore,
        keys: Secrets | None = None,
        link: float = LINK,
        parent: QObject | None = None,
    ) -> None:
        """`path` is the list of them, without keys; `attachments` has the pictures of conversations."""
        super().__init__(parent)
        self._attachments = attachments
        self._file = SavedServers(path)
        self._certificate = path.with_name(CERTIFICATE)
        self._keys = keys or Secrets(_KEYRING)
        self._servers = {each.id: KnownServer(each) for each in self._file.read()}
        self._asking: dict[str, Asking[Listing]] = {}
        """Those that are being asked what they have, by their ids."""
        self._keyring = DetachedThread(self, name="servers' keys")
        self._replies = RemoteReplies(self)
        self._moves = StateMoves(self._replies, link, self)
        self._spreads = SpreadModels(path.parent / "logs")
        self._closed = False

    @property
    def all(self) -> tuple[KnownServer, ...]:
        """In the order in which they were added."""
        return tuple(self._servers.values())

    def get(self, server_id: str) -> KnownServer | None:
        return self._servers.get(server_id)

    def models(self) -> Iterator[ListedModel]:
        """Of all servers, as they listed them last."""
        for server in self._servers.values():
            for model in server.saved.models:
                yield ListedModel(ModelRef.of_server(server.id, model.id), model, server)

    def called(self, model: ModelRef) -> str:
        """What people know a server's model by, with the server's name; empty where its server is not known."""
        server = self._servers.get(model.server)
        if server is None:
            return ""
        listed = server.saved.find(model.id)
        return f"{listed.title or model.title if listed is not None else model.title} · {server.name}"

    def pair(self, address: str, code: str, then: Callable[["Paired | Exception"], None]) -> "Asking[Paired]":
        """Be paired with a Hearth that shows these, and ask what it has; `then` hears it, unless it is stopped."""
        return Asking(self, partial(_paired, self._certificate, address, code), then)

    def ask(self, address: ServerAddress, key: str, then: Callable[[Listing | Exception], None]) -> "Asking[Listing]":
        """Ask a server that is not kept what it is and what it has; `then` hears it, unless it is stopped."""
        return Asking(self, partial(_listing, address, lambda: key), then)

    def add(self, name: str, address: ServerAddress, key: str, listing: Listing | None) -> str:
        """Keep a server, with what it said where it answered. Its id."""
        made = SavedServer(secrets.token_hex(6), name.strip() or address.shown, address)
        self._servers[made.id] = KnownServer(_with(made, listing), _state_of(listing))
        self._keep()
        self._set_key(made.id, made.name, key)
        return made.id

    def change(self, server_id: str, name: str, address: ServerAddress, key: str | None) -> None:
        """Another name, address or key; None leaves the key as it is, and an empty one takes it away. What it has is
        asked again.
        """
        if (server := self._servers.get(server_id)) is None:
            return
        if (pin := server.saved.address.pin) is not None:  # it stays the same Hearth, wherever it is
            address = ServerAddress(address.base.replace("http://", "https://"), pin)
        moved = server.saved.address != address
        saved = replace(server.saved, name=name.strip() or address.shown, address=address)
        self._servers[server_id] = replace(server, saved=saved)
        self._keep()
        if key is not None:
            self._set_key(server_id, saved.name, key)
        if moved or key is not None:
            self.stop(server_id)  # what it says there, or to that key, is of no interest any more
            self.refresh(server_id)

    def spread(self, name: str, spread: Spread, server_id: str = "") -> str:
        """Keep a model that is computed on other computers, or change the one of that id. Its id."""
        if not server_id:
            server_id = secrets.token_hex(6)
        model = spread_model(spread)
        made = SavedServer(
            server_id,
            name.strip() or spread.address.shown,
            spread.address,
            ServerKind.LLAMA_SERVER,
            "",
            (model,),
            spread,
        )
        self.stop(server_id)
        self._servers[server_id] = KnownServer(made)
        self._keep()
        self.refresh(server_id)
        return server_id

    def remove(self, server_id: str) -> None:
        """With its key. Conversations stay; answers of it that are being written go on."""
        if self._servers.pop(server_id, None) is not None:
            if (asking := self._asking.pop(server_id, None)) is not None:
                asking.stop()
            self._keyring.submit(partial(self._keys.remove, server_id), lambda _: None)
            self._spreads.forget(server_id)
            self._moves.forget(server_id)
            self._keep()

    def refresh(self, server_id: str) -> None:
        """Ask one what it has by now; nothing while it is being asked."""
        server = self._servers.get(server_id)
        if server is None or server_id in self._asking or self._closed:
            return
        self._set(server_id, replace(server, state=ServerState.ASKING))
        act = partial(_listing, server.saved.address, partial(self._key_of, server_id))
        if server.saved.spread is not None:
            act = partial(knocked, server.saved.spread)
        self._asking[server_id] = Asking(self, act, partial(self._hear_listing, server_id))

    def refresh_all(self) -> None:
        for server_id in self._servers:
            self.refresh(server_id)

    def stop(self, server_id: str) -> None:
        """Ask it no further."""
        server, asking = self._servers.get(server_id), self._asking.pop(server_id, None)
        if asking is not None and server is not None:
            asking.stop()
            self._set(server_id, replace(server, state=ServerState.UNASKED))

    def info_of(self, model: ModelRef) -> ModelInfo:
        """As `Elsewhere.info_of`."""
        server = self._servers.get(model.server)
        if server is None:
            raise unknown_server(model)
        return model_info(model, server.saved, self.called(model))

    def generate(self, model: ModelRef, request: ChatRequest, hear: Hear, here: Asks | None = None) -> Reply:
        """As `Elsewhere.generate`."""
        server = self._servers.get(model.server)
        if server is None:
            raise unknown_server(model)
        make = partial(self._engine, server.saved, model)
        if here is None or not request.conversation:
            return self._replies.begin(make, request, hear)
        return self._moves.generate(server.saved, make, request, hear, here)

    def bring(self, request: ChatRequest, hear: Hear, here: Asks, begin: Callable[[Hear], Reply]) -> Reply:
        """As `Elsewhere.bring`."""
        return self._moves.bring(request, hear, here, begin)

    def _engine(self, saved: SavedServer, model: ModelRef) -> Answers:
        """In an answer's thread."""
        if saved.spread is not None:
            return self._spreads.engine(saved.id, saved.spread)
        from app.remote.engine import RemoteEngine

        server, listed = saved.with_key(self._key_of(saved.id)), saved.model_named(model.id)
        media, n_ctx = partial(sendable, self._attachments), context_of(saved.kind, listed)
        return RemoteEngine(server, listed, media=media, secret=self._file.secret, n_ctx=n_ctx)

    def close(self) -> None:
        """What is asked is left to itself. May be called twice."""
        self._closed = True
        for asking in self._asking.values():
            asking.stop()
        self._asking.clear()
        self._moves.close()
        self._replies.close()
        self._spreads.close()
        self._keyring.close()

    def _key_of(self, server_id: str) -> str:
        """Not in the GUI thread: some keyrings ask people."""
        return self._keys.get(server_id) or ""

    def _set_key(self, server_id: str, name: str, key: str) -> None:
        def hear(kept: bool | Exception) -> None:
            if kept is not True:
                self.noticed.emit(Sentence(_NOT_KEPT, name=name))

        if key.strip():
            # Who is asked next needs it, whether or not the keyring hurries.
            self._keys.hold(server_id, key.strip())
            self._keyring.submit(partial(self._keys.put, server_id, key.strip()), hear)
        else:
            self._keys.hold(server_id, "")
            self._keyring.submit(partial(self._keys.remove, server_id), lambda _: None)

    def _hear_listing(self, server_id: str, said: Listing | Exception) -> None:
        self._asking.pop(server_id, None)
        server = self._servers.get(server_id)
        if server is None:
            return
        if isinstance(said, Listing):
            now = KnownServer(_with(server.saved, said), ServerState.THERE, said.problem)
            self._servers[server_id] = now
            if now.saved != server.saved:
                self._keep()
            else:
                self.changed.emit()
        else:
            self._set(server_id, replace(server, state=ServerState.AWAY, problem=_told(said)))

    def _set(self, server_id: str, server: KnownServer) -> None:
        self._servers[server_id] = server
        self.changed.emit()

    def _keep(self) -> None:
        if not self._file.write(each.saved for each in self._servers.values()):
            self.noticed.emit("The list of servers can't be written, so it holds until Hearth is closed.")
        self.changed.emit()


class Asking(Generic[Said]):
    """What a server is being asked: nothing is heard before the call that asked has returned, nor after `stop`."""

    def __init__(
        self, parent: QObject, act: Callable[[StopSignal], Said], then: Callable[[Said | Exception], None]
    ) -> None:
        self._thread = DetachedThread(parent, name="server")
        self._then = then
        self._stop = StopSignal()
        self._thread.submit(partial(act, self._stop), self._hear)

    def stop(self) -> None:
        """At once, though a keyring may still be asking somebody for its password."""
        self._stop.set()
        self._end()

    def _hear(self, said: Said | Exception) -> None:
        self._end()
        self._then(said)

    def _end(self) -> None:
        self._thread.leave()
        self._thread.deleteLater()


def _paired(certificate: Path, address: str, code: str, stop: StopSignal) -> Paired:
    """In a thread. Raises UserError with a sentence."""
    from app.remote.pairing.guest import pair
    from app.services.remote.paired_computers import computer_name, own_certificate

    host = pair(own_certificate(certificate), computer_name(), address, code)
    try:
        return Paired(host, _listing(host.address, lambda: "", stop))
    except UserError:
        return Paired(host, None)  # they are paired all the same


def _listing(address: ServerAddress, key: Callable[[], str], stop: StopSignal) -> Listing:
    """In a thread. Raises UserError with a sentence."""
    # Imported here: the window's start need not wait for it.
    from app.remote.model_list import list_models
    from app.remote.recognise import recognise

    server = recognise(address, key(), stop=stop)
    return Listing(server, tuple(list_models(server, stop=stop)))


def _with(saved: SavedServer, listing: Listing | None) -> SavedServer:
    if listing is None:
        return saved
    server = listing.server
    return replace(saved, kind=server.kind, version=server.version, models=listing.models)


def _state_of(listing: Listing | None) -> ServerState:
    return ServerState.THERE if listing is not None else ServerState.AWAY


def _told(error: Exception) -> UserError:
    if isinstance(error, UserError):
        return error
    _log.error("A server could not be asked", exc_info=error)
    return UserError("The server's answer can't be read.", detail=repr(error))
