"""What the window says when there is no conversation on it yet."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.events import LoadStage
from app.core.model_ref import ModelRef
from app.services.engine.states import EngineState, ModelFailed, ModelLoading, ModelReady, ModelResting, NoModel
from app.ui.formatting.numbers import compact
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.theme.icons import app_icon, icon_size
from app.ui.widgets.discard import discard
from app.ui.widgets.flow import flow

_RECENT = 3
_WIDTH = 510
_MARGIN, _GAP, _BAR = 20, 8, 12
"""Pixels; the last is a scroll bar's."""


class Welcome(QWidget):
    """Leads to the first message: choose a model, wait for it, write."""

    recent_clicked = Signal(object)
    """ModelRef"""
    question_clicked = Signal(str)
    """One of the questions that the built-in model answers well"""

    def __init__(
        self, appearance: Appearance, recent: Callable[[], Sequence[ModelRef]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        self._appearance = appearance
        self._recent = recent
        self._page = QWidget(self)
        self._page.setObjectName("welcome")
        self._headline = self._label("headline")
        self._text = self._label("muted")
        self._bar = QProgressBar(self._page)
        self._bar.setRange(0, 100)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(280)
        self._bar.setAccessibleName(self.tr("Loading the model"))
        self.get_button = QPushButton(self.tr("Get a model…"), self._page)
        self.get_button.setProperty("tone", "primary")
        self.get_button.setAccessibleName(self.tr("Get a model"))
        self.get_button.setToolTip(self.tr("Shows good models for this computer, and fetches the one that you choose"))
        self.open_button = QPushButton(self.tr("Choose a model file…"), self._page)
        self.open_button.setAccessibleName(self.tr("Choose a model file"))
        self.open_button.setToolTip(self.tr("A GGUF file that is on this computer"))
        self._ways = _Chips(self._page, (self.get_button, self.open_button))
        self._questions = self._make_questions()
        self.cancel_button = QPushButton(self.tr("Cancel"), self._page)
        self.cancel_button.setAccessibleName(self.tr("Cancel loading"))
        self._recent_title = self._label("section")
        self._recent_title.setText(self.tr("Recent models"))
        self._recent_box = QVBoxLayout()
        self._recent_box.setSpacing(6)
        self._lay_out()
        appearance.changed.connect(self._fit)
        self.show_state(NoModel())

    def show_state(self, state: EngineState) -> None:
        loading = isinstance(state, ModelLoading)
        guides = isinstance(state, ModelReady | ModelResting) and state.info.ref.is_guide
        chooses = guides or isinstance(state, (NoModel, ModelFailed))
        self._bar.setVisible(loading)
        self.cancel_button.setVisible(loading)
        self._ways.setVisible(chooses)
        self._questions.setVisible(guides)
        self._show_recent(self._recent()[:_RECENT] if chooses else ())
        self._fit()
        match state:
            case ModelLoading(model, stage, fraction):
                self._headline.setText(self.tr("Loading the model"))
                self._text.setText(f"{model.title}\n{self._stage(stage)}")
                # A bar without an end moves for ever.
                endless = stage is LoadStage.CHECKING and not self._appearance.reduced_motion
                self._bar.setRange(0, 0 if endless else 100)
                self._bar.setValue(round(fraction * 100))
            case ModelReady() | ModelResting() if guides:
                self._headline.setText(self.tr("Welcome to Hearth"))
                self._text.setText(
                    self.tr(
                        "The guide is ready: a very small model that comes with Hearth. It knows the program and sees "
                        "simple pictures, and not much else. For everything else get a larger model. Nothing you "
                        "write leaves this machine."
                    )
                )
            case ModelReady(info):
                self._headline.setText(self.tr("What is on your mind?"))
                self._text.setText(
                    self.tr(
                        "{model} is ready, with room for {size} tokens. Nothing you write leaves this machine."
                    ).format(model=info.name, size=compact(info.n_ctx))
                )
            case ModelResting(info):
                self._headline.setText(self.tr("What is on your mind?"))
                self._text.setText(
                    self.tr(
                        "{model} was not used for a while, so its memory is free. It loads again when you write."
                    ).format(model=info.name)
                )
            case NoModel() | ModelFailed():
                self._headline.setText(self.tr("Welcome to Hearth"))
                self._text.setText(
                    self.tr(
                        "Talk to a language model that runs on this machine. Get one to begin, or choose a GGUF "
                        "file that you have. Nothing you write leaves this machine."
                    )
                )

    def _stage(self, stage: LoadStage) -> str:
        match stage:
            case LoadStage.CHECKING:
                return self.tr("Trying the file first, as it is new on this machine…")
            case LoadStage.LOADING:
                return self.tr("Reading the model into memory…")
            case LoadStage.CONTEXT:
                return self.tr("Making room for the conversation…")

    def _show_recent(self, models: Sequence[ModelRef]) -> None:
        while (item := self._recent_box.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                discard(widget)
        self._recent_title.setVisible(bool(models))
        for model in models:
            button = QPushButton(model.title.replace("&", "&&"), self._page)
            button.setProperty("tone", "recent")
            button.setIcon(self._appearance.icon("model", "muted"))
            button.setIconSize(icon_size(18))
            button.setAccessibleName(self.tr("Load {model}").format(model=model.title))
            button.setFixedWidth(scaled(_WIDTH - 60))
            button.clicked.connect(lambda _=False, chosen=model: self.recent_clicked.emit(chosen))
            self._recent_box.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)

    def _make_questions(self) -> "_Chips":
        asked = (self.tr("What can you do?"), self.tr("How do I get a larger model?"), self.tr("Is it private?"))
        buttons = []
        for question in asked:
            button = QPushButton(question, self._page)
            button.setProperty("tone", "recent")
            button.setAccessibleName(self.tr("Ask: {question}").format(question=question))
            button.clicked.connect(lambda _=False, asked=question: self.question_clicked.emit(asked))
            buttons.append(button)
        return _Chips(self._page, buttons)

    def _label(self, tone: str) -> QLabel:
        label = QLabel(self._page)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setProperty("tone", tone)
        label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        label.setWordWrap(tone != "section")
        return label

    def _lay_out(self) -> None:
        picture = QLabel(self._page)
        picture.setPixmap(app_icon().pixmap(QSize(56, 56), self.devicePixelRatioF()))
        centre = Qt.AlignmentFlag.AlignHCenter
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addStretch(4)
        column.addWidget(picture, 0, centre)
        column.addSpacing(14)
        column.addLayout(_in_the_middle(self._headline))
        column.addSpacing(10)
        column.addLayout(_in_the_middle(self._text))
        column.addSpacing(22)
        column.addWidget(self._bar, 0, centre)
        column.addWidget(self._questions, 0, centre)
        column.addSpacing(16)
        column.addWidget(self._ways, 0, centre)
        column.addSpacing(18)
        column.addWidget(self.cancel_button, 0, centre)
        column.addWidget(self._recent_title)
        column.addSpacing(8)
        column.addLayout(self._recent_box)
        column.addStretch(5)
        row = QHBoxLayout(self._page)
        row.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        row.addStretch(1)
        row.addLayout(column)
        row.addStretch(1)
        area = QScrollArea(self)
        area.setObjectName("welcome")
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As wide as is good to read, or as there is room for. Large text in a small window scrolls."""
        room = max(1, self.width() - 2 * _MARGIN - _BAR)
        for label in (self._text, self._headline):
            label.setFixedWidth(min(scaled(_WIDTH), room))
        self._questions.fit(room)
        self._ways.fit(room)
        for index in range(self._recent_box.count()):
            item = self._recent_box.itemAt(index)
            if item is not None and (button := item.widget()) is not None:
                button.setFixedWidth(min(scaled(_WIDTH - 60), room))


class _Chips(QWidget):
    """Buttons beside each other, in as many rows as they need, each row in the middle."""

    def __init__(self, parent: QWidget, buttons: Sequence[QPushButton]) -> None:
        super().__init__(parent)
        self._buttons = buttons
        for button in buttons:
            button.setParent(self)

    def fit(self, room: int) -> None:
        buttons = self._buttons
        sizes = [button.sizeHint() for button in buttons]
        places, height = flow(sizes, room, _GAP)
        lines = {place.y() for place in places}
        taken = {
            y: max(place.x() + size.width() for place, size in zip(places, sizes, strict=True) if place.y() == y)
            for y in lines
        }
        width = max(taken.values(), default=0)
        for button, place, size in zip(buttons, places, sizes, strict=True):
            left = place.x() + (width - taken[place.y()]) // 2
            if self.isRightToLeft():
                left = width - left - size.width()
            button.setGeometry(left, place.y(), min(size.width(), room), size.height())
        self.setFixedSize(min(width, room), height)


def _in_the_middle(label: QLabel) -> QHBoxLayout:
    """Wrapped labels are given the height that their width asks for only where nothing aligns them."""
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(label)
    row.addStretch(1)
    return row
