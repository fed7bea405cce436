"""Qt's application, which ends as a person would end it: by closing the window."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """What asks the program to quit (the end of a session, the dock's menu) closes its windows, and no more.

    Qt would leave its event loop at once, with the engine's thread at work and the coroutines unfinished.
    """

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Quit:
            for window in self.topLevelWidgets():
                if window.isVisible() and window.parentWidget() is None:
                    window.close()
            return True
        return super().event(event)
