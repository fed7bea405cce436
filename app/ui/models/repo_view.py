"""One repository of the hub: what it is, its files, and what its makers say of it."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from app.library.hub import HubChoice, HubRepo, endpoint
from app.library.hub_choice import projector_for, with_projector
from app.services.models.hub_files import FileState
from app.services.models.hub_search import HubProblem
from app.ui.formatting.line_breaks import breakable
from app.ui.formatting.numbers import size_text
from app.ui.models.hub_problem import HubProblemBox
from app.ui.models.hub_text import model_facts
from app.ui.models.repo_files import RepoFiles
from app.ui.richtext.model_card import ModelCardView
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import FILL, Placed, at_top, grow, hbox, scroll, vbox
from app.ui.widgets.plain_text import plain_label, tell
from app.ui.widgets.setting_editors import SwitchEdit


class RepoView(QScrollArea):
    """Shows what it is given; it and its parts report what is wanted."""

    download_wanted = Signal(object)
    """HubChoice, with the projector where it comes along"""
    link_clicked = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("repository")
        self.setAccessibleName(self.tr("Repository"))
        self.repo: HubRepo | None = None
        self._name = ""
        page = QWidget(self)
        page.setObjectName("settings")
        self.title = plain_label("title", page, wraps=True)
        self.facts = plain_label("small", page, wraps=True)
        self.open_link = push_button(self.tr("Open on Hugging Face"), page, self._open, tone="link")
        # Its text stands below the others, and not its edge.
        self.open_link.setObjectName("flush")
        self.token_link = push_button(self.tr("Enter a token…"), page, tone="link")
        self.hint = plain_label("muted", page, wraps=True)
        self.problem = HubProblemBox(page)
        self.message = HubProblemBox(page)
        """What was wrong with the last thing that was asked for, such as too little room."""
        self.gate = plain_label("muted", page, wraps=True)
        self.files_title = plain_label("section", page, self.tr("Files"))
        self.files = RepoFiles(page)
        self.files.download_clicked.connect(self._fetch)
        self.sight = SwitchEdit(page)
        self.sight.setChecked(True)
        self.sight.setAccessibleName(self.tr("Download what lets it see as well"))
        self._sight_text = plain_label("", page, wraps=True)
        self.card = ModelCardView(appearance, page)
        self.card.blocks.link_clicked.connect(self.link_clicked)
        self.card.blocks.place_wanted.connect(self._go_to)
        self._card_title = plain_label("section", page, self.tr("Model card"))
        self._lay_out(page)
        scroll(self, page)
        self.verticalScrollBar().valueChanged.connect(self._show_range)
        self.clear()

    @property
    def takes_projector(self) -> bool:
        return self.sight.isChecked()

    def clear(self) -> None:
        """Nothing is chosen."""
        self._show(None, "")
        self.hint.setText(self.tr("Choose a model on the left to see its files and what they need."))
        self.hint.show()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column.setStretch(0, 2)

    def show_opening(self, name: str) -> None:
        self._show(None, name)
        self.hint.setText(self.tr("Asking Hugging Face…"))
        self.hint.show()

    def show_problem(self, name: str, problem: HubProblem) -> None:
        """In place of the files."""
        self._show(None, name)
        self.problem.show_problem(problem)

    def show_repo(self, repo: HubRepo, states: Mapping[HubChoice, FileState]) -> None:
        self._show(repo, repo.model.repo)
        self.facts.setText(model_facts(repo.model))
        self.facts.show()
        self.files.show_choices(repo.choices, states)
        has_files = bool(repo.choices)
        self.files.setVisible(has_files)
        self.files_title.setVisible(has_files)
        self.hint.setVisible(not has_files)
        self.hint.setText(self.tr("There is no GGUF file in it."))
        self._show_sight(repo)
        self.gate.setVisible(repo.model.gated)
        self.token_link.setVisible(repo.model.gated)

    def show_states(self, states: Mapping[HubChoice, FileState]) -> None:
        """Something is different for the repository that is shown."""
        self.files.show_states(states)

    def show_card(self, text: str) -> None:
        self.card.show_card(text)
        self._card_title.show()
        self.card.show()
        self._show_range()

    def show_message(self, sentence: str) -> None:
        """About what was asked for."""
        self.message.show_problem(HubProblem(sentence), can_retry=False)
        self.ensureWidgetVisible(self.message)

    def _lay_out(self, page: QWidget) -> None:
        links = hbox(self.open_link, self.token_link, FILL, gap=4)
        sight = hbox(at_top(self.sight), grow(self._sight_text), gap=10)
        self._column = vbox(
            Placed(), self.title, self.facts, links, self.gate, self.hint, self.problem, self.message, 4,
            self.files_title, self.files, sight, 8, self._card_title, self.card, Placed(share=3),
            on=page, gap=8, margins=(2, 0, 14, 8),
        )  # fmt: skip

    def _show(self, repo: HubRepo | None, name: str) -> None:
        """Empty but for the name."""
        self.repo, self._name = repo, name
        self.hint.setAlignment(Qt.AlignmentFlag.AlignLeading)
        self._column.setStretch(0, 0)
        tell(self.title, breakable(name.partition("/")[2] or name))
        self.open_link.setVisible(bool(name))
        for widget in (
            self.facts, self.hint, self.gate, self.token_link, self.files_title, self.files,
            self.sight, self._sight_text, self._card_title, self.card,
        ):  # fmt: skip
            widget.hide()
        self.problem.clear()
        self.message.clear()
        self.gate.setText(
            self.tr(
                "Gated: its makers want to know who takes it. Accept the terms on its page, and enter a token here."
            )
        )
        self.verticalScrollBar().setValue(0)

    def _show_sight(self, repo: HubRepo) -> None:
        found = [projector_for(each, repo.choices) for each in repo.choices]
        projector = next((each for each in found if each is not None), None)
        self.sight.setVisible(projector is not None)
        self._sight_text.setVisible(projector is not None)
        if projector is not None:
            self._sight_text.setText(
                self.tr("With a download comes what lets the model see: {name}, {size}").format(
                    name=breakable(projector.name), size=size_text(projector.size)
                )
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_range()

    def _show_range(self) -> None:
        top = self.verticalScrollBar().value() - self.card.y()
        self.card.show_range(max(0, top), max(1, top + self.viewport().height()))

    def _go_to(self, height: int) -> None:
        self.verticalScrollBar().setValue(self.card.y() + height)

    def _fetch(self, choice: HubChoice) -> None:
        self.message.hide()
        projector = projector_for(choice, self.repo.choices) if self.repo is not None else None
        self.download_wanted.emit(with_projector(choice, projector if self.takes_projector else None))

    def _open(self) -> None:
        self.link_clicked.emit(f"{endpoint()}/{self._name}")
