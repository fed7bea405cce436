"""What the answers of this API cost since it began, and where the one has come to that is being given."""

from dataclasses import dataclass, fields, replace

from app.core.events import Finished, Looking, PromptProgress, ReplyEvent, TextDelta, Timings, ToolCallDelta


@dataclass(slots=True)
class Figures:
    """Lives on one event loop. Counts answers that came to their end."""

    total: Timings = Timings()
    """Of all of them."""
    n_answers: int = 0
    longest: int = 0
    """Entries that the context held at most."""
    prompt: PromptProgress = PromptProgress(0, 0, 0, 0.0)
    """Of the last answer that was begun."""
    n_written: int = 0
    """Tokens of it."""

    def saw(self, event: ReplyEvent) -> None:
        match event:
            case PromptProgress():
                self.prompt, self.n_written = event, 0
            case TextDelta() | ToolCallDelta():
                self.n_written = event.predicted_n
            case Finished():
                self.n_written = event.timings.predicted_n
                self.n_answers += 1
                self.longest = max(self.longest, event.n_past)
                self._add(event.timings)
            case Looking():
                pass

    def _add(self, timings: Timings) -> None:
        sums = {each.name: getattr(self.total, each.name) + getattr(timings, each.name) for each in fields(Timings)}
        self.total = replace(self.total, **sums)
