"""How a document stands in a prompt: its name, and its text between fences that nothing in it can close."""

import re

from app.core.messages import DocumentPart

_FENCE = re.compile(r"`{3,}")
_UNTITLED = "document"


def document_form(part: DocumentPart) -> str:
    """A line `File: <name>`, the text between two lines of backticks, and an empty line.

    There are three backticks, or one more than stand in a row anywhere in the text. The name is on one line and without
    control characters, whoever chose it.
    """
    name = " ".join("".join(each if each.isprintable() else " " for each in part.name).split()) or _UNTITLED
    fence = "`" * max((len(found) + 1 for found in _FENCE.findall(part.text)), default=3)
    end = "" if part.text.endswith("\n") else "\n"
    return f"File: {name}\n{fence}\n{part.text}{end}{fence}\n\n"
