"""`hearth serve` on one side and a remote engine on the other: two Hearths."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.remote.server import ServerKind
from tests import server_checks as checks
from tests.endless_model import make_repeating
from tests.engine_servers import EngineServer
from tests.hearth_process import HearthProcess
from tests.serve_process import serving
from tests.server_checks import CHECKS, Subject

EXPECTED = {
    checks.answers_with_figures: "25 read, 12 written",
    checks.tells_what_it_reused: "263 of 264",
    checks.sees_no_picture: "refused here; sent all the same: refused there",
    checks.keeps_to_a_schema: "kept",
    checks.keeps_to_a_grammar: "kept",
    checks.goes_on: "answers",
    checks.says_what_is_too_long: "100016 of 2048",
}


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    folder = tmp_path_factory.mktemp("serve")
    model = make_repeating(folder / "m.gguf")
    with serving(HearthProcess(folder / "home", qt=True), "-m", model, "-c", "2048", "-t", "1") as served:
        yield Subject(EngineServer(served.port, served.process, folder / "log"), ServerKind.HEARTH)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_what_is_asked_of_every_server(subject: Subject, check: Any) -> None:
    said = check(subject)
    assert EXPECTED.get(check, said) == said
