"""Where Tab goes: as one reads, whenever the widgets were made.

Qt's own chain has them in the order of their making. Nor may it be asked: what `nextInFocusChain` returns, PySide 6.11
takes for a child of the widget that was asked, and when that one is deleted, all that Qt made for Python below the
other (actions of menus, scroll bars) counts as deleted too.
"""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.widgets.dialogs import Dialog


class TabOrderDialog(Dialog):
    """Tab goes through it as one reads, also where parts of it are made late."""

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step(self.focusWidget(), None, forward=forward)


def stops_in(view: QWidget, seen_from: QWidget) -> Iterator[QWidget]:
    """`view` and what is in it, as far as Tab can reach it."""
    for each in _walk(view):
        if _takes_tab(each) and each.isVisibleTo(seen_from):
            yield each


def step(focused: QWidget | None, around: QWidget | None, *, forward: bool) -> bool:
    """Move the keyboard on from `focused`; False where there is nowhere to go.

    What is inside `around` is passed over: its messages are come to through `around`, their list, which leads from one
    to the next by itself.
    """
    if focused is None:
        return False
    focused = around if around is not None and around.isAncestorOf(focused) else focused
    places = list(_walk(focused.window(), around, focused))
    place = places.index(focused)
    others = places[place + 1 :] + places[:place]
    for each in others if forward else reversed(others):
        if _takes_tab(each) and each.isVisible() and each.focusProxy() is None:
            give_focus(each, forward=forward)
            return True
    return False


def give_focus(widget: QWidget, *, forward: bool) -> None:
    """As Tab, or Shift and Tab, would."""
    widget.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)


def _walk(widget: QWidget, around: QWidget | None = None, focused: QWidget | None = None) -> Iterator[QWidget]:
    """`widget` and what is shown in it, as one reads; nothing inside `around`, and `focused` even if it is hidden."""
    yield widget
    if widget is around:
        return
    for each in _as_read(widget):
        if not each.isHidden() or (focused is not None and (each is focused or each.isAncestorOf(focused))):
            yield from _walk(each, around, focused)


def _as_read(widget: QWidget) -> Iterator[QWidget]:
    """What is in `widget`, line by line."""
    inside = widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    mirrored = widget.layoutDirection() == Qt.LayoutDirection.RightToLeft
    rest = sorted((each for each in inside if not each.isWindow()), key=lambda each: each.y())
    while rest:
        # What begins a line is as high as it: others are in it if their middle is.
        end = rest[0].y() + rest[0].height()
        line = [each for each in rest if each is rest[0] or each.y() + each.height() / 2 < end]
        rest = [each for each in rest if each not in line]
        yield from sorted(line, key=lambda each: -each.x() - each.width() if mirrored else each.x())


def _takes_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()


def has_focus_within(widget: QWidget) -> bool:
    """Whether the keyboard is in it."""
    focus = QApplication.focusWidget()
    return focus is not None and (widget is focus or widget.isAncestorOf(focus))
