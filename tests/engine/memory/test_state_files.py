"""States by name: a conversation goes into a file and comes back, in another process or home; damage costs reading."""

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.events import Finished, Looking
from app.core.loading import CacheType, Loading
from app.core.messages import Message
from app.core.requests import ChatRequest
from app.engine.binding import library
from app.engine.memory.state_files import StateError, read_notes
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenPath, OpenTiny, finish
from tests.engine.media.test_warm_pictures import said
from tests.engine.memory.test_warm_restart import GREEDY as GREEDY_TALK
from tests.engine.memory.test_warm_restart import SEEING, make_models, opened, talk
from tests.engine.memory.test_warm_restart import ask as talk_to
from tests.engine.reply.test_session import FAMILIES, GREEDY, answered, user

QUESTION = user("the river runs through the valley and over the stones, and nobody asks it why. " * 3)
MORE = user("and what does the mountain say to that?")
NOTES = {"told": ["a", {"b": "世"}]}


def ask(session: Session, *messages: Message, conversation: str = "1") -> Finished:
    return finish(session, ChatRequest(messages, GREEDY, conversation=conversation))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "talk.hearthstate"


def saved(session: Session, state: Path) -> Message:
    """The answer of a conversation that was saved."""
    answer = answered(ask(session, QUESTION))
    told = session.save_state(state, NOTES, "1")
    assert told is not None
    assert (told.n_entries, told.n_bytes) == (len(session.slot), state.stat().st_size)
    return answer


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("loading", [EXACT, replace(EXACT, exact=True), replace(EXACT, swa_full=True)], ids=str)
def test_what_was_saved_is_not_read_again_and_answers_as_a_cold_start(
    family: str, loading: Loading, state: Path, open_tiny: OpenTiny
) -> None:
    first = open_tiny(family, loading)
    answer = saved(first, state)
    held = len(first.slot)
    again = open_tiny(family, loading)
    told = again.restore_state(state, "7")
    assert (told.n_entries, told.more) == (held, NOTES)
    assert again.slot.conversation == "7"
    follow_up = ask(again, QUESTION, answer, MORE, conversation="7")
    assert follow_up.timings.cache_n == held, follow_up.reuse
    cold = ask(open_tiny(family, loading), QUESTION, answer, MORE)
    assert follow_up.generation.tokens == cold.generation.tokens
    same = open_tiny(family, loading)
    same.restore_state(state)
    if not loading.exact:
        assert counted(ask(same, QUESTION, conversation="").timings.prompt_n) <= 1, "the question itself, asked again"


def test_what_was_left_is_saved_too_and_what_is_held_comes_back(state: Path, open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    answer = answered(ask(session, QUESTION))
    other = answered(ask(session, MORE, QUESTION, conversation="2"))
    assert session.slot.conversation == "2"
    told = session.save_state(state, NOTES, "1")
    assert told is not None
    again = open_tiny("llama")
    ask(again, MORE, QUESTION, conversation="2")
    again.restore_state(state, "1")
    assert ask(again, QUESTION, answer, MORE).timings.cache_n == told.n_entries
    assert counted(ask(again, MORE, QUESTION, other, MORE, conversation="2").timings.cache_n) > 40
    with pytest.raises(UserError, match="holds nothing"):
        session.save_state(state, NOTES, "3")
    with pytest.raises(UserError, match="can't be written"):
        session.save_state(state / "no" / "folder", NOTES, "1")


def test_an_aborted_save_leaves_the_file_as_it_was(state: Path, open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    saved(session, state)
    before = state.read_bytes()
    session._cancel.set()
    assert session.save_state(state, {}, "1") is None
    assert state.read_bytes() == before
    assert list(state.parent.iterdir()) == [state]


def test_another_model_build_or_setting_is_said_in_a_sentence(
    state: Path, tmp_path: Path, open_tiny: OpenTiny, open_path: OpenPath, tiny_models: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    saved(open_tiny("llama"), state)
    for session in (open_tiny("moe"), open_tiny("llama", replace(EXACT, cache_type_k=CacheType.F16))):
        with pytest.raises(StateError, match="was saved with llama, another file or other settings") as caught:
            session.restore_state(state)
        assert caught.value.notes is not None
        assert caught.value.notes.more == NOTES
        assert not len(session.slot)
    moved = tmp_path / "elsewhere" / "renamed.gguf"
    moved.parent.mkdir()
    shutil.copy(tiny_models["llama"], moved)
    assert open_path(moved).restore_state(state).n_entries > 40, "the same model in another home"
    small = open_tiny("llama", replace(EXACT, ctx_size=512))
    with pytest.raises(UserError):
        small.restore_state(state.with_name("none"))
    monkeypatch.setattr(library, "version", lambda: "another build")
    with pytest.raises(StateError, match="by another version of Hearth"):
        open_tiny("llama").restore_state(state)


def test_a_state_that_is_larger_than_the_context_is_said(state: Path, open_tiny: OpenTiny) -> None:
    large = open_tiny("llama")
    ask(large, user("the river runs through the valley and over the stones. " * 14))
    told = large.save_state(state, NOTES)
    assert told is not None
    assert told.n_entries > 512
    with pytest.raises(StateError, match="and the context 512"):
        open_tiny("llama", replace(EXACT, ctx_size=512)).restore_state(state)


def flip(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def drop(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    del data[start : start + chance.randrange(1, 400)]


def blank(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    data[start : start + 64] = bytes(len(data[start : start + 64]))


def swap_head(data: bytearray, chance: random.Random) -> None:
    """Something in the first kilobyte, where lengths and notes are."""
    data[chance.randrange(min(1024, len(data)))] = chance.randrange(256)


def append(data: bytearray, chance: random.Random) -> None:
    data += chance.randbytes(chance.randrange(1, 99))


DAMAGES: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, cut, drop, blank, swap_head, append)


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_damaged_files_cost_a_sentence_and_nothing_else(family: str, state: Path, open_tiny: OpenTiny) -> None:
    """200 of them, fifty on each kind of memory."""
    answer = saved(open_tiny(family), state)
    whole, chance = state.read_bytes(), random.Random(7)
    session = open_tiny(family)
    refusals = 0
    for number in range(50):
        data = bytearray(whole)
        DAMAGES[number % len(DAMAGES)](data, chance)
        state.write_bytes(data)
        if data == whole:
            continue
        with pytest.raises(StateError) as caught:
            session.restore_state(state)
        assert caught.value.sentence.startswith("talk.hearthstate ")
        notes = caught.value.notes
        assert notes is None or notes.more == NOTES, "what is told of it is never wrong"
        refusals += 1
    assert refusals >= 48
    follow_up = ask(session, QUESTION, answer, MORE)
    assert follow_up.generation.tokens == ask(open_tiny(family), QUESTION, answer, MORE).generation.tokens


def test_the_notes_are_read_without_the_model(state: Path, open_tiny: OpenTiny) -> None:
    saved(open_tiny("llama"), state)
    notes = read_notes(state)
    assert (notes.model, notes.more, notes.build) == ("llama", NOTES, library.version())
    state.write_bytes(b"no state at all")
    with pytest.raises(StateError, match=r"is damaged, or no state"):
        read_notes(state)


@pytest.fixture(scope="module")
def seeing_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeing")
    make_models(folder)
    return folder


@pytest.mark.parametrize("kind", SEEING)
def test_pictures_come_back_and_are_not_looked_at_again(kind: str, state: Path, seeing_models: Path) -> None:
    case = f"{kind}:f16:picture"
    with opened(case, seeing_models, None) as session:
        messages = talk(session, case)
        held = len(session.slot)
        assert session.save_state(state, NOTES, "talk") is not None
        following = talk_to(session, *messages, said("go on"))
    with opened(case, seeing_models, None) as session:
        session.restore_state(state, "talk")
        *events, got = session.reply(ChatRequest((*messages, said("go on")), GREEDY_TALK, conversation="talk"))
        assert isinstance(got, Finished)
        assert not [each for each in events if isinstance(each, Looking)]
        assert got.timings.cache_n == held, got.reuse
        assert got.generation.tokens == following.generation.tokens


def test_no_byte_of_the_notes_can_be_changed(state: Path, open_tiny: OpenTiny) -> None:
    saved(open_tiny("llama"), state)
    whole = state.read_bytes()
    n_notes = int.from_bytes(whole[12:16], "little")
    assert b'"llama"' in whole[16 : 16 + n_notes]
    for place in range(16 + n_notes):
        data = bytearray(whole)
        data[place] ^= 1
        state.write_bytes(data)
        with pytest.raises(StateError) as caught:
            read_notes(state)
        assert caught.value.notes is None, place
