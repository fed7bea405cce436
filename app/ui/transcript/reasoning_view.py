"""What an answer thought before it spoke: one line, and the whole on request."""

from time import monotonic

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from app.services.runtime.debounce import Ticker
from app.ui.formatting.numbers import count, line_of
from app.ui.richtext.blocks_view import BlocksView
from app.ui.theme.appearance import Appearance
from app.ui.widgets.fold import Fold

_TICK_MS = 1000
_HINT = 200
"""Characters of the last line that can be shown."""


class ReasoningView(Fold):
    """Closed, it shows how long the thinking took, and while it goes on a glimpse of its last line."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, "", parent)
        self._text = ""
        self._new: list[str] = []
        self._since: float | None = None
        self._seconds = 0.0
        self._blocks: BlocksView | None = None
        self._ticker = Ticker(_TICK_MS, self._tell, self)

    @property
    def text(self) -> str:
        """All of it, as far as it has come."""
        if self._new:
            self._text += "".join(self._new)
            self._new = []
        return self._text

    @property
    def is_running(self) -> bool:
        return self._since is not None

    @property
    def blocks_view(self) -> BlocksView:
        """Made when it is first needed; it shows the text when this is open."""
        if self._blocks is None:
            self._blocks = BlocksView(self._appearance, self, quiet=True, source=lambda: self.text)
            self._blocks.resized.connect(self.resized)
            self._blocks.hide()
        return self._blocks

    def show_text(self, text: str, milliseconds: float) -> None:
        """A thought that is complete. 0 where nobody knows how long it took."""
        self._stop()
        if milliseconds:
            self._seconds = milliseconds / 1000
        self._text, self._new = text, []
        if self.is_open:
            self.blocks_view.finish(text)
        self._tell()

    def append(self, text: str) -> None:
        """More of a thought that goes on."""
        if self._since is None:
            self._since = monotonic()
            self._ticker.start()
        self._new.append(text)
        if self.is_open:
            self.blocks_view.append(text)
        else:
            self._tell()

    def stop(self) -> None:
        """The answer has begun."""
        if self._since is not None:
            self._stop()
            if self.is_open:
                self.blocks_view.finish(self.text)
            self._tell()

    def show_body(self, is_open: bool) -> None:
        blocks = self.blocks_view
        if is_open:
            blocks.set_text("")
            if self.is_running:
                blocks.append(self.text)
                blocks.flush()
            else:
                blocks.set_text(self.text)
        blocks.setVisible(is_open)
        self._tell()

    def place_body(self, room: QRect) -> int:
        blocks = self.blocks_view
        if self._range is not None:
            blocks.show_range(self._range[0] - room.top(), self._range[1] - room.top())
        height = blocks.place(room.width())
        blocks.setGeometry(room.left(), room.top(), room.width(), height)
        return height

    def _stop(self) -> None:
        if self._since is not None:
            self._seconds = monotonic() - self._since
            self._since = None
        self._ticker.stop()

    def _tell(self) -> None:
        if self._since is not None:
            seconds = int(monotonic() - self._since)
            title = (
                self.tr("Thinking…") if not seconds else self.tr("Thinking… {time}").format(time=_time(self, seconds))
            )
            self.head.say(title, "" if self.is_open else self._last_line())
            return
        words = len(self.text.split())
        took = (
            self.tr("Thought for {time}").format(time=_time(self, self._seconds))
            if self._seconds
            else self.tr("Thought")
        )
        length = self.tr("1 word") if words == 1 else self.tr("{number} words").format(number=count(words))
        self.head.say(line_of((took, length)))

    def _last_line(self) -> str:
        tail = "".join(self._new[-_HINT:])[-_HINT:] if len(self._new) > 40 else self.text[-_HINT:]
        lines = [line for line in tail.splitlines() if line.strip()]
        return " ".join(lines[-1].split()) if lines else ""


def _time(view: QWidget, seconds: float) -> str:
    whole = round(seconds)
    if whole < 1:
        return view.tr("less than a second")
    if whole < 60:
        return view.tr("{seconds} s").format(seconds=whole)
    return view.tr("{minutes} min {seconds} s").format(minutes=whole // 60, seconds=whole % 60)
