"""The built-in model's two files, as they are shipped."""

from pathlib import Path

import guide

from app.core.gguf_header import read_general, read_header
from app.core.resources import GUIDE
from app.engine.media.projector import check_projector
from app.library.pairing import find_beside

MODEL_AND_EYE = 12_000_000
FOLDER = Path(guide.__file__).parent


def test_both_together_stay_small_and_find_each_other() -> None:
    eye = find_beside(GUIDE)
    assert eye is not None
    assert GUIDE.stat().st_size + eye.stat().st_size < MODEL_AND_EYE
    header = read_header(GUIDE)
    assert check_projector(eye, n_embd=header.number("llama.embedding_length"), architecture="llama") == "mlp"


def test_the_model_says_what_it_is() -> None:
    header = read_header(GUIDE)
    general = read_general(GUIDE)
    assert general["general.name"] == "Hearth Guide"
    assert general["general.license"] == "MIT"
    assert "knows nothing else" in str(general["general.description"])
    assert "very small" in header.text("hearth.model_card")
    assert header.text("tokenizer.chat_template") == (FOLDER / "template.jinja").read_text(encoding="utf-8")


def test_the_card_has_the_table_of_scores() -> None:
    card = (FOLDER / "MODEL_CARD.md").read_text(encoding="utf-8")
    table = card.partition("<!-- scores -->")[2].partition("<!-- end of scores -->")[0]
    for kind in ("hearth", "talk", "tool", "thinking", "picture"):
        assert f"| **all of {kind}** |" in table
