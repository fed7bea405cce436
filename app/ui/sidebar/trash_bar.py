"""What stands above the trash: how long things stay there, the way back, and the way to empty it."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QMessageBox, QWidget

from app.services.conversations.states import DAYS_IN_TRASH
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import IconButton, push_button
from app.ui.widgets.layouts import FILL, hbox, vbox
from app.ui.widgets.plain_text import plain_label


class TrashBar(QFrame):
    """Whoever owns it connects its buttons."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        self.back = IconButton(
            appearance,
            "chevron-right" if mirrored else "chevron-left",
            self.tr("Back to the conversations"),
            parent=self,
        )
        title = QLabel(self.tr("Trash"), self)
        title.setProperty("tone", "title")
        self.empty = push_button(
            self.tr("Empty…"), self, name=self.tr("Empty the trash…"),
            tip=self.tr("Delete everything in the trash for good"), tone="link",
        )  # fmt: skip
        days = self.tr("After %n days here, chats are deleted for good.", None, DAYS_IN_TRASH)
        note = plain_label("small", self, days, wraps=True)
        # Below it the list, or that there is none, begins so far from the edge.
        note.setContentsMargins(4, 0, 4, 0)
        vbox(hbox(self.back, title, FILL, self.empty, gap=4), note, on=self)


def ask_to_destroy(parent: QWidget, question: str, destroy: Callable[[], object]) -> QMessageBox:
    """Ask before something goes for good; Enter and Esc leave it as it is."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle(box.tr("Delete for good"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question)
    box.setInformativeText(box.tr("This cannot be undone."))
    button = box.addButton(box.tr("Delete for good"), QMessageBox.ButtonRole.DestructiveRole)
    keep = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    button.clicked.connect(destroy)
    box.open()
    return box
