"""Conversations that go every way at random, with pictures: drafting with a head never changes an answer."""

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.messages import Message
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.engine.drafting.opening import DraftPlan
from app.engine.loading.loader import open_session
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.reply.session import Session
from tests import tiny_mtp, tiny_vision
from tests.engine.conftest import finish
from tests.engine.drafting.always import Always
from tests.engine.media.test_warm_pictures import LOADING, A, B, said
from tests.engine.reply.test_session import answered
from tests.tiny_vision import picture_tokenizer

WORDS = ("the river runs", "and nobody asks it why", "ABCDEFGH", "a ship and a whale", "then?")
OFTEN = Checkpointing(every=32, min_step=16, min_prompt=1, cache_ram=4)


@contextmanager
def opened(folder: Path, kind: str, cancel: CancelFlag, *, drafts: bool) -> Iterator[Session]:
    words = picture_tokenizer()
    if kind == "qwen35":
        model = tiny_mtp.qwen35(folder / "qwen35.gguf", tokenizer=words)
        mmproj = tiny_vision.qwen3vl_merger(folder / "mmproj.gguf", deepstack=0)
    else:
        model = tiny_mtp.mimo2(folder / "mimo2.gguf", tokenizer=words)
        mmproj = tiny_vision.idefics3(folder / "mmproj.gguf")
    made = open_session(
        model,
        LOADING,
        cancel=cancel,
        checkpointing=OFTEN,
        projector=Projector(mmproj, MediaStores(NoMedia(), EmbeddingCache(1 << 26, None, 0)), 64),
        drafts=DraftPlan(Speculation(ngram=False, mtp=True)) if drafts else None,
    )
    assert made is not None
    with closing(made[0]) as session:
        if session.drafting is not None:
            session.drafting.policy = Always()
        yield session


def question(dice: random.Random) -> Message:
    parts = [" ".join(dice.choices(WORDS, k=dice.randint(1, 12)))]
    return said(
        *parts, *([dice.choice([A, B])] if dice.random() < 0.3 else []), *dice.choices(WORDS, k=dice.randint(0, 2))
    )


def turn_of(turns: list[Message], dice: random.Random) -> list[Message]:
    """What is asked next: a follow-up, another last question, an earlier one, or something else."""
    cut = dice.choice([len(turns), len(turns), max(0, len(turns) - 2), 2 * dice.randint(0, len(turns) // 2)])
    return [*turns[:cut], question(dice)]


@pytest.mark.parametrize("kind", ["qwen35", "mimo2"])
@pytest.mark.parametrize("seed", range(2))
def test_whatever_is_done_the_answers_are_the_plain_ones(
    kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.engine.media.projector.OWN_ENCODER", set())
    dice, cancel = random.Random(seed), CancelFlag()
    talks: list[list[Message]] = [[], []]
    with (
        opened(tmp_path, kind, cancel, drafts=True) as drafting,
        opened(tmp_path, kind, CancelFlag(), drafts=False) as plain,
    ):
        for _ in range(14):
            number = dice.randint(0, 1)
            asked = turn_of(talks[number], dice)
            request = ChatRequest(
                tuple(asked), Sampling(temperature=0.0, max_tokens=dice.randint(1, 40)), conversation=str(number)
            )
            if dice.random() < 0.3:
                _broken_off(drafting, request, cancel, dice)
            got, wanted = (finish(session, request) for session in (drafting, plain))
            assert got.generation.tokens == wanted.generation.tokens, got.reuse
            talks[number] = [*asked, answered(got)]


def _broken_off(session: Session, request: ChatRequest, cancel: CancelFlag, dice: random.Random) -> None:
    """Begin to answer, and leave or cancel at some event."""
    after, cancels = dice.randint(1, 12), dice.random() < 0.5
    with closing(session.reply(request)) as reply:
        for number, _ in enumerate(reply, 1):
            if number == after:
                if not cancels:
                    break
                cancel.set()
    cancel.clear()
