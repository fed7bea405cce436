"""How one family of models writes its answers."""

import re
from dataclasses import dataclass, field

from app.engine.output.bare_calls import BareCalls
from app.engine.output.call_syntax import CallSyntax


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Markers around what a model thinks before it speaks."""

    starts: tuple[str, ...] = ("<think>",)
    """Any of them opens it."""
    ends: tuple[str, ...] = ("</think>",)
    anywhere: bool = False
    """It may begin in the midst of an answer, by `inner_starts`, and not at its beginning alone."""

    @property
    def inner_starts(self) -> tuple[str, ...]:
        """Those that begin with a control token: plain words in the midst of an answer are shown at once."""
        return tuple(each for each in self.starts if each.startswith("<")) if self.anywhere else ()

    def open_in(self, prompt_tail: str) -> bool:
        """The rendered prompt ends with an opening, so that the answer goes on inside; 200 characters are enough."""
        return prompt_tail.rstrip().endswith(tuple(start.rstrip() for start in self.starts))


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """`detect` makes them. The default is what is tried where nothing is known: <think>, and calls as plain JSON."""

    name: str = "plain"
    reasoning: Reasoning = field(default_factory=Reasoning)
    calls: CallSyntax = field(default_factory=BareCalls)
    hidden: tuple[str, ...] = ()
    """Control tokens around content, which nobody is shown."""
    heads: tuple[str, ...] = ()
    """What says whom a message is for, with {} for the user or a tool's name; nobody is shown it."""
    wrapper: tuple[str, str] = ("", "")
    """Tags that may stand around the content behind reasoning, which nobody is shown."""
    calls_end_reasoning: bool = False
    """A call may begin where the reasoning was not closed."""
    control: tuple[str, ...] = ()
    """Further control tokens that belong to the format."""
    channels: bool = False
    """gpt-oss' harmony: every message says in a head what it is, and whom it is for."""
    opened: str = ""
    """What the template has written already of the first call's opening, or of what else the answer begins with."""

    @property
    def preserved(self) -> frozenset[str]:
        """Texts of control tokens that the parser must see, where the vocabulary has them."""
        shown = (*self.hidden, *self.heads, *self.control)
        markers = (*self.reasoning.starts, *self.reasoning.ends, *self.calls.markers, *shown)
        return frozenset(text for marker in markers for text in (marker.strip(), *_CONTROL.findall(marker)))


_CONTROL = re.compile(r"<[|｜][^<>]*[|｜]>|\[/?[A-Z_]+\]|</?[\w:]+>")
"""What control tokens look like, inside of markers that have more than them."""
