"""Where Tab goes, among widgets that were not made in the order in which they stand."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def stops_in(view: QWidget, seen_from: QWidget) -> Iterator[QWidget]:
    """`view` and what is in it, as far as Tab can reach it."""
    each: QWidget | None = view
    while each is not None:
        inside = each is view or view.isAncestorOf(each)
        if inside and _takes_tab(each) and each.isVisibleTo(seen_from):
            yield each
        each = each.nextInFocusChain()
        if each is view:
            return


def step(focused: QWidget | None, around: QWidget, *, forward: bool) -> bool:
    """Move the keyboard on from `focused`; False where there is nowhere to go.

    What is inside `around` is passed over. Messages are made late, so that Qt has them behind all other widgets: they
    are come to through `around`, their list, which leads from one to the next by itself.
    """
    if focused is None:
        return False
    each: QWidget = focused
    while True:
        each = _beside(each, forward=forward)
        if each is focused:
            return False
        outside = each is around or not around.isAncestorOf(each)
        if outside and _takes_tab(each) and each.isVisible() and each.focusProxy() is None:
            give_focus(each, forward=forward)
            return True


def give_focus(widget: QWidget, *, forward: bool) -> None:
    """As Tab, or Shift and Tab, would."""
    widget.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)


def _beside(widget: QWidget, *, forward: bool) -> QWidget:
    found = widget.nextInFocusChain() if forward else widget.previousInFocusChain()
    assert found is not None  # the chain is a ring
    return found


def _takes_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()
