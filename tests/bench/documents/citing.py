"""What it costs to let an answer cite only passages that exist.

    python -m tests.bench.documents.citing [tokens of the vocabulary]

A vocabulary of random words is made for it. The figures are microseconds of a processor for one token: what the rule
itself takes, and the whole draw with the usual chain, with and without it. Then a token that is refused, for which the
whole vocabulary is looked at.
"""

import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.loading import Loading
from app.core.sampling import Sampling
from app.engine.binding.sampler import SamplerChain, TokenFilter
from app.engine.binding.vocab import Vocab
from app.engine.loading.loader import open_session
from app.engine.output.format import OutputFormat
from app.engine.reply.citing import CitingConstraint
from app.engine.reply.constraint import Constraint
from tests.tiny_models import bpe_tokenizer, llama

_TEXT = "The rain came from the hills [3], as in most years [1, 12]. It is said that `a[0]` was first [2]. " * 40


def microseconds(act: Callable[[], object], times: int) -> float:
    """The median of five runs, for each of the `times` that `act` does something."""
    took = []
    for _ in range(5):
        began = time.process_time()
        act()
        took.append((time.process_time() - began) / times * 1e6)
    return statistics.median(took)


def made(folder: Path, n_vocab: int) -> Path:
    rng, tiny = random.Random(1), bpe_tokenizer()
    known = set(tiny.tokens)
    words = set[str]()
    while len(words) < n_vocab - len(tiny.tokens):
        word = rng.choice(["", "Ġ"] * 50 + ["Ġ[", "1"]) + "".join(rng.choices("abcdefghijklmnop", k=rng.randint(3, 9)))
        words |= {word} - known
    tokens, types = [*tiny.tokens, *sorted(words)], [*tiny.types, *[1] * len(words)]
    return llama(folder / "large.gguf", tokenizer=replace(tiny, tokens=tokens, types=types))


def main() -> None:
    n_vocab = int(sys.argv[1]) if len(sys.argv) > 1 else 128_256
    with tempfile.TemporaryDirectory() as folder:
        opened = open_session(made(Path(folder), n_vocab), Loading(threads=1, ctx_size=512), cancel=CancelFlag())
        assert opened is not None
        session = opened[0]
        vocab, context = session._model.vocab, session.slot.context
        session.try_one_token()
        session.slot.evaluate([1, 2, 3])
        gc.disable()

        def citing() -> CitingConstraint:
            spelling = vocab.piece
            return CitingConstraint(
                Constraint(), range(1, 13), OutputFormat(), Vocab(vocab.handle), spelling, thinks=False, calls=False
            )

        tokens = vocab.tokenize(_TEXT)

        def write() -> None:
            constraint = citing()
            for token in tokens:
                held = constraint.grammar
                assert held is not None and held.allows(token)
                constraint.saw(vocab.piece(token))

        def draw(chain: SamplerChain, held: TokenFilter | None) -> None:
            for _ in range(200):
                chain.sample(context, held)

        print(f"{n_vocab:,} tokens. The rule: {microseconds(write, len(tokens)):.1f} us a token")
        for sampling in (Sampling(seed=1), Sampling(temperature=0.0)):
            with SamplerChain(vocab, sampling, 512) as chain:
                plain = microseconds(partial(draw, chain, None), 200)
                held = microseconds(partial(draw, chain, citing().grammar), 200)
            print(f"temperature {sampling.temperature:g}: drawn {plain:.0f} us, and with the rule {held:.0f} us")
        for text in ("so", " [", " [1", " [1,"):
            constraint = citing()
            constraint.saw(text.encode())
            constraint.allowed()
            print(f"refused behind {text!r}: {microseconds(constraint.allowed, 1):.0f} us")
        session.close()


if __name__ == "__main__":
    main()
