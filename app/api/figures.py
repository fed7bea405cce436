"""What the answers of this API cost since it began, and where the one has come to that is being given."""

from dataclasses import dataclass, fields, replace

from app.core.events import Finished, Looking, PromptProgress, ReplyEvent, TextDelta, Timings, ToolCallDelta


@dataclass(slots=True)
class Figures:
    """Lives on one event loop. Counts answers that came to their end."""

    total: Timings = Timings()
    """Of all of them."""
    n_answers: int = 0
    n_batches: int = 0
    """That were evaluated: micro-batches of prompts, and steps of answers."""
    n_drafts: int = 0
    """That were checked."""
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
                self.n_batches += event.read > 0
            case TextDelta() | ToolCallDelta():
                self.n_written = event.predicted_n
            case Finished():
                self.n_written = event.timings.predicted_n
                self.n_answers += 1
                self.n_drafts += event.drafting.rounds
                # The first token comes from the prompt's last batch, and what was drafted from a batch with others.
                self.n_batches += max(0, event.timings.predicted_n - 1 - event.timings.draft_n_accepted)
                self.longest = max(self.longest, event.n_past)
                self._add(event.timings)
            case Looking():
                pass

    def _add(self, timings: Timings) -> None:
        sums = {each.name: getattr(self.total, each.name) + getattr(timings, each.name) for each in fields(Timings)}
        self.total = replace(self.total, **sums)
