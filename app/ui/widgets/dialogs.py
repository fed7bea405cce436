"""What dialogs have in common. All are shown by `open()`: nothing waits in a nested event loop."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QPushButton, QToolButton, QWidget

from app.ui.widgets.layouts import FILL, hbox, vbox
from app.ui.widgets.plain_text import plain_label


class Dialog(QDialog):
    """Has its title for screen readers, too, and deletes itself when it closes."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the button that has the keyboard; Qt would press the default one all the same."""
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focused, QPushButton | QToolButton):
            focused.click()
        else:
            super().keyPressEvent(event)


class SmallDialog(Dialog):
    """Labels one below the other, and a row of buttons."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.body = vbox(on=self, gap=10, margins=(24, 22, 24, 18))
        self.buttons = hbox(FILL, gap=8)

    def finish_layout(self, *buttons: QPushButton, before: Iterable[QWidget] = ()) -> None:
        """Add the row of buttons, at its end `buttons`, the last of which is the default."""
        for place, button in enumerate(before):
            self.buttons.insertWidget(place, button)
        for button in buttons:
            self.buttons.addWidget(button)
        buttons[-1].setDefault(True)
        buttons[-1].setFocus()
        self.body.addSpacing(8)
        self.body.addLayout(self.buttons)

    def say(self, text: str, tone: str = "", *, width: int = 400) -> QLabel:
        label = plain_label(tone, self, text, wraps=True)
        label.setMinimumWidth(width)
        self.body.addWidget(label)
        return label

    def show_text(self, text: str, name: str) -> QPlainTextEdit:
        """To read and to copy, in the body; `name` is for screen readers."""
        shown = QPlainTextEdit(text, self)
        shown.setObjectName("details")
        shown.setReadOnly(True)
        shown.setTabChangesFocus(True)
        shown.setAccessibleName(name)
        self.body.addWidget(shown, 1)
        return shown
