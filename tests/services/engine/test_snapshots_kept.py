"""Conversations kept on disk through the façade: when idle, when the model goes, and for good until forgotten."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.api_settings import ApiSettings
from app.core.events import Finished
from app.core.messages import Message, Role, TextPart
from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.snapshot_settings import PROGRAMS, SnapshotSettings
from app.services.engine.plans import PreflightPlan
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelReady, SnapshotStatus, Warmth
from app.services.runtime.settings_service import SettingsService
from tests.counted import counted
from tests.services.asking import becomes, finish
from tests.services.shutdown import shut_down
from tests.waits import WAIT

LONG = "the rain in the mountains is heard on another hill and in the valley too. " * 6
OTHER = "something else altogether, about a ship and a whale on the sea. " * 6


class Program:
    """One life of the program, as far as the engine is concerned."""

    def __init__(
        self,
        settings: SettingsService,
        tried: Path,
        tiny_models: dict[str, Path],
        folder: Path | None,
        qtbot: QtBot,
    ) -> None:
        self.qtbot, self._tiny_models = qtbot, tiny_models
        self.engine = EngineService(settings, PreflightPlan(tried, own_command()), snapshots=folder)
        self.seen: list[str] = []
        """What came first: the end of a reply, or a file."""
        self.engine.snapshots.changed.connect(self._take_status)

    def _take_status(self, status: SnapshotStatus) -> None:
        if status.disk_bytes:
            self.seen.append("file")

    def load(self, family: str) -> None:
        with becomes(self.engine, self.qtbot, ModelReady, ModelFailed):
            self.engine.load(ModelRef.of_file(self._tiny_models[family]))
        assert isinstance(self.engine.state, ModelReady)

    def ask(self, *messages: Message, conversation: str = "1", keep_on_disk: bool = True) -> Finished:
        sampling = Sampling(temperature=0.0, max_tokens=12)
        request = ChatRequest(messages, sampling, conversation=conversation, keep_on_disk=keep_on_disk)
        finished = finish(self.engine, request, self.qtbot)
        self.seen.append("reply")
        return finished

    def wait_for(self, holds: Callable[[SnapshotStatus], bool]) -> SnapshotStatus:
        self.qtbot.waitUntil(lambda: holds(self.engine.snapshots.status), timeout=WAIT)
        return self.engine.snapshots.status

    def end(self) -> None:
        if self.engine.is_running:
            shut_down(self.engine, self.qtbot)


Start = Callable[..., Program]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "snapshots"


@pytest.fixture
def start(
    settings: SettingsService, tried: Path, tiny_models: dict[str, Path], folder: Path, qtbot: QtBot
) -> Iterator[Start]:
    """A life with a model, where one is named; without a folder nothing goes to the disk."""
    settings.update(SnapshotSettings, idle=1)
    programs: list[Program] = []

    def start_one(family: str = "", *, on_disk: bool = True) -> Program:
        programs.append(Program(settings, tried, tiny_models, folder if on_disk else None, qtbot))
        if family:
            programs[-1].load(family)
        return programs[-1]

    yield start_one
    for program in programs:
        program.end()


def user(text: str) -> Message:
    return Message.of(Role.USER, text)


def answered(finished: Finished) -> Message:
    return Message(Role.ASSISTANT, (TextPart(finished.text),), finished.generation)


def test_an_idle_program_keeps_its_conversation_and_the_next_one_goes_on(start: Start, folder: Path) -> None:
    first = start("llama")
    finished = first.ask(user(LONG))
    status = first.wait_for(lambda status: status.disk_bytes > 0)
    assert status.conversations == {"1": Warmth.MEMORY}, "what the context holds needs no file"
    assert status.disk_bytes == sum(path.stat().st_size for path in folder.iterdir())
    first.end()
    second = start("llama")
    assert second.wait_for(lambda status: bool(status.conversations)).conversations == {"1": Warmth.DISK}
    got = second.ask(user(LONG), answered(finished), user("and then?"))
    assert got.timings.cache_n == finished.n_past
    assert "brought back from disk" in got.reuse


def test_closing_keeps_what_was_not_kept_yet(start: Start, settings: SettingsService) -> None:
    settings.update(SnapshotSettings, idle=3600)
    first = start("mamba")
    finished = first.ask(user(LONG))
    first.end()
    second = start("mamba")
    got = second.ask(user(LONG), answered(finished), user("and then?"))
    assert got.timings.cache_n == finished.n_past


def test_loading_another_model_keeps_the_conversation_of_the_one_before(
    start: Start, settings: SettingsService
) -> None:
    settings.update(SnapshotSettings, idle=3600)
    program = start("llama")
    finished = program.ask(user(LONG))
    program.load("gemma3")
    program.wait_for(lambda status: status.disk_bytes > 0)
    assert program.ask(user(LONG), conversation="2").timings.cache_n == 0, "it is another model's"
    program.load("llama")
    got = program.ask(user(LONG), answered(finished), user("and then?"))
    assert got.timings.cache_n == finished.n_past


def test_a_conversation_that_is_left_is_warm_in_memory_and_then_on_disk(start: Start) -> None:
    program = start("llama")
    program.ask(user(LONG))
    program.ask(user(OTHER), conversation="2")
    status = program.wait_for(lambda status: len(status.conversations) == 2 and status.disk_bytes > 0)
    assert status.conversations == {"1": Warmth.MEMORY, "2": Warmth.MEMORY}
    assert status.memory_bytes > 0


def test_a_forgotten_conversation_is_gone_for_good(start: Start, folder: Path) -> None:
    program = start("llama")
    program.ask(user(LONG))
    program.ask(user(OTHER), conversation="2")
    program.engine.snapshots.forget("1")
    program.engine.snapshots.forget("2")
    program.wait_for(lambda status: not status.conversations and not status.disk_bytes and not status.memory_bytes)
    assert program.ask(user(LONG), conversation="3", keep_on_disk=False).timings.cache_n == 0
    program.engine.snapshots.forget("3")
    program.end()
    assert not list(folder.glob("*")), "closing keeps nothing of it either"


def test_emptying_leaves_the_context_and_nothing_else(start: Start) -> None:
    program = start("llama")
    program.ask(user(LONG))
    finished = program.ask(user(OTHER), conversation="2")
    program.engine.snapshots.empty()
    program.wait_for(lambda status: status == SnapshotStatus(0, 0, {"2": Warmth.MEMORY}))
    again = program.ask(user(OTHER), answered(finished), user("?"), conversation="2")
    assert counted(again.timings.cache_n) > 100
    assert counted(program.ask(user(LONG), conversation="2").timings.cache_n) < 40


def test_what_must_not_be_on_disk_is_not(start: Start, folder: Path) -> None:
    """For a client without a name, and where it is switched off, after what was there before is removed."""
    program = start("llama")
    program.ask(user(LONG))
    program.wait_for(lambda status: status.disk_bytes > 0)
    program.ask(user(LONG), user("go on"), keep_on_disk=False)
    program.wait_for(lambda status: not status.disk_bytes)
    program.ask(user(OTHER), conversation="")
    program.ask(user("one more " * 40), conversation="")
    program.end()
    assert not list(folder.glob("*"))


def test_switching_it_off_removes_the_files(start: Start, folder: Path, settings: SettingsService) -> None:
    program = start("llama")
    program.ask(user(LONG))
    program.wait_for(lambda status: status.disk_bytes > 0)
    settings.update(SnapshotSettings, on_disk=False)
    program.wait_for(lambda status: not status.disk_bytes)
    assert not list(folder.glob("*")), "at once, and not with the next reply"
    program.ask(user(LONG), user("go on"))
    program.end()
    assert not list(folder.glob("*"))


def test_switching_it_off_before_a_model_is_loaded_removes_the_files(
    start: Start, folder: Path, settings: SettingsService
) -> None:
    first = start("llama")
    first.ask(user(LONG))
    first.wait_for(lambda status: status.disk_bytes > 0)
    first.end()
    second = start()
    settings.update(SnapshotSettings, on_disk=False)
    second.qtbot.waitUntil(lambda: not list(folder.glob("*")), timeout=WAIT)
    settings.update(SnapshotSettings, on_disk=True)
    second.load("llama")
    finished = second.ask(user(LONG))
    second.wait_for(lambda status: status.disk_bytes > 0)
    assert finished.timings.cache_n == 0


def test_no_room_for_programs_removes_their_conversations_alone(
    start: Start, folder: Path, settings: SettingsService
) -> None:
    settings.update(ApiSettings, keep_on_disk=64)
    first = start("llama")
    for conversation in ("1", f"{PROGRAMS}a"):
        first.ask(user(conversation + LONG), conversation=conversation)
    first.wait_for(lambda _: len(list(folder.glob("*.snapshot"))) == 2)
    first.end()
    second = start()
    settings.update(ApiSettings, keep_on_disk=0)
    second.qtbot.waitUntil(lambda: len(list(folder.glob("*.snapshot"))) == 1, timeout=WAIT)
    second.load("llama")
    assert second.ask(user("1" + LONG), conversation="1").timings.cache_n not in (0, None)


def test_a_conversation_is_brought_back_before_anybody_asks(start: Start) -> None:
    first = start("qwen35")
    finished = first.ask(user(LONG))
    first.end()
    second = start("qwen35")
    second.engine.snapshots.bring_back("1")
    second.wait_for(lambda status: status.conversations == {"1": Warmth.MEMORY})
    got = second.ask(user(LONG), answered(finished), user("and then?"))
    assert got.timings.cache_n == finished.n_past
    assert "brought back" not in got.reuse, "it was there already"


def test_nothing_is_kept_while_somebody_goes_on_asking(start: Start) -> None:
    program = start("llama")
    messages = [user(LONG)]
    for _ in range(3):
        finished = program.ask(*messages)
        messages += [answered(finished), user("and then?")]
    program.wait_for(lambda status: status.disk_bytes > 0)
    assert program.seen == ["reply", "reply", "reply", "file"]


def test_without_a_folder_all_goes_on_in_memory(start: Start) -> None:
    program = start("llama", on_disk=False)
    program.ask(user(LONG))
    program.ask(user(OTHER), conversation="2")
    status = program.wait_for(lambda status: len(status.conversations) == 2)
    assert (status.disk_bytes, set(status.conversations.values())) == (0, {Warmth.MEMORY})
