"""Which tools a conversation may use, by which names its model knows them, and what they are allowed to do."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.settings import ToolSettings
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.notices import ChatNotices
from app.services.engine.token_counts import reckoned
from app.services.runtime.settings_service import SettingsService
from app.services.tools.servers import AskPerson, RunningCall, ToolServers
from app.storage.options import OptionsStore, Scope
from app.tools import built_in
from app.tools.permissions import Permissions
from app.tools.schema import completed
from app.tools.tool import OfferedTool, Tool, ToolResult, digest
from app.tools.tool_search import waiting

BUILT_IN = ""
"""Among the names of servers."""
_SHARE, _FEW = 0.1, 1000
"""Tools wait to be searched where they would take more than this share of the context, and more than so many tokens."""
_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 64


class ConversationTools(QObject):
    """GUI thread. A conversation keeps the tools that its model was told of as they were: they stand at the beginning
    of the prompt, and another list would have all of it read again. What is switched off stays there, and is refused.
    """

    changed = Signal()
    """What is on, or there, or allowed."""

    def __init__(
        self,
        servers: ToolServers,
        store: OptionsStore,
        options: ConversationOptions,
        settings: SettingsService,
        notices: ChatNotices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.servers = servers
        self.permissions = Permissions(
            store.all(Scope.TOOL_SERVER), lambda fingerprint, value: store.put(Scope.TOOL_SERVER, fingerprint, value)
        )
        self._store = store
        self._options = options
        self._settings = settings
        self._notices = notices
        self._sets: dict[str, tuple[OfferedTool, ...]] = {}
        servers.changed.connect(self.changed)
        servers.noticed.connect(notices.noticed)
        servers.sign_in_wanted.connect(notices.noticed)
        servers.failed.connect(notices.failed)
        options.changed.connect(self.changed)
        settings.changed.connect(self.changed)

    @property
    def limits(self) -> ToolSettings:
        return self._settings.settings.tools

    @property
    def sources(self) -> tuple[str, ...]:
        """What there is to switch on: the names of servers, and BUILT_IN first, where it is offered at all."""
        own = (BUILT_IN,) if self.limits.built_in else ()
        return (*own, *(each.entry.name for each in self.servers.all if each.entry.enabled))

    def tools_of(self, source: str) -> tuple[Tool, ...] | None:
        """None while nobody knows what a server has."""
        if source == BUILT_IN:
            return built_in.TOOLS
        server = self.servers.get(source)
        return server.tools if server is not None else None

    def on(self, conversation_id: int | None) -> tuple[str, ...]:
        """The sources whose tools a conversation may use: a new one all, an older one those that were chosen in it."""
        chosen = self._options.tools(conversation_id)
        if chosen is None:
            return self.sources if conversation_id is None else ()
        return tuple(each for each in self.sources if each in chosen)

    def switch(self, conversation_id: int | None, source: str, on: bool) -> None:
        names = set(self.on(conversation_id)) | {source} if on else set(self.on(conversation_id)) - {source}
        self._options.set_tools(conversation_id, [each for each in self.sources if each in names])

    def begin(self, conversation_id: int) -> None:
        """A new conversation is stored now: what is on for new ones stays on in it."""
        if self._options.tools(conversation_id) is None and (names := self.on(None)):
            self._options.set_tools(conversation_id, names)

    def prepare(self, conversation_id: int, then: Callable[[], None]) -> None:
        """Call `then` when it is known what the conversation's tools are; perhaps at once.

        A server that does not start is told, and left out.
        """
        unknown = [each for each in self.on(conversation_id) if self.tools_of(each) is None]
        awaited = set(unknown)

        def heard(name: str, problem: UserError | None) -> None:
            if problem is not None:
                self._notices.failed.emit(problem)
            awaited.discard(name)
            if not awaited:
                then()

        if not unknown:
            then()
        for name in unknown:
            self.servers.begin(name, partial(heard, name))

    def offered(self, conversation_id: int | None, n_ctx: int = 0, also: str | None = None) -> tuple[OfferedTool, ...]:
        """What the conversation's model is told of, or finds, with a context of that size (0: one that holds all), and
        with that source on, too.
        """
        kept, on = self._kept(conversation_id), self._with_tools(conversation_id)
        if also is not None and (tools := self.tools_of(also)):
            on = {each: known for each in self.sources if (known := on.get(each) or (tools if each == also else None))}
        if kept and all(any(each.server == source for each in kept) for source in on):
            return kept
        if any(each.waits for each in kept):
            # All that is kept stays: what comes behind it changes no beginning.
            more = offered_tools(({each.server: () for each in kept} | on).items(), kept)[len(kept) :]
            return (*kept, *(replace(each, waits=True) for each in more))
        made = offered_tools(on.items(), kept)
        return waiting(made) if n_ctx and _size(made) > max(_FEW, n_ctx * _SHARE) else made

    def is_on(self, conversation_id: int, offered: OfferedTool) -> bool:
        return offered.server in self.on(conversation_id)

    def tool(self, offered: OfferedTool) -> Tool | None:
        """As its server has it now; None where it has it no more."""
        return next((each for each in self.tools_of(offered.server) or () if each.name == offered.tool), None)

    def call(
        self,
        tool: Tool,
        arguments: Mapping[str, object],
        then: Callable[[ToolResult | Exception], None],
        progress: Callable[[str], None],
        ask: AskPerson,
    ) -> RunningCall | None:
        """Run it. What may be cancelled is returned; None where it is done."""
        if not tool.is_built_in:
            return self.servers.call(tool, arguments, float(self.limits.seconds), then, progress, ask)
        try:
            then(ToolResult(built_in.run(tool.name, arguments)))
        except UserError as error:
            then(error)
        return None

    def _with_tools(self, conversation_id: int | None) -> dict[str, tuple[Tool, ...]]:
        """The sources that are on and have any."""
        return {each: tools for each in self.on(conversation_id) if (tools := self.tools_of(each))}

    def freeze(self, conversation_id: int, n_ctx: int) -> None:
        """Have the conversation keep what its model is told of now, with a context of that size."""
        now = self.offered(conversation_id, n_ctx)
        if now == self._kept(conversation_id):
            return
        told = [asdict(each) for each in now]
        name = digest(told)
        self._store.put(Scope.TOOL_SET, name, {"tools": told})
        self._sets[name] = now
        self._options.set_tool_set(conversation_id, name)

    def _kept(self, conversation_id: int | None) -> tuple[OfferedTool, ...]:
        name = self._options.tool_set(conversation_id)
        if name and name not in self._sets:
            self._sets[name] = _loaded(self._store.get(Scope.TOOL_SET, name).get("tools"))
        return self._sets.get(name, ())


def offered_tools(
    sources: Iterable[tuple[str, Sequence[Tool]]], before: Sequence[OfferedTool] = ()
) -> tuple[OfferedTool, ...]:
    """Tools under names that no other has: those of `before` first, as they were, where their source is among them."""
    sources = list(sources)
    made = [each for each in before if each.server in {source for source, _ in sources}]
    known = {(each.server, each.tool) for each in made}
    taken = {each.name for each in made}
    for source, tools in sources:
        for tool in tools:
            if (source, tool.name) not in known:
                name = _free_name(tool, taken)
                taken.add(name)
                made.append(OfferedTool(name, source, tool.name, _declared(tool, name)))
    return tuple(made)


def _free_name(tool: Tool, taken: set[str]) -> str:
    """Its own where that is free, otherwise with its server's before it."""
    own = _NAME.sub("_", tool.name)[:_LONGEST_NAME] or "tool"
    if own not in taken:
        return own
    longer = _NAME.sub("_", f"{tool.server}_{tool.name}")[: _LONGEST_NAME - 4]
    numbered = (f"{longer}_{n}" for n in range(2, 1000))
    return next(each for each in (longer, *numbered) if each not in taken)


def _declared(tool: Tool, name: str) -> dict[str, Any]:
    told = {"name": name, "description": tool.description, "parameters": completed(tool.schema)}
    return {"type": "function", "function": told}


def _size(offered: Iterable[OfferedTool]) -> int:
    """Tokens, about."""
    return sum(reckoned(json.dumps(each.declaration)) for each in offered)


def _loaded(value: object) -> tuple[OfferedTool, ...]:
    try:
        return tuple(OfferedTool(**each) for each in value) if isinstance(value, list) else ()
    except TypeError:
        return ()
