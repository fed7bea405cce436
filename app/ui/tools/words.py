"""What is said of tools and their calls."""

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields

from PySide6.QtCore import QCoreApplication

from app.core.overflow import reckoned
from app.core.setting import declaration
from app.core.settings import ToolSettings
from app.services.tools.call_states import Asked
from app.services.tools.servers import ServerState
from app.tools.built_in.source import source_name
from app.tools.mcp_file import ServerEntry
from app.tools.offer import offered_tools
from app.tools.permissions import Why
from app.tools.secrets import names_of_environment, secrets_of
from app.tools.tool import Capability, Tool
from app.ui.formatting.numbers import count

_DOTS = "•••"


def question(asked: Asked) -> str:
    """Before a call: who wants to do what, and why a person is asked."""
    tool = asked.tool
    name = tool.title or tool.name
    if tool.is_built_in:
        told = _built_in(tool.name).format(host=tool.server)
    else:
        told = _tr("The model wants to use {tool} of {server}. {able}").format(
            tool=name, server=tool.server, able=_abilities(asked.able)
        )
    return " ".join(filter(None, (told, _why(asked.why))))


def source_title(source: str) -> str:
    """Of what is built in: as its switch in the settings is called."""
    found = next(each for each in fields(ToolSettings) if source_name(each.name) == source)
    return QCoreApplication.translate("settings", declaration(found).label)


def _built_in(tool: str) -> str:
    return {
        "search_chats": _tr("The model wants to look into your other chats. What it finds becomes part of this one."),
        "write_file": _tr("The model wants to write this file. You can undo it afterwards."),
        "read_page": _tr("The model wants to read a page of {host}, which learns the address below."),
    }.get(tool, _tr("The model wants to use {tool}.").format(tool=tool))


def state_name(state: ServerState) -> str:
    return {
        ServerState.OFF: _tr("Off"),
        ServerState.RESTING: _tr("Starts when it is needed"),
        ServerState.STARTING: _tr("Starting…"),
        ServerState.SIGN_IN: _tr("Waits for you to sign in"),
        ServerState.READY: _tr("Ready"),
        ServerState.FAILED: _tr("Failed"),
    }[state]


def what_begins(entry: ServerEntry) -> str:
    """What adding a server means: all that decides what is done by it, and of secrets their names."""
    if entry.url:
        told = _tr("{name} is asked at {where}")
    else:
        told = _tr("{name} runs on this computer, with all that you may do: {where}")
    lines = [told.format(name=entry.name, where=entry.where)]
    if entry.cwd:
        lines.append(_tr("It begins in the folder {folder}.").format(folder=entry.cwd))
    if pairs := _pairs(entry.env):
        lines.append(_tr("Its environment has {pairs}.").format(pairs=pairs))
    if pairs := _pairs(entry.headers):
        lines.append(_tr("Each request has the headers {pairs}.").format(pairs=pairs))
    if names := names_of_environment(entry):
        lines.append(_tr("It is told {names} of your environment.").format(names=", ".join(names)))
    return "\n".join(lines)


def _pairs(pairs: Mapping[str, str]) -> str:
    """On one line; values that nobody should read are dots."""
    secret = secrets_of(pairs)
    return ", ".join(f"{name}={_DOTS if name in secret else value}" for name, value in pairs.items())


def reckoned_price(source: str, tools: Sequence[Tool]) -> str:
    """How many tokens of each prompt the tools of a source take, about."""
    return count(sum(reckoned(json.dumps(each.declaration)) for each in offered_tools([(source, tools)])))


def _abilities(able: AbstractSet[Capability]) -> str:
    if able == {Capability.LOOKS}:
        return _tr("It says that it only reads.")
    if Capability.RUNS in able:
        return _tr("It can do whatever its server can: read, change, run and send.")
    if Capability.WRITES not in able:
        return _tr("It says that it reads, and what it is told may leave this computer.")
    if Capability.SENDS not in able:
        return _tr("It says that it may change something on this computer.")
    return _tr("It says that it may change something, and what it is told may leave this computer.")


def _why(why: Why) -> str:
    return {
        Why.NEW: "",
        Why.CHANGED: _tr("What the server says of this tool has changed since you allowed it."),
        Why.OUTSIDE: _tr(
            "You have always allowed it, but this chat holds text from outside now, which may have told the model to."
        ),
        Why.REPEATED: _tr("The same call was made twice before."),
    }[why]


def _tr(text: str) -> str:
    return QCoreApplication.translate("tools", text)
