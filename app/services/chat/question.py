"""A question, put together from what was typed and what was attached."""

from collections.abc import Sequence

from app.core.messages import Attachment, DocumentPart, MediaPart, Message, Part, Role, TextPart

_TITLE_CHARS = 60


def question_of(text: str, attachments: Sequence[Attachment]) -> Message:
    """Media come first: models are trained that way. Then documents; what is written about both stays at the end."""
    media = tuple(each for each in attachments if isinstance(each, MediaPart))
    documents = tuple(each for each in attachments if isinstance(each, DocumentPart))
    words: tuple[Part, ...] = (TextPart(text),) if text.strip() or not attachments else ()
    return Message(Role.USER, (*media, *documents, *words))


def first_title(text: str, attachments: Sequence[Attachment], nameless: str) -> str:
    """Of a conversation that begins with it, until the model finds a better one; `nameless` is for an attachment
    without a name.
    """
    said = text if text.strip() else attachments[0].name or nameless
    line = " ".join(said.split())
    return line if len(line) <= _TITLE_CHARS else line[: _TITLE_CHARS - 1].rstrip() + "…"
