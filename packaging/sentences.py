"""The sentences that the layers below the window say, collected from their sources.

They know no Qt's `tr`: what is filled in is told to `UserError` or `Sentence` by name (`app.core.sentence`), and the
window translates the template. What says nothing but itself stays a plain text, known by what a sentence looks like.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

LAYERS = ("core", "engine", "storage", "library", "tools", "remote", "services")
_FOR_MODELS = ("Write a title", "You may call these functions")
"""What begins like this is said to a model, not to people."""
_STATEMENT = re.compile(r"(SELECT|INSERT|UPDATE|DELETE|WITH|CROSS|WHERE)\b")
_GAP = re.compile(r"\{[\w:,]+\}")
_LOGS = {"debug", "info", "warning", "error", "exception", "critical"}
_TOLD = frozenset({"UserError", "Sentence"})
"""What is made of words for people, with all that is derived from it."""


def sentences(app: Path) -> tuple[str, ...]:
    """Every sentence below `app`, sorted, as a template where something is filled in.

    Raises ValueError where one is an f-string: nobody could translate it.
    """
    modules = [ast.parse(path.read_text("utf-8")) for layer in LAYERS for path in sorted((app / layer).rglob("*.py"))]
    classes = [node for module in modules for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
    told = _TOLD
    while heirs := {each.name for each in classes if told & {_name(base) for base in each.bases}} - told:
        told |= heirs
    return tuple(sorted({text for module in modules for text in _said(module, told)}))


def _said(node: ast.AST, told: frozenset[str]) -> Iterator[str]:
    match node:
        case ast.Expr(value=ast.Constant()):
            return  # a docstring
        case ast.Call(func=ast.Attribute(attr=name)) if name in _LOGS:
            return
        case ast.Call(func=ast.Name(id="Sentence"), args=[ast.Constant(value=str(text))]):
            yield text
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(text))]) if name in told and "{" in text:
            yield text
        case ast.Call(func=func) if _name(func).endswith("Error") and _name(func) not in told | {"ValueError"}:
            return
        case ast.Call(func=func) if _name(func) in ("setting", "tr", "to_model"):
            return  # translated as "settings", or where they are said, or not for people
        case ast.Constant(value=str(text)) if _is_sentence(text):
            yield text
        case ast.JoinedStr(values=values):
            parts = (str(each.value) if isinstance(each, ast.Constant) else "{_}" for each in values)
            if _is_sentence(text := "".join(parts)):
                raise ValueError(f"{text!r} can't be translated: make it a Sentence.")
    for child in ast.iter_child_nodes(node):
        yield from _said(child, told)


def _is_sentence(text: str) -> bool:
    words = _GAP.sub("", text)
    looks_so = (text[:1].isupper() or text[:1] in ("“", "{")) and text.endswith((".", "…", "?", "!"))
    if not looks_so or len(re.findall(r"[A-Za-z']{2,}", words)) < 3 or "(?" in text:
        return False
    return "\n" not in text and not _STATEMENT.match(words.strip()) and not text.startswith(_FOR_MODELS)


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
