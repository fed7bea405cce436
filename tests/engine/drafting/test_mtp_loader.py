"""From what was asked for to a drafter: found, tried in a child, and refused in a sentence without losing the model."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.core.cancel import CancelFlag
from app.core.loading import CacheType
from app.core.program import own_command
from app.core.speculation import DrafterKind, Speculation
from app.engine.binding import nextn
from app.engine.binding.context import DecodeFailedError
from app.engine.binding.model import Model
from app.engine.binding.nextn import NextnContext
from app.engine.drafting.mtp_loader import find_mtp, try_mtp
from app.engine.drafting.opening import DraftPlan, plan_drafts
from app.engine.preflight.preflight import Preflight
from app.engine.reply.session import Session
from tests import tiny_mtp
from tests.engine.conftest import EXACT, session_on
from tests.engine.drafting.always import Always
from tests.engine.reply.test_session import LONG, ask, user
from tests.mtp_writer import Part

Models = dict[str, tuple[Path, Path | None]]
OWN = Speculation(ngram=False, mtp=True)


@contextmanager
def session_of(path: Path, asked: Speculation, plan: DraftPlan | None = None) -> Iterator[Session]:
    with session_on(path, drafts=plan or DraftPlan(asked)) as (session, _):
        yield session


def problem_of(session: Session) -> str:
    assert session.info.drafting.ready == ()
    ((kind, sentence),) = session.info.drafting.problems
    assert kind is DrafterKind.MTP
    return sentence


def test_nothing_of_it_is_loaded_or_asked_for_while_it_is_off(
    mtp_models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = mtp_models["qwen35"]
    load, with_head = Model.load, list[bool]()

    def watched(path: Path, *, load_mtp: bool = False, **how: Any) -> Model:
        with_head.append(load_mtp)
        return load(path, load_mtp=load_mtp, **how)

    monkeypatch.setattr(Model, "load", watched)
    with session_of(path, Speculation()) as off, session_of(path, OWN):
        assert with_head == [False, True]
        ask(off, user(LONG))
        assert not nextn._ext.llama_get_embeddings_nextn(off.slot.context.handle)
        assert off.info.drafting.problems == ()
    assert find_mtp(path, Speculation()) is None


def test_a_model_without_a_head_works_and_says_so(mtp_models: Models, tiny_models: dict[str, Path]) -> None:
    for path in (tiny_models["llama"], mtp_models["sidecar"][0]):
        with session_of(path, OWN) as session:
            assert "has no head of its own" in problem_of(session)
            assert ask(session, user(LONG)).text


def test_a_recurrent_memory_keeps_states_to_go_back_to_only_where_there_is_a_head(mtp_models: Models) -> None:
    for kind, states in (("qwen35", OWN.draft_max), ("sidecar", 0)):
        with session_of(mtp_models[kind][0], OWN) as session:
            assert session.slot.context.n_rs_seq == states


def test_a_head_for_another_architecture_is_refused(mtp_models: Models, tiny_models: dict[str, Path]) -> None:
    asked = Speculation(ngram=False, draft_model=str(mtp_models["gemma4"][1]))
    with session_of(tiny_models["gemma3"], asked) as session:
        assert "“gemma4”" in problem_of(session)
        assert "“gemma3”" in problem_of(session)


def test_a_head_for_another_vocabulary_is_refused(mtp_models: Models, tmp_path: Path) -> None:
    from tests.tiny_vision import picture_tokenizer

    head = tiny_mtp.qwen35(tmp_path / "head.gguf", part=Part.HEAD, tokenizer=picture_tokenizer())
    with session_of(mtp_models["sidecar"][0], Speculation(ngram=False, draft_model=str(head))) as session:
        assert "made for another model" in problem_of(session)


def test_a_drafter_is_no_model_to_talk_to(mtp_models: Models) -> None:
    head = mtp_models["sidecar"][1]
    assert head is not None
    found = find_mtp(head, OWN)
    assert found is not None
    assert "for another model" in found.problem


def test_a_build_that_lacks_a_function_drafts_without(mtp_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    for broken in (None, object()):
        monkeypatch.setattr(nextn, "_ext", broken)
        with session_of(mtp_models["qwen35"][0], OWN) as session:
            assert "This build" in problem_of(session)
            assert ask(session, user(LONG)).drafting.drafted == 0


def test_the_head_has_kv_types_of_its_own(mtp_models: Models) -> None:
    sizes = []
    for wanted in (CacheType.F32, CacheType.F16):
        asked = Speculation(ngram=False, mtp=True, cache_type_k_draft=wanted, cache_type_v_draft=wanted)
        with session_of(mtp_models["qwen35"][0], asked) as session:
            assert session.drafting is not None
            session.drafting.policy = Always()
            session.slot.evaluate([1] * 64)
            sizes.append(len(session.drafting.save(64, 0)))
    assert sizes[1] < 0.6 * sizes[0]


def test_a_head_that_fails_when_it_is_first_run_is_refused(mtp_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[NextnContext] = []
    close = NextnContext.close

    def watched(context: NextnContext) -> None:
        closed.append(context)
        close(context)

    def failing(_: NextnContext) -> None:
        raise DecodeFailedError("llama_decode returned -3")

    monkeypatch.setattr(NextnContext, "find_rows", failing)
    monkeypatch.setattr(NextnContext, "close", watched)
    with session_of(mtp_models["qwen35"][0], OWN) as session:
        assert problem_of(session).endswith("can't be used: llama.cpp fails when it is tried.")
        assert len(closed) == 1
        ask(session, user(LONG))


def test_types_that_llama_cpp_refuses_are_replaced(mtp_models: Models) -> None:
    asked = Speculation(ngram=False, mtp=True, cache_type_k_draft=CacheType.Q8_0, cache_type_v_draft=CacheType.Q8_0)
    with session_of(mtp_models["qwen35"][0], asked) as session:
        assert session.info.drafting.ready == (DrafterKind.MTP,)


def test_a_head_that_drafts_in_the_child_is_trusted_from_then_on(mtp_models: Models, tmp_path: Path) -> None:
    record = tmp_path / "tried.json"
    for kind in ("qwen35", "gemma4", "mimo2"):
        path, head = mtp_models[kind]
        asked = Speculation(ngram=False, mtp=head is None, draft_model=str(head or ""))
        tried = try_mtp(Preflight(record, own_command()), path, EXACT, asked, cancel=CancelFlag())
        assert tried is not None
        assert (tried.problem, tried.is_own) == ("", head is None)
        silent = Preflight(record, [sys.executable, "-c", "raise SystemExit('must not run')"])
        assert try_mtp(silent, path, EXACT, asked, cancel=CancelFlag()) == tried


def test_a_head_that_ends_the_process_ends_a_child_and_costs_the_drafts_alone(tmp_path: Path) -> None:
    path = tiny_mtp.glm4moe(tmp_path / "glm4v.gguf", sections=True)
    tried = try_mtp(Preflight(tmp_path / "tried.json", own_command()), path, EXACT, OWN, cancel=CancelFlag())
    assert tried is not None
    assert not tried.is_own
    assert "llama.cpp fails" in tried.problem
    with session_of(path, OWN, DraftPlan(OWN, mtp=tried)) as session:
        assert problem_of(session) == tried.problem
        assert ask(session, user(LONG)).text


def test_a_drafter_that_is_a_head_is_planned_as_one(mtp_models: Models, tmp_path: Path) -> None:
    path, head = mtp_models["gemma4"]
    asked = Speculation(draft_model=str(head))
    plan = plan_drafts(Preflight(tmp_path / "tried.json", own_command()), path, asked, EXACT, cancel=CancelFlag())
    assert plan.model is None
    assert plan.mtp is not None
    assert (plan.asks_for(DrafterKind.MTP), plan.asks_for(DrafterKind.DRAFT_MODEL)) == (True, False)
    with session_of(path, asked, plan) as session:
        assert session.info.drafting.ready == (DrafterKind.NGRAM, DrafterKind.MTP)


def test_what_the_head_did_is_counted_and_timed_by_answer_and_by_place(mtp_models: Models) -> None:
    with session_of(mtp_models["qwen35"][0], OWN) as session:
        assert session.drafting is not None
        session.drafting.policy = Always()
        for _ in range(2):
            told = ask(session, user(LONG)).drafting
            [stats] = told.stats
            assert stats.kind is DrafterKind.MTP
            assert (stats.begin_n, stats.accept_n) == (1, told.rounds), "of the last answer alone"
            assert stats.draft_n >= told.rounds > 0
            assert sum(guessed for guessed, _ in stats.places) == told.drafted
            assert sum(right for _, right in stats.places) == told.accepted
            assert stats.draft_ms > 0
