"""Finds text that has less room than it needs."""

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QLabel, QLineEdit, QScrollArea, QWidget

from app.ui.window.status_line import StatusLine

_TOLERANCE = 1
_MAY_BREAK = "\u200b"
_ELIDED = (StatusLine,)
"""These shorten their text themselves, and have all of it in the tooltip."""


def cut(root: QWidget) -> list[str]:
    """A line for each label or button below `root` whose text is cut off."""
    lines = [f"{_path(widget)}: {problem}" for widget in _texts(root) if (problem := _problem(widget))]
    for area in root.findChildren(QScrollArea):
        inside: QWidget | None = area.widget()
        never = area.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if area.isVisible() and never and inside is not None and inside.width() > area.viewport().width() + _TOLERANCE:
            lines.append(f"{_path(area)}: {inside.width()} pixels do not fit into {area.viewport().width()}")
    return lines


def _texts(root: QWidget) -> Iterator[QWidget]:
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, QLabel | QAbstractButton) or isinstance(widget, _ELIDED):
            continue
        if isinstance(widget.parent(), QLineEdit):
            # Qt's own small buttons in fields show an icon alone.
            continue
        if widget.text() and not _is_elided(widget):
            yield widget


def _is_elided(widget: QLabel | QAbstractButton) -> bool:
    """Whether what is shown ends in dots, and all of it can be read in the tooltip."""
    return (
        "…" in widget.text()[:-1] + widget.text()[-1:] and bool(widget.toolTip()) and widget.text() != widget.toolTip()
    )


def _problem(widget: QWidget) -> str:
    wanted = _wanted(widget)
    have = widget.size()
    if wanted.width() > have.width() + _TOLERANCE or wanted.height() > have.height() + _TOLERANCE:
        return f"wants {wanted.width()} × {wanted.height()}, has {have.width()} × {have.height()}: {_text(widget)!r}"
    inside, room = _place(widget)
    if not room.adjusted(-_TOLERANCE, -_TOLERANCE, _TOLERANCE, _TOLERANCE).contains(inside):
        return f"stands out of what it is in, by {inside} in {room}: {_text(widget)!r}"
    return ""


def _wanted(widget: QWidget) -> QSize:
    hint = widget.sizeHint()
    if isinstance(widget, QLabel) and widget.wordWrap():
        margins = widget.contentsMargins()
        words = widget.text().replace(_MAY_BREAK, " ").split()
        widest = max((widget.fontMetrics().horizontalAdvance(word) for word in words), default=0)
        return QSize(widest + margins.left() + margins.right(), widget.heightForWidth(widget.width()))
    if isinstance(widget, QLabel) and widget.sizePolicy().horizontalPolicy().name == "Ignored":
        return QSize(0, hint.height())
    return hint


def _place(widget: QWidget) -> tuple[QRect, QRect]:
    """Where the widget is, and the room that it may take: its window's, or all that can be scrolled to."""
    above = widget.parentWidget()
    top = above
    while top is not None and not top.isWindow():
        scrolled = top.parentWidget()
        if scrolled is not None and isinstance(scrolled.parentWidget(), QAbstractScrollArea):
            break
        top = scrolled
    if top is None:
        return QRect(), QRect()
    return QRect(widget.mapTo(top, QPoint(0, 0)), widget.size()), top.rect()


def _text(widget: QWidget) -> str:
    return widget.text()[:60] if isinstance(widget, QLabel | QAbstractButton) else ""


def _path(widget: QWidget) -> str:
    names: list[str] = []
    at: QWidget | None = widget
    while at is not None and len(names) < 3:
        names.append(type(at).__name__ + (f"#{at.objectName()}" if at.objectName() else ""))
        at = at.parentWidget()
    return " in ".join(names)
