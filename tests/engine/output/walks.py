"""Texts that a grammar allows, found by walking through it at random, as llama.cpp sees it."""

import random
from collections.abc import Sequence

import numpy as np

from app.engine.binding.grammar import Candidates, Grammar
from app.engine.binding.vocab import Vocab

_STEPS = 450


def walk(vocab: Vocab, grammar: str, seed: int, hints: Sequence[str]) -> str | None:
    """A text of the grammar; None where it found no end. `hints` are texts that lead to ends."""
    chance = random.Random(seed)
    logits = np.random.default_rng(seed)
    made, candidates, written = Grammar(vocab, grammar), Candidates(vocab.n_tokens), b""
    # Bytes of other letters are taken where nothing else is possible: at random they are no characters.
    foreign = 30 * np.array([not vocab.piece(token, special=True).isascii() for token in range(vocab.n_tokens)])
    ends = [token for token in range(vocab.n_tokens) if vocab.is_eog(token)]
    try:
        for step in range(_STEPS):
            if any(made.allows(token) for token in ends) and (chance.random() < 0.5 or step > _STEPS // 3):
                return written.decode("utf-8", "replace")
            if hints and chance.random() < (0.3 if step < _STEPS // 3 else 0.6):
                for token in vocab.tokenize_on(chance.choice(hints)):
                    if not made.allows(token):
                        break
                    made.accept(token)
                    written += vocab.piece(token, special=True)
                continue
            candidates.fill((logits.normal(size=vocab.n_tokens) - foreign).astype(np.float32))
            made.restrict(candidates)
            token = int(np.argmax(candidates._cells["logit"]))
            assert np.isfinite(candidates._cells["logit"][token]), "the grammar has no way on"
            if vocab.is_eog(token):
                return written.decode("utf-8", "replace")
            made.accept(token)
            written += vocab.piece(token, special=True)
        return None
    finally:
        made.close()


def fits(vocab: Vocab, grammar: str, text: str) -> bool:
    """The grammar allows exactly this text, and then an end."""
    made = Grammar(vocab, grammar)
    try:
        for token in vocab.tokenize_on(text):
            if not made.allows(token):
                return False
            made.accept(token)
        return made.allows(next(token for token in range(vocab.n_tokens) if vocab.is_eog(token)))
    finally:
        made.close()
