"""What stays warm of a model's conversations while it has no context."""

from dataclasses import dataclass

from app.engine.memory.rates import Rates
from app.engine.memory.reuse import Source
from app.engine.memory.snapshot_disk import ModelSnapshots
from app.engine.memory.snapshots import Snapshot, Snapshots


@dataclass(eq=False, slots=True)
class Aside:
    """Taken from a slot by `Slot.set_aside`, and given to the next one by `Slot.take_up`."""

    snapshots: Snapshots
    held: Snapshot | None
    """What the context held; it takes no room beyond what the context took."""
    to_disk: bool
    """That is kept on disk, too, if it is worth it."""
    rates: Rates
    on_disk: ModelSnapshots | None

    @property
    def kept_bytes(self) -> int:
        return self.snapshots.n_bytes + (self.held.n_bytes if self.held is not None else 0)

    def forget_conversation(self, conversation: str) -> None:
        """In memory and on disk, for good."""
        self.snapshots.forget(conversation)
        if self.on_disk is not None:
            self.on_disk.disk.forget(conversation)
        if self.held is not None and self.held.conversation == conversation:
            self.held = None

    def empty_snapshots(self) -> None:
        """Forget all but what the context held, which is not written to disk before the next reply."""
        self.snapshots.clear()
        if self.on_disk is not None:
            self.on_disk.disk.clear()
        self.to_disk = False

    def warm_conversations(self) -> dict[str, Source]:
        """Where each conversation would come back from."""
        return warm(self.snapshots, self.on_disk, self.held.conversation if self.held is not None else "")


def warm(snapshots: Snapshots, on_disk: ModelSnapshots | None, held: str) -> dict[str, Source]:
    """Where each conversation would come back from; the one that is `held` counts as in memory."""
    found = dict.fromkeys(on_disk.conversations() if on_disk is not None else (), Source.DISK)
    whole = (each for each in snapshots if not each.start)
    found |= dict.fromkeys((*(each.conversation for each in whole), held), Source.MEMORY)
    found.pop("", None)
    return found
