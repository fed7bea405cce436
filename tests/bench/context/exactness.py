"""What each change of a conversation costs on one model, and whether the answer is a cold context's.

    python -m tests.bench.context.exactness MODEL.gguf

MODEL is a file that llama.cpp's `test-llama-archs` wrote; prints one JSON object. `tests.bench.context.architectures`
runs this in a child process for each model, because llama.cpp ends the process on some.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import gguf
import numpy as np
from llama_cpp import llama_cpp as api
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.events import Finished, FinishReason, TextDelta
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.messages import Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests.bench.context.numbers import NumbersChat, changed, numbers
from tests.counted import counted

EXACT = Loading(
    ctx_size=1024,
    gpu_layers=0,
    threads=1,
    batch_size=128,
    ubatch_size=32,
    flash_attn=FlashAttention.OFF,
    cache_type_k=CacheType.F32,
    cache_type_v=CacheType.F32,
)
_CHECKPOINTING = Checkpointing(every=64, min_step=16)
_GREEDY = Sampling(temperature=0.0, max_tokens=16)
_OTHER_SPLITS = (1, 20)
_LEARNED_POSITIONS = "position_embd.weight"

Talk = tuple[Message, ...]


@dataclass
class Compared:
    """One scenario: what was reused, and how far the warm answer was from the cold one."""

    name: str
    total: int
    reused: int
    planned: int
    expected: int
    """The least that should have been reused."""
    difference: float
    """Largest between two logits of the same step, to a cold context."""
    noise: float
    """As `difference`, between cold contexts that read in micro-batches of other sizes."""
    tokens_equal: bool
    told: str


@dataclass
class Report:
    model: str
    memory: str
    n_swa: int
    signal: float
    """Difference that one other token in the first question makes: what an error would look like."""
    scenarios: list[Compared] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    """A whole reply, with the logits that each of its tokens was drawn from."""

    finished: Finished
    rows: list[NDArray[np.float32]]

    @property
    def message(self) -> Message:
        return Message(Role.ASSISTANT, (TextPart(self.finished.text),), self.finished.generation)

    def difference(self, other: "Answer") -> float:
        """Over the steps up to the first token that differs."""
        pairs = zip(self.finished.generation.tokens, other.finished.generation.tokens, strict=False)
        same = next((step for step, (one, two) in enumerate(pairs) if one != two), len(self.rows))
        steps = min(same + 1, len(self.rows), len(other.rows))
        return max((float(np.abs(self.rows[n] - other.rows[n]).max()) for n in range(steps)), default=0.0)


def ask(session: Session, messages: Talk) -> Answer:
    rows = []
    finished: Finished | None = None
    for event in session.reply(ChatRequest(messages, _GREEDY)):
        if isinstance(event, TextDelta):
            rows.append(session.slot.logits())
        elif isinstance(event, Finished):
            finished = event
    assert finished is not None
    return Answer(finished, rows)


class Nodes:
    """Counts the nodes of the graphs that a session computes, and aborts after some of them."""

    def __init__(self, session: Session, limit: int | None = None) -> None:
        self._context = session.slot.context
        self._limit = limit
        self.count = 0

    def __enter__(self) -> "Nodes":
        self._context.set_abort(self._seen)
        return self

    def __exit__(self, *_: object) -> None:
        self._context.set_abort(None)

    def _seen(self) -> bool:
        self.count += 1
        return self._limit is not None and self.count > self._limit


class Bench:
    """The scenarios on one model file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        sizes = (40, 260, 120, 30) if _room(path) >= EXACT.ctx_size else (20, 60, 40, 20)
        self._system = Message.of(Role.SYSTEM, numbers(sizes[0], 1))
        self._first, self._second, self._third = (
            Message.of(Role.USER, numbers(size, seed)) for seed, size in enumerate(sizes[1:], 2)
        )

    def run(self) -> Report:
        session = self._open()
        traits, memory = session.slot.traits, _memory(session)
        session.close()
        report = Report(self._path.name, memory, traits.n_swa, self._signal())
        for scenario in (
            self._follow_up,
            self._regenerated,
            self._last_edited,
            self._early_edited,
            self._shorter,
            self._cancelled_reading,
            self._cancelled_writing,
        ):
            report.scenarios += scenario()
        return report

    def _open(self, loading: Loading = EXACT) -> Session:
        opened = open_session(self._path, loading, cancel=CancelFlag(), checkpointing=_CHECKPOINTING)
        assert opened is not None
        session = opened[0]
        session.chat = NumbersChat(session._model.vocab)
        return session

    def _cold(self, messages: Talk, loading: Loading = EXACT) -> Answer:
        session = self._open(loading)
        try:
            answer = ask(session, messages)
        finally:
            session.close()
        assert answer.finished.timings.cache_n == 0
        return answer

    def _signal(self) -> float:
        other = Message.of(Role.USER, changed(self._first.text, 100 if len(self._first.text) > 400 else 20))
        return self._cold((self._system, self._first)).difference(self._cold((self._system, other)))

    def _talk(self, session: Session) -> Talk:
        """Two questions and two answers."""
        first = ask(session, (self._system, self._first))
        talk = (self._system, self._first, first.message, self._second)
        return (*talk, ask(session, talk).message)

    def _compare(self, name: str, session: Session, messages: Talk, expected: int) -> Compared:
        planned = session.peek(ChatRequest(messages, _GREEDY)).keep
        warm, cold = ask(session, messages), self._cold(messages)
        timings = warm.finished.timings
        others = [self._cold(messages, replace(EXACT, ubatch_size=size)) for size in _OTHER_SPLITS]
        return Compared(
            name,
            counted(timings.cache_n) + counted(timings.prompt_n),
            counted(timings.cache_n),
            planned,
            expected,
            warm.difference(cold),
            max(cold.difference(other) for other in others),
            warm.finished.generation.tokens == cold.finished.generation.tokens,
            warm.finished.reuse,
        )

    def _tried(self, name: str, change: Callable[[Session, Talk], tuple[Talk, int]]) -> list[Compared]:
        """One scenario on a session of its own. `change` gives the new conversation and what should be reused."""
        session = self._open()
        try:
            messages, expected = change(session, self._talk(session))
            return [self._compare(name, session, messages, expected)]
        finally:
            session.close()

    def _follow_up(self) -> list[Compared]:
        return self._tried("follow-up", lambda session, talk: ((*talk, self._third), len(session.slot)))

    def _regenerated(self) -> list[Compared]:
        return self._tried("regenerate", lambda session, talk: (talk[:-1], len(_entries(session, talk[:-1])) - 1))

    def _last_edited(self) -> list[Compared]:
        def change(session: Session, talk: Talk) -> tuple[Talk, int]:
            edited = (*talk[:3], self._third)
            return edited, session.chat.prompt(edited, {}).places[-1]

        return self._tried("edit last", change)

    def _early_edited(self) -> list[Compared]:
        def change(session: Session, talk: Talk) -> tuple[Talk, int]:
            text = self._first.text
            edited = (talk[0], Message.of(Role.USER, changed(text, len(text) // 4)), *talk[2:4])
            return edited, _nearest(session, len(self._system.text) // 2 + 3 + len(text) // 4)

        return self._tried("edit early", change)

    def _shorter(self) -> list[Compared]:
        def change(session: Session, talk: Talk) -> tuple[Talk, int]:
            shorter = (talk[0], Message.of(Role.USER, self._first.text[: len(self._first.text) // 2]))
            return shorter, _nearest(session, len(_entries(session, shorter)) - 2)

        return self._tried("shorter", change)

    def _cancelled_reading(self) -> list[Compared]:
        """Stopped between two nodes of a graph: in the first micro-batch of a question, and in the second."""
        compared = []
        for graphs in (0.5, 1.5):
            session = self._open()
            try:
                talk, per_graph = self._prepared(session)
                held = len(session.slot)
                talk = (*talk, self._second)
                with Nodes(session, int(graphs * per_graph)):
                    stopped = ask(session, talk)
                assert stopped.finished.reason is FinishReason.CANCELLED
                assert not stopped.rows
                compared.append(self._compare(f"cancel reading, graph {graphs}", session, talk, held))
            finally:
                session.close()
        return compared

    def _cancelled_writing(self) -> list[Compared]:
        """Stopped between two nodes of the graph that evaluates the fifth token of the answer."""
        session = self._open()
        try:
            (*talk, _), per_graph = self._prepared(session)
            with Nodes(session, int(5.5 * per_graph)):
                stopped = ask(session, tuple(talk))
            assert stopped.finished.reason is FinishReason.CANCELLED
            assert stopped.rows
            read = len(_entries(session, tuple(talk)))
            return [self._compare("cancel writing", session, (*talk, stopped.message, self._third), read - 1)]
        finally:
            session.close()

    def _prepared(self, session: Session) -> tuple[Talk, float]:
        """A question and its answer, and how many nodes a graph has that evaluates a token of it."""
        talk = (self._system, self._first)
        ask(session, talk)
        with Nodes(session) as nodes:
            # What is drawn last is not evaluated, and the prompt's last entry is a graph of its own.
            again = ask(session, talk)
        return (*talk, again.message), nodes.count / len(again.rows)


def _entries(session: Session, messages: Talk) -> list[int]:
    return list(session.chat.prompt(messages, {}).tokens)


def _nearest(session: Session, n: int) -> int:
    """What can be kept of `n` equal entries: all, or up to the regular checkpoint before."""
    if not session.slot.traits.needs_checkpoints:
        return n
    every = _CHECKPOINTING.every
    return n // every * every


def _memory(session: Session) -> str:
    traits = session.slot.traits
    if traits.trims:
        return "SWA" if traits.n_swa else "attention"
    return "recurrent" if api.llama_model_is_recurrent(session._model.handle) else "hybrid"


def _room(path: Path) -> int:
    reader = gguf.GGUFReader(path)
    architecture = reader.fields["general.architecture"].contents()
    return int(reader.fields[f"{architecture}.context_length"].contents())


def lengthened(path: Path, folder: Path) -> Path:
    """A copy of the model that says it was trained for a longer context, so that sliding windows move on.

    Models that have learned a row for each position stay as they are.
    """
    copy = Path(shutil.copy(path, folder / path.name))
    reader = gguf.GGUFReader(copy, "r+")
    if not any(tensor.name == _LEARNED_POSITIONS for tensor in reader.tensors):
        architecture = reader.fields["general.architecture"].contents()
        length = reader.fields[f"{architecture}.context_length"]
        length.parts[length.data[0]][0] = EXACT.ctx_size
    del reader
    return copy


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asdict(Bench(lengthened(Path(sys.argv[1]), Path(folder))).run())))


if __name__ == "__main__":
    main()
