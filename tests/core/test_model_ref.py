"""What names a model: equal for the same one, stored as it always was, and asked for a file in one place."""

import ntpath
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.model_ref import FILE, ModelRef
from app.core.resources import GUIDE, GUIDE_NAME


def test_a_file_is_the_same_model_however_it_is_spelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one, same = ModelRef.of_file(Path("sub//a.gguf")), ModelRef.of_file(tmp_path / "sub" / "a.gguf")
    assert one == same
    assert {one: 1}[same] == 1
    assert one != ModelRef.of_file(tmp_path / "a.gguf")


def test_letters_of_both_cases_are_one_where_the_system_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    here = [ModelRef(FILE, name) for name in (r"C:\Models\Rain.gguf", r"c:\models\rain.gguf")]
    assert here[0] != here[1]
    monkeypatch.setattr("os.path.normcase", ntpath.normcase)
    windows = [ModelRef(FILE, name) for name in (r"C:\Models\Rain.gguf", r"c:\models\rain.gguf")]
    assert windows[0] == windows[1] and hash(windows[0]) == hash(windows[1])
    assert windows[0].id == r"C:\Models\Rain.gguf", "but it is shown as it was named"
    assert ModelRef("other", "Rain") != ModelRef("other", "rain")


def test_it_is_stored_as_the_path_that_versions_before_wrote() -> None:
    path = Path("/models/Rain-8B.gguf").absolute()
    assert ModelRef.of_file(path).stored == str(path)
    assert ModelRef.from_stored(str(path)) == ModelRef.of_file(path)


@pytest.mark.parametrize(
    ("path", "name", "title"),
    [
        (Path("/m/Rain-8B-Q4_0.gguf"), "Rain-8B-Q4_0.gguf", "Rain-8B-Q4_0"),
        (Path("/m/Big-00001-of-00003.gguf"), "Big-00001-of-00003.gguf", "Big"),
        (GUIDE, GUIDE.name, GUIDE_NAME),
        (Path("/elsewhere") / GUIDE.name, GUIDE.name, GUIDE.stem),
    ],
)
def test_names_for_people(path: Path, name: str, title: str) -> None:
    model = ModelRef.of_file(path)
    assert (model.name, model.title, model.is_guide) == (name, title, path is GUIDE)


def test_what_is_no_file_says_so_where_one_is_needed() -> None:
    other = ModelRef("other", "/models/Rain-8B.gguf")
    assert other != ModelRef.of_file(Path("/models/Rain-8B.gguf"))
    for ask in ("file", "stored", "is_there"):
        with pytest.raises(UserError, match="is not a file on this computer"):
            getattr(other, ask)


def test_a_servers_model_is_the_same_by_server_and_name() -> None:
    one = ModelRef.of_server("a1", "Qwen/Qwen3-32B")
    assert one == ModelRef.of_server("a1", "Qwen/Qwen3-32B") and hash(one) == hash(ModelRef.from_stored(one.stored))
    others = (ModelRef.of_server("b2", one.id), ModelRef.of_server("a1", "Qwen/qwen3-32b"), ModelRef(FILE, one.id))
    assert all(one != other for other in others)
    assert (one.name, one.title) == ("Qwen/Qwen3-32B", "Qwen/Qwen3-32B")
    assert ModelRef.of_server("a1", r"C:\models\Rain-8B.gguf").title == "Rain-8B", "as llama-server calls its model"
    assert ModelRef.of_server("a1", "/models/Rain-8B.gguf").title == "Rain-8B"
    assert not one.is_file and not one.is_guide and one.is_there
    with pytest.raises(UserError, match="is not a file on this computer"):
        one.file  # noqa: B018


@pytest.mark.parametrize("name", ["m", "a/b:c", " spaced ", "server://x/y", "ü/…", "/models/a.gguf"])
def test_what_is_stored_of_a_servers_model_comes_back(name: str) -> None:
    one = ModelRef.of_server("a1", name)
    back = ModelRef.from_stored(one.stored)
    assert back == one and (back.server, back.id) == ("a1", name)


@pytest.mark.parametrize("text", ["server://", "server://a1", "server://a1/", "server:///m", "server/a1/m"])
def test_what_only_looks_like_a_servers_model_is_a_path(text: str) -> None:
    assert ModelRef.from_stored(text).is_file


def test_a_name_that_the_disk_refuses_is_not_there(tmp_path: Path) -> None:
    assert not ModelRef.of_file(tmp_path / ("x" * 300)).is_there
    assert not ModelRef.from_stored("a\0b").is_there
    (tmp_path / "a.gguf").touch()
    assert ModelRef.of_file(tmp_path / "a.gguf").is_there
