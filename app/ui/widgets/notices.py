"""Quiet bars above the composer: what went wrong, what is worth knowing, what can be undone."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QWidget

from app.core.errors import UserError
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.theme.measures import side_margin
from app.ui.widgets.buttons import IconButton, push_button
from app.ui.widgets.discard import discard
from app.ui.widgets.layouts import grow, hbox, vbox

_MOST = 3
_LOW = 360
"""Pixels of the window's height, at the usual size of text, below which two bars would squeeze the composer."""
_NOTICE_MS = 8_000
_UNDO_MS = 20_000


class _Sentence(QLabel):
    """Plain text that is always as high as it is when wrapped: a layout beside others does not always ask."""

    def __init__(self, sentence: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setText(sentence)
        self.setAccessibleName(sentence)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        # Qt takes the least height into account, so that a label which was once high would stay so.
        self.setMinimumHeight(0)
        self.setFixedHeight(self.heightForWidth(self.width()))


class NoticeBar(QFrame):
    """One sentence, perhaps with one thing to do about it."""

    dismissed = Signal(object)
    """This bar."""

    def __init__(
        self,
        appearance: Appearance,
        sentence: str,
        *,
        error: bool = False,
        action: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setProperty("error", "true" if error else "false")
        self.is_error = error
        self.sentence = _Sentence(sentence, self)
        self.action_button: QPushButton | None = None
        row = hbox(grow(self.sentence), on=self, gap=8, margins=(14, 8, 8, 8))
        if action:
            self.action_button = push_button(action, self, tone="link")
            row.addWidget(self.action_button)
        self.close_button = IconButton(appearance, "close", self.tr("Dismiss"), self.dismiss, size=16, parent=self)
        row.addWidget(self.close_button)

    def dismiss(self) -> None:
        self.dismissed.emit(self)

    def dismiss_after(self, milliseconds: int) -> None:
        QTimer.singleShot(milliseconds, self, self.dismiss)


class Notices(QWidget):
    """The newest bars, at most three; an error stays until it is dismissed."""

    details_wanted = Signal(object)
    """UserError"""
    undo_offered = Signal(bool)
    gone = Signal(object)
    """NoticeBar: it was dismissed, or withdrawn."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.bars: list[NoticeBar] = []
        self._undoing: list[NoticeBar] = []
        """Of these, those that offer to undo."""
        self._of_loads: set[str] = set()
        """Sentences about models that could not be loaded."""
        self._layout = vbox(on=self, gap=6)
        self._place()
        self.hide()

    def show_error(self, error: UserError) -> None:
        action = self.tr("Details") if error.detail else ""
        bar = NoticeBar(self._appearance, translated(error.sentence), error=True, action=action, parent=self)
        if bar.action_button is not None:
            bar.action_button.clicked.connect(lambda: self.details_wanted.emit(error))
        self._add(bar)

    def show_load_error(self, error: UserError) -> None:
        """It goes with `withdraw_load_errors`."""
        self._of_loads.add(translated(error.sentence))
        self.show_error(error)

    def withdraw_load_errors(self) -> None:
        """Another model is there."""
        for bar in [each for each in self.bars if each.sentence.text() in self._of_loads]:
            self.withdraw(bar)
        self._of_loads.clear()

    def show_notice(self, sentence: str) -> None:
        bar = NoticeBar(self._appearance, translated(sentence), parent=self)
        bar.dismiss_after(_NOTICE_MS)
        self._add(bar)

    def offer(self, sentence: str, action: str, do: Callable[[], object]) -> NoticeBar:
        """A notice with a button that does something once, such as undo; see `withdraw`."""
        bar = NoticeBar(self._appearance, sentence, action=action, parent=self)
        assert bar.action_button is not None
        bar.action_button.clicked.connect(bar.dismiss)
        bar.action_button.clicked.connect(do)
        bar.dismiss_after(_UNDO_MS)
        self._add(bar)
        return bar

    def offer_undo(self, sentence: str, undo: Callable[[], object]) -> None:
        """Something was taken away; `undo_last` does the same as the button."""
        self._undoing.append(self.offer(sentence, self.tr("Undo"), undo))
        self.undo_offered.emit(True)

    def undo_last(self) -> None:
        if self._undoing and (button := self._undoing[-1].action_button) is not None:
            button.click()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
            self._show_newest()
        return super().event(event)

    def _add(self, bar: NoticeBar) -> None:
        if any(old.sentence.text() == bar.sentence.text() and old.is_error for old in self.bars):
            self.withdraw(next(old for old in self.bars if old.sentence.text() == bar.sentence.text()))
        bar.dismissed.connect(self.withdraw)
        self.bars.append(bar)
        self._layout.addWidget(bar)
        while len(self.bars) > _MOST:
            self.withdraw(self.bars[0])
        self._show_newest()
        self.show()

    def withdraw(self, bar: QObject) -> None:
        """It can't be done any more; one that is gone already is no error."""
        if not isinstance(bar, NoticeBar) or bar not in self.bars:
            return
        self.bars.remove(bar)
        if bar in self._undoing:
            self._undoing.remove(bar)
            self.undo_offered.emit(bool(self._undoing))
        self.gone.emit(bar)
        self._layout.removeWidget(bar)
        discard(bar)
        self._show_newest()
        self.setVisible(bool(self.bars))

    def _show_newest(self) -> None:
        """In a low window one at a time: the others come when it is dismissed."""
        most = 1 if self.window().height() < scaled(_LOW) else _MOST
        for place, bar in enumerate(reversed(self.bars)):
            bar.setVisible(place < most)

    def _place(self) -> None:
        # In line with the composer.
        side = side_margin(self.width())
        self._layout.setContentsMargins(side, 0, side, 10)
