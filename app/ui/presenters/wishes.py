"""Programs that want another model to be loaded, and what the user says to it."""

from PySide6.QtCore import QObject, QTimer, Slot

from app.services.local_api.other_models import Wish
from app.ui.widgets.notices import NoticeBar, Notices


class WishesPresenter(QObject):
    """`parent` owns it."""

    def __init__(self, notices: Notices, parent: QObject) -> None:
        super().__init__(parent)
        self._notices = notices
        self._wishes: dict[NoticeBar, Wish] = {}
        notices.gone.connect(self._refuse)

    @Slot(object)
    def ask(self, wish: Wish) -> None:
        """In a bar; to let it go is a no."""
        client = wish.client.partition("/")[0] or self.tr("A program")
        question = self.tr("{program} asks for the model {model}.").format(program=client, model=wish.name)
        bar = self._notices.offer(question, self.tr("Load it"), lambda: wish.answer(True))
        self._wishes[bar] = wish

    @Slot(object)
    def withdraw(self, wish: Wish) -> None:
        """Nobody waits for the answer any more."""
        for bar in [bar for bar, asked in self._wishes.items() if asked is wish]:
            self._notices.withdraw(bar)

    @Slot(object)
    def _refuse(self, bar: NoticeBar) -> None:
        if (wish := self._wishes.pop(bar, None)) is not None:
            # Behind what the button says, which dismisses the bar first.
            QTimer.singleShot(0, self, lambda: wish.answer(False))
