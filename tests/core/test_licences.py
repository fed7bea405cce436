import json
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from app.core import licences
from app.core.licences import OWN, Component, LicenceText, components, declared, of_package, read_index, sort_out


class Package(metadata.Distribution):
    def __init__(self, folder: Path, head: str, files: tuple[str, ...]) -> None:
        self._folder, self._head, self._files = folder, head, files

    def read_text(self, filename: str) -> str | None:
        return {"METADATA": self._head, "RECORD": "".join(f"{each},,\n" for each in self._files)}.get(filename)

    def locate_file(self, path: object) -> Path:
        return self._folder / str(path)


def package(folder: Path, head: str = "", *files: str) -> Component:
    return of_package(Package(folder, f"Name: some\nVersion: 1\n{head}\n", files))


def test_texts_are_found_wherever_packages_put_them(tmp_path: Path) -> None:
    files = (
        "some-1.dist-info/LICENSE",
        "some-1.dist-info/licenses/sub/x.txt",
        "some/LICENSE",
        "some-1.dist-info/WHEEL",
    )
    assert [text.title for text in package(tmp_path, "", *files).texts] == ["LICENSE", "sub/x.txt"]


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("License-Expression: MIT OR Apache-2.0\n", "MIT OR Apache-2.0"),
        ("License: BSD\n", "BSD"),
        ("License: " + "x" * 100 + "\nClassifier: License :: OSI Approved :: MIT License\n", "MIT License"),
        ("Classifier: License :: OSI Approved :: MIT License\n", "MIT License"),
        ("", ""),
    ],
)
def test_the_licences_name_is_short(head: str, told: str, tmp_path: Path) -> None:
    assert package(tmp_path, head).licence == told


def test_the_home_page_is_no_list_of_changes(tmp_path: Path) -> None:
    head = "Project-URL: Changelog, https://a.org/changes\nProject-URL: Source Code, https://a.org/source\n"
    assert package(tmp_path, head).home == "https://a.org/source"


def test_what_is_declared_adds_to_a_package(tmp_path: Path) -> None:
    own, theirs = LicenceText("own", tmp_path / "a"), LicenceText("theirs", tmp_path / "b")
    found = sort_out([Component("Some_Part", "1", "MIT", "", (theirs,)), Component("some-part", "", "", "x", (own,))])
    assert found == (Component("Some_Part", "1", "MIT", "x", (own, theirs)),)


def test_all_that_is_declared_is_there() -> None:
    listed = tomllib.loads((OWN / "components.toml").read_text())["component"]
    named = {name for each in listed for name in each["texts"]}
    assert named == {path.name for path in OWN.glob("*.txt")}


def test_all_parts_of_this_copy_have_a_text() -> None:
    found = components()
    assert [each.name for each in found if not each.texts and each.name != "Python"] == []
    assert {"Hearth", "PySide6_Essentials", "shiboken6", "Qt"} <= {each.name for each in found}
    for each in found:
        for text in each.texts:
            assert text.read().strip(), f"{each.name}: {text.path}"


def test_a_bundles_list_is_read_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"name": "a", "version": "1", "licence": "MIT", "home": "", "texts": [{"title": "L", "file": "a/L.txt"}]}
    (tmp_path / "index.json").write_text(json.dumps([told]))
    monkeypatch.setattr(licences, "BUNDLED", tmp_path)
    assert components() == (Component("a", "1", "MIT", "", (LicenceText("L", tmp_path / "a/L.txt"),)),)
    with pytest.raises(FileNotFoundError):
        read_index(tmp_path / "nowhere")


def test_what_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licences, "_version", lambda package: None)
    named = [each.name for each in declared(OWN)]
    assert named == ["Inter", "JetBrains Mono", "CPython for WebAssembly", "componentize-py"]
