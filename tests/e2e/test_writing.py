"""Writing in the whole program: files reach the model, what waits goes by itself, and nothing written is lost."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart, Message, Role, TextPart
from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.core.sampling import Sampling
from app.core.settings import Interface
from app.program import Program
from app.services.drafts.offers import DocumentFile
from app.services.drafts.outbox import Hold
from app.services.engine.states import Generating, Idle, ModelReady
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database
from app.storage.drafts import Draft, DraftStore
from tests.document_files import pdf
from tests.e2e.conftest import enter
from tests.endless_model import make_endless
from tests.services.shutdown import shut_down
from tests.waits import WAIT

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def program(paths: Paths, qapp: QApplication, qtbot: QtBot, tiny_models: dict[str, Path]) -> Iterator[Program]:
    made = Program(qapp, paths)
    qtbot.addWidget(made.window)
    made.window.show()
    # No event loop of asyncio runs here, and titles would be asked for between the questions.
    made.settings.update(Interface, model_titles=False)
    made.controller.start()
    made.engine.load(ModelRef.of_file(tiny_models["llama"]))
    qtbot.waitUntil(lambda: isinstance(made.engine.state, ModelReady), timeout=WAIT)
    yield made
    shut_down(made.engine, qtbot)
    made.close()


def told(program: Program) -> list[list[Message]]:
    """Of each conversation, the oldest first."""
    with Database.open(program.paths.database) as database:
        store = ConversationStore(database)
        return [[each.message for each in store.path(one.id)] for one in sorted(store.all(), key=lambda each: each.id)]


def test_what_is_attached_to_no_message_goes_with_its_chat(program: Program, qtbot: QtBot, tmp_path: Path) -> None:
    enter(program, "Why?")
    qtbot.waitUntil(lambda: isinstance(program.controller.replies.activity, Idle), timeout=WAIT)
    chat = program.controller.active.conversation_id
    assert chat is not None
    assert program.controller.side_by_side.begin_last((None, None))
    qtbot.waitUntil(lambda: isinstance(program.controller.replies.activity, Idle), timeout=WAIT)
    (tmp_path / "b.py").write_bytes(b"print()\n")
    number = program.writing.attachments.add(DocumentFile(tmp_path / "b.py"))
    qtbot.waitUntil(lambda: not program.window.composer.documents.is_reading, timeout=WAIT)
    program.controller.new_conversation()
    assert program.writing.attachments.find(number) is not None and program.controller.side_by_side._all
    program.controller.delete(chat)
    program.chats.library.delete_for_good([chat])
    assert program.writing.attachments.find(number) is None and not program.controller.side_by_side._all


def test_files_reach_the_model_with_their_tokens_counted(program: Program, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("The rain falls on the river."))
    (tmp_path / "b.py").write_bytes(b"print('```')\n")
    composer = program.window.composer
    for name in ("a.pdf", "b.py"):
        program.writing.attachments.add(DocumentFile(tmp_path / name))
    qtbot.waitUntil(lambda: not composer.documents.is_reading, timeout=WAIT)
    qtbot.waitUntil(lambda: all(chip.told.count("≈") == 0 for chip in composer.documents.items), timeout=WAIT)
    counted = sum(chip.pending.tokens.n for chip in composer.documents.items if chip.pending.tokens)
    enter(program, "What is it?")
    qtbot.waitUntil(lambda: isinstance(program.controller.replies.activity, Idle), timeout=WAIT)
    ((question, _),) = told(program)
    first, second, words = question.parts
    assert isinstance(first, DocumentPart) and isinstance(second, DocumentPart)
    assert (first.name, first.text) == ("a.pdf", "[Page 1]\nThe rain falls on the river.\n")
    assert (second.name, second.text, words) == ("b.py", "print('```')\n", TextPart("What is it?"))
    assert AttachmentStore(program.paths.attachments).get(first.content_hash) == (tmp_path / "a.pdf").read_bytes()
    figures = program.window.transcript.views[-1].stored.figures or {}
    # What may be cited is told how, in some 190 letters.
    assert counted < int(str(figures["prompt_n"])) < counted + 260, "all of it was read"


def test_waiting_messages_go_one_by_one_also_in_a_chat_that_was_left(program: Program, qtbot: QtBot) -> None:
    enter(program, "first")
    enter(program, "second")
    enter(program, "third")
    assert len(program.window.composer.queue.cards) == 2
    program.controller.new_conversation()
    enter(program, "elsewhere")
    assert not program.window.composer.queue.cards, "another chat has to wait for nobody"

    def done() -> bool:
        return not program.controller.replies.is_busy and sum(map(len, told(program))) == 8

    qtbot.waitUntil(done, timeout=WAIT)
    questions = [[each.text for each in messages if each.role is Role.USER] for messages in told(program)]
    assert questions == [["first", "second", "third"], ["elsewhere"]]
    with Database.open(program.paths.database) as database:
        assert database.query("SELECT count(*) FROM draft") == [(0,)]


def test_a_stop_holds_what_waits(program: Program, qtbot: QtBot, tmp_path: Path) -> None:
    program.engine.load(ModelRef.of_file(make_endless(tmp_path / "endless.gguf")))
    qtbot.waitUntil(lambda: isinstance(program.engine.state, ModelReady), timeout=WAIT)
    program.settings.update(Sampling, max_tokens=0)
    enter(program, "first")
    enter(program, "second")
    qtbot.waitUntil(lambda: isinstance(program.controller.replies.activity, Generating), timeout=WAIT)
    program.settings.update(Sampling, max_tokens=30)
    program.controller.replies.stop()
    qtbot.waitUntil(lambda: isinstance(program.controller.replies.activity, Idle), timeout=WAIT)
    assert program.window.composer.queue.sentence.text() == "The answer was stopped; these wait."
    QTest.mouseClick(program.window.composer.queue.send_now, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sum(map(len, told(program))) == 4, timeout=WAIT)
    qtbot.waitUntil(lambda: isinstance(program.controller.replies.activity, Idle), timeout=WAIT)
    assert program.window.transcript.views[-1].stored.state is MessageState.COMPLETE


WRITER = """
import sys, time
from pathlib import Path
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from app.program import Program
from app.core.messages import Message, Role
from app.core.paths import Paths
from app.services.drafts.offers import DocumentText

home = Path(sys.argv[1])
application = QApplication([])
program = Program(application, Paths(home, home, home / "logs"))
program.window.show()
program.controller.start()
program.writing.attachments.add(DocumentText("its text", "Pasted text"))
program.writing.outbox.add(Message.of(Role.USER, "waiting"))
edit = program.window.composer.edit
def type_on():
    QTest.keyClicks(edit, "x")
    print(time.time(), len(edit.toPlainText()), flush=True)
timer = QTimer(interval=10)
timer.timeout.connect(type_on)
timer.start()
application.exec()
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_killed_program_loses_at_most_a_second_of_typing(paths: Paths, qapp: QApplication, qtbot: QtBot) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(paths.data)], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    typed: list[tuple[float, int]] = []
    assert writer.stdout is not None
    for line in writer.stdout:
        at, length = line.split()
        typed.append((float(at), int(length)))
        if typed[-1][0] - typed[0][0] > 1.6:
            break
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    with Database.open(paths.database) as database:
        draft = DraftStore(database).get(None)
    safe = max(length for at, length in typed if at <= typed[-1][0] - 1.0)
    assert 0 < safe <= len(draft.text)
    assert draft.attachments == (DocumentPart("", "Pasted text", "its text"),)
    assert [each.text for each in draft.queue] == ["waiting"]
    again = Program(qapp, paths)
    qtbot.addWidget(again.window)
    again.settings.update(Interface, model_titles=False)
    again.controller.start()
    assert again.window.composer.edit.toPlainText() == draft.text
    assert [chip.pending.name for chip in again.window.composer.documents.items] == ["Pasted text"]
    assert again.writing.outbox.queue.hold is Hold.RESTARTED
    again.writing.attachments.take()
    again.writing.outbox.remove(0)
    again.window.composer.edit.clear()
    again.writing.drafts.flush()
    with Database.open(paths.database) as database:
        assert DraftStore(database).get(None) == Draft()
    shut_down(again.engine, qtbot)
    again.close()
