"""The sentences that the layers below the window say, collected from their sources.

They speak plain English and know nothing of Qt; the window recognises what they said by these patterns
(`app.ui.formatting.sentences`) and translates it.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

LAYERS = ("core", "engine", "storage", "library", "services")
_FOR_MODELS = ("Write a title", "You may call these functions")
"""What begins like this is said to a model, not to people."""
_STATEMENT = re.compile(r"(\0 )?(SELECT|INSERT|UPDATE|DELETE|WITH|CROSS|WHERE)\b")
_NAMED = re.compile(r"\{(\w+)\}")
_LOGS = {"debug", "info", "warning", "error", "exception", "critical"}
_SHOWN_ERRORS = {"UserError", "ValueError"}
"""What is raised with words for people; `app.core.setting` says by ValueError why a value can't be."""


def sentences(app: Path) -> tuple[str, ...]:
    """Every sentence below `app`, sorted; `%1`, `%2` … stand for what is filled in."""
    modules = [ast.parse(path.read_text("utf-8")) for layer in LAYERS for path in sorted((app / layer).rglob("*.py"))]
    shown = _with_heirs(_SHOWN_ERRORS, modules)
    return tuple(sorted({text for module in modules for text in _said(module, shown)}))


def _with_heirs(names: Iterable[str], modules: list[ast.Module]) -> frozenset[str]:
    known = set(names)
    classes = [node for module in modules for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
    while heirs := {
        each.name for each in classes if known & {_name(base) for base in each.bases} and each.name not in known
    }:
        known |= heirs
    return frozenset(known)


def _said(node: ast.AST, shown: frozenset[str]) -> Iterator[str]:
    match node:
        case ast.Expr(value=ast.Constant()):
            return  # a docstring
        case ast.Call(func=ast.Attribute(attr=name)) if name in _LOGS:
            return
        case ast.Call(func=func) if _name(func).endswith("Error") and _name(func) not in shown:
            return
        case ast.Call(func=func) if _name(func) == "setting":
            return  # translated as "settings"
        case ast.Constant(value=str(text)):
            yield from _whole(_NAMED.sub("\0", text))
            return
        case ast.JoinedStr(values=values):
            yield from _whole("".join(str(each.value) if isinstance(each, ast.Constant) else "\0" for each in values))
    for child in ast.iter_child_nodes(node):
        yield from _said(child, shown)


def _whole(text: str) -> Iterator[str]:
    """The text where it is a sentence, with its gaps numbered."""
    text = text.strip()
    if not (text[:1].isupper() or text[:1] in "\0“") or not text.endswith((".", "…", "?", "!")):
        return
    if len(re.findall(r"[A-Za-z']{2,}", text)) < 3 or "(?" in text:
        return
    if "\n" in text or _STATEMENT.match(text) or text.startswith(_FOR_MODELS):
        return
    numbers = iter(range(1, 100))
    yield re.sub("\0", lambda _: f"%{next(numbers)}", text)


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
