"""Names of the program's own things in an answer, marked so that a test can compare them with the program.

A marking is `{kind:target}`; a key is `{key:Ctrl+N=New chat}`, the shortcut and the action's text, and a menu entry
is `{menu:Model/Unload the model}`, the way through the window's menu.
"""

import re
from dataclasses import dataclass

_MARKING = re.compile(r"\{(key|menu|setting|option|file|button):([^{}]+)\}")


@dataclass(frozen=True)
class Reference:
    kind: str
    """"key", "menu", "setting", "option", "file" or "button" (one of the page that a new chat shows)."""
    shown: str
    """What a reader sees."""
    target: str
    """A key's action, a menu entry's way with "/" between its steps; otherwise what is shown."""
    where: str
    """The intent that says it."""


def find_references(text: str, where: str) -> tuple[Reference, ...]:
    """Every marked name in a text. Raises ValueError for a key without an action."""
    return tuple(_reference(found, where) for found in _MARKING.finditer(text))


def strip_marking(text: str) -> str:
    """The text as a reader sees it. Raises ValueError for a key without an action."""
    return _MARKING.sub(lambda found: _reference(found, "").shown, text)


def _reference(found: re.Match[str], where: str) -> Reference:
    kind, target = found.groups()
    shown = target
    if kind == "key":
        shown, separator, target = target.partition("=")
        if not separator:
            raise ValueError(f"{found.group()} names no action.")
    elif kind == "menu":
        shown = target.replace("/", " > ")
    return Reference(kind, shown, target, where)
