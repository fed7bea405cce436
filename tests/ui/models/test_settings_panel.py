"""What people set and note for one model, in the pane of its details."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.core.adapters import Adapter
from app.core.loading import Loading
from app.core.model_options import MODEL_SECTIONS, ModelOptions
from app.core.model_ref import ModelRef
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.library.catalogue import LibraryModel
from app.library.model_facts import ModelFacts, ModelKind
from app.library.model_sources import Source
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady
from app.services.models.options import OptionsOfModels, stored_options
from app.services.runtime.settings_service import SettingsService
from app.storage.database import Database
from app.storage.options import OptionsStore
from app.ui.models.settings_panel import ModelSettingsPanel
from app.ui.settings.field import SettingField
from app.ui.settings.model_file_edit import ModelFileEdit
from app.ui.theme.appearance import Appearance
from tests.tiny_adapters import make_adapter
from tests.ui.fakes import MODEL, FakeEngine, FakeSettings
from tests.waits import WAIT

PATH = MODEL.ref.file
LIBRARY_MODEL = LibraryModel(
    PATH, "Qwen3 8B", Source.HEARTH, 5 << 30, (PATH,), 0,
    ModelFacts(ModelKind.MODEL, architecture="llama", sampling={"temperature": 0.6}),
)  # fmt: skip
OTHER = replace(LIBRARY_MODEL, path=Path("/models/Other.gguf"), name="Other")


class Engine(FakeEngine):
    """Asks for a model's options as the real one does."""

    def __init__(self, store: OptionsStore) -> None:
        super().__init__()
        self._store = store

    def options_of(self, model: ModelRef) -> ModelOptions:
        return stored_options(self._store, model)


class Bench:
    """The pane over real options and an engine that is none."""

    def __init__(self, appearance: Appearance, database: Database, qtbot: QtBot) -> None:
        store = OptionsStore(database)
        self.engine, self.settings = Engine(store), FakeSettings()
        self.drafts: dict[ModelRef, tuple[LibraryModel, ...]] = {}
        self.options = OptionsOfModels(
            store,
            cast(EngineService, self.engine),
            cast(SettingsService, self.settings),
            lambda model: self.drafts.get(model, ()),
        )
        self.host = QWidget()
        qtbot.addWidget(self.host)
        column = QVBoxLayout(self.host)
        self.pane = ModelSettingsPanel(appearance, self.options, self.host)
        column.addWidget(self.pane)
        column.addStretch(1)
        self.host.resize(420, 900)
        self.host.show()
        self.pane.show_model(LIBRARY_MODEL)

    def add(self, qtbot: QtBot, path: Path) -> None:
        """An adapter, as the dialog for files gives it; its header is read in a thread."""
        with qtbot.waitSignal(self.options.adapter_read, timeout=WAIT):
            self.pane.adapters.add(path)

    def unfold(self, section: type) -> None:
        QTest.keyClick(self.pane.settings.toggles[section], Qt.Key.Key_Space)

    def write(self, section: type, name: str, text: str) -> None:
        editor = self.pane.settings.forms[section].fields[name].editor
        assert isinstance(editor, QLineEdit)
        editor.selectAll()
        QTest.keyClicks(editor, text)

    def of(self, section: type, model: ModelRef = MODEL.ref) -> dict[str, object]:
        return dict(self.options.of(model).of(section))


@pytest.fixture
def bench(appearance: Appearance, tmp_path: Path, qtbot: QtBot) -> Iterator[Bench]:
    with Database.open(tmp_path / "hearth.sqlite3") as database:
        bench = Bench(appearance, database, qtbot)
        yield bench
        bench.options.close()


def test_what_is_typed_is_kept_for_this_model_alone(bench: Bench, qtbot: QtBot) -> None:
    assert bench.pane.settings.told.text() == "Nothing is set for this model alone: it is used as all others."
    bench.unfold(Loading)
    with qtbot.waitSignal(bench.options.changed):
        bench.write(Loading, "ctx_size", "16384")
    assert bench.of(Loading) == {"ctx_size": 16384}
    assert bench.of(Loading, OTHER.ref) == {}
    assert bench.pane.settings.told.text() == "Set for this model alone: Context size."
    assert bench.pane.settings.toggles[Loading].text() == "Loading (1 set)"
    assert bench.engine.settings_for(MODEL.ref).loading.ctx_size == 16384


def test_the_fields_show_what_holds_and_where_it_comes_from(bench: Bench) -> None:
    bench.unfold(Sampling)
    field = bench.pane.settings.forms[Sampling].fields["temperature"]
    assert (field.value(), field.state.text()) == (0.6, "Inherited"), "its file's advice"
    bench.settings.update(Sampling, temperature=1.2)
    bench.pane.show_model(OTHER)
    assert field.value() == 1.2, "what people set for all comes before advice"


def test_what_a_model_cannot_have_stands_at_its_details_and_at_the_field(bench: Bench, qtbot: QtBot) -> None:
    facts = ModelFacts(ModelKind.MODEL, architecture="llama", n_ctx_train=4096)
    bench.pane.show_model(replace(OTHER, facts=facts))
    told = "The model was trained with 4,096 tokens: it becomes 4,096."
    assert bench.pane.settings.told.text().endswith(f"Context size: {told}")
    bench.unfold(Loading)
    field = bench.pane.settings.forms[Loading].fields["ctx_size"]
    assert field.note == told
    with qtbot.waitSignal(bench.options.changed):
        bench.write(Loading, "ctx_size", "4096")
    assert field.note == ""
    assert "becomes" not in bench.pane.settings.told.text()


def test_leaving_keeps_what_was_typed_a_moment_ago(bench: Bench) -> None:
    bench.unfold(Loading)
    bench.write(Loading, "threads", "3")
    bench.pane.notes.setPlainText("good at poems")
    bench.pane.show_model(OTHER)
    assert bench.of(Loading) == {"threads": 3}
    assert bench.options.of(MODEL.ref).notes == "good at poems"
    assert bench.pane.notes.toPlainText() == ""
    assert bench.pane.settings.forms[Loading].fields["threads"].state.text() == "Inherited"
    bench.pane.show_model(LIBRARY_MODEL)
    assert bench.pane.notes.toPlainText() == "good at poems"
    assert bench.pane.settings.forms[Loading].fields["threads"].state.text() == "Set here"


def test_closing_keeps_it_too(bench: Bench) -> None:
    bench.unfold(Loading)
    bench.write(Loading, "threads", "5")
    bench.host.hide()
    assert bench.of(Loading) == {"threads": 5}


@pytest.mark.parametrize(("name", "text"), [("ctx_size", "-4"), ("threads", "many"), ("ubatch_size", "9000")])
def test_what_cannot_be_taken_says_so_and_is_not_kept(bench: Bench, name: str, text: str) -> None:
    bench.unfold(Loading)
    form = bench.pane.settings.forms[Loading]
    form.advanced_toggle.setChecked(True)
    bench.write(Loading, name, text)
    bench.pane.show_model(OTHER)
    assert bench.of(Loading) == {}
    bench.pane.show_model(LIBRARY_MODEL)
    bench.write(Loading, name, text)
    assert form.fields[name].problem


def test_what_cannot_be_taken_stays_to_be_mended(bench: Bench) -> None:
    bench.options.set_section(MODEL.ref, Loading, {"ctx_size": 2048})
    bench.unfold(Loading)
    field = bench.pane.settings.forms[Loading].fields["ctx_size"]
    bench.write(Loading, "ctx_size", "-4")
    bench.pane.settings.keep()
    bench.options.set_notes(MODEL.ref, "something else is told meanwhile")
    editor = field.editor
    assert isinstance(editor, QLineEdit)
    assert editor.text() == "-4"
    assert field.problem
    assert bench.of(Loading) == {"ctx_size": 2048}
    bench.write(Loading, "threads", "3")
    bench.pane.settings.keep()
    assert bench.of(Loading) == {"ctx_size": 2048, "threads": 3}, "one does not hold up the others"
    bench.write(Loading, "ctx_size", "4096")
    bench.pane.settings.keep()
    assert bench.of(Loading) == {"ctx_size": 4096, "threads": 3}


def test_a_setting_that_others_told_of_meanwhile_is_shown(bench: Bench) -> None:
    bench.unfold(Sampling)
    bench.options.set_section(MODEL.ref, Sampling, {"top_k": 7})
    field = bench.pane.settings.forms[Sampling].fields["top_k"]
    assert (field.value(), field.state.text()) == (7, "Set here")


def test_one_button_clears_all_of_it_and_nothing_else(bench: Bench, tmp_path: Path) -> None:
    bench.options.set_section(MODEL.ref, Loading, {"ctx_size": 2048})
    bench.options.set_section(MODEL.ref, Sampling, {"top_k": 7})
    bench.options.set_notes(MODEL.ref, "mine")
    assert bench.pane.settings.told.text() == "Set for this model alone: Context size, Top-k."
    bench.unfold(Loading)
    QTest.keyClick(bench.pane.settings.reset_button, Qt.Key.Key_Space)
    assert bench.options.of(MODEL.ref).overrides == {}
    assert bench.options.of(MODEL.ref).notes == "mine"
    assert bench.pane.settings.forms[Loading].fields["ctx_size"].value() == 8192
    assert not bench.pane.settings.reset_button.isEnabled()
    assert bench.host.focusWidget() is not None, "the keyboard is not lost"


def test_a_loaded_model_says_that_it_waits_to_be_loaded_again(bench: Bench, qtbot: QtBot) -> None:
    bench.engine.enter(ModelReady(replace(MODEL, loading=Loading())))
    assert bench.pane.settings.waits == ""
    bench.options.set_section(MODEL.ref, Loading, {"idle_unload": 5})
    assert bench.pane.settings.waits == "", "that holds at once"
    bench.options.set_section(MODEL.ref, Loading, {"ctx_size": 1024})
    assert bench.pane.settings.waits
    bench.pane.settings.reload_button.click()
    assert ("reload",) in bench.engine.calls
    bench.engine.enter(ModelReady(replace(MODEL, loading=Loading(ctx_size=1024, idle_unload=5))))
    assert bench.pane.settings.waits == ""


def test_a_star_is_kept_and_said(bench: Bench) -> None:
    star = bench.pane.star
    QTest.keyClick(star, Qt.Key.Key_Space)
    assert bench.options.of(MODEL.ref).favourite
    assert star.accessibleName() == "Remove the star"
    bench.pane.show_model(OTHER)
    assert not star.isChecked()
    assert not bench.options.of(OTHER.ref).favourite
    bench.pane.show_model(LIBRARY_MODEL)
    star.click()
    assert not bench.options.of(MODEL.ref).favourite


def test_loading_it_is_remembered_as_use(bench: Bench) -> None:
    assert bench.pane.used.text() == "Not used yet"
    bench.engine.enter(ModelReady(MODEL))
    assert bench.pane.used.text().startswith("Last used ")


def test_an_adapter_is_added_weighed_and_taken_off(bench: Bench, tmp_path: Path, qtbot: QtBot) -> None:
    path = make_adapter(tmp_path / "style.gguf")
    bench.add(qtbot, path)
    (row,) = bench.pane.adapters.rows
    assert bench.options.of(MODEL.ref).adapters == (Adapter(path, 1.0),)
    assert ("refresh_adapters",) in bench.engine.calls
    with qtbot.waitSignal(bench.options.changed):
        QTest.keyClick(row.slider, Qt.Key.Key_Left)
    assert bench.options.of(MODEL.ref).adapters == (Adapter(path, 0.95),)
    assert row.number.text() == "0.95"
    row.number.selectAll()
    QTest.keyClicks(row.number, "-1.5")
    bench.pane.show_model(OTHER)
    assert bench.options.of(MODEL.ref).adapters == (Adapter(path, -1.5),)
    assert bench.pane.adapters.rows == []
    bench.pane.show_model(LIBRARY_MODEL)
    (row,) = bench.pane.adapters.rows
    row.remove_button.click()
    assert bench.options.of(MODEL.ref).adapters == ()
    assert bench.host.focusWidget() is bench.pane.adapters.add_button


def test_a_scale_that_is_none_is_said_and_not_kept(bench: Bench, tmp_path: Path, qtbot: QtBot) -> None:
    path = make_adapter(tmp_path / "style.gguf")
    bench.add(qtbot, path)
    (row,) = bench.pane.adapters.rows
    for wrong in ("x", "11"):
        row.number.selectAll()
        QTest.keyClicks(row.number, wrong)
        assert row.problem == "Write a number between -10 and 10."
    bench.pane.show_model(OTHER)
    assert bench.options.of(MODEL.ref).adapters == (Adapter(path, 1.0),)


def test_what_plainly_does_not_fit_is_not_added(
    bench: Bench, tmp_path: Path, tiny_models: dict[str, Path], qtbot: QtBot
) -> None:
    bench.add(qtbot, make_adapter(tmp_path / "other.gguf", arch="gemma3"))
    assert "was made for models of the kind “gemma3”" in bench.pane.adapters.problem
    bench.add(qtbot, tiny_models["llama"])
    assert "is no LoRA adapter" in bench.pane.adapters.problem
    bench.add(qtbot, tmp_path / "gone.gguf")
    assert "is not there any more" in bench.pane.adapters.problem
    assert bench.options.of(MODEL.ref).adapters == ()
    bench.add(qtbot, make_adapter(tmp_path / "good.gguf"))
    assert bench.pane.adapters.problem == ""


def test_what_the_model_refused_stands_at_the_file(bench: Bench, tmp_path: Path, qtbot: QtBot) -> None:
    bad, gone = make_adapter(tmp_path / "bad.gguf"), make_adapter(tmp_path / "gone.gguf")
    for path in (bad, gone):
        bench.add(qtbot, path)
    gone.unlink()
    told = "bad.gguf was trained on another model."
    bench.engine.enter(ModelReady(MODEL, ("Something else.", told)))
    first, second = bench.pane.adapters.rows
    assert first.problem == told
    qtbot.waitUntil(lambda: second.problem == "gone.gguf is not there any more.", timeout=WAIT)
    bench.engine.enter(ModelReady(replace(MODEL, adapters=(Adapter(bad, 1.0),))))
    assert first.problem == ""


def test_a_file_that_is_no_model_has_a_star_and_notes_alone(bench: Bench) -> None:
    bench.pane.show_model(replace(LIBRARY_MODEL, problem="It is cut off."))
    assert bench.pane.notes.isVisible()
    assert not bench.pane.settings.isVisible()
    assert not bench.pane.adapters.isVisible()
    bench.pane.show_model(None)
    assert not bench.pane.isVisible()


def test_everything_can_be_reached_by_keyboard_and_has_a_name(bench: Bench, tmp_path: Path, qtbot: QtBot) -> None:
    bench.add(qtbot, make_adapter(tmp_path / "style.gguf"))
    for section in MODEL_SECTIONS:
        bench.unfold(section)
    kinds = (QAbstractButton, QLineEdit, QPlainTextEdit, QAbstractSlider)
    usable = [each for kind in kinds for each in bench.pane.findChildren(kind) if each.isVisible()]
    usable = [each for each in usable if each.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert len(usable) > 20
    for each in usable:
        assert each.accessibleName(), each
        # Help stands beside a setting's editor.
        told = each.toolTip() or (isinstance(each, QAbstractButton) and each.text())
        assert isinstance(each.parent(), SettingField) or told, each
    reached = set()
    bench.pane.star.setFocus()
    for _ in range(3 * len(usable)):
        reached.add(bench.host.focusWidget())
        QTest.keyClick(bench.host.focusWidget(), Qt.Key.Key_Tab)
    missed = [each for each in usable if each.isEnabled() and each not in reached]
    assert not missed


def test_drafts_that_fit_are_offered_and_kept(bench: Bench, qtbot: QtBot) -> None:
    small = replace(LIBRARY_MODEL, path=Path("/models/small.gguf"), name="Small", size=1 << 29)
    bench.drafts[MODEL.ref] = (small,)
    bench.unfold(Speculation)
    editor = bench.pane.settings.forms[Speculation].fields["draft_model"].editor
    assert isinstance(editor, ModelFileEdit)
    assert editor.itemText(1) == "Small · 512 MiB · suggested"
    with qtbot.waitSignal(bench.options.changed):
        editor.setCurrentIndex(1)
    assert bench.of(Speculation) == {"draft_model": str(small.path)}
    bench.pane.show_model(OTHER)
    assert (editor.currentText(), editor.itemText(1)) == ("None", "")


def test_other_drafts_wait_for_a_reload(bench: Bench) -> None:
    bench.engine.enter(ModelReady(MODEL))
    bench.options.set_section(MODEL.ref, Speculation, {"ngram": False, "draft_max": 9})
    assert not bench.options.waits_for_reload(MODEL.ref)
    bench.options.set_section(MODEL.ref, Speculation, {"mtp": True})
    assert bench.options.waits_for_reload(MODEL.ref)
