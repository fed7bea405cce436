"""Which tools a conversation may use, by which names its model knows them, and what they are allowed to do."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import UserError
from app.core.overflow import reckoned
from app.core.settings import ToolSettings
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.notices import ChatNotices
from app.services.runtime.settings_service import SettingsService
from app.services.tools.python_preparation import PythonPreparation
from app.services.tools.servers import AskPerson, RunningCall, ToolServers
from app.storage.options import OptionsStore, Scope
from app.tools.built_in.conversation import WholeResults
from app.tools.built_in.source import Here, Source
from app.tools.examined import Examined
from app.tools.offer import offered_tools
from app.tools.permissions import Permissions
from app.tools.tool import OfferedTool, Tool, ToolResult, digest, to_model
from app.tools.tool_search import waiting

_SHARE, _FEW = 0.1, 1000
"""Tools wait to be searched where they would take more than this share of the context, and more than so many tokens."""


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
        self.preparation = PythonPreparation(servers, self)
        self._has_python = self.limits.python
        servers.changed.connect(self.changed)
        self.preparation.changed.connect(self.changed)
        servers.noticed.connect(notices.noticed)
        servers.sign_in_wanted.connect(notices.noticed)
        servers.failed.connect(notices.failed)
        options.changed.connect(self.changed)
        settings.changed.connect(self._renew)

    @property
    def limits(self) -> ToolSettings:
        return self._settings.settings.tools

    @property
    def sources(self) -> tuple[str, ...]:
        """What there is to switch on: what is built in and switched on in the settings, and then the servers."""
        limits = self.limits
        own = (name for name in self.servers.built_in if getattr(limits, name[1:], False))
        return (*own, *(each.entry.name for each in self.servers.all if each.entry.enabled))

    def tools_of(self, source: str) -> tuple[Tool, ...] | None:
        """None while nobody knows what a server has."""
        if (own := self.servers.built_in.get(source)) is not None:
            return own.tools
        server = self.servers.get(source)
        return server.tools if server is not None else None

    def on(self, conversation_id: int | None) -> tuple[str, ...]:
        """The sources whose tools a conversation may use: a new one all, an older one those that were chosen in it."""
        chosen = self._options.tools(conversation_id)
        if chosen is None:
            return self.sources if conversation_id is None else ()
        return tuple(each for each in self.sources if each in chosen)

    def collections(self, conversation_id: int) -> tuple[int, ...]:
        """Numbers of those that tools may search for it."""
        return self._options.collections(conversation_id)

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
        always = {name: own.tools for name, own in self.servers.built_in.items() if on and name == WholeResults.name}
        made = offered_tools((on | always).items(), kept)
        return waiting(made) if n_ctx and _size(made) > max(_FEW, n_ctx * _SHARE) else made

    def find(self, conversation_id: int, offered: OfferedTool) -> tuple[Tool, Source | None] | str:
        """As `Find` says."""
        if offered.server not in (*self.on(conversation_id), WholeResults.name):
            return to_model("The user has switched this tool off.")
        # As its server has it now.
        tool = next((each for each in self.tools_of(offered.server) or () if each.name == offered.tool), None)
        if tool is None:
            return to_model("The tool {name} is not there any more.", name=offered.name)
        return tool, self.servers.built_in.get(offered.server)

    def call(
        self,
        meant: Examined,
        here: Here,
        then: Callable[[ToolResult | Exception], None],
        progress: Callable[[str], None],
        ask: AskPerson,
    ) -> RunningCall:
        """Run it; what is returned may be cancelled."""
        return self.servers.call(meant, here, float(self.limits.seconds), then, progress, ask)

    @Slot()
    def _renew(self) -> None:
        """The settings are others."""
        before, self._has_python = self._has_python, self.limits.python
        if self._has_python and not before:
            self.preparation.begin()
        elif before and not self._has_python:
            self.preparation.leave()
        self.changed.emit()

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


def _size(offered: Iterable[OfferedTool]) -> int:
    """Tokens, about."""
    return sum(reckoned(json.dumps(each.declaration)) for each in offered)


def _loaded(value: object) -> tuple[OfferedTool, ...]:
    try:
        return tuple(OfferedTool(**each) for each in value) if isinstance(value, list) else ()
    except TypeError:
        return ()
