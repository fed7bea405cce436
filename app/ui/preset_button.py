"""Beside the composer: which preset the conversation uses."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.ui.theme import Look

_WIDEST = 180


class PresetButton(QToolButton):
    """Its text is the preset's name, or a general word."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._name = ""
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setProperty("tone", "small")
        self.setMaximumWidth(_WIDEST)
        self.show_name("")
        look.changed.connect(self._tint)

    @property
    def name(self) -> str:
        return self._name

    def show_name(self, name: str) -> None:
        """Empty for no preset."""
        self._name = name
        shown = name or self.tr("Preset")
        self.setText(self.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, _WIDEST - 48))
        self.setAccessibleName(self.tr("Preset: {name}").format(name=name) if name else self.tr("No preset"))
        told = self.tr("{name}: this conversation's system prompt and sampling").format(name=name)
        self.setToolTip(told if name else self.tr("Choose a preset: a system prompt, sampling and thinking"))
        self._tint()

    def _tint(self) -> None:
        self.setIcon(self._look.icon("chevron-up", "accent" if self._name else "muted"))
