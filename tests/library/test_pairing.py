"""Which projector goes with which model."""

from pathlib import Path

import gguf
import pytest

from app.library.pairing import ProjectorPairs, find_beside
from tests.gguf_files import finish


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_bytes(b"GGUF")


@pytest.mark.parametrize(
    ("names", "model", "expected"),
    [
        (["a.gguf"], "a.gguf", None),
        (["gemma-3-4b-it-Q4_K_M.gguf", "mmproj-model-f16.gguf"], "gemma-3-4b-it-Q4_K_M.gguf", "mmproj-model-f16.gguf"),
        (
            ["Qwen2.5-VL-7B-Q4.gguf", "gemma-3-4b.gguf", "mmproj-Qwen2.5-VL-7B-f16.gguf", "mmproj-gemma-3-4b.gguf"],
            "gemma-3-4b.gguf",
            "mmproj-gemma-3-4b.gguf",
        ),
        (["qwen-a.gguf", "llama-b.gguf", "mmproj-qwen-a.gguf"], "llama-b.gguf", None),
        (["one.gguf", "two.gguf", "mmproj-f16.gguf"], "one.gguf", None),
        (
            ["Pixel_Model-Q8.gguf", "pixel-model.mmproj.gguf", "other.gguf"],
            "Pixel_Model-Q8.gguf",
            "pixel-model.mmproj.gguf",
        ),
    ],
)
def test_the_nearest_name_beside_the_model(names: list[str], model: str, expected: str | None, tmp_path: Path) -> None:
    put(tmp_path, *names)
    assert find_beside(tmp_path / model) == (tmp_path / expected if expected else None)


def test_what_people_chose_wins_and_is_kept(tmp_path: Path) -> None:
    put(tmp_path, "a.gguf", "mmproj-a.gguf")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    put(elsewhere, "mmproj-other.gguf")
    pairs = ProjectorPairs(tmp_path / "pairs.json")
    pairs.remember(tmp_path / "a.gguf", elsewhere / "mmproj-other.gguf")
    again = ProjectorPairs(tmp_path / "pairs.json")
    assert again.find(tmp_path / "a.gguf") == elsewhere / "mmproj-other.gguf"
    (elsewhere / "mmproj-other.gguf").unlink()
    assert again.find(tmp_path / "a.gguf") == tmp_path / "mmproj-a.gguf"


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b'{"a": 1}', b"\xff"])
def test_a_damaged_list_is_no_obstacle(damage: bytes, tmp_path: Path) -> None:
    put(tmp_path, "a.gguf", "mmproj-a.gguf")
    (tmp_path / "pairs.json").write_bytes(damage)
    pairs = ProjectorPairs(tmp_path / "pairs.json")
    assert pairs.find(tmp_path / "a.gguf") == tmp_path / "mmproj-a.gguf"
    pairs.remember(tmp_path / "a.gguf", tmp_path / "mmproj-a.gguf")


def write_gguf(path: Path, arch: str, name: str, repository: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, arch)
    writer.add_name(name)
    if repository:
        writer.add_string("general.base_model.0.repo_url", repository)
    writer.add_token_list(["a"] * 1000)
    finish(writer)


@pytest.mark.parametrize(
    ("model", "projector", "fits"),
    [
        (("Gemma 3 4b It", ""), ("gemma 3 4B it", ""), True),
        (("Gemma 3 4b It", ""), ("Gemma 3 12b It", ""), False),
        (("My finetune", "https://h.co/q/q"), ("Other", "https://h.co/q/q"), True),
        (("", ""), ("", ""), False),
    ],
)
def test_a_projector_elsewhere_is_known_by_what_it_was_made_from(
    model: tuple[str, str], projector: tuple[str, str], fits: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "models"
    write_gguf(tmp_path / "here" / "m.gguf", "gemma3", *model)
    write_gguf(folder / "deep" / "mmproj-x.gguf", "clip", *projector)
    (folder / "mmproj-damaged.gguf").write_bytes(b"GGUF\3")
    found = ProjectorPairs(tmp_path / "pairs.json", folder).find(tmp_path / "here" / "m.gguf")
    assert found == (folder / "deep" / "mmproj-x.gguf" if fits else None)


def test_a_folder_that_is_gone_has_none(tmp_path: Path) -> None:
    assert find_beside(tmp_path / "gone" / "a.gguf") is None
