"""A grammar over the tokens of a vocabulary: what may come next, and what came."""

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.engine.binding.vocab import Vocab
from app.engine.grammar.automaton import DEAD, Automaton
from app.engine.grammar.program import Program
from app.engine.grammar.reader import read_grammar

_MOST_MASKS = 16
"""What may come next in states that were looked at lately: a text comes back to the same few."""


class Grammar:
    """Takes what llama.cpp's own takes, and is never longer at work than for a second or until it is cancelled.

    llama.cpp's follows every way by itself, and can't be stopped: a line of repetitions keeps it busy for ever.
    Every method raises GrammarError for what is too much, and GrammarCancelledError.
    """

    def __init__(self, vocab: Vocab, text: str, cancel: CancelFlag | None = None) -> None:
        """Raises GrammarError for what is none."""
        self._vocab = vocab
        self._automaton = Automaton(Program(read_grammar(text, lambda each: _one(vocab, each))), cancel or CancelFlag())
        self._state = self._automaton.start
        self._masks: dict[int, NDArray[np.bool_]] = {}

    def allows(self, token: int) -> bool:
        """Whether `token` may come next; an end-of-generation token only where the grammar is at its end."""
        if self._vocab.is_eog(token):
            return self._automaton.accepts(self._state)
        self._begin()
        if any((each.id == token) is not each.negated for each, _ in self._automaton.tokens(self._state)):
            return True
        piece = self._vocab.columns.piece(token)
        return bool(piece) and self._automaton.read(self._state, piece) != DEAD

    def allowed(self) -> NDArray[np.bool_]:
        """Of every token, whether it may come next; of shape (n_vocab,). Not to be changed."""
        self._begin()
        found = self._masks.pop(self._state, None)
        if found is None:
            found = self._mask()
        self._masks[self._state] = found
        if len(self._masks) > _MOST_MASKS:
            del self._masks[next(iter(self._masks))]
        return found

    def accept(self, token: int) -> None:
        """Go on after `token`, which must be allowed."""
        if self._vocab.is_eog(token):
            return
        self._begin()
        automaton, state = self._automaton, self._state
        named = [way for each, way in automaton.tokens(state) if (each.id == token) is not each.negated]
        piece = self._vocab.columns.piece(token)
        following = automaton.read(state, piece) if piece else DEAD
        self._state = automaton.joined(following, named) if named else following

    def follow(self, text: bytes) -> bool:
        """Go on after what is written already; False where it does not fit, and nothing has changed then."""
        self._begin()
        following = self._automaton.read(self._state, text)
        if following != DEAD:
            self._state = following
        return following != DEAD

    def _begin(self) -> None:
        state = self._automaton.begin(self._state)
        if state != self._state:
            self._masks.clear()
            self._state = state

    def _mask(self) -> NDArray[np.bool_]:
        automaton, columns = self._automaton, self._vocab.columns
        allowed = np.zeros(self._vocab.n_tokens, dtype=np.bool_)
        at = np.arange(columns.count)
        states = np.full(columns.count, self._state, dtype=np.int32)
        for column, following in columns:
            states = automaton.read_each(states, column[at])
            alive = states != DEAD
            at, states = at[alive], states[alive]
            cut = int(np.searchsorted(at, following))
            allowed[columns.tokens[at[cut:]]] = True
            at, states = at[:cut], states[:cut]
            if not len(at):
                break
        for each, _ in automaton.tokens(self._state):
            if each.negated:
                kept = allowed[each.id]
                allowed[columns.tokens] = True
                allowed[each.id] = kept
            elif each.id < len(allowed):
                allowed[each.id] = True
        allowed[list(self._vocab.ends)] = automaton.accepts(self._state)
        return allowed


def _one(vocab: Vocab, text: str) -> int | None:
    tokens = vocab.tokenize(text, parse_special=True)
    return tokens[0] if len(tokens) == 1 else None
