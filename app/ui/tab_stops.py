"""Where Tab goes, among widgets that were not made in the order in which they stand."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def stops_in(view: QWidget, seen_from: QWidget) -> Iterator[QWidget]:
    """`view` and what is in it, as far as Tab can reach it."""
    each: QWidget | None = view
    while each is not None:
        inside = each is view or view.isAncestorOf(each)
        if inside and _takes(each) and each.isVisibleTo(seen_from):
            yield each
        each = each.nextInFocusChain()
        if each is view:
            return


def leave(widget: QWidget, *, forward: bool) -> bool:
    """Give the keyboard to the next stop, or the one before, that is not in `widget`. False where there is none."""
    each: QWidget | None = widget
    while each is not None:
        each = each.nextInFocusChain() if forward else each.previousInFocusChain()
        if each is None or each is widget:
            return False
        if not widget.isAncestorOf(each) and _takes(each) and each.isVisible():
            each.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
            return True
    return False


def _takes(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()
