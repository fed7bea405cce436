"""`hearth ask --tools`: what the answer asks for is examined, allowed or not, and run, by the window's own rules."""

import argparse
import asyncio
import concurrent.futures
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from app.cli import terminal
from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import Finished
from app.core.messages import Message, Role, TextPart, ToolCall
from app.core.overflow import reckoned
from app.core.paths import Paths
from app.core.settings import Settings, ToolSettings
from app.services.documents.brought import fitting, numbered, passage_room
from app.services.documents.tool_search import ToolSearch
from app.storage.attachments import AttachmentStore
from app.storage.model_options import stored_rules
from app.storage.search import found_passages
from app.tools.built_in.conversation import WholeResults
from app.tools.built_in.source import Here, Source
from app.tools.built_in.sources import built_in_sources
from app.tools.connections import Connections
from app.tools.examined import Examined, examined, times_made
from app.tools.forms import Form, FormAction, FormAnswer
from app.tools.mcp_file import McpFile, ServerEntry
from app.tools.offer import offered_tools
from app.tools.permissions import Circumstances, Permissions, Why
from app.tools.results import cut, most_chars
from app.tools.tool import Decision, OfferedTool, Tool, ToolResult, to_model

Result = TypeVar("Result")
Ask = Callable[[str], str]

_POLL = 0.2
_NOT_ALLOWED = ToolResult(to_model("The user did not allow this call."))


class Offer:
    """What the model may call: sources that are built in, and servers."""

    def __init__(self, sources: Sequence[Source], servers: Mapping[str, tuple[ServerEntry, tuple[Tool, ...]]]) -> None:
        self.built_in = {each.name: each for each in sources}
        self.servers = servers
        tools = {
            **{name: each.tools for name, each in self.built_in.items()},
            **{n: t for n, (_, t) in servers.items()},
        }
        self._tools = tools
        self.offered = offered_tools(tools.items())

    def find(self, offered: OfferedTool) -> tuple[Tool, Source | None] | str:
        tool = next(each for each in self._tools[offered.server] if each.name == offered.tool)
        return tool, self.built_in.get(offered.server)


class AskedTools:
    """Sees to the calls of one question. `ask` puts a question to whoever sits at the terminal, and returns what they
    type, or "" where nobody does.
    """

    def __init__(
        self, offer: Offer, connections: "Loop", permissions: Permissions, limits: ToolSettings, allow: frozenset[str],
        ask: Ask,
    ) -> None:  # fmt: skip
        self._offer = offer
        self._loop = connections
        self._permissions = permissions
        self._limits = limits
        self._allow = allow
        self._ask = ask
        self._made: list[ToolCall] = []
        self._outside = False
        self._wholes: dict[str, str] = {}
        self._rounds = 0
        self.told: list[dict[str, object]] = []
        """Of each call what it was and what came of it."""

    @property
    def declarations(self) -> tuple[Mapping[str, object], ...]:
        return tuple(each.declaration for each in self._offer.offered)

    def go_on(self, finished: Finished, messages: Sequence[Message], n_ctx: int) -> tuple[Message, ...]:
        """What the next answer reads after `messages`; empty where there have been too many rounds."""
        self._rounds += 1
        if self._rounds > self._limits.rounds:
            terminal.warn("The model has called tools very often, so it was stopped.")
            return ()
        words = (TextPart(finished.text),) if finished.text else ()
        answer = Message(
            Role.ASSISTANT, words, finished.generation, reasoning=finished.reasoning, tool_calls=finished.tool_calls
        )
        said = [*messages, answer]
        for call in finished.tool_calls:
            said.append(self._answer(call, said, n_ctx))
        return tuple(said[len(messages) :])

    def _answer(self, call: ToolCall, messages: Sequence[Message], n_ctx: int) -> Message:
        now = Circumstances(0, 0, self._outside, times_made(call, self._made))
        self._made.append(call)
        meant = examined(call, self._offer.offered, self._offer.find, self._permissions, now)
        terminal.warn(terminal.harmless(f"The model calls {call.name} {call.arguments}".replace("\n", " ")))
        if isinstance(meant, str):
            result, allowed = ToolResult(meant, is_error=True), None
        else:
            allowed = meant.why is None or self._is_allowed(call, meant, meant.why, now)
            result = self._run(meant, messages) if allowed else _NOT_ALLOWED
            self._outside |= allowed and self._permissions.from_outside(meant.tool)
        text = cut(result.text, most_chars(self._limits.result_chars, n_ctx), result.start, self._read_on)
        told = {"name": call.name, "arguments": call.arguments, "allowed": allowed, "result": text}
        self.told.append({**told, "is_error": result.is_error})
        above = (part for each in messages for part in each.passages)
        passages = numbered(fitting(result.passages, passage_room(n_ctx), reckoned), above)
        return Message(Role.TOOL, (*passages, TextPart(text)), tool_call_id=call.id, name=call.name)

    def _is_allowed(self, call: ToolCall, meant: Examined, why: Why, now: Circumstances) -> bool:
        """`--allow` covers what it names, for the whole question; but not the same call without end."""
        # By the name that the model knows: another server may have a tool of the same name.
        if why is not Why.REPEATED and self._allow & ({call.name, meant.tool.server} - {""}):
            return True
        if preview := self._loop.preview(meant):
            terminal.warn(terminal.harmless(f"It would change:\n{preview}"))
        whom = f" of {meant.tool.server}" if meant.tool.server else ""
        what = terminal.harmless(f"{meant.tool.name}{whom}")
        said = self._ask(f"Allow {what}? [y]es, [a]lways for this question, [N]o: ").strip().lower()
        if said in ("a", "always"):
            self._permissions.decide(meant.tool, now, Decision.CHAT)
        if said not in ("y", "yes", "a", "always"):
            terminal.warn(f"{call.name} was not allowed. --allow {call.name} allows it beforehand.")
            return False
        return True

    def _run(self, meant: Examined, messages: Sequence[Message]) -> ToolResult:
        documents = tuple(part for each in messages for part in each.documents)
        here = Here(0, documents, (), self._wholes.get, terminal.warn)
        try:
            return self._loop.call(meant, here, float(self._limits.seconds))
        except UserError as error:
            return ToolResult(str(error.sentence), is_error=True)

    def _read_on(self, whole: str) -> str:
        name = f"r{len(self._wholes) + 1}"
        self._wholes[name] = whole
        return name


class Loop:
    """Tools run in an asyncio loop of a thread of its own: servers have to be heard while the model writes."""

    def __init__(self, cancel: CancelFlag) -> None:
        self._cancel = cancel
        self._loop = asyncio.new_event_loop()
        self._connections = Connections(lambda *_: None)
        self.servers: dict[str, tuple[ServerEntry, tuple[Tool, ...]]] = {}
        self._thread = threading.Thread(target=self._loop.run_forever, name="tools", daemon=True)
        self._thread.start()

    def begin(self, entry: ServerEntry) -> None:
        """One that does not start is told, and left out."""
        try:
            self.servers[entry.name] = (entry, self._wait(self._connections.tools(entry)))
        except UserError as error:
            terminal.warn(str(error.sentence))

    def preview(self, meant: Examined) -> str:
        """What the call would change. Raises UserError when it is cancelled."""
        return self._wait(meant.source.preview(meant.tool.name, meant.arguments)) if meant.source is not None else ""

    def call(self, meant: Examined, here: Here, seconds: float) -> ToolResult:
        """Raises UserError."""
        if meant.source is not None:
            work = meant.source.run(meant.tool.name, meant.arguments, here)
        else:
            entry, _ = self.servers[meant.tool.server]
            work = self._connections.call(entry, meant.tool, meant.arguments, seconds, lambda _: None, _declined)
        given = self._wait(work)
        left_out = to_model("[{n} pictures were left out.]", n=len(given.pictures)) if given.pictures else ""
        return replace(given, text="\n".join(filter(None, (given.text, left_out))), pictures=())

    def close(self) -> None:
        self._cancel = CancelFlag()
        self._wait(self._connections.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        while not concurrent.futures.wait([future], _POLL).done:
            if self._cancel.is_set():
                future.cancel()
                raise UserError("The user stopped this call.")
        return future.result()


@contextmanager
def asked_tools(
    namespace: argparse.Namespace, settings: Settings, paths: Paths, command: Sequence[str], cancel: CancelFlag
) -> Iterator[AskedTools]:
    """Raises UserError for a name that nothing has."""
    keep = AttachmentStore(paths.attachments).put
    find = partial(found_passages, paths.search, paths.database)
    # What is searched here belongs to no chat, and is not kept.
    with tempfile.TemporaryDirectory() as folder, closing(Loop(cancel)) as loop:
        documents = ToolSearch(Path(folder) / "documents.sqlite3", AttachmentStore(Path(folder)), command)
        built_in = built_in_sources(command, paths.data, find, documents, lambda: settings.tools.folders, keep)
        sources, entries = _chosen(namespace.tools, settings.tools, built_in, McpFile(paths.tool_servers).read())
        for entry in entries:
            loop.begin(entry)
        permissions = Permissions(stored_rules(paths.database), lambda *_: None)
        offer = Offer(sources, loop.servers)
        yield AskedTools(offer, loop, permissions, settings.tools, frozenset(namespace.allow), terminal.ask)


def _chosen(
    names: str, limits: ToolSettings, built_in: Sequence[Source], servers: Sequence[ServerEntry]
) -> tuple[list[Source], list[ServerEntry]]:
    """What is on in the settings, or what is named, with commas between."""
    wanted = {each.strip() for each in names.split(",")} - {""}
    known = {each.name[1:] for each in built_in if each.name != WholeResults.name} | {each.name for each in servers}
    if unknown := sorted(wanted - known):
        told = ", ".join(sorted(known))
        raise UserError("There are no tools called {name}. There are: {names}.", name=unknown[0], names=told)

    def is_on(name: str, on: bool) -> bool:
        return name in wanted if wanted else on

    sources = [each for each in built_in if is_on(each.name[1:], getattr(limits, each.name[1:], False))]
    entries = [each for each in servers if is_on(each.name, each.enabled)]
    always = [each for each in built_in if each.name == WholeResults.name and (sources or entries)]
    return [*sources, *always], entries


async def _declined(_: Form) -> FormAnswer:
    """A terminal shows no forms."""
    return FormAnswer(FormAction.DECLINE)
