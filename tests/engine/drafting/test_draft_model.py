"""A smaller model that drafts: what it guesses, how it keeps up, and which models are refused."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import psutil
import pytest

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.events import Finished, FinishReason, TextDelta
from app.core.loading import CacheType, Loading
from app.core.messages import Message
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, Speculation
from app.engine.binding.context import DecodeFailedError, DecodeOutcome
from app.engine.binding.model import Model
from app.engine.drafting.draft_loader import Compare, misfit, open_draft_model
from app.engine.drafting.draft_model import ModelDrafter
from app.engine.drafting.opening import DraftPlan
from app.engine.reply.session import Session
from tests.engine.conftest import EXACT, OpenPath
from tests.engine.drafting.always import Always
from tests.engine.reply.test_session import LONG, answered, ask, user
from tests.tiny_models import Tokenizer, bpe_tokenizer, llama, spm_tokenizer

GREEDY = Sampling(temperature=0.0, max_tokens=48)
FAMILIES = ("llama", "gemma3", "qwen35", "lfm2", "mamba", "deepseek2")
F32 = {"cache_type_k_draft": CacheType.F32, "cache_type_v_draft": CacheType.F32}

Open = Callable[..., Session]


@pytest.fixture
def open_pair(tiny_models: dict[str, Path], open_path: OpenPath) -> Open:
    """A target with a draft model, which drafts at every chance; None drafts with nothing."""

    def open_one(
        target: str,
        draft: str | Path | None,
        loading: Loading = EXACT,
        cancel: CancelFlag | None = None,
        compare: Compare = misfit,
        **more: object,
    ) -> Session:
        plan = None
        if draft is not None:
            path = tiny_models.get(str(draft), Path(draft))
            asked = Speculation(ngram=False, draft_model=str(path), **{**F32, **more})  # type: ignore[arg-type]
            plan = DraftPlan(asked, compare=compare)
        session = open_path(tiny_models[target], loading, cancel=cancel, drafts=plan)
        if session.drafting is not None:
            session.drafting.policy = Always()
        return session

    return open_one


@pytest.fixture
def open_any(open_pair: Open) -> Open:
    """The tiny models have the same tokens, but begin their texts with different ones."""
    return partial(open_pair, compare=lambda *_: "")


def drafter_of(session: Session) -> ModelDrafter:
    assert session.drafting is not None
    found = list(session.drafting.active())[-1]
    assert isinstance(found, ModelDrafter)
    return found


@pytest.mark.parametrize("draft", FAMILIES)
def test_any_model_with_the_vocabulary_drafts_and_changes_nothing(draft: str, open_any: Open) -> None:
    plain, drafted = open_any("llama", None), open_any("llama", draft)
    assert drafted.info.drafting.ready == (DrafterKind.DRAFT_MODEL,)
    said: tuple[Message, ...] = (user(LONG),)
    for follows in ("and then?", "why?"):
        wanted, got = ask(plain, *said, sampling=GREEDY), ask(drafted, *said, sampling=GREEDY)
        assert got.generation.tokens == wanted.generation.tokens
        assert got.drafting.drafted > 30
        said = (*said, answered(wanted), user(follows))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_that_drafts_for_itself_is_always_right(family: str, open_pair: Open) -> None:
    """So it keeps up on every kind of memory: after rounds, after a follow-up, and after a question was changed."""
    session = open_pair(family, family)
    first = ask(session, user(LONG), sampling=GREEDY)
    changed = ask(session, user(LONG), answered(first), user("and then?"), sampling=GREEDY)
    other = ask(session, user(LONG + "why?"), sampling=GREEDY)
    for got in (first, changed, other):
        assert got.drafting.drafted > 20
        assert got.drafting.accepted == got.drafting.drafted


@pytest.mark.parametrize("draft", ["llama", "gemma3", "qwen35", "mamba"])
def test_wrong_drafts_are_forgotten(draft: str, open_any: Open) -> None:
    """What the draft model guesses next is what it would guess had it read the true text alone."""
    session = open_any("moe", draft)
    got = ask(session, user(LONG), sampling=GREEDY)
    assert got.drafting.accepted < got.drafting.drafted // 2
    history = session.slot.ids()
    drafter = drafter_of(session)
    drafter.begin(history)
    mine = drafter.draft(history, 40, 4)
    fresh = drafter_of(open_any("moe", draft))
    fresh.begin(history)
    assert fresh.draft(history, 40, 4) == mine
    assert len(mine) == 4


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("after", [0, 20])
def test_a_draft_model_that_fails_costs_the_drafts_and_not_the_answer(
    fails: bool, after: int, open_pair: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In its first evaluation, and among its guesses; or has no room there."""
    session, plain = open_pair("llama", "llama"), open_pair("llama", None)
    context = drafter_of(session)._slot.context
    one, left = context.decode_one, [after]

    def failing(token: int, position: int) -> DecodeOutcome:
        left[0] -= 1
        if left[0] < 0:
            if fails:
                raise DecodeFailedError("llama_decode returned -3")
            return DecodeOutcome.FULL
        return one(token, position)

    with monkeypatch.context() as patch:
        patch.setattr(context, "decode_one", failing)
        if not after:
            patch.setattr(context, "decode", lambda tokens, position: failing(tokens[0], position))
        got = ask(session, user(LONG), sampling=GREEDY)
    wanted = ask(plain, user(LONG), sampling=GREEDY)
    assert got.generation.tokens == wanted.generation.tokens
    assert (got.drafting.drafted > 0) is (after > 0)
    assert caplog.text.count("The draft model failed") == 1, "it is not asked again"
    follow = (user(LONG), answered(got), user("and then?"))
    again = ask(session, *follow, sampling=GREEDY)
    assert again.generation.tokens == ask(plain, *follow, sampling=GREEDY).generation.tokens
    assert again.drafting.accepted == again.drafting.drafted > 10, "the next answer has drafts"


def reads_of(drafter: ModelDrafter) -> list[int]:
    """What it evaluates from now on, but for its own guesses."""
    read: list[int] = []
    slot = drafter._slot
    evaluate = slot.evaluate

    def watched(tokens: list[int], *, waits: bool = False) -> bool:
        read.extend(tokens)
        return evaluate(tokens, waits=waits)

    slot.evaluate = watched  # type: ignore[method-assign]
    return read


def some(n: int, seed: int = 0) -> list[int]:
    return random.Random(seed).choices(range(200), k=n)


@pytest.mark.parametrize("n_right", range(4))
@pytest.mark.parametrize("family", ["lfm2", "mamba", "qwen35", "llama"])
def test_after_a_draft_that_was_right_in_part_it_reads_what_was_right_and_no_more(
    family: str, n_right: int, open_pair: Open
) -> None:
    """A memory that can't go back does so by the mark behind the token that was drawn last."""
    drafter, fresh = (drafter_of(open_pair(family, family)) for _ in range(2))
    history = some(150)
    drafter.begin(history)
    guessed = drafter.draft(history, 40, 4)
    assert len(guessed) == 4
    read = reads_of(drafter)
    drafter.accept(n_right, len(history) + 1 + n_right)
    history += [40, *guessed[:n_right]]
    drawn = (guessed[n_right] + 1) % 200
    mine = drafter.draft(history, drawn, 4)
    holds_it = family == "llama" or n_right == len(guessed) - 1
    assert read == [*([] if holds_it else guessed[:n_right]), drawn]
    fresh.begin(history)
    assert fresh.draft(history, drawn, 4) == mine


@pytest.mark.parametrize("family", ["lfm2", "mamba", "qwen35", "llama"])
def test_for_a_text_that_begins_as_the_last_one_it_reads_from_the_nearest_mark_on(family: str, open_pair: Open) -> None:
    drafter, fresh = (drafter_of(open_pair(family, family)) for _ in range(2))
    step = drafter._slot.context.n_ubatch
    history = some(4 * step + 9)
    drafter.begin(history)
    drafter.draft(history, 40, 4)
    shared = 2 * step + 7
    changed = [*history[:shared], *some(30, seed=1)]
    assert changed[shared] != history[shared]
    again = [*changed[: 3 * step + 3], *some(20, seed=2)]
    assert again[3 * step + 3] != changed[3 * step + 3]
    read = reads_of(drafter)
    for text, equal, mark in ((changed, shared, 2 * step), (again, 3 * step + 3, 3 * step)):
        read.clear()
        drafter.begin(text)
        mine = drafter.draft(text, 41, 4)
        assert read == [*text[equal if family == "llama" else mark :], 41]
        fresh.begin(text)
        assert fresh.draft(text, 41, 4) == mine
        fresh.reset()
        fresh._slot.forget()


@pytest.mark.parametrize("family", FAMILIES)
def test_looking_back_tells_what_it_would_have_guessed(family: str, open_pair: Open) -> None:
    """Place by place as its drafts of a token do; what it read for that is not read again, nor looked at twice."""
    drafter, other = (drafter_of(open_pair(family, family)) for _ in range(2))
    prompt, last, wanted = some(150), 40, list[bool]()
    history = [*prompt]
    other.begin(history)
    for place in range(20):
        (guess,) = other.draft(history, last, 1)
        history, last = [*history, last], guess if place % 3 else (guess + 1) % 200
        wanted.append(last == guess)
    drafter.begin(prompt)
    assert drafter.prospect(prompt, 40)
    assert drafter.waits() == 16, "the prompt was not written by the model"
    assert drafter.prospect(history, last)
    assert drafter.waits() == 0
    assert list(drafter.look_back(history, last)) == wanted[-16:]
    assert (drafter.waits(), drafter.behind()) == (16, 0)
    read = reads_of(drafter)
    assert drafter.draft(history, last, 4) == other.draft(history, last, 4)
    assert read == [last]


def test_of_guesses_that_are_too_unlikely_to_be_made_looking_back_tells_nothing(open_pair: Open) -> None:
    """But that there are none: as a draft that comes to nothing."""
    drafter = drafter_of(open_pair("llama", "llama"))
    history = some(150)
    drafter.begin(history[:100])
    assert len(drafter.look_back(history, 40)) == 16
    drafter.begin(history[:100])
    drafter._slot.forget()
    drafter.take(1.0)
    assert list(drafter.look_back(history, 40)) == [False]


def test_a_draft_ends_before_a_token_that_is_unlikely(open_pair: Open) -> None:
    session = open_pair("llama", "llama", draft_p_min=0.999)
    sure = ask(session, user(LONG), sampling=GREEDY)
    assert sure.drafting.drafted < 20
    assert session.drafting is not None
    session.drafting.take(Speculation(ngram=False, draft_p_min=0.0))
    assert ask(session, user(LONG), sampling=GREEDY).drafting.drafted > 30
    session.drafting.take(Speculation(ngram=False, draft_min=9))
    assert ask(session, user(LONG), sampling=GREEDY).drafting.drafted == 0, "no draft is as long as that"


def test_the_longest_draft_is_as_was_asked(open_pair: Open) -> None:
    session = open_pair("llama", "llama", draft_max=9)
    got = ask(session, user(LONG), sampling=GREEDY)
    assert got.drafting.drafted / got.drafting.rounds > 7
    assert drafter_of(session).draft(session.slot.ids(), 40, 30)[9:] == []


def test_a_cancel_while_the_draft_model_works_ends_the_answer(open_any: Open) -> None:
    flag = CancelFlag()
    session = open_any("llama", "qwen35", cancel=flag)
    drafter = drafter_of(session)
    last, seen = None, 0
    for last in session.reply(ChatRequest((user(LONG),), GREEDY)):
        seen += isinstance(last, TextDelta)
        if seen == 3:
            # As from another thread: the next thing that notices is the draft model's own graph.
            drafter._slot.context.set_abort(lambda: True)
            flag.set()
    drafter._slot.context.set_abort(None)
    flag.clear()
    assert isinstance(last, Finished)
    assert last.reason is FinishReason.CANCELLED
    following = ask(session, user(LONG), user("go on"), sampling=GREEDY)
    wanted = ask(open_any("llama", None), user(LONG), user("go on"), sampling=GREEDY)
    assert following.generation.tokens == wanted.generation.tokens
    assert following.drafting.drafted > 20


def test_the_draft_model_has_kv_types_of_its_own(open_pair: Open) -> None:
    session = open_pair("llama", "llama", cache_type_k_draft=CacheType.F16, cache_type_v_draft=CacheType.F16)
    got = ask(session, user(LONG), sampling=GREEDY)
    assert got.drafting.accepted > 20
    refused = open_pair("llama", "llama", cache_type_v_draft=CacheType.Q8_0)
    assert refused.info.drafting.ready == ()
    assert "Try other KV types" in dict(refused.info.drafting.problems)[DrafterKind.DRAFT_MODEL]


def test_a_draft_model_that_is_gone_costs_the_drafts_alone(open_pair: Open, tmp_path: Path) -> None:
    session = open_pair("llama", tmp_path / "gone.gguf")
    assert session.info.drafting.ready == ()
    ((kind, sentence),) = session.info.drafting.problems
    assert kind is DrafterKind.DRAFT_MODEL
    assert sentence.endswith(".")
    assert "gone.gguf" in sentence
    assert ask(session, user("hello")).drafting.off


@pytest.fixture
def load() -> Iterator[Callable[[Path], Model]]:
    """Every model is closed at the end."""
    with ExitStack() as stack:

        def load_one(path: Path) -> Model:
            return stack.enter_context(closing(Model.load(path, gpu_layers=0, cancel=CancelFlag())))

        yield load_one


def with_other(index: int, name: str) -> Tokenizer:
    tokens = bpe_tokenizer()
    tokens.tokens[index] = name
    return tokens


def with_more(count: int) -> Tokenizer:
    tokens = bpe_tokenizer()
    tokens.tokens.extend(f"more{number}" for number in range(count))
    tokens.types.extend([1] * count)
    return tokens


@pytest.mark.parametrize(
    ("tokenizer", "told"),
    [
        (bpe_tokenizer(), ""),
        (spm_tokenizer(), "another kind"),
        (with_other(100, "other"), "token 100 "),
        (with_other(2, "early"), ""),  # families rename the first few tokens
        (with_more(200), "tokens instead of"),
        (with_more(100), ""),
    ],
)
def test_other_vocabularies_are_refused_in_a_sentence(
    load: Callable[[Path], Model], tiny_models: dict[str, Path], tmp_path: Path, tokenizer: Tokenizer, told: str
) -> None:
    draft = load(llama(tmp_path / "draft.gguf", tokenizer=tokenizer))
    found = misfit(load(tiny_models["llama"]).vocab, draft)
    assert told in found
    assert bool(found) is bool(told)


def test_a_draft_model_that_does_not_fit_into_memory_is_refused(
    load: Callable[[Path], Model], tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nothing:
        available = 1000

    monkeypatch.setattr(psutil, "virtual_memory", Nothing)
    target = load(tiny_models["llama"])
    with pytest.raises(ModelError, match="not enough memory"):
        open_draft_model(
            tiny_models["llama"],
            target.vocab,
            None,  # type: ignore[arg-type]  # it does not come to that
            Speculation(),
            gpu_layers=0,
            cancel=CancelFlag(),
            compare=misfit,
        )


def test_tokens_that_the_target_lacks_are_never_drafted(tmp_path: Path, open_pair: Open) -> None:
    larger = llama(tmp_path / "larger.gguf", tokenizer=with_more(100), seed=5)
    session = open_pair("llama", larger)
    n_vocab = session.slot.context.n_vocab
    seen = []
    drafter = drafter_of(session)
    draft = drafter.draft

    def watched(history: Sequence[int], last: int, n: int) -> list[int]:
        seen.append(draft(history, last, n))
        return seen[-1]

    drafter.draft = watched  # type: ignore[method-assign]
    ask(session, user(LONG), sampling=GREEDY)
    assert any(len(each) < 4 for each in seen), "the larger vocabulary should win somewhere"
    assert all(token < n_vocab for each in seen for token in each)
