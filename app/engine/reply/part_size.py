"""How many entries of the context the parts of a message take, before it is sent."""

from collections.abc import Callable, Iterator

from app.core.document_form import document_form, passage_form
from app.core.messages import AudioPart, DocumentPart, ImagePart, Part, PassagePart, TextPart
from app.engine.binding.mtmd_chunks import MediaChunk
from app.engine.binding.vocab import Vocab
from app.engine.media.media import Media

_PIECE = 16_384
"""Characters that are counted at one go: a few milliseconds, after which whoever waits gets the thread."""


def part_size(part: Part, vocab: Vocab, media: Media | None, cancelled: Callable[[], bool]) -> int | None:
    """Entries of one part by itself, without what a template writes around the message; None when cancelled.

    Media that this model does not take count nothing.
    """
    match part:
        case TextPart(text):
            return _tokens(text, vocab, cancelled)
        case DocumentPart():
            return _tokens(document_form(part), vocab, cancelled)
        case PassagePart():
            return _tokens(passage_form(part), vocab, cancelled)
        case ImagePart() | AudioPart():
            laid_out = media.lay_out(part) if media is not None else None
            chunks = laid_out[1] if laid_out is not None else ()
            return sum(each.n_tokens if isinstance(each, MediaChunk) else len(each.tokens) for each in chunks)


def _tokens(text: str, vocab: Vocab, cancelled: Callable[[], bool]) -> int | None:
    total = 0
    for piece in _pieces(text):
        if cancelled():
            return None
        total += len(vocab.tokenize_on(piece))
    return total


def _pieces(text: str) -> Iterator[str]:
    """Cut at the ends of lines, where hardly any vocabulary has a token that spans the cut."""
    place = 0
    while place < len(text):
        end = min(len(text), place + _PIECE)
        if end < len(text) and (line := text.rfind("\n", place, end)) > place:
            end = line + 1
        yield text[place:end]
        place = end
