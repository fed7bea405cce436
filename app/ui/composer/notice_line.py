"""One quiet sentence in the composer, perhaps with something to do about it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.ui.widgets.buttons import push_button
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.flow_row import FlowRow
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label

_MOST = 4
"""Actions."""
_MARGINS, _OUT_MARGINS = (2, 0, 0, 2), (10, 6, 10, 6)
"""Usually, and while it stands out."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done about what the line says."""

    text: str
    act: Callable[[], object]


class NoticeLine(QWidget):
    """Hidden while there is nothing to say. One action stands beside the sentence, several stand below it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._said: tuple[object, ...] = ("", (), "")
        self._actions: Sequence[Action] = ()
        self.sentence = plain_label("line", self, wraps=True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._beside = self._make_button(0)
        self._below = tuple(self._make_button(index) for index in range(_MOST))
        self._row = FlowRow(self._below, self)
        self.setObjectName("composerLine")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        vbox(hbox(grow(self.sentence), self._beside, gap=8), self._row, on=self, gap=2, margins=_MARGINS)
        self._row.hide()
        self.hide()

    @property
    def button(self) -> QPushButton:
        """The only one, or the first."""
        return self._below[0] if len(self._actions) > 1 else self._beside

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """All of them, whether they are shown or not."""
        return (self._beside, *self._below)

    def say(self, sentence: str, *, actions: Sequence[Action] = (), level: str = "") -> None:
        """An empty sentence hides the line; `level` may be "warning" or "danger"."""
        self._actions = actions
        said = (sentence, tuple(each.text for each in actions), level)
        if said == self._said:
            return
        self._said = said
        self._stand_out(False)
        self.sentence.setText(sentence)
        self.sentence.setAccessibleName(sentence)
        set_property(self.sentence, "level", level)
        self._name(self._beside, actions[0] if len(actions) == 1 else None)
        for index, button in enumerate(self._below):
            self._name(button, actions[index] if 1 < len(actions) > index else None)
        self._row.setVisible(len(actions) > 1)
        self._row.arrange()
        self.setVisible(bool(sentence))
        self._fit()

    def insist(self) -> None:
        """Somebody tried what the sentence says can't be done: it stands out until there is another."""
        self._stand_out(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _stand_out(self, out: bool) -> None:
        layout = self.layout()
        if layout is None or bool(self.property("insists")) == out:
            return
        set_property(self, "insists", out)
        layout.setContentsMargins(*(_OUT_MARGINS if out else _MARGINS))
        self._fit()

    def _make_button(self, index: int) -> QPushButton:
        button = push_button("", self, lambda: self._act(index), name=self.tr("Nothing to do"), tone="link")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.hide()
        return button

    def _act(self, index: int) -> None:
        if index < len(self._actions):
            self._actions[index].act()

    def _name(self, button: QPushButton, action: Action | None) -> None:
        button.setText(action.text if action is not None else "")
        button.setAccessibleName(action.text if action is not None else self.tr("Nothing to do"))
        button.setVisible(action is not None)

    def _fit(self) -> None:
        """As high as the sentence when it is wrapped: a layout beside a button does not always ask."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
        room = QRect(0, 0, max(1, self.sentence.width()), 10_000)
        wrapped = self.sentence.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap.value, self.sentence.text())
        self.sentence.setFixedHeight(wrapped.height())
