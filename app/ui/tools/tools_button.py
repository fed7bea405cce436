"""Beside the composer: which tools the conversation uses."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from app.ui.theme.appearance import Appearance
from app.ui.theme.icons import icon_size
from app.ui.widgets.buttons import push_button
from app.ui.widgets.discard import discard
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label, plain_tip
from app.ui.widgets.popover import Popover
from app.ui.widgets.setting_editors import SwitchEdit

_WIDTH = 320


@dataclass(frozen=True, slots=True)
class Source:
    """A server, or what is built in."""

    name: str
    title: str
    told: str
    """How many tools it has, and what they cost."""
    again: str
    """What switching it on now would cost; may be empty."""
    on: bool


class ToolsButton(QToolButton):
    """Hidden where there are no tools at all."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._active = False
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setProperty("tone", "small")
        appearance.changed.connect(self._tint)
        self.show_tools(None)

    def show_tools(self, count: int | None, refusal: str = "") -> None:
        """How many tools the model is told of; None for no tools at all. `refusal`: why it is told of none."""
        self.setVisible(count is not None)
        self._active = bool(count) and not refusal
        self.setText(self.tr("No tools") if refusal else self.tr("%n tool(s)", "", count or 0))
        self.setAccessibleName(self.text())
        self.setAccessibleDescription(refusal)
        self.setToolTip(plain_tip(refusal or self.tr("What the model may ask for in this conversation")))
        self._tint()

    def _tint(self) -> None:
        self.setIconSize(icon_size(16))
        self.setIcon(self._appearance.icon("tool", "accent" if self._active else "muted"))


class ToolsPopover(Popover):
    """Switches for the conversation. Closes by Esc and by a click elsewhere."""

    switched = Signal(str, bool)
    """The source's name"""
    settings_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Tools"))
        self.switches: dict[str, SwitchEdit] = {}
        self._rows: dict[str, tuple[QWidget, QLabel, QLabel]] = {}
        self._anchor: QWidget | None = None
        self._told = plain_label("small", self, wraps=True)
        self.settings_button = push_button(self.tr("Servers…"), self, self._open_settings, tone="flat")
        self._list = vbox(gap=8)
        vbox(self._list, self._told, self.settings_button, on=self, gap=10, margins=(14, 12, 14, 8))
        self.setFixedWidth(_WIDTH)

    def open_above(self, anchor: QWidget, sources: Sequence[Source], told: str) -> None:
        """`told` is what stands below the switches."""
        self._anchor = anchor
        self.show_sources(sources, told)
        self.show()
        self._fit()
        if self.switches:
            next(iter(self.switches.values())).setFocus(Qt.FocusReason.PopupFocusReason)

    def show_sources(self, sources: Sequence[Source], told: str) -> None:
        if list(self.switches) != [each.name for each in sources]:
            discard(*(row for row, *_ in self._rows.values()))
            self.switches, self._rows = {}, {}
            for each in sources:
                self._add(each)
        for each in sources:
            _, cost, again = self._rows[each.name]
            cost.setText(each.told)
            again.setText(each.again)
            again.setVisible(bool(each.again))
            name = ", ".join(filter(None, (each.title, each.told, each.again)))
            self.switches[each.name].setAccessibleName(name)
            self.switches[each.name].setChecked(each.on)
        self._told.setText(told)
        self._told.setVisible(bool(told))
        self._fit()

    def _fit(self) -> None:
        """What is said may be longer now."""
        if self._anchor is not None:
            self.adjustSize()
            self.put_at(self._anchor, ends=False)

    def _add(self, source: Source) -> None:
        row = QWidget(self)
        switch, told = SwitchEdit(row), plain_label("small", row)
        again = plain_label("small", row, wraps=True)
        switch.clicked.connect(lambda on: self.switched.emit(source.name, on))
        hbox(grow(vbox(plain_label("", row, source.title, wraps=True), told, again, gap=0)), switch, on=row, gap=12)
        self._list.addWidget(row)
        row.show()
        self.switches[source.name], self._rows[source.name] = switch, (row, told, again)

    def _open_settings(self) -> None:
        self.close()
        self.settings_clicked.emit()
