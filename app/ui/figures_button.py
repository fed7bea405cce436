"""The figures of an answer: a short line, and all of them on a click or on Enter."""

from html import escape

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

from app.ui.plain_label import plain_label


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
        self.setToolTip(f"<p>{escape(details).replace(chr(10), '<br>')}</p>" if details else "")
        self.setAccessibleName(self.tr("Figures of the answer: {line}").format(line=shown))
        self.setAccessibleDescription(details)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt would leave out the middle, which of two numbers shows halves of both."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        letters = self.fontMetrics()
        room = self.width() - self.sizeHint().width() + letters.horizontalAdvance(self.text())
        option.text = letters.elidedText(self.text(), Qt.TextElideMode.ElideRight, max(0, room))
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
