"""What is wrong with the hub, in a sentence, and what to do about it."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.services.models.hub_search import HubProblem
from app.ui.formatting.line_breaks import BREAK, breakable
from app.ui.formatting.sentences import translated
from app.ui.widgets.buttons import push_button, rename
from app.ui.widgets.layouts import FILL, hbox, vbox
from app.ui.widgets.plain_text import plain_label

_LONGEST_WAIT = 120.0
"""Seconds that it waits by itself; who is told longer ones comes back."""


class HubProblemBox(QFrame):
    """Hidden while there is none."""

    try_again = Signal()
    """Somebody asks for it, or the time that the hub wanted is over"""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("told")
        self._sentence = plain_label("", self, wraps=True)
        self.again_button = push_button(self.tr("Try again"), self, self.try_again)
        self.token_button = push_button(self.tr("Enter a token…"), self)
        self.more_button = push_button("", self)
        """For whoever owns the box"""
        self._clock = QTimer(self)
        self._clock.setSingleShot(True)
        self._clock.timeout.connect(self.try_again)
        buttons = hbox(self.again_button, self.token_button, self.more_button, FILL, gap=6)
        vbox(self._sentence, buttons, on=self, gap=8, margins=(14, 10, 14, 10))
        self.hide()

    @property
    def sentence(self) -> str:
        """Empty where there is no problem."""
        return self._sentence.text().replace(BREAK, "") if not self.isHidden() else ""

    def show_problem(self, problem: HubProblem, *, can_retry: bool = True, more: str = "") -> None:
        """`more` is the text of `more_button`."""
        self._sentence.setText(" ".join(map(breakable, translated(problem.sentence).split(" "))))
        self.setAccessibleName(translated(problem.sentence))
        self.again_button.setVisible(can_retry)
        self.token_button.setVisible(problem.gated)
        rename(self.more_button, more)
        self.more_button.setVisible(bool(more))
        self._clock.stop()
        if can_retry and 0 < problem.wait <= _LONGEST_WAIT:
            self._clock.start(round(problem.wait * 1000) + 500)
        self.show()

    def clear(self) -> None:
        self._clock.stop()
        self.hide()
