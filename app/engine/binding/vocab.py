"""A model's vocabulary: text to tokens and back."""

import ctypes
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from llama_cpp import llama_cpp as api
from numpy.typing import NDArray

_UNKNOWN, _CONTROL, _USER_DEFINED = 1 << 0, 1 << 3, 1 << 4
_LSTRIP, _RSTRIP = 1 << 7, 1 << 8
_SPM = 1
_PROBE = "\x01"
"""A character that no tokenizer merges with its neighbours."""


class PieceColumns:
    """The first bytes of all tokens, then the second ones, and so on; the longest tokens first.

    Tokens that say nothing, or begin with a NUL, have no part in it.
    """

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces
        lengths = np.array([0 if each[:1] == b"\0" else len(each) for each in pieces], dtype=np.int32)
        order = np.argsort(-lengths, kind="stable")
        self.tokens: NDArray[np.int64] = order[: int(np.count_nonzero(lengths))]
        """Their numbers, in the order of the columns' rows."""
        self.count = len(self.tokens)
        longest = int(lengths.max(initial=0))
        sizes = lengths[self.tokens]
        self._counts = [int(np.searchsorted(-sizes, -at)) for at in range(longest + 1)]
        """Tokens longer than so many bytes."""
        spoken = [pieces[token] for token in self.tokens]
        self._columns = [
            np.frombuffer(bytes(each[at] for each in spoken[: self._counts[at]]), dtype=np.uint8)
            for at in range(longest)
        ]

    def piece(self, token: int) -> bytes:
        """Of a token that has a part in it; empty for others."""
        found = self._pieces[token] if 0 <= token < len(self._pieces) else b""
        return b"" if found[:1] == b"\0" else found

    def __iter__(self) -> Iterator[tuple[NDArray[np.uint8], int]]:
        """Each column, and how many of its tokens go on behind it."""
        return iter(zip(self._columns, self._counts[1:], strict=True))


@dataclass(frozen=True, slots=True)
class SpecialToken:
    """A token that llama.cpp finds in text before it tokenizes the rest."""

    id: int
    text: str
    control: bool
    """Control and unknown tokens are found only where the caller allows it; user-defined ones always."""
    lstrip: bool
    rstrip: bool


class Vocab:
    """Lives as long as the `Model` that it belongs to. Tokenizing is thread-safe."""

    def __init__(self, handle: object) -> None:
        self.handle: api.llama_vocab_p = handle  # type: ignore[assignment]
        self._buffer = ctypes.create_string_buffer(256)
        self._pieces: dict[tuple[int, bool], bytes] = {}
        self._ends: dict[int, bool] = {}
        self.n_tokens: int = api.llama_vocab_n_tokens(self.handle)
        self.kind: int = api.llama_vocab_type(self.handle)
        self.bos: int = api.llama_vocab_bos(self.handle)
        self.eos: int = api.llama_vocab_eos(self.handle)
        self.add_bos: bool = api.llama_vocab_get_add_bos(self.handle)
        self.add_eos: bool = api.llama_vocab_get_add_eos(self.handle)
        self.sep: int = api.llama_vocab_sep(self.handle)
        self.add_sep: bool = api.llama_vocab_get_add_sep(self.handle)

    def tokenize(self, text: str, *, add_special: bool = False, parse_special: bool = False) -> list[int]:
        """Token ids of `text` alone; with BOS, EOS and SEP, where the model has them, only with `add_special`. Control
        tokens are found only with `parse_special`.

        As after a special token or at the start: SentencePiece vocabularies put a space before it.
        """
        data = text.encode("utf-8", "replace")
        room = len(data) + 16
        tokens = (api.llama_token * room)()
        count = api.llama_tokenize(self.handle, data, len(data), tokens, room, add_special, parse_special)
        if count < 0:
            room = -count
            tokens = (api.llama_token * room)()
            count = api.llama_tokenize(self.handle, data, len(data), tokens, room, add_special, parse_special)
        if count < 0:
            raise ValueError(f"llama_tokenize refused {len(data)} bytes with {count}")
        return list(tokens[:count])

    def tokenize_on(self, text: str) -> list[int]:
        """Token ids of `text` as the continuation of other text, with no space put before it."""
        if self.kind != _SPM:
            return self.tokenize(text)
        probed = self.tokenize(_PROBE + text)
        probe = self.tokenize(_PROBE)[-1]
        return probed[probed.index(probe) + 1 :]

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """The bytes that `token` stands for; empty for a control token unless `special`. ValueError where it is none.

        Remembered, as `is_eog` is: each call into C lets go of Python's lock, and getting it back while the
        window draws costs up to a millisecond a call.
        """
        key = (token, special)
        found = self._pieces.get(key)
        if found is None:
            found = self._pieces[key] = self._piece(token, special)
        return found

    def _piece(self, token: int, special: bool) -> bytes:
        if not 0 <= token < self.n_tokens:
            raise ValueError(f"{token} is no token")  # llama.cpp would end the process
        size = api.llama_token_to_piece(self.handle, token, self._buffer, len(self._buffer), 0, special)
        if size < 0:
            self._buffer = ctypes.create_string_buffer(-size)
            size = api.llama_token_to_piece(self.handle, token, self._buffer, len(self._buffer), 0, special)
        return self._buffer.raw[:size]

    def is_eog(self, token: int) -> bool:
        """Whether this token ends an answer."""
        found = self._ends.get(token)
        if found is None:
            found = self._ends[token] = bool(api.llama_vocab_is_eog(self.handle, token))
        return found

    @cached_property
    def columns(self) -> PieceColumns:
        """What every token says, control tokens too."""
        return PieceColumns([self._piece(token, special=True) for token in range(self.n_tokens)])

    @cached_property
    def fill_marks(self) -> tuple[int, int, int] | None:
        """The tokens before a gap's beginning, before its end, and where it is to be filled (FIM); None without."""
        marks = (
            api.llama_vocab_fim_pre(self.handle),
            api.llama_vocab_fim_suf(self.handle),
            api.llama_vocab_fim_mid(self.handle),
        )
        return marks if min(marks) >= 0 else None

    @cached_property
    def file_marks(self) -> tuple[int, int]:
        """The tokens before the name of a repository and of a file in it; -1 where there is none."""
        return api.llama_vocab_fim_rep(self.handle), api.llama_vocab_fim_sep(self.handle)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Every token that ends an answer: llama.cpp takes control tokens for such, and the EOS whatever it is."""
        candidates = {self.eos, *(each.id for each in self.specials)}
        return tuple(sorted(token for token in candidates if token >= 0 and self.is_eog(token)))

    def text(self, token: int) -> str:
        """The token as the vocabulary writes it; empty for none (-1)."""
        found = api.llama_vocab_get_text(self.handle, token) if token >= 0 else None
        return found.decode("utf-8", "replace") if found else ""

    @cached_property
    def specials(self) -> tuple[SpecialToken, ...]:
        """Every control, unknown and user-defined token."""
        return tuple(self._special(token, attr) for token, attr in self._attributes() if attr & _SPECIAL)

    def _special(self, token: int, attr: int) -> SpecialToken:
        control = bool(attr & (_CONTROL | _UNKNOWN))
        return SpecialToken(token, self.text(token), control, bool(attr & _LSTRIP), bool(attr & _RSTRIP))

    def _attributes(self) -> list[tuple[int, int]]:
        get = api.llama_vocab_get_attr
        return [(token, get(self.handle, token)) for token in range(self.n_tokens)]

    def first_difference(self, other: "Vocab", start: int) -> int | None:
        """The first token from `start` on, of those that both have, with different texts; None where there is none."""
        get = api.llama_vocab_get_text
        both = range(start, min(self.n_tokens, other.n_tokens))
        return next((token for token in both if get(self.handle, token) != get(other.handle, token)), None)

    @cached_property
    def fingerprint(self) -> str:
        """sha256 hex over all token texts: equal for models that share a vocabulary, so tokens carry over."""
        digest = hashlib.sha256(f"{self.kind} {self.n_tokens} {self.bos} {self.eos}".encode())
        get = api.llama_vocab_get_text
        for token in range(self.n_tokens):
            digest.update(get(self.handle, token) or b"")
            digest.update(b"\0")
        return digest.hexdigest()


_SPECIAL = _UNKNOWN | _CONTROL | _USER_DEFINED
