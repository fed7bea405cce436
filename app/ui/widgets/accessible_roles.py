"""What the widgets that draw themselves are, as screen readers call it."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_PROPERTY = "accessibleRole"


def set_role(widget: QWidget, role: QAccessible.Role) -> None:
    """Before a screen reader asks; without it Qt knows a widget of ours as a client area."""
    widget.setProperty(_PROPERTY, role.value)


def install_roles() -> None:
    """Once for the program. Costs nothing while nobody asks."""
    QAccessible.installFactory(_interface)


def _interface(_class: str, thing: QObject | None) -> QAccessibleInterface | None:
    if not isinstance(thing, QWidget):
        return None
    role = thing.property(_PROPERTY)
    return QAccessibleWidget(thing, QAccessible.Role(role)) if isinstance(role, int) else None
