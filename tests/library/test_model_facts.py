"""What a header tells, and what damage does to it."""

import random
from collections.abc import Callable
from pathlib import Path
from time import thread_time

import gguf
import numpy as np
import pytest

from app.core.errors import UserError
from app.core.fit import Free, fit
from app.core.loading import Loading
from app.library.catalogue import Catalogue
from app.library.model_facts import ModelFacts, ModelKind, read_facts
from app.library.model_sources import Place, Source
from app.library.quantisation import quantisation_in
from tests.gguf_files import finish
from tests.tiny_models import MAKERS, llama
from tests.tiny_vectors import bert, decoder
from tests.tiny_vision import VISION_MAKERS
from tests.work import assert_quick


def vocabulary_of(path: Path, n_tokens: int) -> Path:
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("Big words")
    writer.add_block_count(2)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"token{index}" for index in range(n_tokens)])
    writer.add_token_types([1] * n_tokens)
    writer.add_token_merges([f"t o{index}" for index in range(n_tokens)])
    writer.add_chat_template("{% if tools %}{{ tools }}{% endif %}<think>")
    for index in range(400):
        writer.add_tensor(f"blk.{index % 2}.{index}", np.zeros(32, np.float32))
    finish(writer)
    return path


def test_a_large_vocabulary_is_passed_over_quickly(tmp_path: Path) -> None:
    path = vocabulary_of(tmp_path / "big.gguf", 150_000)
    assert_quick(0.5, lambda: read_facts([path]))
    facts = read_facts([path])
    assert (facts.tools, facts.reasoning, facts.has_template) == (True, True, True)
    assert facts.vocabulary == "gpt2  150000"
    assert facts.n_params == 400 * 32


@pytest.mark.parametrize("architecture", ["dream", "llada", "llada-moe", "rnd1"])
def test_a_diffusion_model_is_told_apart_and_never_offered(architecture: str, tmp_path: Path) -> None:
    path = tmp_path / "Night-7B.gguf"
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_block_count(2)
    finish(writer)
    assert read_facts([path]).kind is ModelKind.DIFFUSION
    [found] = Catalogue(tmp_path / "catalogue.json").scan([Place(Source.FOLDER, tmp_path)])
    assert found.path == path
    assert not found.is_usable


@pytest.mark.parametrize("make", [bert, decoder])
def test_what_makes_vectors_or_ranks_is_told_apart(make: Callable[[Path, str], Path], tmp_path: Path) -> None:
    assert read_facts([make(tmp_path / "mean.gguf", "mean")]).kind is ModelKind.EMBEDDER
    assert read_facts([make(tmp_path / "rank.gguf", "rank")]).kind is ModelKind.RERANKER


def test_what_llama_cpp_saved_is_a_chat_model(tmp_path: Path) -> None:
    assert read_facts([decoder(tmp_path / "tuned.gguf", "unspecified")]).kind is ModelKind.MODEL


@pytest.mark.parametrize("family", MAKERS)
def test_facts_survive_being_kept(family: str, tiny_models: dict[str, Path]) -> None:
    import json

    facts = read_facts([tiny_models[family]])
    assert facts.kind is ModelKind.MODEL
    assert facts.shape
    assert ModelFacts.from_json(json.loads(json.dumps(facts.as_json()))) == facts


@pytest.mark.parametrize("family", ["llava", "qwen25vl", "internvl"])
def test_a_projector_is_known(family: str, seeing_models: dict[str, tuple[Path, Path]]) -> None:
    facts = read_facts([seeing_models[family][1]])
    assert (facts.kind, facts.vision, facts.audio) == (ModelKind.PROJECTOR, True, False)


def test_what_its_makers_advise_is_read(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(str(tmp_path / "m-IQ4_XS.gguf"), "llama")
    writer.add_block_count(1)
    writer.add_float32("general.sampling.temp", 0.5)
    writer.add_string("general.license", "apache-2.0")
    writer.add_file_type(15)
    finish(writer)
    facts = read_facts([tmp_path / "m-IQ4_XS.gguf"])
    assert dict(facts.sampling) == {"temperature": 0.5}
    assert (facts.licence, facts.quantisation) == ("apache-2.0", "IQ4_XS")
    (tmp_path / "m-IQ4_XS.gguf").rename(tmp_path / "m.gguf")
    assert read_facts([tmp_path / "m.gguf"]).quantisation == "Q4_K_M"


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("Qwen3-4B-Q4_K_M", "Q4_K_M"),
        ("gemma-3-4b-it-UD-Q4_K_XL", "UD-Q4_K_XL"),
        ("x.q8_0", "Q8_0"),
        ("gpt-oss-20b-MXFP4", "MXFP4"),
        ("Big-Q2_K-00001-of-00003", "Q2_K"),
        ("model", ""),
        ("FAQ4", ""),
    ],
)
def test_quantisations_in_names(stem: str, name: str) -> None:
    assert quantisation_in(stem) == name


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not there any more"):
        read_facts([tmp_path / "a.gguf"])


def damaged(sound: bytes, head: int, dice: random.Random) -> bytes:
    """One of the ways in which files break: bits, cuts, runs of zeros or garbage, lengths that lie, joined halves."""
    data = bytearray(sound)
    for _ in range(dice.choice((1, 1, 2, 8))):
        at = dice.randrange(head if dice.random() < 0.8 else len(data))
        match dice.randrange(6):
            case 0:
                data[at] ^= 1 << dice.randrange(8)
            case 1:
                del data[at:]
                break
            case 2:
                data[at : at + dice.randrange(1, 64)] = bytes(dice.randrange(1, 64))
            case 3:
                data[at : at + 8] = dice.choice((0, 1, 2**31, 2**40, 2**63, 2**64 - 1)).to_bytes(8, "little")
            case 4:
                data[at : at + 16] = dice.randbytes(16)
            case _:
                del data[at : at + dice.randrange(1, 32)]
        if not data:
            break
    return bytes(data)


def test_a_thousand_damaged_files_cost_a_sentence_each(tmp_path: Path) -> None:
    dice = random.Random(11)
    folder = tmp_path / "damaged"
    folder.mkdir()
    sound = [
        MAKERS[family](tmp_path / f"{family}.gguf").read_bytes() for family in ("llama", "gemma3", "qwen35", "mamba")
    ]
    sound.append(VISION_MAKERS["llava"](tmp_path)[1].read_bytes())
    heads = [data.find(b"token_embd.weight") + 2000 for data in sound[:-1]] + [2000]
    for index in range(1000):
        which = index % len(sound)
        (folder / f"{index}.gguf").write_bytes(damaged(sound[which], heads[which], dice))
    begin = thread_time()
    found = Catalogue(tmp_path / "cache.json").scan([Place(Source.FOLDER, folder)])
    for model in found:
        if model.facts and model.facts.shape:
            fit(model.facts.shape, Loading(), Free(8 << 30))
    assert thread_time() - begin < 30
    assert sum(1 + len(model.also) for model in found) == 1000
    told = [model.problem for model in found if model.problem]
    assert len(told) > 400
    assert all(problem.endswith(".") and "\n" not in problem and len(problem) < 200 for problem in told)
    assert not any("nobody thought of" in problem for problem in told)


def test_a_huge_file_of_zeros_ends_soon(tmp_path: Path) -> None:
    path = tmp_path / "holes.gguf"
    head = b"GGUF\x03\0\0\0" + (0).to_bytes(8, "little") + (1).to_bytes(8, "little")
    # An array of as many empty strings as the file could hold.
    key = (1).to_bytes(8, "little") + b"k" + (9).to_bytes(4, "little") + (8).to_bytes(4, "little")
    with path.open("wb") as file:
        file.write(head + key + (1 << 32).to_bytes(8, "little"))
        file.truncate(64 << 30)

    def read() -> None:
        with pytest.raises(UserError, match="damaged"):
            read_facts([path])

    assert_quick(5.0, read)


def test_the_model_of_a_family_is_no_draft_by_chance(tmp_path: Path) -> None:
    assert read_facts([llama(tmp_path / "Overdrafted-7B.gguf")]).kind is ModelKind.MODEL
    assert read_facts([llama(tmp_path / "x-draft-1B.gguf")]).kind is ModelKind.DRAFT
