"""Selecting text across the parts of one message, as the parts see it."""

from typing import Protocol

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget


class Selector(Protocol):
    """Parts hand their mouse and keys to it, and are told by `select` what of them is selected."""

    @property
    def has_selection(self) -> bool: ...

    def move(self, part: QWidget, point: QPoint, *, extend: bool) -> None:
        """The mouse was pressed, or dragged, at `point` of `part`."""

    def select(self, part: QWidget, start: int, end: int) -> None:
        """Select this much of `part`, and nothing else."""

    def select_all(self) -> None: ...

    def copy(self) -> None: ...

    def add_actions(self, menu: QMenu) -> None:
        """What can be copied."""

    def left(self) -> None:
        """The keyboard has left a part."""
