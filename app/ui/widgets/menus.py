"""Menus that are made when they are opened."""

from collections.abc import Callable

from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QWidget


def passing_menu(parent: QWidget, name: str = "") -> QMenu:
    """It deletes itself when it closes."""
    menu = QMenu(parent)
    menu.setAccessibleName(name)
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def add_action(menu: QMenu, text: str, act: Callable[[], object], icon: QIcon | None = None) -> QAction:
    """`text` is a name that may hold anything: no letter of it is a key."""
    action = QAction(text.replace("&", "&&"), menu)
    if icon is not None:
        action.setIcon(icon)
    # Not `act` itself: Qt would tell it whether the action is checked.
    action.triggered.connect(lambda: act())  # noqa: PLW0108
    menu.addAction(action)
    return action
