"""Settings in force and on disk."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.core.loading import Loading
from app.core.sampling import Sampling
from app.services.runtime.settings_service import SettingsService


def test_a_change_is_in_force_told_and_kept(tmp_path: Path, qtbot: QtBot) -> None:
    service = SettingsService(tmp_path / "settings.toml")
    with qtbot.waitSignal(service.changed) as changed:
        service.update(Sampling, temperature=0.3)
    assert changed.args[0].sampling.temperature == 0.3
    assert SettingsService(tmp_path / "settings.toml").settings.sampling.temperature == 0.3


def test_a_value_out_of_bounds_changes_nothing(tmp_path: Path, qapp: object) -> None:
    service = SettingsService(tmp_path / "settings.toml")
    with pytest.raises(ValueError, match="Temperature"):
        service.update(Sampling, temperature=99.0)
    assert service.settings.sampling.temperature == 0.8
    assert not (tmp_path / "settings.toml").exists()


def test_an_override_is_in_force_and_never_written(tmp_path: Path, qapp: object) -> None:
    service = SettingsService(tmp_path / "settings.toml")
    service.override(Loading(threads=3))
    assert service.settings.loading.threads == 3
    assert not (tmp_path / "settings.toml").exists()


def test_a_disk_that_refuses_costs_only_the_file(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "in the way").write_text("")
    service = SettingsService(tmp_path / "in the way" / "settings.toml")
    with qtbot.waitSignal(service.failed) as failed:
        service.update(Sampling, top_k=7)
    assert isinstance(failed.args[0], UserError)
    assert service.settings.sampling.top_k == 7
