"""Speculative decoding in the settings, over stand-ins: what is ready, what is offered, and what needs a reload."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.core.adapters import Adapter
from app.core.events import ModelInfo
from app.core.fit import Fit, Proposal, Room, Verdict
from app.core.fit_needs import Needs
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.settings import Settings
from app.core.speculation import DrafterKind, DraftingInfo, Rollback, Speculation
from app.library.catalogue import LibraryModel
from app.library.model_sources import Source
from app.services.engine.states import ModelReady
from app.ui.settings.dialog import SettingsDialog
from app.ui.settings.field import SettingField
from app.ui.settings.model_file_edit import ModelFileEdit, ModelOffer
from app.ui.settings.speculation_page import SpeculationPage
from app.ui.theme.appearance import Appearance
from app.ui.widgets.plain_text import plain_tip
from app.ui.widgets.setting_editors import NumberEdit, SwitchEdit
from tests.ui.fakes import MODEL, READY
from tests.ui.settings.dialogs import Over, model_page

NGRAM, MTP, DRAFT_MODEL = DrafterKind.NGRAM, DrafterKind.MTP, DrafterKind.DRAFT_MODEL
SMALL = Path("/models/small.gguf")
_RELOADS = "Apply loads the model again. The conversation stays."
_LATER = "Takes effect when the model is loaded again."
Open = Callable[[DraftingInfo], SettingsDialog]


def library_model(path: Path, size: int) -> LibraryModel:
    return LibraryModel(path, path.stem.capitalize(), Source.HEARTH, size, (path,), 0, None)


@dataclass
class Bench(Over):
    offers: Sequence[LibraryModel] = field(default_factory=lambda: (library_model(SMALL, 640 << 20),))

    def drafts_for(self, model: ModelRef) -> Sequence[LibraryModel]:
        return self.offers if model == MODEL.ref else ()

    def fit_with(self, info: ModelInfo, settings: Settings) -> tuple[Fit, Sequence[Proposal]]:
        """With a draft that takes so much for each token of the context."""
        needs = Needs(weights=info.size, draft=(settings.loading.ctx_size << 16) * settings.speculation.loads_model)
        return Fit(Verdict.FITS, (Room("", needs, 1 << 36, Verdict.FITS),), info.n_ctx, exact=True), ()

    def with_drafts(self, drafting: DraftingInfo | None = None) -> SettingsDialog:
        if drafting is not None:
            self.engine.enter(ModelReady(replace(MODEL, drafting=drafting)))
        dialog = self.open(self)
        dialog.show_page(Speculation)
        return dialog


@pytest.fixture
def bench(parent: QWidget, appearance: Appearance) -> Bench:
    return Bench(parent, appearance)


def page_of(dialog: SettingsDialog) -> SpeculationPage:
    page = dialog.page(Speculation)
    assert isinstance(page, SpeculationPage)
    return page


def of(dialog: SettingsDialog, name: str) -> SettingField:
    return page_of(dialog).form.fields[name]


def picker(dialog: SettingsDialog) -> ModelFileEdit:
    editor = of(dialog, "draft_model").editor
    assert isinstance(editor, ModelFileEdit)
    return editor


def switch(dialog: SettingsDialog, name: str) -> None:
    editor = of(dialog, name).editor
    assert isinstance(editor, SwitchEdit)
    editor.click()


def loaded(**more: object) -> DraftingInfo:
    return replace(DraftingInfo(ready=(NGRAM,), rollback=Rollback.TRIM), **more)  # type: ignore[arg-type]  # each test names its own


def test_without_a_model_nothing_is_known(bench: Bench) -> None:
    drafters = page_of(bench.with_drafts()).drafters
    assert drafters.told == {}
    assert drafters.sentence.text() == "Load a model to see here what it can draft with."


def test_each_drafter_is_ready_or_says_why_not(bench: Bench) -> None:
    told = page_of(bench.with_drafts(loaded(no_head="It has no head."))).drafters.told
    assert told == {NGRAM: "Ready", MTP: "Off. It has no head.", DRAFT_MODEL: "Off. No draft model is chosen."}


def test_a_head_that_could_be_used_is_told_of(bench: Bench) -> None:
    assert page_of(bench.with_drafts(loaded())).drafters.told[MTP] == "Off. This model has a head that could be used."


@pytest.mark.parametrize(
    ("asked", "ready", "alone"),
    [
        (Speculation(mtp=True), (NGRAM, MTP), None),
        (Speculation(draft_model=str(SMALL)), (NGRAM, DRAFT_MODEL), DRAFT_MODEL),
        (Speculation(draft_model="/models/head.gguf"), (NGRAM, MTP), MTP),
        (Speculation(mtp=True, draft_model=str(SMALL)), (NGRAM, MTP, DRAFT_MODEL), DRAFT_MODEL),
    ],
)
def test_what_adapters_do_not_change_is_told(
    bench: Bench, asked: Speculation, ready: tuple[DrafterKind, ...], alone: DrafterKind | None
) -> None:
    info = replace(MODEL, drafting=DraftingInfo(asked, ready, (), Rollback.TRIM))
    bench.engine.enter(ModelReady(replace(info, adapters=(Adapter(Path("/style.gguf")),))))
    told = page_of(bench.with_drafts()).drafters.told
    assert {kind: told[kind] == "Ready" for kind in ready} == {kind: kind is not alone for kind in ready}
    bench.engine.enter(ModelReady(info))
    told = page_of(bench.with_drafts()).drafters.told
    assert all(told[kind] == "Ready" for kind in ready)


def test_what_was_asked_for_and_failed_is_a_problem(bench: Bench) -> None:
    asked = Speculation(draft_model=str(SMALL), mtp=True)
    info = loaded(asked=asked, ready=(NGRAM, MTP), problems=((DRAFT_MODEL, "small.gguf can't draft."),))
    drafters = page_of(bench.with_drafts(info)).drafters
    assert drafters.told == {NGRAM: "Ready", MTP: "Ready", DRAFT_MODEL: "small.gguf can't draft."}
    assert "small.gguf can't draft." in drafters.accessibleDescription()


def test_where_no_batch_can_check_a_draft_nothing_is_drafted(bench: Bench) -> None:
    drafters = page_of(bench.with_drafts(DraftingInfo())).drafters
    assert drafters.told[NGRAM].startswith("Off. The batch size is too small")
    assert drafters.sentence.text() == "Nothing is drafted for this model."


@pytest.mark.parametrize(
    ("sure", "exact", "sentence"),
    [
        ((17, 17), False, "With drafts: identical output."),
        ((17, 4), False, "With drafts: same distribution; wording may differ by rounding."),
        ((5, 5), True, "With drafts: identical output. Drafts have at most 4 tokens for that."),
        ((17, 1), True, "Nothing is drafted: checking a draft gives slightly other numbers on this computer."),
    ],
)
def test_says_what_drafts_do_to_the_words(bench: Bench, sure: tuple[int, int], exact: bool, sentence: str) -> None:
    bench.settings.update(Speculation, exact=exact)
    info = loaded(exact_batch=sure[0], exact_deep=sure[1])
    assert page_of(bench.with_drafts(info)).drafters.sentence.text() == sentence


def test_ngram_is_switched_without_a_reload(bench: Bench) -> None:
    dialog = bench.with_drafts(loaded())
    switch(dialog, "ngram")
    assert dialog.footer.text() == ""
    dialog.apply()
    assert bench.settings.settings.speculation.ngram is False
    assert ("reload",) not in bench.engine.calls
    assert page_of(dialog).drafters.told[NGRAM] == "Off"


def test_what_has_to_be_loaded_says_so_and_is_loaded(bench: Bench) -> None:
    dialog = bench.with_drafts(loaded())
    switch(dialog, "mtp")
    assert of(dialog, "mtp").note == _LATER
    assert dialog.footer.text() == _RELOADS
    switch(dialog, "mtp")
    assert (of(dialog, "mtp").note, dialog.footer.text()) == ("", "")
    switch(dialog, "mtp")
    dialog.apply()
    assert bench.engine.calls == [("reload",)]


def test_the_length_of_drafts_that_nobody_makes_needs_no_reload(bench: Bench) -> None:
    dialog = bench.with_drafts(loaded())
    editor = of(dialog, "draft_max").editor
    assert isinstance(editor, NumberEdit)
    editor.setText("8")
    assert (of(dialog, "draft_max").note, dialog.footer.text()) == ("", "")
    switch(dialog, "mtp")
    assert of(dialog, "draft_max").note == _LATER


def test_what_the_model_has_of_its_own_holds(bench: Bench) -> None:
    bench.engine.own_options = ModelOptions({Speculation: {"mtp": True}})
    dialog = bench.with_drafts(loaded(asked=Speculation(mtp=True), ready=(NGRAM, MTP)))
    page = page_of(dialog)
    assert page.own == f"Set for {MODEL.name} alone, under Models: Guess with the model's own head."
    assert dialog.footer.text() == ""
    switch(dialog, "mtp")
    switch(dialog, "mtp")
    assert (of(dialog, "mtp").note, dialog.footer.text()) == ("", "")


def test_fitting_models_are_offered_the_first_as_suggested(bench: Bench) -> None:
    bench.offers = (*bench.offers, library_model(Path("/models/other.gguf"), 2 << 30))
    editor = picker(bench.with_drafts(loaded()))
    texts = [editor.itemText(index) for index in range(editor.count())]
    assert texts == ["None", "Small · 640 MiB · suggested", "Other · 2.0 GiB", "", "Choose a file…"]
    assert editor.currentText() == "None"


def test_choosing_one_is_kept_and_loaded(bench: Bench) -> None:
    dialog = bench.with_drafts(loaded())
    picker(dialog).setCurrentIndex(1)
    assert of(dialog, "draft_model").note == _LATER
    assert picker(dialog).toolTip() == plain_tip(str(SMALL))
    dialog.apply()
    assert bench.settings.settings.speculation.draft_model == str(SMALL)
    assert bench.engine.calls == [("reload",)]


def test_none_is_chosen_again_by_reset(bench: Bench) -> None:
    bench.settings.update(Speculation, draft_model="/elsewhere/chosen.gguf")
    dialog = bench.with_drafts(loaded(asked=Speculation(draft_model="/elsewhere/chosen.gguf")))
    assert picker(dialog).currentText() == "chosen.gguf"
    of(dialog, "draft_model").reset_button.click()
    assert (picker(dialog).read(), picker(dialog).currentText()) == ("", "None")


def test_any_file_may_be_chosen(bench: Bench, qtbot: QtBot) -> None:
    dialog = bench.with_drafts(loaded())
    editor = picker(dialog)
    editor.setCurrentIndex(editor.count() - 1)
    assert editor.currentText() == "None"
    (chooser,) = editor.findChildren(QFileDialog)
    with qtbot.waitSignal(editor.value_changed):
        chooser.fileSelected.emit("/elsewhere/mine.gguf")
    chooser.close()
    assert (editor.read(), editor.currentText()) == ("/elsewhere/mine.gguf", "mine.gguf")


def test_other_offers_leave_the_choice(bench: Bench) -> None:
    editor = picker(bench.with_drafts(loaded()))
    editor.setCurrentIndex(1)
    editor.offer((ModelOffer(Path("/models/new.gguf"), "New", 1 << 20),))
    assert (editor.read(), editor.currentText()) == (str(SMALL), SMALL.name)
    editor.offer((ModelOffer(SMALL, "Small", 1 << 20),))
    assert editor.currentText() == "Small · 1 MiB · suggested"


def test_a_new_model_is_looked_at_anew(bench: Bench) -> None:
    dialog = bench.with_drafts(loaded())
    bench.engine.enter(READY)
    assert page_of(dialog).drafters.told[NGRAM].startswith("Off.")


def test_the_memory_counts_what_drafts(bench: Bench) -> None:
    dialog = bench.with_drafts(loaded())
    before = model_page(dialog).memory
    assert before.legend.texts[0] == "Weights: 5.0 GiB"
    switch(dialog, "mtp")
    assert before.legend.texts[0] == "Weights: 5.5 GiB, with 512 MiB for drafts"
    context = model_page(dialog).form.fields["ctx_size"].editor
    assert isinstance(context, NumberEdit)
    context.setText("16384")
    assert before.legend.texts[0] == "Weights: 6.0 GiB, with 1.0 GiB for drafts"
