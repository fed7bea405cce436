"""How often a warm answer is another one than a cold start's, by rounding alone, and what `--exact` costs instead.

    python -m tests.bench.context.rounding MODEL.gguf [--talks 20] [--turns 5] [--flash on] [--tokens 48]

Talks of random words, of several turns each, answered greedily with the KV types that come as default (f16). Each turn
is asked of a session that had all turns before, and of one that forgot everything. Told are the answers that differ,
the answers with a logit that differs, the entries that were read, and the seconds of the warm turns but the first.
"""

import argparse
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.events import Finished, TextDelta
from app.core.loading import FlashAttention, Loading
from app.core.messages import Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests.counted import counted

_WORDS = "river valley stone mountain evening hill rain ship whale sea and the of on in under over through says asks"


@dataclass
class Sum:
    answers: int = 0
    other_words: int = 0
    other_bits: int = 0
    read: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.other_words} of {self.answers} answers differ, {self.other_bits} in bits; "
            f"{self.read:,} entries read warm, {self.seconds:.1f} s until their first words"
        )


@dataclass(frozen=True)
class Answer:
    finished: Finished
    rows: list[NDArray[np.float32]]

    @property
    def message(self) -> Message:
        return Message(Role.ASSISTANT, (TextPart(self.finished.text),), self.finished.generation)

    def has_bits_of(self, other: "Answer") -> bool:
        pairs = zip(self.rows, other.rows, strict=False)
        return len(self.rows) == len(other.rows) and all(np.array_equal(*pair) for pair in pairs)


def ask(session: Session, talk: list[Message], tokens: int) -> Answer:
    rows, finished = [], None
    for event in session.reply(ChatRequest(tuple(talk), Sampling(temperature=0.0, max_tokens=tokens))):
        if isinstance(event, TextDelta):
            rows.append(session.slot.logits())
        elif isinstance(event, Finished):
            finished = event
    assert finished is not None
    return Answer(finished, rows)


def words(chance: random.Random, count: int) -> Message:
    return Message.of(Role.USER, " ".join(chance.choice(_WORDS.split()) for _ in range(count)) + "?")


def measure(path: Path, loading: Loading, talks: int, turns: int, tokens: int) -> Sum:
    opened = [open_session(path, loading, cancel=CancelFlag()) for _ in range(2)]
    (warm, _), (cold, _) = (each for each in opened if each is not None)
    total = Sum()
    for seed in range(talks):
        chance, talk = random.Random(seed), [words(random.Random(seed), 60)]
        for turn in range(turns):
            cold.slot.forget()
            cold.slot.snapshots.clear()
            answer, wanted = ask(warm, talk, tokens), ask(cold, talk, tokens)
            assert wanted.finished.timings.cache_n == 0
            total.answers += 1
            total.other_words += answer.finished.generation.tokens != wanted.finished.generation.tokens
            total.other_bits += not answer.has_bits_of(wanted)
            if turn:
                total.read += counted(answer.finished.timings.prompt_n)
                total.seconds += answer.finished.timings.prompt_ms / 1000
            talk += [answer.message, words(chance, chance.randrange(10, 60))]
    warm.close()
    cold.close()
    return total


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("model", type=Path)
    arguments.add_argument("--talks", type=int, default=20)
    arguments.add_argument("--turns", type=int, default=5)
    arguments.add_argument("--tokens", type=int, default=48)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--flash", type=FlashAttention, default=FlashAttention.AUTO)
    given = arguments.parse_args()
    loading = Loading(ctx_size=4096, gpu_layers=0, threads=given.threads, flash_attn=given.flash)
    for name, each in (("as it comes", loading), ("--exact", replace(loading, exact=True))):
        began = time.perf_counter()
        found = measure(given.model, each, given.talks, given.turns, given.tokens)
        print(f"{name:12} {found} ({time.perf_counter() - began:.0f} s in all)", flush=True)


if __name__ == "__main__":
    main()
