"""A small button in the header that shows while other programs use the model, and stops them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.services.local_api.clients import Client


class ClientChip(QPushButton):
    """Hidden while nobody is there."""

    stop_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("visitors")
        menu = QMenu(self)
        self.stop_action = menu.addAction(self.tr("Stop them"))
        self.stop_action.triggered.connect(self.stop_clicked)
        self.setMenu(menu)
        self.show_visitors(())

    def show_visitors(self, visitors: Sequence[Client]) -> None:
        self.setHidden(not visitors)
        names = list(dict.fromkeys(visit.client for visit in visitors if visit.client))
        count = max(1, len(names))
        who = (
            names[0]
            if len(names) == 1
            else self.tr("1 program")
            if count == 1
            else self.tr("{n} programs").format(n=count)
        )
        self.setText(who)
        told = self.tr("{who}: answering through the local API").format(who=", ".join(names) or who)
        self.setToolTip(told)
        self.setAccessibleName(told)
