"""Beside the composer: which preset the conversation uses."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import half_scaled, scaled
from app.ui.theme.icons import icon_size
from app.ui.widgets.plain_text import plain_tip

_WIDEST = 180


class PresetButton(QToolButton):
    """Its text is the preset's name, or a general word."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.name = ""
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setProperty("tone", "small")
        self.show_name("")
        appearance.changed.connect(self._tint)

    def show_name(self, name: str) -> None:
        """Empty for no preset."""
        self.name = name
        self._fit()
        self.setAccessibleName(self.tr("Preset: {name}").format(name=name) if name else self.tr("No preset"))
        told = self.tr("{name}: this conversation's system prompt and sampling").format(name=name)
        self.setToolTip(
            plain_tip(told) if name else self.tr("Choose a preset: a system prompt, sampling and reasoning")
        )
        self._tint()

    def _fit(self) -> None:
        widest = scaled(_WIDEST)
        self.setMaximumWidth(widest)
        shown = self.name or self.tr("Preset")
        self.setText(self.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, widest - half_scaled(48)))

    def _tint(self) -> None:
        self._fit()
        self.setIconSize(icon_size(16))
        self.setIcon(self._appearance.icon("chevron-up", "accent" if self.name else "muted"))
