"""The small dialogs. All are shown by `open()`: nothing waits in a nested event loop."""

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app import __version__
from app.core.errors import UserError
from app.ui.commands.actions import Actions
from app.ui.formatting.sentences import translated
from app.ui.theme.fonts import scaled
from app.ui.theme.icons import app_icon
from app.ui.widgets.markdown_links import is_safe_link

_LONGEST_ADDRESS = 2000
_LEAST, _BELOW = 260, 60
"""Pixels: of the list of shortcuts, and what a screen keeps for itself."""


class SmallDialog(QDialog):
    """Labels one below the other, and a row of buttons."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(24, 22, 24, 18)
        self.body.setSpacing(10)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(8)
        self.buttons.addStretch(1)

    def finish_layout(self, *buttons: QPushButton) -> None:
        """Add the row of buttons; the last one is the default."""
        for button in buttons:
            button.setAutoDefault(False)
            button.setAccessibleName(button.text())
            self.buttons.addWidget(button)
        buttons[-1].setDefault(True)
        buttons[-1].setFocus()
        self.body.addSpacing(8)
        self.body.addLayout(self.buttons)

    def say(self, text: str, tone: str = "", *, width: int = 400) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setText(text)
        label.setMinimumWidth(width)
        if tone:
            label.setProperty("tone", tone)
        self.body.addWidget(label)
        return label

    def button(self, text: str) -> QPushButton:
        return QPushButton(text, self)


class AboutDialog(SmallDialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(self.tr("About Hearth"), parent)
        picture = QLabel(self)
        picture.setPixmap(app_icon().pixmap(QSize(64, 64), self.devicePixelRatioF()))
        self.body.addWidget(picture)
        self.say("Hearth", "title")
        self.say(self.tr("Version {version}").format(version=__version__), "muted")
        self.say(self.tr("Talk to language models that run on your own machine. Nothing you type leaves it."))
        self.say(
            self.tr(
                "Built on llama.cpp and Qt. "
                "The typefaces are Inter and JetBrains Mono, under the SIL Open Font License."
            ),
            "small",
        )
        close = self.button(self.tr("Close"))
        close.clicked.connect(self.accept)
        self.finish_layout(close)
        self.body.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)


class ShortcutsDialog(SmallDialog):
    """Every action that has a key, as the actions themselves say it."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(self.tr("Keyboard shortcuts"), parent)
        rows = [
            (self.tr("Send the message"), self.tr("Enter")),
            (self.tr("New line in the message"), self.tr("Shift+Enter")),
            *actions.keys(),
        ]
        inside = QWidget(self)
        inside.setObjectName("settings")
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 14, 0)
        grid.setHorizontalSpacing(40)
        grid.setVerticalSpacing(7)
        grid.setColumnStretch(0, 1)
        for row, (what, keys) in enumerate(rows):
            name, key = QLabel(what, inside), QLabel(keys, inside)
            for label in (name, key):
                label.setTextFormat(Qt.TextFormat.PlainText)
            key.setProperty("tone", "key")
            grid.addWidget(name, row, 0)
            grid.addWidget(key, row, 1, Qt.AlignmentFlag.AlignRight)
        area = QScrollArea(self)
        area.setObjectName("keys")
        area.setAccessibleName(self.tr("Keyboard shortcuts"))
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        self.body.addWidget(area, 1)
        close = self.button(self.tr("Close"))
        close.clicked.connect(self.accept)
        self.finish_layout(close)
        self._fit(area, inside)

    def _fit(self, area: QScrollArea, inside: QWidget) -> None:
        """As wide as the rows, and as high where the screen lets it."""
        for label in inside.findChildren(QLabel):
            # Their sizes are known only when they have their style.
            label.ensurePolished()
        wanted, room = inside.sizeHint(), self.screen().availableGeometry().height() - _BELOW
        area.setMinimumWidth(wanted.width() + area.verticalScrollBar().sizeHint().width() + 2)
        area.setMinimumHeight(min(wanted.height(), scaled(_LEAST), room))
        area.setMaximumHeight(wanted.height())
        self.adjustSize()
        self.resize(self.width(), min(self.height() - area.height() + wanted.height(), room))


class LinkDialog(SmallDialog):
    """Shows where a link leads before anything is opened. `address` must be one that `is_safe_link` passes."""

    def __init__(self, address: str, parent: QWidget) -> None:
        super().__init__(self.tr("Open a link"), parent)
        if not is_safe_link(address):
            raise ValueError("not a link that may be opened")
        self._address = address
        self.say(self.tr("Open this address in your browser?"), "title", width=440)
        shown = address if len(address) <= _LONGEST_ADDRESS else address[:_LONGEST_ADDRESS] + "…"
        where = QPlainTextEdit(shown, self)
        where.setObjectName("details")
        where.setReadOnly(True)
        where.setFixedHeight(84)
        where.setAccessibleName(self.tr("Address"))
        self.body.addWidget(where)
        copy = self.button(self.tr("Copy address"))
        copy.clicked.connect(self._copy)
        cancel = self.button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.open_button = self.button(self.tr("Open"))
        self.open_button.clicked.connect(self._open)
        self.finish_layout(copy, cancel, self.open_button)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._address)
        self.reject()

    def _open(self) -> None:
        QDesktopServices.openUrl(QUrl(self._address))
        self.accept()


class DetailsDialog(SmallDialog):
    """The technical text behind an error's sentence, to read and to copy."""

    def __init__(self, error: UserError, parent: QWidget) -> None:
        super().__init__(self.tr("Details"), parent)
        self.setModal(False)
        sentence = translated(error.sentence)
        self.say(sentence, width=520)
        text = QPlainTextEdit(error.detail, self)
        text.setObjectName("details")
        text.setReadOnly(True)
        text.setMinimumHeight(220)
        text.setAccessibleName(self.tr("Details"))
        self.body.addWidget(text, 1)
        copy = self.button(self.tr("Copy"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(f"{sentence}\n\n{error.detail}"))
        close = self.button(self.tr("Close"))
        close.clicked.connect(self.accept)
        self.finish_layout(copy, close)
