"""What the answers of this API cost since it began, and where those have come to that are being given."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import partial

from app.core.events import Finished, Looking, PromptProgress, ReplyEvent, TextDelta, Timings, ToolCallDelta


@dataclass(eq=False, slots=True)
class Progress:
    """Where an answer has come to."""

    prompt: PromptProgress = PromptProgress(0, 0, 0, 0.0)
    n_written: int = 0
    """Tokens."""

    def read(self, prompt: PromptProgress) -> None:
        self.prompt = prompt

    def write(self, n_tokens: int) -> None:
        """So many in all."""
        self.n_written = n_tokens


@dataclass(slots=True)
class Figures:
    """Lives on one event loop. Counts answers that came to their end."""

    total: Timings = Timings()
    """Of all of them."""
    n_answers: int = 0
    n_batches: int = 0
    """That were evaluated: micro-batches of prompts, and steps of answers. Each answer counts its own, though several
    may be written in one.
    """
    n_drafts: int = 0
    """That were checked."""
    longest: int = 0
    """Entries that the context held at most."""
    running: list[Progress] = field(default_factory=list)
    """Where those have come to that are being given, the oldest first."""

    @contextmanager
    def answering(self) -> Iterator[Callable[[ReplyEvent], None]]:
        """An answer is being given; what it gives back is to be told all of its events."""
        progress = Progress()
        self.running.append(progress)
        try:
            yield partial(self._saw, progress)
        finally:
            self.running.remove(progress)

    def read(self, n_tokens: int, ms: float) -> None:
        """Texts for vectors, of which nothing is written."""
        self._add(Timings(prompt_n=n_tokens, prompt_ms=ms))
        self.n_batches += 1

    def _saw(self, progress: Progress, event: ReplyEvent) -> None:
        match event:
            case PromptProgress():
                progress.read(event)
                self.n_batches += event.read > 0
            case TextDelta() | ToolCallDelta():
                progress.write(event.predicted_n or 0)
            case Finished():
                self.n_answers += 1
                self.n_drafts += event.drafting.rounds
                # The first token comes from the prompt's last batch, and what was drafted from a batch with others.
                timings = event.timings
                self.n_batches += max(0, (timings.predicted_n or 0) - 1 - (timings.draft_n_accepted or 0))
                self.longest = max(self.longest, event.n_past or 0)
                self._add(event.timings)
            case Looking():
                pass

    def _add(self, timings: Timings) -> None:
        names = [each.name for each in fields(Timings)]
        sums = {name: getattr(self.total, name) + (getattr(timings, name) or 0) for name in names}
        self.total = replace(self.total, **sums)
