"""The Markdown of one text, at once or while it is being written, and what of its blocks changes."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.ui.richtext.markdown import MarkdownStream, parse
from app.ui.richtext.markdown_blocks import Change
from app.ui.richtext.render_throttle import RenderThrottle

_FRAME_CHARS = 300
"""That are shown in one frame, while no more than four times as many wait."""


class TextStream(QObject):
    """Hands each `Change` of the blocks to `apply`, at most once in a frame."""

    def __init__(self, apply: Callable[[Change], None], parent: QObject, *, typed: bool) -> None:
        """What a person `typed` is Markdown only in part (see `user_text_html`)."""
        super().__init__(parent)
        self._apply = apply
        self._typed = typed
        self._stream: MarkdownStream | None = None
        self._behind: list[str] = []
        """What has come, and is not shown yet."""
        self._finished = ""
        self._throttle = RenderThrottle(self._render, self)

    @property
    def is_open(self) -> bool:
        """Whether it is being written."""
        return self._stream is not None

    @property
    def streamed(self) -> str:
        """All that was appended so far; empty when nothing is being written."""
        return self._stream.source + "".join(self._behind) if self._stream else ""

    @property
    def source(self) -> str:
        return self.streamed or self._finished

    def set_text(self, source: str) -> None:
        """A finished text."""
        self._close(source)
        self._behind = []
        self._apply(Change(0, parse(source, typed=self._typed)))

    def append(self, text: str) -> None:
        """More of a text that is being written; it is drawn within the next frames."""
        if self._stream is None:
            self._stream = MarkdownStream()
            self._apply(Change(0, ()))
        self._behind.append(text)
        self._throttle.request()

    def finish(self, source: str) -> None:
        """The text is complete, and is `source`; whatever was streamed of it stays as it is."""
        stream = self._stream
        self._feed(all_of_it=True)
        if stream is None or stream.source != source:
            self.set_text(source)
            return
        self._close(source)
        self._apply(stream.finish())

    def flush(self) -> None:
        """Draw now what was appended."""
        self._feed(all_of_it=True)
        if self._stream is not None:
            self._throttle.run_now()

    def _close(self, source: str) -> None:
        self._throttle.cancel()
        self._stream = None
        self._finished = source

    def _render(self) -> None:
        if self._stream is not None:
            self._feed()
            self._apply(self._stream.render())
            if self._behind:
                self._throttle.request()

    def _feed(self, *, all_of_it: bool = False) -> None:
        """Hand on what has come; not all at once where much has, as a frame shall not take long."""
        text = "".join(self._behind)
        size = len(text) if all_of_it else max(_FRAME_CHARS, len(text) // 4)
        if self._stream is not None and text:
            self._stream.feed(text[:size])
        self._behind = [text[size:]] if len(text) > size else []
