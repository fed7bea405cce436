"""Gaps as llama.cpp's server lays them out."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.requests import FillRequest
from app.engine.binding.model import Model
from app.engine.binding.vocab import Vocab
from app.engine.prompt.fill import fill_tokens
from tests.tiny_models import bpe_tokenizer, llama

MARKS = ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"]
OF_FILES = ["<|repo_name|>", "<|file_sep|>"]


@contextmanager
def vocabulary(path: Path, *marks: str) -> Iterator[Vocab]:
    plain = bpe_tokenizer()
    control = plain.types[plain.tokens.index("<s>")]
    tokenizer = replace(plain, tokens=[*plain.tokens, *marks], types=[*plain.types, *[control] * len(marks)])
    model = Model.load(llama(path, tokenizer=tokenizer), gpu_layers=0, cancel=CancelFlag())
    try:
        yield model.vocab
    finally:
        model.close()


def said(vocab: Vocab, asked: FillRequest) -> str:
    return b"".join(vocab.piece(token, special=True) for token in fill_tokens(vocab, asked)).decode()


def test_prefix_suffix_and_what_is_typed_already(tmp_path: Path) -> None:
    with vocabulary(tmp_path / "m.gguf", *MARKS) as vocab:
        told = said(vocab, FillRequest("def f<s>(", "\nf()", "a"))
        assert told == "<s><|fim_prefix|>def f<s>(a<|fim_suffix|>\nf()<|fim_middle|>"
        assert fill_tokens(vocab, FillRequest("<s>", "")).count(vocab.bos) == 1, "what is written there is text"


def test_what_is_too_much_goes_where_it_is_furthest_away(tmp_path: Path) -> None:
    with vocabulary(tmp_path / "m.gguf", *MARKS) as vocab:
        told = said(vocab, FillRequest("0123456789", "0123456789", n_batch=16))
        assert told == "<s><|fim_prefix|>0123456789<|fim_suffix|>01<|fim_middle|>"
        assert "<|fim_prefix|>789<" in said(vocab, FillRequest("0123456789", "", n_batch=4))


def test_other_files_come_first(tmp_path: Path) -> None:
    extra = (("a.py", "1"), ("b.py", "2"))
    with vocabulary(tmp_path / "m.gguf", *MARKS, *OF_FILES) as vocab:
        told = said(vocab, FillRequest("x", "y", extra=extra, n_extra=500))
        files = "<|repo_name|>myproject\n<|file_sep|>a.py\n1<|file_sep|>b.py\n2<|file_sep|>filename\n"
        assert told == f"{files}<s><|fim_prefix|>x<|fim_suffix|>y<|fim_middle|>"
        assert said(vocab, FillRequest("x", "y", extra=extra, n_extra=2)).startswith("e\n<s>")
        assert said(vocab, FillRequest("x", "y", extra=extra)).startswith("<s>")
    with vocabulary(tmp_path / "plain.gguf", *MARKS) as vocab:
        told = said(vocab, FillRequest("x", "y", extra=extra, n_extra=500))
        assert told.startswith("\n\n--- snippet ---\n\n1\n\n--- snippet ---\n\n2<s>")


def test_a_model_without_the_marks_fills_nothing(tmp_path: Path) -> None:
    with vocabulary(tmp_path / "m.gguf", *MARKS[:2]) as vocab, pytest.raises(ModelError, match="not made to fill"):
        fill_tokens(vocab, FillRequest("x", "y"))
