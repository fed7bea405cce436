import os
from pathlib import Path

import pytest

from app.library.installed import ModelFile, find_models


def make(path: Path, size: int = 10) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    return path


def names(*folders: Path) -> list[str]:
    return [model.path.name for model in find_models(folders)]


def test_models_are_found_at_any_depth_and_told_by_name(tmp_path: Path) -> None:
    zebra = make(tmp_path / "zebra.gguf", 30)
    llama = make(tmp_path / "meta" / "1b" / "Llama-3.2-1B-Instruct-Q4_K_M.GGUF", 20)
    make(tmp_path / "meta" / "notes.txt")
    make(tmp_path / "meta" / "half.gguf.part")
    assert find_models([tmp_path]) == (
        ModelFile(llama, "Llama 3.2 1B Instruct (Q4_K_M)", 20, 1),
        ModelFile(zebra, "zebra", 30, 1),
    )


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("stories260K", "stories260K"),
        ("qwen2.5-0.5b-instruct-q8_0", "qwen2.5 0.5b instruct (Q8_0)"),
        ("tinyllama_v1.1.IQ3_XXS", "tinyllama v1.1 (IQ3_XXS)"),
        ("Phi-4-bf16", "Phi 4 (BF16)"),
        ("---", "---"),
        ("Q4_0", "Q4 0"),
    ],
)
def test_names_are_readable(tmp_path: Path, file: str, name: str) -> None:
    make(tmp_path / f"{file}.gguf")
    assert [model.name for model in find_models([tmp_path])] == [name]


def test_vision_projectors_are_left_out(tmp_path: Path) -> None:
    make(tmp_path / "gemma-MMProj-f16.gguf")
    make(tmp_path / "mmproj-gemma.gguf")
    make(tmp_path / "gemma.gguf")
    assert names(tmp_path) == ["gemma.gguf"]


def test_a_split_model_is_one(tmp_path: Path) -> None:
    parts = [make(tmp_path / f"big-Q4_0-0000{number}-of-00003.gguf", number) for number in (1, 2, 3)]
    assert find_models([tmp_path]) == (ModelFile(parts[0], "big (Q4_0)", 6, 3),)


def test_a_split_model_that_lacks_a_part_is_left_out(tmp_path: Path) -> None:
    make(tmp_path / "big-00001-of-00003.gguf")
    make(tmp_path / "big-00003-of-00003.gguf")
    # The missing part in another folder does not help: llama.cpp looks beside the first.
    make(tmp_path / "other" / "big-00002-of-00003.gguf")
    make(tmp_path / "none-00000-of-00000.gguf")
    assert names(tmp_path) == []


def test_split_models_with_the_same_stem_are_told_apart(tmp_path: Path) -> None:
    for count in (1, 2):
        for number in range(1, count + 1):
            make(tmp_path / f"big-0000{number}-of-0000{count}.gguf")
    assert [model.n_files for model in find_models([tmp_path])] == [1, 2]


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    make(tmp_path / ".cache" / "a.gguf")
    make(tmp_path / ".b.gguf")
    assert names(tmp_path) == []
    assert names(tmp_path / ".cache") == ["a.gguf"]


def test_links_are_followed_and_circles_end(tmp_path: Path) -> None:
    blob = make(tmp_path / "elsewhere" / "blob", 40)
    folder = tmp_path / "models"
    make(folder / "deep" / "plain.gguf")
    try:
        (folder / "deep" / "up").symlink_to(folder, target_is_directory=True)
        # Two circles: without an end to each, they would multiply.
        (folder / "deep" / "up again").symlink_to(folder, target_is_directory=True)
        (folder / "self").symlink_to(folder / "self")
        (folder / "linked.gguf").symlink_to(blob)
        (folder / "dangling.gguf").symlink_to(tmp_path / "nowhere")
    except OSError:
        pytest.skip("this user may not make links")
    found = find_models([folder, folder / "deep", folder])
    assert [(model.path, model.size) for model in found] == [
        (folder / "linked.gguf", 40),
        (folder / "deep" / "plain.gguf", 10),
    ]


def test_a_file_that_is_reached_twice_is_told_once(tmp_path: Path) -> None:
    first = make(tmp_path / "a" / "model.gguf")
    (tmp_path / "b").mkdir()
    os.link(first, tmp_path / "b" / "same.gguf")
    assert names(tmp_path) == ["model.gguf"]


def test_folders_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    make(tmp_path / "model.gguf")
    (tmp_path / "folder.gguf").mkdir()
    locked = make(tmp_path / "locked" / "hidden.gguf").parent
    locked.chmod(0)
    try:
        found = names(tmp_path / "nowhere", tmp_path / "model.gguf", tmp_path)
    finally:
        locked.chmod(0o700)
    # Root may read everything.
    assert found in (["model.gguf"], ["hidden.gguf", "model.gguf"])
