"""The files of a repository: quantisation, size, whether it fits, and one button each."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.core.fit import Fit, Verdict
from app.library.hub import HubChoice
from app.library.hub_choice import shown_first
from app.services.models.download_states import DownloadStage
from app.services.models.hub_files import FileState
from app.ui.formatting.line_breaks import breakable
from app.ui.formatting.numbers import compact, size_text
from app.ui.models.hub_text import percent
from app.ui.models.rows import DOT, verdict_role, verdict_text
from app.ui.widgets.buttons import push_button
from app.ui.widgets.discard import discard
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.layouts import Placed, grow, hbox, lead, vbox
from app.ui.widgets.plain_text import plain_label, plain_tip


class FileRow(QFrame):
    download_clicked = Signal(object)
    """HubChoice"""
    chat_clicked = Signal(object)
    """ModelRef"""
    downloads_clicked = Signal()

    def __init__(self, choice: HubChoice, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("file")
        self.choice = choice
        self._state = FileState()
        is_short = bool(choice.quantisation)
        self._name = plain_label("", self, breakable(choice.quantisation or choice.name), wraps=not is_short)
        self._best = plain_label("hint", self, self.tr("Recommended"))
        self._line = plain_label("small", self)
        self._fit = plain_label("small", self)
        self.button = push_button("", self, self._act)
        head = hbox(grow(self._name, not is_short), self._best, Placed(share=is_short), gap=8)
        texts = vbox(head, self._line, gap=2)
        hbox(grow(texts), self._fit, self.button, on=self, gap=10, margins=(12, 8, 10, 8))
        self.setToolTip(plain_tip("\n".join(file.path for file in choice.files)))
        self.show_state(FileState())

    def show_state(self, state: FileState) -> None:
        self._state = state
        self._best.setVisible(state.best)
        parts = [size_text(self.choice.size)]
        if len(self.choice.files) > 1:
            parts.append(self.tr("{count} parts").format(count=len(self.choice.files)))
        self._line.setText(DOT.join(parts))
        self._show_fit(state.fit)
        text, tip = self._words()
        self.button.setText(text)
        self.button.setToolTip(plain_tip(tip))
        self.button.setAccessibleName(f"{text}: {self.choice.name}")
        self.button.setAccessibleDescription(tip)
        self.button.setEnabled(not self._is_only_here())
        set_property(self.button, "tone", "primary" if state.best and state.download is None else "")
        set_property(self, "best", state.best)

    def _show_fit(self, fit: Fit | None) -> None:
        self._fit.setVisible(fit is not None)
        if fit is None:
            return
        self._fit.setText(verdict_text(fit.verdict))
        role = verdict_role(fit.verdict)
        set_property(self._fit, "tone", "small" if role == "muted" else role)
        tip = self._fit_told(fit)
        self._fit.setToolTip(tip)
        self._fit.setAccessibleDescription(tip)

    def _fit_told(self, fit: Fit) -> str:
        """For the memory that is shortest."""
        room = next(each for each in fit.rooms if each.verdict is fit.verdict)
        told = self.tr("With a context of {context} it takes about {wanted}, and {free} is free now.").format(
            context=compact(fit.n_ctx), wanted=size_text(room.needs.total), free=size_text(room.free)
        )
        if fit.verdict is not Verdict.FITS and fit.proposal is not None:
            smaller = self.tr("With a context of {context} it would fit.")
            if fit.proposal.n_ctx < fit.n_ctx:
                told += " " + smaller.format(context=compact(fit.proposal.n_ctx))
        if not fit.exact:
            told += " " + self.tr("This is an estimate.")
        return told

    def _words(self) -> tuple[str, str]:
        """The button's text, and what it does."""
        download, here = self._state.download, self._state.here
        if here is not None:
            text = self.tr("Here") if self.choice.is_projector else self.tr("Chat")
            return text, self.tr("It is on this computer already: {path}").format(path=here.path)
        if download is None:
            return self.tr("Download"), self.tr("Download {name}").format(name=self.choice.name)
        match download.stage:
            case DownloadStage.DONE if download.model is not None and not self.choice.is_projector:
                return self.tr("Chat"), self.tr("Load it and talk to it")
            case DownloadStage.DONE:
                return self.tr("Here"), ""
            case DownloadStage.FAILED:
                return self.tr("Stopped"), download.problem
            case DownloadStage.PAUSED:
                return self.tr("Paused"), self.tr("Show the downloads")
        return self.tr("{percent} %").format(percent=percent(download)), self.tr("Show the downloads")

    def _is_only_here(self) -> bool:
        """There is nothing to do with a projector by itself."""
        download = self._state.download
        is_done = download is not None and download.stage is DownloadStage.DONE
        return self.choice.is_projector and (is_done or self._state.here is not None)

    def _act(self) -> None:
        download, here = self._state.download, self._state.here
        if here is not None:
            self.chat_clicked.emit(here.ref)
        elif download is None:
            self.download_clicked.emit(self.choice)
        elif download.stage is DownloadStage.DONE and download.model is not None:
            self.chat_clicked.emit(download.model)
        else:
            self.downloads_clicked.emit()


class RepoFiles(QWidget):
    """Those that nearly everybody wants; all of them on request."""

    download_clicked = Signal(object)
    chat_clicked = Signal(object)
    downloads_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._choices: Sequence[HubChoice] = ()
        self._states: Mapping[HubChoice, FileState] = {}
        self._rows: dict[HubChoice, FileRow] = {}
        self.all_button = push_button("", self, tone="link")
        self.all_button.setObjectName("flush")
        self.all_button.setCheckable(True)
        self.all_button.toggled.connect(self._fill)
        self._box = vbox(gap=6)
        vbox(self._box, lead(self.all_button), on=self, gap=6)

    @property
    def rows(self) -> tuple[FileRow, ...]:
        """On screen, in order."""
        return tuple(self._rows.values())

    def show_choices(self, choices: Sequence[HubChoice], states: Mapping[HubChoice, FileState]) -> None:
        self._choices, self._states = choices, states
        with QSignalBlocker(self.all_button):
            self.all_button.setChecked(False)
        self._fill()

    def show_states(self, states: Mapping[HubChoice, FileState]) -> None:
        """The same choices; what is known of them is different."""
        before = self._best()
        self._states = states
        if self._best() != before and self._best() not in self._rows:
            self._fill()
        for choice, row in self._rows.items():
            row.show_state(states.get(choice, FileState()))

    def _best(self) -> HubChoice | None:
        return next((choice for choice, state in self._states.items() if state.best), None)

    def _fill(self) -> None:
        few = shown_first(self._choices, self._best())
        shown = tuple(self._choices) if self.all_button.isChecked() else few
        gone, self._rows = self._rows, {}
        for row in gone.values():
            self._box.removeWidget(row)
        discard(*gone.values())
        for choice in shown:
            row = FileRow(choice, self)
            row.download_clicked.connect(self.download_clicked)
            row.chat_clicked.connect(self.chat_clicked)
            row.downloads_clicked.connect(self.downloads_clicked)
            row.show_state(self._states.get(choice, FileState()))
            self._box.addWidget(row)
            self._rows[choice] = row
        self.all_button.setVisible(len(few) < len(self._choices))
        self.all_button.setText(
            self.tr("Show fewer")
            if self.all_button.isChecked()
            else self.tr("Show all {count} files").format(count=len(self._choices))
        )
        self.all_button.setAccessibleName(self.all_button.text())
