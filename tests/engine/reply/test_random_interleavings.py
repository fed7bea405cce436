"""Several replies at once on every kind of memory, with all that can happen to them in any order: each is as alone."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.events import Finished, FinishReason, ReplyEvent, TextDelta
from app.core.messages import ImagePart, Message, Part, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.memory.slot import Slot
from app.engine.reply.live_reply import Ended
from app.engine.reply.session import Session
from tests import tiny_models
from tests.engine.conftest import EXACT, OpenPath
from tests.engine.media.test_warm_pictures import A, B
from tests.engine.reply.test_scheduler import Asked, Rig, words
from tests.engine.reply.test_session import answered
from tests.tiny_models import GEMMA, HEAD, Writer
from tests.tiny_vision import VISION_MAKERS, mlp, picture_tokenizer

_ROOM = 192
"""Entries for each of those who write, which is less than they want."""
_CLOSE, _JUMP = 1e-4, 2e-3
"""How far logits may be from those of one alone. Gemma's GELU is a table of halves in llama.cpp: now and then a last
bit takes a step into the next one. One wrong cell in a window makes a difference of 0.1.
"""
_BY_TABLE = {"window", "sharing"}

Rows = list[NDArray[np.float32]]
Made = tuple[Path, Path | None]


def _recurrent(folder: Path) -> Made:
    return tiny_models.mamba(folder / "model.gguf", tokenizer=picture_tokenizer()), mlp(folder / "mmproj.gguf")


def _sharing_layers(folder: Path) -> Made:
    """Gemma 4: windows, and two layers that look into the cells of the two before them."""
    w = Writer(folder / "model.gguf", "gemma4", tiny_models.bpe_tokenizer(), 4, 52)
    w.shape()
    w.heads()
    w.gguf.add_key_length_swa(HEAD)
    w.gguf.add_value_length_swa(HEAD)
    w.gguf.add_sliding_window(64)
    w.gguf.add_sliding_window_pattern([True, False, True, False])
    w.number("attention.shared_kv_layers", 2)
    w.number("embedding_length_per_layer_input", 0)
    w.vocabulary(GEMMA, "<end_of_turn>", "<bos>")
    w.embeddings()
    w.ones("rope_freqs.weight", HEAD // 2)
    for layer in range(w.n_layer):
        w.norms(layer, "attn_norm", "ffn_norm", "post_attention_norm", "post_ffw_norm")
        for name in ("attn_q_norm", "attn_k_norm"):  # it does not scale what it attends by
            w.tensor(f"blk.{layer}.{name}.weight", np.full(HEAD, HEAD**-0.25, np.float32))
        w.attention(layer)
        w.feed_forward(layer)
    return w.close(), None


def _latent(folder: Path) -> Made:
    return tiny_models.deepseek2(folder / "model.gguf"), None


KINDS: dict[str, Callable[[Path], Made]] = {
    "full": VISION_MAKERS["llava"],
    "window": VISION_MAKERS["gemma3"],
    "mrope": VISION_MAKERS["qwen25vl"],
    "hybrid": VISION_MAKERS["qwen35"],
    "convolution": VISION_MAKERS["lfm2"],
    "recurrent": _recurrent,
    "sharing": _sharing_layers,
    "latent": _latent,
}


class Watched(Rig):
    """Sees the logits that each piece of text was drawn from."""

    def __init__(self, session: Session, flag: CancelFlag) -> None:
        super().__init__(session, flag)
        self.rows: dict[Asked, Rows] = {}

    def hear(self, asked: Asked, said: ReplyEvent | Ended) -> None:
        super().hear(asked, said)
        if isinstance(said, TextDelta) and not asked.cancelled:  # then what was held back is told, without a draw
            slot = next(live.slot for live in self.scheduler._live if live.asker is asked)
            self.rows.setdefault(asked, []).append(slot.logits())


def alone(session: Session, request: ChatRequest) -> tuple[Finished, Rows]:
    """From nothing."""
    session.slot.forget()
    rows: Rows = []
    for event in session.reply(request):
        if isinstance(event, TextDelta):
            rows.append(session.slot.logits())
    assert isinstance(event, Finished)
    return event, rows


class Walk:
    """People who ask, look at pictures, edit, stop, go and come back."""

    def __init__(self, rig: Watched, rng: random.Random, n: int, pictures: tuple[ImagePart, ...]) -> None:
        self.rig, self.rng, self.n, self.pictures = rig, rng, n, pictures
        self.last: dict[int, Asked] = {}
        """Of each conversation."""
        self.did: Counter[str] = Counter()

    def step(self) -> None:
        """Somebody asks, while the others go on."""
        free = [each for each in range(self.n + 2) if each not in self.last or self.last[each].ended]
        number = self.rng.choice(free)
        self.did["joined"] += self.rig.scheduler.is_busy
        self.last[number] = asked = self.rig.add(self._request(number))
        self.rig.run(self.rng.randrange(50))
        if self.rng.random() < 0.3 and not asked.ended:
            self.rig.cancel(asked)
            self.did["cancelled"] += 1
        elif self.rng.random() < 0.3:
            self.rig.run_to_end_of(asked)

    def _request(self, number: int) -> ChatRequest:
        before = self.last.get(number)
        said: tuple[Message, ...] = ()
        if before is not None and len(before.request.messages) < 5:
            said = (*before.request.messages, answered(before.answer))
            if self.rng.random() < 0.4:
                said = self._edited(said)
        limit = Sampling(temperature=0.0, max_tokens=self.rng.randrange(4, 40))
        return ChatRequest((*said, self._question()), limit, conversation=str(number))

    def _edited(self, said: tuple[Message, ...]) -> tuple[Message, ...]:
        self.did["edited"] += 1
        place = self.rng.randrange(0, len(said), 2)
        return (*said[:place], self._question(), *said[place + 1 : place + 2])

    def _question(self) -> Message:
        parts: list[Part] = [TextPart(words(self.rng, self.rng.randrange(2, 24)))]
        if self.pictures and self.rng.random() < 0.4:
            self.did["pictures"] += 1
            parts.insert(self.rng.randrange(2), self.rng.choice(self.pictures))
        return Message(Role.USER, tuple(parts))

    def save_and_come_back(self, path: Path) -> None:
        """A conversation is saved in a file, others are asked, and it goes on from there."""
        self.rig.run()
        self.last[-1] = self.rig.add(self._request(-1))
        self.rig.run()
        session, name = self.rig.session, self.last[-1].request.conversation
        assert session.save_state(path, {}, name) is not None
        self.step()
        self.rig.run()
        session.restore_state(path, name)
        self.last[-1] = self.rig.add(self._request(-1))
        self.did["restored"] += 1

    def crowd(self) -> None:
        """All want more than there is room for."""
        self.rig.run()
        much = Sampling(temperature=0.0, max_tokens=3 * self.rig.session.slot.context.n_ctx // (2 * self.n))
        for number in range(self.n):
            self.last[number] = self.rig.add(
                ChatRequest((self._question(),), much, conversation=str(number), ignore_eos=True)
            )


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a slot gave up its cells, and how often one was brought back to what is kept aside."""
    seen: Counter[str] = Counter()
    for name in ("step_out", "_return_to"):
        done = getattr(Slot, name)

        def counted(*asked: Any, _done: Callable[..., Any] = done, _name: str = name) -> Any:
            seen[_name] += 1
            return _done(*asked)

        monkeypatch.setattr(Slot, name, counted)
    return seen


@pytest.fixture
def opened(tmp_path: Path, open_path: OpenPath) -> Callable[..., Session]:
    made: dict[str, Made] = {}

    def open_one(kind: str, n: int, flag: CancelFlag | None = None) -> Session:
        if kind not in made:
            made[kind] = KINDS[kind](tmp_path)
        model, mmproj = made[kind]
        loading = replace(EXACT, ctx_size=_ROOM * n, parallel=n)
        if mmproj is None:
            return open_path(model, loading, cancel=flag)
        projector = Projector(mmproj, MediaStores(NoMedia(), EmbeddingCache(1 << 26, None, 0)), 64)
        session = open_path(model, loading, cancel=flag, projector=projector)
        assert session.info.sees, session.info.projector_problem
        return session

    return open_one


@pytest.mark.parametrize("n", [2, 4, 8])
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_happens_beside_it_each_is_as_alone(
    kind: str, n: int, opened: Callable[..., Session], counts: Counter[str], tmp_path: Path
) -> None:
    rng = random.Random(f"{kind} {n}")
    rig, cold = Watched(opened(kind, n, flag := CancelFlag()), flag), opened(kind, n)
    walk = Walk(rig, rng, n, (A, B) if rig.session.info.sees else ())
    for _ in range(6 + n):
        walk.step()
    walk.save_and_come_back(tmp_path / "one.hearthstate")
    for _ in range(4 + n):
        walk.step()
    walk.crowd()
    rig.run()
    # All of it has happened.
    assert min(walk.did[each] for each in ("joined", "cancelled", "edited", "restored")) > 0, walk.did
    assert walk.did["pictures"] > 0 or not walk.pictures
    assert counts["step_out"] and counts["_return_to"], counts
    for asked in rig.all:
        expected, rows = alone(cold, asked.request)
        got, told = asked.answer, rig.rows.get(asked, [])
        wanted = expected.generation.tokens
        if got.reason is FinishReason.CANCELLED:
            wanted = wanted[: len(got.generation.tokens)]
        else:
            assert (got.reason, len(told)) == (expected.reason, len(rows))
        assert got.generation.tokens == wanted
        limit = _JUMP if kind in _BY_TABLE else _CLOSE
        assert all(np.abs(mine - other).max() < limit for mine, other in zip(told, rows, strict=False))
