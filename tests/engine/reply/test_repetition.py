"""An end that only repeats itself is noticed; lists, tables, code, drawings and rulers are left alone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.events import FinishReason
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.reply.repetition import WINDOW, repeats
from tests.engine.conftest import EXACT, OpenTiny, finish
from tests.engine.reply.test_session import user
from tests.tiny_models import bpe_tokenizer

ROOT = Path(__file__).parents[3]
OPENING = "Here is what you asked for, in a few words of its own.\n\n"
PARAGRAPH = (
    "The river under the hill is heard at night, and so is the rain. Nobody who has slept there once forgets it, "
    "because the house is old, its windows are thin, and the wind comes down from the pass without anything to hold it."
    " In the morning the water has gone brown.\n\n"
)


@pytest.mark.parametrize(
    ("unit", "most"),
    [
        ("e", 700),
        ("el", 700),
        ("haha ", 700),
        ("I am sorry. ", 800),
        ("- the same line again\n", 800),
        ("谢谢", 700),
        (PARAGRAPH, 6 * len(PARAGRAPH)),
        ("".join(f"{number}. {PARAGRAPH}" for number in range(8)), WINDOW),
        ("0, ", 4200),
        ("-", 4200),
    ],
)
def test_what_comes_again_and_again_is_noticed_in_time(unit: str, most: int) -> None:
    text = OPENING + unit * (most // len(unit) + 1)
    assert repeats(text[: len(OPENING) + most])


def test_where_a_period_is_cut_makes_no_difference() -> None:
    text = OPENING + PARAGRAPH * 8
    assert all(repeats(text[: len(text) - cut]) for cut in range(0, len(PARAGRAPH), 41))


def test_what_goes_on_after_a_repetition_is_none() -> None:
    assert not repeats(OPENING + "el" * 600 + " and then it found its way back to the sentence.")
    assert not repeats("")
    assert not repeats(OPENING)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("-" * 300, id="ruler"),
        pytest.param("a" + "a" * 400 + "rgh!", id="a cry"),
        pytest.param("[" + "0, " * 1024, id="a row of zeros"),
        pytest.param("\n".join("    [" + "0, " * 27 + "0]," for _ in range(28)), id="a matrix of zeros"),
        pytest.param("|   |   |   |   |   |   |   |   |\n" * 64, id="an empty table"),
        pytest.param("    |                                |\n" * 40, id="a drawn box"),
        pytest.param("\n".join(f"{n}. The same words, but for their number." for n in range(300)), id="a long list"),
        pytest.param("\n".join(f"| row {n} | yes | no | no | yes |" for n in range(300)), id="a table"),
        pytest.param("And the rain came down.\nAnd the river rose.\n" * 6, id="a refrain"),
        pytest.param('{"a":null,"b":null},' * 24, id="minified"),
        pytest.param("NULL, " * 90, id="a row of words"),
    ],
)
def test_legitimate_sameness_is_left_alone(text: str) -> None:
    assert not any(repeats(OPENING + text[:end]) for end in range(len(text), 0, -251))


def test_no_text_of_this_repository_is_taken_for_repetition() -> None:
    """Sources, prose, tables, a style sheet, icons, a template and JSON."""
    endings = {".py", ".md", ".toml", ".json", ".svg", ".qss", ".jinja", ".ts"}
    files = [path for folder in ("app", "packaging", "resources", "tests") for path in (ROOT / folder).rglob("*")]
    texts = [path.read_text("utf-8") for path in (*files, *ROOT.glob("*.md")) if path.suffix in endings]
    assert len(texts) > 500
    assert [end for text in texts for end in _looks(text) if repeats(text[max(0, end - WINDOW) : end])] == []


def _looks(text: str) -> Iterator[int]:
    yield from range(1024, len(text), 1024)
    yield len(text)


def test_an_answer_that_repeats_itself_is_stopped_where_that_is_asked_for(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama", replace(EXACT, ctx_size=2048))
    word = bpe_tokenizer().tokens.index("e")
    greedy = Sampling(temperature=0.0, max_tokens=700)
    asked = ChatRequest((user("say el"),), greedy, logit_bias=((word, 1000.0),), stop_repetition=True)
    stopped = finish(session, asked)
    assert stopped.reason is FinishReason.REPETITION
    assert 600 <= len(stopped.text) < 800
    assert stopped.n_past == len(session.slot)
    whole = finish(session, replace(asked, stop_repetition=False))
    assert whole.reason is FinishReason.LENGTH
    assert whole.generation.tokens[: len(stopped.generation.tokens)] == stopped.generation.tokens
