"""Reading a document in a child process, which is ended where a file hangs it, and may die of one."""

import json
import queue
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from typing import IO, Any

from app.core.program import APART, own_command
from app.core.sentence import from_json
from app.engine.documents.documents import (
    DocumentError,
    check_length,
    check_size,
    decode_text,
    file_label,
    is_pdf,
)
from app.engine.documents.formats import is_office, numbered
from app.engine.documents.pdf_file import plain_page

COMMAND = "_read-document"
"""The hidden subcommand of `hearth` that runs `document_child`."""
_WORK = 5.0
"""Seconds of the processor for a page, for all of a small document that has none, and for the child to begin."""
_WORK_PER_MIB = 1.0
"""More, for a document that has no pages."""
_BUSY = 4
"""So many times as long by the clock, in which the child does nothing at all: then it waits for ever."""
_CROWDED = 60
"""So many times as long, in which it works now and then: other programs want the processor, too."""
_LOOK = 0.5
"""Seconds between looks at what the child has used of it."""
_MOST_FAILED = 5
"""Pages that may hang or kill the child."""
_HANGS = "{name} takes too long to read; save it as text, and use that."
_STARVES = "This computer is too busy to read {name}; try again when it has less to do."
_ENDED = "{name} can't be read: its reader ended over it. Use another copy."


class DocumentProcess:
    """Reads one document. Used by one thread, which closes it, also after an error."""

    def __init__(self, data: bytes, name: str, *, command: Sequence[str] = ()) -> None:
        self._data, self._name = data, name
        self._command = [*(command or own_command()), COMMAND, name]
        self.n_pages = 0
        """0 before they are counted, and for what has none."""
        self.failed: list[int] = []
        """Numbers, from 1, of pages that could not be read."""
        self._pages: list[str] = []
        self._text: str | None = None
        self._length = 0
        self._start()

    @property
    def pages(self) -> tuple[str, ...]:
        """Raw texts of those that are read, in which PDFium counts characters; empty for what has no pages."""
        return tuple(self._pages)

    @property
    def n_read(self) -> int:
        """Pages whose text is read."""
        return len(self._pages)

    def read(self, seconds: float) -> bool:
        """Listen to the child for about that long; whether all is read. Raises DocumentError."""
        until = time.monotonic() + seconds
        while self._text is None:
            try:
                line = self._lines.get(timeout=max(0.001, min(until - time.monotonic(), _LOOK)))
            except queue.Empty:
                if late := self._late():
                    self._give_up(late)
            else:
                if line is None:
                    self._give_up(_ENDED)
                else:
                    self._hear(json.loads(line))
            if time.monotonic() >= until:
                break
        return self._text is not None

    def text(self) -> str:
        """What was read, each page below a line `[Page n]`; empty where no page has any, as in scanned files."""
        return self._text or ""

    def close(self) -> None:
        self._child.kill()
        self._child.wait()

    def _start(self) -> None:
        self._child = subprocess.Popen(
            [*self._command, str(self.n_read)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **APART,
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._allow(_WORK + _WORK_PER_MIB * len(self._data) / 2**20)
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        threading.Thread(target=_feed, args=(self._child.stdin, self._data), daemon=True).start()
        threading.Thread(target=_pump, args=(self._child.stdout, self._lines), daemon=True).start()

    def _allow(self, work: float) -> None:
        """So many seconds of the processor from now on."""
        self._work, self._seen, self._moved = work, self._worked(), time.monotonic()
        self._most, self._latest = self._seen + work, self._moved + _CROWDED * work

    def _late(self) -> str:
        """What to say of a child that is to be waited for no longer; empty of another."""
        now, worked = time.monotonic(), self._worked()
        if worked > self._seen:
            self._seen, self._moved = worked, now
        if worked >= self._most or now >= self._moved + _BUSY * self._work:
            return _HANGS
        return _STARVES if now >= self._latest else ""

    def _worked(self) -> float:
        """Seconds of the processor that the child has used."""
        # Here: the window's start would load it.
        import psutil

        try:
            used = psutil.Process(self._child.pid).cpu_times()
        except psutil.Error:
            return 0.0  # it has ended, which its last line tells
        return used.user + used.system

    def _hear(self, told: dict[str, Any]) -> None:
        match told:
            case {"sentence": sentence}:
                self.close()
                raise DocumentError(from_json(sentence), detail=str(told.get("detail", "")))
            case {"pages": int(n)}:
                self.n_pages = n
            case {"page": int()}:
                self._allow(_WORK)
            case {"text": str(text)} if self.n_pages:
                self._add(text)
            case {"text": str(text)}:
                self._end(text)

    def _add(self, page: str) -> None:
        self._pages.append(page)
        self._length += len(page)
        check_length(self._length, self._name)
        if self.n_read == self.n_pages:
            self._end(numbered([plain_page(each) for each in self._pages]))

    def _end(self, text: str) -> None:
        self.close()
        self._text = text

    def _give_up(self, why: str) -> None:
        """The page at hand, or all."""
        self.close()
        if not self.n_pages or len(self.failed) == _MOST_FAILED or why == _STARVES:
            raise DocumentError(why, name=file_label(self._name))
        self.failed.append(self.n_read + 1)
        self._add("")
        if self._text is None:
            self._start()


def document_text(data: bytes, name: str) -> str:
    """The text of a file of any kind, all at once. Raises DocumentError, also for a PDF file without text."""
    if not is_pdf(data) and not is_office(data, name):
        return decode_text(data, name)
    check_size(len(data), name, packed=True)
    with closing(DocumentProcess(data, name)) as process:
        while not process.read(1.0):
            pass
    if not process.text():
        raise DocumentError(
            "{name} has no text, only pictures of it; use those, with a model that sees.", name=file_label(name)
        )
    return process.text()


def _feed(stream: IO[bytes], data: bytes) -> None:
    try:
        with stream:
            stream.write(data)
    except OSError:
        pass  # the child ended before it had read all


def _pump(stream: IO[bytes], lines: "queue.Queue[bytes | None]") -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(None)
