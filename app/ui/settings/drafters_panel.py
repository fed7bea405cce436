"""What the loaded model can draft with, and what that does to its words."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.core.events import ModelInfo
from app.core.speculation import DrafterKind, DraftingInfo, Rollback, Speculation
from app.ui.formatting.drafting_text import kind_name, sameness
from app.ui.formatting.sentences import translated
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.layouts import grid, vbox
from app.ui.widgets.plain_text import plain_label


class DraftersPanel(QWidget):
    """One line for each drafter: that it is ready, or why it is not."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.sentence = plain_label("muted", self, wraps=True)
        self._lines = {kind: plain_label("muted", self, wraps=True) for kind in DrafterKind}
        self._names = {kind: plain_label("muted", self) for kind in DrafterKind}
        self._lay_out()
        self.setAccessibleName(self.tr("Drafters"))
        self.show_model(None, Speculation())

    @property
    def told(self) -> dict[DrafterKind, str]:
        """What is said of each; empty without a model."""
        return {kind: label.text() for kind, label in self._lines.items() if not label.isHidden()}

    def show_model(self, info: ModelInfo | None, wanted: Speculation) -> None:
        """`wanted` are the settings in force for it, which may be others than it was loaded with."""
        for label in (*self._lines.values(), *self._names.values()):
            label.setHidden(info is None)
        if info is None:
            self._say(self.tr("Load a model to see here what it can draft with."))
            return
        for kind, label in self._lines.items():
            text, is_problem = self._line(kind, info, wanted)
            label.setText(text)
            set_property(label, "tone", "danger" if is_problem else "muted")
        self._say(self._promise(info.drafting, wanted))

    def _line(self, kind: DrafterKind, info: ModelInfo, wanted: Speculation) -> tuple[str, bool]:
        """What is said of a drafter, and whether that is a problem."""
        drafting = info.drafting
        problem = dict(drafting.problems).get(kind)
        if problem is not None:
            return translated(problem), True
        match kind:
            case DrafterKind.NGRAM:
                ready = wanted.ngram and drafting.rollback is not Rollback.NONE
            case _:
                ready = kind in drafting.ready
        if not ready:
            return self._why_off(kind, drafting), False
        if info.adapters and kind is _kind_of_file(drafting):
            return self.tr("Ready. Adapters don't change it, so fewer of its drafts may be right."), False
        return self.tr("Ready"), False

    def _why_off(self, kind: DrafterKind, drafting: DraftingInfo) -> str:
        match kind:
            case DrafterKind.NGRAM if drafting.rollback is Rollback.NONE:
                return self.tr("Off. The batch size is too small to check a draft.")
            case DrafterKind.MTP if drafting.no_head:
                return self.tr("Off. {reason}").format(reason=translated(drafting.no_head))
            case DrafterKind.MTP if drafting.asked.draft_model or drafting.rollback is Rollback.NONE:
                return self.tr("Off")
            case DrafterKind.MTP:
                return self.tr("Off. This model has a head that could be used.")
            case DrafterKind.DRAFT_MODEL if drafting.asked.draft_model:
                return self.tr("Off. The chosen file is a head, and works as MTP.")
            case DrafterKind.DRAFT_MODEL:
                return self.tr("Off. No draft model is chosen.")
        return self.tr("Off")

    def _promise(self, drafting: DraftingInfo, wanted: Speculation) -> str:
        """What drafts may do to the words of this model on this computer."""
        if not (drafting.ready or (wanted.ngram and drafting.rollback is not Rollback.NONE)):
            return self.tr("Nothing is drafted for this model.")
        sure = min(drafting.exact_batch, drafting.exact_deep)
        if wanted.exact and sure < 2:
            return self.tr("Nothing is drafted: checking a draft gives slightly other numbers on this computer.")
        identical = wanted.exact or drafting.identical(wanted.rows)
        told = self.tr("With drafts: {sameness}.").format(sameness=sameness(identical=identical))
        if wanted.exact and sure < wanted.rows:
            told += " " + self.tr("Drafts have at most {count} tokens for that.").format(count=sure - 1)
        if drafting.rollback is Rollback.CHECKPOINT:
            told += " " + self.tr("This model can't simply go back, so a wrong draft costs more.")
        return told

    def _say(self, sentence: str) -> None:
        self.sentence.setText(sentence)
        lines = (f"{kind_name(kind)}: {text}" for kind, text in self.told.items())
        self.setAccessibleDescription(" ".join((sentence, *lines)))

    def _lay_out(self) -> None:
        lines = grid(gaps=(12, 4))
        lines.setColumnStretch(1, 1)
        for row, (kind, name) in enumerate(self._names.items()):
            name.setText(kind_name(kind))
            lines.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            lines.addWidget(self._lines[kind], row, 1, Qt.AlignmentFlag.AlignTop)
        vbox(lines, self.sentence, on=self, gap=8)


def _kind_of_file(drafting: DraftingInfo) -> DrafterKind | None:
    """What the draft model's file works as, which may hold a head alone. No adapter of the model fits its tensors."""
    if not drafting.asked.draft_model:
        return None
    named = {*drafting.ready, *dict(drafting.problems)}
    return DrafterKind.DRAFT_MODEL if DrafterKind.DRAFT_MODEL in named else DrafterKind.MTP
