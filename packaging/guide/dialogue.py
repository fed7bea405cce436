"""What the guide is trained on, as values: dialogues of turns, with pictures, tools and brief reasoning."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from PIL.Image import Image

Speaker = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class ToolCall:
    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class Turn:
    speaker: Speaker
    text: str = ""
    pictures: tuple[Image, ...] = ()
    """RGB, of any size; they come before the text, as Hearth puts them."""
    reasoning: str = ""
    """What stands between the reasoning tags of an answer."""
    calls: tuple[ToolCall, ...] = ()
    """Tool calls of an answer, after its text."""
    learn: bool = True
    """Whether the model learns to say this; only answers are ever learnt."""
    decisive: str = ""
    """Regular expression for words of an answer on which the rest depends: they count more, and are learnt in any case.
    It matches whole words with the blank before them, so that tokens stay what they are."""
    topic: str = ""
    """The intent that an answer belongs to; empty where it is none's."""


@dataclass(frozen=True)
class Check:
    """How an answer is judged, by rule: key facts, not wording."""

    intent: str
    """What the question is about; the table of scores has a line for each group of them."""
    facts: tuple[tuple[str, ...], ...]
    """Every group must be met: one of its regular expressions is found in the answer, whatever the case."""
    never: tuple[str, ...] = ()
    """None of these regular expressions may be found."""


@dataclass(frozen=True)
class Dialogue:
    turns: tuple[Turn, ...]
    tools: tuple[Mapping[str, object], ...] = ()
    """OpenAI's tool declarations, offered from the start."""
    thinking: bool = False
    """The template's `enable_thinking`."""
    check: Check | None = None
    """For evaluation: how the answer to the last user turn (the last turn, which is then missing) is judged."""
    brief: bool = False
    """Of the last answer only the opening is learnt: what follows it is the same whatever was asked before."""
    kind: str = field(default="talk", compare=False)
    """"talk", "hearth", "picture", "tool", "thinking", "follow_up", "pasted", "brief", "unclear": a row."""
