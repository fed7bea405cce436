"""Loading: progress, cancelling, and a sentence for each way that it fails."""

import os
import shutil
import sys
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import gguf
import psutil
import pytest

from app.core import loading_range
from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.events import LoadProgress, LoadStage
from app.core.loading import CacheType, FlashAttention, Loading, LoadMode
from app.core.loading_range import lockable_bytes
from app.core.speculation import Speculation
from app.engine.binding import library
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import Model
from app.engine.drafting.opening import DraftPlan
from app.engine.loading import loader
from app.engine.loading.loader import _attempts, context_params, default_threads, open_session
from app.engine.memory.traits import gives_other_logits, keeps_ends
from tests import tiny_models
from tests.engine.conftest import EXACT, OpenTiny, session_on
from tests.gguf_files import finish
from tests.tiny_vectors import decoder


def refused(path: Path, loading: Loading = EXACT) -> ModelError:
    with pytest.raises(ModelError) as caught:
        open_session(path, loading, cancel=CancelFlag())
    sentence = caught.value.sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return caught.value


def test_what_is_loaded_is_described(open_tiny: OpenTiny) -> None:
    info = open_tiny("llama").info
    assert (info.name, info.architecture) == ("llama", "llama")
    assert (info.n_ctx, info.n_ctx_train, info.has_template) == (1024, tiny_models.CONTEXT, True)
    assert info.size > 100_000


def test_no_more_threads_are_used_than_the_processor_runs_at_once(tiny_models: dict[str, Path]) -> None:
    model = Model.load(tiny_models["llama"], gpu_layers=0, cancel=CancelFlag())
    try:
        made = [context_params(model, replace(EXACT, threads=asked)).n_threads for asked in (1, 512)]
    finally:
        model.close()
    assert made == [1, os.cpu_count()]


def test_progress_goes_up_to_the_context(tiny_models: dict[str, Path]) -> None:
    told: list[LoadProgress] = []
    with session_on(tiny_models["llama"], report=told.append):
        pass
    fractions = [each.fraction for each in told if each.stage is LoadStage.LOADING]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert told[-1].stage is LoadStage.CONTEXT


def test_a_load_can_be_cancelled_on_the_way(tiny_models: dict[str, Path]) -> None:
    flag = CancelFlag()
    opened = open_session(tiny_models["llama"], EXACT, cancel=flag, report=lambda _: flag.set())
    assert opened is None


def test_a_diffusion_model_is_refused(tmp_path: Path) -> None:
    told = refused(tiny_models.dream(tmp_path / "Night-7B.gguf")).sentence
    assert told.startswith("Night-7B.gguf is a diffusion model")
    assert "Choose another model" in told


def test_a_model_that_llama_cpp_saved_is_not_taken_for_one_of_vectors(tmp_path: Path) -> None:
    with session_on(decoder(tmp_path / "Tuned.gguf", "unspecified")) as (session, _):
        assert session.info.name == "Tuned"


def test_a_model_that_makes_vectors_of_texts_is_refused(tmp_path: Path) -> None:
    for path in (tiny_models.eurobert(tmp_path / "Vectors.gguf"), decoder(tmp_path / "Pooled.gguf", "last")):
        assert refused(path).sentence.startswith(f"{path.name} makes vectors of texts, or ranks them, and can't chat.")


def test_what_was_wanted_for_drafting_and_fails_is_told(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    asked = Speculation(mtp=True, draft_model=str(tmp_path / "gone.gguf"))
    with session_on(tiny_models["llama"], drafts=DraftPlan(asked)) as (_, (head, model)):
        pass
    assert "has no head of its own" in head
    assert "switched off in the settings" in head
    assert "gone.gguf is not there any more" in model
    assert "choose another draft model" in model


def test_what_is_no_model_is_refused_by_name(tmp_path: Path) -> None:
    text = tmp_path / "notes.gguf"
    text.write_text("these are only notes")
    assert "is not a GGUF file" in refused(text).sentence
    empty = tmp_path / "empty.gguf"
    empty.touch()
    assert "is empty" in refused(empty).sentence
    assert "is not there" in refused(tmp_path / "gone.gguf").sentence
    assert "is a folder" in refused(tmp_path).sentence


@pytest.mark.parametrize("share", [0.00005, 0.01, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_called_cut_off(share: float, tiny_models: dict[str, Path], tmp_path: Path) -> None:
    whole = tiny_models["llama"].read_bytes()
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(whole[: max(5, int(len(whole) * share))])
    assert "cut off or damaged" in refused(cut).sentence


def test_an_architecture_that_the_build_does_not_know_is_named(tmp_path: Path) -> None:
    path = tmp_path / "future.gguf"
    writer = gguf.GGUFWriter(str(path), "llama9000")
    finish(writer)
    assert "“llama9000”" in refused(path).sentence


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_a_file_that_may_not_be_read_is_told(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "private.gguf"
    shutil.copy(tiny_models["llama"], path)
    path.chmod(0)
    for folder in [tmp_path, *tmp_path.parents][:-1]:
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o011)
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)
    try:
        sentence = refused(path).sentence
    finally:
        os.seteuid(was)
    assert "not allowed to read" in sentence


Memory = namedtuple("Memory", ["available"])


def test_a_model_larger_than_free_memory_is_refused_with_both_sizes(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: Memory(100_000))
    sentence = refused(tiny_models["llama"]).sentence
    assert "needs 0.0 GiB of memory" in sentence
    assert "is free" in sentence


def test_a_context_larger_than_free_memory_is_refused(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: Memory(600_000))
    assert "smaller context" in refused(tiny_models["llama"], Loading(threads=1, ctx_size=8192)).sentence


def test_cache_types_that_the_model_refuses_fall_back_with_a_note(tiny_models: dict[str, Path]) -> None:
    """Heads of 16 do not fit blocks of 32, and a quantised V cache needs flash attention."""
    loading = Loading(
        threads=1,
        ctx_size=256,
        flash_attn=FlashAttention.OFF,
        cache_type_k=CacheType.Q8_0,
        cache_type_v=CacheType.Q8_0,
    )
    with session_on(tiny_models["llama"], loading) as (_, notes):
        pass
    assert any("q8_0/q8_0" in note and "f16" in note for note in notes)


def test_a_missing_template_is_told(tiny_models: dict[str, Path]) -> None:
    with session_on(tiny_models["llama_spm"]) as (session, notes):
        assert any("ChatML" in note for note in notes)
        assert not session.info.has_template


def test_what_a_memory_can_do_is_found_out(open_tiny: OpenTiny) -> None:
    found = {name: open_tiny(name).slot.traits for name in ("llama", "gemma3", "qwen35", "lfm2")}
    assert {name: traits.trims for name, traits in found.items()} == {
        "llama": True,
        "gemma3": True,
        "qwen35": False,
        "lfm2": False,
    }
    assert found["gemma3"].n_swa == 64
    assert open_tiny("gemma3", Loading(threads=1, ctx_size=256, swa_full=True)).slot.traits.n_swa == 0


def test_a_model_that_gives_the_first_entrys_logits_for_a_batch_is_found_out(open_tiny: OpenTiny) -> None:
    """As llama.cpp's graph of cogvlm does; here the first entry's logits are shown as if they were the batch's."""
    session = open_tiny("llama")
    assert not session.slot.traits.last_alone
    context = session.slot.context
    context.decode([5, 6], 0)
    right = context.logits()
    context.clear()
    context.decode_one(5, 0)
    wrong = context.logits()
    context.clear()
    assert gives_other_logits(context, 5, 6, right) is False
    assert gives_other_logits(context, 5, 6, wrong) is True
    assert context.pos_max == -1, "the trial leaves nothing behind"


@pytest.mark.parametrize("family", ["llama", "moe", "deepseek2"])
def test_a_memory_whose_end_can_be_saved_alone_is_found_out(family: str, open_tiny: OpenTiny) -> None:
    context = open_tiny(family).slot.context
    assert context.pos_max == -1
    assert keeps_ends(context, 5, 6)
    assert context.pos_max == -1, "the trial leaves nothing behind"


def test_the_context_is_never_longer_than_the_training(tmp_path: Path) -> None:
    path = tiny_models.llama(tmp_path / "m.gguf")
    with session_on(path, Loading(threads=1, ctx_size=1_000_000)) as (session, _):
        assert session.info.n_ctx == tiny_models.CONTEXT


def test_a_core_is_left_for_the_window() -> None:
    cores = psutil.cpu_count(logical=False) or 2
    assert 1 <= default_threads() <= max(1, cores - 1)


def test_a_context_is_sought_ever_further_from_what_was_asked() -> None:
    wanted = ContextParams(4096, 2048, 512, 1, FlashAttention.OFF, CacheType.Q8_0, CacheType.Q4_0)
    tried = list(_attempts(wanted, FlashAttention.OFF))
    assert tried[0] == (wanted, "")
    assert tried[1][0].flash_attn is FlashAttention.AUTO
    assert (tried[2][0].type_k, tried[2][0].type_v) == (CacheType.F16, CacheType.F16)
    assert [params.n_ctx for params, _ in tried[3:]] == [2048, 1024, 512]
    assert all(params.n_ubatch <= params.n_batch <= params.n_ctx for params, _ in tried)
    assert all(note for _, note in tried[1:])


def test_what_was_not_asked_for_goes_first_and_without_a_word() -> None:
    wanted = ContextParams(4096, 2048, 512, 1, FlashAttention.OFF)
    tried = list(_attempts(wanted, FlashAttention.AUTO))
    auto = replace(wanted, flash_attn=FlashAttention.AUTO)
    assert tried[:2] == [(wanted, ""), (auto, "")]
    assert all(params.flash_attn is FlashAttention.AUTO for params, _ in tried[1:])


def test_what_could_not_be_locked_is_told_with_what_the_system_allows(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "lockable_bytes", lambda: 8 << 20)

    def refuse(progress: LoadProgress) -> None:
        """As llama.cpp says it."""
        if progress.stage is LoadStage.LOADING:
            library.log.take(3, b"warning: failed to mlock 147456-byte buffer (after previously locking 0 bytes)\n")

    with session_on(tiny_models["llama"], replace(EXACT, load_mode=LoadMode.MLOCK), report=refuse) as (_, notes):
        assert "Not all of llama.gguf could be locked in memory: the system may swap it out." in notes
        assert "It lets Hearth lock 8 MiB (RLIMIT_MEMLOCK, as ulimit -l tells)." in notes
    with session_on(tiny_models["llama"]) as (_, notes):
        assert not any("lock" in note for note in notes)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_the_limit_is_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    soft = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    bound = None if soft == resource.RLIM_INFINITY else soft
    status = tmp_path / "status"
    monkeypatch.setattr(loading_range, "_STATUS", status)
    for user in (0, 1000):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        status.write_text("Name:\tpython\nCapEff:\t00000000a80425fb\n")
        assert lockable_bytes() == bound, "in a container it binds the superuser, too"
        status.write_text("Name:\tpython\nCapEff:\t000001ffffffffff\n")
        assert lockable_bytes() is None, "CAP_IPC_LOCK"
        status.unlink()
        assert lockable_bytes() == (None if user == 0 else bound), "where no system tells of capabilities"
