"""The tokens with which a gap in a text is filled (FIM)."""

from app.core.errors import ModelError
from app.core.requests import FillRequest
from app.engine.binding.vocab import Vocab

_SNIPPET = "\n\n--- snippet ---\n\n"
"""Before what is of another file, where the model has no token for that."""


def fill_tokens(vocab: Vocab, asked: FillRequest) -> list[int]:
    """As llama.cpp's server lays them out (`format_prompt_infill`): other files, then prefix, suffix and the gap. The
    prefix loses its beginning where there is too much of it, and the suffix its end. Raises ModelError.
    """
    if vocab.fill_marks is None:
        raise ModelError("This model was not made to fill a gap in a text.")
    begins, ends, fills = vocab.fill_marks
    begun = vocab.tokenize(asked.begun, parse_special=True)
    n_prefix, n_suffix = 3 * (asked.n_batch // 4), max(0, asked.n_batch // 4 - (2 + len(begun)))
    prefix, suffix = vocab.tokenize(asked.prefix), vocab.tokenize(asked.suffix)
    extra = _extra(vocab, asked)
    bos = [vocab.bos] if vocab.add_bos else []
    kept = extra[max(0, len(extra) - max(0, asked.n_extra)) :]
    before = prefix[max(0, len(prefix) - n_prefix) :]
    return [*kept, *bos, begins, *before, *begun, ends, *suffix[:n_suffix], fills]


def _extra(vocab: Vocab, asked: FillRequest) -> list[int]:
    repository, file = vocab.file_marks
    made = [repository, *vocab.tokenize("myproject\n")] if repository >= 0 else []
    for name, text in asked.extra:
        made += [file, *vocab.tokenize(f"{name}\n")] if file >= 0 else vocab.tokenize(_SNIPPET)
        made += vocab.tokenize(text)
    return made + ([file, *vocab.tokenize("filename\n")] if file >= 0 else [])
