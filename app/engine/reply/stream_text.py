"""Bytes of tokens become text: whole characters only, and nothing of a stop string."""

import codecs
from collections.abc import Sequence


class StreamText:
    """Feed pieces, get text that is safe to show.

    Characters that are cut between tokens wait for their rest; bytes that can never be UTF-8 become U+FFFD.
    Text that may be the beginning of a stop string waits until it is clear that it is not.
    """

    def __init__(self, stops: Sequence[str] = ()) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stops = [stop for stop in stops if stop]
        self._is_cut = False
        """The decoder holds the beginning of a character."""
        self._longest = max(map(len, self._stops), default=0)
        self._held = ""
        self._n_whole = 0
        self.stopped_by: str | None = None
        """The stop string that came; text after it is gone, and `feed` takes no more."""

    def feed(self, piece: bytes) -> str:
        if piece.isascii() and not self._is_cut:
            text = piece.decode("ascii")
        else:
            text = self._decoder.decode(piece)
            self._is_cut = bool(self._decoder.getstate()[0])
        self._n_whole += len(text)
        return self._take(text)

    @property
    def n_begun(self) -> int:
        """Characters that the pieces have begun so far; the last of them may be half there."""
        return self._n_whole + self._is_cut

    def finish(self) -> str:
        """What was held back, now that no more comes."""
        text, self._is_cut = self._take(self._decoder.decode(b"", final=True)), False
        rest, self._held = self._held, ""
        return text + rest

    def _take(self, text: str) -> str:
        if not self._stops:
            return text
        if self.stopped_by is not None:
            return ""
        self._held += text
        found = [(at, stop) for stop in self._stops if (at := self._held.find(stop)) >= 0]
        if found:
            at, self.stopped_by = min(found, key=lambda each: each[0])
            ready, self._held = self._held[:at], ""
            return ready
        cut = len(self._held) - self._undecided()
        ready, self._held = self._held[:cut], self._held[cut:]
        return ready

    def _undecided(self) -> int:
        """Length of the longest end of the held text that begins a stop string."""
        for size in range(min(self._longest - 1, len(self._held)), 0, -1):
            end = self._held[-size:]
            if any(stop.startswith(end) for stop in self._stops):
                return size
        return 0
