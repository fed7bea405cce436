import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import UserError
from app.core.loading import CacheType, Loading
from app.core.sampling import Sampling
from app.core.settings import Interface, Settings, Theme
from app.storage.settings_file import load_settings, save_settings

CHANGED = Settings(
    loading=Loading(ctx_size=4096, cache_type_k=CacheType.Q8_0),
    sampling=Sampling(temperature=0.25, dry_sequence_breakers=("\n", '"')),
    interface=Interface(theme=Theme.DARK, system_prompt="Be brief.\r\n\tPlease. ü😀\x00\x7f"),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def backups(file: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in sorted(file.parent.iterdir()) if each != file}


def test_no_file_means_the_defaults(file: Path) -> None:
    loaded = load_settings(file)
    assert loaded.settings == Settings()
    assert loaded.notes == ()
    assert backups(file) == {}


def test_what_is_saved_is_loaded(file: Path, is_private: Callable[[Path], bool]) -> None:
    save_settings(file, CHANGED)
    loaded = load_settings(file)
    assert loaded.settings == CHANGED
    assert loaded.notes == ()
    assert is_private(file)


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.text(max_size=5)), st.floats(0, 1))
def test_any_text_is_loaded_as_it_was_saved(
    tmp_path_factory: pytest.TempPathFactory, prompt: str, breakers: list[str], top_p: float
) -> None:
    file = tmp_path_factory.mktemp("settings") / "settings.toml"
    saved = Settings(
        sampling=Sampling(top_p=top_p, dry_sequence_breakers=tuple(breakers)), interface=Interface(system_prompt=prompt)
    )
    save_settings(file, saved)
    assert load_settings(file).settings == saved


def test_a_lone_surrogate_does_not_stop_saving(file: Path) -> None:
    save_settings(file, Settings(interface=Interface(system_prompt="a\ud800b")))
    assert load_settings(file).settings.interface.system_prompt == "a?b"


def test_a_bad_value_resets_alone_and_the_file_is_kept(file: Path) -> None:
    text = b'[loading]\nctx_size = "many"\nthreads = 3\n[interface]\ntheme = "dark"\n'
    file.write_bytes(text)
    loaded = load_settings(file)
    assert loaded.settings == Settings(loading=Loading(threads=3), interface=Interface(theme=Theme.DARK))
    assert len(loaded.notes) == 2
    assert "Context size" in loaded.notes[0]
    assert str(file.with_name("settings.toml.bak")) in loaded.notes[1]
    assert backups(file) == {"settings.toml.bak": text}
    save_settings(file, loaded.settings)
    assert load_settings(file).notes == ()


@pytest.mark.parametrize(
    "content", [b"[loading\n", b"\xff\xfe\x00", b"a = " + b"[" * 5000, b"<html>"], ids=["cut", "binary", "deep", "html"]
)
def test_a_file_that_is_no_toml_is_kept_and_told(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    loaded = load_settings(file)
    assert loaded.settings == Settings()
    (note,) = loaded.notes
    assert "settings.toml.bak" in note
    assert backups(file) == {"settings.toml.bak": content}
    save_settings(file, CHANGED)
    assert load_settings(file).settings == CHANGED
    assert backups(file) == {"settings.toml.bak": content}


def test_an_unreadable_file_is_kept_even_if_it_is_never_loaded(file: Path) -> None:
    file.write_bytes(b"[half")
    save_settings(file, CHANGED)
    assert backups(file) == {"settings.toml.bak": b"[half"}


def test_copies_do_not_pile_up(file: Path) -> None:
    for number in [1, 1, 2, 3, 4, 5, 5, 4]:
        file.write_bytes(b"broken %d" % number)
        load_settings(file)
    assert backups(file) == {
        "settings.toml.bak": b"broken 5",
        "settings.toml.bak2": b"broken 4",
        "settings.toml.bak3": b"broken 3",
    }


def test_what_a_newer_version_wrote_stays(file: Path) -> None:
    file.write_text(
        'odd = 1979-05-27\n[loading]\nthreads = 3\nfuture = [1, 2]\n[voice]\nname = "Ada"\n[voice.deep]\nx = 1\n',
        encoding="utf-8",
    )
    loaded = load_settings(file)
    assert loaded.settings == Settings(loading=Loading(threads=3))
    assert (loaded.notes, backups(file)) == ((), {})
    before = tomllib.loads(file.read_text(encoding="utf-8"))
    save_settings(file, CHANGED)
    after = tomllib.loads(file.read_text(encoding="utf-8"))
    assert after["loading"] == {"ctx_size": 4096, "cache_type_k": "q8_0", "future": [1, 2]}
    assert after["voice"] == before["voice"]
    assert after["odd"] == before["odd"]
    save_settings(file, Settings())
    assert tomllib.loads(file.read_text(encoding="utf-8"))["loading"] == {"future": [1, 2]}


def test_a_section_that_is_a_value_is_told(file: Path) -> None:
    file.write_text("loading = 3\n", encoding="utf-8")
    loaded = load_settings(file)
    assert "loading should be a section" in loaded.notes[0]
    save_settings(file, CHANGED)
    assert load_settings(file).settings == CHANGED


def test_a_byte_order_mark_is_no_fault(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf[loading]\nthreads = 2\n")
    assert load_settings(file).settings.loading.threads == 2


def test_a_file_that_cannot_be_read_is_told_and_never_replaced(file: Path) -> None:
    file.mkdir()
    loaded = load_settings(file)
    assert loaded.settings == Settings()
    assert str(file) in loaded.notes[0]
    with pytest.raises(UserError):
        save_settings(file, CHANGED)
    assert file.is_dir()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, read_only: Callable[[Path], None]) -> None:
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "settings.toml").write_bytes(b"[half")
    read_only(folder)
    with pytest.raises(UserError, match="yours to write"):
        save_settings(folder / "settings.toml", CHANGED)
    assert "No copy of the file could be kept" in load_settings(folder / "settings.toml").notes[0]
