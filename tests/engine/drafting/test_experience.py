"""What is known of drafts at the next start."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.cancel import CancelFlag
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, Speculation
from app.core.weights_read import WeightsRead
from app.engine.drafting import opening
from app.engine.drafting.acceptance import Acceptance
from app.engine.drafting.calibration import Calibration
from app.engine.drafting.controller import Controller
from app.engine.drafting.costs import Costs
from app.engine.drafting.experience import DrafterStats, Experience, ExperienceRecord
from app.engine.drafting.opening import DraftPlan
from app.engine.drafting.policy import OFF_RUN, ON_RUN, Option, Round
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests.engine.conftest import EXACT
from tests.engine.reply.test_session import LONG, user
from tests.tiny_models import llama

MACHINE = {1: 0.020, 2: 0.038, 5: 0.046, 17: 0.083}
OPTION = Option(DrafterKind.DRAFT_MODEL, 1, 4)
KNOWN = Experience(
    {DrafterKind.MTP: DrafterStats((0.5, 9.0, 0.7, 5.0), (0.8, 4.0, 0.7, 5.0), 0.1, 0.02)}, {5: (2.3, 4.0)}
)


def taught(accepted: int) -> Controller:
    controller = Controller(Costs(MACHINE))
    for _ in range(20):
        controller.saw(Round(OPTION, 4, accepted, 5, 0.0068, 0.0528))
    return controller


def after_restart(controller: Controller, machine: dict[int, float] = MACHINE) -> Controller:
    again = Controller(Costs(machine))
    again.remember(controller.experience)
    return again


def test_a_pair_that_is_known_to_be_good_drafts_at_once() -> None:
    assert Controller(Costs(MACHINE)).choose([OPTION], 0) is None
    chosen = after_restart(taught(4)).choose([OPTION], 0)
    assert chosen is not None
    assert chosen[1] == 4


def test_a_pair_that_is_known_to_be_hopeless_is_left_alone() -> None:
    assert Controller(Costs(MACHINE)).watches([OPTION])
    again = after_restart(taught(0))
    assert again.choose([OPTION], 0) is None
    assert again.watches([OPTION]) == []


def test_a_machine_that_is_slower_today_changes_no_proportion() -> None:
    slow = {size: 3 * seconds for size, seconds in MACHINE.items()}
    known, today = taught(4).experience, after_restart(taught(4), slow).experience
    before, after = known.stats[DrafterKind.DRAFT_MODEL], today.stats[DrafterKind.DRAFT_MODEL]
    assert (after.first_token, after.later_token) == pytest.approx((before.first_token, before.later_token))
    assert (before.first_token, before.later_token) == pytest.approx((0.085, 0.085), rel=0.01)


def test_what_was_known_counts_for_less_than_what_is_seen() -> None:
    acceptance = Acceptance(0.7, 0.75)
    acceptance.remember((1.0, 30.0, 1.0, 30.0))
    for _ in range(12):
        acceptance.add(0, 4)
    assert acceptance.expected(1) < 1.55


def test_ngrams_are_learned_anew_with_each_conversation() -> None:
    controller = Controller(Costs(MACHINE))
    controller.saw(Round(Option(DrafterKind.NGRAM, 8, 16), 8, 8, 9, 0.0, 0.06))
    assert controller.experience.stats == {}


def test_it_is_written_and_read(tmp_path: Path) -> None:
    record = ExperienceRecord(tmp_path / "drafts.json")
    assert record.find("a") == Experience()
    record.remember("a", KNOWN)
    assert record.find("a") == KNOWN
    assert record.find("b") == Experience()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"a": 3}',
        '{"a": {"habits": {"mtp": [0.8, 9, 0.7, 5, 0.8, 9, 0.7, 5, 0.1]}, "batches": {}}}',
        '{"a": {"habits": {"mtp": [NaN, 9, 0.7, 5, 0.8, 9, 0.7, 5, 0.1, 0.02]}, "batches": {}}}',
        '{"a": {"habits": {"mtp": [0.8, 9, 0.7, 5, 0.8, 9, 0.7, 5, -1, 0.02]}, "batches": {}}}',
        '{"a": {"habits": {"owl": [0.8, 9, 0.7, 5, 0.8, 9, 0.7, 5, 0.1, 0.02]}, "batches": {}}}',
        '{"a": {"habits": {}, "batches": {"5": [0.5, 1]}}}',
        '{"a": {"habits": {}, "batches": {"x": [2.5, 1]}}}',
    ],
)
def test_a_record_that_is_none_is_no_record(text: str, tmp_path: Path) -> None:
    path = tmp_path / "drafts.json"
    path.write_text(text)
    record = ExperienceRecord(path)
    assert record.find("a") == Experience()
    record.remember("a", KNOWN)
    assert record.find("a") == KNOWN


def test_a_record_does_not_grow_without_end(tmp_path: Path) -> None:
    record = ExperienceRecord(tmp_path / "drafts.json")
    for number in range(205):
        record.remember(str(number), KNOWN)
    record.remember("7", KNOWN)
    record.remember("205", KNOWN)
    kept = json.loads((tmp_path / "drafts.json").read_text("utf-8"))
    assert len(kept) == 200
    assert {"7", "205"} <= set(kept)
    assert "5" not in kept


Open = Callable[[Path], Session]


@pytest.fixture
def start(tiny_models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens a model with a draft model, and costs that are made up. What was open before is closed."""
    monkeypatch.setattr(opening, "weights_read", lambda _: WeightsRead(0, 0))
    sessions: list[Session] = []

    def opened(draft: Path) -> Session:
        while sessions:
            sessions.pop().close()
        plan = DraftPlan(
            Speculation(ngram=False, draft_model=str(draft), draft_max=4),
            record=tmp_path / "batches.json",
            measure=lambda *_: Calibration(MACHINE, 1),
        )
        made = open_session(tiny_models["llama"], EXACT, cancel=CancelFlag(), drafts=plan)
        assert made is not None
        assert made[0].drafting is not None
        made[0].drafting.clock = lambda: 0.0
        sessions.append(made[0])
        return made[0]

    yield opened
    for session in sessions:
        session.close()


def test_the_next_start_knows_what_the_last_one_learned(
    start: Open, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    def knows(session: Session) -> bool:
        assert session.drafting is not None
        return any(session.drafting.policy.choose([Option(OPTION.kind, run, 4)], 0) for run in (OFF_RUN, ON_RUN))

    session = start(tiny_models["llama"])
    assert not knows(session)
    list(session.reply(ChatRequest((user(LONG),), Sampling(temperature=0.0, max_tokens=60))))
    assert knows(start(tiny_models["llama"]))
    other = llama(tmp_path / "other.gguf", seed=7)
    assert not knows(start(other)), "with another draft model nothing is known"
