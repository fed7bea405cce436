"""Messages as plain frozen values: what a conversation is made of, for every layer.

The names follow OpenAI's chat format (role, parts) so that the store, the template and the local API
speak of the same things.
"""

from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture by reference; the bytes lie in the attachment store under `content_hash`."""

    content_hash: str
    """sha256 hex of the original file's bytes."""
    name: str = ""
    width: int = 0
    """Of the picture as the model is shown it, in pixels; 0 where nobody has decoded it yet, as with `height`."""
    height: int = 0
    digest: str = ""
    """Its identity: sha256 hex over width, height and decoded pixels. Empty where nobody has decoded it yet."""
    data: bytes = field(default=b"", repr=False, compare=False)
    """The file's bytes, where they are in no store, as with a picture from a command line."""
    in_memory: bool = field(default=False, repr=False, compare=False)
    """It is another program's: nothing of it goes to the disk."""


@dataclass(frozen=True, slots=True)
class AudioPart:
    """A recording by reference, as a picture is."""

    content_hash: str
    """sha256 hex of the original file's bytes."""
    name: str = ""
    rate: int = 0
    """Hertz of the samples that it was decoded to; 0 where nobody has decoded it yet, as with `n_samples`."""
    n_samples: int = 0
    digest: str = ""
    """Its identity: sha256 hex over rate, number and samples. Empty where nobody has decoded it yet."""
    data: bytes = field(default=b"", repr=False, compare=False)
    """As of an `ImagePart`."""
    in_memory: bool = field(default=False, repr=False, compare=False)

    @property
    def seconds(self) -> float:
        """0 where nobody has decoded it yet."""
        return self.n_samples / self.rate if self.rate else 0.0


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A file whose text goes to the model as it stands; the file itself lies in the attachment store."""

    content_hash: str
    """sha256 hex of the original file's bytes; empty for a text that was pasted and never was a file."""
    name: str
    """What people call it: the file's name."""
    text: str
    """What the model reads of it."""
    by_passages: bool = False
    """The model reads no more of `text` than the passages that are looked up for each question."""
    starts: tuple[int, ...] = ()
    """Characters of `text` at which the parts begin that answers can cite, ascending; empty where nothing can."""
    number: int = 0
    """By which the first of them is cited; the others count on."""


@dataclass(frozen=True, slots=True)
class PassagePart:
    """A passage of a document that was looked up for a question: it stays where it was asked for."""

    number: int
    """By which answers cite it: from 1, in the order in which passages come into a conversation."""
    content_hash: str
    """Of the document's file, as in `DocumentPart`."""
    name: str
    """The document's."""
    text: str
    """What the model reads; empty where an earlier question of the conversation brought it already."""
    page: int | None = None
    """Counted from 1; None where the document has no pages."""
    start: int = 0
    """Characters into the page's text, as its reader gave it; `end` is behind the last one."""
    end: int = 0
    heading: str = ""
    """Under which it stands."""


MediaPart = ImagePart | AudioPart
"""What is seen or heard: the model is given an encoder's embeddings of it."""
Attachment = MediaPart | DocumentPart
Part = TextPart | Attachment | PassagePart


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that an answer asks to be called."""

    id: str
    name: str
    arguments: str
    """JSON text, as the model wrote it: an object where all is well."""


@dataclass(frozen=True, slots=True)
class Generation:
    """How an answer was really produced, so that the next prompt can repeat it token by token."""

    vocab: str
    """Fingerprint of the vocabulary that the tokens belong to; they mean nothing under another."""
    tokens: tuple[int, ...]
    """The tokens whose pieces, joined, are what the model wrote: with the marks around its reasoning and its tool
    calls. No end-of-generation token, and nothing that a stop string cut off.
    """


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    parts: tuple[Part, ...] = ()
    generation: Generation | None = field(default=None, compare=False)
    """Set for an answer that a model gave in this conversation and that nobody has edited since."""
    reasoning: str = ""
    """What an answer thought before it spoke; OpenAI-compatible servers call it `reasoning_content`."""
    tool_calls: tuple[ToolCall, ...] = ()
    """What an answer asks for, after its text."""
    tool_call_id: str = ""
    """Of a tool's message: which call it answers."""
    name: str = ""
    """Of a tool's message: the function that was called, where it is known."""

    @property
    def media(self) -> tuple[MediaPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, MediaPart))

    @property
    def pictures(self) -> tuple[ImagePart, ...]:
        return tuple(part for part in self.parts if isinstance(part, ImagePart))

    @property
    def recordings(self) -> tuple[AudioPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, AudioPart))

    @property
    def documents(self) -> tuple[DocumentPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, DocumentPart))

    @property
    def passages(self) -> tuple[PassagePart, ...]:
        return tuple(part for part in self.parts if isinstance(part, PassagePart))

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """In the order in which a question holds them: models are trained with media first."""
        return (*self.media, *self.documents)

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @staticmethod
    def of(role: Role, text: str) -> "Message":
        return Message(role, (TextPart(text),))
