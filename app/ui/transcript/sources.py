"""What an answer can cite: what stands above it, and which passages its own question brought."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.core.document_form import cited_parts
from app.core.messages import DocumentPart, PassagePart, Role
from app.engine.output.citations import citations
from app.engine.output.support import CheckedCitation, checked, lines_of
from app.services.chat.chat_passages import NO_WORDS
from app.storage.conversations import StoredMessage
from app.ui.passages.citation_list import CitationList, ShownCitation
from app.ui.richtext.citation_marks import citable


@dataclass(frozen=True, slots=True)
class Sources:
    passages: Mapping[int, PassagePart] = field(default_factory=dict)
    """All that stand above, by their numbers, with their texts."""
    brought: tuple[PassagePart, ...] = ()
    """For this answer, in the order in which they stand."""
    no_words: bool = False
    """Nothing in the documents has words of the question."""


def brings_any(messages: Sequence[StoredMessage]) -> bool:
    """Whether `sources_of` tells anything of any of them: looked up once for all, where that is for each."""
    kinds = {type(part) for each in messages for part in each.message.parts}
    if not kinds.isdisjoint((PassagePart, DocumentPart)):
        return True
    return any(NO_WORDS in each.figures for each in messages if each.figures)


def sources_of(messages: Sequence[StoredMessage], message_id: int) -> Sources:
    """Of a message that is among them, or that follows them."""
    above: list[PassagePart] = []
    brought: list[PassagePart] = []
    no_words = False
    for stored in messages:
        if stored.id == message_id:
            break
        if stored.message.role is Role.USER:
            brought, no_words = [], bool((stored.figures or {}).get(NO_WORDS))
        above += cited_parts(stored.message)
        brought += stored.message.passages
    passages = citable(above)
    numbers = dict.fromkeys(each.number for each in brought)
    return Sources(passages, tuple(passages[number] for number in numbers), no_words=no_words)


def listed(text: str, sources: Sources) -> tuple[list[PassagePart], frozenset[int]]:
    """What stands below an answer: what it cites, in that order, and what was only looked at; numbers of the former."""
    cited = [number for each in citations(text, sources.passages) for number in each.numbers]
    numbers = dict.fromkeys([*cited, *(each.number for each in sources.brought)])
    return [sources.passages[each] for each in numbers], frozenset(cited)


def citation_list(text: str, sources: Sources, number: int, check: CheckedCitation | None) -> CitationList | None:
    """What can be walked through, beginning with a citation in its sentence, or with a passage; None where it is not
    known.
    """
    texts = {each: part.text for each, part in sources.passages.items()}
    found = [ShownCitation(_narrowed(sources.passages[each.number], each), each) for each in checked(text, texts)]
    parts, cited = listed(text, sources)
    found += [ShownCitation(each) for each in parts if each.number not in cited]
    same = (at for at, each in enumerate(found) if each.part.number == number and _is_in(each, check))
    at = next(same, -1)
    return CitationList(tuple(found), at) if at >= 0 else None


def _is_in(shown: ShownCitation, check: CheckedCitation | None) -> bool:
    return check is None or shown.check is None or shown.check.sentence == check.sentence


def _narrowed(part: PassagePart, check: CheckedCitation) -> PassagePart:
    """Of a page, or a piece of a text, that went to the model whole: the lines that are cited."""
    if part.end:
        return part
    lines = lines_of(check.sentence, part.text)
    return replace(part, text=lines or ("" if part.page else part.text))
