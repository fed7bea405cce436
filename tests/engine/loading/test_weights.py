"""Weights in memory without a context: taken for the next one, read again where they must be, never left behind."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import pytest

from app.core.cancel import CancelFlag
from app.core.loading import LoadMode
from app.engine.binding.model import Model, ReadWith
from app.engine.loading.loader import open_session
from app.engine.loading.weights import Weights, deactivate
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, session_on
from tests.engine.reply.test_session import LONG, ask, user


@pytest.fixture
def path(tiny_models: dict[str, Path], tmp_path: Path) -> Path:
    return Path(copyfile(tiny_models["llama"], tmp_path / "model.gguf"))


def opened(path: Path, weights: Weights | None = None) -> Session:
    made = open_session(path, EXACT, cancel=CancelFlag(), weights=weights)
    assert made is not None
    return made[0]


def in_memory(session: Session) -> Weights:
    weights = deactivate(session, CancelFlag())
    assert weights is not None
    return weights


QUESTION = user(LONG)


def test_weights_on_a_card_come_into_ordinary_memory_and_what_was_warm_stays(path: Path) -> None:
    """There is no card here: the session only says that it has layers on one."""
    first = opened(path)
    before = ask(first, QUESTION)
    first.info = replace(first.info, n_offloaded=1)
    weights = in_memory(first)
    with closing(opened(path, weights)) as again:
        weights.warm(again)
        after = ask(again, QUESTION)
    assert after.text == before.text
    assert counted(after.timings.prompt_n) <= 1


def test_weights_that_can_not_leave_a_card_are_freed(path: Path) -> None:
    session = opened(path)
    session.info = replace(session.info, n_offloaded=1)
    path.unlink()
    assert deactivate(session, CancelFlag()) is None


def test_another_file_under_the_same_name_is_read_and_what_was_warm_is_not_its(path: Path) -> None:
    session = opened(path)
    ask(session, QUESTION)
    weights = in_memory(session)
    Path(copyfile(path, path.with_name("new.gguf"))).replace(path)
    with closing(opened(path, weights)) as again:
        weights.warm(again)
        assert len(again.slot) == 0
        assert ask(again, QUESTION).timings.cache_n == 0


def test_they_are_freed_once_whoever_has_them(path: Path) -> None:
    weights = in_memory(opened(path))
    wanted = ReadWith.now(path, 0, LoadMode.AUTO, load_mtp=False)
    model = weights.take(wanted)
    assert isinstance(model, Model)
    weights.close()
    assert model.handle, "it is its taker's"
    model.close()
    weights = in_memory(opened(path))
    assert weights.take(replace(wanted, load_mode=LoadMode.NONE)) is None


@pytest.mark.parametrize("mode", list(LoadMode))
def test_every_way_of_loading_gives_the_same_answers(path: Path, mode: LoadMode) -> None:
    loading = replace(EXACT, load_mode=mode)
    with session_on(path) as (usual, _), session_on(path, loading) as (session, _):
        assert ask(session, QUESTION).text == ask(usual, QUESTION).text
