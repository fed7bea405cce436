"""Whatever is in a bundle has a licence, or there is no bundle."""

import json
import re
import shutil
import sysconfig
from importlib import metadata
from pathlib import Path

import pytest
from devtools import licences
from devtools.errors import SetUpError
from devtools.licences import Entry, Owners, collect, main, read_table

from app.core import licences as in_app

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(sysconfig.get_paths()["purelib"])
STDLIB = Path(sysconfig.get_paths()["stdlib"])


@pytest.fixture(scope="module")
def owners() -> Owners:
    return Owners(ROOT)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyInstaller is in a bundle's own environment alone."""
    whole = metadata.distribution
    monkeypatch.setattr(metadata, "distribution", lambda name: whole("pytest" if name == "pyinstaller" else name))


def table(folder: Path, *entries: tuple[str, str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "COLLECT-00.toc").write_text(repr((list(entries), "hearth", True)))
    (folder / "PYZ-00.toc").write_text(
        repr(("PYZ-00.pyz", [("app.core", str(ROOT / "app/core/__init__.py"), "PYMODULE")]))
    )
    return folder


def entry(source: Path | str, name: str = "x", kind: str = "DATA") -> Entry:
    return Entry(name, str(source), kind)


def test_everything_has_an_owner(owners: Owners) -> None:
    assert owners.of(entry(SITE / "numpy" / "__init__.py")) == "numpy"
    assert owners.of(entry(STDLIB / "json" / "__init__.py")) == "Python"
    assert owners.of(entry(ROOT / "resources" / "models.json")) == "Hearth"
    assert owners.of(entry("../libQt6Core.so.6", kind="SYMLINK")) == "Hearth"
    stripped = ROOT / "build" / "bundle" / "stripped"
    assert owners.of(entry(stripped / "libpython3.11.so.1.0")) == "Python"
    assert owners.of(entry(stripped / "numpy" / "__init__.py")) == "numpy"
    assert owners.of(entry("/nowhere/libthing.so.1")) == ""
    assert owners.of(entry("C:/nowhere/VCRUNTIME140.dll")).startswith("system:Microsoft")


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="a Debian")
def test_a_systems_library_belongs_to_its_package(owners: Owners) -> None:
    library = next(Path("/lib").glob("*/libc.so.6"))
    assert owners.of(entry(library)) == "system:libc6"


def test_the_texts_and_their_index_are_what_the_program_reads(tmp_path: Path, here: None) -> None:
    build = table(tmp_path / "build", ("numpy/x", str(SITE / "numpy" / "__init__.py"), "DATA"))
    count = collect(ROOT, tmp_path, build)
    parts = in_app.read_index(tmp_path / licences.FOLDER)
    assert len(parts) == count
    named = {each.name: each for each in parts}
    assert {"Hearth", "Python", "numpy", "Qt", "llama.cpp and ggml", "Inter"} <= set(named)
    assert "pillow" not in named, "it is not in this bundle"
    for each in parts:
        assert all(text.read().strip() for text in each.texts), each.name
    assert "LESSER GENERAL PUBLIC" in "".join(text.read() for text in named["Qt"].texts)
    # Titles that differ in a folder alone must not fall together.
    assert len({text.path for text in named["numpy"].texts}) == len(named["numpy"].texts)


def test_every_licence_of_qts_parts_comes_with_its_text() -> None:
    folder = ROOT / "resources" / "licences"
    named = re.findall(r"^  .*  ([\w.-]+(?:, [\w.-]+)*)$", (folder / "Qt-parts.txt").read_text("utf-8"), re.MULTILINE)
    _, *told = re.split("^======== ", (folder / "Qt-parts-texts.txt").read_text("utf-8"), flags=re.MULTILINE)
    texts = {name: text for name, _, text in (each.partition("\n") for each in told)}
    assert len(named) > 25
    assert {name for each in named for name in each.split(", ")} == set(texts)
    assert [name for name, text in texts.items() if len(text) < 500] == []


def test_a_file_that_nobody_owns_ends_the_build(tmp_path: Path, here: None, capsys: pytest.CaptureFixture[str]) -> None:
    build = table(tmp_path / "build", ("libthing.so.1", "/nowhere/libthing.so.1", "BINARY"))
    assert main(ROOT, tmp_path, build) == 1
    said = capsys.readouterr().err
    assert "under which licence" in said
    assert "libthing.so.1 (/nowhere/libthing.so.1)" in said
    assert not (tmp_path / licences.FOLDER).exists()


def test_a_part_without_a_text_ends_the_build(tmp_path: Path, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_app, "declared", lambda folder: iter(()))
    build = table(tmp_path / "build", ("latex2mathml/x", str(SITE / "latex2mathml" / "__init__.py"), "DATA"))
    with pytest.raises(SetUpError) as raised:
        collect(ROOT, tmp_path, build)
    assert "without the text of their licence" in raised.value.sentence
    assert raised.value.detail == "latex2mathml"


def test_the_gpl_is_kept_out(tmp_path: Path, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licences, "_system_package", lambda source: "system:libreadline8")
    build = table(tmp_path / "build", ("libreadline.so.8", "/nowhere/libreadline.so.8", "BINARY"))
    with pytest.raises(SetUpError, match="libreadline8, which is under the GPL"):
        collect(ROOT, tmp_path, build)


def test_a_table_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.toc").write_text("import os")
    with pytest.raises(SetUpError, match=r"x\.toc can't be read"):
        read_table(tmp_path / "x.toc")
    with pytest.raises(SetUpError):
        read_table(tmp_path / "gone.toc")


def test_an_old_collection_is_replaced(tmp_path: Path, here: None) -> None:
    old = tmp_path / licences.FOLDER / "old"
    old.mkdir(parents=True)
    collect(ROOT, tmp_path, table(tmp_path / "build"))
    assert not old.exists()
    assert json.loads((tmp_path / licences.FOLDER / "index.json").read_text("utf-8"))
