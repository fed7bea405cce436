"""States from outside are hostile input: hashes tell damage and no ill will, so a child tries them first."""

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.loading import FlashAttention
from app.core.program import own_command
from app.engine.memory.state_files import StateError
from app.engine.preflight.preflight import Preflight
from app.engine.reply.session import Session
from tests.engine.conftest import EXACT, OpenTiny
from tests.engine.memory.test_state_files import QUESTION, ask
from tests.hostile_states import sign, two_cells_for_one, with_facts

WIDE = replace(EXACT, parallel=2)
_TAKE = """
import sys
from pathlib import Path
from app.core.cancel import CancelFlag
from app.engine.loading.loader import open_session
from tests.engine.preflight.test_hostile_states import WIDE
session, _ = open_session(Path(sys.argv[1]), WIDE, cancel=CancelFlag())
session.widen(session.slot)
session.restore_state(Path(sys.argv[2]), foreign=True)
"""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "s.hearthstate"


@pytest.fixture
def preflight(tmp_path: Path) -> Preflight:
    return Preflight(tmp_path / "tried.json", own_command())


def asked(session: Session) -> Session:
    ask(session, QUESTION)
    return session


@pytest.mark.parametrize("family", ["llama", "gemma3", "qwen35", "mamba"])
def test_an_honest_state_is_taken(family: str, state: Path, preflight: Preflight, open_tiny: OpenTiny) -> None:
    session = asked(open_tiny(family))
    assert session.save_state(state, {}, "1") is not None
    path = session.info.ref.file
    assert preflight.try_state(path, EXACT, state, CancelFlag())
    left = replace(EXACT, flash_attn=FlashAttention.AUTO)
    assert preflight.try_state(path, left, state, CancelFlag()), "a layout that only the card knows"


def test_a_state_that_aborts_llama_cpp_ends_the_child_alone(
    state: Path, preflight: Preflight, open_tiny: OpenTiny
) -> None:
    session = asked(open_tiny("mamba", WIDE))
    two_cells_for_one(session, "1", state)
    path = session.info.ref.file
    without = subprocess.run([sys.executable, "-c", _TAKE, path, state], stderr=subprocess.PIPE, check=False)
    assert without.returncode, "what it does to a process that takes it"
    assert b"GGML_ASSERT" in without.stderr
    with pytest.raises(ModelError, match=r"^s.hearthstate makes llama\.cpp crash") as caught:
        preflight.try_state(path, WIDE, state, CancelFlag())
    assert "GGML_ASSERT" in caught.value.detail


def test_one_that_llama_cpp_refuses_is_refused_in_a_sentence(
    state: Path, preflight: Preflight, open_tiny: OpenTiny
) -> None:
    session = asked(open_tiny("llama"))
    snapshot = session.slot.snapshot_of("1")
    assert snapshot is not None
    sign(session, replace(snapshot, data=bytes(len(snapshot.data))), state)
    with pytest.raises(ModelError, match="doesn't fit this model"):
        preflight.try_state(session.info.ref.file, EXACT, state, CancelFlag())


def test_signed_heads_with_any_numbers_cost_a_sentence(state: Path, open_tiny: OpenTiny) -> None:
    session = asked(open_tiny("gemma3"))
    session.save_state(state, {}, "1")
    honest, chance, refused = state.read_bytes(), random.Random(5), 0
    group = [3, "00", 1 << 40, 1, "m", 0, True, ""]
    wrong: tuple[object, ...] = (
        -1,
        1 << 62,
        0.5,
        "9",
        None,
        [],
        {},
        True,
        [-1],
        [1 << 62],
        [group],
        [[9, "00", 1, 1 << 40, "m", 0, 1, ""]],
    )
    for name in ("identity", "conversation", "sizes", "extras", "places", "compressed", "groups"):
        for value in wrong:

            def alter(facts: dict[str, object], name: str = name, value: object = value) -> None:
                old = facts[name]
                facts[name] = [*old[:-1], value] if isinstance(old, list) and old and chance.random() < 0.5 else value

            state.write_bytes(with_facts(honest, alter))
            try:
                session.restore_state(state, foreign=True)
            except StateError as error:
                assert error.sentence.startswith("s.hearthstate ")
                refused += 1
    assert refused > 60
    state.write_bytes(with_facts(honest, lambda _: None))
    session.restore_state(state, foreign=True)
