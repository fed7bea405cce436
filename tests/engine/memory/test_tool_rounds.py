"""Rounds of tool calls: nothing is read twice, and the question behind them comes to what was read ahead."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.counted import counted
from tests.engine.conftest import EXACT, OpenPath
from tests.tool_talk import FOLLOW_UP, KINDS, ask, loop, read_ahead, to_read, write_model

ROOM = replace(EXACT, ctx_size=4096)


@pytest.mark.parametrize("thinks", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_each_round_reads_its_result_alone(kind: str, thinks: bool, tmp_path: Path, open_path: OpenPath) -> None:
    session = open_path(write_model(kind, tmp_path / "model.gguf"), ROOM)
    messages, rounds = loop(session, 4, thinks=thinks, result="Level 37 cm. " * 8)
    assert len(rounds) == 4
    for each in rounds:
        assert each.read == each.new, rounds
    before = to_read(session, [*messages, FOLLOW_UP])
    read_ahead(session, messages)
    followed = ask(session, [*messages, FOLLOW_UP], "Here.")
    assert counted(followed.timings.prompt_n) <= 100, followed.reuse
    assert before > 400 if thinks else before <= 100, "the template drops what was thought"
