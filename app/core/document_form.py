"""How documents and their passages stand in a prompt: a line of names, and text between fences that nothing in it can
close.
"""

import re
from collections.abc import Iterator
from itertools import count, pairwise

from app.core.messages import DocumentPart, Message, PassagePart

PAGE_HEAD = re.compile(r"^\[Page (\d+)\]$", re.MULTILINE)
"""The line above each page of a document."""
_FENCE = re.compile(r"`{3,}")
_UNTITLED = "document"
_HEADING = 80
"""Characters of a first line that stands for the heading of a part without a page."""


_HOW_TO_CITE = (
    "Passages of documents stand in this conversation, each below its number. Cite what you take from them by these "
    "numbers, as in [1] or [2, 3]. Where they do not hold the answer, say so.\n\n"
)


def document_form(part: DocumentPart) -> str:
    """A line `File: <name>`, the text between two lines of backticks, and an empty line.

    There are three backticks, or one more than stand in a row anywhere in the text. The name is on one line and without
    control characters, whoever chose it. Of one that goes by passages the name alone is said. Parts that can be cited
    stand below lines `[<number>]`; before the first one of a conversation stands how to cite them.
    """
    name = _on_one_line(part.name) or _UNTITLED
    if part.by_passages:
        return f"File: {name} (passages of it are given for each question)\n\n"
    told = _HOW_TO_CITE if part.starts and part.number == 1 else ""
    text = "".join(f"[{number}]\n{text}" if number else text for number, text in _parts(part))
    return f"{told}File: {name}\n{_fenced(text)}\n"


def passage_form(part: PassagePart) -> str:
    """A line `[<number>] <name>, page <n>, <heading>`, the text between fences, and an empty line; of one that stands
    above already, a line that says so. Before the first one of a conversation stands how to cite them.
    """
    if not part.text:
        return f"[{part.number}] stands above.\n\n"
    where = (_on_one_line(part.name) or _UNTITLED, f"page {part.page}" if part.page else "", _on_one_line(part.heading))
    told = ", ".join(each for each in where if each)
    return f"{_HOW_TO_CITE if part.number == 1 else ''}[{part.number}] {told}\n{_fenced(part.text)}\n"


def cited_parts(message: Message) -> Iterator[PassagePart]:
    """What of a message answers can cite: passages, and the parts of documents that go whole. The place of such a part
    on its page is not known: it has no `end`, and is found by its text.
    """
    for part in message.parts:
        if isinstance(part, PassagePart):
            yield part
        elif isinstance(part, DocumentPart) and part.starts and not part.by_passages:
            for number, text in _parts(part):
                head = PAGE_HEAD.match(text)
                said = text[head.end() :] if head else text
                if number:
                    page, said = int(head[1]) if head else None, said.strip("\n")
                    heading = "" if head else _on_one_line(said.partition("\n")[0][:_HEADING].lstrip("# "))
                    yield PassagePart(number, part.content_hash, part.name, said, page, heading=heading)


def _parts(part: DocumentPart) -> Iterator[tuple[int, str]]:
    """With their numbers; 0 for what stands before the first, and for a document that can't be cited."""
    yield 0, part.text[: part.starts[0]] if part.starts else part.text
    for number, (start, end) in zip(count(part.number), pairwise((*part.starts, len(part.text))), strict=False):
        yield number, part.text[start:end]


def _on_one_line(text: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _fenced(text: str) -> str:
    fence = "`" * max((len(found) + 1 for found in _FENCE.findall(text)), default=3)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}\n{text}{end}{fence}\n"
