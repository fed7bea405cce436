"""The figures of an answer: a short line, and all of them on a click or on Enter."""

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.figures import DOT
from app.ui.plain_label import plain_label
from app.ui.plain_tip import plain_tip


class FiguresButton(QToolButton):
    """Hidden where nothing is known."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._details = ""
        self._sheet: FiguresSheet | None = None
        self.setProperty("tone", "small")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.open)

    def show_figures(self, line: str, details: str) -> None:
        self._details = details
        shown = line or (self.tr("Figures") if details else "")
        self.setText(shown)
        self.setVisible(bool(shown))
        self.setToolTip(plain_tip(details))
        self.setAccessibleName(self.tr("Figures of the answer: {line}").format(line=shown))
        self.setAccessibleDescription(details)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    @property
    def shown_text(self) -> str:
        """What of the text there is room for, from its beginning: whole parts, as half a number says nothing."""
        lacks = self.sizeHint().width() - self.width()
        if lacks <= 0:
            # Widths are whole pixels and letters are not: half of all texts would lack a fraction.
            return self.text()
        letters = self.fontMetrics()
        room = letters.horizontalAdvance(self.text()) - lacks
        shown = self.text()
        while letters.horizontalAdvance(shown) > room and DOT in shown:
            shown = shown.rpartition(DOT)[0]
        return letters.elidedText(shown, Qt.TextElideMode.ElideRight, max(0, room))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt would leave out the middle, which of two numbers shows halves of both."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text = self.shown_text
        QStylePainter(self).drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)

    @property
    def sheet(self) -> "FiguresSheet | None":
        """The one that was opened last."""
        return self._sheet

    def open(self) -> None:
        """Show all of them; Escape closes."""
        self._sheet = FiguresSheet(self._details, self.window())
        self._sheet.show_above(self)


class FiguresSheet(QWidget):
    """All figures of one answer, to read and to copy. It deletes itself when it closes."""

    def __init__(self, details: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("sheet")
        self.setAccessibleName(self.tr("Figures of the answer"))
        self.text: QLabel = plain_label("", self, wraps=True)
        self.text.setText(details)
        self.text.setFixedWidth(360)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        copy = QPushButton(self.tr("Copy figures"), self)
        copy.setProperty("tone", "link")
        copy.setAccessibleName(copy.text())
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(details))
        copy.clicked.connect(self.close)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 12, 8)
        column.addWidget(self.text)
        column.addLayout(row)
        copy.setFocus()

    def show_above(self, widget: QWidget) -> None:
        self.adjustSize()
        self.move(widget.mapToGlobal(QPoint(0, -self.height() - 4)))
        self.show()
