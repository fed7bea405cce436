from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from app.core.errors import UserError
from app.storage.folders import find_paths, make_folders


def test_hearth_home_moves_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path / "home"))
    paths = find_paths()
    assert paths.database == tmp_path / "home" / "hearth.sqlite3"
    assert paths.settings == tmp_path / "home" / "settings.toml"
    assert paths.logs == tmp_path / "home" / "logs"
    assert not (tmp_path / "home").exists()


def test_a_relative_home_is_taken_from_where_the_program_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEARTH_HOME", "here")
    paths = find_paths()
    monkeypatch.chdir("/")
    assert paths.data == tmp_path / "here"


@pytest.mark.parametrize("home", [None, ""])
def test_without_it_the_systems_folders_are_taken(home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if home is None:
        monkeypatch.delenv("HEARTH_HOME", raising=False)
    else:
        monkeypatch.setenv("HEARTH_HOME", home)
    paths = find_paths()
    assert paths.data == platformdirs.user_data_path("Hearth", appauthor=False)
    assert paths.config == platformdirs.user_config_path("Hearth", appauthor=False)
    assert paths.logs == platformdirs.user_log_path("Hearth", appauthor=False)


def test_folders_are_made_for_the_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_private: Callable[[Path], bool]
) -> None:
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path / "some" / "home"))
    paths = find_paths()
    make_folders(paths)
    make_folders(paths)
    for folder in (paths.data, paths.config, paths.logs):
        assert folder.is_dir()
        assert is_private(folder)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(UserError) as caught:
        make_folders(find_paths())
    assert str(tmp_path / "file" / "home") in caught.value.sentence
