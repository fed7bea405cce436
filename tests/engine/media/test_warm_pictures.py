"""Conversations with pictures on every kind of projector: what each change costs, and that it changes nothing else."""

import gc
import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.errors import UserError
from app.core.events import Finished, FinishReason, Looking, PromptProgress, TextDelta
from app.core.loading import Loading
from app.core.messages import ImagePart, MediaPart, Message, Part, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.binding.mtmd_context import Encoding
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.images import Picture, as_png, read_picture
from app.engine.media.media import Media, MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenPath, session_on
from tests.engine.reply.test_scheduler import Asked, Rig
from tests.engine.reply.test_session import answered
from tests.engine.reply.test_session import ask as ask_for
from tests.tiny_vision import VISION_MAKERS
from tests.waits import WAIT

FAMILIES = tuple(VISION_MAKERS)
LOADING = replace(EXACT, ctx_size=2048, batch_size=128, ubatch_size=64)
GREEDY = Sampling(temperature=0.0, max_tokens=12)
TALK = "the river runs through the valley and over the stones, and nobody asks it why. "

ask = partial(ask_for, sampling=GREEDY)

OpenSeeing = Callable[..., Session]


def picture(seed: int, width: int = 64, height: int = 48) -> ImagePart:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    data = as_png(Picture(width, height, pixels.tobytes(), "", ""))
    seen = read_picture(data)
    return ImagePart(hashlib.sha256(data).hexdigest(), f"{seed}.png", seen.width, seen.height, seen.digest, data)


A, B, C = picture(1), picture(2), picture(3, 100, 30)


def said(*parts: str | MediaPart) -> Message:
    made: list[Part] = [TextPart(part) if isinstance(part, str) else part for part in parts]
    return Message(Role.USER, tuple(made))


@pytest.fixture
def open_seeing(seeing_models: dict[str, tuple[Path, Path]], open_path: OpenPath) -> OpenSeeing:
    def open_one(
        family: str,
        cancel: CancelFlag | None = None,
        cache: EmbeddingCache | None = None,
        checkpointing: Checkpointing | None = None,
        loading: Loading = LOADING,
    ) -> Session:
        model, mmproj = seeing_models[family]
        cache = cache or EmbeddingCache(1 << 26, None, 0)
        projector = Projector(mmproj, MediaStores(NoMedia(), cache), 64)
        session = open_path(model, loading, cancel=cancel, checkpointing=checkpointing, projector=projector)
        assert session.info.sees, session.info.projector_problem
        return session

    return open_one


def encodes(session: Session) -> int:
    assert session._media is not None
    return session._media.mtmd.encodes


def assert_exact(warm: Session, cold: Session, *messages: Message) -> Finished:
    """The warm answer's tokens are the cold one's, and so are the logits after the prompt, to 1e-4."""
    got, wanted = ask(warm, *messages), ask(cold, *messages)
    assert got.generation.tokens == wanted.generation.tokens, got.reuse
    assert float(np.abs(warm.slot.logits() - cold.slot.logits()).max()) < 1e-4
    return got


def slices(session: Session, part: MediaPart) -> int:
    assert session._media is not None
    laid_out = session._media.lay_out(part)
    assert laid_out is not None
    return sum(hasattr(chunk, "key") for chunk in laid_out[1])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_follow_up_reads_its_own_words_and_looks_at_nothing(family: str, open_seeing: OpenSeeing) -> None:
    warm = open_seeing(family)
    question = said(TALK * 3, A, "what is it? ")
    first = ask(warm, question)
    looked = encodes(warm)
    assert looked == slices(warm, A)
    got = assert_exact(warm, open_seeing(family), question, answered(first), said("and why? "))
    assert encodes(warm) == looked
    assert counted(got.timings.prompt_n) <= 40, got.reuse


def test_the_pace_of_reading_knows_how_long_pictures_take(
    open_seeing: OpenSeeing, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_seeing(FAMILIES[0])
    ask(session, said(A, TALK))
    session.slot.forget()
    evaluate, seconds = session.slot.evaluate_media, []

    def slow(*asked: Any, **more: Any) -> bool:
        time.sleep(0.2)
        return evaluate(*asked, **more)

    monkeypatch.setattr(session.slot, "evaluate_media", slow)
    monkeypatch.setattr(session.slot.rates.reading, "add", lambda _, took: seconds.append(took))
    ask(session, said(A, TALK))
    assert seconds and seconds[0] >= 0.2


@pytest.mark.parametrize("family", FAMILIES)
def test_a_second_picture_later_is_looked_at_alone(family: str, open_seeing: OpenSeeing) -> None:
    warm = open_seeing(family)
    question = said(A, TALK * 2)
    first = ask(warm, question)
    looked = encodes(warm)
    got = assert_exact(warm, open_seeing(family), question, answered(first), said("now this: ", B, "which is it? "))
    assert encodes(warm) - looked == slices(warm, B)
    assert counted(got.timings.cache_n) >= counted(first.n_past) - 1, got.reuse


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("place", ["before", "between", "after"])
def test_an_edit_anywhere_encodes_nothing_again(family: str, place: str, open_seeing: OpenSeeing) -> None:
    warm = open_seeing(family, checkpointing=Checkpointing(every=32, min_step=16))
    texts = {"before": TALK * 2, "between": TALK, "after": TALK}

    def message() -> Message:
        return said(texts["before"], A, texts["between"], B, texts["after"])

    first = ask(warm, message())
    looked = encodes(warm)
    texts[place] = "well. " + texts[place]
    got = assert_exact(warm, open_seeing(family), message())
    assert encodes(warm) == looked, got.reuse
    if place == "after":
        images = counted(first.n_past) - 200
        assert counted(got.timings.cache_n) > images, got.reuse


@pytest.mark.parametrize("family", FAMILIES)
def test_regenerating_reads_one_entry_and_looks_at_nothing(family: str, open_seeing: OpenSeeing) -> None:
    warm = open_seeing(family)
    question = said(A, B, "compare them. ")
    ask(warm, question)
    looked = encodes(warm)
    got = assert_exact(warm, open_seeing(family), question)
    assert encodes(warm) == looked
    assert got.timings.prompt_n == 1, got.reuse


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_picture_twice_is_encoded_once(family: str, open_seeing: OpenSeeing) -> None:
    warm = open_seeing(family)
    question = said(A, "and again ", A, "are they the same? ")
    first = ask(warm, question)
    assert encodes(warm) == slices(warm, A)
    got = assert_exact(warm, open_seeing(family), question, answered(first), said(A, A, "still? "))
    assert encodes(warm) == slices(warm, A), got.reuse


@pytest.mark.parametrize("family", FAMILIES)
def test_a_picture_that_ends_its_message(family: str, open_seeing: OpenSeeing) -> None:
    warm = open_seeing(family)
    question = said("what is it? ", A)
    first = ask(warm, question)
    assert_exact(warm, open_seeing(family), question)
    assert_exact(warm, open_seeing(family), question, answered(first), said("and now? ", C))
    # Another one in its place: the words before it stay.
    got = assert_exact(warm, open_seeing(family), said("what is it? ", B))
    assert counted(got.timings.cache_n) >= 5 or not warm.slot.traits.trims, got.reuse


@pytest.mark.parametrize("family", FAMILIES)
def test_after_a_full_clear_nothing_is_encoded_again(family: str, open_seeing: OpenSeeing) -> None:
    warm = open_seeing(family)
    question = said(A, "what is it? ", C, "and that? ")
    ask(warm, question)
    looked = encodes(warm)
    warm.slot.forget()
    got = assert_exact(warm, open_seeing(family), question)
    assert got.timings.cache_n == 0
    assert encodes(warm) == looked


@pytest.mark.parametrize("family", FAMILIES)
def test_another_conversation_and_back(family: str, open_seeing: OpenSeeing) -> None:
    warm = open_seeing(family)
    question = said(A, TALK)
    first = ask(warm, question)
    held, looked = len(warm.slot), encodes(warm)
    ask(warm, said(TALK * 4, B))
    assert encodes(warm) - looked == slices(warm, B)
    got = assert_exact(warm, open_seeing(family), question, answered(first), said("where were we? "))
    assert got.timings.cache_n == held, got.reuse
    assert encodes(warm) - looked == slices(warm, B)


@pytest.mark.parametrize("family", FAMILIES)
def test_another_version_and_back(family: str, open_seeing: OpenSeeing) -> None:
    """What differs holds pictures too, and stands after one."""
    warm = open_seeing(family)
    question = said(TALK * 2, A, "what is it? ")
    first = ask(warm, question)
    before = (question, answered(first))
    one = ask(warm, *before, said("and this: ", B, TALK))
    other = ask(warm, *before, said("or this: ", C, TALK))
    looked = encodes(warm)
    for asked, finished in ((said("and this: ", B, TALK), one), (said("or this: ", C, TALK), other)):
        got = assert_exact(warm, open_seeing(family), *before, asked, answered(finished), said("and why? "))
        assert counted(got.timings.prompt_n) <= 40, got.reuse
        assert counted(got.timings.cache_n) >= counted(finished.n_past) - 1
    assert encodes(warm) == looked


@pytest.mark.parametrize("family", FAMILIES)
def test_a_cancel_at_any_event_leaves_the_next_answer_exact(family: str, open_seeing: OpenSeeing) -> None:
    messages = (said(TALK, A, TALK, B, "which? "),)
    cold = open_seeing(family)
    for stop_at in range(1, 7):
        cancel = CancelFlag()
        warm = open_seeing(family, cancel)
        for number, event in enumerate(warm.reply(ChatRequest(messages, GREEDY))):
            if number == stop_at:
                cancel.set()
            if isinstance(event, Finished):
                assert event.reason in (FinishReason.CANCELLED, FinishReason.LENGTH)
        cancel.clear()
        assert_exact(warm, cold, *messages)
        warm.close()


def _after(count: int) -> Callable[[], bool]:
    """True from the call after `count` on."""
    looks = iter(range(count))
    return lambda: next(looks, None) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_an_abort_inside_the_graphs_leaves_the_next_answer_exact(family: str, open_seeing: OpenSeeing) -> None:
    """The flag is set by llama.cpp's own abort callback, so inside texts and inside pictures' entries."""
    messages = (said(TALK, A, TALK, B, "which? "),)
    cold = open_seeing(family)
    for count in (5, 40, 90, 150, 260):
        warm = open_seeing(family)
        warm.slot.context.set_abort(_after(count))
        try:
            list(warm.reply(ChatRequest(messages, GREEDY)))
        finally:
            warm.slot.context.set_abort(None)
        assert_exact(warm, cold, *messages)
        warm.close()


def test_the_record_stays_true_when_a_picture_is_cut_short(open_seeing: OpenSeeing) -> None:
    """A picture of 16 entries in micro-batches of 4: an abort leaves some of them in the memory."""
    small = replace(LOADING, batch_size=16, ubatch_size=4)
    cold = open_seeing("llava")
    question = said(A, "which? ")
    cut_short = 0
    for count in range(10, 200, 9):
        warm = open_seeing("llava", loading=small)
        warm.encode(A)
        warm.slot.context.set_abort(_after(count))
        list(warm.reply(ChatRequest((question,), GREEDY)))
        warm.slot.context.set_abort(None)
        held = warm.slot._entries
        assert warm.slot.context.pos_max in held.newest_positions(len(held))
        cut_short += len(held) < 17
        if count % 2:
            assert_exact(warm, cold, question)
        warm.close()
    assert cut_short > 2


def test_a_picture_whose_cells_see_each_other_gets_a_micro_batch_of_its_size(open_seeing: OpenSeeing) -> None:
    small = replace(LOADING, batch_size=8, ubatch_size=8)
    assert_exact(open_seeing("gemma3", loading=small), open_seeing("gemma3"), said(A, "what is it? "))


def test_an_encoding_is_kept_for_the_next_session_and_the_next_start(open_seeing: OpenSeeing, tmp_path: Path) -> None:
    question = said(A, "what is it? ")
    for encoded in (5, 0):
        cache = EmbeddingCache(1 << 26, tmp_path / "embeddings", 1 << 26)
        session = open_seeing("idefics3", cache=cache)
        ask(session, question)
        cache.close()
        assert encodes(session) == encoded


def test_nothing_of_another_programs_picture_goes_to_the_disk(open_seeing: OpenSeeing, tmp_path: Path) -> None:
    cache = EmbeddingCache(1 << 26, tmp_path / "embeddings", 1 << 26)
    session = open_seeing("idefics3", cache=cache)
    for _ in range(2):
        ask(session, said(replace(A, in_memory=True), "what is it? "))
    cache.close()
    assert encodes(session) == 5, "it is kept in memory"
    assert not [each for each in tmp_path.rglob("*") if each.is_file()]


def test_other_detail_is_another_embedding(
    open_seeing: OpenSeeing, seeing_models: dict[str, tuple[Path, Path]]
) -> None:
    cache = EmbeddingCache(1 << 26, None, 0)
    ask(open_seeing("qwen25vl", cache=cache), said(A))
    model, mmproj = seeing_models["qwen25vl"]
    projector = Projector(mmproj, MediaStores(NoMedia(), cache), 16)
    with session_on(model, LOADING, projector=projector) as (session, _):
        ask(session, said(A))
        assert encodes(session) == 1


def test_looking_is_told_before_it_is_done(open_seeing: OpenSeeing) -> None:
    session = open_seeing("idefics3")
    events = list(session.reply(ChatRequest((said(A, B, A, "which? "),), GREEDY)))
    assert [event for event in events if isinstance(event, Looking)] == [Looking(1, 2, "1.png"), Looking(2, 2, "2.png")]
    last = [event for event in events if isinstance(event, PromptProgress)][-1]
    assert last.read == last.total


def test_a_cache_without_room_costs_encodings_alone(open_seeing: OpenSeeing) -> None:
    """Each picture is let go of as soon as the next one has been looked at."""
    session = open_seeing("llava", cache=EmbeddingCache(5000, None, 0))
    question = said(A, B, C, A, "which? ")
    first = ask(session, question)
    session.slot.forget()
    assert ask(session, question).generation.tokens == first.generation.tokens
    assert_exact(session, open_seeing("llava"), question)


def test_an_encoding_ahead_of_time_is_not_done_again(open_seeing: OpenSeeing) -> None:
    session = open_seeing("gemma3")
    assert session.encode(A)
    assert encodes(session) == 1
    ask(session, said(A, "what is it? "))
    assert encodes(session) == 1


def test_a_cancelled_encoding_keeps_nothing(open_seeing: OpenSeeing) -> None:
    cancel = CancelFlag()
    session = open_seeing("llava", cancel)
    cancel.set()
    assert not session.encode(A)
    cancel.clear()
    assert_exact(session, open_seeing("llava"), said(A, "what is it? "))


def test_a_picture_whose_file_is_gone_is_told_in_words(open_seeing: OpenSeeing) -> None:
    session = open_seeing("llava")
    gone = replace(A, data=b"")
    finished = ask(session, said(gone, "what is it? "))
    assert finished.reason is FinishReason.LENGTH
    assert encodes(session) == 0
    # Once encoded, the file is not needed.
    ask(session, said(A, "what is it? "))
    held = len(session.slot)
    assert ask(session, said(gone, "what is it? ")).n_past == held


@pytest.mark.parametrize("told", [{"width": -1}, {"height": 1 << 40}, {"digest": "\ud800"}])
def test_what_a_chat_says_of_its_pictures_is_looked_up_where_it_can_not_be(
    told: dict[str, Any], open_seeing: OpenSeeing
) -> None:
    """As an imported one may."""
    warm = open_seeing("llava")
    first = ask(warm, said(replace(A, **told), "what is it? "))
    got = assert_exact(warm, open_seeing("llava"), said(A, "what is it? "))
    assert (got.generation, got.timings.prompt_n, encodes(warm)) == (first.generation, 1, 1)


def test_a_picture_of_another_size_than_the_chat_says_is_told_in_a_sentence(open_seeing: OpenSeeing) -> None:
    session = open_seeing("idefics3")
    with pytest.raises(UserError, match=r"1\.png"):
        ask(session, said(replace(A, width=32), "what is it? "))
    assert_exact(session, open_seeing("idefics3"), said(A, "what is it? "))


def test_a_model_without_a_projector_goes_on_with_words(seeing_models: dict[str, tuple[Path, Path]]) -> None:
    with session_on(seeing_models["llava"][0], LOADING) as (session, _):
        assert not session.info.sees
        assert ask(session, said(A, "what is it? ")).reason is FinishReason.LENGTH


def test_text_that_looks_like_a_picture_stays_text(open_seeing: OpenSeeing) -> None:
    session = open_seeing("llava")
    ask(session, said("\ufffc <__media__> <image> \ufffc what is it? "))
    assert encodes(session) == 0


def test_a_projector_that_fits_no_room_is_refused_in_a_sentence(seeing_models: dict[str, tuple[Path, Path]]) -> None:
    model, _ = seeing_models["llava"]
    _, foreign = seeing_models["qwen3vl"]
    projector = Projector(foreign, MediaStores(NoMedia(), EmbeddingCache(0, None, 0)), 64)
    with session_on(model, LOADING, projector=projector) as (session, notes):
        assert not session.info.sees
        assert session.info.projector_problem in notes
        assert session.info.projector_problem.endswith(".")


@pytest.mark.parametrize("family", ["gemma3", "qwen25vl", "qwen35"])
def test_a_picture_is_read_beside_an_answer_that_is_being_written(family: str, open_seeing: OpenSeeing) -> None:
    rig, cold = Rig(open_seeing(family, flag := CancelFlag()), flag), open_seeing(family)
    rig.add(ChatRequest((said(TALK),), replace(GREEDY, max_tokens=60)))
    for pictures in ((A, B), (B, C)):
        rig.run(8)
        rig.add(ChatRequest((said(TALK, *pictures, "which? "),), GREEDY))
    rig.run()
    for asked in rig.all:
        cold.slot.forget()
        assert asked.answer.generation == ask(cold, *asked.request.messages, sampling=asked.request.sampling).generation


class Slow:
    """A source whose disk takes its time."""

    def __init__(self, *parts: ImagePart) -> None:
        self._files = {part.content_hash: part.data for part in parts}
        self.may_read = threading.Event()

    def get(self, content_hash: str) -> bytes | None:
        self.may_read.wait(WAIT / 1000)
        return self._files[content_hash]

    def has(self, content_hash: str) -> bool:
        return content_hash in self._files


def run_until_it_looks(rig: Rig, asked: Asked) -> None:
    while not any(isinstance(event, Looking) for event in asked.events):
        rig.scheduler.step()


@pytest.fixture
def slow(seeing_models: dict[str, tuple[Path, Path]], open_path: OpenPath) -> Iterator[tuple[Rig, Slow]]:
    """One writes, and another waits for the encoder."""
    source, flag = Slow(A), CancelFlag()
    model, mmproj = seeing_models["qwen25vl"]
    projector = Projector(mmproj, MediaStores(source, EmbeddingCache(1 << 26, None, 0)), 64)
    rig = Rig(open_path(model, LOADING, cancel=flag, projector=projector), flag)
    rig.add(ChatRequest((said(TALK),), replace(GREEDY, max_tokens=200)))
    rig.run(8)
    asked = rig.add(ChatRequest((said(TALK, replace(A, data=b""), "which? "),), GREEDY))
    run_until_it_looks(rig, asked)
    yield rig, source
    source.may_read.set()


def written(rig: Rig) -> int:
    return sum(isinstance(event, TextDelta) for event in rig.all[0].events)


def test_a_picture_is_encoded_while_an_answer_is_written(slow: tuple[Rig, Slow], open_seeing: OpenSeeing) -> None:
    rig, source = slow
    before = written(rig)
    rig.run(30)
    assert written(rig) > before + 10
    assert isinstance(rig.all[1].events[-1], Looking)
    source.may_read.set()
    rig.run()
    cold = open_seeing("qwen25vl")
    for asked, question in zip(rig.all, (said(TALK), said(TALK, A, "which? ")), strict=True):
        cold.slot.forget()
        assert asked.answer.generation == ask(cold, question, sampling=asked.request.sampling).generation


def test_a_cancel_ends_the_encoding_of_its_own_picture_alone(slow: tuple[Rig, Slow], open_seeing: OpenSeeing) -> None:
    rig, source = slow
    rig.cancel(rig.all[1])
    rig.scheduler.step()
    assert rig.all[1].answer.reason is FinishReason.CANCELLED
    again = rig.add(rig.all[1].request)
    run_until_it_looks(rig, again)
    rig.cancel(rig.all[0])
    rig.scheduler.step()
    assert rig.all[0].answer.reason is FinishReason.CANCELLED
    source.may_read.set()
    rig.run()
    assert again.answer.generation == ask(open_seeing("qwen25vl"), said(TALK, A, "which? ")).generation
    assert encodes(rig.session) == 1


def test_what_was_encoded_and_lost_to_another_chat_is_encoded_again(
    seeing_models: dict[str, tuple[Path, Path]], open_path: OpenPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cache has room, and another chat's picture is begun before this one's is read."""
    model, mmproj = seeing_models["qwen25vl"]
    source = Slow(A)
    source.may_read.set()
    projector = Projector(mmproj, MediaStores(source, EmbeddingCache(0, None, 0)), 64)
    session = open_path(model, LOADING, projector=projector)
    keep, lost = Media.keep, list[MediaPart]()

    def kept(media: Media, run: Encoding, part: MediaPart) -> None:
        keep(media, run, part)
        if media._fresh and not lost:
            lost.append(part)
            media._fresh.clear()

    monkeypatch.setattr(Media, "keep", kept)
    finished = ask(session, said(TALK, replace(A, data=b""), "which? "))
    assert lost
    assert finished.reason is FinishReason.LENGTH
    assert encodes(session) == 2


def test_when_an_answer_is_over_nobody_holds_its_pictures_files(open_seeing: OpenSeeing) -> None:
    """A server would hold those of all that its clients ever sent."""
    session, sent = open_seeing("qwen25vl"), picture(4)
    held = set(map(id, gc.get_referrers(sent.data)))
    finished = ask(session, said(TALK, replace(sent), "what is it? "))
    assert encodes(session) == 1 and len(finished.generation.tokens) == GREEDY.max_tokens
    assert [each for each in gc.get_referrers(sent.data) if id(each) not in held] == []
