"""The small row under a message: what can be done with it, and its versions."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.core.messages import Role
from app.storage.conversations import MessageState, StoredMessage
from app.ui.formatting.dates import full_moment, short_moment
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.transcript.message_actions import (
    AnswerQuestion,
    AnswerSideBySide,
    Branch,
    ContinueAnswer,
    Delete,
    MessageAction,
    Regenerate,
    RegenerateWith,
    ShowServer,
    SwitchVersion,
    TellLikelihood,
)
from app.ui.transcript.version_pager import VersionPager
from app.ui.widgets.buttons import CopyButton, IconButton, pop_up, push_button
from app.ui.widgets.layouts import hbox
from app.ui.widgets.menus import add_action, passing_menu
from app.ui.widgets.plain_text import plain_label

_HIGH, _TEXT_HIGH = 28, 22
"""Pixels; the row lies in the room between messages, which is there anyway."""
_SPACE, _N_BUTTONS = 2, 3
"""Between the buttons, and how many a question has."""


class MessageToolbar(QWidget):
    """Seen while somebody is near, and always under the last answer. What people look for by itself, such as another
    version, is always seen.

    What most questions never need is made when it is needed: a conversation has hundreds of these rows.
    """

    wished = Signal(object)
    """MessageAction"""
    edit_clicked = Signal()
    awake_changed = Signal()
    """With the time the row is wider."""

    def __init__(
        self, appearance: Appearance, stored: StoredMessage, source: Callable[[], str], parent: QWidget
    ) -> None:
        """`source` is what is copied."""
        super().__init__(parent)
        self._appearance = appearance
        self._stored = stored
        self._source = source
        self._is_last = False
        self._is_near = False
        self._was_awake = False
        self._of_answer = stored.message.role is not Role.USER
        self._buttons: tuple[IconButton, ...] = ()
        self._pager: VersionPager | None = None
        self._links: dict[type, QPushButton] = {}
        """What can be done with an answer that ended early, by the wish; made when it is needed."""
        self._details: IconButton | None = None
        self.time = plain_label("small", self)
        self._row = hbox(on=self, gap=_SPACE)
        self.setFixedHeight(max(_HIGH, scaled(_TEXT_HIGH)))
        if self._of_answer:
            self._make_buttons()
            self._row.addSpacing(6)
            self._row.addWidget(self.time)
            self._row.addStretch(1)
        else:
            # The buttons stand at the bubble, and come after the time.
            self.time.setContentsMargins(0, 0, 6, 0)
            self._row.insertWidget(0, self.time)
        self.show_message(stored)

    @property
    def pager(self) -> VersionPager:
        if self._pager is None:
            self._pager = VersionPager(self._appearance, self)
            self._pager.walked.connect(lambda step: self.wished.emit(SwitchVersion(self._stored.id, step)))
            # First under an answer: what comes and goes would leave a gap before it.
            self._row.insertWidget(0 if self._of_answer else self._row.count(), self._pager)
        return self._pager

    @property
    def more_button(self) -> IconButton:
        self._make_buttons()
        return self._buttons[-1]

    @property
    def edit_button(self) -> IconButton:
        self._make_buttons()
        return self._buttons[-2]

    @property
    def is_awake(self) -> bool:
        """Whether the buttons are seen."""
        shown = self._is_near or (self._of_answer and self._is_last) or self._has_focus()
        return bool(self._buttons) and shown

    def add_details(self, button: IconButton) -> None:
        """Put `button` after the others."""
        self._details = button
        button.setFixedSize(self.height(), self.height())
        button.installEventFilter(self)
        self._row.insertWidget(self._row.indexOf(self._buttons[-1]) + 1, button)
        self._hush()

    def least_width(self) -> int:
        """Pixels of the row without its time, whether or not anything of it is made yet."""
        paged = 0 if self._pager is None or self._pager.isHidden() else self._pager.sizeHint().width() + _SPACE
        return _N_BUTTONS * (self.height() + _SPACE) + paged

    def show_time(self, shown: bool) -> None:
        """Whether there is room for the time."""
        self.time.setVisible(shown)

    def show_message(self, stored: StoredMessage) -> None:
        self._stored = stored
        if self._buttons:
            self._buttons[0].setVisible(bool(stored.message.text))
        if self._pager is not None or stored.n_versions > 1:
            written_by = str((stored.figures or {}).get("model") or "")
            self.pager.show_version(stored.version, stored.n_versions, written_by)
        self._offer(ContinueAnswer(), self._go_on_words() if self._can_go_on and _was_cut(stored) else "")
        failed = self._of_answer and self._is_last and stored.state is MessageState.FAILED
        self._offer(Regenerate(stored.id), self.tr("Try again") if failed else "")
        server = str((stored.figures or {}).get("server") or "") if failed else ""
        self._offer(ShowServer(server), self.tr("The server…") if server else "")
        self.time.setToolTip(full_moment(stored.created_at))
        self.time.setAccessibleName(self.time.toolTip())
        self._hush()

    def set_last(self, is_last: bool) -> None:
        """Whether it is the last message; that answer can go on."""
        if is_last != self._is_last:
            self._is_last = is_last
            self.show_message(self._stored)

    def set_near(self, near: bool) -> None:
        """Whether the mouse or the keyboard is at the message."""
        self._is_near = near
        if near:
            self._make_buttons()
        self._hush()

    def menu(self) -> QMenu:
        """What does not fit into the row. It deletes itself when it closes."""
        menu = passing_menu(self)
        if self._can_go_on:
            self._add(menu, "arrow-down", self.tr("Continue"), ContinueAnswer())
        if self._is_last and not self._of_answer:
            self._add(menu, "refresh", self.tr("Answer"), AnswerQuestion())
        if self._of_answer:
            told = self.tr("Two answers side by side")
            self._add(menu, "columns", told, AnswerSideBySide(self._stored.id))
        if self._of_answer and self._stored.message.text:
            told = self.tr("How surprising was this?")
            self._add(menu, "info", told, TellLikelihood(self._stored.id))
        self._add(menu, "branch", self.tr("Branch from here"), Branch(self._stored.id))
        self._add(menu, "trash", self.tr("Delete"), Delete(self._stored.id), role="danger")
        return menu

    def take_focus(self, *, forth: bool) -> None:
        if self._pager is None or not self._pager.take_focus(forth=forth):
            self.more_button.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._hush()
        return super().eventFilter(watched, event)

    @property
    def _can_go_on(self) -> bool:
        message = self._stored.message
        return self._of_answer and self._is_last and bool(message.text or message.tool_calls)

    def _make_buttons(self) -> None:
        if self._buttons:
            return
        appearance, answer = self._appearance, self._of_answer
        copies = self.tr("Copy answer") if answer else self.tr("Copy question")
        edits = self.tr("Edit answer") if answer else self.tr("Edit question")
        copy = CopyButton(appearance, copies, self._source, parent=self)
        again = self._make_again() if answer else ()
        edit = IconButton(appearance, "edit", edits, self.edit_clicked, parent=self)
        more = IconButton(appearance, "more", self.tr("More"), parent=self)
        more.clicked.connect(lambda: pop_up(self.menu(), more, align_right=not answer))
        self._buttons = (copy, *again, edit, more)
        for place, button in enumerate(self._buttons):
            button.setFixedSize(self.height(), self.height())
            self._row.insertWidget(place + (not answer), button)
            button.installEventFilter(self)
            if not answer:
                button.show()
        copy.setVisible(bool(self._stored.message.text))
        self._hush()
        self.updateGeometry()

    def _make_again(self) -> tuple[IconButton, IconButton]:
        again = IconButton(self._appearance, "refresh", self.tr("Answer again"), parent=self)
        again.clicked.connect(lambda: self.wished.emit(Regenerate(self._stored.id)))
        other = IconButton(self._appearance, "swap", self.tr("Answer again with another model"), parent=self)
        other.clicked.connect(lambda: self.wished.emit(RegenerateWith(self._stored.id, other)))
        return again, other

    def _go_on_words(self) -> str:
        repeated = (self._stored.figures or {}).get("reason") == "repetition"
        return self.tr("Go on anyway") if repeated else self.tr("Continue")

    def _offer(self, wish: MessageAction, text: str) -> None:
        """A link that wishes that; none without a text."""
        kind = type(wish)
        if text and kind not in self._links:
            self._links[kind] = self._make_link(wish)
        if (link := self._links.get(kind)) is not None:
            link.setText(text)
            link.setAccessibleName(text if kind is not ContinueAnswer else self.tr("Continue the answer"))
            link.setVisible(bool(text))

    def _make_link(self, wish: MessageAction) -> QPushButton:
        button = push_button("", self, lambda: self.wished.emit(wish), tone="link")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        place = len(self._seen()) + (self._pager is not None) + len(self._links)
        self._row.insertWidget(place, button)
        return button

    def _add(self, menu: QMenu, icon: str, name: str, wish: MessageAction, *, role: str = "muted") -> None:
        add_action(menu, name, lambda: self.wished.emit(wish), self._appearance.icon(icon, role))

    def _seen(self) -> tuple[IconButton, ...]:
        """Those that are seen while the row is awake."""
        return self._buttons if self._details is None else (*self._buttons, self._details)

    def _has_focus(self) -> bool:
        return any(each.hasFocus() for each in self._seen())

    def _hush(self) -> None:
        awake = self.is_awake
        for each in self._seen():
            each.hush(not awake)
        # Anew each time: what was today is yesterday's by and by.
        self.time.setText(short_moment(self._stored.created_at) if awake else "")
        if awake is not self._was_awake:
            self._was_awake = awake
            self.awake_changed.emit()


def _was_cut(stored: StoredMessage) -> bool:
    """Whether the answer ends before its model had ended it."""
    if stored.state is not MessageState.COMPLETE:
        return True
    return (stored.figures or {}).get("reason") in ("length", "repetition")
