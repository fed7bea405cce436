"""The list of all models: each once, with its companions, and with the reason where one can't be used."""

import json
import os
import shutil
from pathlib import Path

import gguf
import numpy as np
import pytest

from app.library.catalogue import Catalogue, LibraryModel, readable_name
from app.library.model_facts import ModelKind
from app.library.model_sources import Place, Source
from tests.gguf_files import finish
from tests.library import homes
from tests.tiny_models import llama
from tests.work import assert_quick


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue(tmp_path / "catalogue.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "models"
    made.mkdir()
    return made


def scan(catalogue: Catalogue, *folders: Path) -> tuple[LibraryModel, ...]:
    return catalogue.scan([Place(Source.FOLDER, each) for each in folders])


def small(path: Path, name: str, *, count: int = 1, number: int = 0, total: int = 1) -> Path:
    """A header with `count` tensors of its own; one of `total` parts where there are several."""
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name(name)
    writer.add_block_count(1)
    writer.add_embedding_length(32)
    if total > 1:
        writer.add_uint16("split.no", number)
        writer.add_uint16("split.count", total)
        writer.add_int32("split.tensors.count", count * total)
    for index in range(count):
        writer.add_tensor(f"blk.0.{name}.{number}.{index}", np.zeros(32, np.float32))
    finish(writer)
    return path


def split(folder: Path, total: int = 3) -> list[Path]:
    return [
        small(folder / f"big-Q4_0-{number + 1:05}-of-{total:05}.gguf", "big", number=number, total=total)
        for number in range(total)
    ]


def test_a_model_is_described(catalogue: Catalogue, folder: Path, tiny_models: dict[str, Path]) -> None:
    shutil.copy(tiny_models["llama"], folder / "Tiny-Llama-F32.gguf")
    (model,) = scan(catalogue, folder)
    assert (model.name, model.problem, model.is_usable) == ("Tiny Llama (F32)", "", True)
    assert model.facts
    assert (model.facts.architecture, model.facts.n_ctx_train) == ("llama", 8192)


def test_what_ollama_calls_a_model_is_its_name(
    catalogue: Catalogue, tmp_path: Path, seeing_models: dict[str, tuple[Path, Path]]
) -> None:
    model, projector = seeing_models["llava"]
    homes.ollama(tmp_path / "o", "library/eye", "1b", model.read_bytes(), projector.read_bytes())
    found = catalogue.scan([Place(Source.OLLAMA, tmp_path / "o")])
    assert [each.name for each in found] == ["eye:1b", "eye:1b (projector)"]
    assert found[0].is_usable
    assert found[0].projectors == (found[1].path,)
    assert not found[1].is_usable


def test_a_split_model_is_one(catalogue: Catalogue, folder: Path) -> None:
    parts = split(folder)
    (model,) = scan(catalogue, folder)
    assert (model.name, model.path, model.problem) == ("big (Q4_0)", parts[0], "")
    assert model.parts == tuple(parts)
    assert model.size == sum(part.stat().st_size for part in parts)
    assert model.facts
    assert model.facts.n_params == 96, "of all parts"


def test_a_missing_part_is_told(catalogue: Catalogue, folder: Path) -> None:
    split(folder)[1].unlink()
    (model,) = scan(catalogue, folder)
    assert model.problem == "Part 2 of 3 of this model is missing."


def test_each_part_is_checked(catalogue: Catalogue, folder: Path) -> None:
    part = split(folder)[2]
    part.write_bytes(part.read_bytes()[:-40])
    (model,) = scan(catalogue, folder)
    assert "00003-of-00003.gguf is cut off" in model.problem


def test_parts_of_different_models_are_told(catalogue: Catalogue, folder: Path) -> None:
    parts = split(folder)
    small(parts[1], "other", count=2, number=1, total=3)
    (model,) = scan(catalogue, folder)
    assert "do not belong together" in model.problem


def test_a_part_by_itself_is_told(catalogue: Catalogue, folder: Path) -> None:
    split(folder)[0].rename(folder / "renamed.gguf")
    model = scan(catalogue, folder)[1]
    assert model.problem == "renamed.gguf is one of 3 parts, and only 1 of them are here."


def test_the_same_file_in_two_places_is_told_once(catalogue: Catalogue, tmp_path: Path) -> None:
    data = llama(tmp_path / "m.gguf").read_bytes()
    blob = homes.ollama(tmp_path / "o", "library/a", "1b", data)
    link = homes.hub(tmp_path / "h", "org/a", "a.gguf", data)
    copy = homes.put(tmp_path / "f" / "copy.gguf", data)
    found = catalogue.scan(
        [
            Place(Source.OLLAMA, tmp_path / "o"),
            Place(Source.HUGGING_FACE, tmp_path / "h"),
            Place(Source.FOLDER, tmp_path / "f"),
        ]
    )
    assert [(each.path, each.also) for each in found] == [(blob, (link, copy))]


def test_files_of_a_disk_that_numbers_none_are_all_there(
    catalogue: Catalogue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on network shares and FAT on Windows."""

    class Unnumbered:
        st_ino = 0

        def __init__(self, status: os.stat_result) -> None:
            self._status = status

        def __getattr__(self, name: str) -> object:
            return getattr(self._status, name)

    for number in range(3):
        below = folder / str(number)
        below.mkdir()
        small(below / f"{number}.gguf", f"m{number}", count=number + 1)
    (folder / "again").symlink_to(folder / "0")
    stat = Path.stat
    monkeypatch.setattr(Path, "stat", lambda path, **more: Unnumbered(stat(path, **more)))
    assert [each.path.name for each in scan(catalogue, folder)] == ["0.gguf", "1.gguf", "2.gguf"]


def test_files_that_are_as_long_but_differ_are_two(catalogue: Catalogue, folder: Path) -> None:
    llama(folder / "a.gguf", seed=1)
    llama(folder / "b.gguf", seed=2)
    assert len({path.stat().st_size for path in folder.iterdir()}) == 1
    assert len(scan(catalogue, folder)) == 2


def test_a_projector_beside_its_model_is_paired(
    catalogue: Catalogue, folder: Path, seeing_models: dict[str, tuple[Path, Path]], tiny_models: dict[str, Path]
) -> None:
    model, projector = seeing_models["llava"]
    shutil.copy(model, folder / "Seer-1B-Q4_K_M.gguf")
    shutil.copy(tiny_models["moe"], folder / "Other-2B-Q8_0.gguf")
    shutil.copy(projector, folder / "mmproj-Seer-1B-F16.gguf")
    found = {each.path.name: each for each in scan(catalogue, folder)}
    assert [each.name for each in found["Seer-1B-Q4_K_M.gguf"].projectors] == ["mmproj-Seer-1B-F16.gguf"]
    assert found["Other-2B-Q8_0.gguf"].projectors == ()


def test_a_projector_of_another_width_is_not_paired(catalogue: Catalogue, folder: Path, tmp_path: Path) -> None:
    llama(folder / "a.gguf")
    writer = gguf.GGUFWriter(str(folder / "mmproj-a.gguf"), "clip")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_uint32("clip.vision.projection_dim", 2048)
    finish(writer)
    found = {each.path.name: each for each in scan(catalogue, folder)}
    assert found["mmproj-a.gguf"].facts
    assert found["mmproj-a.gguf"].facts.kind is ModelKind.PROJECTOR
    assert found["a.gguf"].projectors == ()


def test_a_draft_is_paired_by_its_vocabulary(catalogue: Catalogue, folder: Path, tiny_models: dict[str, Path]) -> None:
    shutil.copy(tiny_models["moe"], folder / "Big-8B-Q4_K_M.gguf")
    llama(folder / "Big-8B-draft.gguf")
    shutil.copy(tiny_models["llama_spm"], folder / "Big-8B-draft-spm.gguf")
    found = {each.path.name: each for each in scan(catalogue, folder)}
    assert [each.name for each in found["Big-8B-Q4_K_M.gguf"].drafts] == ["Big-8B-draft.gguf"]
    assert not found["Big-8B-draft.gguf"].is_usable, "it is no model to chat with"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty. Fetch it again."),
        (b"<!DOCTYPE html>" * 10, "is not a GGUF file, whatever its name says."),
        (b"GGUF\x03\0\0\0" + bytes(100), "holds no model: its header says nothing of one."),
        (b"GGUF\x03\0\0\0" + b"\xff" * 100, "is damaged. Fetch it again."),
        (b"GGUF\x03\0\0\0", "is cut off"),
    ],
)
def test_what_is_wrong_is_said(catalogue: Catalogue, folder: Path, data: bytes, sentence: str) -> None:
    (folder / "x.gguf").write_bytes(data)
    (model,) = scan(catalogue, folder)
    assert model.problem.startswith("x.gguf")
    assert sentence in model.problem
    assert not model.is_usable


def test_a_file_that_ollama_has_half_is_told(catalogue: Catalogue, tmp_path: Path) -> None:
    blob = homes.ollama(tmp_path, "library/a", "b", llama(tmp_path / "m.gguf").read_bytes())
    blob.write_bytes(blob.read_bytes()[:1000])
    (model,) = catalogue.scan([Place(Source.OLLAMA, tmp_path)])
    assert "It has 1000 of" in model.problem


def test_a_changed_file_is_read_again(catalogue: Catalogue, folder: Path, tiny_models: dict[str, Path]) -> None:
    path = folder / "a.gguf"
    path.write_bytes(b"GGUF")
    assert scan(catalogue, folder)[0].problem
    shutil.copy(tiny_models["gemma3"], path)
    facts = scan(catalogue, folder)[0].facts
    assert facts
    assert facts.architecture == "gemma3"


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b'{"format": 1, "files": [["a", 1]]}', b'{"format": 1, "files": 3}', b"[]",
     b'{"format": 3, "files": [["a", 1e999, 1, {}]]}'],
)  # fmt: skip
def test_a_damaged_cache_costs_time_only(
    folder: Path, tmp_path: Path, tiny_models: dict[str, Path], damage: bytes
) -> None:
    shutil.copy(tiny_models["llama"], folder / "a.gguf")
    (tmp_path / "catalogue.json").write_bytes(damage)
    assert scan(Catalogue(tmp_path / "catalogue.json"), folder)[0].is_usable
    assert json.loads((tmp_path / "catalogue.json").read_bytes())["files"]


def test_a_thousand_files_are_listed_in_under_a_second(folder: Path, tmp_path: Path) -> None:
    data = small(tmp_path / "one.gguf", "one").read_bytes()
    for index in range(1000):
        homes.put(folder / f"{index % 50}" / f"model-{index}.gguf", data + bytes(index))
    cache = tmp_path / "catalogue.json"
    first = scan(Catalogue(cache), folder)
    assert len(first) == 1000
    # As at the next start of the program.
    assert scan(Catalogue(cache), folder) == first
    assert_quick(1.0, lambda: scan(Catalogue(cache), folder))


def test_a_scan_can_be_stopped(catalogue: Catalogue, folder: Path, tiny_models: dict[str, Path]) -> None:
    shutil.copy(tiny_models["llama"], folder / "a.gguf")
    assert catalogue.scan([Place(Source.FOLDER, folder)], stop=lambda: True) == ()


def test_a_damaged_copy_does_not_hide_one_that_is_whole(catalogue: Catalogue, tmp_path: Path) -> None:
    """As where a model of Ollama's was removed here, and is fetched from the hub."""
    data = llama(tmp_path / "m.gguf").read_bytes()
    homes.ollama(tmp_path / "o", "library/a", "1b", data).unlink()
    link = homes.hub(tmp_path / "h", "org/a", "a.gguf", data)
    places = [Place(Source.OLLAMA, tmp_path / "o"), Place(Source.HUGGING_FACE, tmp_path / "h")]
    found = catalogue.scan(places)
    assert [model.path for model in found if model.is_usable] == [link]
    link.resolve().write_bytes(data[:-100])
    homes.ollama(tmp_path / "o", "library/a", "1b", data)
    assert [model.source for model in catalogue.scan(places[::-1]) if model.is_usable] == [Source.OLLAMA]


def test_of_a_file_that_changes_only_the_last_is_remembered(
    folder: Path, tmp_path: Path, tiny_models: dict[str, Path]
) -> None:
    cache = tmp_path / "catalogue.json"
    catalogue = Catalogue(cache)
    data = tiny_models["llama"].read_bytes()
    for size in range(1000, 20_000, 1000):
        (folder / "a.gguf").write_bytes(data[:size])
        scan(catalogue, folder)
    assert len(json.loads(cache.read_bytes())["files"]) == 1


def test_a_header_that_says_endless_things_is_cut(catalogue: Catalogue, folder: Path) -> None:
    writer = gguf.GGUFWriter(str(folder / "a.gguf"), "x" * 100_000)
    writer.add_block_count(1)
    finish(writer)
    (model,) = scan(catalogue, folder)
    assert model.facts
    assert len(model.facts.architecture) <= 300


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Llama-3.2-1B-Instruct-Q4_K_M", "Llama 3.2 1B Instruct (Q4_K_M)"),
        ("stories260K", "stories260K"),
        ("qwen2.5-0.5b-instruct-q8_0", "qwen2.5 0.5b instruct (Q8_0)"),
        ("tinyllama_v1.1.IQ3_XXS", "tinyllama v1.1 (IQ3_XXS)"),
        ("Phi-4-bf16", "Phi 4 (BF16)"),
        ("---", "---"),
        ("Q4_0", "Q4 0"),
    ],
)
def test_names_are_readable(file: str, name: str) -> None:
    assert readable_name(file) == name
