"""Tooltips that tell the key, so that who uses the mouse learns it."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.ui.commands.actions import keys_of


def tell_key(action: QAction, *widgets: QWidget) -> None:
    """Say in their tooltips which key does the same. What has no tooltip gets its accessible name as one."""
    for widget in widgets:
        tip = widget.toolTip() or widget.accessibleName()
        widget.setToolTip(f"{tip} ({keys_of(action)})")
