"""The dialog for all models, while the loaded one has settings of its own; and stars in the list of models."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.core.loading import Loading
from app.core.model_options import ModelOptions, key_of
from app.core.model_ref import ModelRef
from app.services.engine.service import EngineService
from app.services.engine.states import ModelReady, ModelResting
from app.services.models.options import OptionsOfModels
from app.services.runtime.settings_service import SettingsService
from app.storage.database import Database
from app.storage.options import OptionsStore
from app.ui.models.installed_page import InstalledPage
from app.ui.settings.dialog import SettingsDialog
from app.ui.theme.appearance import Appearance
from tests.ui.fakes import MODEL, FakeEngine
from tests.ui.model_home import ModelHome
from tests.ui.settings.dialogs import Over, model_page

OWN = ModelOptions({Loading: {"ctx_size": 2048}})


@pytest.fixture
def engine() -> FakeEngine:
    made = FakeEngine()
    made.own_options = OWN
    made.enter(ModelReady(replace(MODEL, loading=Loading(ctx_size=2048))))
    return made


@pytest.fixture
def dialog(engine: FakeEngine, appearance: Appearance, parent: QWidget) -> SettingsDialog:
    return Over(parent, appearance, engine=engine).open()


def write(dialog: SettingsDialog, name: str, text: str) -> None:
    editor = model_page(dialog).form.fields[name].editor
    assert isinstance(editor, QLineEdit)
    editor.setText(text)


def test_what_the_model_has_of_its_own_is_told_and_no_reason_to_load_it_again(dialog: SettingsDialog) -> None:
    texts = [label.text() for label in model_page(dialog).findChildren(QLabel) if not label.isHidden()]
    assert f"Set for {MODEL.name} alone, under Models: Context size." in texts
    assert not dialog.apply_button.isEnabled()
    write(dialog, "ctx_size", "4096")
    assert dialog.footer.text() == "", "for it holds for others"
    assert model_page(dialog).form.fields["ctx_size"].note == ""
    assert dialog.apply_button.isEnabled()


def test_everything_else_still_loads_it_again(dialog: SettingsDialog, engine: FakeEngine) -> None:
    write(dialog, "threads", "2")
    assert dialog.footer.text() == "Apply loads the model again. The conversation stays."
    assert dialog.apply()
    assert ("reload",) in engine.calls


def test_how_long_it_stays_holds_at_once(dialog: SettingsDialog, engine: FakeEngine) -> None:
    write(dialog, "idle_unload", "5")
    assert dialog.footer.text() == ""
    assert dialog.apply()
    assert ("reload",) not in engine.calls


def test_a_model_that_rests_need_not_be_loaded_for_a_setting(dialog: SettingsDialog, engine: FakeEngine) -> None:
    engine.enter(ModelResting(MODEL))
    write(dialog, "threads", "2")
    assert dialog.apply()
    assert ("reload",) not in engine.calls


def test_models_with_a_star_come_first(host: ModelHome, appearance: Appearance, tmp_path: Path, qtbot: QtBot) -> None:
    with Database.open(tmp_path / "hearth.sqlite3") as database:
        options = OptionsOfModels(
            OptionsStore(database), cast(EngineService, host.engine), cast(SettingsService, host.settings)
        )
        host.models.options = options
        page = InstalledPage(appearance, host.models)
        qtbot.addWidget(page)
        page.show()
        before = [row.model.path for row in page.list.rows]
        options.set_favourite(ModelRef.of_file(before[2]), True)
        assert [row.model.path for row in page.list.rows] == [before[2], *before[:2], *before[3:]]
        assert page.list.rows[0].badges[0] == "★"
        assert page.extras is not None
        page.select(ModelRef.of_file(before[2]))
        assert page.extras.star.isChecked()
        page.extras.star.click()
        assert [row.model.path for row in page.list.rows] == before
        assert options.favourites() == frozenset()
        page.select(ModelRef.of_file(before[0]))
        page.extras.star.click()
        assert options.favourites() == {key_of(ModelRef.of_file(before[0]))}
        page.close()
