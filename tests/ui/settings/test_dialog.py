"""The dialog over stand-ins: what is put in force, when, and what stands in the way."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.core.checkpointing import Checkpointing
from app.core.errors import UserError
from app.core.events import LoadStage, ModelInfo, SlotStatus
from app.core.fit import Fit, Free, Proposal
from app.core.loading import CacheType, FlashAttention, Loading, LoadMode
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.sampling import Sampling
from app.core.setting import declaration
from app.core.settings import SECTIONS, Interface, Settings, Theme
from app.core.snapshot_settings import SnapshotSettings
from app.core.speculation import Speculation
from app.library.catalogue import LibraryModel
from app.services.engine.service import EngineService
from app.services.engine.states import Generating, ModelFailed, ModelLoading, ModelReady, NoModel, SnapshotStatus
from app.services.models.fit import ModelFit
from app.services.runtime.settings_service import SettingsService
from app.ui.settings import loading_rules
from app.ui.settings.dialog import SettingsDialog
from app.ui.settings.field import SettingField
from app.ui.settings.pages import ModelPage, SnapshotsPage
from app.ui.settings.services import ModelLibrary
from app.ui.theme.appearance import Appearance
from app.ui.widgets.setting_editors import ChoiceEdit, NumberEdit, TextEdit
from tests.ui.cut_text import cut
from tests.ui.fakes import MODEL, READY
from tests.ui.model_home import described
from tests.ui.settings.dialogs import Over, model_page

GIB = 1 << 30
SHORT = 6 * GIB if sys.platform == "linux" else GIB // 2
"""What is free beside the model in memory; on Linux what its mapped file takes is free already."""


@dataclass
class Desk(Over):
    free: int = 64 * GIB
    model: LibraryModel = field(default_factory=lambda: described("Qwen3 8B", size=5 * GIB))

    def __post_init__(self) -> None:
        settings, engine = cast(SettingsService, self.settings), cast(EngineService, self.engine)
        self.fit = ModelFit(settings, engine, lambda: Free(self.free), lambda _: self.model, self.parent)

    def drafts_for(self, model: ModelRef) -> Sequence[LibraryModel]:
        return ()

    def fit_with(self, info: ModelInfo, settings: Settings) -> tuple[Fit, Sequence[Proposal]] | None:
        return self.fit.with_settings(info, settings)

    def open(self, models: ModelLibrary | None = None) -> SettingsDialog:
        return super().open(models or self)


@pytest.fixture
def desk(parent: QWidget, appearance: Appearance) -> Desk:
    desk = Desk(parent, appearance)
    desk.engine.enter(READY)
    return desk


def of(dialog: SettingsDialog, page: type, name: str) -> SettingField:
    (form,) = dialog.page(page).forms()
    return form.fields[name]


def write(dialog: SettingsDialog, page: type, name: str, text: str) -> None:
    editor = of(dialog, page, name).editor
    assert isinstance(editor, NumberEdit)
    editor.setText(text)


def too_much(dialog: SettingsDialog) -> bool:
    return model_page(dialog).memory.is_too_large


def choose(dialog: SettingsDialog, name: str, value: StrEnum) -> None:
    editor = of(dialog, Loading, name).editor
    assert isinstance(editor, ChoiceEdit)
    editor.write(value)


def test_what_is_for_experts_is_folded_away(desk: Desk) -> None:
    dialog = desk.open()
    dialog.show_page(Loading)
    for each in fields(Loading):
        shown = of(dialog, Loading, each.name).isVisible()
        assert shown is not declaration(each).advanced
    (form,) = dialog.page(Loading).forms()
    QTest.keyClick(form.advanced_toggle, Qt.Key.Key_Space)
    assert all(field.isVisible() for field in form.fields.values())


def test_pages_are_made_when_they_are_looked_at(desk: Desk) -> None:
    dialog = desk.open()
    assert len(dialog.findChildren(QWidget)) < 250
    assert not dialog.findChildren(ModelPage)
    dialog.page_list.setCurrentRow(1)
    (page,) = dialog.findChildren(ModelPage)
    assert page.isVisible() and page is dialog.page(Loading)


def test_the_first_frame_of_a_page_is_whole(desk: Desk) -> None:
    dialog = desk.open()
    for row in range(dialog.page_list.count()):
        dialog.page_list.setCurrentRow(row)
        found = cut(dialog)
        assert not found, "\n".join(found)


def test_pages_by_keyboard(desk: Desk) -> None:
    dialog = desk.open()
    assert dialog.focusWidget() is dialog.page_list
    titles = []
    for row in range(dialog.page_list.count()):
        shown = [entry for name in SECTIONS if (entry := dialog.entry_of(name)).isVisible()]
        titles.append(shown[0].title)
        assert any(field.isVisible() for field in shown[0].findChildren(SettingField)), "a title alone is no page"
        assert dialog.page_list.item(row).text() == shown[0].title
        QTest.keyClick(dialog.page_list, Qt.Key.Key_Down)
    assert titles == ["General", "Model", "Speed and memory", "Pictures", "Sampling", "Library", "Tools", "Local API"]


@pytest.mark.parametrize("row", range(7))
def test_tab_goes_from_the_list_through_the_page_to_the_buttons(desk: Desk, row: int) -> None:
    """Pages are made after the buttons."""
    dialog = desk.open()
    # Another page before it, so that the one that is looked at isn't the first that was made.
    dialog.page_list.setCurrentRow(6 - row)
    dialog.page_list.setCurrentRow(row)
    entry = next(each for name in SECTIONS if (each := dialog.entry_of(name)).isVisible())
    for fold in entry.folds.values():
        fold.setChecked(True)
    visited: list[QWidget] = []
    while (focused := dialog.focusWidget()) not in visited and len(visited) < 200:
        assert focused is not None
        visited.append(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    inside = [n for n, each in enumerate(visited) if entry.isAncestorOf(each)]
    assert inside and inside == list(range(1, 1 + len(inside)))
    assert visited[1 + len(inside)] is dialog.cancel_button
    heights = [each.mapTo(entry.inside, QPoint()).y() for each in visited[1 : 1 + len(inside)]]
    assert all(below >= above - 12 for above, below in pairwise(heights))


def test_speed_and_memory_are_one_page_with_its_technical_parts_folded(desk: Desk, qtbot: QtBot) -> None:
    dialog = desk.open()
    dialog.show_page(SnapshotSettings)
    entry = dialog.entry_of(SnapshotSettings)
    pages = [dialog.page(each) for each in (SnapshotSettings, Speculation, Checkpointing)]
    assert entry.title == "Speed and memory" and entry.pages == pages
    assert [page.isVisible() for page in pages] == [True, False, False]
    titles = [label for label in entry.findChildren(QLabel) if label.text() == "Warm conversations"]
    qtbot.waitUntil(lambda: any(title.isVisible() for title in titles))
    fold = entry.folds[dialog.page(Checkpointing)]
    assert fold.text() == "Checkpoints" and fold.accessibleDescription() == "Hidden"
    QTest.keyClick(fold, Qt.Key.Key_Space)
    assert [page.isVisible() for page in pages] == [True, False, True]
    assert fold.accessibleDescription() == "Shown"
    # Whoever is sent to a folded part sees it.
    dialog.show_page(Speculation)
    assert pages[1].isVisible()


def test_what_is_refused_in_a_folded_part_is_unfolded(desk: Desk) -> None:
    dialog = desk.open()
    write(dialog, Checkpointing, "min_step", "-1")
    assert not dialog.apply()
    field = of(dialog, Checkpointing, "min_step")
    assert field.isVisible() and dialog.focusWidget() is field.editor


def test_every_field_can_be_reached_by_tab(desk: Desk) -> None:
    dialog = desk.open()
    dialog.show_page(Checkpointing)
    (form,) = dialog.page(Checkpointing).forms()
    form.advanced_toggle.setChecked(True)
    reached: set[QWidget | None] = set()
    for _ in range(30):
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        reached.add(dialog.focusWidget())
    wanted = {field.editor for field in form.fields.values()} | {form.advanced_toggle, dialog.ok_button}
    assert wanted <= reached


def test_nothing_is_in_force_before_apply(desk: Desk) -> None:
    dialog = desk.open()
    assert not dialog.apply_button.isEnabled()
    write(dialog, Checkpointing, "ctx_checkpoints", "5")
    assert dialog.apply_button.isEnabled()
    assert desk.settings.settings == Settings()
    dialog.apply_button.click()
    assert desk.settings.settings.checkpoints.ctx_checkpoints == 5
    assert desk.engine.calls == []
    assert not dialog.apply_button.isEnabled()
    assert dialog.isVisible()


def test_cancel_changes_nothing(desk: Desk) -> None:
    dialog = desk.open()
    write(dialog, Checkpointing, "ctx_checkpoints", "5")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert desk.settings.settings == Settings()


def test_enter_applies_and_closes(desk: Desk) -> None:
    dialog = desk.open()
    write(dialog, Checkpointing, "ctx_checkpoints", "5")
    QTest.keyClick(of(dialog, Checkpointing, "ctx_checkpoints").editor, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert desk.settings.settings.checkpoints.ctx_checkpoints == 5


def test_enter_presses_the_button_that_has_the_keyboard(desk: Desk) -> None:
    dialog = desk.open()
    write(dialog, Checkpointing, "ctx_checkpoints", "5")
    dialog.cancel_button.setFocus()
    QTest.keyClick(dialog.cancel_button, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert desk.settings.settings == Settings()


def test_only_what_was_edited_is_written(desk: Desk) -> None:
    """A model that is loaded meanwhile is remembered in the settings; an open dialog must not undo that."""
    dialog = desk.open()
    prompt = of(dialog, Interface, "system_prompt").editor
    assert isinstance(prompt, TextEdit)
    prompt.setPlainText("Be brief.")
    desk.settings.update(Interface, last_model="/m/new.gguf")
    shown = of(dialog, Interface, "last_model").editor
    assert isinstance(shown, TextEdit)
    assert shown.toPlainText() == "/m/new.gguf"
    dialog.apply()
    interface = desk.settings.settings.interface
    assert (interface.system_prompt, interface.last_model, interface.theme) == (
        "Be brief.",
        "/m/new.gguf",
        Theme.SYSTEM,
    )


def test_a_reload_is_announced_and_done(desk: Desk) -> None:
    dialog = desk.open()
    write(dialog, Loading, "ctx_size", "4096")
    assert of(dialog, Loading, "ctx_size").note == "Takes effect when the model is loaded again."
    assert of(dialog, Loading, "threads").note == ""
    assert dialog.footer.text() == "Apply loads the model again. The conversation stays."
    dialog.apply_button.click()
    assert desk.settings.settings.loading.ctx_size == 4096
    assert desk.engine.calls == [("reload",)]
    desk.engine.enter(ModelLoading(MODEL.ref, LoadStage.LOADING, 0.5))
    assert dialog.footer.text() == "The model is being loaded."
    assert not dialog.apply_button.isEnabled()
    loaded = replace(MODEL, n_ctx=4096, loading=desk.settings.settings.loading)
    desk.engine.enter(ModelReady(loaded, ("The context is smaller than asked.",)))
    assert dialog.footer.text() == "The context is smaller than asked."
    assert of(dialog, Loading, "ctx_size").note == ""
    assert not dialog.apply_button.isEnabled()


def test_an_answer_that_would_be_cut_off_is_told_of(desk: Desk) -> None:
    dialog = desk.open()
    write(dialog, Loading, "ctx_size", "4096")
    desk.controller.replies.enter(Generating(1.0, 2))
    assert dialog.footer.text().endswith("The answer that is being written stops.")


def test_a_model_that_was_loaded_otherwise_is_loaded_again(desk: Desk) -> None:
    desk.engine.enter(ModelReady(replace(MODEL, loading=Loading(ctx_size=512))))
    dialog = desk.open()
    assert of(dialog, Loading, "ctx_size").note
    dialog.apply_button.click()
    assert desk.engine.calls == [("reload",)]


def test_without_a_model_nothing_is_loaded(desk: Desk) -> None:
    desk.engine.enter(NoModel())
    dialog = desk.open()
    write(dialog, Loading, "ctx_size", "4096")
    dialog.apply_button.click()
    assert desk.settings.settings.loading.ctx_size == 4096
    assert desk.engine.calls == []


def test_after_a_failure_other_settings_are_tried(desk: Desk) -> None:
    dialog = desk.open()
    desk.engine.enter(ModelFailed(ModelRef.of_file(Path("/m/a.gguf")), UserError("No room.")))
    assert dialog.footer.text() == "No room."
    write(dialog, Loading, "ctx_size", "512")
    dialog.apply_button.click()
    assert desk.engine.calls == [("reload",)]


def test_a_refused_value_stops_apply(desk: Desk) -> None:
    dialog = desk.open()
    write(dialog, Checkpointing, "ctx_checkpoints", "9999")
    sentence = "Checkpoints: 9999 is above the largest value, 1024."
    assert of(dialog, Checkpointing, "ctx_checkpoints").note == sentence
    assert dialog.footer.text() == sentence
    assert not dialog.apply_button.isEnabled()
    assert not dialog.ok_button.isEnabled()
    assert not dialog.apply()
    assert desk.settings.settings == Settings()
    assert dialog.page(Checkpointing).isVisible()
    assert dialog.focusWidget() is of(dialog, Checkpointing, "ctx_checkpoints").editor
    write(dialog, Checkpointing, "ctx_checkpoints", "9")
    assert dialog.apply()


@pytest.mark.parametrize("quantised", [CacheType.Q8_0, CacheType.IQ4_NL])
def test_quantised_values_need_flash_attention(desk: Desk, quantised: CacheType) -> None:
    dialog = desk.open()
    choose(dialog, "cache_type_v", quantised)
    assert of(dialog, Loading, "cache_type_v").problem == ""
    choose(dialog, "flash_attn", FlashAttention.OFF)
    told = of(dialog, Loading, "cache_type_v").note
    assert told.startswith(f"{quantised.value} values need flash attention")
    assert not dialog.apply_button.isEnabled()
    assert not dialog.apply()
    assert desk.engine.calls == []
    for solution in (FlashAttention.AUTO, FlashAttention.ON):
        choose(dialog, "flash_attn", FlashAttention.OFF)
        choose(dialog, "flash_attn", solution)
        assert dialog.apply_button.isEnabled()
    choose(dialog, "flash_attn", FlashAttention.OFF)
    choose(dialog, "cache_type_v", CacheType.BF16)
    assert dialog.apply()


def test_quantised_keys_do_without_flash_attention(desk: Desk) -> None:
    dialog = desk.open()
    choose(dialog, "flash_attn", FlashAttention.OFF)
    choose(dialog, "cache_type_k", CacheType.Q8_0)
    assert dialog.apply_button.isEnabled()


def test_a_micro_batch_is_no_larger_than_a_batch(desk: Desk) -> None:
    dialog = desk.open()
    dialog.show_page(Loading)
    write(dialog, Loading, "batch_size", "256")
    ubatch = of(dialog, Loading, "ubatch_size")
    assert ubatch.note == "The micro-batch cannot be larger than the batch, which is 256 tokens."
    assert ubatch.isVisible()  # though it is for experts
    assert not dialog.apply_button.isEnabled()
    write(dialog, Loading, "ubatch_size", "256")
    assert dialog.apply_button.isEnabled()


def test_a_value_that_cannot_be_had_says_what_it_becomes(desk: Desk) -> None:
    dialog = desk.open()
    context, threads = of(dialog, Loading, "ctx_size"), of(dialog, Loading, "threads")
    write(dialog, Loading, "ctx_size", "40000")
    told = "The model was trained with 32,768 tokens: it becomes 32,768."
    assert context.note.startswith(told) and told in context.editor.accessibleDescription()
    assert not context.problem and dialog.apply_button.isEnabled(), "another model may have it"
    write(dialog, Loading, "ctx_size", "32768")
    assert told not in context.note
    write(dialog, Loading, "gpu_layers", "99")
    assert "it becomes 37." in of(dialog, Loading, "gpu_layers").note
    most = os.cpu_count() or 0
    write(dialog, Loading, "threads", "512")
    assert threads.note.startswith(f"This computer runs no more than {most} threads at once: it becomes {most}.")
    desk.engine.enter(NoModel())
    write(dialog, Loading, "ctx_size", "40000")
    assert "trained" not in context.note, "nobody knows of whom"


def test_what_the_system_lets_be_locked_is_told_where_it_is_too_little(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = desk.open()
    for limit, told in ((8 << 20, True), (16 << 30, False), (None, False)):
        monkeypatch.setattr(loading_rules, "lockable_bytes", lambda limit=limit: limit)
        choose(dialog, "load_mode", LoadMode.MLOCK)
        note = of(dialog, Loading, "load_mode").note
        assert ("This system lets Hearth lock 8 MiB (RLIMIT_MEMLOCK)." in note) is told
        choose(dialog, "load_mode", LoadMode.MMAP)
        assert "RLIMIT_MEMLOCK" not in of(dialog, Loading, "load_mode").note


def test_guesses_that_are_never_long_enough_are_told(desk: Desk) -> None:
    dialog = desk.open()
    write(dialog, Speculation, "draft_min", "9")
    told = "Guesses have no more than 4 tokens, so that none is checked."
    assert of(dialog, Speculation, "draft_min").note == told


def test_the_estimate_follows_the_fields(desk: Desk) -> None:
    dialog = desk.open()
    dialog.show_page(Loading)
    memory = model_page(dialog).memory
    assert memory.legend.texts[:2] == ("Weights: 5.5 GiB", "KV cache: 1.1 GiB")
    write(dialog, Loading, "ctx_size", "16384")
    assert memory.legend.texts[1] == "KV cache: 2.2 GiB"
    choose(dialog, "cache_type_k", CacheType.Q8_0)
    choose(dialog, "cache_type_v", CacheType.Q8_0)
    assert memory.legend.texts[1] == "KV cache: 1.2 GiB"
    write(dialog, Loading, "ctx_size", "")
    assert memory.legend.texts[1] == "KV cache: 612 MiB"  # what is in force, while nobody knows better


def test_the_checkpoints_page_counts_too(desk: Desk) -> None:
    facts = desk.model.facts
    assert facts and facts.shape
    [layer] = facts.shape.layers
    windows = replace(facts.shape, layers=(replace(layer, window=True),), n_swa=4096)
    desk.model = replace(desk.model, facts=replace(facts, shape=windows))
    dialog = desk.open()
    dialog.show_page(Loading)
    assert model_page(dialog).memory.legend.texts[3] == "Checkpoints: at most 1.0 GiB"
    write(dialog, Checkpointing, "budget", "100")
    assert model_page(dialog).memory.legend.texts[3] == "Checkpoints: at most 100 MiB"


def test_what_does_not_fit_is_said(desk: Desk) -> None:
    desk.free = SHORT
    dialog = desk.open()
    dialog.show_page(Loading)
    assert not too_much(dialog)  # what is loaded fits, for it is there
    write(dialog, Loading, "ctx_size", "16384")
    assert too_much(dialog)
    told = model_page(dialog).memory.sentence.text()
    assert told.startswith("Too large: with a context of 16k it takes about 7.9 GiB, and")
    desk.free = 8 * GIB
    write(dialog, Loading, "ctx_size", "16385")
    assert not too_much(dialog)


def test_what_would_fit_is_set_by_a_click_and_not_in_force_before_apply(desk: Desk) -> None:
    desk.free = SHORT
    dialog = desk.open()
    dialog.show_page(Loading)
    write(dialog, Loading, "ctx_size", "16384")
    before = len(model_page(dialog).memory.proposals)
    smaller = next(each for each in model_page(dialog).memory.proposals if each.text() == "KV cache as q8_0")
    smaller.click()
    assert model_page(dialog).memory.sentence.text().startswith("Fits")
    assert model_page(dialog).form.draft().cache_type_k is CacheType.Q8_0
    assert desk.settings.settings.loading.cache_type_k is CacheType.F16
    assert dialog.apply_button.isEnabled()
    choose(dialog, "cache_type_k", CacheType.F16)
    choose(dialog, "cache_type_v", CacheType.F16)
    desk.engine.own_options = ModelOptions({Loading: {"ctx_size": 16384}})
    desk.engine.enter(READY)
    own = model_page(dialog).memory.proposals
    assert 0 < len(own) < before, "what holds for the model alone is not set here"


def test_checkpoints_that_are_held_are_given_back(desk: Desk) -> None:
    desk.free = SHORT
    dialog = desk.open()
    dialog.show_page(Loading)
    write(dialog, Loading, "ctx_size", "16384")
    assert too_much(dialog)
    desk.engine.slot = SlotStatus(100, 8192, (50,), 8 * GIB)
    desk.engine.hold(desk.engine.slot)
    assert not too_much(dialog)


def test_without_a_model_there_is_no_estimate(desk: Desk) -> None:
    desk.engine.enter(NoModel())
    dialog = desk.open()
    assert model_page(dialog).hint.text().startswith("Load a model")
    assert model_page(dialog).memory.isHidden()


def test_a_problem_far_down_is_brought_into_view(qtbot: QtBot, desk: Desk) -> None:
    dialog = desk.open()
    dialog.resize(660, 420)
    write(dialog, Sampling, "min_keep", "none")
    assert not dialog.apply()
    entry, last = dialog.entry_of(Sampling), of(dialog, Sampling, "min_keep")

    def is_seen() -> bool:
        place = last.editor.mapTo(entry.viewport(), QPoint(0, 0))
        return entry.viewport().rect().contains(place)

    qtbot.waitUntil(is_seen)
    assert dialog.focusWidget() is last.editor
    assert entry.horizontalScrollBar().maximum() == 0


def test_what_is_kept_is_told_and_can_be_emptied(desk: Desk) -> None:
    dialog = desk.open()
    page = dialog.page(SnapshotSettings)
    assert isinstance(page, SnapshotsPage)
    assert not page.empty_button.isEnabled()
    desk.engine.snapshots.changed.emit(SnapshotStatus(3 << 20, 2 << 30))
    assert page.held.text() == "Held now: 3 MiB in memory, 2.0 GiB on disk."
    page.empty_button.click()
    assert desk.engine.snapshots.was_emptied


def test_the_list_of_pages_shows_all_of_each(desk: Desk) -> None:
    pages = desk.open().page_list
    assert pages.sizeHintForColumn(0) <= pages.viewport().width()
    assert pages.sizeHintForRow(0) * pages.count() <= pages.viewport().height()
