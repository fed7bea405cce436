"""Texts that a grammar allows, found by walking through it at random."""

import random
from collections.abc import Sequence

import numpy as np

from app.engine.binding.vocab import Vocab
from app.engine.grammar.grammar import Grammar

_STEPS = 450


def walk(vocab: Vocab, grammar: str, seed: int, hints: Sequence[str]) -> str | None:
    """A text of the grammar; None where it found no end. `hints` are texts that lead to ends."""
    chance = random.Random(seed)
    logits = np.random.default_rng(seed)
    made, written = Grammar(vocab, grammar), b""
    # Bytes of other letters are taken where nothing else is possible: at random they are no characters.
    foreign = 30 * np.array([not vocab.piece(token, special=True).isascii() for token in range(vocab.n_tokens)])
    ends = [token for token in range(vocab.n_tokens) if vocab.is_eog(token)]
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
        allowed = made.allowed()
        assert allowed.any(), "the grammar has no way on"
        token = int(np.argmax(np.where(allowed, logits.normal(size=vocab.n_tokens) - foreign, -np.inf)))
        if vocab.is_eog(token):
            return written.decode("utf-8", "replace")
        made.accept(token)
        written += vocab.piece(token, special=True)
    return None


def fits(vocab: Vocab, grammar: str, text: str) -> bool:
    """The grammar allows exactly this text, and then an end."""
    made = Grammar(vocab, grammar)
    for token in vocab.tokenize_on(text):
        if not made.allows(token):
            return False
        made.accept(token)
    return made.allows(next(token for token in range(vocab.n_tokens) if vocab.is_eog(token)))
