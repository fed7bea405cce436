"""The servers of `mcp.json`: what becomes of each, the tools it has, and calls to it."""

import asyncio
import concurrent.futures
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.files import load_json, save_json
from app.core.messages import ImagePart
from app.core.sentence import Sentence
from app.services.tools.kept_pictures import with_kept_pictures
from app.services.tools.tool_thread import Result, ToolThread
from app.storage.attachments import AttachmentStore
from app.tools.built_in.source import Here, Source
from app.tools.connections import Connections, Ended
from app.tools.daemon_call import daemon_call
from app.tools.examined import Examined
from app.tools.forms import Form, FormAnswer
from app.tools.mcp_file import McpFile, Reading, ServerEntry, Stamp
from app.tools.mcp_import import OtherProgram, other_programs
from app.tools.mcp_session import SignInWanted, Started, Told
from app.tools.secrets import Secrets, names_secrets, secrets_of
from app.tools.tool import Hints, Prompt, Resource, Tool, ToolResult

_log = logging.getLogger(__name__)

RunningCall = concurrent.futures.Future[ToolResult]
RunningWork = concurrent.futures.Future[Any]
AskPerson = Callable[[Form, Callable[[FormAnswer], None]], None]
"""Shows a form; what it is given takes the answer. In the GUI thread."""
Contents = tuple[str, tuple[ImagePart, ...]]
"""A text, and pictures with their bytes."""


class ServerState(StrEnum):
    OFF = "off"
    RESTING = "resting"
    """It is begun when it is needed."""
    STARTING = "starting"
    SIGN_IN = "sign-in"
    """It waits for a person, who has to sign in with a browser."""
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Server:
    """As it is now."""

    entry: ServerEntry
    state: ServerState
    tools: tuple[Tool, ...] | None = None
    """As it listed them last, perhaps in another run; None where it never did."""
    prompts: tuple[Prompt, ...] = ()
    """Known when it has run, as `resources` are."""
    resources: tuple[Resource, ...] = ()
    sign_in: str = ""
    """The web page, where it waits for that."""
    problem: UserError | None = None
    """Why it failed; its `detail` is what it said last."""


class ToolServers(QObject):
    """GUI thread. A server runs from the first need of it until it rests."""

    changed = Signal()
    noticed = Signal(object)
    """A sentence, as `sign_in_wanted` has one."""
    sign_in_wanted = Signal(object)
    failed = Signal(object)
    """UserError"""
    others_found = Signal(object)
    """tuple[OtherProgram, ...]: what `find_others` has found."""

    def __init__(
        self,
        path: Path,
        listings: Path,
        attachments: AttachmentStore,
        built_in: Sequence[Source] = (),
        parent: QObject | None = None,
    ) -> None:
        """`path` is `mcp.json`; `listings` a cache of what servers listed. `attachments` keeps pictures of results,
        what was cut of them, and what files were before a tool wrote them.
        """
        super().__init__(parent)
        self.attachments = attachments
        self.built_in = {each.name: each for each in built_in}
        self.file = McpFile(path)
        self._listings = listings
        self._known: dict[str, tuple[Tool, ...]] = load_json(listings, _listed) or {}
        """By fingerprint."""
        self._stamp: Stamp | None = None
        """None before the file was read."""
        self._servers: dict[str, Server] = {}
        self._thread = ToolThread(self)
        self._secrets = Secrets()
        self._connections: Connections | None = None
        self.problem: UserError | None = None
        """What is wrong with the file; the servers are those of before then."""

    @property
    def all(self) -> tuple[Server, ...]:
        """In the order of the file, as it was read at first, or when `look` was called last."""
        if self._stamp is None:
            self._reread()
        return tuple(self._servers.values())

    def look(self) -> None:
        """Read the file again where somebody has written it; by and by, for a disk may take its time."""
        if self._stamp is not None:
            self.ask(partial(daemon_call, partial(self.file.reading, self._stamp)), self._hear_look)

    def get(self, name: str) -> Server | None:
        return next((each for each in self.all if each.entry.name == name), None)

    def add(self, entries: Iterable[ServerEntry]) -> None:
        """Write them into the file, and their secrets into the keyring, and begin them, to learn what they have. One of
        a name that is there takes its place.

        Raises UserError.
        """
        entries = tuple(entries)
        if strange := next(filter(names_secrets, entries), None):
            raise UserError(
                "{name} asks for a secret of this computer's keyring: write the secret itself.", name=strange.name
            )
        found = (self.get(each.name) for each in entries)
        replaced = [each.entry for each in found if each is not None and names_secrets(each.entry)]
        if replaced or any(secrets_of(each.env) or secrets_of(each.headers) for each in entries):
            # What is wrong with the file is told before anybody is asked to open the keyring.
            self.file.read()
            self._thread.submit(partial(asyncio.to_thread, self._hide, entries, replaced), self._add_hidden)
        else:
            self._add(entries)

    def remove(self, name: str) -> None:
        """With its secrets. Raises UserError."""
        server = self.get(name)
        self.file.remove(name)
        self._reread()
        if server is not None:
            self._thread.submit(partial(asyncio.to_thread, self._secrets.forget, server.entry), lambda _: None)

    def set_enabled(self, name: str, enabled: bool) -> None:
        """Raises UserError."""
        server = self.get(name)
        if server is not None and server.entry.enabled is not enabled:
            self.file.put([replace(server.entry, enabled=enabled)])
            self._reread()

    def begin(self, name: str, then: Callable[[UserError | None], None] = lambda _: None) -> None:
        """Begin a server, if it does not run; `then` hears why it did not."""
        server = self.get(name)
        if server is None or not server.entry.enabled:
            then(UserError("There is no server {name}.", name=name))
            return
        if server.state not in (ServerState.READY, ServerState.SIGN_IN):
            self._put(replace(server, state=ServerState.STARTING, problem=None))
        self._thread.submit(
            partial(self._connected().tools, server.entry),
            lambda found: then(found if isinstance(found, UserError) else _unless_bug(found)),
        )

    def restart(self, name: str) -> None:
        self._end(name, lambda: self.begin(name))

    def rest(self, name: str) -> None:
        """End it until it is needed."""
        self._end(name)

    def call(
        self,
        meant: Examined,
        here: Here,
        seconds: float,
        then: Callable[[ToolResult | Exception], None],
        progress: Callable[[str], None],
        ask: AskPerson,
    ) -> RunningCall:
        """Call a tool; the others are called in the GUI thread, unless what is returned is cancelled."""
        tool, arguments, source = meant.tool, meant.arguments, meant.source
        tell = lambda text: self._thread.tell(partial(progress, text))  # noqa: E731 - from the other thread
        if source is not None:
            return self._thread.submit(partial(self._run, source, tool.name, arguments, replace(here, tell=tell)), then)
        server = self._present(tool.server, then)
        if server is None:
            return concurrent.futures.Future()
        if server.state not in (ServerState.READY, ServerState.SIGN_IN):
            self._put(replace(server, state=ServerState.STARTING, problem=None))
        connected = self._connected()

        async def asks(form: Form) -> FormAnswer:
            return await self._thread.ask(partial(ask, form))

        async def act() -> ToolResult:
            given = await connected.call(server.entry, tool, arguments, seconds, tell, asks)
            return with_kept_pictures(given, self.attachments)

        return self._thread.submit(act, then)

    def prompt(self, prompt: Prompt, arguments: Mapping[str, str], then: Callable[[str | Exception], None]) -> None:
        """The text of a prompt; `then` is called in the GUI thread."""
        if (server := self._present(prompt.server, then)) is not None:
            self._thread.submit(partial(self._connected().prompt, server.entry, prompt, arguments), then)

    def resource(self, resource: Resource, then: Callable[[Contents | Exception], None]) -> None:
        """What a resource holds; `then` is called in the GUI thread."""
        if (server := self._present(resource.server, then)) is not None:
            self._thread.submit(partial(self._connected().resource, server.entry, resource), then)

    def ask(
        self, work: Callable[[], Coroutine[Any, Any, Result]], then: Callable[[Result | Exception], None]
    ) -> "concurrent.futures.Future[Result]":
        """Have what blocks done where tools run; as `ToolThread.submit`."""
        return self._thread.submit(work, then)

    def find_others(self) -> None:
        """Look for servers of other programs on this machine; `others_found` tells them."""
        self.ask(partial(daemon_call, other_programs), self._tell_others)

    def log_of(self, name: str) -> str:
        """What a server said last; empty where it said nothing."""
        log = self._connections.logs.get(name) if self._connections is not None else None
        return log.text.strip() if log is not None else ""

    def close(self) -> None:
        """End all of them. May be called twice."""
        connections = self._connections
        self._thread.close(connections.close if connections is not None else _nothing)
        if connections is not None:
            connections.abandon()

    async def _run(self, source: Source, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        return with_kept_pictures(await source.run(name, arguments, here), self.attachments)

    def _present(self, name: str, then: Callable[[UserError], None]) -> Server | None:
        """A server that is on; where there is none, `then` hears it."""
        server = self.get(name)
        if server is None or not server.entry.enabled:
            self._thread.tell(partial(then, UserError("There is no server {name}.", name=name)))
            return None
        return server

    def _connected(self) -> Connections:
        if self._connections is None:
            tell = self._thread.tell
            self._connections = Connections(lambda *told: tell(partial(self._hear, *told)), self._secrets)
        return self._connections

    def _add(self, entries: Iterable[ServerEntry]) -> None:
        entries = tuple(entries)
        self.file.put(entries)
        self._reread()
        for entry in entries:
            if entry.enabled:
                self.begin(entry.name)

    def _hide(self, entries: Iterable[ServerEntry], replaced: Iterable[ServerEntry]) -> list[tuple[ServerEntry, bool]]:
        for each in replaced:
            self._secrets.forget(each)
        return [self._secrets.hide(each) for each in entries]

    def _add_hidden(self, hidden: list[tuple[ServerEntry, bool]] | Exception) -> None:
        try:
            if isinstance(hidden, Exception):
                raise hidden
            self._add(entry for entry, _ in hidden)
        except UserError as error:
            self.failed.emit(error)
            return
        for name in (entry.name for entry, is_kept in hidden if not is_kept):
            self.noticed.emit(
                Sentence(
                    "This computer has no keyring, so the secrets of {name} are kept until Hearth is closed. Write "
                    "them into mcp.json to keep them.",
                    name=name,
                )
            )

    def _tell_others(self, found: tuple[OtherProgram, ...] | Exception) -> None:
        if isinstance(found, Exception):
            _log.error("Other programs' servers could not be looked for", exc_info=found)
            found = ()
        self.others_found.emit(found)

    def _hear(self, entry: ServerEntry, what: Told | Ended) -> None:
        name = entry.name
        server = self._servers.get(name)
        if server is None or server.entry != entry:
            # It was removed, or is another one by now.
            return
        match what:
            case Started(has):
                ready = replace(server, state=ServerState.READY, problem=None, sign_in="")
                self._put(replace(ready, tools=has.tools, prompts=has.prompts, resources=has.resources))
                self._remember(server.entry.fingerprint, has.tools)
            case SignInWanted(url):
                self._put(replace(server, state=ServerState.SIGN_IN, sign_in=url))
                self.sign_in_wanted.emit(Sentence("{name} waits for you to sign in: see Settings, Tools.", name=name))
            case Ended(problem):
                rests = ServerState.RESTING if server.entry.enabled else ServerState.OFF
                state = ServerState.FAILED if problem else rests
                self._put(replace(server, state=state, problem=problem, sign_in=""))

    def _remember(self, fingerprint: str, tools: tuple[Tool, ...]) -> None:
        if self._known.get(fingerprint) != tools:
            self._known[fingerprint] = tools
            told = {key: [asdict(tool) for tool in known] for key, known in self._known.items()}
            save_json(self._listings, told, "What servers of tools have")

    def _put(self, server: Server) -> None:
        self._servers[server.entry.name] = server
        self.changed.emit()

    def _reread(self) -> None:
        if (found := self.file.reading()) is not None:
            self._take(found)

    def _hear_look(self, found: Reading | Exception | None) -> None:
        if isinstance(found, Exception):
            _log.error("The servers could not be read", exc_info=found)
        elif found is not None and found.before == self._stamp:
            # What was written here meanwhile is known.
            self._take(found)

    def _take(self, found: Reading) -> None:
        self._stamp = found.stamp
        if isinstance(found.entries, UserError):
            self.problem = found.entries
            self.changed.emit()
            return
        entries, self.problem = found.entries, None
        before, self._servers = self._servers, {}
        for entry in entries:
            known = before.pop(entry.name, None)
            if known is not None and known.entry == entry:
                self._servers[entry.name] = known
                continue
            if known is not None:
                self._end(entry.name)
            state = ServerState.RESTING if entry.enabled else ServerState.OFF
            tools = self._known.get(entry.fingerprint)
            named = tuple(replace(tool, server=entry.name) for tool in tools) if tools is not None else None
            self._servers[entry.name] = Server(entry, state, named)
        for name in before:
            self._end(name)
        self.changed.emit()

    def _end(self, name: str, then: Callable[[], None] = lambda: None) -> None:
        if self._connections is None:
            then()
        else:
            self._thread.submit(partial(self._connections.end, name), lambda _: then())


async def _nothing() -> None:
    pass


def _listed(told: Any) -> dict[str, tuple[Tool, ...]]:
    return {
        str(fingerprint): tuple(Tool(**{**each, "hints": Hints(**each["hints"]), "nature": None}) for each in tools)
        for fingerprint, tools in told.items()
    }


def _unless_bug(found: object) -> UserError | None:
    if isinstance(found, Exception):
        _log.error("A server of tools could not be begun", exc_info=found)
        return UserError("The server could not be begun because of a fault in Hearth. The log tells more.")
    return None
