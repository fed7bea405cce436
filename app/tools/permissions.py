"""What tools may do: decided here and nowhere else."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.tools.tool import Capability, Decision, Tool

_ALL = frozenset(Capability)
_HARMLESS = frozenset({Capability.LOOKS})


class Why(StrEnum):
    """A person is asked."""

    NEW = "new"
    """Nobody has allowed it."""
    CHANGED = "changed"
    """What its server says of it is not what was allowed."""
    OUTSIDE = "outside"
    """It may write or send, and something from outside stands in the conversation, which may have told it to."""
    REPEATED = "repeated"
    """The same call came twice before."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A tool that is always allowed."""

    server: str
    """What the server was called when it was allowed."""
    fingerprint: str
    tool: str
    definition: str


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Of one call."""

    conversation: int
    question: int
    """The id of the message that is answered."""
    outside: bool = False
    """The conversation holds a result that may come from outside."""
    repeated: int = 0
    """How often the same call with the same arguments came before, since the question."""


def capabilities(tool: Tool, *, believed: bool) -> frozenset[Capability]:
    """What a tool has to be thought able to do. A server's own words count where the user believes them."""
    if tool.nature is not None:
        return tool.nature.able
    if not believed:
        return _ALL
    able = {Capability.LOOKS}
    if not tool.hints.read_only:
        able.add(Capability.WRITES)
    if tool.hints.open_world:
        able.add(Capability.SENDS)
    return frozenset(able)


def from_outside(tool: Tool, *, believed: bool) -> bool:
    """Whether its results may hold what strangers wrote."""
    if tool.nature is not None:
        return tool.nature.outside
    return tool.hints.open_world or not believed


class Permissions:
    """Knows what was allowed, for this run in memory, for ever by `save`."""

    def __init__(
        self, kept: Iterable[tuple[str, Mapping[str, object]]], save: Callable[[str, Mapping[str, object]], None]
    ) -> None:
        """`kept` are what `save` was given for each fingerprint; what can't be understood of it allows nothing.

        `save` may raise UserError; then nothing has changed.
        """
        self._save = save
        self._rules: dict[tuple[str, str], Rule] = {}
        self._believed: dict[str, str] = {}
        """Names of servers, by their fingerprints."""
        self._in_chat: set[tuple[int, str, str, str]] = set()
        self._in_question: set[tuple[int, str, str, str]] = set()
        for fingerprint, value in kept:
            self._load(fingerprint, value)

    def why_ask(self, tool: Tool, now: Circumstances) -> Why | None:
        """Why a person has to be asked before a call; None where it may be run."""
        if now.repeated >= 2:
            return Why.REPEATED
        if tool.nature is not None and not tool.nature.asks:
            return None
        key = (tool.fingerprint, tool.name, tool.definition)
        if (now.conversation, *key) in self._in_chat or (now.question, *key) in self._in_question:
            return None
        rule = self._rules.get(key[:2])
        if rule is None:
            return Why.NEW
        if rule.definition != tool.definition:
            return Why.CHANGED
        acts = self.capabilities(tool) != _HARMLESS
        return Why.OUTSIDE if acts and now.outside else None

    def decide(self, tool: Tool, now: Circumstances, decision: Decision) -> None:
        """Keep what a person said, as far as it holds beyond the one call."""
        key = (tool.fingerprint, tool.name, tool.definition)
        if decision is Decision.CHAT:
            self._in_chat.add((now.conversation, *key))
        elif decision is Decision.ALWAYS:
            rule = Rule(tool.server, *key)
            self._keep(tool.fingerprint, tool.server, {**self._of(tool.fingerprint), tool.name: rule})
            # Also where something from outside stands there: it was asked for knowingly.
            self._in_question.add((now.question, *key))

    def rules(self) -> tuple[Rule, ...]:
        """What is always allowed, by server and tool."""
        return tuple(sorted(self._rules.values(), key=lambda rule: (rule.server, rule.tool)))

    def revoke(self, rule: Rule) -> None:
        """Ask again, also in conversations in which the tool was allowed."""
        left = {name: each for name, each in self._of(rule.fingerprint).items() if name != rule.tool}
        self._keep(rule.fingerprint, rule.server, left)
        for allowed in (self._in_chat, self._in_question):
            allowed -= {each for each in allowed if each[1:3] == (rule.fingerprint, rule.tool)}

    def believes(self, fingerprint: str) -> bool:
        """Whether what the server says of its tools is believed."""
        return fingerprint in self._believed

    def believe(self, fingerprint: str, server: str, believed: bool) -> None:
        before = dict(self._believed)
        self._believed.pop(fingerprint, None)
        if believed:
            self._believed[fingerprint] = server
        try:
            self._keep(fingerprint, server, self._of(fingerprint))
        except BaseException:
            self._believed = before
            raise

    def forget(self, fingerprint: str) -> None:
        """Nothing that was allowed to a server holds any more."""
        self._save(fingerprint, {})
        self._believed.pop(fingerprint, None)
        self._rules = {key: rule for key, rule in self._rules.items() if key[0] != fingerprint}
        for allowed in (self._in_chat, self._in_question):
            allowed -= {each for each in allowed if each[1] == fingerprint}

    def capabilities(self, tool: Tool) -> frozenset[Capability]:
        return capabilities(tool, believed=self.believes(tool.fingerprint))

    def from_outside(self, tool: Tool) -> bool:
        return from_outside(tool, believed=self.believes(tool.fingerprint))

    def _of(self, fingerprint: str) -> dict[str, Rule]:
        return {name: rule for (of, name), rule in self._rules.items() if of == fingerprint}

    def _keep(self, fingerprint: str, server: str, rules: Mapping[str, Rule]) -> None:
        believed = fingerprint in self._believed
        told = {name: rule.definition for name, rule in rules.items()}
        self._save(fingerprint, {"server": server, "believed": believed, "always": told} if told or believed else {})
        others = {key: rule for key, rule in self._rules.items() if key[0] != fingerprint}
        self._rules = others | {(fingerprint, name): rule for name, rule in rules.items()}

    def _load(self, fingerprint: str, value: Mapping[str, object]) -> None:
        server = str(value.get("server", ""))
        if value.get("believed") is True:
            self._believed[fingerprint] = server
        always = value.get("always")
        for name, definition in always.items() if isinstance(always, Mapping) else ():
            if isinstance(definition, str):
                self._rules[fingerprint, str(name)] = Rule(server, fingerprint, str(name), definition)
