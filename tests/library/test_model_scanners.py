"""Fake homes of the other programs, as their documentation lays them out."""

import json
import os
from pathlib import Path

import pytest

from app.library.catalogue import Catalogue
from app.library.model_scanners import find_in, folders_in
from app.library.model_sources import Place, Source, hub_cache, places
from tests.library import homes

DATA = b"GGUF" + bytes(60)


def found(home: Path, system: str = "linux", **environment: str) -> list[tuple[Source, Path]]:
    """What lies in this home; places of the whole machine are left out."""
    return [
        (file.source, file.path)
        for place in places(homes.machine(home, system, **environment))
        if place.folder.is_relative_to(home)
        for file in find_in(place)
    ]


@pytest.mark.parametrize("folder", [".lmstudio/models", ".cache/lm-studio/models"])
def test_models_of_lm_studio(tmp_path: Path, folder: str) -> None:
    model = homes.put(tmp_path / folder / "org" / "repo" / "a.gguf", DATA)
    assert found(tmp_path) == [(Source.LM_STUDIO, model)]


def test_lm_studio_may_keep_its_models_elsewhere(tmp_path: Path) -> None:
    model = homes.put(tmp_path / "big disk" / "a.gguf", DATA)
    settings = json.dumps({"downloadsFolder": str(model.parent)})
    homes.put(tmp_path / ".lmstudio" / "settings.json", settings.encode())
    assert found(tmp_path) == [(Source.LM_STUDIO, model)]


def test_lm_studio_may_have_its_home_elsewhere(tmp_path: Path) -> None:
    model = homes.put(tmp_path / "other" / "models" / "a.gguf", DATA)
    homes.put(tmp_path / ".lmstudio-home-pointer", str(tmp_path / "other").encode())
    assert found(tmp_path) == [(Source.LM_STUDIO, model)]


@pytest.mark.parametrize("settings", [b"{", b"[1]", b'{"downloadsFolder": 3}', b"\xff\xfe"])
def test_settings_of_others_may_hold_anything(tmp_path: Path, settings: bytes) -> None:
    homes.put(tmp_path / ".lmstudio" / "settings.json", settings)
    assert found(tmp_path) == []


def test_models_of_ollama_keep_their_tags(tmp_path: Path) -> None:
    models = tmp_path / ".ollama" / "models"
    blob = homes.ollama(models, "library/llama3.2", "3b", DATA, projector=DATA + b"p")
    homes.ollama(models, "someone/else", "latest", DATA + b"2")
    (place,) = (each for each in places(homes.machine(tmp_path)) if each.folder == models)
    files = {file.name: file for file in find_in(place)}
    assert files.keys() == {"llama3.2:3b", "llama3.2:3b (projector)", "someone/else:latest"}
    model = files["llama3.2:3b"]
    assert (model.path, model.sha256, model.expected) == (blob, blob.name[7:], len(DATA))
    assert model.projectors == (files["llama3.2:3b (projector)"].path,)


def test_ollama_may_keep_its_models_elsewhere(tmp_path: Path) -> None:
    models = tmp_path / "elsewhere"
    blob = homes.ollama(models, "library/a", "b", DATA)
    assert found(tmp_path, OLLAMA_MODELS=str(models)) == [(Source.OLLAMA, blob)]


def test_other_registries_of_ollama_are_named_in_full(tmp_path: Path) -> None:
    manifest = tmp_path / "manifests" / "hf.co" / "org" / "repo" / "Q4_K_M"
    digest = "0" * 64
    homes.put(tmp_path / "blobs" / f"sha256-{digest}", DATA)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}", "size": len(DATA)}
    homes.put(manifest, json.dumps({"layers": [layer]}).encode())
    assert [file.name for file in find_in(Place(Source.OLLAMA, tmp_path))] == ["hf.co/org/repo:Q4_K_M"]


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"{",
        b"[]",
        b'{"layers": 3}',
        b'{"layers": [null, {"mediaType": "application/vnd.ollama.image.model"}]}',
        b'{"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:../../../etc/passwd"}]}',
    ],
)
def test_broken_manifests_are_left_out(tmp_path: Path, manifest: bytes) -> None:
    homes.put(tmp_path / "manifests" / "registry.ollama.ai" / "library" / "a" / "b", manifest)
    assert list(find_in(Place(Source.OLLAMA, tmp_path))) == []


def test_a_blob_that_ollama_lacks_is_told(tmp_path: Path) -> None:
    homes.ollama(tmp_path, "library/a", "b", DATA).unlink()
    (file,) = find_in(Place(Source.OLLAMA, tmp_path))
    assert "Pull it again" in file.problem


@pytest.mark.parametrize(
    ("system", "data"),
    [
        ("linux", "jan"),
        ("linux", ".local/share/Jan/data"),
        ("darwin", "Library/Application Support/Jan/data"),
        ("win32", "AppData/Roaming/Jan/data"),
    ],
)
def test_models_of_jan(tmp_path: Path, system: str, data: str) -> None:
    model = homes.jan(tmp_path / data, "Some-Model-4B", DATA)
    assert found(tmp_path, system) == [(Source.JAN, model)]
    (place,) = (each for each in places(homes.machine(tmp_path, system)) if each.source is Source.JAN)
    assert [file.name for file in find_in(place)] == ["Some-Model-4B"]


def test_jan_may_keep_its_data_elsewhere(tmp_path: Path) -> None:
    model = homes.jan(tmp_path / "big", "m", DATA)
    homes.put(tmp_path / ".config/Jan/settings.json", json.dumps({"data_folder": str(tmp_path / "big")}).encode())
    assert found(tmp_path) == [(Source.JAN, model)]


@pytest.mark.parametrize(
    ("system", "folder"),
    [("linux", ".cache/llama.cpp"), ("darwin", "Library/Caches/llama.cpp"), ("win32", "AppData/Local/llama.cpp")],
)
def test_the_cache_of_llama_cpp(tmp_path: Path, system: str, folder: str) -> None:
    model = homes.put(tmp_path / folder / "org_repo_a.gguf", DATA)
    homes.put(tmp_path / folder / "org_repo_b.gguf.json", b"{}")
    assert found(tmp_path, system) == [(Source.LLAMA_CPP, model)]


def test_the_cache_of_llama_cpp_may_lie_elsewhere(tmp_path: Path) -> None:
    model = homes.put(tmp_path / "x" / "a.gguf", DATA)
    assert found(tmp_path, LLAMA_CACHE=str(tmp_path / "x")) == [(Source.LLAMA_CPP, model)]


@pytest.mark.parametrize(
    ("environment", "cache"),
    [
        ({}, ".cache/huggingface/hub"),
        ({"HF_HOME": "hf"}, "hf/hub"),
        ({"HF_HUB_CACHE": "hc"}, "hc"),
        ({"XDG_CACHE_HOME": "xdg"}, "xdg/huggingface/hub"),
    ],
)
def test_the_cache_of_hugging_face(tmp_path: Path, environment: dict[str, str], cache: str) -> None:
    absolute = {name: str(tmp_path / value) for name, value in environment.items()}
    link = homes.hub(tmp_path / cache, "org/repo", "sub/a-Q4_K_M.gguf", DATA)
    assert found(tmp_path, **absolute) == [(Source.HUGGING_FACE, link)]
    assert hub_cache(homes.machine(tmp_path, **absolute)) == tmp_path / cache


def test_a_file_of_the_hub_whose_blob_is_missing_is_told(tmp_path: Path) -> None:
    link = homes.hub(tmp_path, "org/repo", "a.gguf", DATA)
    link.resolve().unlink()
    (file,) = find_in(Place(Source.HUGGING_FACE, tmp_path))
    assert file.path == link
    assert "not finished" in file.problem


@pytest.mark.parametrize(
    ("system", "folder"),
    [
        ("linux", ".local/share/nomic.ai/GPT4All"),
        ("darwin", "Library/Application Support/nomic.ai/GPT4All"),
        ("win32", "AppData/Local/nomic.ai/GPT4All"),
    ],
)
def test_models_of_gpt4all(tmp_path: Path, system: str, folder: str) -> None:
    model = homes.put(tmp_path / folder / "a.gguf", DATA)
    homes.put(tmp_path / folder / "localdocs_v3.db", b"")
    assert found(tmp_path, system) == [(Source.GPT4ALL, model)]


def test_gpt4all_may_keep_its_models_elsewhere_and_leaves_halves(tmp_path: Path) -> None:
    half = homes.put(tmp_path / "x" / "incomplete-a.gguf", DATA)
    homes.put(tmp_path / ".config/nomic.ai/GPT4All.ini", f"[General]\nmodelPath={half.parent}\n".encode())
    (place,) = (each for each in places(homes.machine(tmp_path)) if each.source is Source.GPT4ALL)
    (file,) = find_in(place)
    assert file.path == half
    assert "not finished" in file.problem


def test_a_folder_that_two_programs_share_is_one_place(tmp_path: Path) -> None:
    homes.put(tmp_path / ".lmstudio" / "models" / "a.gguf", DATA)
    assert len(found(tmp_path, LLAMA_CACHE=str(tmp_path / ".lmstudio" / "models"))) == 1


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    homes.put(tmp_path / "models" / "a.gguf", DATA)
    (tmp_path / "models" / "again").symlink_to(tmp_path / "models")
    assert len(list(find_in(Place(Source.FOLDER, tmp_path / "models")))) == 1


def test_half_downloads_are_told_as_such(tmp_path: Path) -> None:
    homes.put(tmp_path / "a.gguf.part", DATA)
    (file,) = find_in(Place(Source.LM_STUDIO, tmp_path))
    assert file.problem == "LM Studio has not finished fetching it."


def test_half_files_of_nobody_are_told_as_such(tmp_path: Path) -> None:
    homes.put(tmp_path / "a.gguf.part", DATA)
    (tmp_path / "b.gguf").symlink_to(tmp_path / "gone.gguf")
    told = [file.problem for file in find_in(Place(Source.FOLDER, tmp_path))]
    assert told == [
        "It has not been fetched as a whole.",
        "The file that b.gguf points at is not there. It has not been fetched as a whole.",
    ]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.gguf")
    blob = homes.ollama(tmp_path / "o", "library/a", "1b", DATA)
    blob.unlink()
    os.mkfifo(blob)
    told = Catalogue(tmp_path / "cache.json").scan(
        [Place(Source.FOLDER, tmp_path), Place(Source.OLLAMA, blob.parents[1])]
    )
    assert [model.problem for model in told] == ["a.gguf is no file.", f"{blob.name} is no file."]


def test_a_name_that_is_no_path_costs_the_name_only(tmp_path: Path) -> None:
    for wrong in ("x" * 300, "a/" * 3000 + "b", "\\x00"):
        path = homes.jan(tmp_path, f"m{len(wrong)}", DATA)
        (path.parent / "model.yml").write_text(f"model_path: {wrong}\nname: rain\n")
    assert len(list(find_in(Place(Source.JAN, tmp_path)))) == 3


def test_a_home_of_nobody_is_none(tmp_path: Path) -> None:
    assert hub_cache(homes.machine(tmp_path, HF_HOME="~nobody-here/hf")) == tmp_path / ".cache" / "huggingface" / "hub"


def test_what_is_being_fetched_into_the_shared_cache_is_not_watched(tmp_path: Path) -> None:
    link = homes.hub(tmp_path, "org/repo", "a.gguf", DATA)
    watched = set(folders_in(Place(Source.HUGGING_FACE, tmp_path)))
    assert link.parent in watched
    assert link.resolve().parent not in watched


def test_a_walk_can_be_stopped(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / str(number)).mkdir()
    left = [True] * 3
    walked = list(folders_in(Place(Source.FOLDER, tmp_path), lambda: not (left and left.pop())))
    assert len(walked) == 3
