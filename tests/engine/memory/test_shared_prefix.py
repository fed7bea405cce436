"""What many conversations begin with, such as their tools: read once, and there for each of them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from app.core.messages import DocumentPart, Message, Role, TextPart
from app.core.snapshot_settings import PROGRAMS
from app.engine.memory import kept_memory
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.memory.snapshot_files import SnapshotFiles
from app.engine.memory.snapshots import is_shared, shared_name
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import OpenTiny, session_on
from tests.engine.memory.test_snapshot_files import GO_ON, MODEL, entries, snapshot
from tests.engine.reply.test_session import GREEDY, ask, user

TOOLS = tuple(
    {
        "type": "function",
        "function": {
            "name": f"{verb}_the_{thing}",
            "description": f"It can {verb} the {thing}, wherever that may be.",
            "parameters": {"type": "object", "properties": {"where": {"type": "string", "description": ""}}},
        },
    }
    for verb, thing in (("find", "river"), ("climb", "mountain"), ("ask", "rain"))
)
FIRST = user("what does the mountain say, when the evening comes in? ")
Start = Callable[[], tuple[Session, SnapshotDisk]]

ask_with = partial(ask, sampling=GREEDY, tools=TOOLS)


@pytest.fixture
def start(
    request: pytest.FixtureRequest, tmp_path: Path, tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Start]:
    """Opens a session as a start of the program would; the one before it is closed first."""
    monkeypatch.setattr(kept_memory, "WORTH_SHARING", 100)
    stack = ExitStack()

    def act() -> tuple[Session, SnapshotDisk]:
        stack.close()
        disk = SnapshotDisk(tmp_path / "snapshots", 1 << 30)
        stack.callback(disk.close, 30)
        return stack.enter_context(session_on(tiny_models[request.param], snapshots=disk))[0], disk

    with stack:
        yield act


@pytest.mark.parametrize("start", ["llama", "gemma3", "qwen35", "mamba"], indirect=True)
def test_a_new_chat_after_a_restart_reads_its_question_alone(
    start: Start, open_tiny: OpenTiny, request: pytest.FixtureRequest
) -> None:
    session, _ = start()
    ask_with(session, FIRST, conversation="1")
    session.slot.keep()
    session.slot.forget_conversation("1")
    assert session.slot.warm_conversations() == {}, "it is nobody's"
    session, _ = start()
    got = ask_with(session, user("only this?"), conversation="2")
    assert counted(got.timings.prompt_n) <= 40 < 300 < counted(got.timings.cache_n), got.reuse
    cold = open_tiny(request.node.callspec.params["start"])
    wanted = ask_with(cold, user("only this?"))
    assert got.generation.tokens == wanted.generation.tokens
    assert np.abs(session.slot.logits() - cold.slot.logits()).max() < 1e-4


def asks(text: str, *names: str, by_passages: bool = False) -> Message:
    """A question about documents, which stand before it."""
    texts = ((name, f"{name} is what the river says in the evening. " * 12) for name in names)
    documents = (DocumentPart("", name, each, by_passages=by_passages) for name, each in texts)
    return Message(Role.USER, (*documents, TextPart(text)))


@pytest.mark.parametrize("start", ["llama", "llama_spm", "gemma3", "qwen35", "mamba"], indirect=True)
def test_a_new_chat_on_the_same_documents_reads_its_question_alone(
    start: Start, open_tiny: OpenTiny, request: pytest.FixtureRequest
) -> None:
    about = partial(ask, sampling=GREEDY)
    session, _ = start()
    about(session, asks("what is said first?", "one", "two"), conversation="1")
    session.slot.keep()
    session.slot.forget_conversation("1")
    for names in (("one", "two"), ("one",)):
        session, _ = start()
        got = about(session, asks("and this?", *names), conversation="2")
        assert (got.timings.prompt_n or 0) <= 40 < 200 < (got.timings.cache_n or 0), (names, got.reuse)
        cold = open_tiny(request.node.callspec.params["start"])
        wanted = about(cold, asks("and this?", *names))
        assert got.generation.tokens == wanted.generation.tokens
        assert np.abs(session.slot.logits() - cold.slot.logits()).max() < 1e-4


@pytest.mark.parametrize("start", ["llama", "gemma3", "qwen35", "mamba"], indirect=True)
def test_documents_that_were_read_before_the_question_are_kept_with_it(start: Start) -> None:
    session, _ = start()
    done = ask(session, asks("?", "one", "two"), sampling=GREEDY, only_read=True, only_documents=True)
    assert done.timings.predicted_n == 0
    got = ask(session, asks("what is said first?", "one", "two"), sampling=GREEDY, conversation="1")
    assert (got.timings.prompt_n or 0) <= 40 < 200 < (got.timings.cache_n or 0), got.reuse
    session.slot.keep()
    session.slot.forget_conversation("1")
    session, _ = start()
    got = ask(session, asks("and this?", "one", "two"), sampling=GREEDY, conversation="2")
    assert (got.timings.prompt_n or 0) <= 40 < 200 < (got.timings.cache_n or 0), got.reuse


@pytest.mark.parametrize("start", ["llama"], indirect=True)
def test_documents_that_go_by_passages_are_no_beginning(start: Start) -> None:
    session, _ = start()
    assert session.chat.prompt((asks("what?", "one", by_passages=True),), {}).documents == ()
    assert len(session.chat.prompt((asks("what?", "one", "two"),), {}).documents) == 2


@pytest.mark.parametrize("start", ["llama"], indirect=True)
def test_it_is_kept_once_and_where_conversations_may_be_kept(start: Start, tmp_path: Path) -> None:
    session, _ = start()
    ask_with(session, FIRST, conversation="1", keep_on_disk=False)
    ask_with(session, FIRST)
    start()
    assert not list(tmp_path.glob("snapshots/*"))
    session, _ = start()
    for conversation in ("2", "3"):
        ask_with(session, user(f"{conversation} is a number?"), conversation=conversation)
    ask_with(session, user("without tools?"), conversation="4", tools=())
    session, _ = start()
    assert session.slot.on_disk is not None
    held = [each for each in session.slot.on_disk if is_shared(each.conversation)]
    assert len(held) == 1


def test_it_outlasts_what_begins_with_it(tmp_path: Path) -> None:
    files, begins, size = SnapshotFiles(tmp_path, 25_000), entries(*range(50)), 10_000
    begun = snapshot(begins, size, shared_name(begins, 50))
    for kept in (begun, snapshot(entries(7, 7, 7), size, "1"), snapshot(entries(*range(60)), size, "2")):
        assert files.write(kept, MODEL, GO_ON)
    assert {each.conversation for each in files.stored([MODEL])} == {begun.conversation, "2"}


def test_that_of_a_program_takes_of_the_programs_room(tmp_path: Path) -> None:
    files, begins = SnapshotFiles(tmp_path, 1_000_000, 15_000), entries(*range(50))
    names = [shared_name(begins, 50, each) for each in ("1", PROGRAMS + "a", PROGRAMS + "b")]
    assert len(set(names)) == 2 and all(map(is_shared, names))
    for kept in (snapshot(begins, 10_000, name) for name in (*names, PROGRAMS + "a")):
        assert files.write(kept, MODEL, GO_ON)
    assert {each.conversation for each in files.stored([MODEL])} == {names[0], PROGRAMS + "a"}
