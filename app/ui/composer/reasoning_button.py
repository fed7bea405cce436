"""Beside the composer: how long the model is to reason, where its template lets that be chosen."""

from PySide6.QtCore import QCoreApplication, QPoint, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.core.reasoning import Effort, Efforts
from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import icon_size


class ReasoningButton(QToolButton):
    """Hidden for a model that has nothing to choose."""

    chosen = Signal(object)
    """Effort, or None for what the preset and the model have"""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._efforts: Efforts = {}
        self._own: Effort | None = None
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setProperty("tone", "small")
        self.setToolTip(self.tr("How long the model reasons before it answers, in this conversation"))
        self.clicked.connect(self.open_menu)
        self.show_efforts({}, None, None)
        appearance.changed.connect(self._tint)

    def show_efforts(self, efforts: Efforts, own: Effort | None, in_force: Effort | None) -> None:
        """`own` is what was chosen for the conversation, `in_force` what holds, perhaps by its preset; None for what
        the model does by itself."""
        self._efforts, self._own = efforts, own
        self.setText(effort_title(in_force) if in_force is not None else self.tr("Reasoning"))
        self.setAccessibleName(effort_title(in_force))
        self.setVisible(bool(efforts))
        self._tint()

    def open_menu(self) -> QMenu:
        """It deletes itself when it closes."""
        menu = QMenu(self)
        menu.setAccessibleName(self.tr("Reasoning"))
        menu.aboutToHide.connect(menu.deleteLater)
        group = QActionGroup(menu)
        for effort in (None, *self._efforts):
            name = self.tr("Default") if effort is None else effort_name(effort)
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(effort is self._own)
            group.addAction(action)
            action.triggered.connect(lambda _=False, wanted=effort: self.chosen.emit(wanted))
        size, window = menu.sizeHint(), self.window().frameGeometry()
        corner = self.mapToGlobal(QPoint(0, -size.height() - 4))
        menu.popup(QPoint(max(window.left(), min(corner.x(), window.right() - size.width())), corner.y()))
        menu.setActiveAction(group.checkedAction())
        return menu

    def _tint(self) -> None:
        self.setIconSize(icon_size(16))
        self.setIcon(self._appearance.icon("chevron-up", "accent" if self._own is not None else "muted"))


def effort_name(effort: Effort) -> str:
    return {
        Effort.OFF: _tr("Off"),
        Effort.ON: _tr("On"),
        Effort.LOW: _tr("Low"),
        Effort.MEDIUM: _tr("Medium"),
        Effort.HIGH: _tr("High"),
    }[effort]


def effort_title(effort: Effort | None) -> str:
    return {
        None: _tr("Reasoning: as the model does"),
        Effort.OFF: _tr("Reasoning: off"),
        Effort.ON: _tr("Reasoning: on"),
        Effort.LOW: _tr("Reasoning: low"),
        Effort.MEDIUM: _tr("Reasoning: medium"),
        Effort.HIGH: _tr("Reasoning: high"),
    }[effort]


def _tr(text: str) -> str:
    return QCoreApplication.translate("reasoning", text)
