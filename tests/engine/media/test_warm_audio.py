"""Conversations with recordings, as those with pictures: what each change costs, and that it changes nothing else."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.errors import UserError
from app.core.events import Finished, FinishReason, Looking
from app.core.messages import AudioPart
from app.core.requests import ChatRequest
from app.engine.media.audio import read_audio
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.reply.session import Session
from tests.audio_files import noise, sound_file
from tests.counted import counted
from tests.engine.conftest import OpenPath, session_on
from tests.engine.media.test_warm_pictures import (
    GREEDY,
    LOADING,
    TALK,
    _after,
    assert_exact,
    encodes,
    said,
    slices,
)
from tests.engine.media.test_warm_pictures import A as PICTURE
from tests.engine.media.test_warm_pictures import ask as plain_ask
from tests.engine.reply.test_session import answered
from tests.tiny_audio import AUDIO_MAKERS, gemma4_is_gemma3

QUICK = ("qwen3a", "granite", "qwen35", "gemma3", "lfm2a", "gemma4a", "gemma4ua")
"""Those that don't reckon half a minute for a second."""
MEMORIES = ("qwen3a", "qwen35", "gemma3", "lfm2a")
"""Attention, a hybrid with M-RoPE, a sliding window, another hybrid."""

ask = partial(plain_ask, conversation="talk")
OpenHearing = Callable[..., Session]


def recording(seed: int, seconds: float = 1.0) -> AudioPart:
    data = sound_file(noise(seed, seconds), 16_000)
    heard = read_audio(data)
    digest = hashlib.sha256(data).hexdigest()
    return AudioPart(digest, f"{seed}.wav", heard.rate, len(heard.samples), heard.digest, data)


A, B, C = recording(1), recording(2), recording(3, 1.7)


@pytest.fixture
def open_hearing(
    hearing_models: dict[str, tuple[Path, Path]], open_path: OpenPath, monkeypatch: pytest.MonkeyPatch
) -> OpenHearing:
    gemma4_is_gemma3(monkeypatch)

    def open_one(family: str, cache: EmbeddingCache | None = None, **more: Any) -> Session:
        model, mmproj = hearing_models[family]
        projector = Projector(mmproj, MediaStores(NoMedia(), cache or EmbeddingCache(1 << 26, None, 0)), 64)
        session = open_path(model, more.pop("loading", LOADING), projector=projector, **more)
        assert session.info.capabilities.hears, session.info.projector_problem
        return session

    return open_one


@pytest.mark.parametrize("family", AUDIO_MAKERS)
def test_a_follow_up_reads_its_own_words_and_listens_to_nothing(family: str, open_hearing: OpenHearing) -> None:
    cold_cache = EmbeddingCache(1 << 26, None, 0)
    warm, cold = open_hearing(family), open_hearing(family, cold_cache)
    question = said(TALK, A, "what is it? ")
    first = ask(warm, question)
    heard = encodes(warm)
    assert heard == slices(warm, A)
    got = assert_exact(warm, cold, question, answered(first), said("and why? "))
    assert encodes(warm) == heard == encodes(cold), "the cold one heard it by itself"
    assert counted(got.timings.prompt_n) <= 40, got.reuse


@pytest.mark.parametrize("family", QUICK)
def test_a_conversation_about_recordings(family: str, open_hearing: OpenHearing) -> None:
    """A second one later, the same again, edits before, between and after, another one in its place, back again."""
    warm = open_hearing(family, checkpointing=Checkpointing(every=32, min_step=16))
    question = said("one ", A, TALK, B, "which? ")
    first = ask(warm, question)
    assert encodes(warm) == slices(warm, A) + slices(warm, B)

    def exact(*parts: Any, before: tuple[Any, ...] = ()) -> Finished:
        return assert_exact(warm, open_hearing(family), *before, said(*parts))

    heard = encodes(warm)
    got = exact(A, "still the same? ", A, before=(question, answered(first)))
    assert encodes(warm) == heard and counted(got.timings.cache_n) >= counted(first.n_past) - 1, got.reuse
    exact("well, one ", A, TALK, B, "which? ")
    exact("one ", A, "well. ", TALK, B, "which? ")
    exact("one ", A, TALK, B, "well, which? ")
    assert encodes(warm) == heard, "an edit anywhere encodes nothing again"
    exact("one ", C, TALK, B, "which? ")
    assert encodes(warm) == heard + slices(warm, C)
    exact(TALK, TALK)
    got = exact("and now? ", before=(question, answered(first)))
    assert encodes(warm) == heard + slices(warm, C)
    assert counted(got.timings.prompt_n) <= 40, got.reuse


@pytest.mark.parametrize("family", MEMORIES)
def test_regenerating_reads_one_entry(family: str, open_hearing: OpenHearing) -> None:
    warm = open_hearing(family)
    ask(warm, said(A, B, "compare them. "))
    got = assert_exact(warm, open_hearing(family), said(A, B, "compare them. "))
    assert got.timings.prompt_n == 1, got.reuse


@pytest.mark.parametrize("family", MEMORIES)
def test_a_cancel_at_any_event_leaves_the_next_answer_exact(family: str, open_hearing: OpenHearing) -> None:
    messages = (said(TALK, A, TALK, B, "which? "),)
    cold = open_hearing(family)
    for stop_at in range(1, 7):
        cancel = CancelFlag()
        warm = open_hearing(family, cancel=cancel)
        for number, event in enumerate(warm.reply(ChatRequest(messages, GREEDY))):
            if number == stop_at:
                cancel.set()
            if isinstance(event, Finished):
                assert event.reason in (FinishReason.CANCELLED, FinishReason.LENGTH)
        cancel.clear()
        assert_exact(warm, cold, *messages)
        warm.close()


@pytest.mark.parametrize("family", MEMORIES)
def test_an_abort_inside_the_graphs_leaves_the_next_answer_exact(family: str, open_hearing: OpenHearing) -> None:
    messages = (said(TALK, A, TALK, B, "which? "),)
    cold = open_hearing(family)
    for count in (40, 90, 150):
        warm = open_hearing(family)
        warm.slot.context.set_abort(_after(count))
        try:
            list(warm.reply(ChatRequest(messages, GREEDY)))
        finally:
            warm.slot.context.set_abort(None)
        assert_exact(warm, cold, *messages)
        warm.close()


@pytest.mark.parametrize("family", MEMORIES)
def test_after_a_restart_nothing_is_heard_or_read_again(
    family: str, open_hearing: OpenHearing, tmp_path: Path, hearing_models: dict[str, tuple[Path, Path]]
) -> None:
    model, mmproj = hearing_models[family]

    def start(snapshots: bool) -> tuple[Projector, SnapshotDisk, EmbeddingCache]:
        cache = EmbeddingCache(1 << 26, tmp_path / "embeddings", 1 << 26)
        disk = SnapshotDisk(tmp_path / ("snapshots" if snapshots else "none"), 1 << 28)
        return Projector(mmproj, MediaStores(NoMedia(), cache), 64), disk, cache

    question = said(TALK, A, "what is it? ")
    gone = said(TALK, replace(A, data=b""), "what is it? ")
    first: Finished | None = None
    held = 0
    for kept in (True, True, False):
        projector, disk, cache = start(kept)
        with session_on(model, LOADING, projector=projector, snapshots=disk) as (session, _):
            if first is None:
                first = ask(session, question, keep_on_disk=True)
                assert encodes(session) == 1
                held = len(session.slot)
                session.slot.keep()
            else:
                following = (answered(first), said("and why? "))
                got = ask(session, gone, *following)
                cold = plain_ask(open_hearing(family), question, *following)
                assert got.generation.tokens == cold.generation.tokens
                assert encodes(session) == 0, "neither file nor encoder is needed"
                assert (counted(got.timings.cache_n) >= held - 1) is kept, got.reuse
        disk.close(60)
        cache.close()


@pytest.mark.parametrize("family", ["qwen3a", "lfm2a"])
def test_a_state_by_name_holds_what_was_heard(family: str, open_hearing: OpenHearing, tmp_path: Path) -> None:
    question, state = said(TALK, A, "what is it? "), tmp_path / "talk.hearthstate"
    session = open_hearing(family)
    first = ask(session, question)
    assert session.save_state(state, {}) is not None
    again = open_hearing(family)
    again.restore_state(state, "talk")
    got = assert_exact(again, open_hearing(family), question, answered(first), said("and why? "))
    assert encodes(again) == 0 and counted(got.timings.prompt_n) <= 40, got.reuse


def test_a_picture_and_a_recording_in_one_turn(open_hearing: OpenHearing) -> None:
    warm, cold = open_hearing("qwen25o"), open_hearing("qwen25o")
    assert warm.info.sees
    question = said("look ", PICTURE, "and listen ", A, "do they go together? ")
    first = ask(warm, question)
    assert encodes(warm) == 2
    assert_exact(warm, cold, question, answered(first), said("and why? "))
    assert_exact(warm, cold, said("look ", PICTURE, "and listen again ", A, "do they? "))
    assert encodes(warm) == encodes(cold) == 2


def test_listening_is_told_before_it_is_done(open_hearing: OpenHearing) -> None:
    session = open_hearing("qwen3a")
    events = list(session.reply(ChatRequest((said(A, B, A, "which? "),), GREEDY)))
    told = [event for event in events if isinstance(event, Looking)]
    assert told == [Looking(1, 2, "1.wav", listens=True), Looking(2, 2, "2.wav", listens=True)]


def test_a_layout_is_reckoned_once_for_a_length(open_hearing: OpenHearing) -> None:
    """mtmd reckons a spectrogram for it, with each turn of a conversation."""
    session = open_hearing("gemma4ua")
    assert session._media is not None
    lay_out = session._media.mtmd._lengths
    ask(session, said(A, B, "which? "))
    ask(session, said(A, B, "which, then? "))
    assert (lay_out.cache_info().misses, lay_out.cache_info().hits > 3) == (1, True)


def test_the_longest_that_an_encoder_survives_is_told(open_hearing: OpenHearing) -> None:
    """LFM2's has places for eight seconds here; at more mtmd would end the process."""
    session = open_hearing("lfm2a")
    assert session.info.capabilities.hears_seconds == 8
    assert session.encode(recording(4, 8.0))
    longer = recording(5, 8.1)
    assert session.info.refusal([longer]).endswith("hears at most 8 seconds at once, and 5.wav lasts 9.")
    with pytest.raises(UserError):
        session.encode(longer)
    ask(session, said(replace(longer, n_samples=0), "what is it? "))
    assert encodes(session) == 1
    assert open_hearing("qwen3a").info.capabilities.hears_seconds == 600


def test_who_is_deaf_or_blind_says_so(open_hearing: OpenHearing, open_path: OpenPath) -> None:
    hearing = open_hearing("qwen3a")
    assert not hearing.info.refusal([A]) and "can't see pictures" in hearing.info.refusal([A, PICTURE])
    ask(hearing, said(PICTURE, "what is it? "))
    deaf = open_path(hearing.info.ref.file, LOADING)
    assert "can't hear" in deaf.info.refusal([A])
    assert ask(deaf, said(A, "what is it? ")).reason is FinishReason.LENGTH


@pytest.mark.parametrize("told", [{"rate": 24_000}, {"n_samples": 1}, {"n_samples": 1 << 40}, {"digest": "\ud800"}])
def test_what_a_chat_says_of_its_recordings_is_looked_up_where_it_can_not_be(
    told: dict[str, Any], open_hearing: OpenHearing
) -> None:
    warm = open_hearing("qwen3a")
    first = ask(warm, said(replace(A, **told), "what is it? "))
    got = assert_exact(warm, open_hearing("qwen3a"), said(A, "what is it? "))
    assert (got.generation, got.timings.prompt_n, encodes(warm)) == (first.generation, 1, 1)


def test_a_recording_that_is_gone_or_other_is_told_in_a_sentence(open_hearing: OpenHearing) -> None:
    session = open_hearing("qwen3a")
    assert ask(session, said(replace(A, data=b""), "what is it? ")).reason is FinishReason.LENGTH
    with pytest.raises(UserError, match=r"1\.wav"):
        ask(session, said(replace(A, n_samples=32_000), "what is it? "))


def test_a_long_recording_is_many_slices_and_stops_at_once(open_hearing: OpenHearing) -> None:
    cancel = CancelFlag()
    session = open_hearing("qwen3a", cancel=cancel)
    long = recording(6, 40.0)
    messages = (said(long, "what is it? "),)
    for event in session.reply(ChatRequest(messages, GREEDY)):
        if isinstance(event, Looking):
            cancel.set()
        if isinstance(event, Finished):
            assert event.reason is FinishReason.CANCELLED
    assert encodes(session) == 0
    cancel.clear()
    got = assert_exact(session, open_hearing("qwen3a"), *messages)
    assert encodes(session) == slices(session, long) == 6
    assert counted(got.n_past) > 500
