"""Answers that are written with drafts, on every kind of memory: the same words, the same slot, and true figures."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.events import Finished, FinishReason, TextDelta
from app.core.loading import Loading
from app.core.requests import ChatRequest
from app.core.resources import GUIDE
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, Rollback, Speculation
from app.engine.drafting.controller import Option, Round
from app.engine.drafting.drafting import Drafting
from app.engine.drafting.ngram import NgramDrafter
from app.engine.drafting.opening import DraftPlan
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenPath, finish
from tests.engine.drafting.always import Always
from tests.engine.drafting.guesses import Guesser, let_guess
from tests.engine.reply.test_session import LONG, aborting_after, answered, ask, user

KINDS = {
    "llama": Rollback.TRIM,
    "llama_spm": Rollback.TRIM,
    "gemma3": Rollback.TRIM,
    "moe": Rollback.TRIM,
    "deepseek2": Rollback.TRIM,
    "qwen35": Rollback.CHECKPOINT,
    "lfm2": Rollback.CHECKPOINT,
    "mamba": Rollback.CHECKPOINT,
    "qwen35+states": Rollback.SNAPSHOT,
    "lfm2+states": Rollback.SNAPSHOT,
}
GREEDY = Sampling(temperature=0.0, max_tokens=60)
STATES = DraftPlan(Speculation(ngram=False, draft_model="nowhere.gguf"))
"""Makes the memory keep states for draft models, of which there is none."""

Open = Callable[..., Session]


@pytest.fixture
def open_kind(tiny_models: dict[str, Path], open_path: OpenPath) -> Open:
    """Opens a session of one of KINDS, or of a file."""

    def open_one(
        kind: str | Path,
        loading: Loading = EXACT,
        cancel: CancelFlag | None = None,
        checkpointing: Checkpointing | None = None,
        drafts: DraftPlan | None = None,
    ) -> Session:
        family, _, states = str(kind).partition("+")
        path = tiny_models.get(family, Path(family))
        drafts = STATES if states else drafts
        return open_path(path, loading, cancel=cancel, checkpointing=checkpointing, drafts=drafts)

    return open_one


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", [0.0, 0.4, 1.0])
def test_a_greedy_answer_is_that_of_plain_decoding(kind: str, wrong: float, open_kind: Open) -> None:
    plain, drafted = open_kind(kind), open_kind(kind)
    wanted = ask(plain, user(LONG), sampling=GREEDY)
    guesser = let_guess(drafted, Guesser(wanted.generation.tokens, seed=7, wrong=wrong, n_max=7))
    assert drafted.drafting is not None
    assert drafted.drafting.info.rollback is KINDS[kind]
    got = ask(drafted, user(LONG), sampling=GREEDY)
    assert got.generation.tokens == wanted.generation.tokens
    assert got.drafting.drafted == guesser.drafted > 40
    if not wrong:
        assert got.drafting.accepted == got.drafting.drafted
    else:
        assert got.drafting.accepted < got.drafting.drafted
    messages = user(LONG), answered(wanted), user("and then?")
    following = ask(plain, *messages, sampling=GREEDY)
    guesser = let_guess(drafted, Guesser(following.generation.tokens, seed=8, wrong=wrong))
    assert ask(drafted, *messages, sampling=GREEDY).generation.tokens == following.generation.tokens
    assert guesser.drafted


class Listening(NgramDrafter):
    """Notes what it is told of the history, and what it then knows."""

    def __init__(self) -> None:
        super().__init__(8)
        self.heard: list[tuple[list[int], int]] = []

    def prospect(self, history: Sequence[int], last: int) -> int:
        found = super().prospect(history, last)
        assert self._known == history
        self.heard.append((list(history), last))
        return found


@pytest.mark.parametrize("kind", ["llama", "qwen35", "lfm2", "mamba", "qwen35+states"])
def test_the_history_that_drafts_follow_is_what_was_drawn(kind: str, open_kind: Open) -> None:
    """Of a draft that was right in part exactly that part, also where the memory is behind."""
    session = open_kind(kind)
    session.slot.checkpoints.settings = Checkpointing(ctx_checkpoints=0)
    truth = ask(open_kind(kind), user(LONG), sampling=GREEDY).generation.tokens
    guesser, listening = let_guess(session, Guesser(truth, seed=3, wrong=0.7, n_max=6)), Listening()
    assert session.drafting is not None
    session.drafting = session.slot.companion = Drafting((guesser, listening), Always(), session.drafting.info)
    got = ask(session, user(LONG), sampling=GREEDY)
    prompt = listening.heard[0][0]
    whole = [*prompt, *got.generation.tokens]
    assert 0 < guesser.accepted < guesser.drafted
    assert len(listening.heard) > 10
    for history, last in listening.heard:
        assert [*history, last] == whole[: len(history) + 1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_slot_stays_true_to_its_memory(kind: str, seed: int, open_kind: Open) -> None:
    """Whatever is said next is what a context says that has read the very same from the start."""
    truth = ask(open_kind(kind), user(LONG), sampling=GREEDY).generation.tokens
    warm = open_kind(kind, checkpointing=Checkpointing(every=16, min_step=4))
    let_guess(warm, Guesser(truth, seed=seed, n_max=12))
    stopped = ask(warm, user(LONG), sampling=Sampling(temperature=0.0, max_tokens=23 + seed))
    assert len(warm.slot) == warm.slot.context.pos_max + 1
    for messages in (
        (user(LONG), answered(stopped), user("go on")),
        (user(LONG), answered(stopped), user("or not")),
        (user(LONG),),
    ):
        cold = open_kind(kind)
        assert warm.drafting is not None
        let_guess(warm, Guesser((), wrong=1.0, seed=seed))
        got, wanted = ask(warm, *messages), ask(cold, *messages)
        assert got.generation.tokens == wanted.generation.tokens
        assert counted(got.timings.cache_n) > 20


@pytest.mark.parametrize("kind", ["llama", "qwen35", "qwen35+states"])
def test_the_rows_of_a_round_are_those_of_single_tokens(kind: str, open_kind: Open) -> None:
    def logprobs(session: Session) -> Finished:
        return finish(session, ChatRequest((user(LONG),), GREEDY, top_logprobs=3))

    wanted = logprobs(open_kind(kind))
    drafted = open_kind(kind)
    guesser = let_guess(drafted, Guesser(wanted.generation.tokens))
    got = logprobs(drafted)
    assert guesser.accepted
    assert len(got.logprobs) == 60
    for mine, theirs in zip(got.logprobs, wanted.logprobs, strict=True):
        assert mine.chosen.token == theirs.chosen.token
        assert mine.chosen.logprob == pytest.approx(theirs.chosen.logprob, abs=1e-4)
        assert [each.token for each in mine.top] == [each.token for each in theirs.top]


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=0.0, max_tokens=60, penalty_repeat=1.5, penalty_last_n=-1),
        Sampling(temperature=0.0, max_tokens=60, dry_multiplier=2.0, penalty_present=0.5),
    ],
)
def test_penalties_see_what_was_written_and_nothing_else(sampling: Sampling, open_kind: Open) -> None:
    wanted = ask(open_kind("llama"), user(LONG), sampling=sampling)
    assert wanted.generation.tokens != ask(open_kind("llama"), user(LONG), sampling=GREEDY).generation.tokens
    drafted = open_kind("llama")
    guesser = let_guess(drafted, Guesser(wanted.generation.tokens))
    assert ask(drafted, user(LONG), sampling=sampling).generation.tokens == wanted.generation.tokens
    assert guesser.accepted > 10


def test_a_grammar_holds_within_a_round(open_kind: Open) -> None:
    grammar = 'root ::= "[" word ("," word){6} "]"\nword ::= "\\"" [a-z]{1,9} "\\""'
    request = ChatRequest((user(LONG),), Sampling(temperature=0.0, max_tokens=200), grammar=grammar)
    wanted = finish(open_kind("llama"), request)
    assert wanted.reason is FinishReason.STOP
    assert len(json.loads(wanted.text)) == 7
    for seed in range(4):
        drafted = open_kind("llama")
        guesser = let_guess(drafted, Guesser(wanted.generation.tokens, seed=seed))
        got = finish(drafted, request)
        assert (got.text, got.reason) == (wanted.text, wanted.reason)
        assert guesser.accepted


@pytest.fixture
def guides() -> Iterator[tuple[Session, Session]]:
    """The built-in model, whose weights are such that batches mostly give the bits of single tokens."""
    made = []
    loading = Loading(ctx_size=1024, gpu_layers=0, threads=1)
    for drafts in (None, DraftPlan(Speculation(ngram=False))):
        opened = open_session(GUIDE, loading, cancel=CancelFlag(), drafts=drafts)
        assert opened is not None
        made.append(opened[0])
    yield made[0], made[1]
    for session in made:
        session.close()


SAMPLINGS = (
    Sampling(max_tokens=48),
    Sampling(max_tokens=48, temperature=1.5, top_k=0, top_p=1.0, min_p=0.0),
    Sampling(max_tokens=48, temperature=1.2, penalty_repeat=1.3, dry_multiplier=0.8),
    Sampling(max_tokens=48, temperature=1.3, xtc_probability=0.5, xtc_threshold=0.05),
    Sampling(max_tokens=48, mirostat=2),
)


@pytest.mark.parametrize("number", range(len(SAMPLINGS)))
def test_the_same_seed_gives_the_same_words_where_the_bits_are_the_same(
    number: int, guides: tuple[Session, Session]
) -> None:
    plain, drafted = guides
    if not drafted.info.drafting.identical(9):
        pytest.skip("batches give other bits than single tokens on this machine")
    accepted, texts = 0, set()
    for seed in range(5):
        sampling = Sampling(**{each: getattr(SAMPLINGS[number], each) for each in Sampling.__slots__} | {"seed": seed})
        wanted = ask(plain, user("What can you do, and what can't you do?"), sampling=sampling)
        guesser = let_guess(drafted, Guesser(wanted.generation.tokens, seed=seed, wrong=0.7))
        got = ask(drafted, user("What can you do, and what can't you do?"), sampling=sampling)
        assert got.text == wanted.text
        accepted += guesser.accepted
        texts.add(got.text)
    assert accepted > 10
    assert len(texts) > 1, "the seeds should matter"


@pytest.mark.parametrize("kind", ["llama", "qwen35", "qwen35+states", "gemma3"])
def test_a_stop_string_at_any_place_in_a_round(kind: str, open_kind: Open) -> None:
    plain, drafted = open_kind(kind), open_kind(kind)
    wanted = ask(plain, user(LONG), sampling=GREEDY)
    text, truth = wanted.text, wanted.generation.tokens
    for place in range(3, 24):
        stop = (text[place : place + 3],)
        wanted = ask(plain, user(LONG), sampling=GREEDY, stop=stop)
        let_guess(drafted, Guesser(truth, seed=place, wrong=0.2))
        got = ask(drafted, user(LONG), sampling=GREEDY, stop=stop)
        assert (got.text, got.reason, got.generation.tokens) == (wanted.text, wanted.reason, wanted.generation.tokens)
        assert got.timings.predicted_n == wanted.timings.predicted_n
        if KINDS[kind] is Rollback.TRIM:
            assert got.n_past == wanted.n_past
        assert counted(got.n_past) <= counted(wanted.n_past)
    following = user(LONG), answered(wanted), user("and then?")
    assert ask(drafted, *following).generation.tokens == ask(open_kind(kind), *following).generation.tokens


@pytest.mark.parametrize("kind", ["llama", "qwen35"])
def test_a_limit_at_any_place_in_a_round(kind: str, open_kind: Open) -> None:
    plain, drafted = open_kind(kind), open_kind(kind)
    truth = ask(plain, user(LONG), sampling=GREEDY).generation.tokens
    for n in range(1, 20):
        guesser = let_guess(drafted, Guesser(truth, seed=n, wrong=0.2))
        got = ask(drafted, user(LONG), sampling=Sampling(temperature=0.0, max_tokens=n))
        assert got.generation.tokens == truth[:n]
        assert got.reason is FinishReason.LENGTH
        assert got.timings.predicted_n == n
        assert guesser.accepted < n
        if KINDS[kind] is Rollback.TRIM:
            ask(plain, user(LONG), sampling=Sampling(temperature=0.0, max_tokens=n))
            assert len(drafted.slot) == len(plain.slot)
            assert np.abs(drafted.slot.logits() - plain.slot.logits()).max() < 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_context_ends_the_answer_at_the_same_token(kind: str, open_kind: Open) -> None:
    plain, drafted = open_kind(kind), open_kind(kind)
    text = LONG * 4
    unbounded = Sampling(temperature=0.0, max_tokens=0)
    wanted = ask(plain, user(text), sampling=unbounded)
    assert wanted.reason is FinishReason.CONTEXT_FULL
    guesser = let_guess(drafted, Guesser(wanted.generation.tokens, wrong=0.1, n_max=15))
    got = ask(drafted, user(text), sampling=unbounded)
    assert got.reason is FinishReason.CONTEXT_FULL
    assert got.generation.tokens == wanted.generation.tokens
    assert guesser.rounds > 15
    assert counted(got.n_past) <= drafted.slot.context.n_ctx


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["cancelled", "abandoned"])
def test_an_answer_that_ends_early_leaves_an_exact_slot(kind: str, how: str, open_kind: Open) -> None:
    truth = ask(open_kind(kind), user(LONG), sampling=GREEDY).generation.tokens
    following = user(LONG), user("and then?")
    wanted = ask(open_kind(kind), *following)
    for seed, until in enumerate((1, 4, 11, 17)):
        flag = CancelFlag()
        session = open_kind(kind, cancel=flag)
        let_guess(session, Guesser(truth, seed=seed, wrong=0.6))
        events = session.reply(ChatRequest((user(LONG),), GREEDY))
        seen = 0
        for event in events:
            seen += isinstance(event, TextDelta)
            if seen == until:
                if how == "abandoned":
                    events.close()
                    break
                flag.set()
        flag.clear()
        assert len(session.slot) == session.slot.context.pos_max + 1
        let_guess(session, Guesser(wanted.generation.tokens, seed=seed))
        assert ask(session, *following).generation.tokens == wanted.generation.tokens


@pytest.mark.parametrize("kind", KINDS)
def test_a_cancel_is_seen_within_one_round(kind: str, open_kind: Open) -> None:
    flag = CancelFlag()
    session = open_kind(kind, cancel=flag)
    truth = ask(session, user(LONG), sampling=GREEDY).generation.tokens
    guesser = let_guess(session, Guesser(truth, wrong=0.0))
    last = None
    for last in session.reply(ChatRequest((user(LONG),), GREEDY)):
        if isinstance(last, TextDelta) and guesser.rounds == 2:
            flag.set()
    assert isinstance(last, Finished)
    assert last.reason is FinishReason.CANCELLED
    assert guesser.rounds <= 3
    assert counted(last.timings.predicted_n) < 30


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("graphs", [0.5, 1.5, 2.2])
def test_an_abort_inside_the_graph_of_a_round_leaves_an_exact_slot(kind: str, graphs: float, open_kind: Open) -> None:
    session = open_kind(kind)
    truth = ask(session, user(LONG), sampling=GREEDY).generation.tokens
    let_guess(session, Guesser(truth, wrong=0.5))
    nodes = [0]

    def count() -> bool:
        nodes[0] += 1
        return False

    session.slot.context.set_abort(count)
    ask(session, user(LONG), sampling=Sampling(temperature=0.0, max_tokens=2))
    session.slot.context.set_abort(None)
    let_guess(session, Guesser(truth, wrong=0.5))
    # The prompt's last entry, a single token and so on: somewhere inside one of the graphs that follow.
    with aborting_after(session, int(nodes[0] * (1 + graphs) / 2)):
        stopped = ask(session, user(LONG), sampling=GREEDY)
    assert stopped.reason is FinishReason.CANCELLED
    assert stopped.generation.tokens == truth[: len(stopped.generation.tokens)]
    assert len(session.slot) == session.slot.context.pos_max + 1
    messages = user(LONG), user("go on")
    assert ask(session, *messages).generation.tokens == ask(open_kind(kind), *messages).generation.tokens


def test_the_figures_are_those_of_the_drafter(open_kind: Open) -> None:
    session = open_kind("llama")
    truth = ask(session, user(LONG), sampling=GREEDY).generation.tokens
    guesser = let_guess(session, Guesser(truth, wrong=0.5))
    got = ask(session, user(LONG), sampling=GREEDY)
    figures = got.drafting
    assert (figures.rounds, figures.drafted, figures.accepted) == (guesser.rounds, guesser.drafted, guesser.accepted)
    assert (got.timings.draft_n, got.timings.draft_n_accepted) == (guesser.drafted, guesser.accepted)
    assert figures.kinds == (DrafterKind.DRAFT_MODEL,)
    assert figures.mean_run == pytest.approx(1 + guesser.accepted / guesser.rounds)
    assert not figures.off


@pytest.mark.parametrize("kind", ["gemma3", "qwen35", "qwen35+states", "mamba"])
def test_regular_checkpoints_are_taken_while_drafts_are_checked(
    kind: str, open_kind: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Those that a busy machine takes long for are left out.
    monkeypatch.setattr("app.engine.memory.memory._COSTLY", 60.0)
    checkpointing = Checkpointing(every=16, min_step=8, ctx_checkpoints=100)
    truth = ask(open_kind(kind), user(LONG), sampling=GREEDY).generation.tokens
    session = open_kind(kind, checkpointing=checkpointing)
    let_guess(session, Guesser(truth, wrong=0.4, n_max=5))
    got = ask(session, user(LONG), sampling=GREEDY)
    places = [place for place in session.slot.checkpoints.entries if place > counted(got.timings.prompt_n)]
    assert len(places) >= 2
    for mine, following in pairwise(places):
        assert following - mine < 16 + 16
    # And each is one: an edit behind it goes on from there.
    cold = open_kind(kind)
    edited = user(LONG), answered(ask(session, user(LONG), sampling=Sampling(temperature=0.0, max_tokens=40)))
    assert ask(session, *edited, user("x")).generation.tokens == ask(cold, *edited, user("x")).generation.tokens


@pytest.mark.parametrize("kind", ["llama", "qwen35", "mamba"])
@pytest.mark.parametrize("exact", [1, 2, 5])
def test_exact_keeps_all_batches_small(kind: str, exact: int, open_kind: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    session = open_kind(kind)
    truth = ask(session, user(LONG), sampling=GREEDY).generation.tokens
    let_guess(session, Guesser(truth, wrong=0.5), exact=exact)
    assert session.drafting is not None
    session.drafting.take(Speculation(exact=True))
    context, sizes = session.slot.context, []
    decode = context.decode

    def seen(tokens: list[int], position: int) -> object:
        sizes.append(len(tokens))
        return decode(tokens, position)

    monkeypatch.setattr(context, "decode", seen)
    got = ask(session, user(LONG), sampling=GREEDY)
    assert got.generation.tokens == truth
    written = sizes[1:] if KINDS[kind] is Rollback.TRIM else [size for size in sizes if size < 20]
    assert max(written, default=1) <= exact
    assert bool(got.drafting.drafted) is (exact > 1)
    assert bool(got.drafting.off) is (exact == 1)


def test_more_rows_than_were_reserved_are_an_error_and_no_abort(open_kind: Open) -> None:
    context = open_kind("llama").slot.context
    with pytest.raises(ValueError, match="rows of logits"):
        context.decode_rows(list(range(context.n_rows + 1)), 0)


def test_a_context_has_rows_for_the_longest_draft(open_kind: Open) -> None:
    assert open_kind("llama", drafts=DraftPlan(Speculation())).slot.context.n_rows == 17
    longer = open_kind("llama", drafts=DraftPlan(Speculation(ngram_max=24)))
    assert longer.slot.context.n_rows == 25
    logits = longer.slot.context
    logits.decode_rows(list(range(30, 55)), 0)
    assert logits.rows(25).shape == (25, logits.n_vocab)
    assert np.isfinite(logits.logits(24)).all()


@pytest.mark.parametrize("kind", ["llama", "qwen35"])
def test_a_memory_that_refuses_to_go_back_reads_everything_again(
    kind: str, open_kind: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_kind(kind)
    truth = ask(session, user(LONG), sampling=GREEDY).generation.tokens
    session.slot.forget()
    let_guess(session, Guesser(truth, wrong=0.5))
    name = "remove_from" if kind == "llama" else "restore_partial"
    works, calls = getattr(session.slot.context, name), []

    def refuses_the_third(*arguments: object) -> bool:
        calls.append(arguments)
        return len(calls) != 3 and works(*arguments)

    monkeypatch.setattr(session.slot.context, name, refuses_the_third)
    got = ask(session, user(LONG), sampling=GREEDY)
    assert len(calls) > 3
    assert got.generation.tokens == truth


class Declining(Always):
    """Wants no drafts for a while."""

    def __init__(self, rest: int = 16) -> None:
        super().__init__()
        self.asked = 0
        self.seen: list[Round] = []
        self._rest = rest

    def choose(self, options: Sequence[Option], pending: int) -> None:
        self.asked += any(option.kind is DrafterKind.DRAFT_MODEL for option in options)

    def rests(self, options: Sequence[Option]) -> int:
        return self._rest

    def saw(self, done: Round) -> None:
        self.seen.append(done)


@pytest.mark.parametrize("kind", ["llama", "mamba", "qwen35+states"])
def test_a_draft_model_that_is_not_worth_it_is_hardly_asked(kind: str, open_kind: Open) -> None:
    wanted = ask(open_kind(kind), user(LONG), sampling=GREEDY)
    session, policy = open_kind(kind), Declining()
    let_guess(session, Guesser(wanted.generation.tokens))
    assert session.drafting is not None
    session.drafting.policy = policy
    got = ask(session, user(LONG), sampling=GREEDY)
    assert got.generation.tokens == wanted.generation.tokens
    assert policy.asked == len(wanted.generation.tokens) // 17 + 1 == 4
    assert sum(done.times for done in policy.seen) == len(wanted.generation.tokens) - 1, "and is told of every one"
    assert all(done.seconds > 0 and done.option is None for done in policy.seen)
    policy.asked = 0
    for question in ("why?", "how?"):
        ask(session, user(LONG + question), sampling=Sampling(temperature=0.0, max_tokens=3))
    assert policy.asked == 2, "an answer begins without a rest"


def test_nobody_rests_while_ngrams_are_looked_for(open_kind: Open) -> None:
    session, policy, listening = open_kind("llama"), Declining(), Listening()
    guesser = let_guess(session, Guesser([1, 2, 3]))
    assert session.drafting is not None
    session.drafting = session.slot.companion = Drafting((guesser, listening), policy, session.drafting.info)
    ask(session, user(LONG), sampling=GREEDY)
    assert policy.asked > 50
    assert len(listening.heard) > 50
