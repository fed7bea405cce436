"""The digest of a vocabulary, however the file is cut into windows."""

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from gguf import GGUFWriter

from app.core import gguf_header
from app.core.gguf_header import HeaderError, read_header
from tests.gguf_files import finish

TOKENS = [f"token {index} {'x' * (index % 37)}" for index in range(400)]


def digest(path: Path, tokens: Sequence[str] | None) -> str:
    writer = GGUFWriter(path, "llama")
    if tokens is not None:
        writer.add_token_list(tokens)
    writer.add_token_merges(["a b", "c d"])
    finish(writer)
    return read_header(path).tokens


def test_the_same_tokens_have_the_same_digest(tmp_path: Path) -> None:
    whole = digest(tmp_path / "a", TOKENS)
    assert len(whole) == 24
    assert digest(tmp_path / "b", TOKENS) == whole
    for index in (5, 200, 399):
        assert digest(tmp_path / "c", [*TOKENS[:index], "other", *TOKENS[index + 1 :]]) != whole
    assert digest(tmp_path / "d", TOKENS[:-1]) != whole
    assert digest(tmp_path / "e", [*TOKENS[:6], TOKENS[6] + TOKENS[7], "", *TOKENS[8:]]) != whole


def test_the_first_five_may_be_called_otherwise(tmp_path: Path) -> None:
    assert digest(tmp_path / "a", ["1", "2", "3", "4", "5", *TOKENS[5:]]) == digest(tmp_path / "b", TOKENS)


def test_no_tokens_no_digest(tmp_path: Path) -> None:
    assert digest(tmp_path / "a", None) == ""


@pytest.mark.parametrize("window", [16, 17, 31, 64, 1000, 4099])
def test_windows_make_no_difference(window: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = digest(tmp_path / "a", TOKENS)
    monkeypatch.setattr(gguf_header, "_WINDOW", window)
    assert read_header(tmp_path / "a").tokens == whole


@pytest.mark.parametrize("counts", [(1 << 20, 1), (1, 1 << 20)])
def test_more_than_any_model_has_is_damage(counts: tuple[int, int], tmp_path: Path) -> None:
    """A large file can hold them, and all of them would be remembered."""
    path = tmp_path / "a.gguf"
    with path.open("wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, *counts))
        file.truncate(1 << 28)
    with pytest.raises(HeaderError, match="1048576 entries"):
        read_header(path)
