"""A model that makes vectors of texts, or ranks documents: from a file's path to numbers."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.errors import ContextFullError, ModelError
from app.core.loading import FlashAttention, Loading, Pooling
from app.engine.binding import library
from app.engine.binding.model import LoadFailedError, Model
from app.engine.binding.open_context import ContextRefusedError
from app.engine.binding.vector_context import VectorContext
from app.engine.loading.loader import default_threads
from app.engine.preflight.model_file import check_file, explain

_LONGEST = 8192
"""Tokens of a text; llama.cpp keeps logits for each of them, though nobody looks at them."""
_SHORTEST = 512
"""Tokens that a context is made for at first."""
_PLAIN = 2048
"""Tokens up to which attention is computed in F32 unless somebody asks otherwise: flash attention's halves cost a
vector its fourth digit. Beyond that the scores would take gigabytes.
"""
_TEXTS = 64
"""Texts that a graphics card computes at once."""


class VectorModel:
    """Owns the model and its context, which grows with the longest text. Not thread-safe."""

    def __init__(self, path: Path, loading: Loading, pooling: Pooling | None, n_texts: int = 0) -> None:
        """`n_texts` may be computed at once; 0 is as many as are good for the device. Raises ModelError."""
        check_file(path)
        try:
            self._model = Model.load(path, gpu_layers=loading.gpu_layers, cancel=CancelFlag())
        except LoadFailedError as error:
            raise explain(path, error.lines) from error
        self._loading, self._asked = loading, pooling
        # On a processor several at once are no faster, and cost digits: its GELU is a table of halves, which the last
        # bit of a sum may push to the next entry.
        on_card = loading.gpu_layers != 0 and bool(library.graphics_devices())
        self._n_texts = 1 if self._model.is_stateful else n_texts or (_TEXTS if on_card else 1)
        self._context: VectorContext | None = None
        self.n_longest = min(self._model.n_ctx_train or _LONGEST, _LONGEST)
        self._check()
        self.pooling = self._room_for(min(_SHORTEST, self.n_longest)).pooling

    def _check(self) -> None:
        name = self._model.path.name
        if self._model.vocab.kind == 0:
            raise ModelError("{name} has no vocabulary, so it can't read text. Choose another model.", name=name)
        if self._model.has_encoder or self._model.is_diffusion:
            raise ModelError("{name} makes no vectors of texts. Choose an embedding model.", name=name)

    def close(self) -> None:
        if self._context is not None:
            self._context.close()
        self._model.close()

    def facts(self) -> dict[str, object]:
        model = self._model
        width = model.n_embd_out
        sizes = {"n_params": model.n_params, "size": model.size, "n_vocab": model.vocab.n_tokens}
        return {"pooling": self.pooling, "width": width, "n_longest": self.n_longest, **sizes}

    def tokens(self, text: str | list[int | str]) -> list[int]:
        """As llama.cpp's server reads a text: with what the model adds at its ends. Of a list, which may mix tokens and
        texts, only a text at its beginning gets that.
        """
        made: list[int] = []
        for part in [text] if isinstance(text, str) else text:
            if isinstance(part, str):
                made += self._model.vocab.tokenize(part, add_special=not made, parse_special=True)
            else:
                made.append(part)
        return made

    def cut(self, tokens: list[int]) -> list[int]:
        """No longer than the model reads; the end token that the model adds stays."""
        vocab = self._model.vocab
        over = len(tokens) > self.n_longest
        ends = over and tokens[-1] in (vocab.eos, vocab.sep) and (vocab.add_eos or vocab.add_sep)
        return [*tokens[: self.n_longest - 1], tokens[-1]] if ends else tokens[: self.n_longest]

    def pair(self, query: str, document: str) -> list[int]:
        """What is ranked, as the model's own form for it says, or else as llama.cpp's server puts both together."""
        vocab = self._model.vocab
        if (form := self._model.metadata("tokenizer.chat_template.rerank")) is not None:
            written = form.replace("{query}", query).replace("{document}", document)
            return vocab.tokenize(written, parse_special=True)
        end = [vocab.eos if vocab.eos >= 0 else vocab.sep] if vocab.add_eos else []
        begin, between = [vocab.bos] if vocab.add_bos else [], [vocab.sep] if vocab.add_sep else []
        return [*begin, *vocab.tokenize(query), *end, *between, *vocab.tokenize(document), *end]

    def vectors(self, texts: Sequence[list[int]], first: int = 0) -> list[NDArray[np.float32]]:
        """Of each text, in order; see `VectorContext.vectors`. Refusals name a text by its number, `first` being the
        first one's. Raises ContextFullError and ModelError.
        """
        for number, tokens in enumerate(texts, first):
            self._check_text(number, tokens)
        made: list[NDArray[np.float32]] = []
        context = self._room_for(max(map(len, texts)))
        for batch in _batches(texts, context):
            made += context.vectors(batch)
        return made

    def _check_text(self, number: int, tokens: list[int]) -> None:
        if not tokens:
            raise ModelError("Text {number} is empty, and this model adds nothing to it.", number=number)
        if len(tokens) > self.n_longest:
            raise ContextFullError(
                "Text {number} has {count:,} tokens, and the model reads up to {most:,} at a time. Cut it, or let "
                "it be cut: truncate.",
                number=number,
                count=len(tokens),
                n_tokens=len(tokens),
                most=self.n_longest,
            )
        if min(tokens) < 0 or max(tokens) >= self._model.vocab.n_tokens:
            told = "Text {number} holds numbers that are no tokens, from 0 to {most}."
            raise ModelError(told, number=number, most=self._model.vocab.n_tokens - 1)

    def _room_for(self, n_tokens: int) -> VectorContext:
        """A context that takes so many at once. Raises ModelError."""
        context = self._context
        if context is None or context.n_tokens < n_tokens:
            room = _SHORTEST
            while room < n_tokens:
                room *= 2
            if context is not None:
                self._context = None
                context.close()
            context = self._context = self._made(min(room, self.n_longest))
        return context

    def _made(self, n_tokens: int) -> VectorContext:
        threads, flash = self._loading.threads or default_threads(), self._loading.flash_attn
        if flash is FlashAttention.AUTO and n_tokens <= _PLAIN:
            flash = FlashAttention.OFF
        try:
            return VectorContext(self._model, n_tokens, self._n_texts, threads, pooling=self._asked, flash_attn=flash)
        except ContextRefusedError as error:
            told = "There is no room for a text of {n_tokens:,} tokens. Close other programs, or cut it."
            raise ModelError(told, n_tokens=n_tokens, detail=str(error)) from error


def _batches(texts: Sequence[list[int]], context: VectorContext) -> Iterator[list[list[int]]]:
    """In order, each as much as is computed at once."""
    batch: list[list[int]] = []
    n_tokens = 0
    for tokens in texts:
        if batch and (n_tokens + len(tokens) > context.n_tokens or len(batch) == context.n_texts):
            yield batch
            batch, n_tokens = [], 0
        batch.append(tokens)
        n_tokens += len(tokens)
    if batch:
        yield batch
