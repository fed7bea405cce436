"""kill -9 while an answer is being written: at most its last second is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.core.messages import Role
from app.storage.conversations import ConversationStore, MessageState
from app.storage.database import Database

ROOT = Path(__file__).resolve().parents[2]

TALKER = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.core.loading import Loading
from app.core.model_ref import ModelRef
from app.core.sampling import Sampling
from app.core.program import own_command
from app.services.chat.chat_controller import ChatController
from app.services.engine.service import EngineService
from app.services.engine.plans import PreflightPlan
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.options import OptionsStore

folder, model = map(Path, sys.argv[1:])
application = QCoreApplication([])
settings = SettingsService(folder / "settings.toml")
settings.update(Loading, threads=1, gpu_layers=0, ctx_size=8192)
settings.update(Sampling, temperature=0.0, max_tokens=0)
engine = EngineService(settings, PreflightPlan(folder / "tried.json", own_command()))
database = Database.open(folder / "hearth.sqlite3")
controller = ChatController(ConversationStore(database), engine, settings, OptionsStore(database))
shown = 0
def grow(update):
    global shown
    said = update.said
    if not said.is_written:
        return
    shown += len(said.event.text)
    print(time.time(), shown, flush=True)
    time.sleep(0.02)  # the window takes its time too, and the answer must outlast the test
controller.replies.said.connect(grow)
engine.load(ModelRef.of_file(model))
controller.send("Talk until you are killed")
application.exec()
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_killed_program_loses_at_most_a_second(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    talker = subprocess.Popen(
        [sys.executable, "-c", TALKER, str(tmp_path), str(tiny_models["llama"])],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    told: list[tuple[float, int]] = []
    assert talker.stdout is not None
    for line in talker.stdout:
        at, shown = line.split()
        told.append((float(at), int(shown)))
        if told[-1][0] - told[0][0] > 1.6:
            break
    killed = time.time()
    talker.send_signal(signal.SIGKILL)
    talker.wait()
    talker.stdout.close()
    with Database.open(tmp_path / "hearth.sqlite3") as database:
        store = ConversationStore(database)
        assert store.mark_interrupted() == 1
        question, answer = store.path(store.all()[0].id)
    assert (question.message.role, question.message.text) == (Role.USER, "Talk until you are killed")
    assert answer.state is MessageState.INTERRUPTED
    safe = max(shown for at, shown in told if at <= killed - 1.0)
    assert 0 < safe <= len(answer.message.text)
