"""How one family of models writes its answers."""

import re
from dataclasses import dataclass, field

from app.engine.output.bare_calls import BareCalls
from app.engine.output.call_syntax import CallSyntax
from app.engine.output.reasoning import Reasoning


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
    bare_too: bool = True
    """Calls without markers are known as well, where an answer begins with one."""
    calls_end_reasoning: bool = False
    """A call may begin where the reasoning was not closed."""
    control: tuple[str, ...] = ()
    """Further control tokens that belong to the format."""
    channels: bool = False
    """gpt-oss' harmony: every message says in a head what it is, and whom it is for."""
    stops: tuple[str, ...] = ()
    """Stop strings that an answer needs beyond the request's own."""

    @property
    def preserved(self) -> frozenset[str]:
        """Texts of control tokens that the parser must see, where the vocabulary has them."""
        shown = (*self.hidden, *self.heads, *self.control)
        markers = (*self.reasoning.starts, *self.reasoning.ends, *self.calls.markers, *shown)
        return frozenset(text for marker in markers for text in (marker.strip(), *_CONTROL.findall(marker)))

    def thinking_open_in(self, prompt_tail: str) -> bool:
        """A rendered prompt with this end has opened the reasoning; 200 characters are enough."""
        return self.reasoning.open_in(prompt_tail)


_CONTROL = re.compile(r"<[|｜][^<>]*[|｜]>|\[/?[A-Z_]+\]|</?[\w:]+>")
"""What control tokens look like, inside of markers that have more than them."""
