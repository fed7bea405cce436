"""A bundle notices what it has lost."""

from pathlib import Path

import pytest

from app.cli import parts
from app.core.errors import UserError

NAMES = ("llama_cpp/lib/libllama.so", "resources/models/guide.gguf", parts.FILES)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / parts.FILES).write_text("".join(f"{name}\n" for name in NAMES), encoding="utf-8")
    return tmp_path


def test_a_whole_bundle_is_whole_also_with_another_library_of_the_same_name(bundle: Path) -> None:
    (bundle / NAMES[0]).write_bytes(b"another Qt, say")
    assert parts.check_files(bundle) == "all 3 are there"


def test_a_lost_file_is_named(bundle: Path) -> None:
    (bundle / NAMES[1]).unlink()
    with pytest.raises(UserError, match=r"^Missing from this copy of Hearth: resources/models/guide\.gguf\. Install"):
        parts.check_files(bundle)


def test_many_lost_files_are_counted(bundle: Path) -> None:
    names = [f"lost-{number}" for number in range(1005)]
    (bundle / parts.FILES).write_text("\n".join(names), encoding="utf-8")
    with pytest.raises(UserError, match=r"lost-3, lost-4 and 1,000 more\."):
        parts.check_files(bundle)


def test_a_bundle_without_its_list_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"files\.txt can't be read\. Install Hearth again\."):
        parts.check_files(tmp_path)


def test_every_library_that_is_loaded_late_can_be_loaded() -> None:
    assert parts.check_modules().endswith("a formula and 1 page of PDF are read")


def test_a_library_that_is_missing_is_no_success() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        parts.check_modules(["no_such_library"])
