"""Programs that want another model to be loaded, and what the user says to it."""

from PySide6.QtCore import QObject, QTimer, Slot

from app.services.local_api.other_models import ModelRequest
from app.ui.widgets.notices import NoticeBar, Notices


class ModelRequestsPresenter(QObject):
    """`parent` owns it."""

    def __init__(self, notices: Notices, parent: QObject) -> None:
        super().__init__(parent)
        self._notices = notices
        self._open: dict[NoticeBar, ModelRequest] = {}
        notices.gone.connect(self._refuse)

    @Slot(object)
    def ask(self, request: ModelRequest) -> None:
        """In a bar; to let it go is a no."""
        client = request.client.partition("/")[0] or self.tr("A program")
        question = self.tr("{program} asks for the model {model}.").format(program=client, model=request.name)
        bar = self._notices.offer(question, self.tr("Load it"), lambda: request.answer(True))
        self._open[bar] = request

    @Slot(object)
    def withdraw(self, request: ModelRequest) -> None:
        """Nobody waits for the answer any more."""
        for bar in [bar for bar, asked in self._open.items() if asked is request]:
            self._notices.withdraw(bar)

    @Slot(object)
    def _refuse(self, bar: NoticeBar) -> None:
        if (request := self._open.pop(bar, None)) is not None:
            # Behind what the button says, which dismisses the bar first.
            QTimer.singleShot(0, self, lambda: request.answer(False))
