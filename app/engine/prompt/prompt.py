"""How a rendered chat becomes PromptTokens."""

import codecs
import re
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, takewhile

from app.core.document_form import document_form
from app.core.messages import DocumentPart, Generation, MediaPart, Message, Role
from app.engine.binding.mtmd_chunks import MediaChunk, TextChunk
from app.engine.binding.vocab import SpecialToken, Vocab
from app.engine.prompt.prompt_tokens import PromptTokens
from app.engine.prompt.splice import Spoken, find_splices
from app.engine.template.marked_text import MEDIA, MESSAGE, TRUSTED, MarkedText

_CACHED_CHARS = 4 << 20
_SPACE = " \t\n\r\v\f"
"""What C's isspace takes; llama.cpp strips these beside tokens that ask for it."""


@dataclass(frozen=True, slots=True)
class LaidOutMedia:
    """One of the chat, as the entries that it takes."""

    message: int
    """Index of the message that it belongs to."""
    part: MediaPart
    chunks: tuple[TextChunk | MediaChunk, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A chat as the slot would hold it."""

    tokens: PromptTokens
    turns: tuple[tuple[int, int], ...]
    """(index of a message, entries before its text), ascending. Messages whose text the template hides are missing."""
    places: tuple[int, ...] = ()
    """Entries before the text of each message that no model wrote, ascending: what stays when it is edited."""
    documents: tuple[int, ...] = ()
    """Entries up to the end of each document with which the first question begins, ascending."""
    thinks: bool = False
    """The template has opened the reasoning, in which the answer begins."""
    begun: str = ""
    """What was written of an answer that goes on, with all its marks."""
    media: Mapping[str, MediaPart] = field(default_factory=dict)
    """By their digests, which their entries have as `MediaChunk.media_id`."""

    def up_to_documents(self) -> "Prompt":
        """Nothing behind the documents with which the first question begins; all of it where there are none."""
        if not self.documents:
            return self
        n = self.documents[-1]
        tokens = self.tokens.copy()
        tokens.truncate(n)
        turns = tuple(each for each in self.turns if each[1] < n)
        return replace(self, tokens=tokens, turns=turns, places=tuple(each for each in self.places if each < n))

    def sizes(self, n_messages: int) -> list[int]:
        """Entries that belong to each message, up to where the next one's text begins; all of them together."""
        starts = [n for _, n in self.turns]
        found = dict.fromkeys(range(n_messages), 0)
        for (index, start), stop in zip(self.turns, [*starts[1:], len(self.tokens)], strict=True):
            found[index] += stop - start
        if self.turns:
            found[self.turns[0][0]] += starts[0]
        return list(found.values())


class PromptTokenizer:
    """Turns a rendered chat into PromptTokens, exactly as llama.cpp would, but for two things.

    A control token is recognised only where the template wrote all of it; what people, tools and documents
    wrote stays text. And an answer that was generated in this conversation enters as the tokens it was
    generated with, because another tokenization of the same text would miss the cache.
    """

    def __init__(self, vocab: Vocab, template_source: str, visible: Collection[str] = ()) -> None:
        """`visible`: control tokens whose texts belong to what an answer says; see `OutputFormat.preserved`."""
        self._vocab = vocab
        self._visible_texts = visible
        self._cache: OrderedDict[tuple[str, bool], list[int]] = OrderedDict()
        self._cached_chars = 0
        self._split_cache: dict[str, list[SpecialToken | str]] = {}
        self._spoken: OrderedDict[tuple[int, ...], Spoken | None] = OrderedDict()
        self._template_source = template_source

    @cached_property
    def _specials(self) -> dict[str, SpecialToken]:
        return {each.text: each for each in self._vocab.specials if each.text}

    @cached_property
    def _visible(self) -> frozenset[int]:
        return frozenset(each.id for text, each in self._specials.items() if text in self._visible_texts)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Longest first, as llama.cpp orders them.
        return re.compile(
            "|".join(re.escape(text) for text in sorted(self._specials, key=len, reverse=True)) or r"(?!)"
        )

    @cached_property
    def _reserved(self) -> frozenset[int]:
        """User-defined tokens that this template writes itself, such as <think>: in people's text they stay text.

        llama.cpp finds user-defined tokens in any text, whatever it is told about special ones.
        """
        users = (each for each in self._specials.values() if not each.control)
        return frozenset(each.id for each in users if len(each.text) > 1 and each.text in self._template_source)

    def tokenize(self, text: MarkedText, messages: tuple[Message, ...], media: Sequence[LaidOutMedia] = ()) -> Prompt:
        """`messages` are those that were rendered: the origin of a message's text is `MESSAGE` plus its index.

        Each character of origin `MEDIA` plus j stands for `media[j]`.
        """
        assembly = _Assembly(self)
        documents = _first_documents(messages)
        place = 0
        for splice in find_splices(text, lambda index: self._said(messages[index].generation)):
            self._add_runs(assembly, text[place : splice.start], media, documents)
            assembly.begin(splice.message)
            assembly.add_tokens(splice.tokens)
            place = splice.stop
        self._add_runs(assembly, text[place:], media, documents)
        tokens = assembly.finish()
        lacks_bos = self._vocab.add_bos and next(iter(tokens), None) != self._vocab.bos
        if lacks_bos:
            bare, tokens = tokens, PromptTokens([self._vocab.bos])
            tokens.append_all(bare)
        turns = tuple((index, n + lacks_bos) for index, n in assembly.begun.items() if index >= 0)
        places = tuple(n for index, n in turns if messages[index].role in (Role.USER, Role.TOOL))
        documents_end = tuple(n + lacks_bos for n in assembly.ended)
        return Prompt(tokens, turns, places, documents_end, media={each.part.digest: each.part for each in media})

    def _add_runs(
        self, assembly: "_Assembly", text: MarkedText, media: Sequence[LaidOutMedia], documents: "_Documents"
    ) -> None:
        for start, stop, origin in text.runs():
            run = str.__getitem__(text, slice(start, stop))
            if origin >= MEDIA:
                medium = media[origin - MEDIA]
                assembly.begin(medium.message)
                for _ in run:
                    assembly.add_media(medium.chunks)
            elif origin == TRUSTED:
                for part in self._split(run):
                    assembly.add_part(part)
            else:
                assembly.begin(origin - MESSAGE)
                for form in documents.forms if origin - MESSAGE == documents.message else ():
                    if not run.startswith(form):
                        break
                    assembly.add_text(form)
                    assembly.end_document()
                    run = run[len(form) :]
                assembly.add_text(run)

    def _split(self, run: str) -> list[SpecialToken | str]:
        """The template's own text, cut at special tokens. Templates repeat themselves, so this is remembered."""
        if run not in self._split_cache:
            parts: list[SpecialToken | str] = []
            end = 0
            for match in self._pattern.finditer(run):
                if match.start() > end:
                    parts.append(run[end : match.start()])
                parts.append(self._specials[match.group()])
                end = match.end()
            if end < len(run):
                parts.append(run[end:])
            self._split_cache[run] = parts
        return self._split_cache[run]

    def fragment(self, text: str, *, continues: bool) -> list[int]:
        """Tokens of text that holds no control token. Remembered, since a follow-up repeats all but the last."""
        key = (text, continues)
        if (found := self._cache.get(key)) is not None:
            self._cache.move_to_end(key)
            return found
        tokens = self._vocab.tokenize_on(text) if continues else self._vocab.tokenize(text)
        if not self._reserved.isdisjoint(tokens):
            tokens = self._spelled_out(text, continues=continues)
        self._cache[key] = tokens
        self._cached_chars += len(text)
        while self._cached_chars > _CACHED_CHARS and len(self._cache) > 1:
            (old, _), _ = self._cache.popitem(last=False)
            self._cached_chars -= len(old)
        return tokens

    def n_within(self, tokens: Sequence[int], head: str) -> int:
        """How many of a fragment's tokens are of its beginning `head` alone."""
        # SentencePiece puts a space before.
        room = len(head.encode()) + bool(head[:1].strip() and tokens and self._vocab.piece(tokens[0])[:1] == b" ")
        ends = accumulate(len(self._vocab.piece(token)) for token in tokens) if head else ()
        return sum(1 for _ in takewhile(lambda end: end <= room, ends))

    def _spelled_out(self, text: str, *, continues: bool) -> list[int]:
        """Tokens of text that holds reserved tokens, with those written character by character."""
        tags = [re.escape(self._vocab.text(token)) for token in self._reserved]
        tokens: list[int] = []
        for index, part in enumerate(re.split(f"({'|'.join(sorted(tags, key=len, reverse=True))})", text)):
            if not part:
                continue
            if index % 2:
                tokens += [piece for char in part for piece in self._vocab.tokenize_on(char)]
            elif index or continues:
                tokens += self._vocab.tokenize_on(part)
            else:
                tokens += self._vocab.tokenize(part)
        return tokens

    def text_of(self, generation: Generation | None) -> str | None:
        """What was written, with the marks around reasoning and tool calls; None where the tokens mean nothing here, or
        where no answer can have been all of them.
        """
        said = self._said(generation)
        return said.text if said is not None and generation is not None and said.tokens == generation.tokens else None

    def _said(self, generation: Generation | None) -> Spoken | None:
        if generation is None or generation.vocab != self._vocab.fingerprint:
            return None
        tokens = generation.tokens
        if tokens not in self._spoken:
            self._spoken[tokens] = self._speak(tokens) if self._could_be_written(tokens) else None
            if len(self._spoken) > _KEPT_ANSWERS:
                self._spoken.popitem(last=False)
        return self._spoken[tokens]

    def _could_be_written(self, tokens: tuple[int, ...]) -> bool:
        """An imported chat may say anything: also what is no token, or ends an answer and begins somebody else's."""
        vocab = self._vocab
        return all(0 <= token < vocab.n_tokens and not vocab.is_eog(token) for token in tokens)

    def _speak(self, tokens: tuple[int, ...]) -> Spoken:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # No further than everybody sees it: a control token that says nothing, which a grammar may ask for, would
        # stand in the prompt without being in any text.
        tokens = tuple(takewhile(self.piece, tokens))
        text, ends, length = [], [], 0
        for token in tokens:
            piece = decoder.decode(self.piece(token))
            text.append(piece)
            length += len(piece)
            ends.append(length)
        text.append(decoder.decode(b"", final=True))
        return Spoken(tokens, "".join(text), tuple(ends))

    def piece(self, token: int) -> bytes:
        """What a generated token says: control tokens say nothing, but for those that the output's format needs."""
        return self._vocab.piece(token, special=token in self._visible)


_KEPT_ANSWERS = 512


class _Assembly:
    """Gathers text between special tokens, since that is what llama.cpp tokenizes at one go."""

    def __init__(self, tokenizer: PromptTokenizer) -> None:
        self._tokenizer = tokenizer
        self._tokens = PromptTokens()
        self._text: list[str] = []
        self._strip_next = False
        self._continues = False
        self.begun: dict[int, int] = {}
        """Entries before the text of each message, in order."""
        self._begins: dict[int, int] = {}
        """Characters before it of the text that is being gathered."""
        self.ended: list[int] = []
        """Entries up to the end of each document."""
        self._ends: list[int] = []
        """Characters up to it of the text that is being gathered."""

    def begin(self, message: int) -> None:
        """What is added next is of this message."""
        if message not in self.begun and message not in self._begins:
            self._begins[message] = sum(map(len, self._text))

    def add_part(self, part: SpecialToken | str) -> None:
        if isinstance(part, str):
            self.add_text(part)
            return
        self._flush(strip_end=part.lstrip)
        self._tokens.append(part.id)
        self._strip_next, self._continues = part.rstrip, False

    def add_text(self, text: str) -> None:
        self._text.append(text)

    def end_document(self) -> None:
        self._ends.append(sum(map(len, self._text)))

    def add_tokens(self, tokens: Sequence[int]) -> None:
        self._flush()
        self._tokens.extend(tokens)
        self._strip_next, self._continues = False, True

    def _flush(self, *, strip_end: bool = False) -> None:
        whole = "".join(self._text)
        self._text.clear()
        text = whole.lstrip(_SPACE) if self._strip_next else whole
        stripped = len(whole) - len(text)
        if strip_end:
            text = text.rstrip(_SPACE)
        tokens = self._tokenizer.fragment(text, continues=self._continues) if text else []
        for message, n in self._begins.items():
            head = text[: max(0, n - stripped)]
            self.begun[message] = len(self._tokens) + self._tokenizer.n_within(tokens, head)
        self._begins.clear()
        for n in self._ends:
            within = self._tokenizer.n_within(tokens, text[: max(0, n - stripped)])
            self.ended.append(len(self._tokens) + within)
        self._ends.clear()
        self._tokens.extend(tokens)
        if text:
            self._strip_next = False

    def add_media(self, chunks: tuple[TextChunk | MediaChunk, ...]) -> None:
        """What mtmd makes of a medium: its cells, and what its family puts around them."""
        self._flush()
        for chunk in chunks:
            if isinstance(chunk, TextChunk):
                self._tokens.extend(chunk.tokens)
            else:
                self._tokens.append_media(chunk)
        # As mtmd does it: the text after a medium is tokenized by itself.
        self._strip_next = self._continues = False

    def finish(self) -> PromptTokens:
        self._flush()
        return self._tokens


@dataclass(frozen=True, slots=True)
class _Documents:
    """With which the first question begins."""

    message: int = -1
    forms: Sequence[str] = ()
    """As they stand in it."""


def _first_documents(messages: Sequence[Message]) -> _Documents:
    for index, message in enumerate(messages):
        if message.role is Role.USER:
            whole = takewhile(lambda part: isinstance(part, DocumentPart) and not part.by_passages, message.parts)
            return _Documents(index, [document_form(part) for part in whole if isinstance(part, DocumentPart)])
    return _Documents()
