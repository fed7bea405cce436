"""The small dialogs. All are shown by `open()`: nothing waits in a nested event loop."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QLayout, QScrollArea, QWidget

from app import __version__
from app.core.errors import UserError
from app.ui.commands.actions import Actions
from app.ui.formatting.sentences import translated
from app.ui.theme.fonts import scaled
from app.ui.theme.icons import app_icon
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialogs import SmallDialog
from app.ui.widgets.layouts import grid, scroll
from app.ui.widgets.plain_text import plain_label

_LEAST, _BELOW = 260, 60
"""Pixels: of the list of shortcuts, and what a screen keeps for itself."""


class AboutDialog(SmallDialog):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(self.tr("About Hearth"), parent)
        picture = QLabel(self)
        picture.setPixmap(app_icon().pixmap(QSize(64, 64), self.devicePixelRatioF()))
        self.body.addWidget(picture)
        self.say("Hearth", "title")
        self.say(self.tr("Version {version}").format(version=__version__), "muted")
        self.say(
            self.tr(
                "Talk to language models that run on your own machine. Nothing you type leaves it, unless you choose a "
                "model of another one."
            )
        )
        self.say(
            self.tr(
                "Built on llama.cpp and Qt. "
                "The typefaces are Inter and JetBrains Mono, under the SIL Open Font License."
            ),
            "small",
        )
        self.finish_layout(push_button(self.tr("Close"), self, self.accept))
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
        lines = grid(inside, gaps=(40, 7), margins=(0, 0, 14, 0))
        lines.setColumnStretch(0, 1)
        for row, (what, keys) in enumerate(rows):
            lines.addWidget(plain_label("", inside, what), row, 0)
            lines.addWidget(plain_label("key", inside, keys), row, 1, Qt.AlignmentFlag.AlignRight)
        area = QScrollArea(self)
        area.setObjectName("keys")
        area.setAccessibleName(self.tr("Keyboard shortcuts"))
        scroll(area, inside)
        self.body.addWidget(area, 1)
        self.finish_layout(push_button(self.tr("Close"), self, self.accept))
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


class DetailsDialog(SmallDialog):
    """The technical text behind an error's sentence, to read and to copy."""

    def __init__(self, error: UserError, parent: QWidget) -> None:
        super().__init__(self.tr("Details"), parent)
        self.setModal(False)
        sentence = translated(error.sentence)
        self.say(sentence, width=520)
        self.show_text(error.detail, self.tr("Details")).setMinimumHeight(220)
        copied = f"{sentence}\n\n{error.detail}"
        copy = push_button(self.tr("Copy"), self, lambda: QGuiApplication.clipboard().setText(copied))
        self.finish_layout(copy, push_button(self.tr("Close"), self, self.accept))
