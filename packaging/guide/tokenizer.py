"""The guide's vocabulary: a byte-level BPE that llama.cpp reads as "gpt-2"."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from guide.form import CONTROL, TAGS, TURN_END, TURN_START

SIZE = 3072


@dataclass(frozen=True)
class Vocabulary:
    tokenizer: Tokenizer

    @staticmethod
    def train(texts: Iterable[str], size: int = SIZE) -> "Vocabulary":
        """Learn the merges from texts. Ids: control tokens, tags, the 256 bytes, then the merges in their order.

        Digits are never merged, so that numbers which were never seen can be repeated digit by digit.
        """
        tokenizer = Tokenizer(models.BPE())
        # Only for learning: where no digit stands beside another character, no merge can hold one.
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), _bytes()])
        trainer = trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=[AddedToken(text, normalized=False) for text in CONTROL + TAGS],
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        tokenizer.train_from_iterator(texts, trainer)
        return Vocabulary(as_bytes(tokenizer))

    @staticmethod
    def load(path: Path) -> "Vocabulary":
        return Vocabulary(Tokenizer.from_file(str(path)))

    def save(self, path: Path) -> None:
        self.tokenizer.save(str(path))

    def __len__(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    def encode(self, text: str) -> list[int]:
        """The ids of a text; control tokens and tags in it are recognised."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Iterable[int]) -> str:
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=False))

    def id(self, token: str) -> int:
        found = self.tokenizer.token_to_id(token)
        if found is None:
            raise KeyError(token)
        return int(found)

    @property
    def merges(self) -> list[str]:
        """Pairs with a space between, in the order in which they apply; GGUF's form."""
        pairs = json.loads(self.tokenizer.to_str())["model"]["merges"]
        return [pair if isinstance(pair, str) else " ".join(pair) for pair in pairs]

    @cached_property
    def turn_start(self) -> int:
        return self.id(TURN_START)

    @cached_property
    def turn_end(self) -> int:
        return self.id(TURN_END)


def as_bytes(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer, made to read and write text byte by byte, as llama.cpp does."""
    tokenizer.pre_tokenizer = _bytes()
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _bytes() -> pre_tokenizers.ByteLevel:
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
