"""llama-server itself, where one was built: skipped where `HEARTH_LLAMA_SERVER` names none."""

import json
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.core.events import Finished, FinishReason, ReplyEvent, TextDelta
from app.remote.server import ServerKind
from app.remote.stop_signal import StopSignal
from tests import server_checks as checks
from tests.endless_model import make_repeating
from tests.engine_servers import llama_server, llama_server_program
from tests.server_checks import CHECKS as ALL
from tests.server_checks import ENDLESS, Subject, answer, question

EXPECTED = {
    checks.answers_with_figures: "25 read, 12 written",
    checks.tells_what_it_reused: "263 of 264",
    checks.sees_no_picture: "refused here; sent all the same: refused there",
    checks.keeps_to_a_schema: "kept",
    checks.keeps_to_a_grammar: "kept",
    checks.calls_a_tool: "refused here",
    checks.goes_on: "answers",
    checks.says_what_is_too_long: "100016 of 2048",
}


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    folder = tmp_path_factory.mktemp("llama-server")
    with llama_server(llama_server_program(), make_repeating(folder / "m.gguf"), folder / "log") as running:
        yield Subject(running, ServerKind.LLAMA_SERVER)


@pytest.mark.parametrize("check", ALL, ids=lambda check: check.__name__)
def test_what_is_asked_of_every_server(subject: Subject, check: Any) -> None:
    said = check(subject)
    assert EXPECTED.get(check, said) == said


def test_a_stop_is_seen_in_its_own_slots(subject: Subject) -> None:
    def busy() -> bool:
        with urllib.request.urlopen(f"{subject.running.address.base}/slots") as told:
            return any(slot["is_processing"] for slot in json.load(told))

    stop = StopSignal()
    with closing(subject.engine.reply(question(sampling=ENDLESS), stop)) as events:
        assert any(isinstance(each, TextDelta) for each in events)
        assert busy()
        stop.set()
        *_, last = events
    assert isinstance(last, Finished)
    assert last.reason is FinishReason.CANCELLED
    while busy():
        time.sleep(0.02)
    assert answer(subject.engine, question()).text


def test_a_server_that_dies_in_mid_answer_leaves_the_part(tmp_path: Path) -> None:
    with llama_server(llama_server_program(), make_repeating(tmp_path / "m.gguf"), tmp_path / "log") as running:
        subject = Subject(running, ServerKind.LLAMA_SERVER)
        came = ""
        events: list[ReplyEvent] = []
        for event in subject.engine.reply(question(sampling=ENDLESS), StopSignal()):
            events.append(event)
            if isinstance(event, TextDelta):
                came += event.text
                running.process.kill()
    last = events[-1]
    assert isinstance(last, Finished)
    assert (last.reason, last.text) == (FinishReason.BROKEN_OFF, came)
    assert last.notes
