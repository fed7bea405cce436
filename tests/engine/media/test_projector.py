"""A projector's header tells whether the file is whole and belongs to the model."""

import random
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import gguf
import pytest

from app.core.errors import ModelError
from app.core.gguf_header import BLOCKS, HeaderError, read_header
from app.engine.media.projector import check_projector, most_seconds
from app.engine.media.projector_families import AUDIO_FAMILIES, FAMILIES
from tests.gguf_files import finish
from tests.tiny_audio import AUDIO_MAKERS, gemma4_is_gemma3, lfm2a, speaker_encoder
from tests.tiny_vision import VISION_MAKERS, deepseek4v, hunyuanvl, mlp

Pairs = dict[str, tuple[Path, Path]]

# Takes a model, and files to try with it; says of each how it went. A file that ends the process ends the list.
TRY = """
import sys
from pathlib import Path
from app.core.cancel import CancelFlag
from app.engine.binding.model import Model
from app.engine.binding.mtmd_chunks import Picture
from app.engine.binding.mtmd_context import EncodeFailedError, MtmdContext, MtmdParams, MtmdRefusedError
model = Model.load(Path(sys.argv[1]), gpu_layers=0, cancel=CancelFlag())
for path in sys.argv[2:]:
    try:
        mtmd = MtmdContext(Path(path), model, MtmdParams(1, use_gpu=False, image_max_tokens=64), CancelFlag())
        picture = Picture(64, 48, "id", bytes(64 * 48 * 3))
        run = mtmd.begin(picture, lambda: picture)
        run.close()
        list(run.found())
        mtmd.close()
        print("works", flush=True)
    except (MtmdRefusedError, EncodeFailedError):
        print("refused", flush=True)
"""


def projector_fits(mmproj: Path, model_architecture: str, n_embd: int) -> bool:
    """Whether `check_projector` lets this file pass for such a model."""
    try:
        check_projector(mmproj, n_embd=n_embd, architecture=model_architecture)
    except ModelError:
        return False
    return True


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Pairs:
    folder = tmp_path_factory.mktemp("pairs")
    return {name: make(folder / name) for name, make in VISION_MAKERS.items()}


def needs(model: Path) -> tuple[int, str]:
    """Length of an entry and the architecture, as the model's header has them."""
    header = read_header(model)
    architecture = header.text("general.architecture")
    deeper = header.number(f"{architecture}.n_deepstack_layers")
    return header.number(f"{architecture}.embedding_length") * (1 + deeper), architecture


def refusal(path: Path, n_embd: int, architecture: str) -> str:
    with pytest.raises(ModelError) as caught:
        check_projector(path, n_embd=n_embd, architecture=architecture)
    assert not projector_fits(path, architecture, n_embd)
    return caught.value.sentence


def without(path: Path, target: Path, *, tensor: str = "", key: str = "") -> Path:
    """A copy of a GGUF file that lacks one tensor or one key."""
    reader = gguf.GGUFReader(path)
    writer = gguf.GGUFWriter(str(target), "clip")
    for field in reader.fields.values():
        if field.name not in (key, "general.architecture") and not field.name.startswith("GGUF."):
            kind = field.types[-1] if len(field.types) > 1 else None
            writer.add_key_value(field.name, field.contents(), field.types[0], kind)
    for each in reader.tensors:
        if each.name != tensor:
            writer.add_tensor(each.name, each.data)
    finish(writer)
    return target


@pytest.mark.parametrize("family", VISION_MAKERS)
def test_a_models_own_projector_passes(pairs: Pairs, family: str) -> None:
    model, projector = pairs[family]
    n_embd, architecture = needs(model)
    found = check_projector(projector, n_embd=n_embd, architecture=architecture)
    assert found == read_header(projector).text("clip.projector_type")
    assert projector_fits(projector, architecture, n_embd)


@pytest.mark.parametrize("family", VISION_MAKERS)
def test_other_families_projectors_are_told_apart(pairs: Pairs, family: str) -> None:
    n_embd, architecture = needs(pairs[family][0])
    fits = {name for name, (_, projector) in pairs.items() if projector_fits(projector, architecture, n_embd)}
    many = {"llava", "llava16", "idefics3", "internvl", "pixtral"}
    assert fits == (many if family in many else {family})


def test_a_foreign_family_is_named(pairs: Pairs) -> None:
    assert "another kind of model than “llama”" in refusal(pairs["gemma3"][1], 64, "llama")
    assert "another kind of model than “qwen2vl”" in refusal(pairs["llava"][1], 64, "qwen2vl")


def test_architectures_nobody_has_heard_of_go_with_common_families(pairs: Pairs) -> None:
    assert projector_fits(pairs["llava"][1], "brand-new", 64)
    assert not projector_fits(pairs["qwen25vl"][1], "brand-new", 64)


def test_another_width_is_told_in_numbers(pairs: Pairs, tmp_path: Path) -> None:
    told = refusal(mlp(tmp_path / "mm.gguf", n_out=48), 4096, "llama")
    assert "48 values" in told
    assert "takes 4,096" in told
    assert "128 values" in refusal(pairs["qwen3vl"][1], 64, "qwen3vl"), "deepstack layers count"


@pytest.mark.parametrize("make", [hunyuanvl, deepseek4v])
def test_families_that_look_at_their_place_are_refused(make: Callable[[Path], Path], tmp_path: Path) -> None:
    path = make(tmp_path / "mm.gguf")
    assert "yet" in refusal(path, 64, "hunyuan_vl")
    assert "yet" in refusal(path, 64, "deepseek4")


def test_a_language_model_is_no_projector(pairs: Pairs) -> None:
    assert "is a language model" in refusal(pairs["llava"][0], 64, "llama")


def test_files_that_are_no_gguf_say_so(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"")
    assert "is empty" in refusal(path, 64, "llama")
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    assert "not a GGUF file" in refusal(path, 64, "llama")
    assert "is not there" in refusal(tmp_path / "none.gguf", 64, "llama")
    assert "is a folder" in refusal(tmp_path, 64, "llama")


def test_an_encoder_of_a_speakers_voice_hears_nothing(tmp_path: Path) -> None:
    """mtmd says that it does."""
    assert "for a model that speaks" in refusal(speaker_encoder(tmp_path / "mm.gguf"), 64, "llama")


@pytest.mark.parametrize("family", AUDIO_MAKERS)
def test_a_models_own_encoder_of_sounds_passes(
    hearing_models: Pairs, family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, projector = hearing_models[family]
    n_embd, architecture = needs(model)
    if family.startswith("gemma4"):
        assert "another kind of model than “gemma3”" in refusal(projector, n_embd, architecture)
        gemma4_is_gemma3(monkeypatch)
    assert projector_fits(projector, architecture, n_embd)
    assert "values, and this model takes 4,096" in refusal(projector, 4096, architecture)
    known = AUDIO_FAMILIES[read_header(projector).text("clip.projector_type")]
    for missing in (*(each.replace("#", "1") for each in known.tensors), *(f"clip.audio.{key}" for key in known.keys)):
        lacking = without(projector, tmp_path / "mm.gguf", tensor=missing, key=missing)
        assert "incomplete or damaged" in refusal(lacking, n_embd, architecture), missing


def test_one_that_sees_and_hears_must_be_whole_in_both(hearing_models: Pairs, tmp_path: Path) -> None:
    model, projector = hearing_models["qwen25o"]
    n_embd, architecture = needs(model)
    assert check_projector(projector, n_embd=n_embd, architecture=architecture) == "qwen2.5o"
    for missing in ("v.blk.0.attn_q.weight", "a.blk.0.attn_q.weight"):
        lacking = without(projector, tmp_path / "mm.gguf", tensor=missing)
        assert "incomplete or damaged" in refusal(lacking, n_embd, architecture)


def test_an_encoder_that_ends_the_process_without_its_places_tells_them(tmp_path: Path, hearing_models: Pairs) -> None:
    assert most_seconds(lfm2a(tmp_path / "mm.gguf", places=123)) == 2
    assert most_seconds(hearing_models["qwen3a"][1]) == 600


def test_a_family_that_is_not_known_says_so(tmp_path: Path) -> None:
    path = mlp(tmp_path / "mm.gguf")
    data = path.read_bytes().replace(struct.pack("<Q", 3) + b"mlp", struct.pack("<Q", 3) + b"xyz")
    path.write_bytes(data)
    assert "family “xyz”" in refusal(path, 64, "llama")


@pytest.mark.parametrize("share", [0.001, 0.02, 0.1, 0.5, 0.95, 0.9999])
def test_a_truncated_file_is_refused(pairs: Pairs, tmp_path: Path, share: float) -> None:
    data = pairs["llava"][1].read_bytes()
    path = tmp_path / "cut.gguf"
    path.write_bytes(data[: int(len(data) * share)])
    assert "cut off or damaged" in refusal(path, 64, "llama")


def every_need() -> list[tuple[str, str]]:
    """Each family's first and last tensor of the table, and its keys, with block numbers filled in."""
    found = []
    for family, projector in {
        "llava": "mlp",
        "idefics3": "idefics3",
        "gemma3": "gemma3",
        "qwen25vl": "qwen2.5vl_merger",
        "qwen3vl": "qwen3vl_merger",
        "lfm2": "lfm2",
        "internvl": "internvl",
        "pixtral": "pixtral",
    }.items():
        known = FAMILIES[projector]
        found += [(family, each.replace("#", "1")) for each in known.tensors]
        found += [(family, f"clip.vision.{each}") for each in known.keys]
    return found


@pytest.mark.parametrize(("family", "missing"), every_need())
def test_what_the_first_picture_needs_is_asked_for(pairs: Pairs, tmp_path: Path, family: str, missing: str) -> None:
    model, projector = pairs[family]
    n_embd, architecture = needs(model)
    whole = without(projector, tmp_path / "whole.gguf")
    assert projector_fits(whole, architecture, n_embd), "the copy itself is sound"
    lacking = without(projector, tmp_path / "mm.gguf", tensor=missing, key=missing)
    assert "incomplete or damaged" in refusal(lacking, n_embd, architecture)


@pytest.mark.parametrize(
    ("key", "value"), [("attention.head_count", 3), ("patch_size", 7), ("patch_size", 0), ("embedding_length", 64)]
)
def test_numbers_that_contradict_the_tensors_are_refused(pairs: Pairs, tmp_path: Path, key: str, value: int) -> None:
    data = pairs["llava"][1].read_bytes()
    place = data.index(f"clip.vision.{key}".encode()) + len(f"clip.vision.{key}") + 4
    path = tmp_path / "mm.gguf"
    path.write_bytes(data[:place] + struct.pack("<I", value) + data[place + 4 :])
    assert "incomplete or damaged" in refusal(path, 64, "llama")


def test_a_key_that_is_there_twice_is_damage(pairs: Pairs, tmp_path: Path) -> None:
    data = pairs["llava"][1].read_bytes().replace(b"clip.vision.image_mean", b"clip.vision.image_std\0")
    path = tmp_path / "mm.gguf"
    path.write_bytes(data)
    assert read_header(path).metadata["clip.vision.image_std\0"], "the copy is whole but for the name"
    path.write_bytes(data.replace(b"clip.vision.image_size", b"clip.vision.patch_size"))
    assert "cut off or damaged" in refusal(path, 64, "llama")


def damaged(data: bytes, end: int, rng: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        made[rng.randrange(8, end)] = rng.randrange(256)
    return bytes(made)


def test_random_damage_is_refused_or_ends_a_child_alone(pairs: Pairs, tmp_path: Path) -> None:
    """What the header check lets pass goes to a child; hardly any of it may end that child."""
    rng = random.Random(7)
    told: Counter[str] = Counter()
    for family in ("llava", "qwen3vl"):
        model, projector = pairs[family]
        n_embd, architecture = needs(model)
        data, end = projector.read_bytes(), read_header(projector).data
        passed = []
        for case in range(150):
            path = tmp_path / f"{family}{case}.gguf"
            path.write_bytes(damaged(data, end, rng))
            if projector_fits(path, architecture, n_embd):
                passed.append(str(path))
        told["header"] += 150 - len(passed)
        while passed:
            child = subprocess.run(
                [sys.executable, "-c", TRY, str(model), *passed], capture_output=True, text=True, check=False
            )
            verdicts = child.stdout.split()
            told.update(verdicts)
            if child.returncode == 0:
                assert len(verdicts) == len(passed)
                break
            told["crash"] += 1
            passed = passed[len(verdicts) + 1 :]
    assert told["header"] > 200
    assert told["works"] > 10
    assert told["crash"] <= 3, told


def test_a_damaged_file_that_ends_the_process_exists_and_the_header_catches_it(pairs: Pairs, tmp_path: Path) -> None:
    model, projector = pairs["llava"]
    lacking = without(projector, tmp_path / "mm.gguf", tensor="mm.2.bias")
    child = subprocess.run([sys.executable, "-c", TRY, str(model), str(lacking)], capture_output=True, check=False)
    assert child.returncode < 0 or child.returncode > 1
    refusal(lacking, 64, "llama")


def test_block_sizes_are_ggmls() -> None:
    known = {int(kind): size for kind, size in gguf.GGML_QUANT_SIZES.items()}
    assert {kind: known[kind] for kind in BLOCKS if kind in known} == {
        kind: size for kind, size in BLOCKS.items() if kind in known
    }
    assert len(BLOCKS.keys() & known.keys()) > 25


def test_header_values_are_those_of_the_reference_reader(pairs: Pairs) -> None:
    for model, projector in pairs.values():
        for path in (model, projector):
            header, reference = read_header(path), gguf.GGUFReader(path)
            assert header.data == reference.data_offset
            assert {name: (info.shape, info.offset + header.data) for name, info in header.tensors.items()} == {
                each.name: (tuple(each.shape.tolist()), each.data_offset) for each in reference.tensors
            }
            for key, value in header.metadata.items():
                expected = reference.fields[key].contents()
                assert value == (tuple(expected) if isinstance(expected, list) else expected)


def test_every_cut_of_a_header_is_noticed(pairs: Pairs, tmp_path: Path) -> None:
    projector = pairs["lfm2"][1]
    data, end = projector.read_bytes(), read_header(projector).data
    path = tmp_path / "cut.gguf"
    for length in range(0, end, 7):
        path.write_bytes(data[:length])
        with pytest.raises(HeaderError):
            read_header(path)
