"""The licences of all that Hearth is made of: a list to search in, and the texts."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.core.licences import Component, components
from app.ui.commands.dialogs import AboutDialog, LinkDialog, SmallDialog
from app.ui.theme.fonts import scaled
from app.ui.widgets.markdown_links import is_safe_link
from app.ui.widgets.search_field import SearchField

_WIDTH, _HEIGHT, _LIST_WIDTH = 1000, 620, 240
"""Pixels at the usual size of text."""
_COMPONENT = Qt.ItemDataRole.UserRole
_RULE = "\n\n" + "─" * 60 + "\n\n"


class LicencesDialog(SmallDialog):
    """`found` is what there is; by default it is gathered when the dialog is on screen."""

    def __init__(self, parent: QWidget, found: Iterable[Component] | None = None) -> None:
        super().__init__(self.tr("Licences"), parent)
        self.say(
            self.tr("Hearth is under the MIT licence. It is made with these parts, under terms of their own."),
            width=500,
        )
        self.search = SearchField(self.tr("Search by name or licence"), self)
        self.list = QListWidget(self)
        self.list.setObjectName("pages")
        self.list.setAccessibleName(self.tr("Parts"))
        self.list.setToolTip(self.tr("The parts that Hearth is made of"))
        self.list.setMinimumWidth(scaled(_LIST_WIDTH))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.head = QLabel(self)
        self.head.setTextFormat(Qt.TextFormat.PlainText)
        self.head.setWordWrap(True)
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("details")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(self.tr("Text of the licence"))
        self.text.setToolTip(self.tr("Text of the licence"))
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.page = self.button(self.tr("Web page…"))
        self.page.setToolTip(self.tr("Open the web page of this part"))
        self.page.clicked.connect(self._open_page)
        close = self.button(self.tr("Close"))
        close.clicked.connect(self.accept)
        self._lay_out()
        self.finish_layout(self.page, close)
        room = self.screen().availableGeometry().size()
        self.resize(min(scaled(_WIDTH), room.width()), min(scaled(_HEIGHT), room.height()))
        self.search.textChanged.connect(self._filter)
        self.search.left_downwards.connect(self.list.setFocus)
        self.list.currentItemChanged.connect(self._show_current)
        self.search.setFocus()
        if found is None:
            # In a source tree this takes some tenths of a second.
            QTimer.singleShot(0, self, self._gather)
        else:
            self._fill(found)

    def _lay_out(self) -> None:
        left, right = QVBoxLayout(), QVBoxLayout()
        left.setSpacing(8)
        right.setSpacing(8)
        for widget in (self.search, self.list):
            left.addWidget(widget)
        right.addWidget(self.head)
        right.addWidget(self.text, 1)
        row = QHBoxLayout()
        row.setSpacing(14)
        row.addLayout(left)
        row.addLayout(right, 1)
        self.body.addLayout(row, 1)

    def _gather(self) -> None:
        self._fill(components())

    def _fill(self, found: Iterable[Component]) -> None:
        for each in found:
            item = QListWidgetItem(each.name, self.list)
            item.setData(_COMPONENT, each)
            item.setToolTip(each.licence or each.name)
        self._filter(self.search.text())

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _filter(self, wanted: str) -> None:
        words = wanted.casefold().split()
        for item in self._items():
            each: Component = item.data(_COMPONENT)
            said = f"{each.name} {each.licence}".casefold()
            item.setHidden(not all(word in said for word in words))
        shown = [item for item in self._items() if not item.isHidden()]
        if not shown:
            self.list.setCurrentRow(-1)
        elif self.list.currentRow() < 0 or self.list.currentItem().isHidden():
            self.list.setCurrentItem(shown[0])

    def _show_current(self) -> None:
        if self.list.currentRow() < 0:
            self.head.setText(self.tr("No part has such a name or licence.") if self.list.count() else "")
            self.text.clear()
            self.page.setEnabled(False)
            return
        each: Component = self.list.currentItem().data(_COMPONENT)
        told = f"{each.name} {each.version}".strip()
        self.head.setText(f"{told} · {each.licence}" if each.licence else told)
        self.text.setPlainText(self._text_of(each))
        self.page.setEnabled(is_safe_link(each.home))

    def _text_of(self, each: Component) -> str:
        parts = []
        for text in each.texts:
            try:
                read = text.read().strip("\n\f")
            except OSError:
                read = self.tr("This text can't be read.")
            parts.append(f"{text.title}\n\n{read}" if len(each.texts) > 1 else read)
        if parts:
            return _RULE.join(parts)
        return self.tr("This part did not bring the text of its licence along; its web page has it.")

    def _open_page(self) -> None:
        each: Component = self.list.currentItem().data(_COMPONENT)
        LinkDialog(each.home, self).open()


class AboutWithLicences(AboutDialog):
    """The dialog about the program, with a way to the licences."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.licences = self.button(self.tr("Licences"))
        self.licences.setAutoDefault(False)
        self.licences.setAccessibleName(self.licences.text())
        self.licences.setToolTip(self.tr("The licences of all that Hearth is made of"))
        self.licences.clicked.connect(self._open_licences)
        # Before the one that closes it, which stays the default.
        self.buttons.insertWidget(self.buttons.count() - 1, self.licences)

    def _open_licences(self) -> None:
        LicencesDialog(self).open()
