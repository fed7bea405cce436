"""The licences of all that Hearth is made of: a list to search in, and the texts."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QListWidgetItem, QWidget

from app.core.licences import Component, components
from app.ui.commands.dialogs import AboutDialog
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialogs import SmallDialog
from app.ui.widgets.layouts import grow, hbox, vbox
from app.ui.widgets.links import LinkDialog
from app.ui.widgets.markdown_links import is_safe_link
from app.ui.widgets.plain_list import plain_list
from app.ui.widgets.plain_text import plain_label
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
        self.list = plain_list(self.tr("Parts"), self, self.tr("The parts that Hearth is made of"))
        self.list.setMinimumWidth(scaled(_LIST_WIDTH))
        self.head = plain_label("", self, wraps=True)
        self.text = self.show_text("", self.tr("Text of the licence"))
        self.text.setToolTip(self.tr("Text of the licence"))
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.page = push_button(
            self.tr("Web page…"), self, self._open_page, tip=self.tr("Open the web page of this part")
        )
        left, right = vbox(self.search, self.list, gap=8), vbox(self.head, grow(self.text), gap=8)
        self.body.addLayout(hbox(left, grow(right), gap=14), 1)
        self.finish_layout(self.page, push_button(self.tr("Close"), self, self.accept))
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
        tip = self.tr("The licences of all that Hearth is made of")
        self.licences = push_button(self.tr("Licences"), self, lambda: LicencesDialog(self).open(), tip=tip)
        # Before the one that closes it, which stays the default.
        self.buttons.insertWidget(self.buttons.count() - 1, self.licences)
