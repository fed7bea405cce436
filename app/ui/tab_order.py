"""Where Tab goes next in the window."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


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
        if _takes_tab(each) and (each is around or not around.isAncestorOf(each)):
            each.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
            return True


def _beside(widget: QWidget, *, forward: bool) -> QWidget:
    found = widget.nextInFocusChain() if forward else widget.previousInFocusChain()
    assert found is not None  # the chain is a ring
    return found


def _takes_tab(widget: QWidget) -> bool:
    policy = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    return bool(policy) and widget.isEnabled() and widget.isVisible() and widget.focusProxy() is None
