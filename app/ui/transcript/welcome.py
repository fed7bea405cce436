"""What the window says when there is no conversation on it yet."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QScrollArea, QWidget

from app.core.events import LoadStage
from app.core.model_ref import ModelRef
from app.services.engine.states import (
    EngineState,
    ModelFailed,
    ModelLoading,
    ModelOnServer,
    ModelReady,
    ModelResting,
    NoModel,
)
from app.ui.formatting.numbers import compact
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import scaled
from app.ui.theme.icons import app_icon, icon_size
from app.ui.widgets.buttons import push_button
from app.ui.widgets.flow import flow
from app.ui.widgets.layouts import FILL, Placed, clear, hbox, middle, scroll, vbox
from app.ui.widgets.plain_text import plain_label

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
        self,
        appearance: Appearance,
        recent: Callable[[], Sequence[ModelRef]],
        parent: QWidget | None = None,
        name_of: Callable[[ModelRef], str] = lambda model: model.title,
    ) -> None:
        super().__init__(parent)
        self._name_of = name_of
        self.setObjectName("welcome")
        self._appearance = appearance
        self._recent = recent
        self._page = QWidget(self)
        self._page.setObjectName("welcome")
        self._headline = plain_label("headline", self._page, wraps=True)
        self._text = plain_label("muted", self._page, wraps=True)
        self._bar = QProgressBar(self._page)
        self._bar.setRange(0, 100)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(280)
        self._bar.setAccessibleName(self.tr("Loading the model"))
        self.get_button = push_button(
            self.tr("Get a model…"), self._page, name=self.tr("Get a model"), tone="primary",
            tip=self.tr("Shows good models for this computer, and fetches the one that you choose"),
        )  # fmt: skip
        self.open_button = push_button(
            self.tr("Choose a model file…"), self._page, name=self.tr("Choose a model file"),
            tip=self.tr("A GGUF file that is on this computer"),
        )  # fmt: skip
        self._ways = _Chips(self._page, (self.get_button, self.open_button))
        self._questions = self._make_questions()
        self.cancel_button = push_button(self.tr("Cancel"), self._page, name=self.tr("Cancel loading"))
        self._recent_title = plain_label("section", self._page, self.tr("Recent models"))
        for label in (self._headline, self._text, self._recent_title):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._recent_box = vbox(gap=6)
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
                self._text.setText(f"{self._name_of(model)}\n{self._stage(stage)}")
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
            case ModelOnServer(info):
                self._headline.setText(self.tr("What is on your mind?"))
                told = self.tr(
                    "{model} answers from a server. What you write, with all that is attached and the conversation so "
                    "far, goes to {host}."
                )
                self._text.setText(told.format(model=info.name, host=info.host))
            case ModelResting(info):
                self._headline.setText(self.tr("What is on your mind?"))
                if state.in_memory:
                    told = self.tr("{model} is in memory, and its context is free. It is back when you write.")
                else:
                    told = self.tr("{model} is on disk, so its memory is free. It loads again when you write.")
                self._text.setText(told.format(model=info.name))
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
        clear(self._recent_box)
        self._recent_title.setVisible(bool(models))
        for model in models:
            name = self._name_of(model)
            button = push_button(
                name.replace("&", "&&"),
                self._page,
                lambda _=False, model=model: self.recent_clicked.emit(model),
                name=self.tr("Load {model}").format(model=name),
                tone="recent",
            )
            button.setIcon(self._appearance.icon("model", "muted"))
            button.setIconSize(icon_size(18))
            button.setFixedWidth(scaled(_WIDTH - 60))
            self._recent_box.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)

    def _make_questions(self) -> "_Chips":
        asked = (self.tr("What can you do?"), self.tr("How do I get a larger model?"), self.tr("Is it private?"))
        buttons = []
        for question in asked:
            name = self.tr("Ask: {question}").format(question=question)
            button = push_button(question, self._page, name=name, tone="recent")
            button.clicked.connect(lambda _=False, asked=question: self.question_clicked.emit(asked))
            buttons.append(button)
        return _Chips(self._page, buttons)

    def _lay_out(self) -> None:
        picture = QLabel(self._page)
        picture.setPixmap(app_icon().pixmap(QSize(56, 56), self.devicePixelRatioF()))
        parts = vbox(
            Placed(share=4), middle(picture), 14, _in_the_middle(self._headline), 10, _in_the_middle(self._text), 22,
            middle(self._bar), middle(self._questions), 16, middle(self._ways), 18, middle(self.cancel_button),
            self._recent_title, 8, self._recent_box, Placed(share=5), gap=0,
        )  # fmt: skip
        hbox(FILL, parts, FILL, on=self._page, margins=(_MARGIN, _MARGIN, _MARGIN, _MARGIN))
        area = QScrollArea(self)
        area.setObjectName("welcome")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll(area, self._page)
        vbox(area, on=self)

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
    return hbox(FILL, label, FILL)
