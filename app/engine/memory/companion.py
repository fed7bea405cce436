"""What goes along with a memory: drafters do."""

from collections.abc import Sequence
from typing import Protocol

from app.engine.prompt.prompt_tokens import PromptTokens


class Companion(Protocol):
    """Goes along with a slot, which tells it what its memory holds. It must not decode with the slot's context."""

    def process(self, tokens: Sequence[int], entries: PromptTokens) -> None:
        """The slot has decoded `tokens`, a batch of text, and the context's outputs of them still stand.

        `entries` are all that the memory held before: `len(entries)` of them, and `entries.position` is the position of
        the first of `tokens`. Also called while a prompt is read; not for media.
        """

    def trim(self, keep: int) -> int:
        """The memory holds its first `keep` entries and nothing else. Returns from how many of them this can go on.

        Where that is fewer, the slot may evaluate the rest again, and `process` tells of them. Not called for what a
        round takes back, of which `Drafter.accept` tells.
        """

    def reset(self) -> None:
        """The memory is empty."""

    def save(self, n: int, start: int) -> bytes:
        """What has to be kept with a state of the entries from `start` on, of `n` that the memory holds; may be empty.

        0 is a whole state, and `n` a checkpoint: it is put back only while the entries before it have stayed.
        """

    def restore(self, n: int, data: bytes) -> None:
        """The memory holds a state of `n` entries again, with which `save` had given `data`, and nothing else.

        Empty where nothing was kept with it: what the memory held before says nothing of these entries then.
        """
